"""Making vectors: of one id, or of a mixture that shares the sub-environments by weight.

Each id has a `vector_entry_point`, such as `textgym.vector.make:textgym/MCQA-v0`. Gymnasium does
not pass the id to it, so the id is the name of an attribute of this module, and the entry point is
a string, without which a spec could not be saved.

Invariants of a `MixtureEnv`: the n-th draw after a seed depends only on the seed, n, the weights
and the results so far; a reset or a step that raises changes nothing, except that an environment
may have been made.
"""

from __future__ import annotations

import contextlib
import functools
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import gymnasium as gym
from gymnasium.vector import AutoresetMode

from textgym.concurrency.calls import reset_may_block, step_may_block
from textgym.curricula import Curriculum, SuccessCurriculum, read_curriculum
from textgym.errors import UnknownNameError, UsageError
from textgym.layers import grade_at_time_limit
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
from textgym.vector.text_vector_env import TextVectorEnv
from textgym.wrappers.specs import WrapperSpec, apply_wrappers, check_wrappers

__all__ = ["MixtureEnv", "make_vec"]


_ARGUMENTS_OF_GYMNASIUM = {  # of `gymnasium.make_vec`, and what to pass instead
    "vector_kwargs": "its content as separate arguments, such as autoreset_mode=",
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
    sub-environments by weight. Sub-environments of the same id are contiguous; `env_ids` of the
    vector lists the ids.

    Args:
        envs: An id, or a mixture: a dict from ids to weights. Instead of a weight, a mixture may
            have a function, or a pair of weight and function; the key is then a name.
        num_envs: The number of sub-environments.
        curriculum: Draws the environment at each reset of a sub-environment: a `SuccessCurriculum`,
            which all of them share, a dict of its arguments, or True. `infos["environment"]` has
            the ids of the environments that play.
        autoreset_mode: As in `TextVectorEnv`.
        wrappers: Wrappers of each sub-environment, the first innermost: texts such as
            `"StepPenalty:amount=0.01"`, or functions that return an environment wrapped.
        env_wrappers: More wrappers. `gymnasium.make_vec` passes on this argument, but not
            `wrappers`.
        failures: As in `TextVectorEnv`.
        retries: As in `TextVectorEnv`.
        env_kwargs: Keyword arguments for all environments; a dict under an id is for that id only.
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
    drawing = read_curriculum(curriculum, num_envs=len(weights))
    if drawing is not None and not isinstance(drawing, SuccessCurriculum):
        raise UsageError("make_vec draws environments, not tasks: pass a SuccessCurriculum")
    if drawing:
        return TextVectorEnv(_mixture_env_fns(by_id, weights, drawing, num_envs), **options)
    shares = _shares(weights, num_envs)
    ids = [id for id, count in shares.items() for _ in range(count)]
    names = [id if id in functions else None for id in ids]
    return TextVectorEnv([by_id[id] for id in ids], env_ids=names, **options)


def _arguments(kwargs: dict[str, Any], env_kwargs: dict[str, Any]) -> dict[str, Any]:
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
    """Yield the functions that make sub-environments; the first one checks the mixture."""
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


class MixtureEnv(gym.Env[Any, Any]):
    """A sub-environment of `make_vec(..., curriculum=...)`.

    It has an environment of each id. Each reset draws the environment that plays, and passes its
    options on; `info["environment"]` is the id.

    Args:
        env_fns: The functions that make the environments, by id.
        weights: The weight of each.
        curriculum: Draws the environments, and gets the results of their episodes.
        like: A `MixtureEnv` with the same environments. Without it, all environments are made at
            once and checked, otherwise they are made when they are first drawn.

    Raises:
        UsageError: The environments have different spaces.

    Attributes:
        blocking: Whether the `step` of any of the environments may block.
        blocking_reset: Whether the `reset` of any of them may block.
    """

    blocking: bool
    blocking_reset: bool

    def __init__(
        self,
        env_fns: Mapping[str, EnvFn],
        weights: Mapping[str, float],
        curriculum: SuccessCurriculum,
        like: MixtureEnv | None = None,
    ) -> None:
        self._env_fns, self._weights, self._curriculum = env_fns, weights, curriculum
        self._envs: dict[str, gym.Env[Any, Any]] = {}
        self._id: str | None = None  # of the environment that plays
        self._seed, self._draws = secrets.randbits(63), 0
        self._unused_seeds: dict[str, int] = {}  # of environments not reset since the last seed
        if like is None:
            like = self
            try:
                self._make_all()
            except BaseException:
                self.close()
                raise
        self.blocking, self.blocking_reset = like.blocking, like.blocking_reset
        self.metadata, self.render_mode = like.metadata, like.render_mode
        self.observation_space, self.action_space = like.observation_space, like.action_space

    def _make_all(self) -> None:
        envs = [self._made(id) for id in self._env_fns]
        first = envs[0]
        self.blocking = any(map(step_may_block, envs))
        self.blocking_reset = any(map(reset_may_block, envs))
        self.metadata, self.render_mode = first.metadata, first.render_mode
        self.observation_space, self.action_space = first.observation_space, first.action_space
        for id, env in self._envs.items():
            if (env.observation_space, env.action_space) != (
                first.observation_space,
                first.action_space,
            ):
                raise UsageError(f"the spaces of {id} and {next(iter(self._env_fns))} differ")

    def _made(self, id: str) -> gym.Env[Any, Any]:
        if id not in self._envs:
            self._envs[id] = grade_at_time_limit(self._env_fns[id]())
        return self._envs[id]

    @property
    def env(self) -> gym.Env[Any, Any]:
        """The environment that plays.

        Raises:
            UsageError: Before the first reset.
        """
        if self._id is None:
            raise UsageError("there is no episode yet: call reset first")
        return self._envs[self._id]

    @property
    def task(self) -> Any:
        """The task of the environment that plays, or None."""
        return getattr(self.env.unwrapped, "task", None)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Draw an environment and begin its next episode.

        Args:
            seed: Seeds the draws, and each environment at its first reset from now on.
            options: Passed on to the environment.
        """
        start, draws, seeds = self._seed, self._draws, self._unused_seeds
        if seed is not None:
            start, draws, seeds = seed, 0, dict.fromkeys(self._env_fns, seed)
        id = self._curriculum.draw(self._weights, start, draws)
        observation, info = self._made(id).reset(seed=seeds.get(id), options=options)
        self._id, self._seed, self._draws = id, start, draws + 1
        self._unused_seeds = {name: value for name, value in seeds.items() if name != id}
        return observation, {**info, "environment": id}

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Step the environment that plays, and add the result of its episode to the curriculum."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        id = str(self._id)
        if terminated or truncated:
            self._curriculum.add(id, bool(info.get("is_success")))
        return observation, reward, terminated, truncated, {**info, "environment": id}

    def render(self) -> Any:
        """Return what the environment that plays renders."""
        return self.env.render()

    def get_wrapper_attr(self, name: str) -> Any:
        """Return an attribute of this environment, or of the environment that plays."""
        return getattr(self, name) if hasattr(self, name) else self.env.get_wrapper_attr(name)

    def close(self) -> None:
        """Close all environments that were made."""
        with contextlib.ExitStack() as stack:
            for env in self._envs.values():
                stack.callback(env.close)
