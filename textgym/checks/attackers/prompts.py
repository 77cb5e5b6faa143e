"""What can be read off a prompt without understanding it.

Parts with a form of their own, such as options, numbers and words; and what its sentences list:
items, options, expressions with names, and pairs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from textgym.checks.episodes import NotApplicable
from textgym.messages import Message, text_of

__all__ = [
    "capitalised", "first", "formulas", "inline_options", "items", "named_expressions", "numbers",
    "options", "outputs", "pairs", "prompt_of", "question_of", "quoted", "stem", "values", "words",
]  # fmt: skip


_OPTION = re.compile(r"^[ \t]*\(?([A-Z])[:.)][ \t]+(.*\S)", re.MULTILINE)
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:[.,:/]\d+)*")
_QUOTED = re.compile(r"\"([^\"\n]+)\"|'([^'\n]+)'(?!\w)|“([^”\n]+)”|`([^`\n]+)`")
_NAME = re.compile(r"(?<![.?!:]\s)(?<!\A)(?<!\n)\b[A-Z][\w-]*(?: [A-Z][\w-]*)*")
_FORMULA = re.compile(
    r"\$\$([^$]+)\$\$|\$([^$]+)\$"
    r"|\\\(((?:(?!\\[()]).)+)\\\)|\\\[((?:(?!\\[\[\]]).)+)\\\]",
    re.DOTALL,
)
_ARITHMETIC = re.compile(r"[-\d\s.()+*/^%×÷]+")
_OPERATION = re.compile(r"[\d)]\s*[-+*/^%×÷]\s*[\d(]")
_MOST = 100


def _prompt(messages: Sequence[Message]) -> list[Message]:
    """Return the messages before the first that the policy wrote."""
    roles = [message["role"] for message in messages]
    return list(messages[: roles.index("assistant")] if "assistant" in roles else messages)


def prompt_of(messages: Sequence[Message]) -> str:
    """Return the text of the prompt, in all its messages.

    Example:
        >>> prompt_of([{"role": "user", "content": "2?"}, {"role": "assistant", "content": "3"}])
        '2?'
    """
    return "\n\n".join(map(text_of, _prompt(messages)))


def question_of(messages: Sequence[Message]) -> str:
    """Return the text of the last message of the prompt."""
    return "".join(map(text_of, _prompt(messages)[-1:]))


def outputs(messages: Sequence[Message]) -> list[str]:
    """Return the texts of the tools and the user since the prompt."""
    return [
        text_of(message)
        for message in messages[len(_prompt(messages)) :]
        if message["role"] != "assistant"
    ]


def first(values: Sequence[Any]) -> Any:
    """Return the first value.

    Raises:
        NotApplicable: There is no value.
    """
    if not values:
        raise NotApplicable
    return values[0]


def options(text: str) -> dict[str, str]:
    r"""Return the options that a text lists under the letters A, B, C and so on.

    Raises:
        NotApplicable: The text lists fewer than two options.

    Example:
        >>> options("Which?\n\nA: zinc\nB: iron")
        {'A': 'zinc', 'B': 'iron'}
    """
    listed: dict[str, str] = {}
    for letter, option in _OPTION.findall(text):
        if letter == "A":
            listed = {}  # the last list counts
        if ord(letter) == ord("A") + len(listed):
            listed[letter] = option
    if len(listed) < 2:
        raise NotApplicable
    return listed


def stem(text: str) -> str:
    r"""Return the text before the options, or the whole text if it lists none.

    Example:
        >>> stem("Which?\nA: zinc\nB: iron")
        'Which?\n'
    """
    starts = [match.start() for match in _OPTION.finditer(text) if match[1] == "A"]
    return text[: starts[-1]] if starts else text


def numbers(text: str) -> list[str]:
    """Return the numbers of a text.

    Example:
        >>> numbers("From 3 to -7.5 at 10:30, x2")
        ['3', '-7.5', '10:30']
    """
    return _NUMBER.findall(text)


def quoted(text: str) -> list[str]:
    """Return the quoted parts of a text.

    Example:
        >>> quoted("Reverse 'abc' and `d e`.")
        ['abc', 'd e']
    """
    return ["".join(groups) for groups in _QUOTED.findall(text)]


def capitalised(text: str) -> list[str]:
    """Return the runs of words with a capital that do not begin a sentence.

    Example:
        >>> capitalised("What is Ada Lovelace to Grace?")
        ['Ada Lovelace', 'Grace']
    """
    return _NAME.findall(text)


def words(text: str) -> list[str]:
    """Return the words and numbers of a text."""
    return re.findall(r"\w+(?:[-'.@]\w+)*", text)


def formulas(text: str) -> list[str]:
    """Return the formulas of a text: those in dollars or brackets, else arithmetic.

    Example:
        >>> formulas("What is $2^{9}$?"), formulas("What is 3 * (4 + 5)?")
        (['2^{9}'], ['3 * (4 + 5)'])
    """
    marked = ["".join(groups).strip() for groups in _FORMULA.findall(text)]
    runs = [match.strip(" \t\n.") for match in _ARITHMETIC.findall(text)]
    return marked or [run for run in runs if _OPERATION.search(run)]


def values(text: str) -> list[str]:
    """Return the parts of a text that an answer or an argument may copy, the likeliest first.

    They are quotations, names, numbers and other words, at most a hundred.
    """
    parts = [*quoted(text), *capitalised(text), *numbers(text), *words(text)]
    return list(dict.fromkeys(parts))[:_MOST]


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

    The list has bullets, follows a colon or a bracket, or has commas.

    Raises:
        NotApplicable: The text has no list of three items.

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
    for parts in lists:
        clean = [part.strip(_MARKS) for part in parts]
        if len(clean) > 2 and all(clean):
            return clean
    raise NotApplicable


def inline_options(text: str) -> dict[str, str]:
    """Return the options within a line: by letter, or by their own text if they have no letters.

    Raises:
        NotApplicable: The text has no line with three options.

    Example:
        >>> inline_options("Which? (a) 5 (b) 9 (c) 2")
        {'a': '5', 'b': '9', 'c': '2'}
        >>> list(inline_options("Is it red, green or blue?"))
        ['red', 'green', 'blue']
    """
    for line in reversed(text.splitlines()):
        options = _LETTERED.findall(line)
        letters = "".join(letter for letter, _ in options).lower()
        if len(options) > 2 and letters == "abcdefgh"[: len(options)]:
            return {letter: option.strip(_MARKS) for letter, option in options}
    if not _CHOOSING.search(text):
        raise NotApplicable
    return {option: option for option in items(text)}


def named_expressions(text: str) -> list[str]:
    """Return the expressions of a text that contain names.

    Raises:
        NotApplicable: No expression contains a name.

    Example:
        >>> named_expressions("With a = 3 and b = 4, what is 2 * a + b?")
        ['2 * a + b']
    """
    expressions = [match[0] for match in _EXPRESSION.finditer(text)]
    named = [expression for expression in expressions if re.search(r"[A-Za-z_]", expression)]
    if not named:
        raise NotApplicable
    return named


def pairs(text: str) -> Sequence[tuple[str, str]]:
    """Return the pairs of numbers with which a text shows a mapping.

    Raises:
        NotApplicable: The text shows fewer than two pairs.

    Example:
        >>> pairs("f(1) = 3, f(2) = 5"), pairs("Given (1, 3) and (2, 5).")
        ([('1', '3'), ('2', '5')], [('1', '3'), ('2', '5')])
    """
    for pattern in _PAIRS:
        shown: list[tuple[str, str]] = pattern.findall(text)
        if len(shown) > 1:
            return shown
    raise NotApplicable
