"""An environment of Aviary that is driven by plain data. It usually runs in a worker process.

Invariants: what goes in and out is JSON data; an exception that the values of a call can cause is
returned as `raised`, any other as `failed`; the guest's own messages, tools and rewards are passed
on as they are.
"""

from __future__ import annotations

import asyncio
import contextlib
import copy
import inspect
import math
from collections.abc import Callable, Coroutine, Mapping
from types import MethodType
from typing import Any

from aviary.core import (
    INVALID_TOOL_NAME,
    TASK_DATASET_REGISTRY,
    Environment,
    Message,
    TaskDataset,
    ToolCall,
    ToolCallFunction,
    ToolRequestMessage,
)
from aviary.env import ENV_REGISTRY

from textgym.errors import (
    TextgymError,
    ToolError,
    UnknownNameError,
    UsageError,
    did_you_mean,
    in_one_line,
)
from textgym.messages import text_of
from textgym.names import import_object, is_place
from textgym.tools import arguments_of

__all__ = ["Guest", "load", "request_of"]

_OF_VALUES = (
    ArithmeticError, AssertionError, AttributeError, LookupError, MemoryError, NotImplementedError,
    RecursionError, TypeError, ValueError,
)  # fmt: skip
"""The exceptions that the arguments of a call can cause in a tool."""
_OF_TEXTGYM = frozenset(("id", "level", "category", "responses_create_params", "agent_ref"))
_ADDING_UP = ("CalculatorEnv", "HotPotQAEnv")  # classes of Aviary
_INDEX = "task_idx"  # the field of NeMo Gym's rows that selects a task of a task data set


class Guest:
    """An environment class or a task data set of Aviary, and the environments that it made.

    Environments have numbers, which the caller gives.

    Args:
        source: A name of Aviary's registries, `module:attribute`, or the class or object itself.
        config: Keyword arguments of the class.
        is_strict: Whether hotpotqa compares whole answers.

    Raises:
        UnknownNameError: There is no such name, module or attribute.
        UsageError: It is neither an environment nor a task data set.
    """

    def __init__(self, source: Any, config: Mapping[str, Any], is_strict: bool) -> None:
        self._config, self._is_strict = dict(config), is_strict
        self._envs: dict[int, Any] = {}
        self._make: Any = None  # makes an environment of the fields of a row
        self._object: Any = None  # an environment that is copied, or a task data set
        made = _named(source)
        if isinstance(made, type) and issubclass(made, TaskDataset):
            made = made(**self._config)
        if isinstance(made, (TaskDataset, Environment)):
            self._object = made
        elif callable(made):
            self._make = made
        else:
            raise _neither(source, made)

    def about(self) -> dict[str, Any]:
        """Return what kind of tasks there are.

        Returns:
            `kind`: `environment` (rows are its arguments), `tasks` (with `count`), or `draws` (each
            task is a new one).
        """
        if self._make is not None or isinstance(self._object, Environment):
            return {"kind": "environment"}
        try:
            return {"kind": "tasks", "count": len(self._object)}
        except TypeError:
            return {"kind": "draws"}

    async def open(self, number: int, row: Mapping[str, Any]) -> dict[str, Any]:
        """Make the environment of a row and reset it.

        Returns:
            Its `messages` and `tools`, and whether it `adds_up` the rewards of all answers in a
            message.
        """
        await self.close(number)
        env = self._envs[number] = self._made(row)
        kind = _kind_of(env)
        if self._is_strict and kind == "HotPotQAEnv":
            env.calculate_answer_reward = MethodType(_reward_of_whole_answer, env)
        messages, tools = await env.reset()
        schemas = [tool.model_dump(exclude_none=True, by_alias=True) for tool in tools]
        return {
            "messages": [_plain(message) for message in messages],
            "tools": schemas,
            "adds_up": kind in _ADDING_UP,
        }

    def _made(self, row: Mapping[str, Any]) -> Any:
        """Return the environment of a row, which no other episode uses."""
        if isinstance(self._object, Environment):
            return copy.deepcopy(self._object)
        if self._object is not None and _INDEX in row:
            return copy.deepcopy(self._object.get_new_env_by_idx(row[_INDEX]))
        if self._object is not None:
            return self._object.get_new_env()
        fields = {**self._config, **_fields_for(self._make, row)}
        try:
            inspect.signature(self._make).bind(**fields)
        except TypeError as error:
            name = getattr(self._make, "__name__", "the environment")
            raise UsageError(f"the row does not fit {name}: {error}") from None
        made = self._make(**fields)
        if not isinstance(made, Environment):
            raise _neither(self._make, made)
        return made

    async def step(self, number: int, action: Mapping[str, Any]) -> dict[str, Any]:
        """Pass an assistant message to an environment.

        Returns:
            `messages`, `reward`, `done` and `truncated`.
        """
        messages, reward, done, truncated = await self._envs[number].step(request_of(action))
        reward = float(reward or 0.0)
        if not math.isfinite(reward):
            raise RuntimeError(f"the reward is {reward}, not a finite number")
        return {
            "messages": [_plain(message) for message in messages],
            "reward": reward,
            "done": bool(done),
            "truncated": bool(truncated),
        }

    async def close(self, number: int) -> None:
        """Close an environment, if it is open."""
        env = self._envs.pop(number, None)
        if env is not None:
            with contextlib.suppress(Exception):  # the episode is over
                await env.close()

    async def answer(self, do: str, *arguments: Any) -> dict[str, Any]:
        """Call a method; return its result, or what it raised."""
        try:
            result: Any = getattr(self, do)(*arguments)
            if inspect.isawaitable(result):
                result = await result
        except UsageError as error:
            return {"usage": str(error)}
        except _OF_VALUES as error:
            return {"raised": in_one_line(error)}
        except Exception as error:
            return {"failed": in_one_line(error)}
        return result or {}


