"""What an author writes: the methods of an environment, their checks, and keyword arguments.

`AuthorMethods` is the part of `TextEnv` that an author defines. The checks read the class when an
environment is made, and what its methods return.

Invariant: an author's mistake is a `UsageError` of one line, which names the class and the method
and says what would be right.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from inspect import get_annotations, iscoroutinefunction
from numbers import Real
from typing import Any, ClassVar, Generic

import gymnasium as gym
from typing_extensions import TypedDict, TypeVar

from textgym.core.card import Card
from textgym.core.episode import Grade
from textgym.errors import OracleError, UsageError, in_one_line
from textgym.json_values import ATOMS
from textgym.messages import Message, message_problem
from textgym.tasks.files import Dataset
from textgym.tasks.task import Task
from textgym.tools import methods_of_tools
from textgym.verifiers.judge.prompt import JudgeOptions

__all__ = [
    "AuthorMethods",
    "JudgedEnvOptions",
    "StateT",
    "TextEnvOptions",
    "UntilReset",
    "check_class",
    "check_grade",
    "check_reply",
    "copy_of_state",
]  # fmt: skip

_NO_CONTENT_KEYS = frozenset(("id", "level", "category"))

F = TypeVar("F", bound=Callable[..., Any])
StateT = TypeVar("StateT", default=Any)


def _left_to_authors(method: F) -> F:
    """Mark a default that authors may replace, so that policies can check whether they did."""
    method.__left_to_authors__ = True  # type: ignore[attr-defined]
    return method


class UntilReset:
    """The value of an attribute that the first `reset` sets, until it does.

    Example:
        >>> class Shop:
        ...     task = UntilReset("task")
        >>> Shop().task
        Traceback (most recent call last):
        AttributeError: Shop has no task before the first reset
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, owner: Any, cls: type) -> Any:
        if owner is None:
            return self
        raise AttributeError(f"{cls.__name__} has no {self._name} before the first reset")


class AuthorMethods(gym.Env[list[Message], Message | str], Generic[StateT]):
    """The methods that a subclass of `TextEnv` defines, with their defaults."""

    card: ClassVar[Card]
    task: Task = UntilReset("task")  # type: ignore[assignment]
    state: StateT = UntilReset("state")  # type: ignore[assignment]

    @_left_to_authors
    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        """Return one flat row of a level, correct by construction, drawn only from `rng`."""
        raise UsageError(f"{self.card.id} has no generator: pass dataset=")

    def read_row(self, row: dict[str, Any]) -> Task:
        """Turn a row into a task. The row has an `id`.

        Raises:
            RowError: The row is not valid; the error names the field.
        """
        raise NotImplementedError(f"{type(self).__name__} must define read_row")

    def begin(self, task: Task) -> StateT:
        """Return the initial state of an episode.

        It may be JSON data, or a dataclass or pydantic model with such fields. Saved states are
        validated against the annotated return type. What cannot be saved, such as a connection, is
        opened here and kept in a separate attribute, see `on_close` and `on_restore`.
        """
        return None  # type: ignore[return-value]

    def on_close(self) -> Awaitable[None] | None:
        """Close what `begin` opened. Called once after each `begin`.

        That is before the `begin` of the next episode, or when the environment is closed.
        """
        return None

    def on_restore(self) -> Awaitable[None] | None:
        """Make what `begin` opened agree with `self.state`, which has been replaced.

        Called after `set_state`, after a step that failed, and after a tool call that raised an
        unexpected exception. `self.task` is the task of the state.
        """
        return None

    def check_state(self) -> None:
        """Check that a restored `self.state` fits `self.task`. The default accepts any.

        `set_state` calls this after it has validated the state against its type.

        Raises:
            StateError: The state does not fit; the error names the field.
        """

    def respond(self, message: Message) -> list[Message] | None:
        """Return the user's reply to a message without tool calls, or None to end the episode.

        A class with `answers_calls` gets messages with tool calls as well.
        """
        return None

    @_left_to_authors
    def call_offered_tool(self, name: str, arguments: Any) -> Any:
        """Return the result of a tool that the task offers and the class does not have.

        Tasks can bring tools, in `Task.tools`. By default they cannot be called.

        Args:
            name: The tool's name.
            arguments: The arguments as the model wrote them: a JSON string, an object or None.

        Returns:
            A string or JSON data, as a tool returns.

        Raises:
            ToolError: The call cannot be handled; the model reads the message.
        """
        raise NotImplementedError(f"{type(self).__name__} does not define call_offered_tool")

    def grade(self) -> Grade:
        """Return the grade of the ended episode."""
        raise NotImplementedError(f"{type(self).__name__} must define grade")

    @_left_to_authors
    def solve(self) -> Message | str:
        """Return the next message of a policy that knows the answer, or only its text.

        Raises:
            OracleError: The environment has no oracle, or the oracle cannot solve this task.
        """
        raise OracleError(f"{self.card.id} has no oracle: it does not define solve")

    @_left_to_authors
    def guess(self, rng: random.Random) -> Message | str:
        """Return a well-formed message, or only its text, of a policy without the answer.

        Raises:
            OracleError: The environment does not define it.
        """
        raise OracleError(f"{self.card.id} has no random policy: it does not define guess")

    def canonical(self, row: dict[str, Any]) -> Any:
        """Return the part of a generated row that decides its split. The default is all content."""
        return {key: value for key, value in row.items() if key not in _NO_CONTENT_KEYS}

    @property
    def reward_range(self) -> tuple[float, float]:
        """The lowest and the highest possible return with these arguments."""
        return self.card.reward_range


