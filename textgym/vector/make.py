"""Making vectors: of one id, or of several ids that share the sub-environments by weight."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import gymnasium as gym
from gymnasium.vector import AutoresetMode

from textgym.errors import UsageError
from textgym.mixtures import check_weights, split_by_weight
from textgym.registry import make
from textgym.vector.text_vector_env import TextVectorEnv

__all__ = ["make_vec"]

Wrapper = Callable[[gym.Env[Any, Any]], gym.Env[Any, Any]]


def make_vec(
    envs: str | Mapping[str, float],
    num_envs: int = 1,
    *,
    autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
    env_wrappers: Iterable[Wrapper] = (),
    failures: str = "raise",
    retries: int = 2,
    **kwargs: Any,
) -> TextVectorEnv:
    """Return a vector of text environments.

    For one id it returns the same as `gymnasium.make_vec`. Several ids share the sub-environments
    by weight; those of one id are contiguous, and the vector's `env_ids` lists them.

    Args:
        envs: An id, or ids with weights.
        num_envs: The number of sub-environments.
        autoreset_mode: As in `TextVectorEnv`.
        env_wrappers: Functions that take an environment and return it wrapped, applied in order to
            each sub-environment.
        failures: As in `TextVectorEnv`.
        retries: As in `TextVectorEnv`.
        **kwargs: Keyword arguments of the environments, the same for all.

    Raises:
        UsageError: An argument is invalid.

    Example:
        >>> import textgym
        >>> weights = {"textgym/MCQA-v0": 0.6, "textgym/GuessNumber-v0": 0.4}
        >>> textgym.make_vec(weights, num_envs=3, level=1).env_ids
        ('textgym/MCQA-v0', 'textgym/MCQA-v0', 'textgym/GuessNumber-v0')
    """
    if not isinstance(num_envs, int) or num_envs < 1:
        raise UsageError(f"num_envs must be an int of 1 or more, not {num_envs!r}")
    wrappers = tuple(env_wrappers)
    env_fns = [
        functools.partial(_make, id, wrappers, kwargs)
        for id, count in _shares(envs, num_envs).items()
        for _ in range(count)
    ]
    return TextVectorEnv(env_fns, autoreset_mode=autoreset_mode, failures=failures, retries=retries)


def _make(id: str, wrappers: Iterable[Wrapper], kwargs: dict[str, Any]) -> gym.Env[Any, Any]:
    env = make(id, **{"disable_env_checker": True, **kwargs})
    for wrapper in wrappers:
        env = wrapper(env)
    return env


def _shares(envs: str | Mapping[str, float], num_envs: int) -> dict[str, int]:
    if isinstance(envs, str):
        return {envs: num_envs}
    if not isinstance(envs, Mapping) or not envs:
        raise UsageError(f"envs must be an id, or ids with weights, not {envs!r}")
    check_weights(envs)
    shares = split_by_weight(envs, num_envs)
    for id, count in shares.items():
        if not count:
            raise UsageError(
                f"{id} with weight {envs[id]} gets none of {num_envs} sub-environments: "
                "increase num_envs or its weight"
            )
    return shares
