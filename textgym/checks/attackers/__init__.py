"""Attackers: policies that know the form of an answer but not the answer.

Each is small and named, sees what a model sees, and may learn only from the training split. An
attacker that earns more than chance has found a way to earn rewards without solving the task.

- `knowledge`: what an attacker is and may know. `prompts`: what it reads in a prompt.
- `texts`, `answers`, `excerpts`, `calls`, `feedback`: the attackers.
"""

from collections.abc import Iterator

from textgym.checks.attackers.answers import answers
from textgym.checks.attackers.calls import calls, lookups
from textgym.checks.attackers.excerpts import excerpts, expressions
from textgym.checks.attackers.feedback import feedback
from textgym.checks.attackers.knowledge import Attacker, Knowledge, learn
from textgym.checks.attackers.texts import forgeries, texts
from textgym.checks.episodes import NotApplicable

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
