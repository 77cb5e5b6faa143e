"""What all formats share (the error, the limits, code fences), and the readers of JSON and TOML."""

from __future__ import annotations

import datetime
import json
import math
import re
import tomllib
from typing import Any, NoReturn

from textgym.json_values import is_deeper

__all__ = [
    "MAX_DEPTH", "MAX_LENGTH", "DocumentError", "check_depth", "document_body", "finite",
    "read_json", "read_toml",
]  # fmt: skip

MAX_LENGTH = 100_000  # characters of a document
MAX_DEPTH = 100
_OPENING = re.compile(r"(?P<fence>(?P<mark>[`~])(?P=mark){2,}+)(?P<language>[^\r\n]*)\r?\n")
_LANGUAGE = re.compile(r"[ \t]{0,20}[\w+-]{0,20}[ \t]{0,20}")


class DocumentError(ValueError):
    """A text is not exactly one document of its format; the message says why."""


def document_body(text: str, *, lenient: bool = False) -> str:
    r"""Return a text without the white space and the code fence around it.

    A fence has three or more backticks or tildes. Its end has at least as many as its beginning.

    Args:
        text: The text.
        lenient: Whether the text is returned as it is, which makes a fence a part of the document.

    Raises:
        DocumentError: The text is empty or too long, or has more than one code fence.

    Example:
        >>> document_body('\n```json\n{"a": 1}\n```\n')
        '{"a": 1}'
        >>> document_body('~~~~\r\n"~~~"\r\n~~~~')
        '"~~~"'
        >>> document_body("```\n1\n```\n```\n2\n```")
        Traceback (most recent call last):
        textgym.verifiers.documents.document.DocumentError: there is more than one code fence
    """
    if not lenient:
        text = text.strip()
    if len(text) > MAX_LENGTH:
        raise DocumentError(f"there are more than {MAX_LENGTH} characters")
    opening = None if lenient else _OPENING.match(text)
    if opening and text.endswith(opening["fence"]):
        if not _LANGUAGE.fullmatch(opening["language"]):
            raise DocumentError("there is text in the line that opens the code fence")
        text = text[opening.end() :].rstrip(opening["mark"])
        if re.search(rf"^ {{0,3}}{opening['fence']}", text, re.MULTILINE):
            raise DocumentError("there is more than one code fence")
        text = text.strip("\r\n")
    if not text.strip():
        raise DocumentError("there is no document")
    return text


def check_depth(value: Any) -> Any:
    """Return a value that is at most `MAX_DEPTH` levels deep.

    Raises:
        DocumentError: It is deeper.
    """
    if is_deeper(value, MAX_DEPTH):
        raise DocumentError(f"it is nested over {MAX_DEPTH} levels deep")
    return value


def finite(number: str) -> float:
    """Return the value of a number that is finite.

    Raises:
        DocumentError: It is not finite.
    """
    value = float(number)
    if not math.isfinite(value):
        raise DocumentError(f"the number {number[:20]} is not finite")
    return value


def read_json(text: str, *, lenient: bool = False) -> Any:
    """Return the value of a JSON document.

    Args:
        text: The text, without a code fence.
        lenient: Whether duplicate keys, NaN and numbers that are too large are accepted.

    Raises:
        DocumentError: The text is not one JSON document.

    Example:
        >>> read_json('{"a": [1, 2.5]}')
        {'a': [1, 2.5]}
        >>> read_json('{"a": 1, "a": 2}', lenient=True)
        {'a': 2}
        >>> read_json('{"a": 1, "a": 2}')
        Traceback (most recent call last):
        textgym.verifiers.documents.document.DocumentError: the key 'a' is there twice
    """
    try:
        if lenient:
            return check_depth(json.loads(text))
        return check_depth(
            json.loads(text, object_pairs_hook=_object, parse_constant=_refuse, parse_float=finite)
        )
    except DocumentError:
        raise
    except (ValueError, RecursionError) as error:
        raise DocumentError(f"it is not JSON: {str(error)[:100]}") from None


def _refuse(constant: str) -> NoReturn:
    raise DocumentError(f"JSON has no {constant}")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for key, item in pairs:
        if key in value:
            raise DocumentError(f"the key {key[:50]!r} is there twice")
        value[key] = item
    return value


def read_toml(text: str, *, lenient: bool = False) -> Any:
    r"""Return the value of a TOML document, with dates and times as strings.

    Args:
        text: The text, without a code fence.
        lenient: Whether infinity and NaN are accepted, and dates and times are kept as objects,
            which fit no JSON Schema of a string.

    Raises:
        DocumentError: The text is not one TOML document.

    Example:
        >>> read_toml('name = "Ann"\n[stay]\nfrom = 2031-05-03')
        {'name': 'Ann', 'stay': {'from': '2031-05-03'}}
    """
    try:
        if lenient:
            return check_depth(tomllib.loads(text))
        return _with_iso_dates(check_depth(tomllib.loads(text, parse_float=finite)))
    except DocumentError:
        raise
    except (ValueError, RecursionError) as error:
        raise DocumentError(f"it is not TOML: {str(error)[:100]}") from None


def _with_iso_dates(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _with_iso_dates(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_with_iso_dates(item) for item in value]
    return value.isoformat() if isinstance(value, (datetime.date, datetime.time)) else value
