"""Lists of integers that go through steps."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable
from typing import Any

from textgym.envs.generation import choice, randint
from textgym.envs.program.drafts import Draft
from textgym.envs.program.families.pipelines import (
    Step,
    draw_uses,
    pick,
    program_of,
    rivals_of,
    run,
    statement_of,
)

__all__ = ["lists"]


def _without_multiples(xs: list[int], k: int) -> list[int]:
    kept = []
    for x in xs:
        if x - k * (x // k) != 0:
            kept.append(x)
    return kept


def _rotated(xs: list[int], k: int) -> list[int]:
    turning = deque(xs)
    turning.rotate(-k)
    return list(turning)


def _first_only(xs: list[int]) -> list[int]:
    return [x for place, x in enumerate(xs) if xs.index(x) == place]


def _last_only(xs: list[int]) -> list[int]:
    return [x for place, x in enumerate(xs) if x not in xs[place + 1 :]]


def _running(xs: list[int]) -> list[int]:
    return [sum(xs[: place + 1]) for place in range(len(xs))]


def _group_sums(xs: list[int], k: int) -> list[int]:
    sums: list[int] = []
    for place, x in enumerate(xs):
        if place % k == 0:
            sums.append(0)
        sums[-1] += x
    return sums


def _groups_reversed(xs: list[int], k: int) -> list[int]:
    done: list[int] = []
    group: list[int] = []
    for x in xs:
        group.insert(0, x)
        if len(group) == k:
            done, group = done + group, []
    return done + group


def _records(xs: list[int]) -> list[int]:
    return [x for place, x in enumerate(xs) if all(x > before for before in xs[:place])]


def _runs(xs: list[int]) -> list[int]:
    kept: list[int] = []
    for x in xs:
        if not kept or kept[-1] != x:
            kept.append(x)
    return kept


def _sorted_by_remainder(xs: list[int], k: int) -> list[int]:
    return [x for remainder in range(k) for x in sorted(xs) if x % k == remainder]


def _sorted_by_distance(xs: list[int], c: int) -> list[int]:
    left = sorted(xs)
    done = []
    while left:
        nearest = min(left, key=lambda x: abs(x - c))
        left.remove(nearest)
        done.append(nearest)
    return done


STEPS = {
    "multiples": Step(
        "remove the numbers that are divisible by <a>",
        "numbers = [x for x in numbers if x % <a>]", _without_multiples, ((2, 7),),
    ),
    "line": Step(
        "multiply each number by <a> and then add <b>",
        "numbers = [x * <a> + <b> for x in numbers]",
        lambda xs, a, b: [sum([x] * a, b) for x in xs], ((2, 5), (1, 9)),
    ),
    "remainders": Step(
        "replace each number by its remainder from 0 to <a> - 1 in a division by <a>",
        "numbers = [x % <a> for x in numbers]",
        lambda xs, a: [x - a * (x // a) for x in xs], ((4, 19),),
    ),
    "first": Step(
        "keep only the first occurrence of each number",
        "numbers = list(dict.fromkeys(numbers))", _first_only,
    ),
    "last": Step(
        "keep only the last occurrence of each number",
        "numbers = list(dict.fromkeys(numbers[::-1]))[::-1]", _last_only,
    ),
    "rotate": Step(
        "move the first number to the end, <a> times; an empty list stays empty",
        "if numbers:\n    k = <a> % len(numbers)\n    numbers = numbers[k:] + numbers[:k]",
        _rotated, ((1, 6),),
    ),
    "differences": Step(
        "replace the list by the differences of neighbours, each number minus the one before it",
        "numbers = [y - x for x, y in zip(numbers, numbers[1:])]",
        lambda xs: [xs[place] - xs[place - 1] for place in range(1, len(xs))],
    ),
    "running": Step(
        "replace each number by the sum of the numbers up to it, itself included",
        "total = 0\nsums = []\nfor x in numbers:\n    total += x\n    sums.append(total)\n"
        "numbers = sums", _running,
    ),
    "groups": Step(
        "cut the list into groups of <a>, of which the last may be shorter, and replace each "
        "group by its sum",
        "numbers = [sum(numbers[i:i + <a>]) for i in range(0, len(numbers), <a>)]",
        _group_sums, ((2, 4),),
    ),
    "reverse groups": Step(
        "cut the list into groups of <a>, of which the last may be shorter, and reverse each group",
        "numbers = [x for i in range(0, len(numbers), <a>) for x in numbers[i:i + <a>][::-1]]",
        _groups_reversed, ((2, 5),),
    ),
    "every": Step(
        "keep the first number, and from there every number that is a multiple of <a> places later",
        "numbers = numbers[::<a>]",
        lambda xs, a: [x for place, x in enumerate(xs) if place % a == 0], ((2, 4),),
    ),
    "records": Step(
        "keep only the numbers that are greater than all numbers before them",
        "best = []\nfor x in numbers:\n    if not best or x > best[-1]:\n        best.append(x)\n"
        "numbers = best", _records,
    ),
    "runs": Step(
        "of neighbours that are equal, keep only one",
        "numbers = [x for i, x in enumerate(numbers) if not i or x != numbers[i - 1]]", _runs,
    ),
    "by remainder": Step(
        "sort the numbers by their remainder in a division by <a>, and those with equal "
        "remainders by value, ascending",
        "numbers.sort(key=lambda x: (x % <a>, x))", _sorted_by_remainder, ((3, 9),),
    ),
    "by distance": Step(
        "sort the numbers by their distance from <a>, the nearest first; of two that are equally "
        "near, the smaller comes first",
        "numbers.sort(key=lambda x: (abs(x - <a>), x))", _sorted_by_distance, ((-5, 25),),
    ),
    "even places": Step(
        "add <a> to the numbers at even positions, counting from 0",
        "numbers = [x + <a> if i % 2 == 0 else x for i, x in enumerate(numbers)]",
        lambda xs, a: [x + a * (1 - place % 2) for place, x in enumerate(xs)], ((1, 30),),
    ),
    "between": Step(
        "keep the numbers from <a> to <b>, both included",
        "numbers = [x for x in numbers if <a> <= x <= <b>]",
        lambda xs, a, b: [x for x in xs if x in range(a, b + 1)], ((-9, 2), (12, 30)),
    ),
}  # fmt: skip

REDUCERS: dict[str, tuple[str, str, Callable[[list[int]], Any]]] = {
    "list": ("Return the list that is left.", "numbers", lambda xs: xs),
    "sum": ("Return the sum of what is left.", "sum(numbers)", lambda xs: sum(xs)),
    "spread": (
        "Return the largest minus the smallest number that is left, or -1 if none is.",
        "max(numbers) - min(numbers) if numbers else -1",
        lambda xs: sorted(xs)[-1] - sorted(xs)[0] if xs else -1,
    ),
    "alternating": (
        "Return the first number that is left, minus the second, plus the third, and so on; 0 if "
        "none is left.",
        "sum(numbers[::2]) - sum(numbers[1::2])",
        lambda xs: sum(x if place % 2 == 0 else -x for place, x in enumerate(xs)),
    ),
    "product": (
        "Return the product of the two largest numbers that are left, or -1 if there are fewer "
        "than two.",
        "sorted(numbers)[-1] * sorted(numbers)[-2] if len(numbers) > 1 else -1",
        lambda xs: max(xs) * sorted(xs, reverse=True)[1] if len(xs) > 1 else -1,
    ),
}


def lists(rng: random.Random, level: int) -> Draft:
    """Draft a pipeline on a list of integers."""
    uses = draw_uses(rng, STEPS, level)
    name, (asked, returned, reduce) = pick(rng, REDUCERS)
    longest = 9 + 3 * level
    wide = choice(rng, (12, 30, 60))

    def draw(rng: random.Random) -> tuple[Any, ...]:
        size = randint(rng, 0, 3) if rng.random() < 0.1 else randint(rng, 5, longest)
        return ([randint(rng, -9, wide) for _ in range(size)],)

    return Draft(
        entry="arrange",
        statement=f"Start with the list of integers `numbers`. {statement_of(uses)} {asked}",
        names={"numbers": "ints"},
        program=program_of(
            uses, "def arrange(numbers):\n    numbers = list(numbers)", f"return {returned}"
        ),
        solve=lambda numbers: reduce(run(uses, numbers)),
        rivals=[
            *(
                lambda numbers, rival=rival: reduce(run(rival, numbers))
                for rival in rivals_of(uses)
            ),
            *(
                lambda numbers, other=other: other(run(uses, numbers))
                for _, _, other in REDUCERS.values()
                if other is not reduce
            ),
        ],
        draw=draw,
        content=["lists", [[use.name, list(use.values)] for use in uses], name],
    )
