r"""Prompts that reveal their answer, and options that are faulty.

A prompt reveals its answer if it states it in a form in which answers are stated: behind `Answer:`
or `####`, or in `\boxed{}`. A number or a word that merely occurs in the question reveals nothing,
and neither does an option.

Invariant: the examples of a prompt are not its answer, so a prompt that states several answers is
left out, and its callers leave out lines that many prompts share.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from textgym.errors import RowError
from textgym.tasks.nemo_rows import patterns_of
from textgym.verifiers.patterns import compile_pattern

__all__ = ["invalid_pattern", "is_placeholder", "option_faults", "stated_answer"]

_STATED = re.compile(
    r"(?:(?:^|[.!?(\[])[\s*_(\[]{0,20}(?:"
    r"(?:(?:the|final|right|correct) ){0,3}(?:answer|solution)|"
    r"(?:the )?(?:right|correct) (?:choice|option))"
    r"[*_]{0,3}\s{0,20}(?:is|:|=)\s{0,20}:?|^[ \t]{0,20}####|\\boxed\{)"
    r"[\s*_\"'($\\]{0,20}"
    r"(?P<answer>[^\n]{1,300})",
    re.IGNORECASE | re.MULTILINE,
)
_END = re.compile(r"\s*(?:[.,;})\]\"'$*]|\Z)(?!\d)")
_MARKED = re.compile(
    r"\((?:the )?(?:correct|right)(?: (?:answer|option|choice))?\)|[✓✔✅]", re.IGNORECASE
)
_LONGEST = 200  # characters of an answer that is searched for
_PLACEHOLDERS = frozenset(("nan", "NaN", "None", "null", "NULL", "<NA>"))


def stated_answer(text: str, answer: str) -> str:
    r"""Return the words with which a prompt states its answer; "" if it does not.

    Args:
        text: The prompt's own text.
        answer: The answer.

    Example:
        >>> stated_answer("What is 2 + 2? Answer: 4", "4")
        'Answer: 4'
        >>> stated_answer("The answer is 4 more than 3. If the answer is 4, what is x?", "4")
        ''
    """
    answer = answer.strip().strip("$").strip()
    if not 0 < len(answer) <= _LONGEST:
        return ""
    stated = {match["answer"].strip(): match[0] for match in _STATED.finditer(text)}
    if len(stated) != 1:
        return ""
    ((shown, whole),) = stated.items()
    begins = shown.casefold().startswith(answer.casefold())
    return whole.strip("\n .!?")[:_LONGEST] if begins and _END.match(shown, len(answer)) else ""


def is_placeholder(answer: object) -> bool:
    """Return whether an answer is a word that programs write where a value is missing.

    Example:
        >>> is_placeholder("nan"), is_placeholder("none")
        (True, False)
    """
    return isinstance(answer, str) and answer.strip() in _PLACEHOLDERS


def invalid_pattern(row: Mapping[str, Any]) -> str:
    """Return the first expression of `output_regex` that is not valid; "" if there is none.

    Example:
        >>> invalid_pattern({"template_metadata": {"output_regex": ["is (.)", "is (["]}})
        'is (['
    """
    try:
        patterns = patterns_of(row)
    except RowError:  # of an environment that reads no expressions
        return ""
    return next((pattern for pattern in patterns if compile_pattern(pattern) is None), "")


def option_faults(options: Mapping[str, str], answer: str) -> Iterator[tuple[str, str, str]]:
    """Yield the kind, the letter and the reason of each fault of some options.

    Args:
        options: The options, from letter to text.
        answer: The letter of the right one.

    Example:
        >>> list(option_faults({"A": "tea", "B": " ", "C": "tea"}, "A"))
        [('option_blank', 'B', 'is blank'), ('option_doubled', 'C', 'has the text of A')]
    """
    first: dict[str, str] = {}
    for letter, text in options.items():
        bare = " ".join(text.split())
        if not bare:
            yield "option_blank", letter, "is blank"
        elif bare in first:
            yield "option_doubled", letter, f"has the text of {first[bare]}"
        first.setdefault(bare, letter)
    marked = [letter for letter, text in options.items() if _MARKED.search(text)]
    if marked == [answer] and len(options) > 1:
        yield "answer_in_prompt", answer, "is marked as right"
