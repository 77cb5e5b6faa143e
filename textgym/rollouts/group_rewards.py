"""Group rewards: the finished episodes of one task are rewarded together, by comparing them.

`rollout(..., repeats=8, group_reward=Tournament(judge))` holds back the episodes of a task until
all of them are finished, and replaces their rewards.

Invariants: a group is rewarded as a whole or not at all. If a member failed, or the comparison
fails, all members are failed episodes, which a resumed run plays again. The environment's own
reward stays in the last step as `task_reward`, and `is_success` stays as it was.
"""

from __future__ import annotations

import asyncio
import inspect
import itertools
import math
from typing import Any

from textgym.concurrency.calls import CallThreads, retry_pause
from textgym.errors import BoundaryFailure, GroupFailure, UsageError, in_one_line
from textgym.rollouts.comparisons import GroupReward, make_group_reward
from textgym.trajectories.episode_record import failure_of
from textgym.trajectories.schema import Trajectory

__all__ = ["GroupRewards"]

COMPONENT = "group_reward"


class GroupRewards:
    """Holds back the episodes of each task until all are finished, and rewards them.

    Args:
        group_reward: The group reward, or its spec, as in `make_group_reward`.
        repeats: How many episodes each task has.
        retries: How often a comparison that failed is retried.

    Raises:
        UnknownNameError: There is no such group reward.
        UsageError: There is nothing to compare, or the group reward is not callable.
    """

    def __init__(self, group_reward: str | GroupReward, repeats: int, retries: int) -> None:
        if repeats < 2:
            raise UsageError("group_reward compares episodes of a task: pass repeats=2 or more")
        self._function = make_group_reward(group_reward)
        self._repeats, self._retries = repeats, retries
        self._waiting: dict[tuple[str, int], list[Trajectory]] = {}

    async def add(self, trajectory: Trajectory, threads: CallThreads) -> list[Trajectory]:
        """Return the group of an episode with its rewards, if it is the last one; else nothing."""
        key = trajectory["env_id"], trajectory["task_index"]
        group = self._waiting.setdefault(key, [])
        group.append(trajectory)
        if len(group) < self._repeats:
            return []
        del self._waiting[key]
        group.sort(key=lambda it: it["repeat"])
        try:
            rewards = await self._rewards(group, threads)
        except Exception as error:
            _fail(group, error)
        else:
            for member, reward in zip(group, rewards, strict=True):
                _set_reward(member, reward)
        return group

    @property
    def name(self) -> str:
        """The name of the group reward, as `run.json` holds it."""
        function = self._function
        named = function if hasattr(function, "__qualname__") else type(function)
        return str(getattr(function, "name", f"{named.__module__}:{named.__qualname__}"))

    async def _rewards(self, group: list[Trajectory], threads: CallThreads) -> list[float]:
        """Return the rewards of a group, after further attempts if a judge fails.

        Raises:
            GroupFailure: A member failed, or the function gave no rewards.
        """
        failed = sum(it["failure"] is not None for it in group)
        if failed:
            raise GroupFailure(f"{failed} of the {len(group)} episodes of the task failed")
        for attempt in itertools.count():
            try:
                return _checked(await self._call(group, threads), len(group))
            except Exception as error:
                pause = retry_pause(error, attempt, self._retries)
                if pause is None:
                    raise
                await asyncio.sleep(pause)
        raise AssertionError

    async def _call(self, group: list[Trajectory], threads: CallThreads) -> Any:
        if inspect.iscoroutinefunction(self._function):
            return await self._function(group)
        found = await threads.run(lambda: self._function(group))
        return await found if inspect.isawaitable(found) else found


def _checked(rewards: Any, count: int) -> list[float]:
    try:
        numbers = [float(reward) for reward in rewards]
    except (TypeError, ValueError):
        numbers = []
    if len(numbers) != count or not all(map(math.isfinite, numbers)):
        raise GroupFailure(
            f"group_reward gave {rewards!r:.100} for {count} episodes; "
            "it must give a finite number for each"
        )
    return numbers


def _set_reward(trajectory: Trajectory, reward: float) -> None:
    """Replace the reward of an episode, in its last step if it has one."""
    for last in trajectory["steps"][-1:]:
        own = last["reward"] or 0.0
        last.setdefault("task_reward", own)
        last["reward"] = own + reward - (trajectory["reward"] or 0.0)
        last["components"] = {**last["components"], COMPONENT: reward}
    trajectory["reward"] = reward


def _fail(group: list[Trajectory], error: Exception) -> None:
    """Make all members failed episodes; those that had failed keep their failure."""
    if not isinstance(error, BoundaryFailure):
        error = GroupFailure(f"group_reward failed: {in_one_line(error)}")
    for member in group:
        if member["failure"] is None:
            member["failure"] = failure_of(error)
            member["reward"] = member["is_success"] = None
            member["stop_reason"] = ""
