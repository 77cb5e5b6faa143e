"""Saving and restoring a running episode, including the wrappers.

A `TextEnv` saves itself; `get_state` adds its wrappers. The wrappers of textgym save themselves,
too. For Gymnasium's, the data is saved, such as the counter of `TimeLimit` and running statistics.

Invariants: a saved state consists of JSON values; continuing from a saved state equals continuing
without a break; a state that is refused changes nothing.
"""

from __future__ import annotations

import copy
import json
from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.wrappers import PassiveEnvChecker, TimeLimit
from gymnasium.wrappers.utils import RunningMeanStd

from textgym.errors import BoundaryFailure, StateError, in_one_line
from textgym.layers import wrappers_around

__all__ = ["get_state", "set_state"]

_BASE_ATTRIBUTES = frozenset(vars(gym.Wrapper(gym.Env())))


def get_state(env: gym.Env[Any, Any]) -> dict[str, Any]:
    """Save an environment and its wrappers.

    Args:
        env: A `TextEnv` with a running episode, wrapped or not.

    Raises:
        StateError: It is not a `TextEnv`, or has no episode.

    Example:
        >>> import gymnasium, textgym
        >>> env = gymnasium.make("textgym/MCQA-v0", max_episode_steps=3)
        >>> observation, info = env.reset(seed=1)
        >>> state = textgym.get_state(env)
        >>> first = env.step("I do not know.")
        >>> textgym.set_state(env, state)
        >>> env.step("I do not know.")[1:4] == first[1:4]
        True
    """
    inner: Any = env.unwrapped
    if not hasattr(inner, "get_state"):
        raise StateError(f"{type(inner).__name__} cannot be saved: it has no get_state")
    layers = [[type(layer).__name__, _save(layer)] for layer in wrappers_around(env)]
    return {"env": inner.get_state(), "wrappers": layers}


def set_state(env: gym.Env[Any, Any], state: dict[str, Any]) -> None:
    """Restore a saved state, in an environment that was made and wrapped in the same way.

    Raises:
        StateError: The state is invalid, or was saved from another environment or other wrappers;
            the error names the path. The environment and its wrappers are unchanged.
        BoundaryFailure: Something that the environment's `begin` calls failed. The environment and
            its wrappers are unchanged.

    Example:
        >>> import gymnasium, textgym
        >>> env = gymnasium.make("textgym/GuessNumber-v0", level=1)
        >>> observation, info = env.reset(seed=1)
        >>> saved = textgym.get_state(env)
        >>> other = gymnasium.make("textgym/GuessNumber-v0", level=1)
        >>> textgym.set_state(other, saved)
        >>> other.unwrapped.task == env.unwrapped.task
        True
    """
    layers = list(wrappers_around(env))
    inner: Any = env.unwrapped
    names = [type(layer).__name__ for layer in layers]
    before = [dict(vars(layer)) for layer in layers]
    try:
        if [name for name, _ in state["wrappers"]] != names:
            others = [name for name, _ in state["wrappers"]]
            raise StateError(
                f"the state was saved with wrappers that differ from {names}: {others}"
            )
        for layer, (name, saved) in zip(layers, state["wrappers"], strict=True):
            _restore(layer, name, saved)
        inner.set_state(state["env"])
    except BaseException as error:
        for layer, attributes in zip(layers, before, strict=True):
            vars(layer).clear()
            vars(layer).update(attributes)
        if isinstance(error, (StateError, BoundaryFailure)) or not isinstance(error, Exception):
            raise
        raise StateError(f"this is not a saved state: {in_one_line(error)}") from error


def _save(layer: Any) -> dict[str, Any]:
    """Return the state of a wrapper: what its `get_state` returns, or else its data."""
    if hasattr(type(layer), "get_state"):
        state: dict[str, Any] = layer.get_state()
        return state
    return {name: _pack(value) for name, value in _data_of(layer)}


