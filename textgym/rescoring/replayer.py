"""Replaying stored episodes, each in an environment with its keyword arguments.

Invariant: an environment that a replay left in an unknown state is closed, and another is made.
"""

from __future__ import annotations

import asyncio
import functools
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import gymnasium as gym

from textgym.concurrency.calls import CallThreads
from textgym.errors import BoundaryFailure
from textgym.mixtures import EnvFn, kwargs_for_env
from textgym.provenance import recorded_kwargs, wrappers_of
from textgym.registry import make
from textgym.rescoring.replay import Replay, can_be_replayed
from textgym.rescoring.verdicts import (
    EpisodeVerdict,
    compare,
    make_verdict,
    with_failure,
    with_new_grade,
)
from textgym.rollouts.env_pool import EnvPool, PooledEnv
from textgym.rollouts.episode import Job, play, unplayed_trajectory
from textgym.rollouts.recorder import RunLog
from textgym.rollouts.workers import EPISODES_PER_YIELD
from textgym.trajectories.schema import Trajectory
from textgym.trajectories.task_identity import digests_of
from textgym.wrappers.specs import apply_wrappers

__all__ = ["EnvFns", "Replayer", "Rescored"]

EnvFns = EnvFn | Mapping[str, EnvFn]
Rescored = tuple[EpisodeVerdict, Trajectory]
"""The verdict on an episode, and its new trajectory."""


class Replayer:
    """Replays stored episodes.

    Args:
        env_fns: Makes every environment, or is a dict for some ids; all others are made by id.
        changes: Keyword arguments that replace the stored ones.
        retries: How often a failed step is retried.
        rows: The rows that were given as tasks, by environment.

    Attributes:
        pool: The environments.
        digests: The digests of the data that the environments read, by id.
    """

    def __init__(
        self,
        env_fns: EnvFns | None,
        changes: Mapping[str, Any],
        retries: int,
        rows: Mapping[str, Sequence[Mapping[str, Any]]],
    ) -> None:
        self._env_fns = env_fns or {}
        self._changes = changes
        self._retries = retries
        self._rows = rows
        self._log = RunLog()
        self.pool = EnvPool(self._log)
        self.digests: dict[str, dict[str, str]] = {}

    def acquire(self, stored: Trajectory) -> PooledEnv:
        """Return an environment for an episode.

        Raises:
            UsageError: There is no such environment or argument.
            BoundaryFailure: It cannot be made at the moment.
        """
        key = json.dumps([stored["env_id"], stored["env_kwargs"]], sort_keys=True)
        return self.pool.acquire(key, functools.partial(self._make, stored))

    def _make(self, stored: Trajectory) -> gym.Env[Any, Any]:
        id = stored["env_id"]
        env_fn = self._env_fns if callable(self._env_fns) else self._env_fns.get(id)
        if env_fn:
            env = env_fn()
            # The function applies the first wrappers; the run put the others around them.
            others = stored["env_kwargs"].get("wrappers", [])[len(wrappers_of(env)) :]
            env = apply_wrappers(env, others)
        else:
            env = make(id, **{**stored["env_kwargs"], **kwargs_for_env(id, self._changes)})
        self.digests |= digests_of({id: env})
        return env

    async def rescore(
        self,
        episodes: Iterator[tuple[int, Trajectory]],
        concurrency: int,
        on_episode: Callable[[int, EpisodeVerdict, Trajectory], None],
    ) -> None:
        """Rescore episodes.

        Args:
            episodes: The number of each episode, and the stored episode.
            concurrency: The maximum number of episodes that run at once.
            on_episode: Called with the number, the verdict and the new trajectory of each episode.

        Raises:
            UsageError: An episode cannot be read, or its environment cannot be made.
        """

        async def work(threads: CallThreads) -> None:
            for number, stored in episodes:
                on_episode(number, *await self._rescore(stored, threads))
                if number % EPISODES_PER_YIELD == 0:
                    await asyncio.sleep(0)

        try:
            async with CallThreads(concurrency) as threads, asyncio.TaskGroup() as group:
                for _ in range(concurrency):
                    group.create_task(work(threads))
        except BaseExceptionGroup as errors:
            raise errors.exceptions[0] from None

    async def _rescore(self, stored: Trajectory, threads: CallThreads) -> Rescored:
        changes = recorded_kwargs(kwargs_for_env(stored["env_id"], self._changes))
        kwargs = {**stored["env_kwargs"], **changes}
        failure = stored["failure"]
        if failure and not can_be_replayed(stored):
            reason = f"it failed at the {failure['boundary']}: {failure['type']}"
            return make_verdict("left", stored, reason=reason), {**stored, "env_kwargs": kwargs}
        replay = Replay(stored)
        new = await self._play(stored, replay, kwargs, threads)
        failure = new["failure"]
        if not failure:
            replay.compare_end(new["messages"])
        if replay.difference:
            verdict = make_verdict("not_comparable", stored, reason=replay.difference)
            failure = {
                "boundary": "environment",
                "type": "NotComparable",
                "message": replay.difference,
                "traceback": "",
            }
            return verdict, with_failure(stored, kwargs, failure, stored["info"])
        if failure:
            reason = f"{failure['boundary']}: {failure['type']}: {failure['message']}"
            verdict = make_verdict("failed", stored, reason=reason)
            return verdict, with_failure(stored, kwargs, failure, new["info"])
        return compare(stored, new), with_new_grade(stored, new)

    async def _play(
        self, stored: Trajectory, replay: Replay, kwargs: dict[str, Any], threads: CallThreads
    ) -> Trajectory:
        id, index = stored["env_id"], stored["task_index"]
        row = stored.get("row") or (self._rows[id][index] if id in self._rows else None)
        job = Job(id, kwargs, index, stored["repeat"], stored["seed"], row)
        try:
            pooled = self.acquire(stored)
        except BoundaryFailure as failure:
            self._log.add_failure(id, failure)
            return unplayed_trajectory(job, replay.name, failure)

        def log(owner: object, error: BaseException) -> None:
            if not replay.difference:  # which is a verdict on the episode
                self._log.add_failure(owner, error)

        new = await play(pooled, replay, job, self._retries, threads, on_failure=log)
        if new["failure"] and not replay.difference:
            self.pool.discard(pooled)
        else:
            self.pool.release(pooled)
        return new
