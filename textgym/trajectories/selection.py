"""Searching a run: which episodes to show, and in which order.

Memory holds only what a search compares, and the trajectories to show, so that a run of any length
can be searched. The episodes are read one after the other, or come from an index, which reads only
the episodes to show.
"""

from __future__ import annotations

import contextlib
import heapq
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from textgym.errors import RunError, UnknownNameError, UsageError, did_you_mean
from textgym.trajectories.schema import Trajectory
from textgym.trajectories.task_identity import task_identity

__all__ = [
    "ORDERS", "REQUIRED_KEYS", "Entry", "EpisodeFilter", "Episodes", "Search", "check_trajectories",
]  # fmt: skip

REQUIRED_KEYS = [key for key in Trajectory.__annotations__ if key in Trajectory.__required_keys__]
_SEARCHED_KEYS = (
    "content", "text", "reasoning_content", "refusal", "tool_calls", "function", "name",
    "arguments",
)  # fmt: skip


class Entry(NamedTuple):
    """What a search compares of an episode: see `Trajectory`."""

    env_id: str
    task_id: str | None
    task_index: int
    level: str | None
    category: str | None
    stop_reason: str
    failed: bool
    success: bool | None
    reward: float | None

    @classmethod
    def of(cls, trajectory: Trajectory) -> Entry:
        """Return the entry of a trajectory."""
        info = trajectory["info"]
        level, category = info.get("level"), info.get("category")
        return cls(
            trajectory["env_id"],
            trajectory["task_id"],
            trajectory["task_index"],
            level if level is None else str(level),
            category if category is None else str(category),
            trajectory["stop_reason"],
            trajectory["failure"] is not None,
            trajectory["is_success"],
            trajectory["reward"],
        )


class Episodes(ABC):
    """The episodes of a run. An item, of any type, identifies an episode."""

    @abstractmethod
    def entries(self) -> Iterator[tuple[Entry, Any]]:
        """Yield the entry and the item of each episode, in the order in which they are stored."""

    @abstractmethod
    def identity(self, item: Any) -> float:
        """Return the `task_identity` of an episode."""

    @abstractmethod
    def read(self, item: Any) -> Trajectory:
        """Return the trajectory of an episode."""


class _WholeEpisodes(Episodes):
    """Episodes as trajectories, which are their own items and are iterated over once."""

    def __init__(self, trajectories: Iterable[Trajectory]) -> None:
        self._trajectories = trajectories

    def entries(self) -> Iterator[tuple[Entry, Trajectory]]:
        for trajectory in check_trajectories(self._trajectories):
            yield Entry.of(trajectory), trajectory

    def identity(self, item: Trajectory) -> float:
        return task_identity(item)

    def read(self, item: Trajectory) -> Trajectory:
        return item


ORDERS: dict[str, Callable[[tuple[Entry, Any]], Any] | None] = {
    "worst": lambda match: (match[0].reward is None, match[0].reward or 0.0),
    "best": lambda match: (match[0].reward is None, -(match[0].reward or 0.0)),
    "stored": None,
}
"""The sort key of each order; failed episodes, which have no reward, come last."""


@dataclass(frozen=True, slots=True)
class EpisodeFilter:
    """The conditions that an episode must meet; None sets no condition.

    Attributes:
        env: The environment's id, with or without its namespace.
        task: The task's id or index, or `index:3`, which is never an id.
        level: The task's level.
        category: The task's category.
        stop_reason: Why the episode ended.
        text: A text that a message contains, ignoring case.
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

    def matches(self, entry: Entry) -> bool:
        """Return whether an episode meets all conditions except the one on its text."""
        return (
            (self.env is None or self.env in (entry.env_id, entry.env_id.rpartition("/")[2]))
            and (
                self.task is None
                or self.task in (entry.task_id, str(entry.task_index), f"index:{entry.task_index}")
            )
            and (self.level is None or self.level == entry.level)
            and (self.category is None or self.category == entry.category)
            and (self.stop_reason is None or self.stop_reason == entry.stop_reason)
            and (self.failed is None or self.failed == entry.failed)
            and (self.success is None or self.success == entry.success)
        )


class Search:
    """Iterates over the matching episodes of a run, once.

    Args:
        episodes: All episodes: their trajectories in the order in which they are stored, or an
            index.
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
        episodes: Episodes | Iterable[Trajectory],
        episode_filter: EpisodeFilter,
        order: str = "worst",
        limit: int = 10,
    ) -> None:
        if order not in ORDERS:
            raise UnknownNameError(f"there is no order {order!r}{did_you_mean(order, ORDERS)}")
        if limit < 0:
            raise UsageError(f"limit must be 0 (all) or more, not {limit}")
        self._episodes = episodes if isinstance(episodes, Episodes) else _WholeEpisodes(episodes)
        self._filter = episode_filter
        self._key = ORDERS[order]
        self._limit = limit
        self.streams = order == "stored" and limit == 0
        self.total = self.matched = 0
        self._tasks: dict[str, tuple[float, int]] = {}  # identity and index, by environment

    def __iter__(self) -> Iterator[Trajectory]:
        """Yield the episodes."""
        matching = self._matching()
        chosen: Iterable[tuple[Entry, Any]]
        if self.streams:
            chosen = matching
        elif self._key is None:
            chosen = [match for match in matching if self.matched <= self._limit]
        elif self._limit:
            chosen = heapq.nsmallest(self._limit, matching, self._key)
        else:
            chosen = sorted(matching, key=self._key)
        for _, item in chosen:
            yield self._episodes.read(item)

    def _matching(self) -> Iterator[tuple[Entry, Any]]:
        conditions = self._filter
        for entry, item in self._episodes.entries():
            self.total += 1
            if not conditions.matches(entry):
                continue
            if conditions.text is not None:
                messages = self._episodes.read(item)["messages"]
                folded = conditions.text.casefold()
                if not any(folded in text.casefold() for text in _texts(messages)):
                    continue
            if conditions.task is not None and entry.task_id is not None:
                self._check_task(conditions.task, entry, item)
            self.matched += 1
            yield entry, item

    def _check_task(self, name: str, entry: Entry, item: Any) -> None:
        """Refuse a name that different tasks of an environment have."""
        env, index = entry.env_id, entry.task_index
        identity = self._episodes.identity(item)
        first, first_index = self._tasks.setdefault(env, (identity, index))
        if identity != first:
            raise UsageError(
                f"{name!r} names different tasks of {env}, which have the indices {first_index} "
                f"and {index}: name one as index:{first_index} or index:{index}"
            )


def check_trajectories(trajectories: Iterable[Trajectory], first: int = 1) -> Iterator[Trajectory]:
    """Yield trajectories after checking that each has all required keys.

    Args:
        trajectories: The trajectories.
        first: The number of the first one, for errors.

    Raises:
        RunError: A trajectory lacks a key.
    """
    for number, trajectory in enumerate(trajectories, first):
        missing = next((key for key in REQUIRED_KEYS if key not in trajectory), None)
        if missing:
            raise RunError(f"episode {number} is not a trajectory: it has no {missing!r}")
        yield trajectory


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