def load(source: str, config: dict[str, Any], is_strict: bool) -> Callable[..., dict[str, Any]]:
    """Return the function that a worker process calls, with the arguments of `Guest.answer`."""
    try:
        guest = Guest(source, config, is_strict)
    except TextgymError as error:
        problem = {"usage": str(error)}
        return lambda **_: problem
    loops: list[asyncio.AbstractEventLoop] = []

    def answer(do: str, arguments: list[Any]) -> dict[str, Any]:
        if not loops:  # made in the worker, not in the process that forks it
            loops.append(asyncio.new_event_loop())
        coroutine: Coroutine[Any, Any, dict[str, Any]] = guest.answer(do, *arguments)
        return loops[0].run_until_complete(coroutine)

    return answer


def request_of(action: Mapping[str, Any]) -> Message:
    """Return an assistant message as Aviary's.

    Calls whose arguments are not a JSON object get the name `INVALID`, as in Aviary.

    Example:
        >>> request_of({"role": "assistant", "content": "Hello"})
        Message(role='assistant', content='Hello')
    """
    calls = action.get("tool_calls")
    if not calls:
        return Message(role="assistant", content=text_of(action))
    return ToolRequestMessage(content=text_of(action) or None, tool_calls=[*map(_call, calls)])


def _call(call: Mapping[str, Any]) -> ToolCall:
    name = call["function"]["name"]
    arguments: Mapping[str, Any] = {}
    try:
        arguments = arguments_of(name, call["function"].get("arguments"))
    except ToolError:
        name = INVALID_TOOL_NAME
    function = ToolCallFunction(name=name, arguments=dict(arguments))
    return ToolCall(id=call["id"], function=function)


def _plain(message: Message) -> dict[str, Any]:
    """Return one of Aviary's messages as a plain one."""
    plain: dict[str, Any] = message.model_dump(exclude_none=True)
    plain.pop("function_call", None)
    if plain["role"] == "function":
        plain["role"] = "user"
    return plain


def _named(source: Any) -> Any:
    """Return the class or object that a name stands for.

    Raises:
        UnknownNameError: There is none.
        UsageError: Its module cannot be imported.
    """
    if not isinstance(source, str):
        return source
    for registry in (ENV_REGISTRY, TASK_DATASET_REGISTRY):
        if source in registry:
            return import_object(":".join(registry[source]))
    if is_place(source):
        return import_object(source)
    known = {*ENV_REGISTRY, *TASK_DATASET_REGISTRY}
    raise UnknownNameError(
        f"Aviary has no environment {source!r}{did_you_mean(source, known)}; others are written "
        "as module:attribute"
    )


def _kind_of(env: Any) -> str:
    """Return the name of Aviary's own class that an environment is of, or derives from."""
    for kind in type(env).__mro__:
        if kind.__module__.startswith("aviary.envs."):
            return kind.__name__
    return ""


async def _reward_of_whole_answer(env: Any, answer: str | None) -> float:
    """Compare a whole answer with the right one, in place of HotPotQAEnv's own method.

    That method rewards every text that contains the right answer. It ignores `evaluation_mode`,
    because it passes the mode as another argument.
    """
    from aviary.envs.hotpotqa.env import normalize_answer

    is_right = normalize_answer(answer or "") == env.normalized_correct_answer
    return float(env.correct_reward if is_right else env.incorrect_reward)


def _neither(source: Any, made: Any) -> UsageError:
    return UsageError(
        f"{source!r:.100} gives neither an Environment nor a TaskDataset of Aviary, but a "
        f"{type(made).__name__}"
    )


def _fields_for(make: Any, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a row that are arguments of a class or function.

    An argument such as `problem_id` that the row does not have is the row's `id`.
    """
    fields: dict[str, Any] = {}
    for name, parameter in inspect.signature(make).parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            fields.update({key: row[key] for key in row if key not in _OF_TEXTGYM})
        elif name in row:
            fields[name] = row[name]
        elif name.endswith("_id") and parameter.default is parameter.empty:
            fields[name] = row["id"]
    return fields
