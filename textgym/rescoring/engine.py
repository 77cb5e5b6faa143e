"""Computing the rewards of a run again with the current verifier, without the model.

Each episode is replayed with its stored messages.

Invariants: an episode whose prompt or observations have changed is never rescored, but counted as
not comparable; a failed replay gives no reward and is counted as failed; memory holds only the
episodes under way and the verdicts to list, for a run of any length.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium as gym

from textgym._version import __version__
from textgym.concurrency.event_loops import synchronous
from textgym.concurrency.worker_calls import WorkerCalls
from textgym.errors import RunError, UsageError
from textgym.metrics.episode_table import EpisodeTable
from textgym.metrics.run_metrics import planned_episodes, run_metrics
from textgym.mixtures import check_env_ids, check_env_kwargs
from textgym.names import importable
from textgym.provenance import recorded_kwargs
from textgym.registry import import_environments, with_registered_ids
from textgym.rescoring.batches import RescoredBatch, batches, rescorer
from textgym.rescoring.replayer import EnvFns, Replayer
from textgym.rescoring.verdicts import EpisodeVerdict, Rescore, VerdictCollector
from textgym.rollouts.env_pool import check_minimum
from textgym.rollouts.merging import refresh_run
from textgym.rollouts.workers import rare_collections
from textgym.trajectories.run import Run
from textgym.trajectories.run_folder import RunFolder, read_config, read_trajectories
from textgym.trajectories.schema import SCHEMA_VERSION, Trajectory
from textgym.trajectories.selection import check_trajectories
from textgym.trajectories.task_identity import changed_data

__all__ = ["arescore", "rescore"]


async def arescore(
    run: str | Path | Run,
    *,
    env_kwargs: Mapping[str, Any] | None = None,
    envs: EnvFns | None = None,
    out: str | Path | None = None,
    concurrency: int = 64,
    retries: int = 2,
    keep: int = 1000,
    workers: int = 1,
    on_episode: Callable[[EpisodeVerdict], None] | None = None,
) -> Rescore:
    """Compute a run's rewards again.

    `rescore` blocks; in a running event loop, await `arescore`, which has the same arguments.

    Args:
        run: A run, or its folder, which `refresh_run` brings up to date.
        env_kwargs: Keyword arguments of the environments that replace the run's. A dict under an id
            applies to that environment only.
        envs: The function that makes the environment, if the run was played with one; for a mixture
            with functions, a dict of them by name.
        out: A folder for the run with the new rewards; everything that was sampled is kept.
        concurrency: The maximum number of episodes that run at once in each process.
        retries: How often a failed step is retried.
        keep: How many verdicts of each kind are listed; 0 for all.
        workers: The number of processes that replay episodes. If there are several, other processes
            must be able to import the environments, and `env_kwargs` must be picklable. Failures
            are then listed, but not logged.
        on_episode: Called with the verdict on each episode.

    Raises:
        UsageError: An argument is invalid, or an environment cannot be made, or `rescore` was
            called in a running event loop.
        RunError: There is no run, or `out` cannot be written.
        WorkerFailure: A worker died twice, and the episodes were not the reason.

    Example:
        >>> import textgym
        >>> run = textgym.rollout("textgym/MCQA-v0", "random", episodes=20)
        >>> result = textgym.rescore(run)
        >>> result.counts["same"], result.mean_after == run.mean_reward
        (20, True)
    """
    check_minimum(1, concurrency=concurrency, workers=workers)
    check_minimum(0, retries=retries, keep=keep)
    if callable(envs) and env_kwargs:
        raise UsageError("env_kwargs need an id; a function makes its environment itself")
    if not isinstance(run, Run):
        refresh_run(run)
    if not callable(envs):
        import_environments(_stored_config(run).get("imports"))
        check_env_ids("envs", envs or (), _env_ids(run))
    changes = with_registered_ids(env_kwargs or {})
    check_env_kwargs("env_kwargs", changes, _env_ids(run), () if callable(envs) else envs or ())
    stored = check_trajectories(
        run.trajectories() if isinstance(run, Run) else read_trajectories(run)
    )
    make_replayer = partial(Replayer, envs, changes, retries, _rows(run))
    with contextlib.ExitStack() as stack:
        stack.enter_context(rare_collections())
        replayer = make_replayer()
        stack.callback(replayer.pool.close)
        first, stored = _peek(stored, run)
        if any("group_reward" in step["components"] for step in first["steps"]):
            raise UsageError("rescore cannot compute group rewards again: play the run again")
        # An environment that cannot be made is reported before `out` is written.
        replayer.pool.release(replayer.acquire(first))
        recorder = _RescoreRecorder(run, out, changes, keep, on_episode)
        stack.callback(recorder.close)
        if workers == 1:
            await replayer.rescore(enumerate(stored), concurrency, recorder.add)
        else:
            make_rescorer = partial(
                rescorer, make_replayer, _folder(run), _imports(run), concurrency, out is not None
            )
            with WorkerCalls(make_rescorer, workers, name="rescoring") as calls:
                for call in calls.in_order(batches(run)):
                    await asyncio.wrap_future(call.future)
                    rescored = call.result()
                    recorder.add_batch(rescored)
                    replayer.digests |= rescored.digests
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

    def add_batch(self, batch: RescoredBatch) -> None:
        """Add episodes that a worker rescored."""
        if self._folder:
            for line in batch.lines:
                self._folder.add_line(line)
            self._episode_table.extend(*batch.table)
        for number, values in enumerate(batch.verdicts, batch.first):
            verdict = EpisodeVerdict(*values)
            self._verdicts.add(number, verdict)
            if self._on_episode:
                self._on_episode(verdict)

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
    folder, config = _folder(run), _stored_config(run)
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


def _folder(run: str | Path | Run) -> Path | None:
    return run.out if isinstance(run, Run) else Path(run)


def _env_ids(run: str | Path | Run) -> list[str]:
    """Return the ids of a run's environments, as far as they are known."""
    ids = run.metrics.get("envs") if isinstance(run, Run) else _stored_config(run).get("tasks")
    return list(ids or ())


def _imports(run: str | Path | Run) -> Any:
    """Return what another process has to import for a run's environments, by id."""
    stored = _stored_config(run).get("imports")
    if isinstance(stored, dict):
        return stored
    entries: dict[str, Any] = {
        id: gym.registry[id].entry_point for id in _env_ids(run) if id in gym.registry
    }
    return {
        id: entry if isinstance(entry, str) else importable(entry) for id, entry in entries.items()
    }


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
    folder = _folder(run)
    return {} if folder is None else read_config(folder)
