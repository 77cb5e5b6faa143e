"""An episode's state as JSON holds it, and back, checked against its type.

The type is what `begin` is annotated to return, or State in `TextEnv[State]`; a dataclass that
`begin` returned is its own type. Where neither tells, a state must be like one that `begin`
returned. Invariant: a state that was read holds the very values that JSON held, in fresh lists and
objects, and nothing that its type does not have.
"""

from __future__ import annotations

import json
import typing
from collections.abc import Collection, Mapping
from dataclasses import asdict, fields, is_dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from textgym.errors import StateError
from textgym.messages import copy_json

if TYPE_CHECKING:
    from pydantic import TypeAdapter

__all__ = ["declared_type", "pack_state", "unpack_state", "validation_problem"]


def pack_state(state: Any) -> Any:
    """Return a copy of an episode's state as JSON holds it.

    Raises:
        StateError: It holds something that JSON cannot.
    """
    data = state
    if _is_model(state):
        data = state.model_dump(mode="json")
    elif is_dataclass(state) and not isinstance(state, type):
        data = asdict(state)
    try:
        packed = json.loads(json.dumps(data, allow_nan=False))
    except (TypeError, ValueError) as error:
        raise StateError(f"the episode's state is not what JSON can hold: {error}") from None
    if packed != data:
        raise StateError(
            "the episode's state changes in JSON: it holds tuples or keys that are no text"
        )
    return packed


def unpack_state(fresh: Any, data: Any, declared: Any = Any) -> Any:
    """Return the state that `pack_state` gave as data.

    Args:
        fresh: A state as `begin` returns it.
        data: What `pack_state` gave, or what somebody made of it.
        declared: The type of states, as `declared_type` gives it.

    Raises:
        StateError: It is not of the type, or not like the fresh one; the error names the place.

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
        raise StateError(f"state is not what JSON can hold: {error}") from None
    if adapter is None:
        return _read_alike(data, fresh)
    from pydantic import ValidationError

    try:
        # Half a surrogate pair is no JSON to pydantic; the texts of `data` are kept as they are.
        value = adapter.validate_json(text.encode("utf-8", "xmlcharrefreplace"), strict=True)
    except ValidationError as error:
        raise StateError(validation_problem(error, "state")) from None
    return _with_values(value, data, "state")


def declared_type(owner: type, root: type) -> Any:
    """Return the type of an environment class's states; Any where it does not tell.

    Args:
        owner: The class, with a method `begin`.
        root: The generic class whose argument is the type where `begin` has no annotation; it
            counts where the class with this argument defines `begin`, or none does.
    """
    begin: Any = owner.begin  # type: ignore[attr-defined]
    try:
        told = typing.get_type_hints(begin, include_extras=True).get("return", root)
    except (NameError, TypeError, AttributeError):  # a name that only some function knows
        return Any
    if told is not root and not isinstance(told, TypeVar):
        return told
    definer = next(cls for cls in owner.__mro__ if "begin" in vars(cls))
    for cls in owner.__mro__ if definer is root else (definer,):
        for base in vars(cls).get("__orig_bases__", ()):
            if typing.get_origin(base) is root:
                (argument,) = typing.get_args(base)
                return Any if isinstance(argument, TypeVar) else argument
    return Any


def validation_problem(error: Any, place: str = "") -> str:
    """Return the first problem of pydantic's error, with its place, in one line."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    steps = ".".join([*filter(None, [place]), *map(str, first["loc"])])[:200]
    return f"{steps}: {first['msg']}" if steps else str(first["msg"])


def _is_model(state: Any) -> bool:
    """Tell whether a state is one of pydantic's models, without importing pydantic."""
    return hasattr(state, "model_dump") and not isinstance(state, type)


@cache
def _adapter(kind: Any) -> TypeAdapter[Any] | None:
    """Return what validates a type; None where pydantic cannot read the type."""
    from pydantic import TypeAdapter
    from pydantic.errors import PydanticUndefinedAnnotation, PydanticUserError

    try:
        adapter = TypeAdapter(kind)
        return adapter if adapter.core_schema else None  # raises where a name is still unknown
    except (PydanticUserError, PydanticUndefinedAnnotation):
        return None


def _with_values(value: Any, data: Any, place: str) -> Any:
    """Return a validated value with the very numbers and texts of the data.

    pydantic fills in defaults, leaves out what a type does not have, and makes a float of a whole
    number.
    """
    if is_dataclass(value):
        names = [field.name for field in fields(value)]
        _check_names(data, names, place)
        for name in names:
            inner = _with_values(getattr(value, name), data[name], f"{place}.{name}")
            object.__setattr__(value, name, inner)
        return value
    if isinstance(value, dict) and isinstance(data, dict):
        if len(value) < len(data):
            _check_names(data, value, place)
        return {
            name: _with_values(value.get(name), item, f"{place}.{name}")
            for name, item in data.items()
        }
    if isinstance(value, list) and isinstance(data, list):
        pairs = enumerate(zip(value, data, strict=True))
        return [_with_values(one, item, f"{place}.{n}") for n, (one, item) in pairs]
    return value if _is_model(value) else copy_json(data)


def _check_names(data: Any, names: Collection[str], place: str) -> None:
    if not isinstance(data, Mapping):
        raise StateError(f"{place} is an object, not {type(data).__name__}")
    missing = [name for name in names if name not in data]
    unknown = [name for name in data if name not in names]
    if missing or unknown:
        problem = "is missing" if missing else "is none of its fields"
        raise StateError(f"{place}.{str((missing or unknown)[0])[:100]} {problem}")


def _read_alike(data: Any, fresh: Any) -> Any:
    """Return a state whose type nobody tells, if it is like the fresh one."""
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


def _check_kind(data: Any, fresh: Any, place: str) -> None:
    """Refuse a value of another kind than the fresh one, which may be None for any kind."""
    if fresh is not None and _kind(data) is not _kind(fresh):
        raise StateError(f"{place} is of another kind than the state that `begin` returns")


def _kind(value: Any) -> type:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float
    return type(value)
