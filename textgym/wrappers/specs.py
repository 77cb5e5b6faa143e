"""Wrappers as text, such as `StepPenalty:amount=0.01`, or as functions that wrap.

A run stores the text, or `module:function` for a function.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Sequence
from typing import Any

import gymnasium as gym

from textgym import wrappers
from textgym.errors import UnknownNameError, UsageError, did_you_mean
from textgym.names import import_object, name_of

__all__ = [
    "WRAPPERS", "WrapperSpec", "apply_wrappers", "arguments_of", "check_wrappers", "make_wrapper",
]  # fmt: skip

WrapperSpec = str | Callable[[gym.Env[Any, Any]], gym.Env[Any, Any]]
"""A wrapper: a text, or a function from an environment to the wrapped environment."""

WRAPPERS: dict[str, type[gym.Wrapper[Any, Any, Any, Any]]] = {
    name: getattr(wrappers, name)
    for name in wrappers.__all__
    if name not in ("MessageWrapper", "RewardWrapper", "PythonTool")
}
"""The wrappers of textgym by name."""

_ARGUMENT = re.compile(r"([A-Za-z_]\w*)=")
_NEXT_ARGUMENT = re.compile(r",(?=[A-Za-z_]\w*=)")
_JSON = json.JSONDecoder()


def apply_wrappers(env: gym.Env[Any, Any], specs: Sequence[WrapperSpec]) -> gym.Env[Any, Any]:
    """Wrap an environment, the first wrapper innermost.

    Args:
        env: The environment.
        specs: The wrappers, as `make_wrapper` takes them.

    Raises:
        UsageError: It is not a list of wrappers, or a wrapper does not fit the environment.
        UnknownNameError: A wrapper or argument does not exist.

    Example:
        >>> env = gym.make("textgym/MCQA-v0")
        >>> env = apply_wrappers(env, ["StepPenalty:amount=0.1", "ClipReturn:low=-0.5"])
        >>> type(env).__name__, type(env.env).__name__
        ('ClipReturn', 'StepPenalty')
    """
    check_wrappers(specs)
    for spec in specs:
        env = make_wrapper(env, spec)
    return env


def check_wrappers(specs: Any) -> None:
    """Check that wrappers are a list.

    Raises:
        UsageError: They are something else.
    """
    if isinstance(specs, str) or not isinstance(specs, Sequence):
        raise UsageError(f"wrappers must be a list such as ['StepPenalty'], not {specs!r:.100}")


def make_wrapper(env: gym.Env[Any, Any], spec: WrapperSpec) -> gym.Env[Any, Any]:
    """Wrap an environment once.

    Args:
        env: The environment.
        spec: `Name` or `Name:argument=value,argument=value`, where the name is one of `WRAPPERS` or
            `module:Class`. A value that is valid JSON is parsed as JSON. Or a function that wraps,
            or `module:function`.

    Raises:
        UsageError: The spec is malformed, or the wrapper does not fit the environment.
        UnknownNameError: The wrapper or an argument does not exist.
    """
    if not isinstance(spec, str):
        if not callable(spec):
            raise UsageError(
                f"a wrapper is a text such as 'StepPenalty' or a function, not {spec!r:.100}"
            )
        return _call(spec, env)
    cls, text = _find(spec)
    if not isinstance(cls, type):
        if text:
            raise UsageError(f"{name_of(cls)} is a function, which takes no arguments: {spec!r}")
        return make_wrapper(env, cls)
    arguments = _read_arguments(spec, text)
    known = arguments_of(cls)
    for name in arguments:
        if name not in known:
            hint = did_you_mean(name, known)
            raise UnknownNameError(f"the wrapper {cls.__name__} has no argument {name!r}{hint}")
    for name, parameter in known.items():
        if parameter.default is parameter.empty and name not in arguments:
            raise UsageError(f"the wrapper {cls.__name__} needs the argument {name!r}")
    try:
        wrapped: gym.Env[Any, Any] = cls(env, **arguments)
    except TypeError as error:
        raise UsageError(f"the wrapper {spec!r} cannot be made: {error}") from error
    return wrapped


def arguments_of(cls: type[gym.Wrapper[Any, Any, Any, Any]]) -> dict[str, inspect.Parameter]:
    """Return the parameters of a wrapper besides its environment, by name.

    Example:
        >>> list(arguments_of(wrappers.StepPenalty))
        ['amount', 'name']
    """
    parameters = list(inspect.signature(cls.__init__).parameters.values())[2:]  # not self and env
    return {parameter.name: parameter for parameter in parameters}


def _call(function: Callable[..., Any], env: gym.Env[Any, Any]) -> gym.Env[Any, Any]:
    wrapped = function(env)
    if not isinstance(wrapped, gym.Env):
        name = getattr(function, "__name__", repr(function))
        raise UsageError(f"{name} must return an environment, not {wrapped!r:.100}")
    return wrapped


def _find(spec: str) -> tuple[Any, str]:
    """Return the class or function of a spec, and the text of its arguments."""
    name, _, rest = spec.partition(":")
    if name in WRAPPERS:
        return WRAPPERS[name], rest
    attribute, _, arguments = rest.partition(":")
    if not attribute or "=" in attribute:
        hint = did_you_mean(name, WRAPPERS)
        raise UnknownNameError(f"there is no wrapper {name!r}{hint}; or use module:Class")
    wrapper = import_object(f"{name}:{attribute}")
    if isinstance(wrapper, type) and not issubclass(wrapper, gym.Wrapper):
        raise UsageError(f"{name}:{attribute} is not a gymnasium.Wrapper")
    return wrapper, arguments


def _read_arguments(spec: str, text: str) -> dict[str, Any]:
    """Return the arguments in a text; JSON values may contain commas."""
    read: dict[str, Any] = {}
    start = 0
    while start < len(text):
        named = _ARGUMENT.match(text, start)
        if named is None:
            part = text[start:].partition(",")[0]
            raise UsageError(f"{spec!r}: write arguments as Name:argument=value, not {part!r}")
        if named[1] in read:
            raise UsageError(f"{spec!r}: the argument {named[1]!r} is given twice")
        read[named[1]], end = _read_value(text, named.end())
        start = end + 1
    return read


def _read_value(text: str, start: int) -> tuple[Any, int]:
    try:
        value, end = _JSON.raw_decode(text, start)
        if end == len(text) or _NEXT_ARGUMENT.match(text, end):
            return value, end
    except (ValueError, RecursionError):
        pass
    following = _NEXT_ARGUMENT.search(text, start)
    end = following.start() if following else len(text)
    return text[start:end], end
