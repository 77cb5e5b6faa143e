"""JSON values: how they are copied, compared, stored, sent, and shown.

A JSON value is None, a bool, a number, a string, or a list or dict of JSON values. The functions
differ in what they do with a value that JSON lacks:

| function | purpose | a value that JSON lacks |
| --- | --- | --- |
| `copy_json` | own a mutable value | is shared |
| `canonical_json` | compare and hash | raises |
| `encode_json`, `decode_json` | talk to a model server | raises; lone surrogates are replaced |
| `json_row` | accept a row of a data set | is converted if its JSON form is obvious, or raises |
| `encode_line`, `json_round_trip` | store an episode | becomes its `repr`, NaN becomes null |
| `readable_json` | report what happened | becomes its `repr`, long texts are cut |
| `json_text` | print for a person | becomes its `repr` |
"""

from __future__ import annotations

import contextlib
import datetime
import decimal
import json
import math
import re
import uuid
from collections.abc import Iterable, Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np
import orjson

from textgym.errors import RowError

__all__ = [
    "ATOMS", "MAX_CHARACTERS", "MAX_DEPTH", "canonical_json", "copy_json", "decode_json",
    "decode_line", "encode_json", "encode_line", "is_deeper", "json_round_trip", "json_row",
    "json_text", "readable_json", "replace_surrogates",
]  # fmt: skip

ATOMS = frozenset((str, int, float, bool, type(None)))
"""The classes of JSON values that hold no others."""

MAX_DEPTH = 100  # of nesting: far below Python's recursion limit, far beyond any real message
_PLAIN = frozenset((str, int, bool, type(None)))  # atoms that are always valid JSON


def copy_json(value: Any) -> Any:
    """Copy nested dicts and lists. Other values are shared."""
    copied: Any
    if isinstance(value, dict):
        copied = dict(value)
        items: Iterable[tuple[Any, Any]] = copied.items()
    elif isinstance(value, (list, tuple)):
        copied = list(value)
        items = enumerate(copied)
    else:
        return value
    for place, item in items:
        if item.__class__ not in ATOMS:
            copied[place] = copy_json(item)
    return copied


def is_deeper(value: Any, depth: int) -> bool:
    """Return whether lists and dicts are nested more than `depth` levels deep.

    Example:
        >>> is_deeper([[1]], 1), is_deeper([[1]], 2)
        (True, False)
    """
    if isinstance(value, dict):
        return depth == 0 or any(is_deeper(item, depth - 1) for item in value.values())
    if isinstance(value, (list, tuple)):
        return depth == 0 or any(is_deeper(item, depth - 1) for item in value)
    return False


_encode_canonical = json.JSONEncoder(
    sort_keys=True, ensure_ascii=True, separators=(",", ":"), check_circular=False
).encode


def canonical_json(value: Any) -> str:
    """Return JSON with sorted keys and no spaces. Equal values give equal texts in every process.

    Example:
        >>> canonical_json({"b": 1, "a": [2]})
        '{"a":[2],"b":1}'
    """
    return _encode_canonical(value)


def encode_json(value: Any) -> bytes:
    r"""Return a value as JSON that every server accepts.

    Servers refuse unpaired surrogates, so each becomes U+FFFD, the replacement character.

    Raises:
        ValueError: JSON cannot represent it.

    Example:
        >>> encode_json({"text": "a\ud800b"}).decode()
        '{"text": "a\\ufffdb"}'
    """
    try:
        return orjson.dumps(value)
    except TypeError:  # an unpaired surrogate, or an integer of more than 64 bits
        pass
    try:
        return json.dumps(_without_surrogates(value), allow_nan=False).encode()
    except (TypeError, RecursionError) as error:
        raise ValueError(str(error)) from None


