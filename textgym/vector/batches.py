"""The arguments of a vector, parsed for its sub-environments, and their results as arrays.

All arguments are parsed before anything is done, so that a call that is refused changes nothing.

Infos become one dict in Gymnasium's layout: each key holds an array with one entry per environment,
and `_key` a mask of the environments that have the key; nested dicts are laid out in the same way.
Gymnasium adds infos one by one, so the first value fixes an array's type. Here an array gets a type
that holds all of its values unchanged, or is an object array if there is none.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence, Set
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode

from textgym.errors import InvalidActionError, UnknownNameError, UsageError
from textgym.spaces import action_problem

__all__ = [
    "parse_actions", "parse_autoreset_mode", "parse_env_id", "parse_reset", "stack_infos",
    "stack_results",
]  # fmt: skip


ResetArguments = tuple["int | None", "dict[str, Any] | None"]
_OPTIONS_PER_ENV = ("index", "task", "level")


def parse_autoreset_mode(mode: AutoresetMode | str) -> AutoresetMode:
    """Return an autoreset mode from the mode or its value.

    Raises:
        UnknownNameError: It is not a valid mode.

    Example:
        >>> parse_autoreset_mode("SameStep")
        <AutoresetMode.SAME_STEP: 'SameStep'>
    """
    try:
        return AutoresetMode(mode)
    except ValueError:
        known = ", ".join(repr(known.value) for known in AutoresetMode)
        raise UnknownNameError(f"autoreset_mode must be one of {known}, not {mode!r}") from None


def parse_actions(actions: Any, count: int, space: gym.Space[Any]) -> list[Any]:
    """Return actions as a list with one for each sub-environment; None stands for no action.

    Raises:
        InvalidActionError: The argument is a single action, or an action is invalid.
        UsageError: There are more or fewer actions than sub-environments.

    Example:
        >>> from textgym.spaces import ActionSpace
        >>> parse_actions("yes", 3, ActionSpace())
        Traceback (most recent call last):
        textgym.errors.InvalidActionError: 3 sub-environments need a list of 3 actions, not a \
single str
    """
    if isinstance(actions, (str, bytes, Mapping, Set)) or not hasattr(actions, "__iter__"):
        kind = type(actions).__name__
        raise InvalidActionError(
            f"{count} sub-environments need a list of {count} actions, not a single {kind}"
        )
    listed = list(actions)
    if len(listed) != count:
        raise InvalidActionError(
            f"{count} sub-environments need {count} actions, not {len(listed)}"
        )
    for index, action in enumerate(listed):
        if not (action is None or action.__class__ is str or action in space):
            problem = action_problem(action) or "it is not in the action space"
            raise InvalidActionError(
                f"action {index} is neither an assistant message nor a string: {problem}"
            )
    return listed


def parse_env_id(env_id: Any, num_envs: int) -> list[int]:
    """Return the indices of sub-environments; None stands for all of them.

    Raises:
        UsageError: An index is out of range or given twice.
    """
    if env_id is None:
        return list(range(num_envs))
    try:
        indices = [operator.index(index) for index in env_id]
    except TypeError:
        raise UsageError(f"env_id must be a list of ints, not {env_id!r}") from None
    if any(not 0 <= index < num_envs for index in indices) or len(set(indices)) < len(indices):
        raise UsageError(
            f"env_id must hold indices from 0 to {num_envs - 1}, each once, not {indices}"
        )
    return indices


def parse_reset(
    seed: Any, options: Mapping[str, Any] | None, num_envs: int
) -> dict[int, ResetArguments]:
    """Return the sub-environments to reset by index, each with its seed and options.

    Raises:
        UsageError: The mask, or the number of seeds, indices or tasks, is invalid.
    """
    if not (options is None or isinstance(options, Mapping)):
        raise UsageError(f"options must be a dict, not {options!r}")
    shared = dict(options or {})
    mask = _parse_mask(shared.pop("reset_mask"), num_envs) if "reset_mask" in shared else None
    seeds = _parse_seeds(seed, num_envs)
    per_env = {
        name: _one_for_each(name, shared.pop(name), num_envs)
        for name in _OPTIONS_PER_ENV & shared.keys()
    }
    resets: dict[int, ResetArguments] = {}
    for index in range(num_envs):
        if mask is None or mask[index]:
            own = {**shared, **{name: values[index] for name, values in per_env.items()}}
            resets[index] = seeds[index], own or None
    return resets


def _parse_mask(mask: Any, num_envs: int) -> list[bool]:
    array = np.asarray(mask)
    if array.shape != (num_envs,) or array.dtype != np.bool_ or not array.any():
        raise UsageError(
            f"options['reset_mask'] must be an array of {num_envs} bools with at least one True, "
            f"not {mask!r}"
        )
    flags: list[bool] = array.tolist()
    return flags


def _parse_seeds(seed: Any, num_envs: int) -> list[int | None]:
    if seed is None:
        return [None] * num_envs
    if isinstance(seed, (int, np.integer)):
        seeds: list[Any] = [int(seed) + index for index in range(num_envs)]
    else:
        seeds = list(seed) if _is_sequence(seed) else []
    if len(seeds) != num_envs or not all(
        seed is None or (isinstance(seed, (int, np.integer)) and seed >= 0) for seed in seeds
    ):
        raise UsageError(
            f"seed must be an int of 0 or more, or a list of {num_envs} of them or None, "
            f"not {seed!r}"
        )
    return seeds


def _is_sequence(value: Any) -> bool:
    """Return whether a value is a list, a tuple, or an array of at least one dimension."""
    if isinstance(value, (str, bytes, Mapping, Set)) or not hasattr(value, "__len__"):
        return False
    return getattr(value, "ndim", 1) > 0


def _one_for_each(name: str, value: Any, num_envs: int) -> list[Any]:
    """Return an option's value for each sub-environment, from a list or a value for all."""
    if not _is_sequence(value):
        return [value] * num_envs
    if len(value) != num_envs:
        raise UsageError(
            f"options[{name!r}] must be one value for all, or a list of {num_envs}, "
            f"not of {len(value)}"
        )
    return list(value)


