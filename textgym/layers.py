"""The layers of a wrapped environment, and limits of an episode's length that are graded.

Layers that count turns (a `TextEnv`, and wrappers that add turns) have `max_turns` and `turn`, and
end the episode with a grade when `turn` reaches `max_turns`. Gymnasium's `TimeLimit` truncates
without a grade.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import gymnasium as gym

__all__ = [
    "counting_layers", "grade_at_time_limit", "graded_cut", "layers_of", "limit_turns",
    "wrappers_around",
]  # fmt: skip


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


def counting_layers(env: gym.Env[Any, Any]) -> list[Any]:
    """Return the layers of an environment that count turns, the outermost first.

    Example:
        >>> import textgym
        >>> [layer.max_turns for layer in counting_layers(gym.make("textgym/MCQA-v0"))]
        [1]
    """
    return [layer for layer in layers_of(env) if hasattr(layer, "max_turns")]


def limit_turns(env: gym.Env[Any, Any], limit: int) -> None:
    """Make an environment end, with a grade, after at most `limit` turns of each layer."""
    for layer in counting_layers(env):
        layer.max_turns = min(layer.max_turns, limit)


def grade_at_time_limit(env: gym.Env[Any, Any]) -> gym.Env[Any, Any]:
    """Make a text environment grade an episode that a `TimeLimit` around it cuts, and return it.

    A `TimeLimit` truncates without a grade, so the environment's own `max_turns` is lowered to the
    limit. Rollouts, vectors and the command call this. In your own loop, call it after
    `gymnasium.make(id, max_episode_steps=n)`, or pass `max_turns=n` instead.

    Example:
        >>> import textgym
        >>> env = gym.make("textgym/GuessNumber-v0")
        >>> env = grade_at_time_limit(gym.wrappers.TimeLimit(env, max_episode_steps=1))
        >>> observation, info = env.reset(seed=1)
        >>> observation, reward, terminated, truncated, info = env.step("I do not know.")
        >>> truncated, info["stop_reason"], info["is_success"]
        (True, 'max_turns', False)
    """
    for layer in wrappers_around(env):
        if isinstance(layer, gym.wrappers.TimeLimit):
            limit_turns(layer.env, layer._max_episode_steps)
    return env


@contextlib.contextmanager
def graded_cut(env: gym.Env[Any, Any], *, when: bool = True) -> Iterator[None]:
    """Make the next step of an environment the last one, which it grades, while the block runs.

    Args:
        env: The environment.
        when: Whether to do so at all.
    """
    if not when:
        yield
        return
    layers = [layer for layer in counting_layers(env) if hasattr(layer, "turn")]
    limits = [layer.max_turns for layer in layers]
    for layer in layers:
        layer.max_turns = min(layer.max_turns, layer.turn + 1)
    try:
        yield
    finally:
        for layer, limit in zip(layers, limits, strict=True):
            layer.max_turns = limit
