r"""Exact match: rules for when two texts, numbers or JSON values are equal.

Invariant: every comparison returns True or False for any text, raises nothing and takes linear
time. Multiple choice is in `choices`, mathematics in `math`.
"""

from __future__ import annotations

import re
import unicodedata
from collections import deque
from decimal import Context, Decimal
from typing import Any

from textgym.verifiers.extract import latex_to_text
from textgym.verifiers.stated import OPENING, AnswerForm, stated_answer

__all__ = [
    "bare_answer", "equal_json", "equal_number", "equal_text", "match", "normalize_answer",
    "normalize_text", "plain_marks", "read_number", "with_decimal_point",
]  # fmt: skip

_PLAIN_MARKS = str.maketrans({
    "’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-", "−": "-", "‐": "-", "‑": "-",
})  # fmt: skip
_TYPOGRAPHIC = _PLAIN_MARKS | str.maketrans({
    "\u2012": "-", "\ufe63": "-", "\uff0d": "-", "\u00a0": " ", "\u2007": " ", "\u2009": " ",
    "\u202f": " ",
})  # fmt: skip
_LEADING_MARKS = " ,;:…"  # not ".": it may begin a number
_TRAILING_MARKS = " .,;:?!…"
_PAIRED = "\"'`*_"
_BRACKETS = {"(": ")", "[": "]", "{": "}"}
_MAX_COMPOSED = 10_000  # characters; composing stacked accents takes quadratic time
_ARTICLE = re.compile(
    r"the\s+(?=\S)|an?\s+(?!(?:major|minor|flat|sharp|positive|negative)\b)(?=[^\W\d_]{2})"
)
_HYPHEN = re.compile(r"(?<=[^\W\d_]{2})-(?=[^\W\d_])|(?<=[^\W\d_])-(?=[^\W\d_]{2})")  # not "x-y"
_SPACE_AFTER_COMMA = re.compile(r"(?<=,) ")
_LITERAL = re.compile(r"(__)\w+__|(\[).*\]|(\{).*\}", re.DOTALL)  # a name in Python, a list, a set
_MARK_BEFORE_SPACE = re.compile(r"[,;:!?](?=\s)|(?<=[^\W\d_]{2})\.(?=\s)")
_NUMBER = re.compile(
    r"(?:[+-] ?)?(?:(?:[1-9]\d{0,2}(?:(?P<mark>[,'\u0020\u00a0\u2007\u2009\u202f])\d{3})"
    r"(?:(?P=mark)\d{3})*|\d+)(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,4})?",
    re.IGNORECASE,
)
_SO = (
    r"(?:(?:so|thus|therefore|hence|consequently|accordingly|ultimately|overall|finally|and"
    r"|in (?:conclusion|short|summary|the end)|as a result|to conclude),?\s{1,9})"
)
_ANSWER_IS = (
    r"[*_]{0,3}(?:(?:the|my|our|your)\s{1,9})?(?:(?:final|correct|right|best|short)\s{1,9}){0,2}"
    r"answer[*_]{0,3}(?:\s{1,9}(?:to|for) (?:the|this|your) (?:question|problem|puzzle|task))?"
    r"\s{0,9}(?:(?:is|must be|should be|would be)\b\s{0,9}:?|=)"
)
_IT_IS = r"(?:(?:it|this|that)(?:\s{1,9}(?:is|must be)\b|['’]s\b)\s{0,9}:?)"
_CONCLUSION = re.compile(
    rf"(?:\A|\n|[.!?][\"'”*_)]{{0,4}}\s)\s{{0,9}}(?P<sentence>[\"'“*_(]{{0,4}}"
    rf"(?:{_SO}{{0,3}}{_ANSWER_IS}|{_SO}{{1,3}}{_IT_IS})[*_]{{0,3}}\s)",
    re.IGNORECASE,
)
_PRESENTATION = re.compile(
    rf"\A(?:[*_]{{0,3}}{_SO}{{0,3}}(?:{_ANSWER_IS}|{_IT_IS})(?:[*_]{{1,3}}(?=\s))?\s*"
    rf"|{OPENING})?"
    r"(?:[*•‣▪◦]\s+|(?:[-–—+>]|1[.)]|\(1\))\s+(?=[\"'*_“‘(]*[^\W\d_]{2})"
    r"(?!(?:sin|cos|tan|cot|sec|csc|ln|log|exp|sqrt|pi)\b))?",  # "- sin(x)" has a sign
    re.IGNORECASE,
)
_DECIMAL_COMMA = re.compile(
    r"(?<![\d.,(\[{])(?P<sign>[-−]?)(?<![(\[{][-−])(?![1-9]\d{0,2},\d{3}(?!\d))"
    r"(?P<whole>[1-9]\d{0,2}(?:[. ]\d{3}){1,6}|\d+),(?P<places>\d+)(?![\d.)\]}])"
)
_OFFER = re.compile(
    r"(?:(?<=[.!?*_)\"”\n])\s{1,9}(?:please |i )?(?:let me know|feel free"
    r"|hope (?:this|that|it) helps|is there anything|if you (?:have|need|want|would)|happy to help"
    r"|don['’]t hesitate)\b"
    r"(?:[ ,]{1,2}(?:if|you|need|want|have|would|like|anything|else|any|more|other|further|help|to"
    r"|ask|questions?|details|information|assistance|know|me|i|can|do|with|for|please|feel|free|let)\b)*"
    r"[.!?]{0,3}){1,3}\s*\Z",
    re.IGNORECASE,
)
_MAX_OFFER = 300  # characters
_MAX_NUMBER = 1000  # characters
_EXACT = Context(prec=2 * _MAX_NUMBER)


