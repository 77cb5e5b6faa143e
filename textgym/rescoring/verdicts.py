"""What rescoring found: a verdict on each episode, and the sum of them.

There are five: `same` and `different` (the reward, a component, success or the stop reason),
`not_comparable` (the task has changed), `failed` (no reward could be had today), and `left` (not
all that was sampled is stored, for the episode had failed).
"""

from __future__ import annotations

import heapq
import math
from dataclasses import asdict, dataclass, field
from numbers import Real
from pathlib import Path
from typing import Any

from textgym.trajectories.schema import Trajectory

__all__ = [
    "KINDS",
    "Findings",
    "Rescore",
    "Verdict",
    "changes_between",
    "components_of",
    "is_close",
]

KINDS = ("same", "different", "not_comparable", "failed", "left")
_LISTED = ("different", "not_comparable", "failed")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one episode.

    Attributes:
        kind: One of `KINDS`.
        env_id: The environment's id.
        task_id: The task's id.
        task_index: The task's index.
        repeat: Which of the task's episodes.
        old_reward: The stored reward; None where it failed.
        new_reward: Today's reward; None where there is none.
        changes: What else differs, by name: what it was, and what it is.
        reason: Why it cannot be compared, failed or was left; or that it had failed before.
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
    """What rescoring a run found.

    Attributes:
        counts: How many episodes got each verdict.
        recovered: How many episodes had failed and have a reward now.
        mean_before: The mean stored reward of the episodes that were compared.
        mean_after: Their mean reward today, the recovered ones included.
        listed: The verdicts `different`, `not_comparable` and `failed`, in the stored order; of
            each the first ones, as many as were to be kept.
        out: The folder of the new run, if there is one.
        changed_data: The data sets whose content is not what the run was played on. Where a prompt
            is the same and the answer is not, the episode is graded by today's answer.
    """

    counts: dict[str, int]
    recovered: int
    mean_before: float | None
    mean_after: float | None
    listed: dict[str, tuple[Verdict, ...]]
    out: Path | None
    changed_data: tuple[str, ...] = ()

    @property
    def compared(self) -> int:
        """How many episodes have a reward of today."""
        return self.counts["same"] + self.counts["different"]

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON can hold it."""
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


class Findings:
    """Takes verdicts in any order.

    Args:
        keep: How many verdicts of a kind are kept; 0 for all.
    """

    def __init__(self, keep: int) -> None:
        self._keep = keep
        self._counts = dict.fromkeys(KINDS, 0)
        self._recovered = 0
        self._before, self._after = _Mean(), _Mean()
        self._kept: dict[str, list[tuple[int, Verdict]]] = {kind: [] for kind in _LISTED}

    def add(self, number: int, verdict: Verdict) -> None:
        """Take the verdict on the episode of a number."""
        self._counts[verdict.kind] += 1
        if verdict.kind in ("same", "different"):
            self._recovered += verdict.old_reward is None
            self._before.add(verdict.old_reward)
            self._after.add(verdict.new_reward)
        if verdict.kind in self._kept:
            kept = self._kept[verdict.kind]  # the smallest numbers, the largest of them on top
            push = heapq.heappushpop if 0 < self._keep <= len(kept) else heapq.heappush
            push(kept, (-number, verdict))

    def result(self, out: Path | None, changed_data: tuple[str, ...] = ()) -> Rescore:
        """Return what was found; see `Rescore` for the arguments."""
        listed = {
            kind: tuple(verdict for _, verdict in sorted(kept, key=lambda item: -item[0]))
            for kind, kept in self._kept.items()
        }
        before, after = self._before.value, self._after.value
        return Rescore(self._counts, self._recovered, before, after, listed, out, changed_data)


class _Mean:
    """The mean of numbers as they come; None is none."""

    def __init__(self) -> None:
        self._sum, self._count = 0.0, 0

    def add(self, number: float | None) -> None:
        if number is not None:
            self._sum += number
            self._count += 1

    @property
    def value(self) -> float | None:
        return self._sum / self._count if self._count else None


def components_of(trajectory: Trajectory) -> dict[str, float]:
    """Return an episode's components: of each name, what the last step with it says."""
    components: dict[str, float] = {}
    for step in trajectory["steps"]:
        components |= step["components"]
    return components


def changes_between(old: Trajectory, new: Trajectory) -> dict[str, tuple[Any, Any]]:
    """Return what of an episode's grade differs, by name, but its reward.

    Example:
        >>> old = {"steps": [{"components": {"correct": 0.0}}], "is_success": False,
        ...        "stop_reason": "answer"}
        >>> changes_between(old, {**old, "is_success": True})
        {'success': (False, True)}
    """
    before, after = components_of(old), components_of(new)
    pairs: dict[str, tuple[Any, Any]] = {
        name: (before.get(name), after.get(name)) for name in before | after
    }
    pairs["success"] = old["is_success"], new["is_success"]
    pairs["stop reason"] = old["stop_reason"], new["stop_reason"]
    return {name: pair for name, pair in pairs.items() if not is_close(*pair)}


def is_close(one: Any, other: Any) -> bool:
    """Tell whether two values are the same but for the rounding of a sum.

    Example:
        >>> is_close(0.1 + 0.2, 0.3), is_close(None, 0.0), is_close("answer", "answer")
        (True, False, True)
    """
    if isinstance(one, Real) and isinstance(other, Real):
        return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)
    return bool(one == other)
