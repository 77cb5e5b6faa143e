"""Saving an episode in the middle and going on from there, wrappers included.

A `TextEnv` saves itself; `get_state` adds what its wrappers hold (`TimeLimit`'s counter, running
statistics). Invariants: a saved state is what JSON can hold; going on from it equals having gone
straight through; a state that is refused has changed nothing.
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

__all__ = ["get_state", "set_state"]

_OF_EVERY_WRAPPER = frozenset(vars(gym.Wrapper(gym.Env())))


def get_state(env: gym.Env[Any, Any]) -> dict[str, Any]:
    """Save an environment and its wrappers.

    Args:
        env: A `TextEnv`, wrapped or not, in an episode.

    Raises:
        StateError: It is no `TextEnv`, or has no episode.

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
    layers = [
        [type(layer).__name__, {name: _pack(value) for name, value in _data_of(layer)}]
        for layer in _wrappers(env)
    ]
    return {"env": inner.get_state(), "wrappers": layers}


def set_state(env: gym.Env[Any, Any], state: dict[str, Any]) -> None:
    """Go on from a saved state, in an environment made and wrapped in the same way.

    Raises:
        StateError: It is not a state of such an environment, or of other wrappers; the error names
            the place, and environment and wrappers are as they were.
        BoundaryFailure: Something that the environment's `begin` calls failed; all is as it was.
    """
    layers = list(_wrappers(env))
    inner: Any = env.unwrapped
    names = [type(layer).__name__ for layer in layers]
    try:
        if [name for name, _ in state["wrappers"]] != names:
            raise StateError(f"the state was saved from other wrappers than {names}")
        restored = [
            _read(saved, _Held(layer), name)
            for layer, (name, saved) in zip(layers, state["wrappers"], strict=True)
        ]
        inner.set_state(state["env"])
    except (StateError, BoundaryFailure):
        raise
    except Exception as error:
        raise StateError(f"this is no saved state: {in_one_line(error)}") from error
    for layer, data in zip(layers, restored, strict=True):
        vars(layer).update(data)
        if isinstance(layer, PassiveEnvChecker):  # it compares with what it saw from the start
            layer.checked_reset = layer.checked_step = layer.checked_data_reuse = True


def _wrappers(env: gym.Env[Any, Any]) -> Iterator[gym.Wrapper[Any, Any, Any, Any]]:
    while isinstance(env, gym.Wrapper):
        yield env
        env = env.env


def _data_of(layer: Any) -> Iterator[tuple[str, Any]]:
    """Give a wrapper's attributes that are data; functions, spaces and specs are not."""
    if isinstance(layer, PassiveEnvChecker):
        return
    data = (bool, int, float, str, np.ndarray, np.generic, deque, RunningMeanStd)
    for name, value in vars(layer).items():
        if name not in _OF_EVERY_WRAPPER and (value is None or isinstance(value, data)):
            yield name, value


def _pack(value: Any) -> Any:
    if isinstance(value, RunningMeanStd):
        return {name: _pack(item) for name, item in vars(value).items()}
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    return [_pack(item) for item in value] if isinstance(value, deque) else value


class _Held:
    """What a wrapper holds now, which tells what it can hold.

    Attributes:
        values: Its attributes that are data, by name.
        may_be_none: Whether any of them may be None at times. Of Gymnasium's own wrappers none is,
            but for the counter of a `TimeLimit` before the first reset.
    """

    def __init__(self, layer: Any) -> None:
        self.values = dict(_data_of(layer))
        self.may_be_none = not type(layer).__module__.startswith("gymnasium.")
        if isinstance(layer, TimeLimit):
            self.values["_elapsed_steps"] = self.values["_elapsed_steps"] or 0

    def is_like(self, saved: Any, now: Any) -> bool:
        """Tell whether a saved value is of a kind that the wrapper can hold where `now` is."""
        if isinstance(now, deque):
            return isinstance(saved, list)
        if saved is None:
            return now is None or self.may_be_none
        if now is None:
            return isinstance(saved, (bool, int, float, str))
        return _is_number(saved) if _is_number(_pack(now)) else type(saved) is type(_pack(now))


def _read(saved: Any, held: _Held, place: str) -> dict[str, Any]:
    """Return the saved values of a wrapper by name, each of the type that it holds now.

    Raises:
        StateError: A value is missing, unknown, or of another type.
    """
    _check_names(saved, held.values, place)
    return {
        name: _unpack(item, held.values[name], held, f"{place}.{name}")
        for name, item in saved.items()
    }


def _check_names(saved: Any, now: Mapping[str, Any], place: str) -> None:
    unknown = [name for name in saved if name not in now]
    if unknown:
        raise StateError(f"{place}.{str(unknown[0])[:100]} is none of its values")
    missing = [name for name, value in now.items() if value is not None and name not in saved]
    if missing:
        raise StateError(f"{place}.{missing[0]} is missing")


def _unpack(saved: Any, now: Any, held: _Held, place: str) -> Any:
    """Return a saved value as the type that the wrapper holds now."""
    value, is_like = saved, held.is_like(saved, now)
    if isinstance(now, RunningMeanStd):
        return _read_statistics(saved, now, held, place)
    if isinstance(now, np.ndarray):
        value = np.array(saved, dtype=now.dtype)
        is_like = value.shape == now.shape
    elif isinstance(now, np.generic):
        value = now.dtype.type(saved)
    elif isinstance(now, deque):
        value = deque(saved, maxlen=now.maxlen)
    if not is_like or json.dumps(_pack(value), allow_nan=False) != json.dumps(saved):
        raise StateError(f"{place} is not such a value as the wrapper holds")
    return value


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _read_statistics(saved: Any, now: RunningMeanStd, held: _Held, place: str) -> RunningMeanStd:
    """Return running statistics; a variance is never negative, and a count more than 0."""
    statistics = copy.copy(now)
    _check_names(saved, vars(now), place)
    for name, item in saved.items():
        setattr(statistics, name, _unpack(item, getattr(now, name), held, f"{place}.{name}"))
    if np.any(np.less(statistics.var, 0)) or statistics.count <= 0:
        raise StateError(f"{place} are no statistics")
    return statistics
