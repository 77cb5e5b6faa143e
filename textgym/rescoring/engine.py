"""Rewards computed again from stored episodes, with today's verifier and without the model.

Each episode is played again with the messages that are stored. What always holds: an episode whose
prompt or observations are not what they were is never rescored, but counted as not comparable; a
failure is counted as one and gives no reward; of a run of any length, only the episodes under way
and the verdicts that are kept are in memory.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import logging
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import gymnasium as gym

from textgym import __version__
from textgym.concurrency.thread_pool import Threads
from textgym.errors import BoundaryFailure, RunError, UsageError
from textgym.metrics.episode_table import EpisodeTable
from textgym.metrics.run_metrics import run_metrics
from textgym.registry import make
from textgym.rescoring.replay import Replay, can_be_replayed
from textgym.rescoring.verdicts import Findings, Rescore, Verdict, changes_between, is_close
from textgym.rollouts.calls import Calls
from textgym.rollouts.episode import Job, play, unplayed
from textgym.rollouts.plan import arguments_for, check_own_arguments, recorded
from textgym.trajectories.data_digests import changed_data, data_of
from textgym.trajectories.run import Run
from textgym.trajectories.schema import SCHEMA_VERSION, Failure, Step, Trajectory
from textgym.trajectories.selection import checked
from textgym.trajectories.store import RunFolder, read_asked, read_trajectories

__all__ = ["arescore", "rescore"]

EnvMaker = Callable[[], gym.Env[Any, Any]]
_TURNS_OF_THE_LOOP = 16  # episodes after which a worker lets the others go on
_log = logging.getLogger(__name__)


def rescore(run: str | Path | Run, **options: Any) -> Rescore:
    """Compute a run's rewards again; see `arescore` for the arguments.

    Raises:
        UsageError: It was called inside a running event loop, where `arescore` is the one.

    Example:
        >>> import textgym
        >>> run = textgym.rollout("textgym/MCQA-v0", "random", episodes=20)
        >>> found = textgym.rescore(run)
        >>> found.counts["same"], found.mean_after == run.mean_reward
        (20, True)
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(arescore(run, **options))
    raise UsageError("an event loop is running here: await textgym.arescore(...) instead")


async def arescore(
    run: str | Path | Run,
    *,
    env_kwargs: Mapping[str, Any] | None = None,
    envs: EnvMaker | None = None,
    out: str | Path | None = None,
    concurrency: int = 64,
    retries: int = 2,
    keep: int = 1000,
    on_episode: Callable[[Verdict], None] | None = None,
) -> Rescore:
    """Compute a run's rewards again.

    Args:
        run: A run, or its folder.
        env_kwargs: Arguments of the environments that are to differ from the run's; under an id,
            those of that environment alone.
        envs: Makes the environment, where the run was played with such a function.
        out: A folder to which the run with today's rewards is written; all that was sampled stays.
        concurrency: The most episodes under way at once, where steps wait.
        retries: How often a failed step is tried again in an episode.
        keep: How many verdicts of each kind are kept to be listed; 0 for all.
        on_episode: Called with the verdict on each episode.

    Raises:
        UsageError: An argument cannot be, or an environment cannot be made.
        RunError: There is no run, or `out` cannot be written.
    """
    for name, value, least in (
        ("concurrency", concurrency, 1),
        ("retries", retries, 0),
        ("keep", keep, 0),
    ):
        if value < least:
            raise UsageError(f"{name} is {least} or more, not {value}")
    if envs and env_kwargs:
        raise UsageError("env_kwargs are for ids; the function makes its environment itself")
    changed = dict(env_kwargs or {})
    check_own_arguments("env_kwargs", changed, _ids_of(run))
    stored = _read(run)
    with contextlib.ExitStack() as stack:
        pool = stack.enter_context(_EnvPool(envs, changed))
        first, stored = _peek(stored, run)
        pool.put(first, pool.take(first))  # what cannot be made is told before `out` is there
        record = _Record(run, out, changed, keep, on_episode)
        stack.callback(record.close)
        calls = Calls(stack.enter_context(Threads(concurrency)))
        queue = enumerate(stored)

        async def work() -> None:
            for number, trajectory in queue:
                record.add(number, *await _rescore(trajectory, pool, retries, calls))
                if number % _TURNS_OF_THE_LOOP == 0:
                    await asyncio.sleep(0)

        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(concurrency):
                    group.create_task(work())
        except BaseExceptionGroup as errors:
            raise errors.exceptions[0] from None
        return record.finish(tuple(changed_data(_data(run), pool.data)))


