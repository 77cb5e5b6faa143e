"""Ways to climb stairs, and numbers to choose from a list."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any, NamedTuple

from textgym.envs.generation import choice, listing, randint, sample
from textgym.envs.program.drafts import Draft

__all__ = ["choices", "stairs"]

_LARGE = 5_000  # the number of stairs in a large test


class _Climb(NamedTuple):
    """How stairs may be climbed.

    Attributes:
        steps: How many stairs a step may take, ascending.
        broken: Stairs that are multiples of this are broken; 0 for none.
        varied: Whether no two steps in a row may be equal.
        longest: The maximum number of steps of the longest kind; -1 for any number.
        modulus: The number of ways is given as its remainder.
    """

    steps: tuple[int, ...]
    broken: int
    varied: bool
    longest: int
    modulus: int

    def ways(self, n: int) -> int:
        """Return the number of ways, as the number of ways to arrive with each last step."""
        if n == 0:
            return 1 % self.modulus
        arrivals = _arrivals(self)
        uses = range(max(self.longest, 0) + 1)
        return sum(arrivals(n, s, used, True) for s in self.steps for used in uses) % self.modulus

    def late(self, n: int) -> int:
        """Return the number of ways to climb many stairs, with no rule except `broken`."""
        ways = [1] + [0] * n
        for stair in range(1, n + 1):
            if not (self.broken and stair % self.broken == 0 and stair != n):
                ways[stair] = sum(ways[stair - s] for s in self.steps if s <= stair) % self.modulus
        return ways[n]

    def program(self) -> str:
        """Return a program that counts from the first stair on."""
        limit = self.longest if self.longest >= 0 else 0
        broken = (
            f"        if stair % {self.broken} == 0 and stair != n:\n            continue\n"
            if self.broken
            else ""
        )
        same = "                    if step == last:\n                        continue\n"
        count = (
            f"                    if step == {self.steps[-1]}:\n                        used += 1\n"
            f"                    if used > {limit}:\n                        continue\n"
        )
        if not self.varied and self.longest < 0:
            return (
                "def ways(n):\n    found = [1] + [0] * n\n"
                f"    for stair in range(1, n + 1):\n{broken}"
                f"        found[stair] = sum(found[stair - s] for s in {self.steps} if s <= stair) "
                f"% {self.modulus}\n    return found[n] % {self.modulus}\n"
            )
        key = "step" if self.varied else "0"
        return (
            "def ways(n):\n    found = [{} for _ in range(n + 1)]\n    found[0][0, 0] = 1\n"
            f"    for stair in range(1, n + 1):\n{broken}        for step in {self.steps}:\n"
            "            if step <= stair:\n"
            "                for (last, used), number in found[stair - step].items():\n"
            f"{same if self.varied else ''}{count if self.longest >= 0 else ''}"
            f"                    key = {key}, used\n"
            f"                    found[stair][key] = (found[stair].get(key, 0) + number) "
            f"% {self.modulus}\n"
            f"    return sum(found[n].values()) % {self.modulus}\n"
        )


@lru_cache(64)
def _arrivals(climb: _Climb) -> Callable[[int, int, int, bool], int]:
    """Return a function that counts the ways to arrive at a stair.

    Its arguments are the stair, the last step, how many of the longest steps were used, and whether
    the stair is the last one.
    """

    @cache
    def arrivals(stair: int, last: int, used: int, is_end: bool) -> int:
        before = used - (climb.longest >= 0 and last == climb.steps[-1])
        start = stair - last
        is_broken = climb.broken and stair % climb.broken == 0 and not is_end
        if start < 0 or before < 0 or is_broken:
            return 0
        if start == 0:
            return int(before == 0)
        steps = [step for step in climb.steps if not (climb.varied and step == last)]
        return sum(arrivals(start, step, before, False) for step in steps)

    return arrivals


def stairs(rng: random.Random, level: int) -> Draft:
    """Draft the number of ways to climb stairs."""
    steps = tuple(sorted(sample(rng, range(1, 7), (2, 3, 4, 3, 4)[level - 1])))
    climb = _Climb(
        steps,
        broken=randint(rng, 5, 9) if level >= 2 else 0,
        varied=level in (3, 5),
        longest=randint(rng, 1, 2) if level in (4, 5) else -1,
        modulus=choice(rng, (997, 1009, 9973, 10007)),
    )
    rules = [f"A step takes {listing(steps, 'or')} stairs."]
    if climb.broken:
        rules.append(
            f"Stairs whose number is divisible by {climb.broken} are broken and cannot be stepped "
            "on, except for the last stair, n."
        )
    if climb.varied:
        rules.append("No two steps in a row may take the same number of stairs.")
    if climb.longest >= 0:
        rules.append(f"At most {climb.longest} of the steps may take {steps[-1]} stairs.")
    changed = [climb._replace(modulus=climb.modulus + 1)]
    changed += [
        climb._replace(steps=(*steps[:place], *steps[place + 1 :])) for place in range(len(steps))
    ]
    changed.append(climb._replace(steps=(*steps[:-1], steps[-1] + 1)))
    if climb.broken:
        changed += [climb._replace(broken=0), climb._replace(broken=climb.broken + 1)]
    if climb.varied:
        changed.append(climb._replace(varied=False))
    if climb.longest >= 0:
        changed += [climb._replace(longest=-1), climb._replace(longest=climb.longest + 1)]
    plain = level == 2
    large = (_LARGE + randint(rng, 1, 500),) if plain else None
    return Draft(
        entry="ways",
        statement=(
            "A staircase has stairs with the numbers 1 to n. A climber starts below stair 1, at 0, "
            f"and steps upwards until stair n. {' '.join(rules)} Two ways are the same if they use "
            "the same steps in the same order; for n = 0 there is one way. Return the number of "
            f"ways, as its remainder in a division by {climb.modulus}, for an integer `n` of 0 or "
            f"more.{f' The program must be fast for n up to {_LARGE + 500}.' if plain else ''}"
        ),
        names={"n": "int"},
        program=climb.program(),
        solve=lambda n: climb.late(n) if plain and n >= _LARGE else climb.ways(n),
        rivals=[other.ways for other in changed],
        draw=lambda rng: (randint(rng, 0, 26),),
        content=["stairs", list(climb)],
        large=large,
    )


class _Choice(NamedTuple):
    """How numbers may be chosen from a list.

    Attributes:
        apart: The minimum distance between two chosen numbers, in places.
        most: How many may be chosen; 0 for any number.
        fee: What each chosen number costs.
        bonus: What a chosen number earns in addition at a position that is a multiple of `every`.
        every: See `bonus`; 0 for no bonus.
        product: Whether the last chosen number counts twice.
    """

    apart: int
    most: int
    fee: int
    bonus: int
    every: int
    product: bool

    def best(self, numbers: list[int]) -> int:
        """Return the largest total, by trying each number or leaving it out."""

        @cache
        def rest(place: int, chosen: int, any_after: bool) -> int:
            # From the end to the start: `any_after` says that a later number was chosen.
            if place < 0:
                return 0
            without = rest(place - 1, chosen, any_after)
            if self.most and chosen == self.most:
                return without
            value = numbers[place] * (2 if self.product and not any_after else 1) - self.fee
            if self.every and place % self.every == 0:
                value += self.bonus
            return max(without, value + rest(place - self.apart, chosen + 1, True))

        return rest(len(numbers) - 1, 0, False)

    def statement(self) -> str:
        """Return the rules in prose."""
        parts = [f"The positions of two chosen numbers differ by {self.apart} or more."]
        if self.most:
            parts.append(f"At most {self.most} numbers are chosen.")
        if self.fee:
            parts.append(f"Each chosen number costs {self.fee}, which is subtracted.")
        if self.every:
            parts.append(
                f"A chosen number earns {self.bonus} more if its position, counted from 0, is "
                f"divisible by {self.every}."
            )
        if self.product:
            parts.append("The chosen number with the highest position counts twice.")
        return " ".join(parts)

    def program(self) -> str:
        """Return a program that goes through the list once."""
        most = str(self.most) if self.most else "len(numbers)"
        bonus = (
            f"        if i % {self.every} == 0:\n            x += {self.bonus}\n"
            if self.every
            else ""
        )
        twice = "ends.append(x + y + before)" if self.product else "ends.append(x + before)"
        return (
            "def choose(numbers):\n"
            f"    best = [[0] * ({most} + 1) for _ in range(len(numbers) + 1)]\n    ends = [0]\n"
            "    for i, y in enumerate(numbers):\n"
            f"        x = y - {self.fee}\n{bonus}"
            f"        start = best[max(0, i + 1 - {self.apart})]\n"
            f"        for k in range(1, {most} + 1):\n"
            "            before = start[k - 1]\n"
            f"            {twice}\n"
            "            best[i + 1][k] = max(best[i][k], x + before)\n"
            "    return max(ends)\n"
        )


def choices(rng: random.Random, level: int) -> Draft:
    """Draft the best choice of numbers from a list."""
    rules = _Choice(
        apart=randint(rng, 2, 3),
        most=randint(rng, 2, 3) if level >= 2 else 0,
        fee=randint(rng, 1, 6) if level >= 3 else 0,
        bonus=randint(rng, 3, 12) if level >= 4 or level == 1 else 0,
        every=randint(rng, 2, 4) if level >= 4 or level == 1 else 0,
        product=level >= 5,
    )
    changed = [
        rules._replace(apart=rules.apart + 1),
        rules._replace(apart=rules.apart - 1),
        *([rules._replace(most=0), rules._replace(most=rules.most + 1)] if rules.most else []),
        *([rules._replace(fee=0), rules._replace(fee=rules.fee + 1)] if rules.fee else []),
    ]
    if rules.every:
        changed += [rules._replace(every=0), rules._replace(bonus=rules.bonus + 1)]
        changed.append(rules._replace(every=rules.every + 1))
    if rules.product:
        changed.append(rules._replace(product=False))

    def draw(rng: random.Random) -> tuple[Any, ...]:
        return ([randint(rng, -6, 25) for _ in range(randint(rng, 4, 8 + level))],)

    return Draft(
        entry="choose",
        statement=(
            "Choose some of the integers of the list `numbers`, or none, so that their sum is as "
            f"large as possible. {rules.statement()} Return this largest sum; it is 0 if none is "
            "chosen."
        ),
        names={"numbers": "ints"},
        program=rules.program(),
        solve=rules.best,
        rivals=[other.best for other in changed],
        draw=draw,
        content=["choices", list(rules)],
    )