class TextEnvOptions(TypedDict, total=False):
    """The keyword arguments of `TextEnv`, which documents them."""

    dataset: Dataset | None
    columns: Mapping[str, str] | None
    split: str
    level: int | None
    max_turns: int | None
    render_mode: str | None


class JudgedEnvOptions(JudgeOptions, TextEnvOptions, total=False):
    """The keyword arguments that an environment with a judge passes on."""


_MAY_BE_ASYNC = ("begin", "respond", "call_offered_tool", "grade", "on_close", "on_restore")
_MUST_NOT_BE_ASYNC = ("generate", "read_row", "canonical", "check_state", "solve", "guess")
_TREES = frozenset((dict, list))
_REPLY = "must return None or a list of messages, such as [user('…')]"
_REPLYING = ("respond", "call_offered_tool")
MAX_TURNS = 20  # of a class with tools or a user, unless it says otherwise


def check_class(cls: Any, base: Any) -> None:
    """Check a new class, and set its `blocking` and `max_turns` if needed.

    Args:
        cls: A subclass of `TextEnv`.
        base: `TextEnv`.

    Raises:
        UsageError: A tool or a method of the class is not allowed.
    """
    tools = methods_of_tools(cls)
    taken = {*dir(base), *(name for parent in base.__mro__ for name in get_annotations(parent))}
    for name in tools:
        if name in taken:
            raise UsageError(
                f"{cls.__name__}.{name} cannot be a tool, because every environment has an "
                f"attribute {name!r}: rename the method, and keep the tool's name with "
                f"@tool(name={name!r})"
            )
    _check_async(cls, base, [*_MAY_BE_ASYNC, *tools])
    if not isinstance(getattr(cls, "card", None), (Card, type(None))):
        kind = type(cls.card).__name__
        raise UsageError(f"{cls.__name__}.card must be a textgym.Card, not {kind}")
    parents = cls.__mro__[: cls.__mro__.index(base)]
    replies = any(getattr(cls, name) is not getattr(base, name) for name in _REPLYING)
    if (tools or replies) and not any("max_turns" in vars(parent) for parent in parents):
        cls.max_turns = MAX_TURNS


def _check_async(cls: Any, base: Any, allowed: list[str]) -> None:
    """Refuse `async` where it is not allowed, and make a class with `async` methods blocking."""
    for name in _MUST_NOT_BE_ASYNC:
        if iscoroutinefunction(getattr(cls, name)):
            raise UsageError(
                f"{cls.__name__}.{name} must not be async; only tools, "
                f"{', '.join(_MAY_BE_ASYNC[:-1])} and {_MAY_BE_ASYNC[-1]} may be"
            )
    waiting = [name for name in allowed if iscoroutinefunction(getattr(cls, name))]
    if not waiting:
        return
    if vars(cls).get("blocking") is False:
        raise UsageError(
            f"{cls.__name__}.{waiting[0]} is async, so the environment is blocking: remove "
            "blocking = False"
        )
    cls.blocking = True


