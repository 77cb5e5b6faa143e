"""JSON as model servers send and accept it; encoding and decoding are fast in the common case.

Invariant: no unpaired surrogate is encoded or decoded, because servers refuse surrogates and files
cannot hold them. Each is replaced by U+FFFD, the replacement character.
"""

from __future__ import annotations

import json
from typing import Any

import orjson

__all__ = ["as_json", "decode", "encode", "replace_surrogates"]


def encode(value: Any) -> bytes:
    r"""Return a value as JSON.

    Raises:
        ValueError: JSON cannot represent it.

    Example:
        >>> encode({"text": "a\ud800b"}).decode()
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


def decode(data: bytes) -> Any:
    """Read JSON leniently: invalid UTF-8 and unpaired surrogates are replaced, NaN becomes None.

    Raises:
        ValueError: It is not valid JSON.

    Example:
        >>> decode(b'[1, NaN]')
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


def as_json(value: Any) -> str:
    """Return a value as JSON, for a message.

    Example:
        >>> as_json({"a": 1})
        '{"a":1}'
    """
    try:
        return encode(value).decode()
    except ValueError:
        return "(nested too deeply to show)"


def replace_surrogates(text: str) -> str:
    r"""Return a text in which each unpaired surrogate is replaced by U+FFFD.

    Example:
        >>> ascii(replace_surrogates("a\ud800b"))
        "'a\\ufffdb'"
    """
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _without_surrogates(value: Any) -> Any:
    """Copy nested dicts and lists, with unpaired surrogates replaced in all strings."""
    if isinstance(value, str):
        return replace_surrogates(value)
    if isinstance(value, dict):
        return {_without_surrogates(key): _without_surrogates(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_without_surrogates(item) for item in value]
    return value
