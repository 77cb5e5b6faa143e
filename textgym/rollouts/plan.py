"""What a rollout plays: which environments, how many tasks of each, and in which order.

The plan is made before the first episode; the same arguments give the same plan.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any

import gymnasium as gym

from textgym.errors import UnknownNameError, UsageError, did_you_mean
from textgym.mixtures import check_weights, split_by_weight
from textgym.policies import Policy
from textgym.registry import make
from textgym.rollouts.env_pool import env_name
from textgym.rollouts.episode import Job
from textgym.trajectories.run_folder import json_round_trip

__all__ = [
    "EnvFns",
    "Envs",
    "check_env_ids",
    "check_env_kwargs",
    "kwargs_for_env",
    "kwargs_from_spec",
    "list_jobs",
    "make_env_fns",
    "plan_tasks",
    "recorded_kwargs",
]

Envs = str | Mapping[str, float] | Callable[[], gym.Env[Any, Any]]
EnvFns = Mapping[str, Callable[[], gym.Env[Any, Any]]]


def make_env_fns(envs: Envs, kwargs: dict[str, Any]) -> EnvFns:
    """Return the function that makes each environment, by id.

    Args:
        envs: An id, ids with weights, or a function that makes an environment.
        kwargs: Keyword arguments of the environments, as `kwargs_for_env` takes them.

    Raises:
        UsageError: `envs` is something else, or is empty.
    """
    if callable(envs):
        if kwargs:
            raise UsageError("env_kwargs need an id; a function makes its environment itself")
        env = envs()
        name = env_name(env)
        env.close()
        return {name: envs}
    if not isinstance(envs, (str, Mapping)):
        kind = type(envs).__name__
        raise UsageError(f"envs must be an id, ids with weights, or a function, not {kind}")
    ids = [envs] if isinstance(envs, str) else list(envs)
    if not ids:
        raise UsageError("envs names no environment")
    check_env_kwargs("env_kwargs", kwargs, ids)

    def env_fn(id: str) -> Callable[[], gym.Env[Any, Any]]:
        # Gymnasium's checker costs much of an environment's first reset and step.
        own = {"disable_env_checker": True, **kwargs_for_env(id, kwargs)}
        return lambda: make(id, **own)

    return {id: env_fn(id) for id in ids}


def kwargs_for_env(id: str, kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keyword arguments of one environment; its own override those for all.

    Args:
        id: The environment's id.
        kwargs: Keyword arguments for all environments by name, and for one environment as a dict
            under its id.

    Example:
        >>> kwargs = {"level": 1, "demo/A-v0": {"shots": 4}, "demo/B-v0": {"level": 2}}
        >>> kwargs_for_env("demo/A-v0", kwargs), kwargs_for_env("demo/B-v0", kwargs)
        ({'level': 1, 'shots': 4}, {'level': 2})
    """
    own = {} if id.isidentifier() else kwargs.get(id, {})
    if not isinstance(own, Mapping):
        raise UsageError(f"env_kwargs[{id!r}] must be a dict of keyword arguments, not {own!r}")
    return {name: value for name, value in kwargs.items() if name.isidentifier()} | dict(own)


def check_env_ids(what: str, given: Iterable[str], ids: Collection[str]) -> None:
    """Check that names are ids of environments that are played.

    Args:
        what: What the names belong to, for the error.
        given: The names.
        ids: The ids of the environments that are played.

    Raises:
        UnknownNameError: A name is not such an id.
    """
    for id in given:
        if id not in ids:
            raise UnknownNameError(f"{what}: {id!r} is not played{did_you_mean(id, ids)}")


def check_env_kwargs(what: str, kwargs: Iterable[str], ids: Collection[str]) -> None:
    """Check that keyword arguments under an id belong to an environment that is played.

    Raises:
        UnknownNameError: A name is neither that of an argument nor the id of such an environment.
    """
    check_env_ids(what, [name for name in kwargs if not name.isidentifier()], ids)


def plan_tasks(
    samples: Mapping[str, gym.Env[Any, Any]],
    envs: Envs,
    episodes: int | None,
    start: int,
    policy: Policy,
) -> dict[str, range]:
    """Return which tasks of each environment are played.

    Args:
        samples: One environment of each id.
        envs: The environments that were asked for.
        episodes: The total number of tasks; None for all tasks of each environment.
        start: The index of the first task of each environment.
        policy: The policy that plays.

    Raises:
        UsageError: There are fewer tasks, `episodes` is missing, or the policy cannot play an
            environment.
    """
    weights = dict(envs) if isinstance(envs, Mapping) else dict.fromkeys(samples, 1.0)
    check_weights(weights)
    if episodes is None and len(set(weights.values())) > 1:
        raise UsageError("weights divide the episodes among environments: pass episodes")
    shares = split_by_weight(weights, episodes) if episodes is not None else {}
    tasks = {}
    for id, env in samples.items():
        policy.for_env(env)
        num_tasks = getattr(env.unwrapped, "num_tasks", None)
        if num_tasks is not None and start >= num_tasks:
            raise UsageError(f"{id} has {num_tasks} tasks: start must be less, not {start}")
        available = None if num_tasks is None else num_tasks - start
        count = shares.get(id, available)
        if count is None:
            raise UsageError(f"{id} has no end of tasks in this split: pass episodes")
        if count < 1 or (available is not None and count > available):
            bounds = f"from 1 to {available}" if available is not None else "1 or more"
            after = f" from task {start} on" if start else ""
            raise UsageError(
                f"{id} cannot play {count} tasks{after}: {bounds}; repeats play a task again"
            )
        tasks[id] = range(start, start + count)
    return tasks


def list_jobs(
    id: str, tasks: range, repeats: int, seed: int, kwargs: dict[str, Any]
) -> Iterator[Job]:
    """Yield the episodes of an environment in order, the repeats of a task one after another."""
    for index in tasks:
        for repeat in range(repeats):
            yield Job(id, kwargs, index, repeat, seed)


def kwargs_from_spec(env: gym.Env[Any, Any]) -> dict[str, Any]:
    """Return the keyword arguments that an environment was made with, as far as it reports them."""
    known = env.spec.kwargs if env.spec else getattr(env.unwrapped, "arguments", None)
    return dict(known or {})


def recorded_kwargs(kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """Return keyword arguments in the form that is recorded: JSON, the same in every process.

    A function is recorded by its name.

    Args:
        kwargs: Keyword arguments, as `kwargs_for_env` takes them.

    Example:
        >>> from pathlib import PurePath
        >>> recorded_kwargs({"judge": len, "dataset": PurePath("rows.jsonl"), "levels": (1, 2)})
        {'judge': 'builtins:len', 'dataset': 'rows.jsonl', 'levels': [1, 2]}
    """
    return {
        name: _recorded(value) if name.isidentifier() else recorded_kwargs(value)
        for name, value in kwargs.items()
    }


def _recorded(value: Any) -> Any:
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "__qualname__"):
        return f"{value.__module__}:{value.__qualname__}"
    return json_round_trip(value)
