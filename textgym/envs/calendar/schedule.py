"""A solver that finds a calendar for requested events, used by the generator and the oracle.

Invariants: `check_calendar` accepts every calendar that is found; the same requests give the same
calendar; if none is found, none exists, unless the search reached its limit of steps.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from operator import itemgetter

from textgym.verifiers.calendar import EventConstraints

__all__ = ["arrange", "keeps"]

MAX_EVENTS = 200  # the search recurses once for each event
MAX_STEPS = 20_000


def arrange(
    wishes: Mapping[str, EventConstraints], before: Mapping[str, int] | None = None
) -> dict[str, int] | None:
    """Return a start for each event, in minutes after midnight; None if there is no solution.

    Args:
        wishes: The requested events, by id.
        before: The previous starts of events, which are kept if possible.

    Example:
        >>> early = EventConstraints(30, 600, 960, end_by=630)
        >>> arrange({"0": EventConstraints(60, 600, 960), "1": early})
        {'1': 600, '0': 630}
        >>> arrange({"0": EventConstraints(60, 600, 660), "1": early}) is None
        True
    """
    if len(wishes) > MAX_EVENTS:
        return None
    kept = {
        id: start
        for id, start in (before or {}).items()
        if id in wishes and keeps(wishes[id], start)
    }
    calendar = _Search(wishes, kept).run()
    if calendar is not None or not kept:
        return calendar
    calendar, held = _Search(wishes, {}).run(), dict[str, int]()
    for id in kept if calendar else ():
        trial = _Search(wishes, {**held, id: kept[id]}).run()
        if trial is not None:
            calendar, held[id] = trial, kept[id]
    return calendar


def keeps(wish: EventConstraints, start: int) -> bool:
    """Return whether an event may start at a time.

    Example:
        >>> keeps(EventConstraints(60, 600, 960), 900), keeps(EventConstraints(60, 600, 960), 901)
        (True, False)
    """
    return _first_start(wish) <= start <= _last_start(wish)


def _first_start(wish: EventConstraints) -> int:
    return max(wish.min_time, wish.start_from)


def _last_start(wish: EventConstraints) -> float:
    return min(wish.start_by, min(wish.max_time, wish.end_by) - wish.duration)


_Span = tuple[float, int, float, str, int]  # latest end, earliest start, length, id, and a bit


class _Search:
    """A search over orders of events, in which each event starts as early as possible.

    If there is a correct calendar, there is one of this kind: moving each event forward to the end
    of the previous one, or to its own earliest start, keeps it correct. Events that must end
    earliest are tried first. Fixed events have only one possible start.
    """

    def __init__(self, wishes: Mapping[str, EventConstraints], fixed: Mapping[str, int]) -> None:
        spans: list[_Span] = []
        for id, wish in wishes.items():
            first = fixed.get(id, _first_start(wish))
            last = fixed.get(id, _last_start(wish))
            spans.append((last + wish.duration, first, wish.duration, id, 1 << len(spans)))
        self.spans = tuple(sorted(spans, key=itemgetter(0)))
        self.steps = 0
        self.dead: dict[int, float] = {}

    def run(self) -> dict[str, int] | None:
        return self._place(0, self.spans, (1 << len(self.spans)) - 1)

    def _place(self, end: float, left: tuple[_Span, ...], bits: int) -> dict[str, int] | None:
        """Return starts after `end` for the events `left`, whose bits are set, or None."""
        if not left:
            return {}
        self.steps += 1
        if end >= self.dead.get(bits, math.inf) or self.steps > MAX_STEPS:
            return None
        starts = self._branch(math.ceil(end), left, bits)
        if starts is None:
            self.dead[bits] = end
        return starts

    def _branch(self, now: int, left: tuple[_Span, ...], bits: int) -> dict[str, int] | None:
        """Try each event that can be next, unless some event is too late in any order."""
        packed: float = now
        soonest = math.inf
        starts = []
        for latest, first, length, _, _ in left:
            start = first if first > now else now
            packed += length
            if packed > latest or start + length > latest:
                return None
            soonest = min(soonest, start + length)
            starts.append(start)
        for span, start in zip(left, starts, strict=True):
            if start > soonest:
                continue  # another event fits before this one
            others = tuple(event for event in left if event is not span)
            rest = self._place(start + span[2], others, bits ^ span[4])
            if rest is not None:
                return {span[3]: start, **rest}
        return None
