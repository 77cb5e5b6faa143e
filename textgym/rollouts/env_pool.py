"""The environments of a rollout: how each is made, one sample of each, and a pool that reuses them.

Invariants: an environment is lent to one user at a time; there are as many environments of a key as
were in use at once; closing the pool closes every environment that it made. If one environment of
the set cannot be made, those that were made already are closed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from typing import Any

import gymnasium as gym

from textgym.concurrency.calls import reset_may_block, step_may_block
from textgym.errors import UsageError
from textgym.layers import grade_at_time_limit
from textgym.mixtures import (
    EnvFn,
    Source,
    check_env_ids,
    check_env_kwargs,
    functions_of,
    kwargs_for_env,
    weights_of,
)
from textgym.policies import Policy
from textgym.provenance import env_name, kwargs_from_spec, recorded, recorded_kwargs
from textgym.registry import make, takes_argument
from textgym.rollouts.recorder import RunLog
from textgym.wrappers.specs import WrapperSpec, apply_wrappers, check_wrappers

__all__ = ["EnvFns", "EnvPool", "EnvSet", "Envs", "PooledEnv", "check_minimum", "with_test_split"]

Envs = str | Mapping[str, Source] | EnvFn
EnvFns = Mapping[str, EnvFn]


class EnvSet:
    """The environments of a rollout. The constructor makes one of each.

    Args:
        envs: As in `rollout`, with registered ids.
        env_kwargs: As in `rollout`, with registered ids.
        wrappers: As in `rollout`.
        limits: The maximum number of concurrent episodes of single environments, by registered id.
        log: Logs errors while environments are closed.

    Raises:
        UsageError: An argument is invalid, or an environment cannot be made.

    Attributes:
        weights: The weight of each environment, by id.
        functions: The functions of a mixture, by name.
        env_fns: The function that makes each environment, by id.
        samples: One environment of each id.
        kwargs: The recorded keyword arguments of each environment, by id.
        limits: The argument.

    Example:
        >>> envs = EnvSet("textgym/MCQA-v0", {"level": 1}, ["StepPenalty"], {}, RunLog())
        >>> envs.kwargs
        {'textgym/MCQA-v0': {'level': 1, 'wrappers': ['StepPenalty']}}
        >>> envs.close()
    """

    def __init__(
        self,
        envs: Envs,
        env_kwargs: Mapping[str, Any],
        wrappers: Sequence[WrapperSpec],
        limits: Mapping[str, int],
        log: RunLog,
    ) -> None:
        check_wrappers(wrappers)
        if not callable(envs) and not isinstance(envs, (str, Mapping)):
            kind = type(envs).__name__
            raise UsageError(f"envs must be an id, ids with weights, or a function, not {kind}")
        if not envs:
            raise UsageError("envs is empty: name at least one environment")
        self.limits, self._log = limits, log
        self.samples: dict[str, gym.Env[Any, Any]] = {}
        self.kwargs: dict[str, dict[str, Any]] = {}
        self._is_mixture, self._is_function = isinstance(envs, Mapping), callable(envs)
        self._given = {**env_kwargs, "wrappers": list(wrappers)} if wrappers else dict(env_kwargs)
        try:
            if callable(envs):
                envs = self._name_function(envs, wrappers)
            mixture = {envs: 1.0} if isinstance(envs, str) else envs
            self.weights, functions = weights_of(mixture), functions_of(mixture)
            self.functions = functions if self._is_mixture else {}
            check_env_kwargs("env_kwargs", env_kwargs, self.weights, functions)
            check_env_ids("env_concurrency", limits, self.weights)
            check_minimum(
                1, **{f"env_concurrency of {env_id}": limits[env_id] for env_id in limits}
            )
            own = {env_id: kwargs_for_env(env_id, self._given) for env_id in self.weights}
            self.env_fns = {
                env_id: partial(_wrapped, functions[env_id], wrappers)
                if env_id in functions
                else partial(_make, env_id, own[env_id])
                for env_id in self.weights
            }
            for env_id, env_fn in self.env_fns.items():
                if env_id not in self.samples:
                    self.samples[env_id] = env_fn()
            for env_id, env in self.samples.items():
                made_with = kwargs_from_spec(env) if env_id in functions else own[env_id]
                self.kwargs[env_id] = recorded_kwargs(made_with)
        except BaseException:
            self.close()
            raise

    def _name_function(self, env_fn: EnvFn, wrappers: Sequence[WrapperSpec]) -> dict[str, EnvFn]:
        """Return a function by the name of the environment that it makes."""
        if self._given.keys() - {"wrappers"}:
            raise UsageError("env_kwargs need an id; a function makes its environment itself")
        env = env_fn()
        name = env_name(env)
        self.samples[name] = env
        self.samples[name] = apply_wrappers(env, wrappers)
        return {name: env_fn}

    def recorded_envs(self) -> Any:
        """Return the environments as they are recorded: names, with weights if any.

        Example:
            >>> from textgym.envs.mcqa.mcqa_env import MCQA
            >>> EnvSet({"mine": (2, MCQA)}, {}, [], {}, RunLog()).recorded_envs()
            {'mine': {'weight': 2, 'function': 'textgym.envs.mcqa.mcqa_env:MCQA'}}
        """
        if not self._is_mixture:
            return list(self.weights)
        return {
            env_id: {"weight": weight, "function": recorded(self.functions[env_id])}
            if env_id in self.functions
            else weight
            for env_id, weight in self.weights.items()
        }

    def recorded_kwargs(self) -> dict[str, Any]:
        """Return the keyword arguments of all environments as they are recorded."""
        if self._is_function:
            return next(iter(self.kwargs.values()))
        return recorded_kwargs(self._given)

    def close(self) -> None:
        """Close the samples."""
        for env in self.samples.values():
            self._log.close(env)


def _make(env_id: str, kwargs: dict[str, Any]) -> gym.Env[Any, Any]:
    # Gymnasium's checker costs much of an environment's first reset and step.
    return make(env_id, **{"disable_env_checker": True, **kwargs})


def _wrapped(env_fn: EnvFn, wrappers: Sequence[WrapperSpec]) -> gym.Env[Any, Any]:
    return apply_wrappers(env_fn(), wrappers)


def with_test_split(envs: Envs, kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """Return keyword arguments in which `split` is `test` by default.

    Environments that take no `split`, and functions, which make their environment themselves, are
    left as they are.

    Raises:
        UsageError: An entry of a mixture is neither a weight nor a function.

    Example:
        >>> with_test_split("textgym/MCQA-v0", {"level": 1})
        {'split': 'test', 'level': 1}
        >>> with_test_split({"textgym/MCQA-v0": 1, "CartPole-v1": 1}, {})
        {'textgym/MCQA-v0': {'split': 'test'}}
    """
    ids, functions = [envs] if isinstance(envs, str) else [], {}
    if isinstance(envs, Mapping):
        ids, functions = list(weights_of(envs)), functions_of(envs)
    with_split = [
        env_id for env_id in ids if env_id not in functions and takes_argument(env_id, "split")
    ]
    if "split" in kwargs or not with_split:
        return dict(kwargs)
    if with_split == ids:
        return {"split": "test", **kwargs}
    return {
        **kwargs,
        **{env_id: {"split": "test", **kwargs.get(env_id, {})} for env_id in with_split},
    }


def check_minimum(minimum: int, **counts: Any) -> None:
    """Check that arguments are integers of at least a minimum.

    Raises:
        UsageError: One of them is not.
    """
    for name, value in counts.items():
        if not isinstance(value, int) or value < minimum:
            raise UsageError(f"{name} must be {minimum} or more, not {value}")


class PooledEnv:
    """An environment of a pool, and its properties that each episode needs.

    Args:
        key: Environments of the same key are interchangeable.
        env: The environment.

    Attributes:
        key: The key.
        env: The environment. An episode that a `TimeLimit` around it cuts is graded.
        step_may_block: Whether `step` may block.
        reset_may_block: Whether `reset` may block.
        has_tasks: Whether the options of `reset` select a task by its index.
    """

    __slots__ = (
        "_bound", "_policy", "env", "has_tasks", "key", "reset_may_block", "step_may_block",
    )  # fmt: skip

    def __init__(self, key: Hashable, env: gym.Env[Any, Any]) -> None:
        self.key, self.env = key, grade_at_time_limit(env)
        self.step_may_block, self.reset_may_block = step_may_block(env), reset_may_block(env)
        self.has_tasks = hasattr(env.unwrapped, "num_tasks")
        self._policy: Policy | None = None
        self._bound: Policy | None = None

    def bound(self, policy: Policy) -> Policy:
        """Return a policy bound to the environment; the last binding is kept."""
        if self._bound is None or self._policy is not policy:
            self._bound = policy.for_env(self.env)
            self._policy = policy
        return self._bound


class EnvPool:
    """Lends environments, and makes new ones when none is idle.

    Args:
        log: Closes the environments, and logs errors while they are closed.

    Example:
        >>> import gymnasium, textgym
        >>> def make():
        ...     return gymnasium.make("textgym/MCQA-v0")
        >>> with EnvPool(RunLog()) as pool:
        ...     first = pool.acquire("mcqa", make)
        ...     pool.release(first)
        ...     pool.acquire("mcqa", make) is first
        True
    """

    def __init__(self, log: RunLog) -> None:
        self._log = log
        self._idle: defaultdict[Hashable, list[PooledEnv]] = defaultdict(list)
        self._all: set[PooledEnv] = set()

    def acquire(self, key: Hashable, make: Callable[[], gym.Env[Any, Any]]) -> PooledEnv:
        """Return an idle environment of a key, or a new one.

        Args:
            key: The key.
            make: Makes a new environment; its errors are raised.
        """
        if self._idle[key]:
            return self._idle[key].pop()
        return self._added(key, make())

    def add(self, key: Hashable, env: gym.Env[Any, Any]) -> None:
        """Add an environment that was made elsewhere; the pool closes it."""
        self.release(self._added(key, env))

    def _added(self, key: Hashable, env: gym.Env[Any, Any]) -> PooledEnv:
        pooled = PooledEnv(key, env)
        self._all.add(pooled)
        return pooled

    def release(self, pooled: PooledEnv) -> None:
        """Take back an environment that can be used again."""
        self._idle[pooled.key].append(pooled)

    def discard(self, pooled: PooledEnv) -> None:
        """Take back an environment whose state is unknown, and close it."""
        if pooled in self._all:  # a closed pool has closed it
            self._all.remove(pooled)
            self._log.close(pooled.env)

    def close(self) -> None:
        """Close all environments, including those that are in use."""
        for pooled in self._all:
            self._log.close(pooled.env)
        self._all.clear()
        self._idle.clear()

    def __enter__(self) -> EnvPool:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
