"""The first rung: functions that calculate with a number and a constant."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import NamedTuple

from textgym.envs.generation import choice, randint
from textgym.envs.program.drafts import Draft

__all__ = ["one_step"]

_MOST = 999


class _Operation(NamedTuple):
    """An operation with a number and a constant.

    Attributes:
        words: What is returned, with `{a}` for the constant.
        code: An expression of `n`.
        value: The same as an independent function of the number and the constant.
    """

    words: str
    code: str
    value: Callable[[int, int], int]


_OPERATIONS = {
    "plus": _Operation("n plus {a}", "n + {a}", lambda n, a: sum((n, a))),
    "minus": _Operation("n minus {a}", "n - {a}", lambda n, a: -(a - n)),
    "times": _Operation("n times {a}", "n * {a}", lambda n, a: sum([n] * a)),
}


def one_step(rng: random.Random, level: int) -> Draft:
    """Draft one operation with a constant."""
    name, a = choice(rng, list(_OPERATIONS)), randint(rng, 2, _MOST)
    words, code, value = _OPERATIONS[name]

    def rival(operation: _Operation, a: int) -> Callable[[int], int]:
        return lambda n: operation.value(n, a)

    others = [other for other in _OPERATIONS.values() if other.value is not value]
    return Draft(
        entry="f",
        statement=f"Return {words.format(a=a)}.",
        names={"n": "int"},
        program=f"def f(n):\n    return {code.format(a=a)}\n",
        solve=lambda n: value(n, a),
        rivals=[rival(_OPERATIONS[name], a + 1), *(rival(other, a) for other in others)],
        draw=lambda rng: (randint(rng, -20, 99),),
        content=["one step", name, a],
    )
