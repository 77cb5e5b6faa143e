"""Tools: methods of an environment that a model may call.

`@tool` marks a method. Its name, docstring and type hints define the schema that the model sees and
the validation of its arguments. Both are made once per class, on first use. A model's mistakes (an
unknown tool, broken JSON, a wrong type, a value that the method cannot handle) are returned to it
as text and never raise.
"""

from __future__ import annotations

import errno
import inspect
import itertools
import json
import logging
import pickle
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar, overload

from textgym.concurrency.event_loops import result_of
from textgym.errors import BoundaryFailure, EnvironmentFailure, ToolError, UsageError, in_one_line
from textgym.json_values import MAX_DEPTH, is_deeper
from textgym.messages import ToolSchema
from textgym.tool_schemas import Signature

__all__ = ["NOT_RUN", "Tool", "Toolbox", "arguments_of", "methods_of_tools", "tool"]

F = TypeVar("F", bound=Callable[..., Any])
_MARK = "__textgym_tool__"  # the attribute of a method with the tool's name
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")  # OpenAI's rule
# An argument that names a file can cause these; any other OSError comes from outside.
_ERRNOS_OF_ARGUMENTS = frozenset(
    (errno.EACCES, errno.EEXIST, errno.EINVAL, errno.EISDIR, errno.ELOOP, errno.ENAMETOOLONG,
     errno.ENOENT, errno.ENOTDIR, errno.ENOTEMPTY, errno.EPERM)
)  # fmt: skip
NOT_RUN = "Error: the call was not run because the episode has ended"
MAX_PROBLEMS = 5  # reported to the model for one call
_HOLDERS_OF_BOOLS = frozenset((bool, list, dict))
MAX_ERROR_LENGTH = 200  # of the text that the model reads
MAX_LOG_LENGTH = 500
_log = logging.getLogger(__name__)
_encode = json.JSONEncoder(ensure_ascii=False).encode


@overload
def tool(method: F, /) -> F: ...
@overload
def tool(*, name: str) -> Callable[[F], F]: ...
def tool(method: Any = None, /, *, name: str | None = None) -> Any:
    """Mark a method as a tool that the model may call.

    The first paragraph of the docstring describes the tool, and its `Args:` section the arguments.
    The method may be `async`. It returns a string or JSON data. It raises `ToolError` to report a
    problem to the model. Any other exception is reported to the model, too, and logged once as a
    warning; only failures of the infrastructure (a `BoundaryFailure`, an `ImportError`, or an
    `OSError` such as a lost connection, but not a missing file) fail the step.

    Args:
        method: The method.
        name: The name that the model sees; None for the method's own.

    Raises:
        UsageError: The name is not one that models can call, or it was passed by position.

    Example:
        >>> class Weather:
        ...     @tool
        ...     def get_weather(self, city: str, days: int = 1) -> str:
        ...         '''Get the weather forecast.
        ...
        ...         Args:
        ...             city: The city's name.
        ...         '''
        ...         return f"{city}: sunny for {days} days"
        ...     @tool(name="close")
        ...     def close_window(self) -> str:
        ...         '''Close the window.'''
        ...         return "closed"
        >>> tools = Toolbox(Weather)
        >>> tools.schemas()[1]["function"]["parameters"]["properties"]["city"]
        {'description': "The city's name.", 'type': 'string'}
        >>> tools.call(Weather(), "get_weather", '{"city": "Oslo", "days": "2"}')
        'Oslo: sunny for 2 days'
        >>> tools.call(Weather(), "get_weather", '{"days": 2}')
        "Error: wrong arguments for 'get_weather': city: Field required"
        >>> tools.call(Weather(), "close", "{}")
        'closed'
    """

    def mark(method: F) -> F:
        if not inspect.isfunction(method):
            raise UsageError(
                f"@tool must be put before a method, with the tool's name as name=; "
                f"{method!r:.100} is not a method"
            )
        called = method.__name__ if name is None else name
        if not isinstance(called, str) or not _NAME.fullmatch(called):
            raise UsageError(
                f"{method.__qualname__}: a tool's name must consist of at most 64 letters, digits, "
                f"'_' and '-', not be {called!r:.100}"
            )
        setattr(method, _MARK, called)
        return method

    return mark if method is None else mark(method)


