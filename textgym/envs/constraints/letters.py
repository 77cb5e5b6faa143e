"""Characters that look like others, that nobody sees, or that only mark up a text.

Invariant: each character is read by itself, so the time is linear in the text.
"""

from __future__ import annotations

import html
import re
import unicodedata
from functools import lru_cache

from textgym.verifiers.exact import plain_marks

__all__ = ["folded", "legible"]

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
