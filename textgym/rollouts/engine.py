"""The rollout engine: many episodes at once, one coroutine for each that is under way.

What always holds: every episode that is asked for is recorded once, in this sitting or in one that
goes on with it; what is recorded is stored before the next thing happens; one bad episode ends
nothing, and a run in which everything fails is given up early.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from textgym import __version__
from textgym.errors import RunError, UsageError
from textgym.metrics.episode_table import EpisodeTable
from textgym.metrics.run_metrics import run_metrics
from textgym.policies import Policy, make_policy
from textgym.rollouts.episode import Job
from textgym.rollouts.plan import (
    Envs,
    arguments_for,
    arguments_of,
    check_ids,
    list_jobs,
    make_makers,
    plan_tasks,
    recorded,
)
from textgym.rollouts.pool import play_all
from textgym.rollouts.prompts import SamePrompt
from textgym.rollouts.schedule import Schedule
from textgym.trajectories.data_digests import Data, data_of, with_same_data
from textgym.trajectories.run import Run
from textgym.trajectories.schema import SCHEMA_VERSION, Failure, Trajectory
from textgym.trajectories.store import RunFolder, read_trajectories

__all__ = ["HOPELESS", "arollout", "rollout"]

HOPELESS = 100  # so many episodes, all failed and none before them played, and a run is given up
_log = logging.getLogger(__name__)


def rollout(envs: Envs, policy: str | Policy, **options: Any) -> Run:
    """Play many episodes at once and return what they gave; see `arollout` for the arguments.

    Raises:
        UsageError: It was called inside a running event loop, where `arollout` is the one.

    Example:
        >>> import textgym
        >>> run = textgym.rollout("textgym/MCQA-v0", "oracle", episodes=20)
        >>> run.mean_reward, run.metrics["overall"]["episodes"]
        (1.0, 20)
    """
    if _loop_is_running():
        raise UsageError("an event loop is running here: await textgym.arollout(...) instead")
    return asyncio.run(arollout(envs, policy, **options))


async def arollout(
    envs: Envs,
    policy: str | Policy,
    *,
    episodes: int | None = None,
    repeats: int = 1,
    start: int = 0,
    concurrency: int = 64,
    env_concurrency: Mapping[str, int] | None = None,
    seed: int = 0,
    out: str | Path | None = None,
    resume: bool = False,
    retries: int = 2,
    env_kwargs: Mapping[str, Any] | None = None,
    sampling: Mapping[str, Any] | None = None,
    on_start: Callable[[int], None] | None = None,
    on_episode: Callable[[Trajectory], None] | None = None,
) -> Run:
    """Play many episodes at once and return what they gave.

    Args:
        envs: An id, several ids with weights, or a function that makes an environment.
        policy: A spec or a policy. A policy made here from a spec is closed at the end.
        episodes: How many tasks, 0, 1, 2, … of each environment; several environments share them
            by weight. None takes all.
        repeats: How many episodes of each task, with one prompt.
        start: The index of each environment's first task, instead of 0.
        concurrency: The most episodes under way at once.
        env_concurrency: The most of one environment, by id, where that is to be fewer.
        seed: The environment's seed comes from it and the task; the sampling seed from it, the
            task and the repeat.
        out: A folder to write to; None keeps the trajectories in memory.
        resume: Go on with the run that `out` holds.
        retries: How often a failed step or policy is tried again in an episode.
        env_kwargs: Arguments of the environments; under an id, those of that environment alone.
        sampling: Settings of `Sampling`, for a policy that is named by a spec.
        on_start: Called once with the number of episodes to play.
        on_episode: Called with each trajectory as it finishes.

    Raises:
        UsageError: What was asked for cannot be; the message says what would be right.
        RunError: `out` cannot be used.
    """
    limits = dict(env_concurrency or {})
    _check_counts(1, repeats=repeats, concurrency=concurrency)
    _check_counts(0, retries=retries, start=start)
    _check_counts(1, **{f"env_concurrency of {id}": limit for id, limit in limits.items()})
    if resume and out is None:
        raise RunError("resume needs the folder of the run: out=")
    kwargs = dict(env_kwargs or {})
    makers = make_makers(envs, kwargs)
    check_ids("env_concurrency", limits, makers)
    async with contextlib.AsyncExitStack() as stack:
        player = make_policy(policy, sampling)
        if player is not policy:
            stack.push_async_callback(player.close)
        samples = {id: maker() for id, maker in makers.items()}  # they hold the shared data sets
        for env in samples.values():
            stack.callback(env.close)
        made_with = arguments_of(*samples.values()) if callable(envs) else kwargs
        tasks = plan_tasks(samples, envs, episodes, start, player)
        data = data_of(samples)
        makers = with_same_data(makers, data)
        asked = {
            "version": SCHEMA_VERSION,
            "textgym": __version__,
            "envs": dict(envs) if isinstance(envs, Mapping) else sorted(makers),
            "env_kwargs": recorded(made_with),
            **({"data": data} if data else {}),
            "policy": player.name,
            "sampling": player.sampling.as_dict() if player.sampling else None,
            "episodes": episodes,
            "start": start,
            "tasks": {id: len(mine) for id, mine in tasks.items()},
            "repeats": repeats,
            "seed": seed,
        }
        folder = RunFolder(out, asked, resume) if out is not None else None
        if folder:
            stack.callback(folder.close)
        count = sum(map(len, tasks.values())) * repeats
        check = SamePrompt(repeats) if repeats > 1 else None
        record = _Record(folder, count, data, on_episode)
        if folder and resume:
            record.take_over(folder, check, tasks, repeats, seed)
        if on_start:
            on_start(record.left)
        jobs = {}
        for id, mine in tasks.items():
            shown = recorded(arguments_for(id, made_with))
            jobs[id] = record.wanted(list_jobs(id, mine, repeats, seed, shown))
        schedule = Schedule(jobs, tasks, limits)
        workers = min(concurrency, record.left)
        try:
            await play_all(schedule, makers, player, workers, retries, record.add, check)
        except BaseException:
            with contextlib.suppress(RunError):
                record.finish()
            raise
        return record.finish()


def _check_counts(least: int, **counts: Any) -> None:
    for name, value in counts.items():
        if not isinstance(value, int) or value < least:
            raise UsageError(f"{name} is {least} or more, not {value}")


def _loop_is_running() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


class _Record:
    """Takes each trajectory once: to the folder or into memory, and into the figures."""

    def __init__(
        self,
        folder: RunFolder | None,
        asked: int,
        data: Data,
        on_episode: Callable[[Trajectory], None] | None,
    ) -> None:
        self.folder = folder
        self.data = data
        self.on_episode = on_episode
        self.kept: list[Trajectory] = []
        self.episode_table = EpisodeTable()
        self.done: set[tuple[str, int, int]] = set()
        self.played = self.failed = 0
        self.given_up = False
        self.left = asked

    def take_over(
        self,
        folder: RunFolder,
        check: SamePrompt | None,
        tasks: Mapping[str, range],
        repeats: int,
        seed: int,
    ) -> None:
        """Count what the folder holds as played; drop what failed, to be played again.

        Raises:
            RunError: It holds an episode twice, or one that is not of these tasks.
        """
        failed = 0
        for held in read_trajectories(folder.path):
            if held["failure"]:
                failed += 1
                continue
            id, index, repeat = key = held["env_id"], held["task_index"], held["repeat"]
            planned = index in tasks.get(id, ()) and repeat in range(repeats)
            if key in self.done or not planned or held["seed"] != seed:
                how = "twice" if key in self.done else "which is not of this run"
                raise RunError(
                    f"{str(folder.path)!r} holds task {index}, repeat {repeat} of {id}, {how}: put "
                    "its trajectories back as they were, or name another folder"
                )
            self.done.add(key)
            self.episode_table.add(held)
            if check:
                check.take_over(held)
        if failed:
            folder.forget(lambda held: not held["failure"])
        self.left -= len(self.done)

    def wanted(self, jobs: Iterator[Job]) -> Iterator[Job]:
        """Give the jobs that are not done."""
        for job in jobs:
            if (job.env_id, job.task_index, job.repeat) not in self.done:
                yield job

    def add(self, trajectory: Trajectory) -> bool:
        """Take a trajectory; return whether the run has hope."""
        if self.folder:
            self.folder.add(trajectory)
        else:
            self.kept.append(trajectory)
        self.episode_table.add(trajectory)
        if self.on_episode:
            self.on_episode(trajectory)
        self.played += 1
        failure = trajectory["failure"]
        self.failed += failure is not None
        if failure and self.played == self.failed == HOPELESS < self.left:
            self._give_up(failure)
        return not self.given_up

    def _give_up(self, failure: Failure) -> None:
        self.given_up = True
        _log.error(
            "the first %d episodes all failed, and the run was given up; the last: %s: %s",
            self.played,
            failure["type"],
            failure["message"],
        )

    def finish(self) -> Run:
        """Store the figures, and return what there is."""
        metrics = run_metrics(self.episode_table)
        if self.folder:
            self.folder.finish(metrics)
        path = self.folder.path if self.folder else None
        return Run(metrics, path, tuple(self.kept), self.given_up, self.data)