def methods_of_tools(owner: type) -> dict[str, Callable[..., Any]]:
    """Return the methods of a class that are tools, by their own names in sorted order.

    Raises:
        UsageError: Two of them have the same name as tools.
    """
    attributes: dict[str, Any] = {name: getattr(owner, name, None) for name in dir(owner)}
    marked = {name: method for name, method in attributes.items() if hasattr(method, _MARK)}
    by_tool: dict[str, str] = {}
    for name, method in marked.items():
        first = by_tool.setdefault(getattr(method, _MARK), name)
        if first != name:
            raise UsageError(
                f"{owner.__name__}.{first} and {owner.__name__}.{name} are both the tool "
                f"{getattr(method, _MARK)!r}: give one of them another name"
            )
    return marked


@dataclass(frozen=True)
class Tool:
    """One tool of a class: its method, schema and argument validation."""

    method: Callable[..., Any]

    @cached_property
    def name(self) -> str:
        """The name that the model sees."""
        return str(getattr(self.method, _MARK))

    @cached_property
    def _signature(self) -> Signature:
        return Signature(self.method, self.name)

    @cached_property
    def _nullable(self) -> dict[str, None]:
        return self._signature.nullable

    @cached_property
    def _validate(self) -> Callable[[Any], dict[str, Any]]:
        return self._signature.adapter.validator.validate_python

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(self.schema["function"]["parameters"]["properties"])

    @cached_property
    def schema(self) -> ToolSchema:
        """The schema in OpenAI's nested function form.

        Raises:
            UsageError: The signature of the method has no schema.
        """
        try:
            parameters = self._signature.schema
        except UsageError:
            raise
        except Exception as error:  # an unknown name, or one of pydantic's errors
            raise UsageError(
                f"{self.method.__qualname__} cannot be a tool, because its type hints have no "
                f"schema: {in_one_line(error)}"
            ) from error
        parameters.setdefault("properties", {})
        summary = inspect.cleandoc(self.method.__doc__ or "").split("\n\n")[0]
        about = " ".join(summary.split())
        function = {"name": self.name, "description": about, "parameters": parameters}
        return {"type": "function", "function": function}

    def read_arguments(self, arguments: str | Mapping[str, Any] | None) -> dict[str, Any]:
        """Validate the arguments of a call in pydantic's lax mode. A null counts as omitted.

        True and false are not accepted as numbers, although pydantic accepts them.

        Raises:
            ToolError: The arguments are not JSON, not an object, or not valid for the method.
        """
        taken = {}
        for name, value in arguments_of(self.name, arguments).items():
            if value is not None:
                taken[name] = value
        if not taken.keys() <= self._names:
            unknown = (name for name in taken if name not in self._names)
            names = self._names.union(itertools.islice(unknown, MAX_PROBLEMS))
            taken = {name: taken[name] for name in taken if name in names}  # not a million of them
        try:
            read = {**self._nullable, **self._validate(taken)}
        except ValueError as error:
            raise ToolError(f"wrong arguments for {self.name!r}: {_problems(error)}") from None
        for name, value in taken.items():
            if value.__class__ in _HOLDERS_OF_BOOLS and _bool_as_number(value, read[name]):
                raise ToolError(
                    f"wrong arguments for {self.name!r}: {name}: true and false are no numbers"
                )
        return read


