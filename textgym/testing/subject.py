"""An environment under check, which can be made many times and in other processes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import gymnasium as gym

from textgym.env import TextEnv
from textgym.errors import UsageError
from textgym.messages import Message
from textgym.provenance import wrappers_of
from textgym.wrappers.specs import apply_wrappers

__all__ = ["Subject", "make_subject", "play"]

MAX_STEPS = 200


@dataclass(frozen=True)
class Subject:
    """An environment under check.

    Attributes:
        cls: The class.
        spec: Gymnasium's spec of the environment, registered or made for the checks.
        kwargs: The keyword arguments to make it with.
        tasks: How many tasks per level are played by the checks that play many.
        wrappers: The wrappers around the environment, innermost first, as texts. Checks of the
            tasks leave them out.
        made: The environments that were made, for `close`.
    """

    cls: type[TextEnv[Any]]
    spec: gym.envs.registration.EnvSpec
    kwargs: dict[str, Any] = field(default_factory=dict)
    tasks: int = 200
    wrappers: Sequence[str] = ()
    made: list[gym.Env[Any, Any]] = field(default_factory=list)

    def make(self, **kwargs: Any) -> gym.Env[Any, Any]:
        """Make the environment with the wrappers of `gymnasium.make` and those under check."""
        return self._wrapped(gym.make(self.spec, **{**self.kwargs, **kwargs}))

    def make_bare(self) -> gym.Env[Any, Any]:
        """Make the environment with the wrappers under check alone."""
        return self._wrapped(gym.make(self.spec, **self.kwargs).unwrapped)

    def _wrapped(self, env: gym.Env[Any, Any]) -> gym.Env[Any, Any]:
        self.made.append(env)
        env = apply_wrappers(env, self.wrappers)
        self.made.append(env)
        return env

    def make_unwrapped(self, **kwargs: Any) -> TextEnv[Any]:
        """Make the environment without wrappers."""
        env: TextEnv[Any] = self.cls(**{**self.kwargs, **kwargs})
        self.made.append(env)
        return env

    def close(self) -> None:
        """Close all environments that were made."""
        while self.made:
            self.made.pop().close()

    @property
    def in_main(self) -> bool:
        """Whether the class is in `__main__`, so that other processes cannot import it."""
        return self.cls.__module__ == "__main__"

    @property
    def levels(self) -> tuple[int | None, ...]:
        """The levels to play; only None if the level or a data set is fixed."""
        fixed = [self.kwargs.get("dataset"), self.kwargs.get("level")] != [None, None]
        return (None,) if fixed else self.cls.card.levels

    def at_level(self, level: int | None) -> TextEnv[Any]:
        """Make the environment for a level of its train split; None means its own arguments."""
        kwargs = {} if level is None else {"level": level, "split": "train"}
        return self.make_unwrapped(**kwargs)

    def indices(self, env: TextEnv[Any]) -> range:
        """Return the indices of the tasks to play."""
        known = env.num_tasks
        return range(self.tasks if known is None else min(self.tasks, known))

    def defines(self, method: str) -> bool:
        """Return whether the class overrides a method of `TextEnv`."""
        return getattr(self.cls, method) is not getattr(TextEnv, method)


@contextmanager
def make_subject(
    env: str | type[TextEnv[Any]] | gym.Env[Any, Any], tasks: int
) -> Iterator[Subject]:
    """Make the subject for an id, a class or an environment.

    Args:
        env: A registered id, a `TextEnv` class, or an environment, which is made again with the
            same arguments and wrappers of `textgym.wrappers`.
        tasks: How many tasks per level are played by the checks that play many.

    Yields:
        The subject. If the class is not registered, it is while the block runs.

    Raises:
        UsageError: The environment is not a `TextEnv`.
    """
    if isinstance(env, str):
        with _of_env(gym.make(env), tasks) as subject:
            yield subject
    elif isinstance(env, type) and issubclass(env, TextEnv):
        try:
            made = env()
        except TypeError as error:
            raise UsageError(f"{env.__name__} cannot be made without arguments: {error}") from error
        with _of_env(made, tasks) as subject:
            yield subject
    elif isinstance(env, gym.Env):
        with _of_env(env, tasks) as subject:
            yield subject
    else:
        raise UsageError(f"only a TextEnv, its class or its id can be checked, not {env!r}")


@contextmanager
def _of_env(env: gym.Env[Any, Any], tasks: int) -> Iterator[Subject]:
    inner: Any = env.unwrapped
    if not isinstance(inner, TextEnv):
        raise UsageError(f"{type(inner).__name__} is not a TextEnv")
    kwargs, wrappers = inner.arguments, wrappers_of(env)
    if inner.spec is not None:
        yield Subject(type(inner), replace(inner.spec, kwargs={}), kwargs, tasks, wrappers)
        return
    name = f"textgym-check/{type(inner).__name__}-v0"
    cls = type(inner)
    entry: Any = cls if cls.__module__ == "__main__" else f"{cls.__module__}:{cls.__qualname__}"
    gym.register(id=name, entry_point=entry)
    try:
        yield Subject(type(inner), gym.spec(name), kwargs, tasks, wrappers)
    finally:
        del gym.registry[name]


def play(
    env: gym.Env[Any, Any], choose: Callable[[TextEnv[Any]], Message | str], **reset: Any
) -> tuple[float, list[Any], dict[str, Any]]:
    """Play one episode.

    Returns:
        The return, everything that the environment returned (as JSON texts), and the last info.
    """
    observation, info = env.reset(**reset)
    seen = [json.dumps([observation, info])]
    total = 0.0
    inner: Any = env.unwrapped
    for _ in range(MAX_STEPS):
        observation, reward, terminated, truncated, info = env.step(choose(inner))
        total += float(reward)
        seen.append(json.dumps([observation, reward, terminated, truncated, info]))
        if terminated or truncated:
            return total, seen, info
    raise AssertionError(f"the episode has not ended after {MAX_STEPS} messages")
