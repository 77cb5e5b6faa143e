"""What a prompt lists within its sentences: items, options, expressions with names, and pairs."""

from __future__ import annotations

import re
from collections.abc import Sequence

from textgym.checks.attackers.base import NotApplicable

__all__ = ["inline_options", "items", "named_expressions", "pairs"]

_LETTER = r"[^\s,;:?!()\[\]{}\"'“”`]"
_WORD = rf"[\"'“`]?{_LETTER}+[\"'”`]?"
_RUN = re.compile(
    rf"(?<!{_LETTER})(?:{_WORD}(?:, {_WORD})+(?:,? (?:and|or) {_WORD})?|{_WORD}(?:/\w+){{2,}})"
)
_ENCLOSED = re.compile(r"[:(\[]\s*([^:()\[\]\n]+,[^:()\[\]\n]+)")
_BULLET = re.compile(r"^[ \t]*(?:[-*•]|\d+[.)])[ \t]+(\S.*)", re.MULTILINE)
_NUMBERS = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?: -?\d+(?:\.\d+)?){2,}")
_BETWEEN = re.compile(r"(?<!\s)(?:\s*+[,;/]\s*+(?:(?:and|or)\s++)?|\s++(?:and|or)\s++)")
_MARKS = " \t.?!\"'“”`"

_LETTERED = re.compile(
    r"(?<!\w)\(?([A-Ha-h])[).:][ \t]*(\S[^\n;]*?)"
    r"(?=[,;]?[ \t]+(?:(?:and|or)[ \t]+)?\(?[A-Ha-h][).:]|[.?;]?[ \t]*$)",
    re.MULTILINE,
)
_CHOOSING = re.compile(
    r"\b(?:which|choose|chosen|choices?|pick|options?|one of|among|select|either|or)\b", re.I
)

_OPERAND = r"(?:[A-Za-z_]\w*(?:\([^()\n]*\))?|\d+(?:\.\d+)?|\([^()\n]+\))"
_OPERATOR = r"(?:\s*(?:\*\*|//|[+*/%^×÷])\s*|\s-\s)"
_EXPRESSION = re.compile(
    rf"(?<!\w)(?:{_OPERAND}(?:{_OPERATOR}{_OPERAND})+|[A-Za-z_]\w*\([^()\n]*\))"
)

_VALUE = r"(-?\d+(?:\.\d+)?)"
_PAIRS = (
    re.compile(rf"\b\w\({_VALUE}\)\s*(?:=|is|:)\s*{_VALUE}"),
    re.compile(rf"\bx\s*=\s*{_VALUE}\W+(?:\w+\W+)?y\s*=\s*{_VALUE}"),
    re.compile(rf"(?<![\w.]){_VALUE}\s*(?:->|=>|→|↦|:|=|maps to|gives|becomes)\s*{_VALUE}"),
    re.compile(rf"\({_VALUE},\s*{_VALUE}\)"),
)


def items(text: str) -> list[str]:
    """Return the items of the last list of a text, without quotation marks.

    The list stands in lines with bullets, behind a colon or a bracket, or between commas.

    Raises:
        NotApplicable: There is no list of three items.

    Example:
        >>> items("Sort pear, fig and nut."), items("Sort [3, 1, 2].")
        (['pear', 'fig', 'nut'], ['3', '1', '2'])
    """
    bullets = _BULLET.findall(text)
    spans = [
        *(m[1] for m in _ENCLOSED.finditer(text)),
        *(m[0] for m in _RUN.finditer(text)),
    ]
    lists = [bullets, *(_BETWEEN.split(span) for span in reversed(spans))]
    lists += [span[0].split() for span in _NUMBERS.finditer(text)]
    for found in lists:
        clean = [item.strip(_MARKS) for item in found]
        if len(clean) > 2 and all(clean):
            return clean
    raise NotApplicable


def inline_options(text: str) -> dict[str, str]:
    """Return the options that stand within a line: by letter, or each by itself.

    Raises:
        NotApplicable: There are no three of them.

    Example:
        >>> inline_options("Which? (a) 5 (b) 9 (c) 2")
        {'a': '5', 'b': '9', 'c': '2'}
        >>> list(inline_options("Is it red, green or blue?"))
        ['red', 'green', 'blue']
    """
    for line in reversed(text.splitlines()):
        found = _LETTERED.findall(line)
        letters = [letter for letter, _ in found]
        if len(found) > 2 and "".join(letters).lower() == "abcdefgh"[: len(found)]:
            return {letter: option.strip(_MARKS) for letter, option in found}
    if not _CHOOSING.search(text):
        raise NotApplicable
    return {item: item for item in items(text)}


def named_expressions(text: str) -> list[str]:
    """Return the expressions of a text that have names in them.

    Raises:
        NotApplicable: There are none.

    Example:
        >>> named_expressions("With a = 3 and b = 4, what is 2 * a + b?")
        ['2 * a + b']
    """
    found = [match[0] for match in _EXPRESSION.finditer(text)]
    named = [expression for expression in found if re.search(r"[A-Za-z_]", expression)]
    if not named:
        raise NotApplicable
    return named


def pairs(text: str) -> Sequence[tuple[str, str]]:
    """Return the pairs of numbers that a text shows of a mapping.

    Raises:
        NotApplicable: There are no two of them.

    Example:
        >>> pairs("f(1) = 3, f(2) = 5"), pairs("Given (1, 3) and (2, 5).")
        ([('1', '3'), ('2', '5')], [('1', '3'), ('2', '5')])
    """
    for pattern in _PAIRS:
        found: list[tuple[str, str]] = pattern.findall(text)
        if len(found) > 1:
            return found
    raise NotApplicable