def plain_marks(text: str) -> str:
    r"""Return a text with plain quotes, hyphens and blanks in place of typographic ones.

    Environments that compare codes read them through it, because models write `KX\u20114471`.

    Example:
        >>> plain_marks("KX\u20114471"), plain_marks("D\u20130412\u202f"), plain_marks("“a”")
        ('KX-4471', 'D-0412 ', '"a"')
    """
    return text.translate(_TYPOGRAPHIC)


def normalize_text(text: str) -> str:
    r"""Return a text in lower case with single spaces.

    Example:
        >>> normalize_text("  Carbon\n Dioxide ")
        'carbon dioxide'
    """
    return " ".join(text.lower().split())


def normalize_answer(text: str) -> str:
    r"""Return a short answer in the form in which answers are compared.

    - Case is folded, white space becomes single spaces, accents are composed, and typographic
      quotes and dashes become plain ones.
    - Removed are pairs of quotes or Markdown around the text, brackets around it unless they hold a
      comma, and punctuation at its end and before a space.
    - A leading `the` is removed if something follows, `a` or `an` if a word does, but not in a key
      or a blood group such as `A minor`.
    - A hyphen between letters becomes a space.
    - In a text that begins with a bracket, a space after a comma is removed.

    Signs, decimal points, units and everything else stay.

    Example:
        >>> normalize_answer(' **The Eiffel  Tower.** ')
        'eiffel tower'
        >>> [normalize_answer(text) for text in ("Port-au-Prince", "-.5", "A", "5!")]
        ['port au prince', '-.5', 'a', '5!']
    """
    if len(text) <= _MAX_COMPOSED:
        text = unicodedata.normalize("NFC", text)
    text = _unwrap(" ".join(text.translate(_PLAIN_MARKS).casefold().split()))
    if text[:1] in _BRACKETS:
        text = _SPACE_AFTER_COMMA.sub("", text)
    text = _MARK_BEFORE_SPACE.sub("", _HYPHEN.sub(" ", text))
    article = _ARTICLE.match(text)
    return text[article.end() :] if article else text


def _unwrap(text: str) -> str:
    """Remove punctuation, quotes, Markdown and brackets around a text, from the outside in."""
    start, end = 0, len(text)
    while start < end:
        if text[start] in _LEADING_MARKS:
            start += 1
        elif text[end - 1] in _TRAILING_MARKS and not _is_factorial(text[max(0, end - 3) : end]):
            end -= 1
        elif _is_wrapped(text, start, end):
            start, end = start + 1, end - 1
        else:
            break
    return text[start:end]


def _is_factorial(ending: str) -> bool:
    """Return whether three characters end a factorial, such as `5!`, `n!` or `(n+1)!`."""
    before = ending[:-1]
    is_name = before[-1:].isalpha() and not before[:-1].isalpha()
    return ending.endswith("!") and (is_name or before[-1:].isdigit() or before[-1:] == ")")


