"""What a rollout plays: which environments, which tasks of each, and in which order.

The plan is made before the first episode; the same arguments give the same plan.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import gymnasium as gym

from textgym.errors import UsageError
from textgym.json_values import json_row
from textgym.mixtures import (
    EnvFn,
    Source,
    check_env_ids,
    check_env_kwargs,
    functions_of,
    kwargs_for_env,
    split_by_weight,
    weights_of,
)
from textgym.policies import Policy
from textgym.provenance import env_name, recorded
from textgym.registry import make, takes_argument
from textgym.rollouts.episode import Job
from textgym.rollouts.recorder import RunLog
from textgym.wrappers import FlattenConversation, TokenIds
from textgym.wrappers.specs import WrapperSpec, apply_wrappers, check_wrappers

__all__ = [
    "EnvFns",
    "Envs",
    "GivenTasks",
    "PlannedTasks",
    "list_jobs",
    "make_env_fns",
    "plan_tasks",
    "recorded_envs",
    "task_ranges",
    "with_test_split",
    "with_wrappers",
]

Envs = str | Mapping[str, Source] | EnvFn
EnvFns = Mapping[str, EnvFn]
_NOT_SELECTABLE = object()
TaskList = Sequence[int] | Sequence[Mapping[str, Any]]
GivenTasks = TaskList | Mapping[str, TaskList]


class PlannedTasks:
    """The tasks of one environment that a rollout plays, in order.

    Args:
        indices: The index of each task.
        rows: The row of each task by index, if the tasks are given as rows.

    Example:
        >>> tasks = PlannedTasks([7, 3])
        >>> list(tasks), len(tasks), 3 in tasks, tasks.position(3)
        ([7, 3], 2, True, 1)
    """

    def __init__(
        self, indices: Sequence[int], rows: Sequence[Mapping[str, Any]] | None = None
    ) -> None:
        self.rows = rows
        self._indices = indices
        # A range finds an index without a table.
        self._positions = (
            None if isinstance(indices, range) else {index: n for n, index in enumerate(indices)}
        )

    def __len__(self) -> int:
        return len(self._indices)

    def __iter__(self) -> Iterator[int]:
        return iter(self._indices)

    def __contains__(self, index: int) -> bool:
        return index in (self._indices if self._positions is None else self._positions)

    def as_given(self) -> list[Any]:
        """Return the rows, or the indices if the tasks are not given as rows."""
        return list(self._indices if self.rows is None else self.rows)

    def position(self, index: int) -> int:
        """Return the place of a task among these tasks, from 0."""
        return self._indices.index(index) if self._positions is None else self._positions[index]


def make_env_fns(
    envs: Envs, kwargs: dict[str, Any], wrappers: Sequence[WrapperSpec], log: RunLog
) -> EnvFns:
    """Return the function that makes each environment, by id.

    Args:
        envs: An id, a function that makes an environment, or a mixture of them.
        kwargs: Keyword arguments of the environments, as `kwargs_for_env` takes them.
        wrappers: Wrappers of all environments.
        log: Closes the environment that is made only for its id.

    Raises:
        UsageError: `envs` is something else, or is empty.
    """
    check_wrappers(wrappers)
    if callable(envs):
        if kwargs:
            raise UsageError("env_kwargs need an id; a function makes its environment itself")
        env = envs()
        name = env_name(env)
        log.close(env)
        return {name: _wrapped(envs, wrappers)}
    if not isinstance(envs, (str, Mapping)):
        kind = type(envs).__name__
        raise UsageError(f"envs must be an id, ids with weights, or a function, not {kind}")
    ids = [envs] if isinstance(envs, str) else list(envs)
    if not ids:
        raise UsageError("envs names no environment")
    functions = {} if isinstance(envs, str) else functions_of(envs)
    check_env_kwargs("env_kwargs", kwargs, ids, functions)

    def env_fn(id: str) -> EnvFn:
        # Gymnasium's checker costs much of an environment's first reset and step.
        own = {"disable_env_checker": True, **kwargs_for_env(id, with_wrappers(kwargs, wrappers))}
        return lambda: make(id, **own)

    wrapped = {id: _wrapped(function, wrappers) for id, function in functions.items()}
    return {id: wrapped.get(id) or env_fn(id) for id in ids}


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
    ids = [envs] if isinstance(envs, str) else []
    if isinstance(envs, Mapping):
        ids = list(weights_of(envs))
    functions = functions_of(envs) if isinstance(envs, Mapping) else {}
    with_split = [id for id in ids if id not in functions and takes_argument(id, "split")]
    if "split" in kwargs or not with_split:
        return dict(kwargs)
    if with_split == ids:
        return {"split": "test", **kwargs}
    own = {id: {"split": "test", **kwargs.get(id, {})} for id in with_split}
    return {**kwargs, **own}


def with_wrappers(kwargs: Mapping[str, Any], wrappers: Sequence[WrapperSpec]) -> dict[str, Any]:
    """Return the keyword arguments of environments with the wrappers of all of them.

    Example:
        >>> with_wrappers({"level": 1}, ["StepPenalty"])
        {'level': 1, 'wrappers': ['StepPenalty']}
    """
    return {**kwargs, "wrappers": list(wrappers)} if wrappers else dict(kwargs)


def _wrapped(env_fn: EnvFn, wrappers: Sequence[WrapperSpec]) -> EnvFn:
    return lambda: apply_wrappers(env_fn(), wrappers)


def plan_tasks(
    samples: Mapping[str, gym.Env[Any, Any]],
    envs: Envs,
    episodes: int | None,
    given: GivenTasks | None,
    start: int,
    policy: Policy,
    has_curriculum: bool = False,
) -> dict[str, PlannedTasks]:
    """Return which tasks of each environment are played.

    Args:
        samples: One environment of each id.
        envs: The environments that were asked for.
        episodes: The total number of tasks; None for all tasks of each environment.
        given: Indices or rows of tasks; None plays the tasks from `start` on.
        start: The index of the first task of each environment.
        policy: The policy that plays.
        has_curriculum: Whether a curriculum draws the environment of each task; then the tasks are
            those of an environment that is always drawn.

    Raises:
        UsageError: There are fewer tasks, `episodes` is missing, or the policy cannot play an
            environment.
    """
    for env in samples.values():
        if isinstance(env, FlattenConversation | TokenIds):
            kind = type(env).__name__
            raise UsageError(f"rollouts need observations that are messages: leave out {kind}")
        policy.for_env(env)
    if has_curriculum:
        return _tasks_to_draw(samples, episodes, given, start)
    if given is None:
        return _tasks_in_order(samples, envs, episodes, start)
    if episodes is not None or start:
        raise UsageError("tasks names the tasks to play: leave out episodes and start")
    return _given_tasks(samples, given)


def _tasks_in_order(
    samples: Mapping[str, gym.Env[Any, Any]], envs: Envs, episodes: int | None, start: int
) -> dict[str, PlannedTasks]:
    """Return the tasks from an index on, divided among the environments by weight."""
    weights = weights_of(envs) if isinstance(envs, Mapping) else dict.fromkeys(samples, 1.0)
    ranges = task_ranges(samples, weights, episodes, start)
    return {id: PlannedTasks(indices) for id, indices in ranges.items()}


def task_ranges(
    samples: Mapping[str, gym.Env[Any, Any]],
    weights: Mapping[str, float],
    count: int | None,
    start: int,
    count_name: str = "episodes",
) -> dict[str, range]:
    """Return the indices of the tasks that environments share by weight, from an index on.

    Args:
        samples: One environment of each id.
        weights: The weight of each environment.
        count: The total number of tasks; None for all tasks of each environment.
        start: The index of the first task of each environment.
        count_name: The argument that `count` was passed as, for errors.

    Raises:
        UsageError: An environment has fewer tasks than its share, or a share of none; or `count` is
            missing.

    Example:
        >>> task_ranges({"demo/A-v0": gym.Env(), "demo/B-v0": gym.Env()},
        ...             {"demo/A-v0": 3.0, "demo/B-v0": 1.0}, count=8, start=10)
        {'demo/A-v0': range(10, 16), 'demo/B-v0': range(10, 12)}
    """
    if count is None and len(set(weights.values())) > 1:
        raise UsageError(f"weights divide the tasks among environments: pass {count_name}")
    shares = split_by_weight(weights, count) if count is not None else {}
    ranges = {}
    for id, env in samples.items():
        available = _available(id, env, start)
        share = shares.get(id, available)
        if share is None:
            raise UsageError(f"{id} has no end of tasks in this split: pass {count_name}")
        if share < 1 or (available is not None and share > available):
            bounds = f"from 1 to {available}" if available is not None else "1 or more"
            after = f" from task {start} on" if start else ""
            raise UsageError(
                f"{id} cannot play {share} tasks{after}: {bounds}; repeats play a task again"
            )
        ranges[id] = range(start, start + share)
    return ranges


def _tasks_to_draw(
    samples: Mapping[str, gym.Env[Any, Any]],
    episodes: int | None,
    given: GivenTasks | None,
    start: int,
) -> dict[str, PlannedTasks]:
    """Return the tasks from an index on of each environment, as far as they could be drawn."""
    if len(samples) < 2:
        raise UsageError("a curriculum draws from several environments: pass ids with weights")
    if given is not None:
        raise UsageError("a curriculum draws the tasks: leave out tasks, and pass episodes")
    if not isinstance(episodes, int) or episodes < 1:
        raise UsageError(f"a curriculum needs episodes, the number of tasks, not {episodes!r}")
    available = {id: _available(id, env, start) for id, env in samples.items()}
    counts = {
        id: episodes if known is None else min(episodes, known) for id, known in available.items()
    }
    if sum(counts.values()) < episodes:
        raise UsageError(
            f"the environments have {sum(counts.values())} tasks: episodes must be at most that, "
            f"not {episodes}"
        )
    return {id: PlannedTasks(range(start, start + count)) for id, count in counts.items()}


def _available(id: str, env: gym.Env[Any, Any], start: int) -> int | None:
    """Return how many tasks an environment has from an index on; None if there is no end."""
    num_tasks: int | None = getattr(env.unwrapped, "num_tasks", None)
    if num_tasks is not None and start >= num_tasks:
        raise UsageError(f"{id} has {num_tasks} tasks: start must be less, not {start}")
    return None if num_tasks is None else num_tasks - start


def _given_tasks(
    samples: Mapping[str, gym.Env[Any, Any]], given: GivenTasks
) -> dict[str, PlannedTasks]:
    """Return the tasks that were given for each environment."""
    if not isinstance(given, Mapping):
        if len(samples) > 1:
            raise UsageError("tasks of several environments must be a dict with a list for each id")
        given = dict.fromkeys(samples, given)
    check_env_ids("tasks", given, samples)
    return {id: _read_tasks(id, env, given.get(id)) for id, env in samples.items()}


def _read_tasks(id: str, env: gym.Env[Any, Any], given: TaskList | None) -> PlannedTasks:
    """Read the indices or rows of one environment.

    Raises:
        UsageError: They are neither, or are empty, or there is no such task.
    """
    if given is None or isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        raise UsageError(f"tasks of {id} must be a list of indices or rows, not {given!r}")
    items: list[Any] = list(given)
    if not items:
        raise UsageError(f"tasks of {id} is empty")
    num_tasks = getattr(env.unwrapped, "num_tasks", _NOT_SELECTABLE)
    if all(isinstance(item, Mapping) for item in items):
        if num_tasks is _NOT_SELECTABLE:
            raise UsageError(f"{id} cannot play rows: it has no num_tasks, so its tasks are fixed")
        return PlannedTasks(range(len(items)), [json_row(item) for item in items])
    try:
        indices = [operator.index(item) for item in items]
    except TypeError:
        raise UsageError(f"tasks of {id} must be all indices or all rows (dicts)") from None
    if len(set(indices)) < len(indices):
        raise UsageError(f"tasks of {id} names a task twice; repeats play a task again")
    end = num_tasks if isinstance(num_tasks, int) else None
    wrong = next((n for n in indices if n < 0 or (end is not None and n >= end)), None)
    if wrong is not None:
        known = "0 or more" if end is None else f"0 to {end - 1}"
        raise UsageError(f"{id} has no task {wrong}; indices are {known}")
    return PlannedTasks(indices)


def list_jobs(
    id: str, tasks: PlannedTasks, repeats: int, seed: int, kwargs: dict[str, Any]
) -> Iterator[Job]:
    """Yield the episodes of an environment in order, the repeats of a task one after another."""
    for index in tasks:
        row = tasks.rows[index] if tasks.rows else None
        for repeat in range(repeats):
            yield Job(id, kwargs, index, repeat, seed, row)


def recorded_envs(envs: Envs, ids: Iterable[str]) -> Any:
    """Return the environments of a run in the form that is recorded: names, with weights if any.

    Args:
        envs: The environments that were asked for.
        ids: The ids of those that are played.

    Example:
        >>> recorded_envs({"demo/A-v0": 0.5, "mine": (2, dict)}, ["demo/A-v0", "mine"])
        {'demo/A-v0': 0.5, 'mine': {'weight': 2, 'function': 'builtins:dict'}}
    """
    if not isinstance(envs, Mapping):
        return sorted(ids)
    functions = functions_of(envs)
    return {
        id: {"weight": weight, "function": recorded(functions[id])} if id in functions else weight
        for id, weight in weights_of(envs).items()
    }
