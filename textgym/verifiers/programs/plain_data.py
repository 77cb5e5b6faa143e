"""Plain data as JSON, with tags for what JSON does not have.

This file runs in boxes too, before `in_box`. So it imports nothing but modules that are written in
C, and every version of Python that textgym supports reads it.
"""

from __future__ import annotations

import math
from _json import encode_basestring_ascii as _quoted

__all__ = ["Unplain", "as_json", "decode", "encode"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_TAGS = ("$tuple", "$set", "$frozenset", "$bytes", "$float", "$int", "$complex", "$dict")
_MAX_BITS = 64  # of an integer that is written as a JSON number
_MAX_DEPTH = 100


class Unplain(ValueError):
    """A value that is not plain data, such as a function, or not in the form of `encode`."""


def encode(value: Any, depth: int = 0) -> Any:
    """Return plain data as JSON, with tags for what JSON does not have.

    Plain data are None, bools, numbers, strings, bytes, lists, tuples, sets and dicts. Values of
    subclasses, such as a `Counter`, become values of these types.

    Raises:
        Unplain: A value is something else, or nested too deeply.

    Example:
        >>> encode([(1, 2.5), {"a": {3}}, {1: b"x"}])
        [{'$tuple': [1, 2.5]}, {'a': {'$set': [3]}}, {'$dict': [[1, {'$bytes': '78'}]]}]
        >>> decode(encode([(1, 2.5), {3}, {1: b"x"}])) == [(1, 2.5), {3}, {1: b"x"}]
        True
    """
    if depth > _MAX_DEPTH:
        raise Unplain("nested too deeply")
    if value is None or value is True or value is False:
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        number = int.__int__(value)
        return number if number.bit_length() <= _MAX_BITS else {"$int": hex(number)}
    if isinstance(value, float):
        number_ = float.__float__(value)
        return number_ if math.isfinite(number_) else {"$float": str(number_)}
    if isinstance(value, complex):
        return {"$complex": [encode(value.real), encode(value.imag)]}
    if isinstance(value, (bytes, bytearray)):
        return {"$bytes": bytes(value).hex()}
    if isinstance(value, list):
        return [encode(item, depth + 1) for item in value]
    if isinstance(value, tuple):
        return {"$tuple": [encode(item, depth + 1) for item in value]}
    if isinstance(value, (set, frozenset)):
        tag = "$set" if isinstance(value, set) else "$frozenset"
        return {tag: [encode(item, depth + 1) for item in value]}
    if isinstance(value, dict):
        if all(type(key) is str and not key.startswith("$") for key in value):
            return {key: encode(item, depth + 1) for key, item in value.items()}
        return {"$dict": [[encode(k, depth + 1), encode(v, depth + 1)] for k, v in value.items()]}
    raise Unplain(f"a value of the type {type(value).__name__} is not plain data")


def decode(value: Any) -> Any:
    """Return the plain data that `encode` turned into JSON.

    Raises:
        Unplain: The value is not in the form of `encode`.
    """
    if isinstance(value, list):
        return [decode(item) for item in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1 and next(iter(value)) in _TAGS:
        ((tag, inner),) = value.items()
        try:
            return _decode_tagged(tag, inner)
        except (TypeError, ValueError, AttributeError, OverflowError) as error:
            raise Unplain(f"{tag} has a wrong value") from error
    if any(key.startswith("$") for key in value):
        raise Unplain("an unknown tag")
    return {key: decode(item) for key, item in value.items()}


def _decode_tagged(tag: str, inner: Any) -> Any:
    if tag == "$float":
        return float(inner)
    if tag == "$int":
        return int(inner, 16)
    if tag == "$bytes":
        return bytes.fromhex(inner)
    if not isinstance(inner, list):
        raise Unplain(f"{tag} needs a list")
    items = [decode(item) for item in inner]
    if tag == "$complex":
        return complex(*items)
    if tag == "$dict":
        return dict(items)
    return {"$tuple": tuple, "$set": set, "$frozenset": frozenset}[tag](items)


def as_json(value: Any) -> str:
    """Return what `encode` gives, or a message, as JSON."""
    if value is None or value is True or value is False:
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, list):
        return f"[{','.join(map(as_json, value))}]"
    if isinstance(value, dict):
        items = (f"{_quoted(key)}:{as_json(item)}" for key, item in value.items())
        return f"{{{','.join(items)}}}"
    return repr(value)  # of an integer or a finite float
