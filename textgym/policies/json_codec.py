"""JSON as model servers take and give it, in both directions quick in the common case.

What always holds: no half surrogate pair goes out or comes in, for servers refuse them and files
cannot hold them; each becomes U+FFFD, the sign for a character that could not be read.
"""

from __future__ import annotations

import json
from typing import Any

import orjson

__all__ = ["decode", "encode", "whole_text"]


def encode(value: Any) -> bytes:
    r"""Return a value as JSON.

    Raises:
        ValueError: It holds what JSON cannot hold.

    Example:
        >>> encode({"text": "a\ud800b"}).decode()
        '{"text": "a\\ufffdb"}'
    """
    try:
        return orjson.dumps(value)
    except TypeError:  # half a surrogate pair, or a number of more than 64 bits
        pass
    try:
        return json.dumps(_mended(value), allow_nan=False).encode()
    except (TypeError, RecursionError) as error:
        raise ValueError(str(error)) from None


def decode(data: bytes) -> Any:
    """Read JSON, and what is nearly JSON: broken UTF-8, half surrogate pairs, NaN (read as None).

    Raises:
        ValueError: It is no JSON.

    Example:
        >>> decode(b'[1, NaN]')
        [1, None]
    """
    try:
        return orjson.loads(data)
    except ValueError:
        pass
    try:
        read = json.loads(data.decode("utf-8", "replace"), parse_constant=lambda name: None)
        return _mended(read)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def whole_text(text: str) -> str:
    r"""Return a text with whole characters alone.

    Example:
        >>> ascii(whole_text("a\ud800b"))
        "'a\\ufffdb'"
    """
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _mended(value: Any) -> Any:
    """Copy nested dicts and lists with whole characters alone in their texts."""
    if isinstance(value, str):
        return whole_text(value)
    if isinstance(value, dict):
        return {_mended(key): _mended(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_mended(item) for item in value]
    return value
