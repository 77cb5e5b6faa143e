"""The entry points of rollouts: many episodes at once, or one."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

import gymnasium as gym

from textgym.concurrency.calls import CallThreads
from textgym.concurrency.event_loops import synchronous
from textgym.curricula import Curriculum
from textgym.errors import UnknownNameError, UsageError, did_you_mean
from textgym.json_values import json_row
from textgym.policies import Policy, make_policy
from textgym.provenance import env_name, kwargs_from_spec, recorded_kwargs
from textgym.registry import registered_envs, with_registered_ids
from textgym.rollouts.comparisons import GroupReward
from textgym.rollouts.env_pool import Envs, PooledEnv, check_minimum
from textgym.rollouts.episode import Job, play
from textgym.rollouts.plan import GivenTasks
from textgym.rollouts.prepared import PreparedRollout
from textgym.rollouts.ray_backend import RayBackend
from textgym.rollouts.ray_run import RayRun
from textgym.rollouts.recorder import RunLog
from textgym.trajectories.run import Run
from textgym.trajectories.schema import Trajectory
from textgym.wrappers.specs import WrapperSpec

__all__ = ["arollout", "play_episode", "rollout"]

P = ParamSpec("P")
T = TypeVar("T")
RETRIES = 2  # in `play_episode` and `play_match`


def _explaining_unknown_names(function: Callable[P, T]) -> Callable[P, T]:
    """Return a function whose error for an unknown argument says where it belongs."""
    known = inspect.signature(function).parameters

    def check(arguments: Mapping[str, Any]) -> None:
        for name, value in arguments.items():
            if name not in known:
                hint = did_you_mean(name, known)
                if "did you mean" not in hint:
                    hint = f"; for an environment, pass env_kwargs={{{name!r}: {value!r:.100}}}"
                raise UnknownNameError(f"{function.__name__} has no argument {name!r}{hint}")

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        check(kwargs)
        return function(*args, **kwargs)

    @functools.wraps(function)
    async def acall(*args: P.args, **kwargs: P.kwargs) -> Any:
        check(kwargs)
        result: Any = function(*args, **kwargs)
        return await result

    is_awaited = inspect.iscoroutinefunction(function)
    return cast("Callable[P, T]", acall) if is_awaited else call


@_explaining_unknown_names
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
    group_reward: str | GroupReward | None = None,
    shard: tuple[int, int] | None = None,
    backend: str | RayBackend | None = None,
    sampling: Mapping[str, Any] | None = None,
    policy_options: Mapping[str, Any] | None = None,
    progress: bool = False,
    on_start: Callable[[int], None] | None = None,
    on_episode: Callable[[Trajectory], None] | None = None,
) -> Run:
    """Play many episodes concurrently and return the run.

    `rollout` blocks; in a running event loop, await `arollout`, which has the same arguments.

    Args:
        envs: An id, `module:ID`, `module:Class` or a class; a function that makes an environment;
            or a mixture, a dict from such names to weights. Instead of a weight, a mixture may have
            a function, or a pair of weight and function; the key is then the name in the results.
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
        env_kwargs: Keyword arguments for all environments; a dict under an id is for that
            environment only. `split` is `test` by default, as in `textgym eval`; training passes
            `{"split": "train"}`. A function, or a class without an id, makes its environment with
            its own arguments.
        wrappers: Wrappers of all environments, as in `textgym.wrappers.specs`, such as
            `["StepPenalty:amount=0.01"]`; also functions that wrap. Wrappers of one environment are
            an argument of it: `env_kwargs={id: {"wrappers": [...]}}`.
        curriculum: Draws the environment of each task, instead of a fixed share of `episodes` for
            each: a `SuccessCurriculum`, a dict of its arguments, or True. A `TaskPool` draws the
            task, too. A curriculum sees results in the order in which episodes finish, so only
            `concurrency=1` repeats a run exactly.
        group_reward: Rewards the episodes of each task together when all of them are finished, in
            place of the environment's reward: a `Tournament`, an `AgainstReference`, or a function
            or coroutine function from their trajectories to a number for each; or a spec:
            `tournament:JUDGE`, `hf-rm:MODEL`, `vllm-rm:MODEL@URL` or `module:attribute`. It needs
            `repeats`. If one of them failed, all are failed episodes.
        shard: `(k, n)` plays the k-th of n equal parts of the run, from 1, for processes on several
            machines; `merge_runs` makes one run of their folders. The episodes of a task stay
            together. A run with a curriculum has no shards.
        backend: `ray`, `ray:ADDRESS` or a `RayBackend`: actors of a Ray cluster play, each up to
            `concurrency` episodes at once, with a policy of its own, and this process writes. The
            policy must be a spec or an object that can be pickled. A curriculum and
            `env_concurrency` are not possible.
        sampling: Settings of `Sampling`, if the policy is given as a spec.
        policy_options: Its other options, as `make_policy` takes them, such as `{"retries": 3}`.
        progress: Show a progress bar, with the mean reward so far.
        on_start: Called once with the number of episodes to play.
        on_episode: Called with each trajectory as it finishes.

    Raises:
        UnknownNameError: There is no such environment or argument.
        UsageError: An argument is invalid, or `rollout` was called in a running event loop.
        RunError: `out` cannot be used.

    Example:
        >>> import textgym
        >>> run = textgym.rollout("textgym/MCQA-v0", "oracle", episodes=20)
        >>> run.mean_reward, run.metrics["overall"]["episodes"]
        (1.0, 20)
        >>> run = textgym.rollout("textgym/MCQA-v0", "oracle", tasks=[3, 12], repeats=2)
        >>> sorted(trajectory["task_index"] for trajectory in run.trajectories())
        [3, 3, 12, 12]

        Arguments of the environment are `env_kwargs`:

        >>> run = textgym.rollout(
        ...     "textgym/MCQA-v0", "oracle", episodes=4, env_kwargs={"level": 2})
    """
    arguments: dict[str, Any] = {
        "envs": registered_envs(envs),
        "episodes": episodes,
        "tasks": tasks,
        "repeats": repeats,
        "start": start,
        "concurrency": concurrency,
        "env_concurrency": with_registered_ids(env_concurrency or {}),
        "seed": seed,
        "retries": retries,
        "env_kwargs": with_registered_ids(env_kwargs or {}),
        "wrappers": wrappers,
        "curriculum": curriculum,
        "group_reward": group_reward,
        "shard": shard,
    }
    with PreparedRollout(**arguments, out=out, resume=resume) as prepared:
        play_with = functools.partial(
            prepared.play, progress=progress, on_start=on_start, on_episode=on_episode
        )
        if backend is not None:
            made_from = policy, sampling, policy_options
            async with RayRun.on(backend, prepared, arguments, *made_from) as remote:
                return await play_with(remote.policy, play_jobs=remote.play_jobs)
        player = make_policy(policy, sampling, policy_options)
        try:
            return await play_with(player)
        finally:
            if player is not policy:
                await prepared.log.close_policy(player)


rollout = _explaining_unknown_names(synchronous(arollout, refuses_running_loop=True))


async def play_episode(
    env: gym.Env[Any, Any],
    policy: str | Policy,
    *,
    index: int | None = None,
    task: Mapping[str, Any] | None = None,
    repeat: int = 0,
    seed: int = 0,
) -> Trajectory:
    """Play one episode and return its trajectory, for user-written loops.

    The prompt and the seeds are as in `rollout`, and an episode that a `TimeLimit` cuts is graded,
    see `grade_at_time_limit`. A failed episode is returned too: its `reward` is None, and `failure`
    describes what failed.

    Args:
        env: An environment. It is not closed.
        policy: A policy, or the spec of one. A policy made from a spec is closed at the end.
        index: The index of the task; 0 by default.
        task: The row of a task, instead of an index.
        repeat: The number of the episode among the task's episodes, which determines the sampling
            seed.
        seed: The seed of the run that the episode belongs to.

    Raises:
        UsageError: An argument is invalid, or the policy cannot play the environment.

    Example:
        >>> import asyncio, gymnasium, textgym
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
            return await play(PooledEnv(None, env), player.for_env(env), job, RETRIES, threads)
    finally:
        if player is not policy:
            await RunLog().close_policy(player)
