"""Roads between towns."""

from __future__ import annotations

import random
from collections import deque
from typing import Any, NamedTuple

from textgym.envs.generation import randint
from textgym.envs.program.drafts import Draft

__all__ = ["roads"]

_FAR = 10**9


class _Rules(NamedTuple):
    """How a journey is counted.

    Attributes:
        closed: Roads whose length is divisible by this are closed; 0 for none.
        one_way: Whether roads can be used in one direction only.
        toll: What is added for a road of even length.
        rest: What is added after every `every`-th road, unless the journey ends there.
        every: See `rest`; 0 for no rest.
        free: Whether one road of the journey may be used at no cost, toll included.
    """

    closed: int
    one_way: bool
    toll: int
    rest: int
    every: int
    free: bool

    def cost(self, n: int, roads: list[list[int]]) -> int:
        """Return the least cost from town 0 to town n - 1, or -1, by improving costs."""
        phases, layers = self.every or 1, 2 if self.free else 1
        out: list[list[tuple[int, int]]] = [[] for _ in range(n)]
        for a, b, w in roads:
            if not self.closed or w % self.closed:
                step = w + (self.toll if w % 2 == 0 else 0)
                out[a].append((b, step))
                out[b] += [] if self.one_way else [(a, step)]
        best = {(0, 0, 0): 0}
        waiting = deque(best)
        while waiting:
            town, phase, used = place = waiting.popleft()
            after = (phase + 1) % phases
            for b, step in out[town]:
                so_far = best[place] + (self.rest if self.every and not after and b < n - 1 else 0)
                for layer in range(used, layers):
                    total = so_far + (step if layer == used else 0)
                    if total < best.get((b, after, layer), _FAR):
                        best[b, after, layer] = total
                        waiting.append((b, after, layer))
        ends = [total for (town, _, _), total in best.items() if town == n - 1]
        return min(ends, default=-1)

    def statement(self) -> str:
        """Return the rules in prose."""
        way = "from a to b only" if self.one_way else "in both directions"
        parts = [f"A road can be used {way}, and costs its length."]
        if self.closed:
            parts.append(f"Roads whose length is divisible by {self.closed} are closed.")
        if self.toll:
            parts.append(f"A road whose length is even costs {self.toll} more.")
        if self.every:
            parts.append(
                f"After every {self.every} roads of the journey there is a rest, which costs "
                f"{self.rest}, but not in town n - 1."
            )
        if self.free:
            parts.append("One road of the journey may be used at no cost at all.")
        return " ".join(parts)

    def program(self) -> str:
        """Return a program that visits the towns by cost."""
        closed = (
            f"        if w % {self.closed} == 0:\n            continue\n" if self.closed else ""
        )
        back = "" if self.one_way else "        out[b].append((a, cost))\n"
        toll = f" + ({self.toll} if w % 2 == 0 else 0)" if self.toll else ""
        phases = self.every or 1
        wait = f"{self.rest} if after == 0 and b != n - 1 else 0" if self.every else "0"
        free = (
            "            if not used:\n"
            "                heappush(heap, (total + wait, b, after, 1))\n"
            if self.free
            else ""
        )
        return (
            "from heapq import heappop, heappush\n\n\ndef travel(n, roads):\n"
            "    out = [[] for _ in range(n)]\n    for a, b, w in roads:\n"
            f"{closed}        cost = w{toll}\n        out[a].append((b, cost))\n{back}"
            "    heap = [(0, 0, 0, 0)]\n    seen = set()\n    while heap:\n"
            "        total, town, phase, used = heappop(heap)\n        if town == n - 1:\n"
            "            return total\n        if (town, phase, used) in seen:\n"
            "            continue\n        seen.add((town, phase, used))\n"
            f"        after = (phase + 1) % {phases}\n"
            "        for b, cost in out[town]:\n"
            f"            wait = {wait}\n"
            "            heappush(heap, (total + cost + wait, b, after, used))\n"
            f"{free}    return -1\n"
        )

    def rivals(self) -> list[_Rules]:
        """Return journeys with one rule changed."""
        rivals = [self._replace(one_way=not self.one_way)]
        if self.closed:
            rivals += [self._replace(closed=0), self._replace(closed=self.closed + 1)]
        if self.toll:
            rivals += [self._replace(toll=0), self._replace(toll=self.toll + 1)]
        if self.every:
            rivals += [self._replace(every=0), self._replace(every=self.every + 1)]
            rivals += [self._replace(rest=self.rest + 1)]
        if self.free:
            rivals.append(self._replace(free=False))
        return rivals


def roads(rng: random.Random, level: int) -> Draft:
    """Draft the cheapest journey on a map."""
    rules = _Rules(
        closed=randint(rng, 3, 7),
        one_way=rng.random() < 0.5,
        toll=randint(rng, 2, 12) if level >= 2 else 0,
        rest=randint(rng, 2, 15) if level >= 3 else 0,
        every=randint(rng, 2, 3) if level >= 3 else 0,
        free=level >= 5,
    )

    def draw(rng: random.Random) -> tuple[Any, ...]:
        n = randint(rng, 4, 5 + level)
        drawn = [
            [randint(rng, 0, n - 1), randint(rng, 0, n - 1), randint(rng, 1, 20)]
            for _ in range(randint(rng, 2 * n, 3 * n))
        ]
        # A chain of roads, so that most journeys are possible and have several roads.
        drawn += [[a, a + 1, 2 * randint(rng, 1, 9) + 1] for a in range(n - 1)]
        return n, [road for road in drawn if abs(road[0] - road[1]) in (1, 2)]

    return Draft(
        entry="travel",
        statement=(
            "There are `n` towns, numbered from 0 to n - 1, and each element [a, b, length] of "
            f"`roads` is a road between the towns a and b. {rules.statement()} Return the least "
            "cost of a journey from town 0 to town n - 1, or -1 if there is none."
        ),
        names={"n": "int", "roads": "rows"},
        program=rules.program(),
        solve=rules.cost,
        rivals=[rival.cost for rival in rules.rivals()],
        draw=draw,
        content=["roads", list(rules)],
    )
