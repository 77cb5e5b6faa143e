"""Computing the rewards of a run again with the current verifier, without the model.

Each episode is replayed with its stored messages.

Invariants: an episode whose prompt or observations have changed is never rescored, but counted as
not comparable; a failed replay gives no reward and is counted as failed; memory holds only the
episodes under way and the verdicts to list, for a run of any length.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import itertools
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import gymnasium as gym

from textgym._version import __version__
from textgym.concurrency.calls import CallThreads
from textgym.concurrency.event_loops import synchronous
from textgym.errors import BoundaryFailure, RunError, UsageError
from textgym.metrics.episode_table import EpisodeTable
from textgym.metrics.run_metrics import planned_episodes, run_metrics
from textgym.mixtures import EnvFn, check_env_ids, check_env_kwargs, kwargs_for_env
from textgym.provenance import recorded_kwargs, wrappers_of
from textgym.registry import import_environments, make, with_registered_ids
from textgym.rescoring.replay import Replay, can_be_replayed
from textgym.rescoring.verdicts import (
    EpisodeVerdict,
    Rescore,
    VerdictCollector,
    compare,
    make_verdict,
    with_failure,
    with_new_grade,
)
from textgym.rollouts.env_pool import EnvPool, PooledEnv, check_minimum
from textgym.rollouts.episode import Job, play, unplayed_trajectory
from textgym.rollouts.recorder import RunLog
from textgym.rollouts.workers import EPISODES_PER_YIELD, rare_collections
from textgym.trajectories.run import Run
from textgym.trajectories.run_folder import RunFolder, read_config, read_trajectories
from textgym.trajectories.schema import SCHEMA_VERSION, Trajectory
from textgym.trajectories.selection import check_trajectories
from textgym.trajectories.task_identity import changed_data, digests_of
from textgym.wrappers.specs import apply_wrappers

__all__ = ["arescore", "rescore"]

EnvFns = EnvFn | Mapping[str, EnvFn]


async def arescore(
    run: str | Path | Run,
    *,
    env_kwargs: Mapping[str, Any] | None = None,
    envs: EnvFns | None = None,
    out: str | Path | None = None,
    concurrency: int = 64,
    retries: int = 2,
    keep: int = 1000,
    on_episode: Callable[[EpisodeVerdict], None] | None = None,
) -> Rescore:
    """Compute a run's rewards again.

    `rescore` blocks; in a running event loop, await `arescore`, which has the same arguments.

    Args:
        run: A run, or its folder.
        env_kwargs: Keyword arguments of the environments that replace the run's. A dict under an id
            applies to that environment only.
        envs: The function that makes the environment, if the run was played with one; for a mixture
            with functions, a dict of them by name.
        out: A folder for the run with the new rewards; everything that was sampled is kept.
        concurrency: The maximum number of episodes that run at once.
        retries: How often a failed step is retried.
        keep: How many verdicts of each kind are listed; 0 for all.
        on_episode: Called with the verdict on each episode.

    Raises:
        UsageError: An argument is invalid, or an environment cannot be made, or `rescore` was
            called in a running event loop.
        RunError: There is no run, or `out` cannot be written.

    Example:
        >>> import textgym
        >>> run = textgym.rollout("textgym/MCQA-v0", "random", episodes=20)
        >>> result = textgym.rescore(run)
        >>> result.counts["same"], result.mean_after == run.mean_reward
        (20, True)
    """
    check_minimum(1, concurrency=concurrency)
    check_minimum(0, retries=retries, keep=keep)
    if callable(envs) and env_kwargs:
        raise UsageError("env_kwargs need an id; a function makes its environment itself")
    if not callable(envs):
        import_environments(_stored_config(run).get("imports"))
        check_env_ids("envs", envs or (), _env_ids(run))
    changes = with_registered_ids(env_kwargs or {})
    check_env_kwargs("env_kwargs", changes, _env_ids(run), () if callable(envs) else envs or ())
    stored = check_trajectories(
        run.trajectories() if isinstance(run, Run) else read_trajectories(run)
    )
    async with contextlib.AsyncExitStack() as stack:
        stack.enter_context(rare_collections())
        replayer = _Replayer(envs, changes, retries, _rows(run))
        stack.callback(replayer.pool.close)
        first, stored = _peek(stored, run)
        if any("group_reward" in step["components"] for step in first["steps"]):
            raise UsageError("rescore cannot compute group rewards again: play the run again")
        # An environment that cannot be made is reported before `out` is written.
        replayer.pool.release(replayer.acquire(first))
        recorder = _RescoreRecorder(run, out, changes, keep, on_episode)
        stack.callback(recorder.close)
        threads = await stack.enter_async_context(CallThreads(concurrency))
        queue = enumerate(stored)

        async def work() -> None:
            for number, trajectory in queue:
                recorder.add(number, *await replayer.rescore(trajectory, threads))
                if number % EPISODES_PER_YIELD == 0:
                    await asyncio.sleep(0)

        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(concurrency):
                    group.create_task(work())
        except BaseExceptionGroup as errors:
            raise errors.exceptions[0] from None
        return recorder.finish(tuple(changed_data(_data_digests(run), replayer.digests)))


rescore = synchronous(arescore, refuses_running_loop=True)


def _peek(
    trajectories: Iterator[Trajectory], run: str | Path | Run
) -> tuple[Trajectory, Iterator[Trajectory]]:
    first = next(trajectories, None)
    if first is None:
        where = "the run" if isinstance(run, Run) else repr(str(run))
        raise RunError(f"{where} holds no episode")
    return first, itertools.chain([first], trajectories)


class _Replayer:
    """Replays stored episodes, each in an environment with its keyword arguments.

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
        self, stored: Trajectory, threads: CallThreads
    ) -> tuple[EpisodeVerdict, Trajectory]:
        """Return the verdict on an episode, and its new trajectory."""
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


