"""Which of a run's episodes someone wants to see, and in which order.

Trajectories are looked at one after the other; no more of them are held than are wanted, so that a
run of any length can be searched.
"""

from __future__ import annotations

import contextlib
import heapq
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from textgym.errors import RunError, UnknownNameError, UsageError, did_you_mean
from textgym.trajectories.schema import Trajectory

__all__ = ["ORDERS", "Search", "Wanted", "checked"]

_REQUIRED = [key for key in Trajectory.__annotations__ if key in Trajectory.__required_keys__]
_SAID = (
    "content", "text", "reasoning_content", "refusal", "tool_calls", "function", "name",
    "arguments",
)  # fmt: skip


def _worst_first(trajectory: Trajectory) -> tuple[bool, float]:
    return trajectory["reward"] is None, trajectory["reward"] or 0.0


def _best_first(trajectory: Trajectory) -> tuple[bool, float]:
    return trajectory["reward"] is None, -(trajectory["reward"] or 0.0)


ORDERS: dict[str, Callable[[Trajectory], Any] | None] = {
    "worst": _worst_first,
    "best": _best_first,
    "stored": None,
}


@dataclass(frozen=True, slots=True)
class Wanted:
    """What an episode must be like; None lets everything pass.

    Attributes:
        env: The environment's id, with or without what stands before its last slash.
        task: The task's id or its index.
        level: The task's level.
        category: The task's category.
        stop_reason: Why it ended.
        text: What some message says, in any case.
        failed: Whether it failed.
        success: Whether the task was solved; an episode that failed is neither.
    """

    env: str | None = None
    task: str | None = None
    level: str | None = None
    category: str | None = None
    stop_reason: str | None = None
    text: str | None = None
    failed: bool | None = None
    success: bool | None = None

    def matches(self, trajectory: Trajectory) -> bool:
        """Tell whether an episode is wanted."""
        info = trajectory["info"]
        pairs = (
            (self.env, (trajectory["env_id"], trajectory["env_id"].rpartition("/")[2])),
            (self.task, (trajectory["task_id"], str(trajectory["task_index"]))),
            (self.level, (info.get("level"),)),
            (self.category, (info.get("category"),)),
            (self.stop_reason, (trajectory["stop_reason"],)),
            (self.failed, (trajectory["failure"] is not None,)),
            (self.success, (trajectory["is_success"],)),
        )
        if any(wanted is not None and wanted not in given for wanted, given in pairs):
            return False
        return self.text is None or _says(trajectory["messages"], self.text)


class Search:
    """Gives the wanted episodes of a run, once.

    Args:
        trajectories: All episodes, in the order in which they are stored.
        wanted: Which to give.
        order: `worst` (lowest reward first), `best` or `stored`. Failed episodes, which have no
            reward, come last but in `stored`.
        limit: The most to give; 0 for all.

    Raises:
        UsageError: There is no such order, or the limit is negative.

    Attributes:
        total: How many episodes there were.
        matched: How many were wanted.
        streams: Whether episodes are given while the others are still being read. Where they are
            not, `total` and `matched` are final with the first.

    Example:
        >>> import textgym
        >>> run = textgym.rollout("textgym/MCQA-v0", "random", episodes=20)
        >>> search = Search(run.trajectories(), Wanted(success=False), limit=2)
        >>> [trajectory["reward"] for trajectory in search], search.total
        ([0.0, 0.0], 20)
    """

    def __init__(
        self,
        trajectories: Iterable[Trajectory],
        wanted: Wanted,
        order: str = "worst",
        limit: int = 10,
    ) -> None:
        if order not in ORDERS:
            raise UnknownNameError(f"there is no order {order!r}{did_you_mean(order, ORDERS)}")
        if limit < 0:
            raise UsageError(f"limit is 0 (all) or more, not {limit}")
        self._trajectories = trajectories
        self._wanted = wanted
        self._key = ORDERS[order]
        self._limit = limit
        self.streams = order == "stored" and limit == 0
        self.total = self.matched = 0

    def __iter__(self) -> Iterator[Trajectory]:
        """Give the episodes."""
        matching = self._matching()
        if self.streams:
            yield from matching
        elif self._key is None:
            yield from [item for item in matching if self.matched <= self._limit]
        elif self._limit:
            yield from heapq.nsmallest(self._limit, matching, self._key)
        else:
            yield from sorted(matching, key=self._key)

    def _matching(self) -> Iterator[Trajectory]:
        for trajectory in checked(self._trajectories):
            self.total += 1
            if self._wanted.matches(trajectory):
                self.matched += 1
                yield trajectory


def checked(trajectories: Iterable[Trajectory]) -> Iterator[Trajectory]:
    """Give trajectories that have all that a trajectory has.

    Raises:
        RunError: One does not.
    """
    for number, trajectory in enumerate(trajectories, 1):
        missing = next((key for key in _REQUIRED if key not in trajectory), None)
        if missing:
            raise RunError(f"episode {number} is no trajectory: it has no {missing!r}")
        yield trajectory


def _says(messages: Any, text: str) -> bool:
    wanted = text.casefold()
    return any(wanted in said.casefold() for said in _texts(messages))


def _texts(value: Any, key: str = "") -> Iterator[str]:
    """Give what messages say: their texts, reasoning and calls, but not roles and ids."""
    if isinstance(value, str):
        yield value
        if key == "arguments" and "\\" in value:  # what JSON escapes is looked for as it was meant
            with contextlib.suppress(ValueError, RecursionError):
                yield from _texts(json.loads(value), key)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item, key)
    elif isinstance(value, dict):
        for name, item in value.items():
            if key == "arguments":
                yield name
                yield from _texts(item, key)
            elif name in _SAID:
                yield from _texts(item, name)