def _is_wrapped(text: str, start: int, end: int) -> bool:
    opening, closing = text[start], text[end - 1]
    if end - start > 1 and opening in _PAIRED:
        return opening == closing
    inside = start + 1, end - 1
    return _BRACKETS.get(opening) == closing and all(
        text.find(mark, *inside) < 0 for mark in (opening, closing, ",")
    )


def equal_text(expected: str, generated: str) -> bool:
    """Return whether two texts are equal after `normalize_answer`; an empty text equals nothing.

    The marks around an expected `__name__`, `[list]` or `{set}` are part of the answer.

    Example:
        >>> equal_text("Eiffel Tower", "the Eiffel tower."), equal_text("5", "-5")
        (True, False)
        >>> equal_text("__init__", "`__init__`"), equal_text("__init__", "init")
        (True, False)
    """
    plain = normalize_answer(expected)
    if not plain or plain != normalize_answer(generated):
        return False
    literal = _LITERAL.fullmatch(expected.strip())
    return literal is None or literal[literal.lastindex or 0] in generated


def bare_answer(text: str, form: AnswerForm | None = None) -> str:
    r"""Return a short answer without the words and marks that only present it.

    Each step applies to the result of the one before:

    1. What the text states in the form that the prompt names, or else last, in `<answer>`, in
       `\boxed{}` or behind `Answer:`; see `stated_answer`.
    2. LaTeX that only formats is removed, and so is what stands before a last sentence such as "So
       the answer is yes" or "Therefore, it is Paris", if the text states no answer in a form.
    3. Offers of help at the end are removed: "Let me know if you need anything else."
    4. "The answer is" and "it is" at the start are removed, with a "therefore" before them.
    5. A list mark at the start is removed: `*` and `•`, and `-`, `>` and `1.` if a word follows. If
       a number follows, `-` is a sign and `1.` a number.
    6. Quotes, Markdown, brackets and punctuation around the text are removed, as in
       `normalize_answer`.

    Args:
        text: The model's text, without its reasoning.
        form: The form that the prompt names.

    Example:
        >>> bare_answer(r"**Answer:** $\boxed{\text{Paris}}$"), bare_answer("- Paris")
        ('Paris', 'Paris')
        >>> bare_answer("- 5"), bare_answer("1. 5"), bare_answer("not Paris")
        ('- 5', '1. 5', 'not Paris')
    """
    stated = stated_answer(text, form)
    plain = latex_to_text(stated)
    if stated == text:
        concluded = deque(_CONCLUSION.finditer(plain), maxlen=1)
        plain = plain[concluded[0].start("sentence") :] if concluded else plain
    offer = _OFFER.search(plain, max(0, len(plain) - _MAX_OFFER))
    plain = plain[: offer.start()] if offer else plain
    return _unwrap(_PRESENTATION.sub("", _unwrap(plain), count=1))


def match(expected: str, generated: str, form: AnswerForm | None = None) -> bool:
    r"""Return whether a short answer is the expected one, as a text or as a number.

    The generated text is compared as it is, and then as `bare_answer` returns it. If the expected
    answer is a number with decimals, it may have a decimal comma; see `with_decimal_point`.

    Args:
        expected: The right answer.
        generated: The model's text, without its reasoning.
        form: The form that the prompt names; see `named_form`.

    Example:
        >>> match("Eiffel Tower", "Answer: the Eiffel tower."), match("2084", "2 084")
        (True, True)
        >>> match("-5", "- 5"), match("5", "- 5"), match("Paris", "Paris or Rome")
        (True, False, False)
        >>> match("1.5", "1,5"), match("1.5", "1,500"), match("1.5", "1, 5")
        (True, False, False)
        >>> match("yes", "It has 4 sides. So the answer is **yes**."), match("yes", "It is not yes")
        (True, False)
    """
    expected = latex_to_text(expected)
    bare = bare_answer(generated, form)
    if any(
        equal_text(expected, text) or equal_number(expected, text) for text in (generated, bare)
    ):
        return True
    return "." in expected and equal_number(expected, with_decimal_point(bare))


