"""An environment under check, which can be made many times and in other processes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import gymnasium as gym

from textgym.checks.episodes import defines
from textgym.core.card import Card
from textgym.core.text_env import TextEnv
from textgym.errors import UnknownNameError, UsageError
from textgym.names import import_object, importable
from textgym.provenance import wrappers_of
from textgym.registry import registered_id
from textgym.spaces import ActionSpace, ConversationSpace
from textgym.wrappers.specs import apply_wrappers

__all__ = ["SEEDS", "Subject", "make_subject", "plain_class"]

SEEDS = range(8)
_NAMESPACE = "textgym-check"


@dataclass(frozen=True)
class Subject:
    """An environment under check.

    Attributes:
        cls: The class: a `TextEnv`, or another Gymnasium environment with message spaces.
        spec: Gymnasium's spec of the environment, registered or made for the checks.
        kwargs: The keyword arguments to make it with.
        tasks: The number of tasks per level for the checks that play many tasks.
        wrappers: The wrappers around the environment, innermost first, as texts. Checks of the
            tasks leave them out.
        stated_chance: The mean return of a policy that ignores the task; None for the card's.
        quick: Whether the audit plays fewer episodes.
        attackers: User-supplied attackers by name: policies, functions or texts.
        made: The environments that were made, for `close`.
    """

    cls: type[Any]
    spec: gym.envs.registration.EnvSpec
    kwargs: dict[str, Any] = field(default_factory=dict)
    tasks: int = 200
    wrappers: Sequence[str] = ()
    stated_chance: float | None = None
    quick: bool = False
    attackers: Mapping[str, Any] = field(default_factory=dict)
    made: list[gym.Env[Any, Any]] = field(default_factory=list)

    def make(self, **kwargs: Any) -> gym.Env[Any, Any]:
        """Make the environment with the wrappers of `gymnasium.make` and those under check."""
        return self._wrapped(gym.make(self.spec, **{**self.kwargs, **kwargs}))

    def make_bare(self) -> gym.Env[Any, Any]:
        """Make the environment with only the wrappers under check."""
        return self._wrapped(gym.make(self.spec, **self.kwargs).unwrapped)

    def _wrapped(self, env: gym.Env[Any, Any]) -> gym.Env[Any, Any]:
        self.made.append(env)
        env = apply_wrappers(env, self.wrappers)
        self.made.append(env)
        return env

    def make_unwrapped(self, **kwargs: Any) -> Any:
        """Make the environment without wrappers."""
        env = self.cls(**{**self.kwargs, **kwargs})
        self.made.append(env)
        return env

    def make_split(self, split: str, **kwargs: Any) -> Any:
        """Make the environment without wrappers, for a split if it has splits."""
        return self.make_unwrapped(**({"split": split} if self.has_splits else {}), **kwargs)

    def close(self) -> None:
        """Close all environments that were made."""
        while self.made:
            self.made.pop().close()

    @property
    def name(self) -> str:
        """The registered id, or the card's id if only the checks register the class."""
        if self.card is None or self.spec.namespace != _NAMESPACE:
            return self.spec.id
        return self.card.id

    @property
    def is_text_env(self) -> bool:
        """Whether the environment is a `TextEnv`."""
        return issubclass(self.cls, TextEnv)

    @property
    def card(self) -> Card | None:
        """The card; None if the environment has none."""
        return getattr(self.cls, "card", None)

    @property
    def is_generated(self) -> bool:
        """Whether the tasks come from the generator of a `TextEnv`, and not from a data set.

        A class without `generate` has a data set of its own.
        """
        has_generator = self.is_text_env and self.defines("generate")
        return has_generator and self.kwargs.get("dataset") is None

    @property
    def has_splits(self) -> bool:
        """Whether another split can be made: tasks are generated, and no split is fixed."""
        return self.is_generated

    @property
    def is_importable(self) -> bool:
        """Whether other processes can import the class: it is not in `__main__` or a function."""
        return isinstance(importable(self.cls), str)

    @property
    def chance(self) -> float:
        """The mean return that the best policy that ignores the task may get."""
        if self.stated_chance is not None:
            return self.stated_chance
        if self.card is None:
            return 0.0
        return self.card.first_rung_chance if self.is_first_rung else self.card.chance

    @property
    def is_first_rung(self) -> bool:
        """Whether only level 0 is checked."""
        return self.kwargs == {"level": 0}

    @property
    def states_chance(self) -> bool:
        """Whether the chance is stated for these arguments, by the card or by the caller."""
        return not self.kwargs or self.is_first_rung or self.stated_chance is not None

    @property
    def reward_range(self) -> tuple[float, float]:
        """The lowest and highest return; 0 and 1 if the environment does not say."""
        env = self.make_unwrapped()
        low, high = getattr(env, "reward_range", (0.0, 1.0))
        return float(low), float(high)

    @property
    def levels(self) -> tuple[int | None, ...]:
        """The levels to play, which are only None if the level or a data set is fixed."""
        has_rows = self.is_text_env and not self.is_generated
        fixed = has_rows or [self.kwargs.get("dataset"), self.kwargs.get("level")] != [None, None]
        return (None,) if fixed or self.card is None else self.card.levels

    def at_level(self, level: int | None, **kwargs: Any) -> Any:
        """Make the environment for a level of its train split; None means its own arguments."""
        fixed = {} if level is None else {"level": level, "split": "train"}
        return self.make_unwrapped(**fixed, **kwargs)

    def indices(self, env: Any) -> range:
        """Return the indices of the tasks to play."""
        known = getattr(env, "num_tasks", None)
        return range(self.tasks if known is None else min(self.tasks, known))

    def reset_to(self, index: int) -> dict[str, Any]:
        """Return the arguments of `play` that select a task: its index; without indices, a seed."""
        return {"index": index} if self.is_text_env else {"seed": index}

    def defines(self, method: str) -> bool:
        """Return whether the class defines a method such as `solve` or `guess`."""
        return defines(self.cls, method)


