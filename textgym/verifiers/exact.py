r"""Exact match: texts, numbers and JSON values that are the same, by rules that are stated.

Invariants: whatever is compared, the answer is yes or no; nothing raises and nothing takes more
than linear time. Choices are in `choices.py`.
"""

from __future__ import annotations

import re
import unicodedata
from decimal import Context, Decimal
from typing import Any

from textgym.verifiers.extract import answer_lines, last_boxed, last_tagged, latex_to_text

__all__ = [
    "bare_answer", "plain_text", "read_number", "same_answer", "same_json", "same_number",
    "same_text",
]  # fmt: skip

_SIGNS = str.maketrans({
    "’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-", "−": "-", "‐": "-", "‑": "-",
})  # fmt: skip
_ENDINGS = " .,;:?!…"  # sentence marks; what stands before a number or behind it may be part of it
_STARTS = " ,;:…"
_PAIRED = "\"'`*_"
_BRACKETS = {"(": ")", "[": "]", "{": "}"}
_LONGEST_COMPOSED = 10_000  # composing takes quadratic time where accents are heaped up
_ARTICLE = re.compile(r"the\s+(?=\S)|an?\s+(?=[^\W\d_]{2})")
_BETWEEN_WORDS = re.compile(r"(?<=[^\W\d_])-(?=[^\W\d_])")
_BEFORE_SPACE = re.compile(r"[,;:!?](?=\s)|(?<=[^\W\d_]{2})\.(?=\s)")
_NUMBER = re.compile(
    r"(?:[+-] ?)?(?:(?:[1-9]\d{0,2}(?:(?P<mark>[,'\u0020\u00a0\u2007\u2009\u202f])\d{3})"
    r"(?:(?P=mark)\d{3})*|\d+)(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,4})?",
    re.IGNORECASE,
)
_PRESENTATION = re.compile(
    r"\A(?:[*_]*(?:(?:the|my)\s+)?(?:(?:final|correct|right)\s+)?answer[*_]*\s*(?:is\b\s*:?|=)\s*)?"
    r"(?:[*•‣▪◦]\s+|(?:[-–—+>]|1[.)]|\(1\))\s+(?=[\"'*_“‘(]*[^\W\d_]{2}))?",
    re.IGNORECASE,
)
_LONGEST_NUMBER = 1000
_EXACTLY = Context(prec=2 * _LONGEST_NUMBER)


def plain_text(text: str) -> str:
    r"""Return a text as it is compared.

    Case is folded, white space becomes single blanks, accents take their composed form, typographic
    quotes and dashes their plain one. Dropped are: pairs of quotes or markup around the text,
    brackets around it where they hold no comma, sentence marks at its end and before a blank, and
    `the` at its start where more follows, `a` or `an` where a word does. A hyphen between letters
    becomes a blank. Signs, decimal points, units and all else stay.

    Example:
        >>> plain_text(' **The Eiffel  Tower.** ')
        'eiffel tower'
        >>> plain_text("Port-au-Prince"), plain_text("-.5"), plain_text("A"), plain_text("5!")
        ('port au prince', '-.5', 'a', '5!')
    """
    if len(text) <= _LONGEST_COMPOSED:
        text = unicodedata.normalize("NFC", text)
    text = _bare(" ".join(text.translate(_SIGNS).casefold().split()))
    text = _BEFORE_SPACE.sub("", _BETWEEN_WORDS.sub(" ", text))
    article = _ARTICLE.match(text)
    return text[article.end() :] if article else text


def _bare(text: str) -> str:
    """Take away what stands around a text, from outside inwards."""
    start, end = 0, len(text)
    while start < end:
        if text[start] in _STARTS:
            start += 1
        elif text[end - 1] in _ENDINGS and not (text[end - 1] == "!" and text[end - 2].isdigit()):
            end -= 1
        elif _is_wrapped(text, start, end):
            start, end = start + 1, end - 1
        else:
            break
    return text[start:end]


def _is_wrapped(text: str, start: int, end: int) -> bool:
    opening, closing = text[start], text[end - 1]
    if end - start > 1 and opening in _PAIRED:
        return opening == closing
    inside = start + 1, end - 1
    return _BRACKETS.get(opening) == closing and all(
        text.find(mark, *inside) < 0 for mark in (opening, closing, ",")
    )


def same_text(expected: str, generated: str) -> bool:
    """Tell whether two texts are the same as `plain_text` writes them; an empty one is like none.

    Example:
        >>> same_text("Eiffel Tower", "the Eiffel tower."), same_text("5", "-5")
        (True, False)
    """
    plain = plain_text(expected)
    return bool(plain) and plain == plain_text(generated)


