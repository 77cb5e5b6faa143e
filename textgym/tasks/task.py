"""A task, and the row of JSON data that it is made from.

Rows from Parquet files, hubs and callers can contain values that JSON cannot represent. Values with
one obvious JSON form are converted; any other value raises an error that names the field.
"""

from __future__ import annotations

import datetime
import decimal
import math
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from textgym.errors import RowError
from textgym.messages import Message, ToolSchema

__all__ = ["Task", "json_row", "with_id"]


@dataclass(frozen=True, slots=True)
class Task:
    """One task.

    Attributes:
        id: The id of the task within its environment.
        messages: The prompt, including any system message.
        answer: The correct answer. It is never shown.
        tools: The schemas of the tools that may be called; None for all tools of the environment.
        row: The row that the task was made from.
    """

    id: str
    messages: tuple[Message, ...]
    answer: Any
    tools: tuple[ToolSchema, ...] | None = None
    row: Mapping[str, Any] = field(default_factory=dict)


def with_id(row: Mapping[str, Any], otherwise: str) -> dict[str, Any]:
    """Return the row with an `id`: its own, else its `uuid`, else `otherwise`."""
    name = row.get("id")
    if name is None or name == "":
        name = row.get("uuid") or otherwise
    return {**row, "id": str(name)}


MAX_DEPTH = 100  # the same limit as for messages, far beyond any real row
_PLAIN = frozenset((str, int, bool, type(None)))


def json_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of a row as JSON data.

    Dates and times become ISO 8601 strings, decimals become numbers, tuples become lists, UUIDs
    become strings, and NaN, which pandas uses for missing values, becomes null.

    Args:
        row: The values by field.

    Raises:
        RowError: A value cannot be converted, such as bytes, a duration, an infinite number, a
            decimal that no JSON number equals, or a key that is not a string.

    Example:
        >>> json_row({"day": datetime.date(2024, 5, 1), "price": decimal.Decimal("12.50")})
        {'day': '2024-05-01', 'price': 12.5}
        >>> json_row({"image": {"bytes": b"GIF89a"}})
        Traceback (most recent call last):
        textgym.errors.RowError: field 'image.bytes' holds bytes, which JSON cannot hold
    """
    return _object(row, ())


def _object(values: Mapping[Any, Any], path: tuple[Any, ...]) -> dict[str, Any]:
    copied = {}
    for name, value in values.items():
        if not isinstance(name, str):
            raise _error(path, f"has the key {name!r}; JSON keys are strings")
        copied[name] = value if value.__class__ in _PLAIN else _value(value, (*path, name))
    return copied


def _list(values: list[Any] | tuple[Any, ...], path: tuple[Any, ...]) -> list[Any]:
    return [
        value if value.__class__ in _PLAIN else _value(value, (*path, place))
        for place, value in enumerate(values)
    ]


def _value(value: Any, path: tuple[Any, ...]) -> Any:
    if len(path) > MAX_DEPTH:
        raise _error(path[:1], f"is nested too deeply, over {MAX_DEPTH} levels")
    if isinstance(value, Mapping):
        return _object(value, path)
    if isinstance(value, (list, tuple)):
        return _list(value, path)
    if isinstance(value, float):
        return _finite(float(value), path)
    if isinstance(value, (str, int)):  # an instance of a subclass
        return value
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, decimal.Decimal):
        return _number(value, path)
    if isinstance(value, uuid.UUID):
        return str(value)
    if isinstance(value, (np.bool_, np.number)):
        return _list([value.item()], path)[0]
    raise _error(path, f"holds {type(value).__name__}, which JSON cannot hold")


def _finite(number: float, path: tuple[Any, ...]) -> float | None:
    if math.isinf(number):
        raise _error(path, f"is {number}, which JSON cannot hold")
    return None if math.isnan(number) else number


def _number(value: decimal.Decimal, path: tuple[Any, ...]) -> int | float | None:
    """Return a decimal as a number, which is an int if the decimal is whole."""
    if value.is_nan():
        return None
    number = _finite(float(value), path)
    if value == value.to_integral_value():
        return int(value)
    if decimal.Decimal(repr(number)) != value:
        raise _error(path, f"is {value}, which no JSON number equals; store it as a string")
    return number


def _error(path: tuple[Any, ...], problem: str) -> RowError:
    return RowError(".".join(map(str, path)) or "row", problem)
