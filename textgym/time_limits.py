"""Gymnasium's `TimeLimit` around a text environment, whose cut the environment can grade."""

from __future__ import annotations

from typing import Any

import gymnasium as gym

__all__ = ["grade_at_time_limit"]


def grade_at_time_limit(env: gym.Env[Any, Any]) -> gym.Env[Any, Any]:
    """Make a text environment grade the cut of a `TimeLimit` around it, and return it.

    A `TimeLimit` truncates without a grade, so the environment's own `max_turns` is lowered to it.
    Rollouts, vectors and the command call this. In a loop of your own, call it after
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
    inner: Any = env.unwrapped
    if hasattr(inner, "max_turns") and env.has_wrapper_attr("_max_episode_steps"):
        inner.max_turns = min(inner.max_turns, env.get_wrapper_attr("_max_episode_steps"))
    return env
