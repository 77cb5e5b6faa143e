r"""Verifiers: functions that find an answer in a model's text and compare it with the right one.

The names in `__all__` are the vocabulary for writing environments. Importing this package loads
nothing heavy; a name's module is imported when the name is first used. To compare answers:

    >>> from textgym.verifiers import (
    ...     check_calendar, choice, equal_json, equal_math, equal_number, equal_text, make_judge,
    ...     match)
    >>> match("Paris", "The answer is **Paris**.")
    True
    >>> choice(r"So it is \boxed{B}.", {"A": "iron", "B": "zinc"})
    'B'
    >>> equal_math(r"\frac{1}{2}", r"Half of it: $\boxed{0.5}$.")
    True
    >>> equal_text("Eiffel Tower", "the Eiffel tower."), equal_number("1,000", 1000.0)
    (True, True)
    >>> equal_json({"a": 1, "b": 2}, {"b": 2, "a": 1.0})
    True
    >>> make_judge("rule").compare("Who wrote it?", "Melville", "Melville.").equal
    True
    >>> check_calendar({}, "Your day is free.").correct
    True

To find answers:

    >>> from textgym.verifiers import (
    ...     after_reasoning, final_number, last_answer, last_boxed, last_json, last_line,
    ...     last_tagged)
    >>> after_reasoning("<think>A or B?</think>B"), last_line("So it is:\nParis\n")
    ('B', 'Paris')
    >>> last_answer("Answer: Rome, no. Answer: Paris"), last_boxed(r"It is \boxed{Paris}.")
    ('Paris', 'Paris')
    >>> last_tagged("<answer>Paris</answer>", "answer"), final_number("It grew to $1,250.")
    ('Paris', '1250')
    >>> last_json('Here it is: {"city": "Paris"}')
    {'city': 'Paris'}

See also `equal_state` for tables, and `patterns` for regular expressions that come with data.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from textgym.verifiers.calendar import check_calendar
    from textgym.verifiers.choices import choice
    from textgym.verifiers.exact import equal_json, equal_number, equal_text, match
    from textgym.verifiers.extract import (
        after_reasoning,
        final_number,
        last_answer,
        last_boxed,
        last_line,
        last_tagged,
    )
    from textgym.verifiers.json_reader import last_json
    from textgym.verifiers.judge import make_judge
    from textgym.verifiers.math import Form
    from textgym.verifiers.state import equal_state

_MODULES = {
    "calendar": ("check_calendar",),
    "choices": ("choice",),
    "exact": ("equal_json", "equal_number", "equal_text", "match"),
    "extract": (
        "after_reasoning", "final_number", "last_answer", "last_boxed", "last_line", "last_tagged",
    ),
    "json_reader": ("last_json",),
    "judge": ("make_judge",),
    "state": ("equal_state",),
}  # fmt: skip
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}

__all__ = [
    "after_reasoning",
    "check_calendar",
    "choice",
    "equal_json",
    "equal_math",
    "equal_number",
    "equal_state",
    "equal_text",
    "final_number",
    "last_answer",
    "last_boxed",
    "last_json",
    "last_line",
    "last_tagged",
    "make_judge",
    "match",
]


def equal_math(
    expected: str, generated: str, *, question: str = "", form: Form = "any", timeout: float = 10.0
) -> bool:
    r"""Tell whether a mathematical answer equals the expected one and is worked out.

    `textgym.verifiers.math.verify` does the same and also tells why an answer is not accepted.

    Args:
        expected: The right answer in LaTeX.
        generated: The model's text, without its reasoning.
        question: The question, whose own formulas are not accepted as an answer.
        form: How far the answer must be worked out: `any`, `evaluated` or `simplified`.
        timeout: The CPU time that the comparison may take, in seconds.

    Raises:
        UsageError: The form or the timeout is not valid.
        WorkerFailure: The worker processes do not start, or crash.

    Example:
        >>> equal_math("42", r"\boxed{6 \cdot 7}"), equal_math("42", r"\boxed{41}")
        (True, False)
        >>> equal_math("10", r"\boxed{\binom{5}{2}}")
        False
    """
    from textgym.verifiers.math import verify

    return verify(expected, generated, question=question, form=form, timeout=timeout).equal


def __getattr__(name: str) -> Any:
    module = _MODULE_OF.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{module}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
