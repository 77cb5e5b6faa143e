"""The format in which `TextEnv.get_state` saves an episode, and the state in it.

The type of an environment's states is the return annotation of `begin`, or `State` in
`TextEnv[State]`; if `begin` returned a dataclass or a pydantic model, it is that class. Without
any of these, a state must have the shape of one that `begin` returned.

Invariants: a saved episode is checked before it is used; a restored state holds exactly the values
in the JSON, in new lists and objects, and nothing that its type does not have.
"""

from __future__ import annotations

import json
import math
import typing
from collections.abc import Collection, Mapping
from dataclasses import asdict, fields, is_dataclass
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

import numpy as np
from annotated_types import Interval, Len, Predicate
from typing_extensions import TypedDict  # pydantic refuses typing's before Python 3.12

from textgym.errors import StateError
from textgym.json_values import copy_json
from textgym.messages import message_problem

if TYPE_CHECKING:
    from pydantic import TypeAdapter

__all__ = [
    "MAX_SEED", "SavedEpisode", "declared_type", "pack_generator", "pack_state", "read_saved",
    "unpack_generator", "unpack_state",
]  # fmt: skip

MAX_SEED = 2**128 - 1
"""The largest seed; if NumPy is given none, it draws one up to this."""


def _is_odd(number: int) -> bool:
    return number % 2 == 1


class GeneratorState(TypedDict):
    """The internal state of a PCG64 generator."""

    state: Annotated[int, Interval(ge=0, lt=2**128)]
    inc: Annotated[int, Interval(ge=0, lt=2**128), Predicate(_is_odd)]


class Generator(TypedDict):
    """A PCG64 generator, as NumPy's `bit_generator.state` has it."""

    bit_generator: Literal["PCG64"]
    state: GeneratorState
    has_uint32: Literal[0, 1]
    uinteger: Annotated[int, Interval(ge=0, lt=2**32)]


class SavedEpisode(TypedDict):
    """A saved episode, as JSON values.

    Attributes:
        id: The environment's id.
        row: The task's row.
        messages: The messages after the prompt.
        turn: The number of these messages that were actions.
        running: Whether the episode is still running.
        paid: The sum of the rewards so far.
        state: The environment's own state.
        stream: The seed of the stream of tasks, and how many tasks were drawn from it.
        np_random: The random generator; None if the environment was never seeded.
    """

    id: str
    row: dict[str, Any]
    messages: list[Any]
    turn: Annotated[int, Interval(ge=0)]
    running: bool
    paid: Annotated[float, Predicate(math.isfinite)]
    state: Any
    stream: Annotated[list[Annotated[int, Interval(ge=0, le=MAX_SEED)]], Len(2, 2)]
    np_random: Generator | None


for _type in (GeneratorState, Generator, SavedEpisode):
    setattr(_type, "__pydantic_config__", {"extra": "forbid"})  # noqa: B010


@cache
def _episode_adapter() -> TypeAdapter[SavedEpisode]:
    from pydantic import TypeAdapter

    return TypeAdapter(SavedEpisode)


def read_saved(data: Any) -> SavedEpisode:
    """Return a saved episode after checking its format, but not its row and its state.

    Raises:
        StateError: A field is missing, unknown or invalid; the error names it.
    """
    from pydantic import ValidationError

    try:
        saved = _episode_adapter().validate_python(data, strict=True)
    except ValidationError as error:
        raise StateError(_validation_problem(error)) from None
    for index, message in enumerate(saved["messages"]):
        if problem := message_problem(message):
            raise StateError(f"messages.{index}: {problem}")
    count = sum(message["role"] == "assistant" for message in saved["messages"])
    if saved["turn"] > count:
        raise StateError(
            f"turn must be at most {count}, the number of assistant messages, not {saved['turn']}"
        )
    return saved


def pack_generator(generator: np.random.Generator | None) -> Any:
    """Return a random generator as JSON values.

    Raises:
        StateError: It is not a PCG64 generator, as Gymnasium makes it.
    """
    if generator is None:
        return None
    bits = generator.bit_generator
    if type(bits) is not np.random.PCG64:
        kind = type(bits).__name__
        raise StateError(f"np_random must be a PCG64 generator to be saved, not a {kind}")
    return bits.state


def unpack_generator(saved: Any) -> np.random.Generator:
    """Return the random generator that `pack_generator` packed."""
    bits = np.random.PCG64(0)
    bits.state = saved
    return np.random.Generator(bits)


def pack_state(state: Any, owner: type) -> Any:
    """Return a copy of an episode's state as JSON values.

    Args:
        state: The state.
        owner: The environment's class, for errors.

    Raises:
        StateError: The state holds something that JSON cannot represent.
    """
    data = state
    if _is_model(state):
        data = state.model_dump(mode="json")
    elif is_dataclass(state) and not isinstance(state, type):
        data = asdict(state)
    try:
        packed = json.loads(json.dumps(data, allow_nan=False))
    except (TypeError, ValueError) as error:
        raise StateError(
            f"the state of {owner.__name__} cannot be represented in JSON: {error}; "
            "keep what is not data in a separate attribute, which begin and on_restore set"
        ) from None
    if packed != data:
        raise StateError(
            f"the state of {owner.__name__} changes in JSON: it holds tuples, or keys that are not "
            "strings"
        )
    return packed