_ALWAYS_OBJECTS = "final_obs"  # as in Gymnasium
_TEXTS = {str}
_NUMBERS = (int, float, np.number)  # bools are handled separately
_MAX_INT64 = 2**63 - 1
_MAX_EXACT_FLOAT = 2**53


def stack_infos(infos: Sequence[Mapping[str, Any] | None]) -> dict[str, Any]:
    """Return infos as one dict.

    Args:
        infos: One for each environment; None for an environment without an info.

    Example:
        >>> infos = stack_infos([{"task_id": "a", "components": {"right": 1}},
        ...                      {"task_id": "b"}, {"components": {"right": 0.5}}])
        >>> infos["task_id"], infos["_task_id"]
        (array(['a', 'b', None], dtype=object), array([ True,  True, False]))
        >>> infos["components"]["right"]
        array([1. , 0. , 0.5])
    """
    columns: dict[str, dict[int, Any]] = {}
    for index, info in enumerate(infos):
        for key, value in info.items() if info else ():
            try:
                columns[key][index] = value
            except KeyError:
                columns[key] = {index: value}
    stacked: dict[str, Any] = {}
    for key, column in columns.items():
        mask = np.zeros(len(infos), dtype=np.bool_)
        mask[list(column)] = True
        stacked[key], stacked[f"_{key}"] = _stack(key, column, len(infos)), mask
    return stacked


def stack_results(
    results: Sequence[Any],
) -> tuple[tuple[Any, ...], np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
    """Return what a vector returns for the results of steps, one for each environment."""
    return (
        tuple(result[0] for result in results),
        np.array([result[1] for result in results], dtype=np.float64),
        np.array([result[2] for result in results], dtype=np.bool_),
        np.array([result[3] for result in results], dtype=np.bool_),
        stack_infos([result[4] for result in results]),
    )


def _stack(key: str, column: Mapping[int, Any], size: int) -> Any:
    """Return the values of one key, given by environment, as an array or a dict."""
    kinds = set(map(type, column.values()))
    if kinds == _TEXTS:
        return np.fromiter(map(column.get, range(size)), dtype=object, count=size)
    if all(issubclass(kind, dict) for kind in kinds) and key != _ALWAYS_OBJECTS:
        return stack_infos([*map(column.get, range(size))])
    values = list(column.values())
    dtype, shape = _common_type(kinds, values)
    if dtype is object:
        return np.fromiter(map(column.get, range(size)), dtype=object, count=size)
    array = np.zeros((size, *shape), dtype=dtype)
    array[list(column)] = values
    return array


def _common_type(kinds: set[type], values: list[Any]) -> tuple[Any, tuple[int, ...]]:
    """Return the dtype that holds all values unchanged, and their shape."""
    if kinds == {bool}:
        return np.bool_, ()
    if kinds == {np.ndarray} and len({(value.shape, value.dtype) for value in values}) == 1:
        return values[0].dtype, values[0].shape
    if bool in kinds or not all(issubclass(kind, _NUMBERS) for kind in kinds):
        return object, ()
    dtype = np.result_type(*kinds)
    largest = _MAX_INT64 if dtype.kind in "iu" else _MAX_EXACT_FLOAT
    ints = (value for value in values if isinstance(value, (int, np.integer)))
    return (dtype if all(-largest <= value <= largest for value in ints) else object), ()
