"""Invented names of people, towns, rivers, ships and workshops.

Invariants: a name is given once in a world; people share first and last names with others, so that
a search for one finds others, too.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from textgym.envs.drawing import choice

__all__ = ["Names"]


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
    """Gives names that were not given before.

    Args:
        rng: The random generator.
        size: About how many people there are.
    """

    def __init__(self, rng: random.Random, size: int) -> None:
        self._rng = rng
        self._given: set[str] = set()
        n = max(20, int((size * _PEOPLE_SHARE) ** 0.5))
        self._firsts = [self._new(_PERSON_ENDS) for _ in range(n)]
        self._lasts = [self._new(_LAST_ENDS) for _ in range(n)]

    def person(self) -> str:
        """Return the name of a person."""
        return self._once(
            lambda: f"{choice(self._rng, self._firsts)} {choice(self._rng, self._lasts)}"
        )

    def town(self) -> str:
        """Return the name of a town."""
        return self._new(_PLACE_ENDS)

    def river(self) -> str:
        """Return the name of a river."""
        return f"{self._new(_WATERS)}"

    def ship(self) -> str:
        """Return the name of a ship."""
        return self._once(lambda: f"{self._word(_PERSON_ENDS)} {choice(self._rng, _SHIPS)}")

    def workshop(self) -> str:
        """Return the name of a workshop."""
        return self._once(
            lambda: f"{choice(self._rng, self._lasts)} {choice(self._rng, _WORKSHOPS)}"
        )

    def _new(self, ends: tuple[str, ...]) -> str:
        return self._once(lambda: self._word(ends))

    def _word(self, ends: tuple[str, ...]) -> str:
        rng = self._rng
        return choice(rng, _STARTS) + choice(rng, _MIDDLES) + choice(rng, ends)

    def _once(self, draw: Callable[[], str]) -> str:
        while True:
            name = draw()
            if name not in self._given:
                self._given.add(name)
                return name
