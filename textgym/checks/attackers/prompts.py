"""What can be read off a prompt without understanding it: its text, options, numbers and words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from textgym.checks.attackers.base import NotApplicable
from textgym.messages import Message, text_of

__all__ = [
    "capitalised",
    "first",
    "formulas",
    "numbers",
    "options",
    "outputs",
    "prompt_of",
    "question_of",
    "quoted",
    "stem",
    "values",
    "words",
]

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
    """Return what the tools returned, and what the user said since the prompt."""
    return [
        text_of(message)
        for message in messages[len(_prompt(messages)) :]
        if message["role"] != "assistant"
    ]


def first(items: Sequence[Any]) -> Any:
    """Return the first item.

    Raises:
        NotApplicable: There is none.
    """
    if not items:
        raise NotApplicable
    return items[0]


def options(text: str) -> dict[str, str]:
    r"""Return the options that a text lists under the letters A, B, C and so on.

    Raises:
        NotApplicable: There are no two of them.

    Example:
        >>> options("Which?\n\nA: zinc\nB: iron")
        {'A': 'zinc', 'B': 'iron'}
    """
    found: dict[str, str] = {}
    for letter, option in _OPTION.findall(text):
        if letter == "A":
            found = {}  # the last list counts
        if ord(letter) == ord("A") + len(found):
            found[letter] = option
    if len(found) < 2:
        raise NotApplicable
    return found


def stem(text: str) -> str:
    r"""Return what stands before the options, or the whole text if it lists none.

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
    """Return what stands in quotation marks.

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
    """Return the formulas of a text: what stands in dollars or brackets, else arithmetic.

    Example:
        >>> formulas("What is $2^{9}$?"), formulas("What is 3 * (4 + 5)?")
        (['2^{9}'], ['3 * (4 + 5)'])
    """
    found = ["".join(groups).strip() for groups in _FORMULA.findall(text)]
    runs = [match.strip(" \t\n.") for match in _ARITHMETIC.findall(text)]
    return found or [run for run in runs if _OPERATION.search(run)]


def values(text: str) -> list[str]:
    """Return what an answer or an argument may be copied from, the likeliest first.

    Those are what is quoted, names, numbers, and all other words; a hundred at most.
    """
    found = [*quoted(text), *capitalised(text), *numbers(text), *words(text)]
    return list(dict.fromkeys(found))[:_MOST]