def check_reply(owner: type, reply: Any, calls: Sequence[Any] = ()) -> None:
    """Check that `respond` returned a list of messages.

    Args:
        owner: The class.
        reply: What it returned.
        calls: The ids of the calls that it must answer.

    Raises:
        UsageError: It returned something else, or a call is not answered.

    Example:
        >>> class Shop: ...
        >>> check_reply(Shop, "Which size?")
        Traceback (most recent call last):
        textgym.errors.UsageError: Shop.respond must return None or a list of messages, such as \
[user('…')], not a str
    """
    if not isinstance(reply, (list, tuple)):
        raise UsageError(f"{owner.__name__}.respond {_REPLY}, not a {type(reply).__name__}")
    for message in reply:
        if problem := message_problem(message):
            raise UsageError(f"{owner.__name__}.respond {_REPLY}: {problem}")
    if calls:
        answered = {message.get("tool_call_id") for message in reply}
        for id in calls:
            if id not in answered:
                raise UsageError(
                    f"{owner.__name__}.respond must answer each tool call with "
                    f"tool_result(text, id), and does not answer {id!r}"
                )


def check_grade(owner: type, grade: Any) -> None:
    """Check that `grade` returned a `Grade`.

    Raises:
        UsageError: It returned something else, or a field of it has another type.

    Example:
        >>> class Shop: ...
        >>> check_grade(Shop, 0.5)
        Traceback (most recent call last):
        textgym.errors.UsageError: Shop.grade must return a Grade, such as Grade(reward, \
is_success), not a float
    """
    if not isinstance(grade, Grade):
        kind = type(grade).__name__
        raise UsageError(
            f"{owner.__name__}.grade must return a Grade, such as Grade(reward, is_success), "
            f"not a {kind}"
        )
    for name, kinds, right in (
        ("reward", Real, "a number"),
        ("components", Mapping, "a dict of numbers"),
        ("info", Mapping, "a dict"),
    ):
        value = getattr(grade, name)
        if not isinstance(value, kinds):
            kind = type(value).__name__
            raise UsageError(f"{owner.__name__}.grade: the {name} must be {right}, not a {kind}")


def copy_of_state(owner: type, state: Any) -> Any:
    """Return a deep copy of an episode's state.

    JSON data in which no list or dict occurs twice is copied without `deepcopy`, which is slow.

    Raises:
        UsageError: The state holds something that cannot be copied.

    Example:
        >>> import threading
        >>> class Desk: ...
        >>> copy_of_state(Desk, {"lock": threading.Lock()})
        Traceback (most recent call last):
        textgym.errors.UsageError: the state of Desk cannot be copied (TypeError: cannot pickle \
'_thread.lock' object): begin must return data; keep what is not data in a separate attribute, \
which begin sets and on_close closes
    """
    try:
        return _copy_of_tree(state, set())
    except (_NoTreeError, RecursionError):
        pass
    try:
        return copy.deepcopy(state)
    except Exception as error:
        raise UsageError(
            f"the state of {owner.__name__} cannot be copied ({in_one_line(error)}): begin must "
            "return data; keep what is not data in a separate attribute, which begin sets and "
            "on_close closes"
        ) from error


class _NoTreeError(Exception):
    """A value is not a tree of dicts, lists and atoms."""


def _copy_of_tree(value: Any, seen: set[int]) -> Any:
    """Return a copy of nested dicts and lists.

    Args:
        value: A dict or list.
        seen: The ids of the dicts and lists so far.

    Raises:
        _NoTreeError: Something else is in it, or the same dict or list twice.
    """
    if value.__class__ not in _TREES or id(value) in seen:
        raise _NoTreeError
    seen.add(id(value))
    copied = value.copy()
    for place, item in copied.items() if value.__class__ is dict else enumerate(copied):
        if item.__class__ not in ATOMS:
            copied[place] = _copy_of_tree(item, seen)
    return copied