def _read(run: str | Path | Run) -> Iterator[Trajectory]:
    return checked(run.trajectories() if isinstance(run, Run) else read_trajectories(run))


def _peek(
    trajectories: Iterator[Trajectory], run: str | Path | Run
) -> tuple[Trajectory, Iterator[Trajectory]]:
    first = next(trajectories, None)
    if first is None:
        where = "the run" if isinstance(run, Run) else repr(str(run))
        raise RunError(f"{where} holds no episode")
    return first, itertools.chain([first], trajectories)


class _EnvPool:
    """Environments that are not in use, by id and arguments.

    Args:
        maker: Makes every environment, in place of the ids.
        changed: Arguments that differ from the stored ones.

    Attributes:
        data: The digests of the data that the environments read, for each id.
    """

    def __init__(self, maker: EnvMaker | None, changed: Mapping[str, Any]) -> None:
        self._maker = maker
        self._changed = changed
        self._idle: dict[str, list[gym.Env[Any, Any]]] = defaultdict(list)
        self.data: dict[str, dict[str, str]] = {}

    def arguments(self, trajectory: Trajectory) -> dict[str, Any]:
        """Return the arguments with which an episode is played again, as they are recorded."""
        return {**trajectory["env_kwargs"], **recorded(self._changes(trajectory))}

    def take(self, trajectory: Trajectory) -> gym.Env[Any, Any]:
        """Return an environment for an episode.

        Raises:
            UsageError: There is no such environment or argument.
            BoundaryFailure: It cannot be made for now.
        """
        idle = self._idle[self._key(trajectory)]
        if idle:
            return idle.pop()
        env = self._make(trajectory)
        self.data |= data_of({trajectory["env_id"]: env})
        return env

    def _make(self, trajectory: Trajectory) -> gym.Env[Any, Any]:
        if self._maker:
            return self._maker()
        return make(
            trajectory["env_id"], **{**trajectory["env_kwargs"], **self._changes(trajectory)}
        )

    def put(self, trajectory: Trajectory, env: gym.Env[Any, Any]) -> None:
        """Take an environment back, for other episodes like this one."""
        self._idle[self._key(trajectory)].append(env)

    def _changes(self, trajectory: Trajectory) -> dict[str, Any]:
        return arguments_for(trajectory["env_id"], self._changed)

    def _key(self, trajectory: Trajectory) -> str:
        return json.dumps([trajectory["env_id"], trajectory["env_kwargs"]], sort_keys=True)

    def __enter__(self) -> _EnvPool:
        return self

    def __exit__(self, *error: object) -> None:
        for env in itertools.chain(*self._idle.values()):
            _close(env)


def _close(env: gym.Env[Any, Any]) -> None:
    try:
        env.close()
    except Exception as error:
        _log.warning("an environment could not be closed: %s: %s", type(error).__name__, error)


async def _rescore(
    stored: Trajectory, pool: _EnvPool, retries: int, calls: Calls
) -> tuple[Verdict, Trajectory]:
    """Return the verdict on an episode, and its trajectory of today."""
    kwargs = pool.arguments(stored)
    failure = stored["failure"]
    if failure and not can_be_replayed(stored):
        reason = f"it failed at the {failure['boundary']}: {failure['type']}"
        return _verdict("left", stored, reason=reason), {**stored, "env_kwargs": kwargs}
    place = (stored["task_index"], stored["repeat"], stored["seed"])
    job = Job(stored["env_id"], kwargs, *place)
    replay = Replay(stored)
    new = await _replay(stored, replay, job, pool, retries, calls)
    if not new["failure"]:
        replay.compare_end(new["messages"])
    if replay.difference:
        failure = {
            "boundary": "environment",
            "type": "NotComparable",
            "message": replay.difference,
        }
        verdict = _verdict("not_comparable", stored, reason=replay.difference)
        return verdict, _ungraded(stored, kwargs, failure, stored["info"])
    if new["failure"]:
        failure = new["failure"]
        reason = f"{failure['boundary']}: {failure['type']}: {failure['message']}"
        verdict = _verdict("failed", stored, reason=reason)
        return verdict, _ungraded(stored, kwargs, failure, new["info"])
    return _compare(stored, new), _graded(stored, new)