def decode_json(data: bytes) -> Any:
    """Read JSON leniently: invalid UTF-8 and unpaired surrogates are replaced, NaN becomes None.

    Raises:
        ValueError: It is not valid JSON.

    Example:
        >>> decode_json(b'[1, NaN]')
        [1, None]
    """
    try:
        return orjson.loads(data)
    except ValueError:
        pass
    try:
        value = json.loads(data.decode("utf-8", "replace"), parse_constant=lambda name: None)
        return _without_surrogates(value)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def replace_surrogates(text: str) -> str:
    r"""Return a text in which each unpaired surrogate is replaced by U+FFFD.

    Example:
        >>> ascii(replace_surrogates("a\ud800b"))
        "'a\\ufffdb'"
    """
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _without_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return replace_surrogates(value)
    if isinstance(value, dict):
        return {_without_surrogates(key): _without_surrogates(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_without_surrogates(item) for item in value]
    return value


def json_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of a row as JSON data.

    Rows from Parquet files, hubs and callers can hold values that JSON lacks. Those with an obvious
    JSON form are converted. Dates and times become ISO 8601 strings, decimals become numbers,
    tuples become lists, UUIDs become strings, and NaN, which pandas uses for missing values,
    becomes null.

    Args:
        row: The values by field.

    Raises:
        RowError: A value cannot be converted, such as bytes, a duration, an infinite number, a
            decimal that no JSON number equals, or a key that is not a string. The error names the
            field.

    Example:
        >>> json_row({"day": datetime.date(2024, 5, 1), "price": decimal.Decimal("12.50")})
        {'day': '2024-05-01', 'price': 12.5}
        >>> json_row({"image": {"bytes": b"GIF89a"}})
        Traceback (most recent call last):
        textgym.errors.RowError: field 'image.bytes' holds bytes, which JSON cannot hold
    """
    return _row_object(row, ())


def _row_object(fields: Mapping[Any, Any], path: tuple[Any, ...]) -> dict[str, Any]:
    copied = {}
    for name, value in fields.items():
        if not isinstance(name, str):
            raise _row_error(path, f"has the key {name!r}; JSON keys are strings")
        copied[name] = value if value.__class__ in _PLAIN else _row_value(value, (*path, name))
    return copied


def _row_list(values: list[Any] | tuple[Any, ...], path: tuple[Any, ...]) -> list[Any]:
    return [
        value if value.__class__ in _PLAIN else _row_value(value, (*path, place))
        for place, value in enumerate(values)
    ]


def _row_value(value: Any, path: tuple[Any, ...]) -> Any:
    if len(path) > MAX_DEPTH:
        raise _row_error(path[:1], f"is nested too deeply, over {MAX_DEPTH} levels")
    if isinstance(value, Mapping):
        return _row_object(value, path)
    if isinstance(value, (list, tuple)):
        return _row_list(value, path)
    if isinstance(value, float):
        return _row_float(float(value), path)
    if isinstance(value, (str, int)):  # an instance of a subclass
        return value
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, decimal.Decimal):
        return _row_decimal(value, path)
    if isinstance(value, uuid.UUID):
        return str(value)
    if isinstance(value, (np.bool_, np.number)):
        return _row_list([value.item()], path)[0]
    raise _row_error(path, f"holds {type(value).__name__}, which JSON cannot hold")


def _row_float(number: float, path: tuple[Any, ...]) -> float | None:
    if math.isinf(number):
        raise _row_error(path, f"is {number}, which JSON cannot hold")
    return None if math.isnan(number) else number


def _row_decimal(value: decimal.Decimal, path: tuple[Any, ...]) -> int | float | None:
    if value.is_nan():
        return None
    number = _row_float(float(value), path)
    if value == value.to_integral_value():
        return int(value)
    if decimal.Decimal(repr(number)) != value:
        raise _row_error(path, f"is {value}, which no JSON number equals; store it as a string")
    return number


def _row_error(path: tuple[Any, ...], problem: str) -> RowError:
    return RowError(".".join(map(str, path)) or "row", problem)


_MAX_STORED_DEPTH = 200  # of nested lists and objects, which every JSON reader supports
_LONG_NUMBER = re.compile(rb"[0-9]{19}")


def encode_line(value: Any) -> bytes:
    """Return a trajectory, or any other value, as a line of JSON."""
    try:
        return orjson.dumps(value, default=_python_value, option=orjson.OPT_APPEND_NEWLINE)
    except TypeError:  # unpaired surrogates, ints of more than 64 bits, other keys, cycles
        return (json.dumps(_stored(value)) + "\n").encode()


def decode_line(line: bytes) -> Any:
    """Read what `encode_line` wrote.

    Raises:
        ValueError: It is not valid JSON.
    """
    if not _LONG_NUMBER.search(line):  # which orjson would round
        with contextlib.suppress(ValueError):
            return orjson.loads(line)
    return json.loads(line)  # which also reads unpaired surrogates


def json_round_trip(value: Any) -> Any:
    """Return a value as it will be read after it was stored.

    Example:
        >>> json_round_trip([{"price": np.float64(0.5), 3: (1, 2)}])
        [{'price': 0.5, '3': [1, 2]}]
    """
    return decode_line(encode_line(value))


def _python_value(value: Any) -> Any:
    """Return NumPy values as Python values, and everything else that is not JSON as its repr."""
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    return _repr(value)


def _repr(value: Any) -> str:
    try:
        return repr(value)
    except Exception:  # the object's own __repr__ failed, or it is nested too deeply
        return f"({type(value).__name__})"


def _stored(value: Any, parents: tuple[int, ...] = ()) -> Any:
    """Return a value as JSON values: keys become strings, cycles and great depth become "..."."""
    if isinstance(value, float) and not math.isfinite(value):
        return None  # as orjson writes it
    if value is None or isinstance(value, (str, int, float)):
        return value
    if not isinstance(value, (dict, list, tuple)):
        return _stored(_python_value(value), parents)
    if id(value) in parents or len(parents) == _MAX_STORED_DEPTH:
        return "..."
    parents = (*parents, id(value))
    if isinstance(value, dict):
        return {
            name if isinstance(name, str) else str(_python_value(name)): _stored(item, parents)
            for name, item in value.items()
        }
    return [_stored(item, parents) for item in value]


MAX_CHARACTERS = 100_000
"""The longest text that `readable_json` keeps whole, in characters."""

_MAX_READABLE_DEPTH = 60  # json.dumps fails at about a thousand; no message is nested this deep
_MAX_SHOWN = 1_000  # characters of a value that JSON lacks


def readable_json(value: Any, depth: int = 0) -> Any:
    r"""Return a value as strict JSON for people: no NaN, no lone surrogate, and it never raises.

    What JSON lacks becomes a text: its `repr` for numbers that are not finite, bytes and other
    objects, and an escape for a lone surrogate. Texts above `MAX_CHARACTERS` are cut, and say so.
    All other JSON values are unchanged.

    Args:
        value: Any value.
        depth: How many lists and objects it is in.

    Example:
        >>> readable_json({"reward": float("nan"), "said": "\ud800", 1: (b"\xff", True, 0.5)})
        {'reward': 'nan', 'said': '\\ud800', '1': ["b'\\xff'", True, 0.5]}
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _readable_text(value)
    if isinstance(value, Real):
        return _readable_number(value)
    if depth < _MAX_READABLE_DEPTH:
        if isinstance(value, Mapping):
            return {_readable_key(key): readable_json(x, depth + 1) for key, x in value.items()}
        if isinstance(value, (list, tuple)):
            return [readable_json(item, depth + 1) for item in value]
    return _readable_text(_repr(value)[:_MAX_SHOWN])


def _readable_text(text: str) -> str:
    if len(text) > MAX_CHARACTERS:
        text = f"{text[:MAX_CHARACTERS]}… ({len(text) - MAX_CHARACTERS:,} more characters)"
    return text.encode("utf-8", "backslashreplace").decode()


def _readable_number(number: Real) -> Any:
    try:
        if isinstance(number, Integral):
            whole = int(number)
            repr(whole)  # Python refuses to write integers of thousands of digits
            return whole
        real = float(number)
    except (OverflowError, TypeError, ValueError):
        return _readable_text(_repr(number)[:_MAX_SHOWN])
    return real if math.isfinite(real) else repr(real)


def _readable_key(key: Any) -> str:
    text = readable_json(key, _MAX_READABLE_DEPTH)
    return text if isinstance(text, str) else _repr(text)


def json_text(value: Any) -> str:
    """Return a value as JSON text for a person, or its `repr` if JSON lacks it.

    Example:
        >>> json_text({"name": "Zoë"}), json_text({1, 2})
        ('{"name": "Zoë"}', '{1, 2}')
    """
    try:
        return json.dumps(value, ensure_ascii=False)
    except Exception:  # a bad key, a circular reference, a type that JSON lacks
        return _repr(value)