class Toolbox:
    """The tools of a class. It keeps no state of any episode.

    Args:
        owner: The class.

    Attributes:
        tools: The tools by name, sorted.
        unforeseen: The exceptions of tools that were neither a `ToolError` nor a failure of the
            infrastructure, each with the first call that raised it, by tool and type.
    """

    def __init__(self, owner: type) -> None:
        tools = map(Tool, methods_of_tools(owner).values())
        self.tools = {tool.name: tool for tool in sorted(tools, key=lambda tool: tool.name)}
        self.unforeseen: dict[tuple[str, str], str] = {}
        method = getattr(owner, "call_offered_tool", None)
        self._call_other = None if hasattr(method, "__left_to_authors__") else method

    @cached_property
    def _pickled(self) -> bytes:
        return pickle.dumps([tool.schema for tool in self.tools.values()])

    def schemas(self) -> list[ToolSchema]:
        """Return fresh copies of the schemas, sorted by the tools' names."""
        return pickle.loads(self._pickled) if self.tools else []

    def call(
        self,
        owner: Any,
        name: str,
        arguments: str | Mapping[str, Any] | None,
        offered: Collection[str] | None = None,
        undo: Callable[[], None] | None = None,
    ) -> str:
        """Call a tool for the model and return the text of the result.

        Args:
            owner: The environment.
            name: The tool's name, as the model wrote it.
            arguments: The arguments, as a JSON string or already parsed.
            offered: The names of the tools that may be called; None for all of the class.
            undo: Called after an unforeseen exception, which may have left a change half-made.

        Raises:
            BoundaryFailure: The tool failed, through no fault of the model.
            UsageError: The signature of the tool's method has no schema.
        """
        tool, call_other = self.tools.get(name), self._call_other
        names = self.tools if offered is None else offered
        if name not in names or not (tool or call_other):
            known = ", ".join(n for n in names if call_other or n in self.tools) or "none"
            return f"Error: there is no tool {name[:100]!r}; the tools are: {known}"
        method: Any = call_other
        if tool and tool.schema:  # outside the `try`: errors of the schema are the author's
            method = tool.method
        try:
            values = tool.read_arguments(arguments) if tool else {}
            result = result_of(method(owner, **values) if tool else method(owner, name, arguments))
            return result if isinstance(result, str) else _text_of(result)
        except ToolError as error:
            return f"Error: {error}"
        except BoundaryFailure:
            raise
        except Exception as error:
            if _comes_from_outside(error):
                raise EnvironmentFailure(f"tool {name!r}: {in_one_line(error)}") from error
            if undo:
                undo()
            self._record(name, method, arguments, error)
            return f"Error: {name!r} failed: {in_one_line(error)[:MAX_ERROR_LENGTH]}"

    def _record(self, name: str, method: Any, arguments: Any, error: Exception) -> None:
        """Keep an unforeseen exception, and log it if it is the first of its tool and type."""
        key = name, type(error).__name__
        if key not in self.unforeseen:
            call = f"{method.__qualname__} raised {in_one_line(error)}"[:MAX_LOG_LENGTH]
            call += f" for {_shown(arguments)}"
            self.unforeseen[key] = call
            _log.warning(
                "%s; the model received this error, and the state is as before the call: raise "
                "ToolError for values that cannot be handled",
                call,
                exc_info=error,
            )


def _comes_from_outside(error: Exception) -> bool:
    """Return whether an exception has nothing to do with the arguments of a call."""
    if isinstance(error, OSError):
        return error.errno not in _ERRNOS_OF_ARGUMENTS
    return isinstance(error, ImportError)


def _text_of(result: Any) -> str:
    try:
        return _encode(result)
    except Exception as error:
        raise TypeError(f"a tool must return a string or JSON data: {error}") from error


def _shown(arguments: Any) -> str:
    try:
        return repr(arguments)[:MAX_LOG_LENGTH]
    except ValueError:  # Python's limit on the digits of a number
        return "a number that is too long to show"


def _bool_as_number(value: Any, read: Any) -> bool:
    """Return whether a boolean in a value, at any depth, was read as a number."""
    if value.__class__ is bool:
        return read.__class__ in (int, float)
    if isinstance(value, list) and isinstance(read, list | tuple):
        return any(map(_bool_as_number, value, read))
    if isinstance(value, dict) and isinstance(read, dict):
        return any(_bool_as_number(item, read.get(key)) for key, item in value.items())
    return False


def _problems(error: ValueError) -> str:
    """Return the first errors of a pydantic `ValidationError` in one line."""
    from pydantic import ValidationError

    if not isinstance(error, ValidationError):  # Python's limit on the digits of a number
        return "a number is too long"
    return "; ".join(
        f"{'.'.join(map(str, item['loc']))[:100] or 'arguments'}: {item['msg']}"
        for item in error.errors(include_url=False)[:MAX_PROBLEMS]
    )


def arguments_of(name: str, arguments: str | Mapping[str, Any] | None) -> Mapping[str, Any]:
    """Parse the arguments of a call without validating them. Missing arguments are an empty dict.

    Args:
        name: The tool's name, for the error.
        arguments: The arguments, as a JSON string or already parsed.

    Raises:
        ToolError: The arguments are not JSON, or not an object.

    Example:
        >>> arguments_of("get_weather", '{"city": "Oslo"}')
        {'city': 'Oslo'}
    """
    if isinstance(arguments, str):
        length = len(arguments)
        try:
            arguments = json.loads(arguments) if arguments.strip() else None
        except (ValueError, RecursionError) as error:
            raise ToolError(f"the arguments of {name!r} are not valid JSON: {error}") from None
        if length > 2 * MAX_DEPTH and is_deeper(arguments, MAX_DEPTH):
            raise ToolError(f"the arguments of {name!r} are nested over {MAX_DEPTH} levels deep")
    if arguments is None:
        return {}
    if arguments.__class__ is not dict and not isinstance(arguments, Mapping):
        kind = type(arguments).__name__
        raise ToolError(f"the arguments of {name!r} must be a JSON object, not {kind}")
    return arguments