def plain_class(target: str) -> type[gym.Env[Any, Any]] | None:
    """Return the class with a name `module:Class` if it is an environment but not a `TextEnv`.

    Example:
        >>> plain_class("gymnasium.envs.classic_control:CartPoleEnv").__name__
        'CartPoleEnv'
        >>> plain_class("textgym/MCQA-v0") is plain_class("textgym.envs.mcqa:MCQA") is None
        True
    """
    name = target.rpartition(":")[2]
    if name == target or not name.replace(".", "").isidentifier():
        return None
    try:
        cls = import_object(target)
    except UnknownNameError:  # the registry says more about it
        return None
    is_env = isinstance(cls, type) and issubclass(cls, gym.Env)
    return cls if is_env and not issubclass(cls, TextEnv) else None


@contextmanager
def make_subject(
    env: str | type[gym.Env[Any, Any]] | gym.Env[Any, Any], tasks: int, **more: Any
) -> Iterator[Subject]:
    """Make the subject for an id, a class or an environment.

    Args:
        env: A registered id, `module:Class`, a class, or an environment, which is made again with
            the same arguments and wrappers of `textgym.wrappers`.
        tasks: The number of tasks per level for the checks that play many tasks.
        **more: Further fields of `Subject`.

    Yields:
        The subject. A class that is not registered is registered while the block runs.

    Raises:
        UsageError: The environment does not have message spaces, cannot be made, or has neither a
            generator nor rows; or `tasks` is below 1.
    """
    if tasks < 1:
        raise UsageError(f"tasks, the number per level, must be at least 1, not {tasks}")
    if isinstance(env, str):
        env = plain_class(env) or gym.make(registered_id(env))
    if isinstance(env, gym.Env):
        made: Any = env
    elif isinstance(env, type) and issubclass(env, gym.Env):
        try:
            made = env()
        except TypeError as error:
            raise UsageError(f"{env.__name__} cannot be made without arguments: {error}") from error
    else:
        raise UsageError(f"only an environment, its class or its id can be checked, not {env!r}")
    with _of_env(made, tasks, more) as subject:
        yield subject


@contextmanager
def _of_env(env: gym.Env[Any, Any], tasks: int, more: Mapping[str, Any]) -> Iterator[Subject]:
    inner: Any = env.unwrapped
    cls = type(inner)
    has_message_spaces = isinstance(inner.observation_space, ConversationSpace) and isinstance(
        inner.action_space, ActionSpace
    )
    if not isinstance(inner, TextEnv) and not has_message_spaces:
        raise UsageError(
            f"{cls.__name__} is not a text environment: its spaces must be "
            "textgym.ConversationSpace() and textgym.ActionSpace()"
        )
    if isinstance(inner, TextEnv) and not defines(cls, "generate"):
        inner.get_task(0)  # without rows, this is an error of the caller
    kwargs = (
        inner.arguments if isinstance(inner, TextEnv) else dict(getattr(inner.spec, "kwargs", {}))
    )
    wrappers = wrappers_of(env)
    if inner.spec is not None:
        yield Subject(cls, replace(inner.spec, kwargs={}), kwargs, tasks, wrappers, **more)
        return
    name = f"{_NAMESPACE}/{cls.__name__}-v0"
    gym.register(id=name, entry_point=importable(cls))
    try:
        yield Subject(cls, gym.spec(name), kwargs, tasks, wrappers, **more)
    finally:
        del gym.registry[name]