def unpack_state(fresh: Any, data: Any, declared: Any = Any) -> Any:
    """Return the state that `pack_state` returned as data.

    Args:
        fresh: A state that `begin` has just returned.
        data: What `pack_state` returned; it may have been edited.
        declared: The type of states, from `declared_type`.

    Raises:
        StateError: The data do not have the type, or the shape of the fresh state; the error names
            the path.

    Example:
        >>> unpack_state({"count": 0}, {"count": 5}, dict[str, int])
        {'count': 5}
        >>> unpack_state({"count": 0}, {"count": "5"}, dict[str, int])
        Traceback (most recent call last):
        textgym.errors.StateError: state.count: Input should be a valid integer
    """
    has_own_type = is_dataclass(fresh) or _is_model(fresh)
    kind = type(fresh) if has_own_type else declared
    adapter = None if kind is Any else _adapter(kind)  # type: ignore[arg-type]
    try:
        text = json.dumps(data, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise StateError(f"state cannot be represented in JSON: {error}") from None
    if adapter is None:
        return _unpack_untyped(data, fresh)
    from pydantic import ValidationError

    try:
        # pydantic refuses unpaired surrogates; `_with_values` restores the strings of `data`.
        value = adapter.validate_json(text.encode("utf-8", "xmlcharrefreplace"), strict=True)
    except ValidationError as error:
        raise StateError(_validation_problem(error, "state")) from None
    return _with_values(value, data, "state")


def declared_type(owner: type, root: type) -> Any:
    """Return the declared type of the states of an environment class; Any if none is declared.

    Args:
        owner: The environment class, with a method `begin`.
        root: The generic base class. If `begin` has no annotation, its type argument is used,
            provided that the class with this argument defines `begin`, or no subclass does.
    """
    begin: Any = owner.begin  # type: ignore[attr-defined]
    try:
        hint = typing.get_type_hints(begin, include_extras=True).get("return", root)
    except (NameError, TypeError, AttributeError):  # such as the name of a local class
        return Any
    if hint is not root and not isinstance(hint, TypeVar):
        return hint
    definer = next(cls for cls in owner.__mro__ if "begin" in vars(cls))
    for cls in owner.__mro__ if issubclass(root, definer) else (definer,):
        for base in vars(cls).get("__orig_bases__", ()):
            if typing.get_origin(base) is root:
                (argument,) = typing.get_args(base)
                return Any if isinstance(argument, TypeVar) else argument
    return Any


def _validation_problem(error: Any, root: str = "") -> str:
    """Return the first problem in a pydantic validation error, with its path, in one line.

    Args:
        error: The validation error.
        root: The path of the value that was validated.
    """
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    path = ".".join([*filter(None, [root]), *map(str, first["loc"])])[:200]
    return f"{path}: {first['msg']}" if path else str(first["msg"])


def _is_model(state: Any) -> bool:
    """Return whether a state is a pydantic model, without importing pydantic."""
    return hasattr(state, "model_dump") and not isinstance(state, type)


@cache
def _adapter(kind: Any) -> TypeAdapter[Any] | None:
    """Return the validator of a type; None if pydantic does not support the type."""
    from pydantic import TypeAdapter
    from pydantic.errors import PydanticUndefinedAnnotation, PydanticUserError

    try:
        adapter = TypeAdapter(kind)
        return adapter if adapter.core_schema else None  # raises if a name is unresolved
    except (PydanticUserError, PydanticUndefinedAnnotation):
        return None


def _with_values(value: Any, data: Any, path: str) -> Any:
    """Return a validated value with exactly the numbers and strings of the data.

    pydantic fills in defaults, drops what a type does not have, and turns ints into floats.
    """
    if is_dataclass(value):
        names = [field.name for field in fields(value)]
        _check_names(data, names, path)
        for name in names:
            inner = _with_values(getattr(value, name), data[name], f"{path}.{name}")
            object.__setattr__(value, name, inner)
        return value
    if isinstance(value, dict) and isinstance(data, dict):
        if len(value) < len(data):
            _check_names(data, value, path)
        return {
            name: _with_values(value.get(name), item, f"{path}.{name}")
            for name, item in data.items()
        }
    if isinstance(value, list) and isinstance(data, list):
        pairs = enumerate(zip(value, data, strict=True))
        return [_with_values(inner, item, f"{path}.{n}") for n, (inner, item) in pairs]
    return value if _is_model(value) else copy_json(data)


def _check_names(data: Any, names: Collection[str], path: str) -> None:
    if not isinstance(data, Mapping):
        raise StateError(f"{path} must be an object, not {type(data).__name__}")
    missing = [name for name in names if name not in data]
    unknown = [name for name in data if name not in names]
    if missing or unknown:
        problem = "is missing" if missing else "is unknown"
        raise StateError(f"{path}.{str((missing or unknown)[0])[:100]} {problem}")


def _unpack_untyped(data: Any, fresh: Any) -> Any:
    """Return a state without a declared type, if it has the shape of a fresh one."""
    if is_dataclass(fresh):
        kind: Any = type(fresh)
        _check_names(data, [field.name for field in fields(fresh)], "state")
        return kind(**copy_json(data))
    _check_kind(data, fresh, "state")
    if isinstance(fresh, dict):
        for name, value in fresh.items():
            if name not in data:
                raise StateError(f"state.{name} is missing")
            _check_kind(data[name], value, f"state.{name}")
    return copy_json(data)


def _check_kind(data: Any, fresh: Any, path: str) -> None:
    """Check that a value has the type of the fresh one; None stands for any type."""
    if fresh is not None and _kind(data) is not _kind(fresh):
        raise StateError(
            f"{path} must have the type that it has in the state that begin returns, "
            f"{type(fresh).__name__}, not {type(data).__name__}"
        )


def _kind(value: Any) -> type:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float
    return type(value)
