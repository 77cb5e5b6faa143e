"""The leaves of documents, and how many of a record's leaves a document has.

A leaf is a value that is not an object or an array, or that is an empty one. Its path is made of
the keys and indices that lead to it.

Invariant: what `share_read` counts cannot be taken from the schema, and no value is right at a path
where the record has another one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from textgym.core.partial_credit import share_done
from textgym.verifiers.exact import equal_json

__all__ = ["leaf_share", "share_read"]

Path = tuple[Any, ...]


def leaf_share(record: Any, value: Any) -> float:
    """Return the share of correct leaves. Superfluous leaves lower it.

    Args:
        record: The right value.
        value: A value that a document has.

    Example:
        >>> leaf_share({"name": "Ann", "nights": 12}, {"name": "Ann", "nights": 2})
        0.5
    """
    expected, actual = dict(_leaves(record)), dict(_leaves(value))
    return len(_right(expected, actual)) / max(len(expected), len(actual))


def share_read(record: Any, value: Any, schema: Any) -> float:
    """Return the share of the record's leaves that were read from the text.

    Leaves that a policy can guess are not counted: null, true, false, zero, what is empty, and
    every value that stands in the schema, such as the values of an enum. Each leaf of the value
    that is not in the record cancels a right one.

    Args:
        record: The right value.
        value: A value that a document has.
        schema: The schema of both.

    Example:
        >>> schema = {"properties": {"room": {"enum": ["single", "double"]}}}
        >>> record = {"name": "Ann", "nights": 12, "room": "double"}
        >>> share_read(record, {"name": "Ann", "nights": 12, "room": "double"}, schema)
        1.0
        >>> share_read(record, {"name": "Ann", "room": "double"}, schema)
        0.5
        >>> share_read(record, {"name": "Ann", "room": "single"}, schema)
        0.0
    """
    expected, actual = dict(_leaves(record)), dict(_leaves(value))
    right = _right(expected, actual)
    stated = {leaf for _, leaf in _leaves(schema) if type(leaf) in (str, int, float)}
    counted = {
        path for path, leaf in expected.items() if leaf and leaf is not True and leaf not in stated
    }
    return share_done(len(right & counted), len(actual) - len(right), len(counted) or 1)


def _right(expected: Mapping[Path, Any], actual: Mapping[Path, Any]) -> set[Path]:
    """Return the paths at which two documents have equal leaves."""
    both = expected.keys() & actual.keys()
    return {path for path in both if equal_json(expected[path], actual[path])}


def _leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield the path and the value of each leaf."""
    if not value or not isinstance(value, (Mapping, list)):
        yield path, value
        return
    for key, item in value.items() if isinstance(value, Mapping) else enumerate(value):
        yield from _leaves(item, (*path, key))