class _RescoreRecorder:
    """Collects the verdicts, and writes the new trajectories if there is a folder for them."""

    def __init__(
        self,
        run: str | Path | Run,
        out: str | Path | None,
        changes: dict[str, Any],
        keep: int,
        on_episode: Callable[[EpisodeVerdict], None] | None,
    ) -> None:
        config = _config(run, changes)
        self._folder = None if out is None else RunFolder(out, config)
        self._planned = planned_episodes(config)
        self._verdicts = VerdictCollector(keep)
        self._episode_table = EpisodeTable()
        self._on_episode = on_episode

    def add(self, number: int, verdict: EpisodeVerdict, trajectory: Trajectory) -> None:
        self._verdicts.add(number, verdict)
        if self._folder:
            self._folder.add(trajectory)
            self._episode_table.add(trajectory)
        if self._on_episode:
            self._on_episode(verdict)

    def finish(self, changed_data: tuple[str, ...]) -> Rescore:
        if self._folder:
            self._folder.write_metrics(run_metrics(self._episode_table, self._planned))
        return self._verdicts.result(self._folder.path if self._folder else None, changed_data)

    def close(self) -> None:
        if self._folder:
            self._folder.close()


def _config(run: str | Path | Run, changes: dict[str, Any]) -> dict[str, Any]:
    """Return the `run.json` of the new run: the old one, and how it was rescored."""
    folder, config = run.out if isinstance(run, Run) else Path(run), _stored_config(run)
    changes = recorded_kwargs(changes)
    kwargs = dict(config.get("env_kwargs") or {})
    for name, value in changes.items():
        kwargs[name] = value if name.isidentifier() else {**kwargs.get(name, {}), **value}
    return {
        **config,
        "version": SCHEMA_VERSION,
        "textgym": __version__,
        "env_kwargs": kwargs,
        "rescored": {"run": None if folder is None else str(folder), "env_kwargs": changes},
    }


def _env_ids(run: str | Path | Run) -> list[str]:
    """Return the ids of a run's environments, as far as they are known."""
    ids = run.metrics.get("envs") if isinstance(run, Run) else _stored_config(run).get("tasks")
    return list(ids or ())


def _data_digests(run: str | Path | Run) -> Any:
    """Return the digests of the data that a run was played on, as far as they are known."""
    return run.data if isinstance(run, Run) else _stored_config(run).get("data")


def _rows(run: str | Path | Run) -> Mapping[str, Sequence[Mapping[str, Any]]]:
    """Return the rows that were given as a run's tasks, by environment."""
    if isinstance(run, Run):
        return run.rows
    given = _stored_config(run).get("given_tasks") or {}
    return {id: items for id, items in given.items() if items and isinstance(items[0], Mapping)}


def _stored_config(run: str | Path | Run) -> dict[str, Any]:
    """Return a run's `run.json`; an empty dict if it is missing."""
    folder = run.out if isinstance(run, Run) else run
    return {} if folder is None else read_config(folder)