def read_number(text: str) -> Decimal | None:
    """Return the number that a text consists of; None if it is not a number.

    Commas, apostrophes or spaces may separate thousands, but not a mix of them. A space may follow
    the sign.

    Example:
        >>> read_number("1,234.50"), read_number(" -2e3 "), read_number("12 apples")
        (Decimal('1234.50'), Decimal('-2E+3'), None)
        >>> read_number("2 084"), read_number("- 5"), read_number("20 84"), read_number("0,084")
        (Decimal('2084'), Decimal('-5'), None, None)
    """
    text = text.translate(_PLAIN_MARKS).strip() if len(text) <= _MAX_NUMBER else ""
    number = _NUMBER.fullmatch(text) if any(map(str.isdecimal, text)) else None
    if number is None:
        return None
    return Decimal(text.replace(number["mark"] or ",", "").replace(" ", ""))


def with_decimal_point(formula: str) -> str:
    r"""Return a formula whose only comma is a decimal comma with a decimal point; "" if none is.

    A comma before three digits separates thousands, unless they have no thousands: `0,250`.

    Example:
        >>> with_decimal_point("x = 3,5"), with_decimal_point(r"1.234,50\text{ cm}")
        ('x = 3.5', '1234.50\\text{ cm}')
        >>> with_decimal_point("3,500"), with_decimal_point("(3,5)"), with_decimal_point("3, 5")
        ('', '', '')
    """
    number = _DECIMAL_COMMA.search(formula) if formula.count(",") == 1 else None
    if number is None:
        return ""
    whole = re.sub(r"\D", "", number["whole"])
    decimal = f"{number['sign']}{whole}.{number['places']}"
    return f"{formula[: number.start()]}{decimal}{formula[number.end() :]}"


def equal_number(
    expected: str | float | Decimal,
    generated: str | float | Decimal,
    *,
    absolute: float = 0.0,
    relative: float = 0.0,
) -> bool:
    """Return whether two numbers differ by no more than a tolerance.

    A float counts as the decimal number that Python prints for it, so 0.1 equals "0.1". A value
    that is not a number equals nothing.

    Args:
        expected: A number, or a text that `read_number` reads.
        generated: The same.
        absolute: The largest allowed difference.
        relative: The largest allowed difference as a fraction of the expected number.

    Example:
        >>> equal_number("1,000", 1000.0), equal_number(3.1416, "3.14", relative=0.01)
        (True, True)
        >>> equal_number(1, True), equal_number("nan", "nan")
        (False, False)
    """
    first, second = _to_decimal(expected), _to_decimal(generated)
    if first is None or second is None:
        return False
    if first == second:
        return True
    if not first.is_finite() or not second.is_finite():
        return False
    try:
        tolerance = max(
            Decimal(repr(absolute)), _EXACT.multiply(Decimal(repr(relative)), first.copy_abs())
        )
        return _EXACT.subtract(first, second).copy_abs() <= tolerance
    except ArithmeticError:  # an exponent at the limits of Decimal
        return False


def _to_decimal(value: Any) -> Decimal | None:
    if isinstance(value, str):
        return read_number(value)
    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal)):
        return None
    number = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    return None if number.is_nan() else number


def equal_json(expected: Any, generated: Any) -> bool:
    """Return whether two JSON values are equal.

    The order of keys does not matter, the order of items does. JSON has one type of number, so 1
    equals 1.0, but true does not equal 1. Strings are compared exactly.

    Example:
        >>> equal_json({"a": 1, "b": [True]}, {"b": [True], "a": 1.0})
        True
        >>> equal_json([1], [True]), equal_json(["711"], [711]), equal_json([1, 2], [2, 1])
        (False, False, False)
    """
    pairs = [(expected, generated)]
    while pairs:
        first, second = pairs.pop()
        if isinstance(first, dict) and isinstance(second, dict):
            if first.keys() != second.keys():
                return False
            pairs += [(first[key], second[key]) for key in first]
        elif isinstance(first, (list, tuple)) and isinstance(second, (list, tuple)):
            if len(first) != len(second):
                return False
            pairs += zip(first, second, strict=True)
        elif _json_type(first) is not _json_type(second) or first != second:
            return False
    return True


def _json_type(value: Any) -> type:
    return float if type(value) is int else type(value)
