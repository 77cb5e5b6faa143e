"""Searching a run: which episodes to show, and in which order.

Trajectories are read one after the other, and no more of them are in memory than are shown, so that
a run of any length can be searched.
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
from textgym.trajectories.task_identity import TaskIdentity, task_identity

__all__ = ["ORDERS", "EpisodeFilter", "Search", "check_trajectories"]

_REQUIRED = [key for key in Trajectory.__annotations__ if key in Trajectory.__required_keys__]
_SEARCHED_KEYS = (
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
class EpisodeFilter:
    """The conditions that an episode must meet; None sets no condition.

    Attributes:
        env: The environment's id, with or without its namespace.
        task: The task's id or index, or `index:3` for the index alone.
        level: The task's level.
        category: The task's category.
        stop_reason: Why the episode ended.
        text: A text that some message contains, ignoring case.
        failed: Whether the episode failed.
        success: Whether the task was solved; an episode that failed matches neither value.
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
        """Return whether an episode meets all conditions."""
        info = trajectory["info"]
        conditions = (
            (self.env, (trajectory["env_id"], trajectory["env_id"].rpartition("/")[2])),
            (self.task, _task_names(trajectory)),
            (self.level, (info.get("level"),)),
            (self.category, (info.get("category"),)),
            (self.stop_reason, (trajectory["stop_reason"],)),
            (self.failed, (trajectory["failure"] is not None,)),
            (self.success, (trajectory["is_success"],)),
        )
        if any(value is not None and value not in actual for value, actual in conditions):
            return False
        return self.text is None or _contains(trajectory["messages"], self.text)


class Search:
    """Iterates over the matching episodes of a run, once.

    Args:
        trajectories: All episodes, in the order in which they are stored.
        episode_filter: The conditions that an episode must meet.
        order: `worst` (lowest reward first), `best` or `stored`. Failed episodes, which have no
            reward, come last except in `stored`.
        limit: The maximum number of episodes; 0 for all.

    Raises:
        UsageError: There is no such order, or the limit is negative; or, while episodes are
            yielded, `task` matches different tasks of one environment.

    Attributes:
        total: How many episodes have been read.
        matched: How many of them match.
        streams: Whether episodes are yielded while others are still to be read. If not, `total` and
            `matched` are final once the first episode is yielded.

    Example:
        >>> import textgym
        >>> run = textgym.rollout("textgym/MCQA-v0", "random", episodes=20)
        >>> search = Search(run.trajectories(), EpisodeFilter(success=False), limit=2)
        >>> [trajectory["reward"] for trajectory in search], search.total
        ([0.0, 0.0], 20)
    """

    def __init__(
        self,
        trajectories: Iterable[Trajectory],
        episode_filter: EpisodeFilter,
        order: str = "worst",
        limit: int = 10,
    ) -> None:
        if order not in ORDERS:
            raise UnknownNameError(f"there is no order {order!r}{did_you_mean(order, ORDERS)}")
        if limit < 0:
            raise UsageError(f"limit must be 0 (all) or more, not {limit}")
        self._trajectories = trajectories
        self._filter = episode_filter
        self._key = ORDERS[order]
        self._limit = limit
        self.streams = order == "stored" and limit == 0
        self.total = self.matched = 0
        self._tasks: dict[str, tuple[TaskIdentity, int]] = {}  # found by `task`, with its index

    def __iter__(self) -> Iterator[Trajectory]:
        """Yield the episodes."""
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
        for trajectory in check_trajectories(self._trajectories):
            self.total += 1
            if self._filter.matches(trajectory):
                if self._filter.task is not None and trajectory["task_id"] is not None:
                    self._check_task(self._filter.task, trajectory)
                self.matched += 1
                yield trajectory

    def _check_task(self, name: str, trajectory: Trajectory) -> None:
        """Refuse a name that different tasks of an environment have."""
        env, index = trajectory["env_id"], trajectory["task_index"]
        identity = task_identity(trajectory)
        first, first_index = self._tasks.setdefault(env, (identity, index))
        if identity != first:
            raise UsageError(
                f"{name!r} names different tasks of {env}, which have the indices {first_index} "
                f"and {index}: name one as index:{first_index} or index:{index}"
            )


def check_trajectories(trajectories: Iterable[Trajectory]) -> Iterator[Trajectory]:
    """Yield trajectories after checking that each has all required keys.

    Raises:
        RunError: A trajectory lacks a key.
    """
    for number, trajectory in enumerate(trajectories, 1):
        missing = next((key for key in _REQUIRED if key not in trajectory), None)
        if missing:
            raise RunError(f"episode {number} is not a trajectory: it has no {missing!r}")
        yield trajectory


def _task_names(trajectory: Trajectory) -> tuple[str | None, ...]:
    index = trajectory["task_index"]
    return trajectory["task_id"], str(index), f"index:{index}"


def _contains(messages: Any, text: str) -> bool:
    folded = text.casefold()
    return any(folded in part.casefold() for part in _texts(messages))


def _texts(value: Any, key: str = "") -> Iterator[str]:
    """Yield the texts, reasoning and tool calls of messages, but not their roles and ids."""
    if isinstance(value, str):
        yield value
        if key == "arguments" and "\\" in value:  # search what JSON has escaped, too
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
            elif name in _SEARCHED_KEYS:
                yield from _texts(item, name)
