"""The random numbers that an archive is drawn from, and the invented names drawn from them.

Invariants: the numbers are those that `random.Random` gives for the seed, in every process; a name
is given once in an archive; people share first and last names with others, so that a search for one
finds others, too.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np

__all__ = ["Draws", "Names", "Replay"]


T = TypeVar("T")


class Draws:
    """Random numbers from 0 to 1, taken in order, many at once.

    Args:
        seed: The seed.
        count: How many there are.

    Attributes:
        numbers: The numbers.
        at: The place of the next one to be taken.

    Example:
        >>> rng = random.Random(7)
        >>> Draws(7, 100).numbers.tolist() == [rng.random() for _ in range(100)]
        True
    """

    def __init__(self, seed: int, count: int) -> None:
        *key, position = random.Random(seed).getstate()[1]
        twister = np.random.RandomState(0)
        twister.set_state(("MT19937", np.array(key, np.uint32), position, 0, 0.0))
        self.numbers: Any = twister.random_sample(count)
        self.at = 0

    def take(self, count: int) -> Any:
        """Return the next numbers as an array."""
        self.at += count
        return self.numbers[self.at - count : self.at]

    def sample(self, population: Sequence[T], n: int) -> list[T]:
        """Return n elements, as `drawing.sample` does."""
        pool, places = list(population), np.arange(n)
        others = places + (self.take(n) * (len(pool) - places)).astype(int)
        for i, j in enumerate(others.tolist()):
            pool[i], pool[j] = pool[j], pool[i]
        return pool[:n]


class Replay(random.Random):
    """A random generator that gives the numbers of `Draws` from a place on.

    Args:
        draws: The numbers.
        at: The place.

    Attributes:
        at: The place of the next number.
    """

    def __init__(self, draws: Draws, at: int) -> None:
        super().__init__(0)
        self._numbers, self.at = draws.numbers, at

    def random(self) -> float:
        """Return the next number."""
        self.at += 1
        return float(self._numbers[self.at - 1])


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_STARTS = _words(
    """
    Bal Bor Cal Dar Del Dor El Fal Fen Gar Gil Hal Hes Il Jor Kal Kel Lan Lor Mar Mel Nar Nim Or Pel
    Per Quil Ral Rem Sal Sel Tal Tor Ul Val Ver Wen Yor Zan Zel
    """
)
_MIDDLES = _words("a e i o u ad an ar el en er il in ir ol on or um un")
_PERSON_ENDS = _words("a ba da dis do ka la lis ma na ne no ra rin ro sa ta vo")
_LAST_ENDS = _words("bek brand dal dorn fest gard grim holt ken lund mont rick stad vik wald")
_PLACE_ENDS = _words("bridge bury combe dale field ford ham mere mouth stead ton wick")
_WATERS = ("brook", "water", "stream", "beck")
_SHIPS = ("Gull", "Heron", "Lantern", "Otter", "Petrel", "Star", "Swallow", "Tern")
_WORKSHOPS = ("Foundry", "Joinery", "Mill", "Pottery", "Ropery", "Tannery", "Weavery", "Yard")
_PEOPLE_SHARE = 12  # people to a first name and to a last name, about


class Names:
    """Draws names that were not drawn before.

    Args:
        draws: The random numbers.
        size: About how many people there are.
    """

    def __init__(self, draws: Draws, size: int) -> None:
        self._draws = draws
        self._given: set[str] = set()
        n = max(20, int((size * _PEOPLE_SHARE) ** 0.5))
        self._firsts = self._draw(n, _STARTS, _MIDDLES, _PERSON_ENDS)
        self._lasts = self._draw(n, _STARTS, _MIDDLES, _LAST_ENDS)

    def person(self, n: int) -> list[str]:
        """Return the names of n people."""
        return self._draw(n, self._firsts, [f" {last}" for last in self._lasts])

    def town(self, n: int) -> list[str]:
        """Return the names of n towns."""
        return self._draw(n, _STARTS, _MIDDLES, _PLACE_ENDS)

    def river(self, n: int) -> list[str]:
        """Return the names of n rivers."""
        return self._draw(n, _STARTS, _MIDDLES, _WATERS)

    def ship(self, n: int) -> list[str]:
        """Return the names of n ships."""
        return self._draw(n, _STARTS, _MIDDLES, _PERSON_ENDS, [f" {name}" for name in _SHIPS])

    def workshop(self, n: int) -> list[str]:
        """Return the names of n workshops."""
        return self._draw(n, self._lasts, [f" {name}" for name in _WORKSHOPS])

    def _draw(self, n: int, *parts: Sequence[str]) -> list[str]:
        """Return n new names, each made of one element of each part."""
        names: list[str] = []
        sizes = np.array([list(map(len, parts))])
        while missing := n - len(names):  # those that were given before are drawn again
            numbers = self._draws.take(missing * len(parts)).reshape(missing, len(parts))
            columns = (numbers * sizes).astype(int).T.tolist()
            chosen = [
                map(part.__getitem__, column) for part, column in zip(parts, columns, strict=True)
            ]
            for name in map("".join, zip(*chosen, strict=True)):
                if name not in self._given:
                    self._given.add(name)
                    names.append(name)
        return names
