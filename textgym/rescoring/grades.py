"""The grade of a rescored episode beside the stored one: reward, components, success, stop reason.

The conversation is compared in `replay`.
Numbers that differ by no more than rounding are equal. An episode also gets a new trajectory, in
which only the grade changes: what was sampled, and what it cost, stays.
"""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

from textgym.rescoring.verdicts import EpisodeVerdict
from textgym.trajectories.schema import Failure, Step, Trajectory

__all__ = [
    "compare",
    "components_of",
    "differences",
    "is_close",
    "make_verdict",
    "with_failure",
    "with_new_grade",
]

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


def components_of(trajectory: Trajectory) -> dict[str, float]:
    """Return an episode's reward components; a later step overrides an earlier one."""
    components: dict[str, float] = {}
    for step in trajectory["steps"]:
        components |= step["components"]
    return components


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
    """Return a step with another grade."""
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
