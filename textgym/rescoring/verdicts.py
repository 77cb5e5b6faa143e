"""The verdicts of rescoring: one for each episode, and a summary of all.

There are five kinds: `same` and `different` (the reward, a component, success or the stop reason),
`not_comparable` (the task has changed), `failed` (the replay failed, so there is no new reward) and
`left` (the stored episode failed before all of its messages were stored). Numbers that differ by no
more than rounding are equal.

A rescored episode also gets a new trajectory, in which only the grade changes. What was sampled,
and what it cost, stays.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import asdict, dataclass, field
from numbers import Real
from pathlib import Path
from typing import Any

from textgym.trajectories.episode_record import components_of
from textgym.trajectories.schema import Failure, Step, Trajectory

__all__ = [
    "KINDS",
    "EpisodeVerdict",
    "Rescore",
    "VerdictCollector",
    "compare",
    "differences",
    "is_close",
    "make_verdict",
    "with_failure",
    "with_new_grade",
]


KINDS = ("same", "different", "not_comparable", "failed", "left")
_LISTED = ("different", "not_comparable", "failed")


@dataclass(frozen=True, slots=True)
class EpisodeVerdict:
    """The verdict on one episode.

    Attributes:
        kind: One of `KINDS`.
        env_id: The environment's id.
        task_id: The task's id.
        task_index: The task's index.
        repeat: The number of the episode among the task's episodes, from 0.
        old_reward: The stored reward; None if the stored episode failed.
        new_reward: The new reward; None if the episode has no new one.
        changes: What else differs: the old and the new value by name.
        reason: Why the episode cannot be compared, failed or was left out; or that the stored
            episode had failed.
    """

    kind: str
    env_id: str
    task_id: str | None
    task_index: int
    repeat: int
    old_reward: float | None = None
    new_reward: float | None = None
    changes: dict[str, tuple[Any, Any]] = field(default_factory=dict)
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Rescore:
    """The result of rescoring a run.

    Attributes:
        counts: The number of episodes by kind of verdict.
        recovered: How many failed episodes have a reward now.
        mean_before: The mean stored reward of the episodes that were compared.
        mean_after: The mean new reward of these episodes, including the recovered ones.
        listed: The verdicts `different`, `not_comparable` and `failed` in stored order; of each
            kind the first ones, up to the limit.
        out: The folder of the new run, if one was written.
        changed_data: The data sets whose content has changed since the run was played. If a prompt
            is unchanged and its answer is not, the episode is graded by the new answer.
    """

    counts: dict[str, int]
    recovered: int
    mean_before: float | None
    mean_after: float | None
    listed: dict[str, tuple[EpisodeVerdict, ...]]
    out: Path | None
    changed_data: tuple[str, ...] = ()

    @property
    def compared(self) -> int:
        """How many episodes have a new reward."""
        return self.counts["same"] + self.counts["different"]

    def as_dict(self) -> dict[str, Any]:
        """Return the result as JSON values."""
        return {
            "episodes": sum(self.counts.values()),
            "compared": self.compared,
            **self.counts,
            "recovered": self.recovered,
            "mean_before": self.mean_before,
            "mean_after": self.mean_after,
            "listed": {kind: [*map(asdict, items)] for kind, items in self.listed.items()},
            "out": None if self.out is None else str(self.out),
            "changed_data": list(self.changed_data),
        }


class VerdictCollector:
    """Collects verdicts, in any order.

    Args:
        limit: How many verdicts of a kind are listed; 0 for all.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._counts = dict.fromkeys(KINDS, 0)
        self._recovered = 0
        self._before, self._after = _Mean(), _Mean()
        # A heap for each kind, with the largest episode number on top.
        self._listed: dict[str, list[tuple[int, EpisodeVerdict]]] = {kind: [] for kind in _LISTED}

    def add(self, number: int, verdict: EpisodeVerdict) -> None:
        """Add the verdict on the episode with a number, its position in the stored run."""
        self._counts[verdict.kind] += 1
        if verdict.kind in ("same", "different"):
            self._recovered += verdict.old_reward is None
            self._before.add(verdict.old_reward)
            self._after.add(verdict.new_reward)
        if verdict.kind in self._listed:
            heap = self._listed[verdict.kind]
            push = heapq.heappushpop if 0 < self._limit <= len(heap) else heapq.heappush
            push(heap, (-number, verdict))

    def result(self, out: Path | None, changed_data: tuple[str, ...] = ()) -> Rescore:
        """Return the result; see `Rescore` for the arguments."""
        listed = {
            kind: tuple(verdict for _, verdict in sorted(heap, key=lambda item: -item[0]))
            for kind, heap in self._listed.items()
        }
        before, after = self._before.value, self._after.value
        return Rescore(self._counts, self._recovered, before, after, listed, out, changed_data)


