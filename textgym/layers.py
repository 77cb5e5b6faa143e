"""The layers of a wrapped environment: its wrappers, and the environment itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gymnasium as gym

__all__ = ["layers_of", "wrappers_around"]


def wrappers_around(env: gym.Env[Any, Any]) -> Iterator[gym.Wrapper[Any, Any, Any, Any]]:
    """Yield the wrappers of an environment, the outermost first.

    Example:
        >>> env = gym.wrappers.TimeLimit(gym.wrappers.OrderEnforcing(gym.Env()), 3)
        >>> [type(wrapper).__name__ for wrapper in wrappers_around(env)]
        ['TimeLimit', 'OrderEnforcing']
    """
    while isinstance(env, gym.Wrapper):
        yield env
        env = env.env


def layers_of(env: gym.Env[Any, Any]) -> list[Any]:
    """Return the wrappers of an environment, the outermost first, and then the environment."""
    layers: list[Any] = []
    while isinstance(env, gym.Wrapper):
        layers.append(env)
        env = env.env
    layers.append(env.unwrapped)
    return layers
