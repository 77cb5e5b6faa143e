"""Reading the fields of a record.

Invariant: a field that is missing or not valid raises `RowError`, which names it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from textgym.errors import RowError

__all__ = [
    "Record", "Row", "nullable_text", "optional_text", "own_id", "required", "text_of", "texts_of",
]  # fmt: skip

Record = Mapping[str, Any]
Row = dict[str, Any]


def required(record: Record, field: str) -> Any:
    """Return the value of a field, which must not be missing or null.

    Example:
        >>> required({"answer": 0}, "answer")
        0
    """
    value = record.get(field)
    if value is None:
        raise RowError(field, "is missing")
    return value


def text_of(record: Record, field: str) -> str:
    """Return the string of a field, which must not be missing or blank.

    Example:
        >>> text_of({"question": " "}, "question")
        Traceback (most recent call last):
        textgym.errors.RowError: field 'question' must be a non-blank string, not ' '
    """
    text = required(record, field)
    if not isinstance(text, str) or not text.strip():
        raise RowError(field, f"must be a non-blank string, not {text!r:.100}")
    return text


def optional_text(record: Record, field: str) -> str | None:
    """Return the string of a field, or None if it is missing, null or empty.

    Example:
        >>> optional_text({"unit": ""}, "unit")
    """
    return text_of(record, field) if record.get(field) not in (None, "") else None


def nullable_text(record: Record, field: str) -> str | None:
    """Return the string of a field, or None if it is null or empty. It must not be missing.

    Example:
        >>> nullable_text({}, "answer")
        Traceback (most recent call last):
        textgym.errors.RowError: field 'answer' is missing
    """
    return optional_text(record, field) if field in record else text_of(record, field)


def texts_of(record: Record, field: str) -> list[str]:
    """Return the strings in a field, which must be a list of strings.

    Example:
        >>> texts_of({"choices": ["neon", "zinc"]}, "choices")
        ['neon', 'zinc']
    """
    texts = required(record, field)
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise RowError(field, f"must be a list of strings, not {texts!r:.100}")
    return texts


def own_id(record: Record, number: int, *fields: str) -> str:
    """Return the first of some fields that is not null, or else the number of the record.

    Example:
        >>> own_id({"id": None, "idx": 3}, 7, "id", "idx"), own_id({}, 7, "id")
        ('3', '7')
    """
    found = (record[field] for field in fields if record.get(field) is not None)
    return str(next(found, number))
