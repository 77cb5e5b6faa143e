"""Making vectors: of one id, or of several ids that share the sub-environments by weight."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import gymnasium as gym
from gymnasium.vector import AutoresetMode

from textgym.errors import UnknownNameError, UsageError
from textgym.mixtures import check_env_kwargs, check_weights, kwargs_for_env, split_by_weight
from textgym.registry import make
from textgym.vector.text_vector_env import TextVectorEnv
from textgym.wrappers.specs import WrapperSpec, apply_wrappers

__all__ = ["make_vec"]

_ARGUMENTS_OF_GYMNASIUM = {  # of its own `make_vec`, and what is used here
    "wrappers": "env_wrappers=, a list of texts or functions",
    "vector_kwargs": "what it holds as arguments of their own, such as autoreset_mode=",
    "vectorization_mode": "it to gymnasium.make_vec, which makes the other vectors",
}


def make_vec(
    envs: str | Mapping[str, float],
    num_envs: int = 1,
    *,
    autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
    env_wrappers: Iterable[WrapperSpec] = (),
    failures: str = "raise",
    retries: int = 2,
    env_kwargs: Mapping[str, Any] | None = None,
    **kwargs: Any,
) -> TextVectorEnv:
    """Return a vector of text environments.

    For one id it returns the same as `gymnasium.make_vec`. Several ids share the sub-environments
    by weight; those of one id are contiguous, and the vector's `env_ids` lists them.

    Args:
        envs: An id, or ids with weights.
        num_envs: The number of sub-environments.
        autoreset_mode: As in `TextVectorEnv`.
        env_wrappers: Wrappers of each sub-environment, the first innermost: functions that take an
            environment and return it wrapped, or texts such as `"StepPenalty:amount=0.01"`.
        failures: As in `TextVectorEnv`.
        retries: As in `TextVectorEnv`.
        env_kwargs: Keyword arguments of the environments; those of a single id as a dict under it.
        **kwargs: Keyword arguments of all environments.

    Raises:
        UsageError: An argument is invalid.

    Example:
        >>> import textgym
        >>> weights = {"textgym/MCQA-v0": 0.6, "textgym/GuessNumber-v0": 0.4}
        >>> textgym.make_vec(weights, num_envs=3, level=1).env_ids
        ('textgym/MCQA-v0', 'textgym/MCQA-v0', 'textgym/GuessNumber-v0')
        >>> own = {"textgym/MCQA-v0": {"shots": 1}}
        >>> textgym.make_vec(weights, num_envs=3, level=1, env_kwargs=own).num_envs
        3
    """
    if not isinstance(num_envs, int) or num_envs < 1:
        raise UsageError(f"num_envs must be an int of 1 or more, not {num_envs!r}")
    wrappers, shares = tuple(env_wrappers), _shares(envs, num_envs)
    arguments = _arguments(kwargs, dict(env_kwargs or {}))
    check_env_kwargs("env_kwargs", arguments, shares)
    env_fns = [
        functools.partial(_make, id, wrappers, kwargs_for_env(id, arguments))
        for id, count in shares.items()
        for _ in range(count)
    ]
    return TextVectorEnv(env_fns, autoreset_mode=autoreset_mode, failures=failures, retries=retries)


def _arguments(kwargs: dict[str, Any], env_kwargs: dict[str, Any]) -> dict[str, Any]:
    """Return the keyword arguments of the environments, as `kwargs_for_env` takes them."""
    for name, instead in _ARGUMENTS_OF_GYMNASIUM.items():
        if name in kwargs:
            raise UnknownNameError(f"make_vec has no argument {name!r}: pass {instead}")
    for name in kwargs.keys() & env_kwargs.keys():
        raise UsageError(f"{name} is given twice: as an argument and in env_kwargs")
    return kwargs | env_kwargs


def _make(id: str, wrappers: Sequence[WrapperSpec], kwargs: dict[str, Any]) -> gym.Env[Any, Any]:
    env = make(id, **{"disable_env_checker": True, **kwargs})
    return apply_wrappers(env, wrappers)


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
