"""Reading what a vector is told: actions, which sub-environments, and what a reset asks for.

All of it is read before anything is done, so that what is refused has changed nothing.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Set
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode

from textgym.errors import InvalidActionError, UnknownNameError, UsageError
from textgym.spaces import action_problem

__all__ = ["read_actions", "read_mode", "read_places", "read_resets"]

Reset = tuple["int | None", "dict[str, Any] | None"]
_EACH_ITS_OWN = ("index", "task")


def read_mode(mode: AutoresetMode | str) -> AutoresetMode:
    """Return an autoreset mode from itself or its value.

    Raises:
        UnknownNameError: It is none.

    Example:
        >>> read_mode("SameStep")
        <AutoresetMode.SAME_STEP: 'SameStep'>
    """
    try:
        return AutoresetMode(mode)
    except ValueError:
        known = ", ".join(repr(known.value) for known in AutoresetMode)
        raise UnknownNameError(f"autoreset_mode is one of {known}, not {mode!r}") from None


def read_actions(actions: Any, count: int, space: gym.Space[Any]) -> list[Any]:
    """Return actions as a list, one for each sub-environment; None stands for no action.

    Raises:
        InvalidActionError: It is one action alone, or one of them is none.
        UsageError: There are more or fewer.

    Example:
        >>> from textgym.spaces import ActionSpace
        >>> read_actions("yes", 3, ActionSpace())
        Traceback (most recent call last):
        textgym.errors.InvalidActionError: 3 sub-environments take a list of 3 actions, and this \
is a lone str
    """
    if isinstance(actions, (str, bytes, Mapping, Set)) or not hasattr(actions, "__iter__"):
        kind = type(actions).__name__
        raise InvalidActionError(
            f"{count} sub-environments take a list of {count} actions, and this is a lone {kind}"
        )
    listed = list(actions)
    if len(listed) != count:
        raise InvalidActionError(
            f"{count} sub-environments take {count} actions, not {len(listed)}"
        )
    for place, action in enumerate(listed):
        if not (action is None or action.__class__ is str or action in space):
            problem = action_problem(action) or "it is not in the action space"
            raise InvalidActionError(
                f"action {place} is neither an assistant message nor a text: {problem}"
            )
    return listed


def read_places(env_id: Any, num_envs: int) -> list[int]:
    """Return the numbers of sub-environments; None names all.

    Raises:
        UsageError: One of them is no sub-environment, or is named twice.
    """
    if env_id is None:
        return list(range(num_envs))
    try:
        places = [operator.index(place) for place in env_id]
    except TypeError:
        raise UsageError(f"env_id is a list of whole numbers, not {env_id!r}") from None
    if any(not 0 <= place < num_envs for place in places) or len(set(places)) < len(places):
        raise UsageError(
            f"env_id names sub-environments from 0 to {num_envs - 1}, each once, not {places}"
        )
    return places


def read_resets(seed: Any, options: Mapping[str, Any] | None, num_envs: int) -> dict[int, Reset]:
    """Return the sub-environments to reset, each with its seed and options.

    Raises:
        UsageError: The seeds, the mask, the indices or the tasks are not one for each.
    """
    if not (options is None or isinstance(options, Mapping)):
        raise UsageError(f"options are a dict, not {options!r}")
    given = dict(options or {})
    mask = _read_mask(given.pop("reset_mask"), num_envs) if "reset_mask" in given else None
    seeds = _read_seeds(seed, num_envs)
    own = {
        name: _one_each(name, given.pop(name), num_envs) for name in _EACH_ITS_OWN & given.keys()
    }
    resets: dict[int, Reset] = {}
    for place in range(num_envs):
        if mask is None or mask[place]:
            mine = {**given, **{name: values[place] for name, values in own.items()}}
            resets[place] = seeds[place], mine or None
    return resets


def _read_mask(mask: Any, num_envs: int) -> list[bool]:
    array = np.asarray(mask)
    if array.shape != (num_envs,) or array.dtype != np.bool_ or not array.any():
        raise UsageError(
            f"options['reset_mask'] is an array of {num_envs} bools of which one is True or more, "
            f"not {mask!r}"
        )
    flags: list[bool] = array.tolist()
    return flags


def _read_seeds(seed: Any, num_envs: int) -> list[int | None]:
    if seed is None:
        return [None] * num_envs
    if isinstance(seed, (int, np.integer)):
        seeds: list[Any] = [int(seed) + place for place in range(num_envs)]
    else:
        seeds = list(seed) if _is_list(seed) else []
    if len(seeds) != num_envs or not all(map(_is_seed, seeds)):
        raise UsageError(
            f"seed is a whole number of 0 or more, or a list of {num_envs} of them or None, "
            f"not {seed!r}"
        )
    return seeds


def _is_seed(seed: Any) -> bool:
    return seed is None or (isinstance(seed, (int, np.integer)) and bool(seed >= 0))


def _is_list(value: Any) -> bool:
    """Tell whether a value is a list, or what has its things in order as a list has: an array."""
    if isinstance(value, (str, bytes, Mapping, Set)) or not hasattr(value, "__len__"):
        return False
    return getattr(value, "ndim", 1) > 0


def _one_each(name: str, value: Any, num_envs: int) -> list[Any]:
    """Return what is given to each: one thing to all, or of a list or an array one to each."""
    if not _is_list(value):
        return [value] * num_envs
    if len(value) != num_envs:
        raise UsageError(
            f"options[{name!r}] is one for all, or a list of {num_envs}, not of {len(value)}"
        )
    return list(value)
