"""Puzzles: redefinitions, a question, and a function that answers it under any of them.

A family draws a puzzle; `answers` solves it with all redefinitions, with none, and with each one
left out. Invariants: the answer follows from all redefinitions and differs from the usual answer; a
puzzle whose answer stays the same without one of the redefinitions it needs is drawn again, whether
or not those that it does not need are left out as well.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

from textgym.envs.generation import Unfit, choice

__all__ = [
    "Answer", "Answers", "Content", "Puzzle", "Rule", "answers", "changed", "replace_rule",
    "worded",
]  # fmt: skip

Answer: TypeAlias = int | str | list[str] | list[int]
Content: TypeAlias = tuple[Any, ...]

_CHANGES = (
    "What was said about {} no longer holds, but all other rules do.",
    "Forget the rule about {}, but no other one: here is a new one in its place.",
    "The rule about {} has been replaced by a new one, and the other rules stay.",
    "There is a mistake in the rule about {}, but not in the others. This is what counts instead.",
)
_MAX_NUMBER = 99_999


class Rule(NamedTuple):
    """A redefinition.

    Attributes:
        content: What it says, as JSON data, regardless of its wording. The first item is its kind.
        text: One or more sentences that say it.
        needed: Whether the answer must differ without it. It need not where a later rule replaces
            this one, or where the condition of this one is not met.
    """

    content: Content
    text: str
    needed: bool = True


class Puzzle(NamedTuple):
    """Redefinitions, and a question to be answered by them.

    Attributes:
        rules: The redefinitions, in the order in which they are stated.
        question: The question.
        asked: What the question asks, as JSON data, regardless of its wording, without the answer.
        form: How to give the answer, such as `the result`.
        solve: Returns the answer under the contents of some of the rules, in their order, and the
            usual answer without any. An empty list means that there is no answer.
    """

    rules: Sequence[Rule]
    question: str
    asked: Any
    form: str
    solve: Callable[[Sequence[Content]], Answer]


class Answers(NamedTuple):
    """The answers to a puzzle: by its rules, and the usual one."""

    right: Answer
    usual: Answer


def answers(puzzle: Puzzle) -> Answers:
    """Return the answers to a puzzle.

    Raises:
        Unfit: An answer is missing or a large number, or a rule makes no difference.
    """
    right, usual = puzzle.solve([rule.content for rule in puzzle.rules]), puzzle.solve(())
    if (
        right == usual
        or [] in (right, usual)
        or (isinstance(right, int) and abs(right) > _MAX_NUMBER)
        or any(puzzle.solve(rest) == right for rest in _without_one(puzzle.rules))
    ):
        raise Unfit
    return Answers(right, usual)


def _without_one(rules: Sequence[Rule]) -> Iterator[list[Content]]:
    """Yield the contents of all rules without one that is needed, then of the needed rules only."""
    needed = [rule for rule in rules if rule.needed]
    for stated in [rules, needed] if len(needed) < len(rules) else [rules]:
        for rule in needed if len(stated) > 1 else ():
            yield [kept.content for kept in stated if kept is not rule]


def worded(rng: random.Random, frames: Sequence[str], *values: Any, **named: Any) -> str:
    """Return one of several wordings with its values, beginning with a capital letter."""
    text = choice(rng, frames).format(*values, **named)
    return text[0].upper() + text[1:]


def changed(rng: random.Random, subject: str, rule: Rule) -> Rule:
    """Return a rule with the wording of one that replaces an earlier rule about the subject."""
    return rule._replace(text=f"{choice(rng, _CHANGES).format(subject)} {rule.text}")


def replace_rule(
    rng: random.Random, rules: list[Rule], place: int, subject: str, rule: Rule
) -> None:
    """Add a rule that replaces the one at a place, which stays and need not matter any more."""
    rules[place] = rules[place]._replace(needed=False)
    rules.append(changed(rng, subject, rule))
