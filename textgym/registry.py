"""The registry of textgym environments, on top of Gymnasium's.

`register` registers an environment with Gymnasium and remembers its id. The module of an
environment is imported only when its card is requested or the environment is made.
"""

from __future__ import annotations

import importlib
import inspect
import re
import typing
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import gymnasium as gym

from textgym.cards import Card
from textgym.errors import UnknownNameError, did_you_mean

if TYPE_CHECKING:
    from textgym.env import TextEnv

__all__ = [
    "card",
    "environment_class",
    "grade_at_time_limit",
    "ids",
    "is_registered",
    "make",
    "register",
]

_ids: dict[str, str] = {}


def register(id: str, entry_point: str, **kwargs: Any) -> None:
    """Register an environment and its vector with Gymnasium, and list it among textgym's.

    Args:
        id: An id such as `textgym/MCQA-v0`, which must be that of the class's card.
        entry_point: The class, as `module:Class`.
        **kwargs: Further arguments of `gymnasium.register`.
    """
    vector = f"textgym.vector.entry_points:{id}"
    gym.register(id=id, entry_point=entry_point, **{"vector_entry_point": vector, **kwargs})
    _ids[id] = entry_point


def ids() -> list[str]:
    """Return the sorted ids of all registered textgym environments.

    Example:
        >>> "textgym/MCQA-v0" in ids()
        True
    """
    return sorted(_ids)


def is_registered(id: str) -> bool:
    """Return whether an id, with or without the prefix `textgym:`, is in textgym's registry."""
    return id.removeprefix("textgym:") in _ids


def environment_class(id: str) -> type[TextEnv[Any]]:
    """Return the class of an environment.

    Raises:
        UnknownNameError: There is no such environment.
        ExtraMissingError: The environment needs an optional package that is not installed.
    """
    id = id.removeprefix("textgym:")
    if id not in _ids:
        raise UnknownNameError(f"there is no environment {id!r}{did_you_mean(id, _ids)}")
    module, _, name = _ids[id].partition(":")
    found: type[TextEnv[Any]] = getattr(importlib.import_module(module), name)
    return found


def card(id: str) -> Card:
    """Return the card of an environment.

    Example:
        >>> card("textgym/MCQA-v0").levels
        (1, 2, 3, 4, 5)
    """
    return environment_class(id).card


def make(id: str, **kwargs: Any) -> gym.Env[Any, Any]:
    """Make an environment with `gymnasium.make`, with one-line errors for user mistakes.

    Any Gymnasium id works; the prefix `textgym:` is optional. A text environment grades the cut at
    `max_episode_steps`.

    Raises:
        UnknownNameError: There is no such environment or argument.
    """
    try:
        return grade_at_time_limit(gym.make(id, **kwargs))
    except gym.error.UnregisteredEnv as error:
        raise UnknownNameError(f"there is no environment {id!r}{did_you_mean(id, _ids)}") from error
    except gym.error.Error as error:
        raise UnknownNameError(f"cannot make {id!r}: {error}") from error
    except ModuleNotFoundError as error:
        raise UnknownNameError(f"cannot make {id!r}: {error}") from error
    except TypeError as error:
        unknown = re.search(r"unexpected keyword argument '(\w+)'", str(error))
        if unknown is None:
            raise
        hint = did_you_mean(unknown[1], _argument_names(id))
        raise UnknownNameError(f"{id!r} has no argument {unknown[1]!r}{hint}") from error


def grade_at_time_limit(env: gym.Env[Any, Any]) -> gym.Env[Any, Any]:
    """Make a text environment grade the cut of a `TimeLimit` around it, and return it.

    A `TimeLimit` truncates without a grade, so the environment's own `max_turns` is lowered to it.

    Example:
        >>> import textgym
        >>> env = grade_at_time_limit(gym.make("textgym/GuessNumber-v0", max_episode_steps=1))
        >>> observation, info = env.reset(seed=1)
        >>> observation, reward, terminated, truncated, info = env.step("I do not know.")
        >>> truncated, info["stop_reason"], info["is_success"]
        (True, 'max_turns', False)
    """
    inner: Any = env.unwrapped
    if hasattr(inner, "max_turns") and env.has_wrapper_attr("_max_episode_steps"):
        inner.max_turns = min(inner.max_turns, env.get_wrapper_attr("_max_episode_steps"))
    return env


def _argument_names(id: str) -> set[str]:
    """Return the argument names of an environment, including those of its base classes."""
    spec = gym.spec(id.rpartition(":")[2])  # the module before the colon has been imported
    entry: Any = spec.entry_point
    creator = gym.envs.registration.load_env_creator(entry) if isinstance(entry, str) else entry
    classes = creator.__mro__ if isinstance(creator, type) else ()
    inits = [vars(cls)["__init__"] for cls in classes if "__init__" in vars(cls)]
    return {name for init in inits for name in _keywords_of(init)}


def _keywords_of(function: Callable[..., Any]) -> Iterator[str]:
    """Yield the names of a function's keyword arguments, those of `**kwargs: Unpack[...]` too."""
    for parameter in list(inspect.signature(function).parameters.values())[1:]:
        if parameter.kind in (parameter.KEYWORD_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            yield parameter.name
        elif parameter.kind is parameter.VAR_KEYWORD and "Unpack[" in str(parameter.annotation):
            hint = typing.get_type_hints(function)[parameter.name]
            yield from typing.get_type_hints(typing.get_args(hint)[0])
