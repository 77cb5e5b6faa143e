"""Attackers: policies that know the form of an answer but not the answer.

Each is small and named, sees what a model sees, and may learn from the training split alone. One
that earns more than chance has found a way to be paid without solving the task.

- `base`, `knowledge`, `prompts`: what an attacker is, what it may know, what it reads in a prompt.
- `texts`, `answers`, `excerpts`, `forgeries`, `calls`, `feedback`, `lookups`: the
  attackers.
- `plans`: which tools to call. `listings`: what a prompt lists within its sentences.
"""

from collections.abc import Iterator

from textgym.checks.attackers.answers import answers
from textgym.checks.attackers.base import Attacker, NotApplicable
from textgym.checks.attackers.calls import calls
from textgym.checks.attackers.excerpts import excerpts, expressions
from textgym.checks.attackers.feedback import feedback
from textgym.checks.attackers.forgeries import forgeries
from textgym.checks.attackers.knowledge import Knowledge, learn
from textgym.checks.attackers.lookups import lookups
from textgym.checks.attackers.texts import texts

__all__ = ["Attacker", "Knowledge", "NotApplicable", "attackers", "learn"]


def attackers(known: Knowledge) -> Iterator[Attacker]:
    """Yield all attackers, family by family; their names differ.

    Example:
        >>> [attacker.name for attacker in attackers(Knowledge())][:2]
        ['silence', 'whitespace']
    """
    families = texts, answers, excerpts, expressions, forgeries, calls, feedback, lookups
    for family in families:
        yield from family(known)
