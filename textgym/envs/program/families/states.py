"""A class with state: a shelf with limited room."""

from __future__ import annotations

import random
from typing import Any, NamedTuple

from textgym.envs.generation import choice, randint
from textgym.envs.program.drafts import Draft

__all__ = ["shelves"]

_ITEMS = ("tea", "salt", "rice", "oats", "nuts", "figs", "corn", "dill")
_POLICIES = {
    "oldest": "the kind that was put on the shelf first, of those that are on it now",
    "fewest": "the kind with the fewest pieces, and of several the alphabetically first",
    "most": "the kind with the most pieces, and of several the alphabetically first",
}

Event = tuple[str, tuple[Any, ...]]


class _Shelf(NamedTuple):
    """The rules of a shelf.

    Attributes:
        room: How many pieces fit on the shelf.
        kinds: How many kinds of items fit; 0 for any number.
        policy: Which kind makes room for a new one; "" if there is no limit of kinds.
        least: How many pieces must stay of a kind when some are taken, unless all are taken.
        undo: Whether there is a method that undoes.
        bulk: The number of added pieces from which one more is a gift, if there is room; 0 for
            none.
    """

    room: int
    kinds: int
    policy: str
    least: int
    undo: bool
    bulk: int

    def results(self, events: list[Event]) -> list[Any]:
        """Return the results of calls. All stocks so far are kept, so an undo drops the last."""
        stocks: list[list[tuple[str, int]]] = [[]]
        results: list[Any] = []
        for name, given in events:
            stock = stocks[-1]
            if name in ("add", "take"):
                moved, after = self._change(stock, (name, given))
                stocks += [after] if moved else []
                results.append(moved)
            elif name == "undo":
                results.append(len(stocks) > 1)
                del stocks[max(1, len(stocks) - 1) :]
            elif name == "count":
                results.append(dict(stock).get(given[0], 0))
            else:
                ordered = sorted(stock, key=lambda pair: (-pair[1], pair[0]))
                results.append([kind for kind, _ in ordered])
        return results

    def _change(
        self, stock: list[tuple[str, int]], event: Event
    ) -> tuple[int, list[tuple[str, int]]]:
        """Return how many pieces were moved, and the new stock."""
        (name, (item, count)) = event[0], event[1]
        has = dict(stock).get(item, 0)
        if name == "take":
            moved = has if count >= has else max(0, min(count, has - self.least))
            left = [(kind, n - moved if kind == item else n) for kind, n in stock]
            return moved, [(kind, n) for kind, n in left if n]
        if count <= 0:
            return 0, stock
        if self.kinds and not has and len(stock) == self.kinds:
            gone = {
                "oldest": stock[0][0],
                "fewest": min(stock, key=lambda pair: (pair[1], pair[0]))[0],
                "most": min(stock, key=lambda pair: (-pair[1], pair[0]))[0],
            }[self.policy]
            stock = [pair for pair in stock if pair[0] != gone]
        free = self.room - sum(n for _, n in stock)
        wanted = count + (1 if self.bulk and count >= self.bulk else 0)
        moved = min(wanted, free)
        if has:
            return moved, [(kind, n + moved if kind == item else n) for kind, n in stock]
        return moved, [*stock, *([(item, moved)] if moved else [])]

    def statement(self) -> str:
        """Return the rules in prose."""
        parts = [
            f"It is a shelf for {self.room} pieces, empty at first, and is made without arguments. "
            "`add(item, count)` puts `count` pieces of the kind `item` (a text) on the shelf, or "
            "as many as there is room for, and returns how many it put there.",
        ]
        if self.bulk:
            parts.append(
                f"If `count` is {self.bulk} or more, it tries to put one piece more there, as a "
                "gift."
            )
        if self.kinds:
            parts.append(
                f"Only {self.kinds} kinds fit. If a new kind is added to a shelf with "
                f"{self.kinds} kinds, {_POLICIES[self.policy]} is removed first, with all its "
                "pieces."
            )
        parts.append(
            "`take(item, count)` removes `count` pieces of a kind, or all if there are not more, "
            "and returns how many it removed."
        )
        if self.least:
            parts.append(
                f"If there are more pieces than `count`, at least {self.least} of them must stay; "
                "it then removes fewer, maybe none."
            )
        parts.append(
            "`count(item)` returns the number of pieces of a kind. `kinds()` returns the list of "
            "the kinds on the shelf, those with most pieces first, and those with equally many "
            "alphabetically."
        )
        if self.undo:
            parts.append(
                "`undo()` undoes the last call of `add` or `take` that moved a piece or more "
                "and is not undone yet, with all that it did, and returns True, or False if there "
                "is none."
            )
        return " ".join(parts)

    def program(self) -> str:
        """Return a class with these rules."""
        save = "        self.past.append(dict(self.stock))\n" if self.undo else ""
        drop = "            self.past.pop()\n" if self.undo else ""
        gone = {
            "oldest": "next(iter(self.stock))",
            "fewest": "min(self.stock, key=lambda k: (self.stock[k], k))",
            "most": "min(self.stock, key=lambda k: (-self.stock[k], k))",
            "": "",
        }[self.policy]
        evict = (
            f"        if item not in self.stock and len(self.stock) == {self.kinds}:\n"
            f"            del self.stock[{gone}]\n"
            if self.kinds
            else ""
        )
        gift = f"        if count >= {self.bulk}:\n            count += 1\n" if self.bulk else ""
        keep = f"max(0, min(count, has - {self.least}))" if self.least else "count"
        undo = (
            "\n    def undo(self):\n        if not self.past:\n            return False\n"
            "        self.stock = self.past.pop()\n        return True\n"
            if self.undo
            else ""
        )
        return (
            "class Shelf:\n    def __init__(self):\n        self.stock = {}\n"
            "        self.past = []\n\n"
            f"    def add(self, item, count):\n{save}{evict}{gift}"
            f"        moved = min(count, {self.room} - sum(self.stock.values()))\n"
            "        if moved > 0:\n"
            "            self.stock[item] = self.stock.get(item, 0) + moved\n"
            f"{'        else:' + chr(10) + drop if self.undo else ''}"
            "        return moved\n\n"
            f"    def take(self, item, count):\n{save}        has = self.stock.get(item, 0)\n"
            f"        moved = has if count >= has else {keep}\n"
            "        if moved:\n            self.stock[item] -= moved\n"
            "            if not self.stock[item]:\n                del self.stock[item]\n"
            f"{'        else:' + chr(10) + drop if self.undo else ''}"
            "        return moved\n\n"
            "    def count(self, item):\n        return self.stock.get(item, 0)\n\n"
            "    def kinds(self):\n"
            f"        return sorted(self.stock, key=lambda k: (-self.stock[k], k))\n{undo}"
        )

    def draw(self, rng: random.Random, n: int) -> list[Event]:
        """Draw calls."""
        names = (
            ["add"] * 5 + ["take"] * 3 + ["count", "kinds"] + (["undo"] * 2 if self.undo else [])
        )
        events: list[Event] = []
        for _ in range(n):
            name = choice(rng, names)
            item = choice(rng, _ITEMS[: max(4, self.kinds + 2)])
            if name in ("add", "take"):
                events.append((name, (item, randint(rng, 1, 3 + self.room // 4))))
            else:
                events.append((name, (item,) if name == "count" else ()))
        return [*events, ("kinds", ())]

    def rivals(self) -> list[_Shelf]:
        """Return shelves with one rule changed."""
        rivals = [self._replace(room=self.room + 1)]
        if self.kinds:
            rivals += [self._replace(kinds=0), self._replace(kinds=self.kinds + 1)]
            rivals += [self._replace(policy=name) for name in _POLICIES if name != self.policy]
        if self.least:
            rivals += [self._replace(least=0), self._replace(least=self.least + 1)]
        if self.bulk:
            rivals += [self._replace(bulk=0), self._replace(bulk=self.bulk + 1)]
        return rivals


def shelves(rng: random.Random, level: int) -> Draft:
    """Draft a class of shelves."""
    shelf = _Shelf(
        room=randint(rng, 10, 40),
        kinds=randint(rng, 2, 4) if level >= 3 else 0,
        policy=choice(rng, list(_POLICIES)) if level >= 3 else "",
        least=randint(rng, 1, 4) if level >= 2 else 0,
        undo=level >= 5,
        bulk=randint(rng, 3, 6) if level in (1, 4, 5) else 0,
    )
    size = 8 + 4 * level
    return Draft(
        entry="Shelf",
        statement=shelf.statement(),
        names={},
        program=shelf.program(),
        solve=shelf.results,
        rivals=[rival.results for rival in shelf.rivals()],
        draw=lambda rng: (shelf.draw(rng, size),),
        content=["shelves", list(shelf)],
        is_class=True,
    )
