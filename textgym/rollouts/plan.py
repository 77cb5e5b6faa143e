"""What a rollout plays: which environments, how many tasks of each, and in which order.

A plan is decided before the first episode; the same arguments give the same plan.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any

import gymnasium as gym

from textgym.errors import UnknownNameError, UsageError, did_you_mean
from textgym.mixtures import check_weights, share_out
from textgym.policies import Policy
from textgym.registry import make
from textgym.rollouts.episode import Job
from textgym.trajectories.store import as_stored

__all__ = [
    "Envs",
    "Makers",
    "arguments_for",
    "arguments_of",
    "check_ids",
    "check_own_arguments",
    "list_jobs",
    "make_makers",
    "plan_tasks",
    "recorded",
]

Envs = str | Mapping[str, float] | Callable[[], gym.Env[Any, Any]]
Makers = Mapping[str, Callable[[], gym.Env[Any, Any]]]


def make_makers(envs: Envs, kwargs: dict[str, Any]) -> Makers:
    """Return a function that makes the environment, for each id.

    Raises:
        UsageError: `envs` is none of its forms, or is empty.
    """
    if callable(envs):
        if kwargs:
            raise UsageError("env_kwargs are for ids; the function makes its environment itself")
        env = envs()
        name = env.spec.id if env.spec else type(env.unwrapped).__name__
        env.close()
        return {name: envs}
    if not isinstance(envs, (str, Mapping)):
        kind = type(envs).__name__
        raise UsageError(f"envs is an id, ids with weights, or a function, not {kind}")
    ids = [envs] if isinstance(envs, str) else list(envs)
    if not ids:
        raise UsageError("no environment was named")
    check_own_arguments("env_kwargs", kwargs, ids)

    def maker(id: str) -> Callable[[], gym.Env[Any, Any]]:
        own = {"disable_env_checker": True, **arguments_for(id, kwargs)}  # it is slow, once each
        return lambda: make(id, **own)

    return {id: maker(id) for id in ids}


def arguments_for(id: str, kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of one environment: those of all, and over them its own.

    Args:
        id: The environment's.
        kwargs: Arguments by name, and under ids, which are no names, arguments of one environment.

    Example:
        >>> kwargs = {"level": 1, "demo/A-v0": {"shots": 4}, "demo/B-v0": {"level": 2}}
        >>> arguments_for("demo/A-v0", kwargs), arguments_for("demo/B-v0", kwargs)
        ({'level': 1, 'shots': 4}, {'level': 2})
    """
    own = {} if id.isidentifier() else kwargs.get(id, {})
    if not isinstance(own, Mapping):
        raise UsageError(f"env_kwargs: under {id!r} stand its arguments by name, not {own!r}")
    return {name: value for name, value in kwargs.items() if name.isidentifier()} | dict(own)


def check_ids(what: str, given: Iterable[str], ids: Collection[str]) -> None:
    """Refuse names that are no ids of the environments that are played.

    Raises:
        UnknownNameError: One of them is none.
    """
    for id in given:
        if id not in ids:
            raise UnknownNameError(f"{what}: {id!r} is not played{did_you_mean(id, ids)}")


def check_own_arguments(what: str, kwargs: Iterable[str], ids: Collection[str]) -> None:
    """Refuse arguments of one environment, which stand under its id, if that is not played.

    Raises:
        UnknownNameError: One of the names is neither an argument's nor a played id.
    """
    check_ids(what, [name for name in kwargs if not name.isidentifier()], ids)


def plan_tasks(
    samples: Mapping[str, gym.Env[Any, Any]],
    envs: Envs,
    episodes: int | None,
    start: int,
    policy: Policy,
) -> dict[str, range]:
    """Return which tasks of each environment are played.

    Args:
        samples: An environment of each id.
        envs: What was asked for.
        episodes: How many tasks in all; None for all of each environment.
        start: The index of the first task of each environment.
        policy: What plays.

    Raises:
        UsageError: There are not so many tasks, weights have nothing to share out, or the policy
            cannot play an environment.
    """
    weights = dict(envs) if isinstance(envs, Mapping) else dict.fromkeys(samples, 1.0)
    check_weights(weights)
    if episodes is None and len(set(weights.values())) > 1:
        raise UsageError("weights share out the episodes: say how many")
    shares = share_out(weights, episodes) if episodes is not None else {}
    tasks = {}
    for id, env in samples.items():
        policy.for_env(env)
        known = getattr(env.unwrapped, "num_tasks", None)
        if known is not None and start >= known:
            raise UsageError(f"{id} has {known} tasks: start is less than that, not {start}")
        left = None if known is None else known - start
        wanted = shares.get(id, left)
        if wanted is None:
            raise UsageError(f"{id} has no end of tasks in this split: say how many episodes")
        if wanted < 1 or (left is not None and wanted > left):
            most = f"from 1 to {left}" if left is not None else "1 or more"
            after = f" from task {start} on" if start else ""
            raise UsageError(
                f"{id} cannot play {wanted} tasks{after}: {most}; repeats play a task again"
            )
        tasks[id] = range(start, start + wanted)
    return tasks


def list_jobs(
    id: str, tasks: range, repeats: int, seed: int, kwargs: dict[str, Any]
) -> Iterator[Job]:
    """Give the episodes of an environment in order, a task's repeats one after another."""
    for index in tasks:
        for repeat in range(repeats):
            yield Job(id, kwargs, index, repeat, seed)


def arguments_of(env: gym.Env[Any, Any]) -> dict[str, Any]:
    """Return the arguments that an environment was made with, as far as it tells."""
    known = env.spec.kwargs if env.spec else getattr(env.unwrapped, "arguments", None)
    return dict(known or {})


def recorded(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments as JSON can hold them, the same in every process; a function is named.

    Args:
        arguments: As in `arguments_for`.

    Example:
        >>> from pathlib import PurePath
        >>> recorded({"judge": len, "dataset": PurePath("rows.jsonl"), "levels": (1, 2)})
        {'judge': 'builtins:len', 'dataset': 'rows.jsonl', 'levels': [1, 2]}
    """
    return {
        name: _plain(value) if name.isidentifier() else recorded(value)
        for name, value in arguments.items()
    }


def _plain(value: Any) -> Any:
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "__qualname__"):
        return f"{value.__module__}:{value.__qualname__}"
    return as_stored(value)
