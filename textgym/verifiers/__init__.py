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

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
