"""Checks of the arguments of `OpenAIPolicy`, which raise a `UsageError`."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from textgym.errors import UsageError
from textgym.json_values import encode_json

__all__ = [
    "KEY_VARIABLE", "check_numbers", "check_switches", "checked_body", "checked_key", "checked_url",
]  # fmt: skip

KEY_VARIABLE = "OPENAI_API_KEY"


def check_switches(**switches: Any) -> None:
    """Raise unless each is true or false."""
    for name, value in switches.items():
        if not isinstance(value, bool):
            raise UsageError(f"{name} must be true or false, not {value!r}")


def check_numbers(**numbers: Any) -> None:
    """Raise unless each number is in the range of its name."""
    for name, value in numbers.items():
        minimum = 0 if name == "retries" else 1 if name == "concurrency" else None
        if value is None and name in ("concurrency", "requests_per_minute"):
            continue
        if minimum is not None:
            is_valid = type(value) is int and value >= minimum
            rule = f"an integer, {minimum} or more"
        else:
            is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
            is_valid, rule = is_number and 0 < value < math.inf, "a number greater than 0"
        if not is_valid:
            raise UsageError(f"{name} must be {rule}, not {value!r}")


def checked_url(url: str) -> str:
    """Return an address without a trailing slash; it must be a base URL."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise UsageError(f"{url!r} is not a valid address: {error}") from None
    if parts.username is not None:
        raise UsageError(
            f"the address must not contain a user or password: set {KEY_VARIABLE} instead"
        )
    if parts.scheme not in ("http", "https") or not host or parts.query or parts.fragment:
        raise UsageError(f"{url!r} is not a base URL such as http://127.0.0.1:8000/v1")
    return url.rstrip("/")


def checked_key(api_key: str | None, source: str) -> str:
    """Return the API key, by default from the environment variable.

    Args:
        api_key: The key, or None.
        source: Where it comes from, for the error.
    """
    key = (os.environ.get(KEY_VARIABLE, "") if api_key is None else api_key).strip()
    if not (key.isascii() and key.isprintable()):
        raise UsageError(f"the key in {source} has a character that is not allowed in a key")
    return key


def checked_body(extra: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return additional fields of a body, which must be JSON."""
    if extra is not None and not isinstance(extra, Mapping):
        raise UsageError(f"extra_body must be an object of fields and values, not {extra!r}")
    body = dict(extra or {})
    try:
        encode_json(body)
    except ValueError as error:
        raise UsageError(f"extra_body cannot be sent as JSON: {error}") from None
    return body