class _Mean:
    """A running mean that ignores None."""

    def __init__(self) -> None:
        self._sum, self._count = 0.0, 0

    def add(self, number: float | None) -> None:
        if number is not None:
            self._sum += number
            self._count += 1

    @property
    def value(self) -> float | None:
        return self._sum / self._count if self._count else None


_GRADED = ("reward", "task_reward", "components")  # keys of a step


def compare(stored: Trajectory, new: Trajectory) -> EpisodeVerdict:
    """Compare a stored episode with its replay, which has a reward.

    Returns:
        The verdict `same` or `different`; the latter also for an episode that had failed.
    """
    if stored["failure"]:
        reason = f"it had failed: {stored['failure']['type']}"
        return make_verdict("different", stored, new_reward=new["reward"], reason=reason)
    changes = differences(stored, new)
    is_same = not changes and is_close(stored["reward"], new["reward"])
    kind = "same" if is_same else "different"
    return make_verdict(kind, stored, new_reward=new["reward"], changes=changes)


def make_verdict(kind: str, stored: Trajectory, **more: Any) -> EpisodeVerdict:
    """Return a verdict on a stored episode.

    Args:
        kind: The kind of the verdict.
        stored: The stored episode.
        **more: Other attributes of the verdict.
    """
    return EpisodeVerdict(
        kind,
        stored["env_id"],
        stored["task_id"],
        stored["task_index"],
        stored["repeat"],
        old_reward=stored["reward"],
        **more,
    )


def differences(old: Trajectory, new: Trajectory) -> dict[str, tuple[Any, Any]]:
    """Return what differs between two grades except the reward: the old and new value by name.

    Example:
        >>> old = {"steps": [{"components": {"correct": 0.0}}], "is_success": False,
        ...        "stop_reason": "answer"}
        >>> differences(old, {**old, "is_success": True})
        {'success': (False, True)}
    """
    before, after = components_of(old), components_of(new)
    pairs: dict[str, tuple[Any, Any]] = {
        name: (before.get(name), after.get(name)) for name in before | after
    }
    pairs["success"] = old["is_success"], new["is_success"]
    pairs["stop reason"] = old["stop_reason"], new["stop_reason"]
    return {name: pair for name, pair in pairs.items() if not is_close(*pair)}


def is_close(first: Any, second: Any) -> bool:
    """Return whether two values are equal, up to the rounding error of a sum.

    Example:
        >>> is_close(0.1 + 0.2, 0.3), is_close(None, 0.0), is_close("answer", "answer")
        (True, False, True)
    """
    if isinstance(first, Real) and isinstance(second, Real):
        return math.isclose(first, second, rel_tol=1e-9, abs_tol=1e-12)
    return bool(first == second)


def with_new_grade(stored: Trajectory, new: Trajectory) -> Trajectory:
    """Return a stored episode with the grade of its replay."""
    steps: list[Step] = [
        _regraded(old_step, {name: value for name, value in new_step.items() if name in _GRADED})
        for old_step, new_step in zip(stored["steps"], new["steps"], strict=True)
    ]
    return {
        **stored,
        "env_kwargs": new["env_kwargs"],
        "task_id": new["task_id"],
        "messages": new["messages"],
        "steps": steps,
        "terminated": new["terminated"],
        "truncated": new["truncated"],
        "stop_reason": new["stop_reason"],
        "is_success": new["is_success"],
        "reward": new["reward"],
        "info": new["info"],
        "failure": new["failure"],
    }


def _regraded(step: Step, grade: dict[str, Any]) -> Step:
    kept: Any = {name: value for name, value in step.items() if name not in _GRADED}
    regraded: Step = {**kept, **grade}  # type: ignore[typeddict-item]
    return regraded


def with_failure(
    stored: Trajectory, kwargs: dict[str, Any], failure: Failure, info: dict[str, Any]
) -> Trajectory:
    """Return a stored episode without a grade, because its replay failed.

    Args:
        stored: The stored episode.
        kwargs: The keyword arguments of the environment of the replay.
        failure: Why there is no grade.
        info: The info to record.
    """
    return {
        **stored,
        "env_kwargs": kwargs,
        "steps": [_regraded(step, {"reward": None, "components": {}}) for step in stored["steps"]],
        "terminated": False,
        "truncated": False,
        "stop_reason": "",
        "is_success": None,
        "reward": None,
        "info": info,
        "failure": failure,
    }
