"""Whether a text gives a fact away in another spelling, such as `June 14` for `14 June`.

There are two readings: the quantities of the text, and only its letters and digits. Characters that
look like others are replaced by them; characters that nobody sees, or that only mark up the text,
are removed.

Invariant: each character is read by itself, and the time is linear in the text.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from textgym.envs.constraints.quantities import Value, in_digits, quantities_of
from textgym.verifiers.exact import plain_marks

__all__ = ["SpelledText", "folded", "legible"]

_ENTITY = re.compile(r"&(?:#\d{1,6}|#[xX][\da-fA-F]{1,5}|[A-Za-z]{2,8});")
_MARKUP = re.compile(
    r"[*`_]|</?(?:b|i|u|s|em|strong|mark|small|sub|sup|span|code|wbr)>|<!--\W{0,9}-->"
    r"|\\(?=[!-/:-@\[-`{-~])",
    re.IGNORECASE,
)
_LINE_BREAK = re.compile(r"<br ?/?>", re.IGNORECASE)
_MAX_COMPOSED = 10_000  # characters; composing stacked accents takes quadratic time
_FEW_LETTERS = {
    "\u00df": "ss", "\u1e9e": "ss", "\u0130": "I", "\u03c2": "\u03c3", "\u2800": " ",
    "\u115f": "", "\u1160": "",
}  # fmt: skip
_LOOK_ALIKES = dict(
    zip(
        "АаВвЕеЅѕІіЈјКкМмНнОоРрСсТтУуХхһԁӏԛԝѵгѴ"
        "ΑαΒβΕεΖΗηΙιΚκΜΝνΟοσΡρΤτΥυΧχωγ"
        "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢɑɡıɩɾʋҺԌҮүєɛøØłŁđĐħ"
        "\u0131\u2113\u237a\u2044\u2215\u2236\u02d0\u00b7",
        "AaBbEeSsIiJjKkMmHhOoPpCcTtYyXxhdlqwvrV"
        "AaBbEeZHnIiKkMNvOooPpTtYuXxwy"
        "abcdefghijklmnoprstuvwyzagiirvhGYyeeoolLdDh"
        "ila//::.",
        strict=True,
    )
)
_ENCLOSED = ((0x1F130, 26), (0x1F150, 26), (0x1F170, 26), (0x1F1E6, 26))  # from A on


def legible(text: str) -> str:
    r"""Return a text with plain marks and letters, without markup and invisible characters.

    Accents stay, and so do letters of other alphabets.

    Example:
        >>> legible("**\uff2b\uff34**\u2011<b>4\u200b17</b>&nbsp;\u201ca\u201d")
        'KT-417 "a"'
    """
    if "&" in text:
        text = _ENTITY.sub(lambda entity: html.unescape(entity[0]), text)
    text = _MARKUP.sub("", _LINE_BREAK.sub(" ", text))
    if text.isascii():
        return text
    text = text.translate({ord(char): _legible(char) for char in {*text} if char > "\x7f"})
    return unicodedata.normalize("NFC", text) if len(text) <= _MAX_COMPOSED else text


def folded(text: str) -> str:
    """Return a legible text in lower case, with Latin letters and digits for what looks like them.

    Example:
        >>> folded("Jos\u00e9 D\u0430na \u0661\u2463")
        'jose dana 14'
    """
    if not text.isascii():
        text = text.translate({ord(char): _folded(char) for char in {*text} if char > "\x7f"})
    return text.lower()


@lru_cache(maxsize=4096)
def _legible(char: str) -> str:
    kind = unicodedata.category(char)
    if kind == "Cf" or "\ufe00" <= char <= "\ufe0f" or char == "\u034f":
        return ""
    plain = char if kind in ("No", "Mn") else unicodedata.normalize("NFKC", plain_marks(char))
    return _FEW_LETTERS.get(plain, plain)


@lru_cache(maxsize=4096)
def _folded(char: str) -> str:
    for first, count in _ENCLOSED:
        if 0 <= ord(char) - first < count:
            return chr(ord("a") + ord(char) - first)
    return "".join(
        str(unicodedata.decimal(part, _LOOK_ALIKES.get(part, part)))
        for part in unicodedata.normalize("NFKD", char)
        if not unicodedata.category(part).startswith("M")
    )


_RUN = re.compile(r"[^\W_]+")
_SIGN_IN_WORD = re.compile(r"(?<=[a-z])[@$!|](?=[a-z])|[@$](?=[a-z])")
_BRITISH = re.compile(r"(?<=[a-z])our(?![a-z])|(?<=[a-z])tre(?![a-z])|grey")
_AMERICAN = {"our": "or", "tre": "ter", "grey": "gray"}
_SIGNS = str.maketrans("@$!|", "asll")
_SHAPES = str.maketrans("01345789i", "oleastbgl")  # look-alikes become the same
_IN_NUMBER = (".", ",", ":")
_ENDS = frozenset(".,!?;")
_SPACED = re.compile(r"(?<![^\W_])(?:[^\W_][ -]){2,80}[^\W_](?![^\W_])")
_LIST_NUMBER = re.compile(r"^\(?\d{1,3}[.)](?=\s)", re.MULTILINE)
_MIN_DIGITS = 5  # of a number that is known by its digits


class _Squeezed(NamedTuple):
    """The letters and digits of a text.

    Attributes:
        text: The letters and digits.
        breaks: Where something else stands before one of them, other than a mark within a number,
            and the end.
        blanks: The breaks with white space.
        ends: The blanks that end a sentence or a part of it.
    """

    text: str
    breaks: set[int]
    blanks: set[int]
    ends: set[int]


class _Fact(NamedTuple):
    """A fact in the forms in which it is looked up.

    Attributes:
        forms: Its letters and digits, including those in American spelling, and with the last word
            of a name first.
        values: What it means as a whole; empty for a name or a code.
        is_phrase: Whether it has several words.
        is_short: Whether it has few characters, all of them digits.
        has_digits: Whether it has a digit.
    """

    forms: tuple[_Squeezed, ...]
    values: frozenset[Value]
    is_phrase: bool
    is_short: bool
    has_digits: bool


class SpelledText:
    r"""A text in which facts are looked up in any spelling.

    Args:
        text: A text in the form of `legible`.
        known: Facts that the text may give. A part that may mean one of them does not give another
            fact away.

    Example:
        >>> text = SpelledText("On June 14th in H4rbour-H\u0430ll, K.T. four hundred seventeen.")
        >>> [text.gives(fact) for fact in ("14 June", "Harbour Hall", "KT-417", "4 June")]
        [True, True, True, False]
    """

    def __init__(self, text: str, known: Iterable[str] = ()) -> None:
        plain = in_digits(folded(_LIST_NUMBER.sub("-", text)))
        allowed = frozenset[Value]().union(*(_read_fact(fact).values for fact in known))
        joined = _SPACED.sub(lambda match: match[0].replace(" ", "").replace("-", ""), plain)
        stated = (quantity.values for quantity in quantities_of(joined))
        self._values = frozenset[Value]().union(*filter(allowed.isdisjoint, stated))
        self._squeezed = _squeezed(plain)
        self._shapes = self._squeezed.text.translate(_SHAPES)

    def gives(self, fact: str) -> bool:
        """Return whether the text has a fact in any spelling."""
        wanted = _read_fact(fact)
        return not wanted.values.isdisjoint(self._values) or any(
            self._has(form, wanted) for form in wanted.forms
        )

    def _has(self, form: _Squeezed, wanted: _Fact) -> bool:
        text, letters = self._squeezed.text, form.text
        if not wanted.has_digits:
            text, letters = self._shapes, letters.translate(_SHAPES)
        start = text.find(letters)
        while start >= 0:
            if self._is_meant(start, form, wanted):
                return True
            start = text.find(letters, start + 1)
        return False

    def _is_meant(self, start: int, form: _Squeezed, wanted: _Fact) -> bool:
        """Return whether the characters from a place on stand for a fact that they spell.

        A number must be whole, and no part of a sentence ends within a date or an amount. If breaks
        divide the words of the fact, whole words must spell it; numbers are not divided, because
        the first digits may be a number of their own. A short number is known by its single digits
        only, unless commas divide them.
        """
        text, breaks, blanks, ends = self._squeezed
        end = start + len(form.text)
        if self._divides_number(start) or self._divides_number(end):
            return False
        inner = breaks.intersection(range(start + 1, end))
        if wanted.has_digits and wanted.is_phrase and not inner.isdisjoint(ends):
            return False
        is_whole = start in breaks and end in breaks
        is_spaced = len(inner) == end - start - 1 > 1 and is_whole
        if is_spaced or wanted.is_short:
            return is_spaced and (not wanted.is_short or len(inner & ends) < 2)
        own = {start + place for place in form.breaks}
        if inner <= own:
            is_name = wanted.is_phrase and not wanted.has_digits
            return is_whole or is_name or inner.isdisjoint(blanks)
        if not is_whole:
            return False
        if not wanted.is_phrase:
            return wanted.has_digits
        return not any(text[place - 1 : place + 1].isdigit() for place in inner - own)

    def _divides_number(self, place: int) -> bool:
        text, breaks = self._squeezed.text, self._squeezed.breaks
        return place not in breaks and text[place - 1 : place + 1].isdigit()


@lru_cache(maxsize=4096)
def _read_fact(fact: str) -> _Fact:
    plain = in_digits(folded(legible(fact)).strip())
    whole = [
        quantity for quantity in quantities_of(plain) if quantity.end - quantity.start == len(plain)
    ]
    words, letters = _RUN.findall(plain), _squeezed(plain).text
    has_digits = any(map(str.isdigit, letters))
    forms = [plain, _BRITISH.sub(lambda match: _AMERICAN[match[0]], plain)]
    if len(words) == 2 and not has_digits:
        forms.append(" ".join(reversed(words)))
    return _Fact(
        tuple(form for form in map(_squeezed, dict.fromkeys(forms)) if form.text),
        frozenset[Value]().union(*(quantity.values for quantity in whole)),
        len(words) > 1 and " " in plain,
        letters.isdigit() and len(letters) < _MIN_DIGITS,
        has_digits,
    )


def _squeezed(text: str) -> _Squeezed:
    text = _SIGN_IN_WORD.sub(lambda match: match[0].translate(_SIGNS), text)
    parts: list[str] = []
    breaks, blanks, ends, size, last = set[int](), set[int](), set[int](), 0, 0
    for run in _RUN.finditer(text):
        mark = text[last : run.start()]
        if not (mark in _IN_NUMBER and f"{text[last - 1]}{run[0][0]}".isdigit()):
            breaks.add(size)
            if any(map(str.isspace, mark)):
                blanks.add(size)
                if not _ENDS.isdisjoint(mark):
                    ends.add(size)
        parts.append(run[0])
        size, last = size + len(run[0]), run.end()
    return _Squeezed("".join(parts), {*breaks, size}, blanks, ends)
