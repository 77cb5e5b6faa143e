"""Finding a calendar that is what is wanted: for the generator, and for the oracle.

What always holds: a calendar that is found is right by `verify`, and the same wishes give the same
one; where none is found, there is none, unless the search was so large that it was given up.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from textgym.verifiers.calendar import Wanted

__all__ = ["arrange", "clock", "keeps"]

_MOST_EVENTS = 200  # the search calls itself once for each
_MOST_STEPS = 20_000


def arrange(
    wishes: Mapping[str, Wanted], before: Mapping[str, int] | None = None
) -> dict[str, int] | None:
    """Return a start for each event, in minutes after midnight, or None.

    Args:
        wishes: What is wanted, by the events' ids.
        before: Where events stood so far; they stay there where they can.

    Example:
        >>> arrange({"0": Wanted(60, 600, 960), "1": Wanted(30, 600, 960, end_by=630)})
        {'1': 600, '0': 630}
        >>> arrange({"0": Wanted(60, 600, 660), "1": Wanted(30, 600, 660)}) is None
        True
    """
    if len(wishes) > _MOST_EVENTS:
        return None
    kept = {
        id: start
        for id, start in (before or {}).items()
        if id in wishes and keeps(wishes[id], start)
    }
    found = _Search(wishes, kept).run()
    if found is not None or not kept:
        return found
    found, held = _Search(wishes, {}).run(), dict[str, int]()
    for id in kept if found else ():
        trial = _Search(wishes, {**held, id: kept[id]}).run()
        if trial is not None:
            found, held[id] = trial, kept[id]
    return found


def keeps(wish: Wanted, start: int) -> bool:
    """Tell whether an event of the wanted duration may start at a time.

    Example:
        >>> keeps(Wanted(60, 600, 960), 900), keeps(Wanted(60, 600, 960), 901)
        (True, False)
    """
    return _first_start(wish) <= start <= _last_start(wish)


def clock(minutes: int) -> str:
    """Return a time of day as a calendar writes it.

    Example:
        >>> clock(9 * 60 + 5)
        '09:05'
    """
    return f"{minutes // 60:02d}:{minutes % 60:02d}"


def _first_start(wish: Wanted) -> int:
    return max(wish.min_time, wish.start_from)


def _last_start(wish: Wanted) -> float:
    return min(wish.start_by, min(wish.max_time, wish.end_by) - wish.duration)


class _Search:
    """Events one after the other, each as early as it can, in every order that may lead on.

    Some right calendar is of this kind if there is any: pulling each event forward to the end of
    the one before, or to its own earliest start, spoils nothing. Those that must end first are
    tried first. Those that are fixed start then and not otherwise.
    """

    def __init__(self, wishes: Mapping[str, Wanted], fixed: Mapping[str, int]) -> None:
        self.lengths = {id: wish.duration for id, wish in wishes.items()}
        self.firsts = {**{id: _first_start(wish) for id, wish in wishes.items()}, **fixed}
        lasts = {**{id: _last_start(wish) for id, wish in wishes.items()}, **fixed}
        self.ends = {id: lasts[id] + length for id, length in self.lengths.items()}
        self.steps = 0
        self.dead: dict[tuple[str, ...], float] = {}

    def run(self) -> dict[str, int] | None:
        return self._place(0, tuple(sorted(self.ends, key=lambda id: self.ends[id])))

    def _place(self, end: float, left: tuple[str, ...]) -> dict[str, int] | None:
        """Place those that are left, by their latest ends, after a time; None if none can be."""
        if not left:
            return {}
        self.steps += 1
        if end >= self.dead.get(left, math.inf) or self.steps > _MOST_STEPS:
            return None
        if self._may_fit(end, left):
            starts = {id: math.ceil(max(end, self.firsts[id])) for id in left}
            first_end = min(starts[id] + self.lengths[id] for id in left)
            for id in left:
                if starts[id] > first_end:
                    continue  # another fits whole before it
                others = tuple(other for other in left if other != id)
                rest = self._place(starts[id] + self.lengths[id], others)
                if rest is not None:
                    return {id: starts[id], **rest}
        self.dead[left] = end
        return None

    def _may_fit(self, end: float, left: tuple[str, ...]) -> bool:
        """Tell whether each ends in time if it begins early, and if they are packed closely."""
        packed = end
        for id in left:
            packed += self.lengths[id]
            if max(packed, self.firsts[id] + self.lengths[id]) > self.ends[id]:
                return False
        return True