def _restore(layer: Any, name: str, saved: Any) -> None:
    """Set the state of a wrapper, by its `set_state` or by its data."""
    if hasattr(type(layer), "set_state"):
        layer.set_state(saved)
        return
    vars(layer).update(_read(saved, _WrapperData(layer), name))
    if isinstance(layer, PassiveEnvChecker):  # its first-call checks would fail
        layer.checked_reset = layer.checked_step = layer.checked_data_reuse = True


def _data_of(layer: Any) -> Iterator[tuple[str, Any]]:
    """Yield a wrapper's attributes that are data, not functions, spaces or specs."""
    if isinstance(layer, PassiveEnvChecker):
        return
    data = (bool, int, float, str, np.ndarray, np.generic, deque, RunningMeanStd)
    for name, value in vars(layer).items():
        if name not in _BASE_ATTRIBUTES and (value is None or isinstance(value, data)):
            yield name, value


def _pack(value: Any) -> Any:
    if isinstance(value, RunningMeanStd):
        return {name: _pack(item) for name, item in vars(value).items()}
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    return [_pack(item) for item in value] if isinstance(value, deque) else value


class _WrapperData:
    """The present data of a wrapper, which determines what a saved state may contain.

    Attributes:
        values: The attributes that are data, by name.
        may_be_none: Whether attributes may also be None. In Gymnasium's own wrappers they never
            are, except the counter of a `TimeLimit` before the first reset.
    """

    def __init__(self, layer: Any) -> None:
        self.values = dict(_data_of(layer))
        self.may_be_none = not type(layer).__module__.startswith("gymnasium.")
        if isinstance(layer, TimeLimit):
            self.values["_elapsed_steps"] = self.values["_elapsed_steps"] or 0

    def is_like(self, saved: Any, now: Any) -> bool:
        """Return whether a saved value has a type that can replace the value `now`."""
        if isinstance(now, deque):
            return isinstance(saved, list)
        if saved is None:
            return now is None or self.may_be_none
        if now is None:
            return isinstance(saved, (bool, int, float, str))
        return _is_number(saved) if _is_number(_pack(now)) else type(saved) is type(_pack(now))


def _read(saved: Any, data: _WrapperData, path: str) -> dict[str, Any]:
    """Return the saved values of a wrapper by name, each with its present type.

    Raises:
        StateError: A value is missing or unknown, or has another type.
    """
    _check_names(saved, data.values, path)
    return {
        name: _unpack(item, data.values[name], data, f"{path}.{name}")
        for name, item in saved.items()
    }


def _check_names(saved: Any, now: Mapping[str, Any], path: str) -> None:
    unknown = [name for name in saved if name not in now]
    if unknown:
        raise StateError(f"{path}.{str(unknown[0])[:100]} is unknown")
    missing = [name for name, value in now.items() if value is not None and name not in saved]
    if missing:
        raise StateError(f"{path}.{missing[0]} is missing")


def _unpack(saved: Any, now: Any, data: _WrapperData, path: str) -> Any:
    """Return a saved value with the type of the present one."""
    value, is_like = saved, data.is_like(saved, now)
    if isinstance(now, RunningMeanStd):
        return _read_statistics(saved, now, data, path)
    if isinstance(now, np.ndarray):
        value = np.array(saved, dtype=now.dtype)
        is_like = value.shape == now.shape
    elif isinstance(now, np.generic):
        value = now.dtype.type(saved)
    elif isinstance(now, deque):
        value = deque(saved, maxlen=now.maxlen)
    if not is_like or json.dumps(_pack(value), allow_nan=False) != json.dumps(saved):
        raise StateError(f"{path} must have the type of the wrapper's value, {type(now).__name__}")
    return value


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _read_statistics(
    saved: Any, now: RunningMeanStd, data: _WrapperData, path: str
) -> RunningMeanStd:
    """Return saved running statistics, after checking that they are possible."""
    statistics = copy.copy(now)
    _check_names(saved, vars(now), path)
    for name, item in saved.items():
        setattr(statistics, name, _unpack(item, getattr(now, name), data, f"{path}.{name}"))
    if np.any(np.less(statistics.var, 0)) or statistics.count <= 0:
        raise StateError(f"{path} must have a variance of 0 or more and a count over 0")
    return statistics
