"""Making vectors: of one id, or of a mixture that shares the sub-environments by weight.

Each id has a `vector_entry_point`, such as `textgym.vector.make:textgym/MCQA-v0`. Gymnasium does
not pass the id to it, so the id is the name of an attribute of this module, and the entry point is
a string, without which a spec could not be saved.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import gymnasium as gym
from gymnasium.vector import AutoresetMode

from textgym.curricula import Curriculum, SuccessCurriculum, read_curriculum
from textgym.errors import UnknownNameError, UsageError
from textgym.mixtures import (
    EnvFn,
    Source,
    check_env_kwargs,
    functions_of,
    kwargs_for_env,
    split_by_weight,
    weights_of,
)
from textgym.registry import is_registered, make
from textgym.vector.mixture_env import MixtureEnv
from textgym.vector.text_vector_env import TextVectorEnv
from textgym.wrappers.specs import WrapperSpec, apply_wrappers, check_wrappers

__all__ = ["make_vec"]


_ARGUMENTS_OF_GYMNASIUM = {  # of its own `make_vec`, and what is used here
    "vector_kwargs": "what it holds as arguments of their own, such as autoreset_mode=",
    "vectorization_mode": "it to gymnasium.make_vec, which makes the other vectors",
}


def make_vec(
    envs: str | Mapping[str, Source],
    num_envs: int = 1,
    *,
    curriculum: Curriculum | None = None,
    autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
    wrappers: Sequence[WrapperSpec] = (),
    env_wrappers: Iterable[WrapperSpec] = (),
    failures: str = "raise",
    retries: int = 2,
    env_kwargs: Mapping[str, Any] | None = None,
    **kwargs: Any,
) -> TextVectorEnv:
    """Return a vector of text environments.

    For one id it returns the same as `gymnasium.make_vec`. The environments of a mixture share the
    sub-environments by weight; those of one are contiguous, and the vector's `env_ids` lists them.

    Args:
        envs: An id, or a mixture: a dict from ids to weights. A function that makes an environment
            is a value, on its own or as a pair of weight and function; its key is then a name.
        num_envs: The number of sub-environments.
        curriculum: Draws the environment anew at each reset of a sub-environment: a
            `SuccessCurriculum`, which all of them share, a dict of its arguments, or True.
            `infos["environment"]` holds the ids of the environments that play.
        autoreset_mode: As in `TextVectorEnv`.
        wrappers: Wrappers of each sub-environment, the first innermost: texts such as
            `"StepPenalty:amount=0.01"`, or functions that return an environment wrapped.
        env_wrappers: More of them, under a name that `gymnasium.make_vec` passes on; it does not
            pass on `wrappers`.
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
        >>> envs = textgym.make_vec(weights, num_envs=4, curriculum={"window": 16})
        >>> sorted(set(envs.reset(seed=1)[1]["environment"]))
        ['textgym/GuessNumber-v0', 'textgym/MCQA-v0']
    """
    if not isinstance(num_envs, int) or num_envs < 1:
        raise UsageError(f"num_envs must be an int of 1 or more, not {num_envs!r}")
    if not isinstance(envs, (str, Mapping)) or not envs:
        raise UsageError(f"envs must be an id, or ids with weights, not {envs!r}")
    mixture = {envs: 1.0} if isinstance(envs, str) else envs
    weights, functions = weights_of(mixture), functions_of(mixture)
    arguments = _arguments(kwargs, dict(env_kwargs or {}))
    check_env_kwargs("env_kwargs", arguments, weights, functions)
    check_wrappers(wrappers)
    wrappers = (*wrappers, *env_wrappers)
    by_id: dict[str, EnvFn] = {
        id: functools.partial(_wrapped, functions[id], wrappers)
        if id in functions
        else functools.partial(_make, id, wrappers, kwargs_for_env(id, arguments))
        for id in weights
    }
    options: Any = {"autoreset_mode": autoreset_mode, "failures": failures, "retries": retries}
    drawing = read_curriculum(curriculum)
    if drawing:
        if len(weights) < 2:
            raise UsageError("a curriculum draws from several environments: pass ids with weights")
        return TextVectorEnv(_mixture_env_fns(by_id, weights, drawing, num_envs), **options)
    shares = _shares(weights, num_envs)
    ids = [id for id, count in shares.items() for _ in range(count)]
    names = [id if id in functions else None for id in ids]
    return TextVectorEnv([by_id[id] for id in ids], env_ids=names, **options)


def _arguments(kwargs: dict[str, Any], env_kwargs: dict[str, Any]) -> dict[str, Any]:
    """Return the keyword arguments of the environments, as `kwargs_for_env` takes them."""
    for name, instead in _ARGUMENTS_OF_GYMNASIUM.items():
        if name in kwargs:
            raise UnknownNameError(f"make_vec has no argument {name!r}: pass {instead}")
    for name in kwargs.keys() & env_kwargs.keys():
        raise UsageError(f"{name} is given twice: as an argument and in env_kwargs")
    return kwargs | env_kwargs


def _mixture_env_fns(
    env_fns: Mapping[str, EnvFn],
    weights: Mapping[str, float],
    curriculum: SuccessCurriculum,
    num_envs: int,
) -> Iterator[EnvFn]:
    """Yield the functions that make sub-environments, of which the first checks the mixture."""
    first = MixtureEnv(env_fns, weights, curriculum)
    yield lambda: first
    for _ in range(num_envs - 1):
        yield functools.partial(MixtureEnv, env_fns, weights, curriculum, first)


def _make(id: str, wrappers: Sequence[WrapperSpec], kwargs: dict[str, Any]) -> gym.Env[Any, Any]:
    return apply_wrappers(make(id, **{"disable_env_checker": True, **kwargs}), wrappers)


def _wrapped(env_fn: EnvFn, wrappers: Sequence[WrapperSpec]) -> gym.Env[Any, Any]:
    return apply_wrappers(env_fn(), wrappers)


def _shares(weights: Mapping[str, float], num_envs: int) -> dict[str, int]:
    shares = split_by_weight(weights, num_envs)
    for id, count in shares.items():
        if not count:
            raise UsageError(
                f"{id} with weight {weights[id]} gets none of {num_envs} sub-environments: "
                "increase num_envs or its weight"
            )
    return shares


def __getattr__(name: str) -> Callable[..., TextVectorEnv]:
    if not is_registered(name):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return functools.partial(make_vec, name)
