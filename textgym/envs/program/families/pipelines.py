"""Tasks that are pipelines of steps, one after the other, on a list or a text."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from textgym.envs.generation import choice, randint, sample

__all__ = ["Step", "Use", "draw_uses", "program_of", "rivals_of", "run", "statement_of"]


class Step(NamedTuple):
    """A kind of step.

    Attributes:
        words: What it does, in prose.
        code: Lines of the program.
        apply: The same as an independent function.
        bounds: The lowest and highest value of each parameter, `a`, `b`, ….
    """

    words: str
    code: str
    apply: Callable[..., Any]
    bounds: tuple[tuple[int, int], ...] = ()


class Use(NamedTuple):
    """A step with values of its parameters."""

    name: str
    step: Step
    values: tuple[int, ...]

    def fill(self, text: str) -> str:
        """Return a text of the step with the values in it."""
        for letter, value in zip("abc", self.values, strict=False):
            text = text.replace(f"<{letter}>", str(value))
        return text


def draw_uses(rng: random.Random, steps: dict[str, Step], n: int) -> list[Use]:
    """Draw different steps with values."""
    return [
        Use(name, steps[name], tuple(randint(rng, low, high) for low, high in steps[name].bounds))
        for name in sample(rng, steps, n)
    ]


def run(uses: Sequence[Use], value: Any) -> Any:
    """Return what the steps make of a value."""
    for use in uses:
        value = use.step.apply(value, *use.values)
    return value


def rivals_of(uses: Sequence[Use]) -> list[list[Use]]:
    """Return wrong pipelines: without one of the steps, or with a number that is one higher."""
    rivals = [[*uses[:place], *uses[place + 1 :]] for place in range(len(uses))]
    for place, use in enumerate(uses):
        for number in range(len(use.values)):
            values = list(use.values)
            values[number] += 1
            changed = use._replace(values=tuple(values))
            rivals.append([*uses[:place], changed, *uses[place + 1 :]])
    return rivals


def statement_of(uses: Sequence[Use]) -> str:
    """Return what the steps do, in prose."""
    if len(uses) == 1:
        return uses[0].fill(uses[0].step.words)
    return " ".join(
        f"({number}) {use.fill(use.step.words).capitalize()}."
        for number, use in enumerate(uses, start=1)
    )


def program_of(uses: Sequence[Use], head: str, end: str) -> str:
    """Return a program with the steps, between the lines of its head and its end."""
    lines = [line for use in uses for line in use.fill(use.step.code).splitlines()]
    return "\n".join([head, *(f"    {line}" for line in [*lines, *end.splitlines()]), ""])


def pick(rng: random.Random, table: dict[str, Any]) -> tuple[str, Any]:
    """Draw an entry of a table."""
    name = choice(rng, list(table))
    return name, table[name]
