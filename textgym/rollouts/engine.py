"""The rollout engine: many episodes at once, one coroutine for each that is running.

Invariants: every episode that is asked for is recorded exactly once, in this call or in one that
resumes the run; a trajectory is stored before anything else happens to it; one failed episode never
ends a run, and a run in which every episode fails is stopped early.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gymnasium as gym

from textgym._version import __version__
from textgym.concurrency.blocking import CallThreads
from textgym.curricula import Curriculum, read_curriculum
from textgym.errors import RunError, UsageError
from textgym.json_values import json_row
from textgym.metrics.run_index import Key
from textgym.mixtures import check_env_ids, functions_of, kwargs_for_env, weights_of
from textgym.policies import Policy, make_policy
from textgym.provenance import env_name, kwargs_from_spec, provenance, recorded_kwargs
from textgym.registry import registered_envs, with_registered_ids
from textgym.rollouts.curriculum_schedule import CurriculumSchedule, add_result
from textgym.rollouts.env_pool import PooledEnv
from textgym.rollouts.episode import Job, SamePromptCheck, play
from textgym.rollouts.plan import (
    Envs,
    GivenTasks,
    list_jobs,
    make_env_fns,
    plan_tasks,
    recorded_envs,
    with_test_split,
    with_wrappers,
)
from textgym.rollouts.recorder import RunLog, RunRecorder
from textgym.rollouts.resume import read_completed, remaining, unfinished
from textgym.rollouts.schedule import Schedule
from textgym.rollouts.workers import play_all
from textgym.trajectories.data_digests import digests_of, with_unchanged_data
from textgym.trajectories.run_folder import Run, RunFolder, refuse_used_folder
from textgym.trajectories.schema import SCHEMA_VERSION, Trajectory
from textgym.wrappers.specs import WrapperSpec

if TYPE_CHECKING:
    from textgym.rollouts.progress import RunProgress

__all__ = ["arollout", "check_minimum", "play_episode", "refuse_running_loop", "rollout"]

_RETRIES = 2  # of an episode that is played alone


def rollout(
    envs: Envs,
    policy: str | Policy,
    *,
    episodes: int | None = None,
    tasks: GivenTasks | None = None,
    repeats: int = 1,
    start: int = 0,
    concurrency: int = 64,
    env_concurrency: Mapping[str, int] | None = None,
    seed: int = 0,
    out: str | Path | None = None,
    resume: bool = False,
    retries: int = 2,
    env_kwargs: Mapping[str, Any] | None = None,
    wrappers: Sequence[WrapperSpec] = (),
    curriculum: Curriculum | None = None,
    sampling: Mapping[str, Any] | None = None,
    progress: bool = False,
    on_start: Callable[[int], None] | None = None,
    on_episode: Callable[[Trajectory], None] | None = None,
) -> Run:
    """Play many episodes concurrently and return the run.

    Args:
        envs: An id, `module:ID`, `module:Class` or a class; a function that makes an environment;
            or a mixture: a dict from such names to weights. A function in a mixture is a value, on
            its own or as a pair of weight and function, and its key is the name in the results.
        policy: A policy, or the spec of one. A policy made from a spec is closed at the end.
        episodes: The number of tasks, from index `start` on. The environments of a mixture share
            them by weight. None plays all tasks of the split.
        tasks: The tasks to play instead, as a list of indices or of rows; for several environments,
            a dict with a list for each id.
        repeats: The number of episodes of each task, all with the same prompt.
        start: The index of each environment's first task.
        concurrency: The maximum number of episodes that run at once.
        env_concurrency: The maximum for single environments, by id.
        seed: With the task it determines the environment's seed; with the task and the repeat, the
            sampling seed.
        out: The folder to write to; None keeps the trajectories in memory.
        resume: Resume the run in `out`.
        retries: How often a failed step or policy call is retried.
        env_kwargs: Keyword arguments of the environments; those of a single environment as a dict
            under its id. `split` is `test` by default, as in `textgym eval`; training passes
            `{"split": "train"}`. A function, or a class without an id, makes its environment with
            its own arguments.
        wrappers: Wrappers of all environments, as in `textgym.wrappers.specs`, such as
            `["StepPenalty:amount=0.01"]`; also functions that wrap. Those of one environment are an
            argument of it: `env_kwargs={id: {"wrappers": [...]}}`.
        curriculum: Draws the environment of each task, instead of a fixed share of `episodes` for
            each: a `SuccessCurriculum`, a dict of its arguments, or True. It sees results in the
            order in which episodes finish, so only `concurrency=1` repeats a run exactly.
        sampling: Settings of `Sampling`, if the policy is given as a spec.
        progress: Show a progress bar, with the mean reward so far.
        on_start: Called once with the number of episodes to play.
        on_episode: Called with each trajectory as it finishes.

    Raises:
        UsageError: An argument is invalid, or it was called inside a running event loop; await
            `arollout` there.
        RunError: `out` cannot be used.

    Example:
        >>> import textgym
        >>> run = textgym.rollout("textgym/MCQA-v0", "oracle", episodes=20)
        >>> run.mean_reward, run.metrics["overall"]["episodes"]
        (1.0, 20)
        >>> run = textgym.rollout("textgym/MCQA-v0", "oracle", tasks=[3, 12], repeats=2)
        >>> sorted(trajectory["task_index"] for trajectory in run.trajectories())
        [3, 3, 12, 12]
    """
    refuse_running_loop("arollout")
    return asyncio.run(
        arollout(
            envs,
            policy,
            episodes=episodes,
            tasks=tasks,
            repeats=repeats,
            start=start,
            concurrency=concurrency,
            env_concurrency=env_concurrency,
            seed=seed,
            out=out,
            resume=resume,
            retries=retries,
            env_kwargs=env_kwargs,
            wrappers=wrappers,
            curriculum=curriculum,
            sampling=sampling,
            progress=progress,
            on_start=on_start,
            on_episode=on_episode,
        )
    )


async def arollout(
    envs: Envs,
    policy: str | Policy,
    *,
    episodes: int | None = None,
    tasks: GivenTasks | None = None,
    repeats: int = 1,
    start: int = 0,
    concurrency: int = 64,
    env_concurrency: Mapping[str, int] | None = None,
    seed: int = 0,
    out: str | Path | None = None,
    resume: bool = False,
    retries: int = 2,
    env_kwargs: Mapping[str, Any] | None = None,
    wrappers: Sequence[WrapperSpec] = (),
    curriculum: Curriculum | None = None,
    sampling: Mapping[str, Any] | None = None,
    progress: bool = False,
    on_start: Callable[[int], None] | None = None,
    on_episode: Callable[[Trajectory], None] | None = None,
) -> Run:
    """Play many episodes concurrently and return the run; see `rollout` for the arguments.

    Raises:
        UsageError: An argument is invalid.
        RunError: `out` cannot be used.
    """
    envs, limits = registered_envs(envs), with_registered_ids(env_concurrency or {})
    check_minimum(1, repeats=repeats, concurrency=concurrency)
    check_minimum(0, retries=retries, start=start)
    check_minimum(1, **{f"env_concurrency of {id}": limit for id, limit in limits.items()})
    if resume and out is None:
        raise RunError("resume needs the folder of the run: pass out")
    if out is not None and not resume:
        refuse_used_folder(out)
    drawing = read_curriculum(curriculum)
    kwargs, log = with_test_split(envs, with_registered_ids(env_kwargs or {})), RunLog()
    env_fns = make_env_fns(envs, kwargs, wrappers, log)
    kwargs = with_wrappers(kwargs, wrappers)
    weights = weights_of(envs) if isinstance(envs, Mapping) else {}
    named = functions_of(envs) if isinstance(envs, Mapping) else {}
    check_env_ids("env_concurrency", limits, env_fns)
    async with contextlib.AsyncExitStack() as stack:
        player = make_policy(policy, sampling)
        if player is not policy:
            stack.push_async_callback(log.close_policy, player)
        # They keep the shared data sets loaded until the end of the run.
        samples = {id: env_fn() for id, env_fn in env_fns.items()}
        for env in samples.values():
            stack.callback(log.close, env)
        by_functions = env_fns if callable(envs) else named
        made_with = {
            id: kwargs_from_spec(env) if id in by_functions else kwargs_for_env(id, kwargs)
            for id, env in samples.items()
        }
        plan = plan_tasks(samples, envs, episodes, tasks, start, player, drawing is not None)
        given = {id: mine.as_given() for id, mine in plan.items()} if tasks is not None else {}
        digests = digests_of(samples)
        config = {
            "version": SCHEMA_VERSION,
            "textgym": __version__,
            "envs": recorded_envs(envs, env_fns),
            "env_kwargs": recorded_kwargs(*made_with.values() if callable(envs) else [kwargs]),
            **provenance(samples, named),
            **({"data": digests} if digests else {}),
            "policy": player.name,
            "sampling": player.sampling.as_dict() if player.sampling else None,
            "episodes": episodes,
            "start": start,
            "tasks": {id: None if drawing else len(mine) for id, mine in plan.items()},
            **({"curriculum": drawing.as_dict()} if drawing else {}),
            **({} if tasks is None else {"given_tasks": given}),
            "repeats": repeats,
            "seed": seed,
        }
        folder = RunFolder(out, config, resume) if out is not None else None
        if folder:
            stack.callback(folder.close)
        check_prompt = SamePromptCheck(repeats) if repeats > 1 else None
        starts = [on_start] if on_start else []
        takers = [on_episode] if on_episode else []
        if drawing:
            takers = [functools.partial(add_result, drawing), *takers]
        if progress:
            bar = stack.enter_context(_progress_bar())
            starts, takers = [bar.begin, *starts], [bar.count, *takers]
        num_tasks = episodes if drawing and episodes else sum(map(len, plan.values()))
        rows = {id: mine.rows for id, mine in plan.items() if mine.rows}
        recorder = RunRecorder(folder, num_tasks * repeats, digests, rows, takers)
        completed: set[Key] = set()
        if folder and resume:
            index, completed = read_completed(folder, plan, repeats, seed)
            if drawing:
                for entry, _ in index.entries():
                    drawing.add(entry.env_id, bool(entry.success))
            recorder.add_completed(index.table)
            if check_prompt and recorder.remaining:
                for trajectory in unfinished(index, folder, repeats):
                    check_prompt.add_completed(trajectory)
        jobs = {}
        for id, mine in plan.items():
            shown = recorded_kwargs(made_with[id])
            all_jobs = list_jobs(id, mine, repeats, seed, shown) if recorder.remaining else ()
            jobs[id] = remaining(all_jobs, completed)
        schedule = (
            CurriculumSchedule(jobs, plan, limits, drawing, weights, seed, num_tasks, completed)
            if drawing
            else Schedule(jobs, plan, limits)
        )
        for begin in starts:
            begin(recorder.remaining)
        try:
            await play_all(
                schedule,
                with_unchanged_data(env_fns, digests),
                player,
                min(concurrency, recorder.remaining),
                retries,
                recorder.add,
                log,
                check_prompt,
            )
        except BaseException:
            with contextlib.suppress(RunError):
                recorder.finish()
            raise
        return recorder.finish()


async def play_episode(
    env: gym.Env[Any, Any],
    policy: str | Policy,
    *,
    index: int | None = None,
    task: Mapping[str, Any] | None = None,
    repeat: int = 0,
    seed: int = 0,
) -> Trajectory:
    """Play one episode and return its trajectory, for loops of your own.

    The prompt and the seeds are those that `rollout` uses, and the cut of a `TimeLimit` is graded,
    see `grade_at_time_limit`. A failed episode is returned too: its `reward` is None, and `failure`
    says what failed.

    Args:
        env: An environment. It is not closed.
        policy: A policy, or the spec of one. A policy made from a spec is closed at the end.
        index: The index of the task; 0 by default.
        task: The row of a task, instead of an index.
        repeat: Which of the task's episodes; it determines the sampling seed.
        seed: The seed of the run that the episode belongs to.

    Raises:
        UsageError: An argument is invalid, or the policy cannot play the environment.

    Example:
        >>> import gymnasium, textgym
        >>> env = gymnasium.make("textgym/MCQA-v0")
        >>> asyncio.run(play_episode(env, "oracle", index=7))["reward"]
        1.0
    """
    if index is not None and task is not None:
        raise UsageError("pass index or task, not both")
    check_minimum(0, repeat=repeat, index=index or 0)
    kwargs = recorded_kwargs(kwargs_from_spec(env))
    row = None if task is None else json_row(task)
    job = Job(env_name(env), kwargs, index or 0, repeat, seed, row)
    player = make_policy(policy)
    try:
        async with CallThreads(1) as threads:
            return await play(PooledEnv(None, env), player.for_env(env), job, _RETRIES, threads)
    finally:
        if player is not policy:
            await RunLog().close_policy(player)


def _progress_bar() -> RunProgress:
    from rich.console import Console  # rich is only imported for a bar

    from textgym.rollouts.progress import RunProgress

    return RunProgress(Console(stderr=True))


def check_minimum(minimum: int, **counts: Any) -> None:
    """Check that arguments are integers of at least a minimum.

    Raises:
        UsageError: One of them is not.
    """
    for name, value in counts.items():
        if not isinstance(value, int) or value < minimum:
            raise UsageError(f"{name} must be {minimum} or more, not {value}")


def refuse_running_loop(name: str) -> None:
    """Refuse to start an event loop inside another one.

    Args:
        name: The asynchronous function of `textgym` to await instead.

    Raises:
        UsageError: An event loop is running in this thread.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    raise UsageError(f"an event loop is running here: await textgym.{name}(...) instead")