def bare_answer(text: str) -> str:
    r"""Return an answer without what only presents it.

    That is what stands in the last `<answer>…</answer>`; in it what stands in the last `\boxed{}`;
    in it what stands behind the last `Answer:` on its line, or behind "the answer is" at its start.
    LaTeX that only marks up goes, and so does a list mark: `*` and `•`, and `-`, `>` and `1.` in
    front of a word. In front of a number, `-` is a sign and `1.` a number. Last go quotes, markup,
    brackets and sentence marks around it, as in `plain_text`.

    Example:
        >>> bare_answer(r"**Answer:** $\boxed{\text{Paris}}$"), bare_answer("- Paris")
        ('Paris', 'Paris')
        >>> bare_answer("- 5"), bare_answer("1. 5"), bare_answer("not Paris")
        ('- 5', '1. 5', 'not Paris')
    """
    tagged = last_tagged(text, "answer")
    text = text if tagged is None else tagged
    boxed = last_boxed(text)
    text = text if boxed is None else boxed
    for _, line in answer_lines(text):
        text = line
    return _bare(_PRESENTATION.sub("", latex_to_text(text), count=1))


def same_answer(expected: str, generated: str) -> bool:
    r"""Tell whether a generated answer is the expected one, as a text or as a number.

    The generated one is taken as it stands, or else as `bare_answer` has it.

    Example:
        >>> same_answer("Eiffel Tower", "Answer: the Eiffel tower."), same_answer("2084", "2 084")
        (True, True)
        >>> same_answer("-5", "- 5"), same_answer("5", "- 5"), same_answer("Paris", "Paris or Rome")
        (True, False, False)
    """
    return any(
        same_text(expected, answer) or same_number(expected, answer)
        for answer in (generated, bare_answer(generated))
    )


def read_number(text: str) -> Decimal | None:
    """Return the number that a text is; None for others.

    Thousands may be set apart by commas, by apostrophes or by blanks, always by the same mark, and
    a sign may be set apart by a blank.

    Example:
        >>> read_number("1,234.50"), read_number(" -2e3 "), read_number("12 apples")
        (Decimal('1234.50'), Decimal('-2E+3'), None)
        >>> read_number("2 084"), read_number("- 5"), read_number("20 84"), read_number("0,084")
        (Decimal('2084'), Decimal('-5'), None, None)
    """
    text = text.translate(_SIGNS).strip() if len(text) <= _LONGEST_NUMBER else ""
    found = _NUMBER.fullmatch(text) if any(map(str.isdecimal, text)) else None
    if found is None:
        return None
    return Decimal(text.replace(found["mark"] or ",", "").replace(" ", ""))


def same_number(
    expected: str | float | Decimal,
    generated: str | float | Decimal,
    *,
    absolute: float = 0.0,
    relative: float = 0.0,
) -> bool:
    """Tell whether two numbers differ by no more than a tolerance; what is no number is like none.

    A float is the decimal number that it is written as, so that 0.1 is "0.1".

    Args:
        expected: A number, or a text that `read_number` reads.
        generated: The same.
        absolute: How far they may be apart.
        relative: How far they may be apart, as a part of the expected one.

    Example:
        >>> same_number("1,000", 1000.0), same_number(3.1416, "3.14", relative=0.01)
        (True, True)
        >>> same_number(1, True), same_number("nan", "nan")
        (False, False)
    """
    one, other = _number(expected), _number(generated)
    if one is None or other is None:
        return False
    if one == other:
        return True
    if not one.is_finite() or not other.is_finite():
        return False
    try:
        room = max(
            Decimal(repr(absolute)), _EXACTLY.multiply(Decimal(repr(relative)), one.copy_abs())
        )
        return _EXACTLY.subtract(one, other).copy_abs() <= room
    except ArithmeticError:  # a Decimal at the end of what there is
        return False


def _number(value: Any) -> Decimal | None:
    if isinstance(value, str):
        return read_number(value)
    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal)):
        return None
    number = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    return None if number.is_nan() else number


def same_json(expected: Any, generated: Any) -> bool:
    """Tell whether two values that JSON can hold are the same.

    The order of keys does not matter, that of lists does. JSON has one kind of number, so 1 is 1.0;
    true is not 1, null is nothing but null, and texts are the same to the letter.

    Example:
        >>> same_json({"a": 1, "b": [True]}, {"b": [True], "a": 1.0})
        True
        >>> same_json([1], [True]), same_json(["711"], [711]), same_json([1, 2], [2, 1])
        (False, False, False)
    """
    pairs = [(expected, generated)]
    while pairs:
        one, other = pairs.pop()
        if isinstance(one, dict) and isinstance(other, dict):
            if one.keys() != other.keys():
                return False
            pairs += [(one[key], other[key]) for key in one]
        elif isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
            if len(one) != len(other):
                return False
            pairs += zip(one, other, strict=True)
        elif _kind(one) is not _kind(other) or one != other:
            return False
    return True


def _kind(value: Any) -> type:
    return float if type(value) is int else type(value)