async def _replay(
    stored: Trajectory, replay: Replay, job: Job, pool: _EnvPool, retries: int, calls: Calls
) -> Trajectory:
    try:
        env = pool.take(stored)
    except BoundaryFailure as failure:
        return unplayed(job, replay.name, failure)
    new = await play(env, replay, job, retries, calls)
    if new["failure"] and not replay.difference:
        _close(env)  # its state is unknown
    else:
        pool.put(stored, env)
    return new


def _verdict(kind: str, stored: Trajectory, **more: Any) -> Verdict:
    task = (stored["task_id"], stored["task_index"], stored["repeat"])
    return Verdict(kind, stored["env_id"], *task, old_reward=stored["reward"], **more)


def _compare(stored: Trajectory, new: Trajectory) -> Verdict:
    if stored["failure"]:
        reason = f"it had failed: {stored['failure']['type']}"
        return _verdict("different", stored, new_reward=new["reward"], reason=reason)
    changes = changes_between(stored, new)
    same = not changes and is_close(stored["reward"], new["reward"])
    kind = "same" if same else "different"
    return _verdict(kind, stored, new_reward=new["reward"], changes=changes)


def _graded(stored: Trajectory, new: Trajectory) -> Trajectory:
    """Return a stored episode with today's grade; what was sampled, and its cost, stays."""
    steps: list[Step] = [
        {**then, "reward": now["reward"], "components": now["components"]}
        for then, now in zip(stored["steps"], new["steps"], strict=True)
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


def _ungraded(
    stored: Trajectory, kwargs: dict[str, Any], failure: Failure, info: dict[str, Any]
) -> Trajectory:
    """Return a stored episode that has no reward today."""
    return {
        **stored,
        "env_kwargs": kwargs,
        "steps": [{**step, "reward": None, "components": {}} for step in stored["steps"]],
        "terminated": False,
        "truncated": False,
        "stop_reason": "",
        "is_success": None,
        "reward": None,
        "info": info,
        "failure": failure,
    }


class _Record:
    """Takes each episode's verdict, and writes its trajectory of today where that is wanted."""

    def __init__(
        self,
        run: str | Path | Run,
        out: str | Path | None,
        changed: dict[str, Any],
        keep: int,
        on_episode: Callable[[Verdict], None] | None,
    ) -> None:
        self._folder = None if out is None else RunFolder(out, _asked(run, changed))
        self._findings = Findings(keep)
        self._episode_table = EpisodeTable()
        self._on_episode = on_episode

    def add(self, number: int, verdict: Verdict, trajectory: Trajectory) -> None:
        self._findings.add(number, verdict)
        if self._folder:
            self._folder.add(trajectory)
            self._episode_table.add(trajectory)
        if self._on_episode:
            self._on_episode(verdict)

    def finish(self, changed_data: tuple[str, ...]) -> Rescore:
        if self._folder:
            self._folder.finish(run_metrics(self._episode_table))
        return self._findings.result(self._folder.path if self._folder else None, changed_data)

    def close(self) -> None:
        if self._folder:
            self._folder.close()


def _asked(run: str | Path | Run, changed: dict[str, Any]) -> dict[str, Any]:
    """Return what the new run's `run.json` says: what the old one's does, and that it is new."""
    folder, held = run.out if isinstance(run, Run) else Path(run), _held(run)
    changed = recorded(changed)
    kwargs = dict(held.get("env_kwargs") or {})
    for name, value in changed.items():
        kwargs[name] = value if name.isidentifier() else {**kwargs.get(name, {}), **value}
    return {
        **held,
        "version": SCHEMA_VERSION,
        "textgym": __version__,
        "env_kwargs": kwargs,
        "rescored": {"run": None if folder is None else str(folder), "env_kwargs": changed},
    }


def _ids_of(run: str | Path | Run) -> list[str]:
    """Return the ids of a run's environments, as far as it tells."""
    known = run.metrics.get("envs") if isinstance(run, Run) else _held(run).get("tasks")
    return list(known or ())


def _data(run: str | Path | Run) -> Any:
    """Return the digests of the data that a run was played on, as far as it tells."""
    return run.data if isinstance(run, Run) else _held(run).get("data")


def _held(run: str | Path | Run) -> dict[str, Any]:
    """Return what a run's `run.json` holds; nothing where there is none."""
    folder = run.out if isinstance(run, Run) else run
    return {} if folder is None else read_asked(folder)
