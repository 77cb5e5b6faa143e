"""Validation of any value by any JSON Schema.

Invariants:

- References outside the schema are not followed, so nothing is fetched.
- The regular expressions of a schema share one time limit (see `patterns`).
- `format` is an annotation and does not check anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from functools import cache
from typing import Any

from textgym.verifiers.patterns import PatternSearch

__all__ = ["fits", "problem_of"]

_search: ContextVar[PatternSearch] = ContextVar("the searches of a call of fits")


def fits(value: Any, schema: Any) -> bool:
    """Return whether a value fits a JSON Schema of draft 2020-12.

    No value fits a schema that is broken or has an unresolvable reference.

    Args:
        value: JSON data.
        schema: The schema. It is not checked first, because that would take milliseconds.

    Example:
        >>> schema = {"type": "object", "properties": {"n": {"$ref": "#/$defs/count"}},
        ...           "$defs": {"count": {"type": "integer", "minimum": 0}}}
        >>> fits({"n": 5}, schema), fits({"n": -5}, schema), fits({"n": True}, schema)
        (True, False, False)
    """
    validator_class, registry = _validator_class()
    token = _search.set(PatternSearch())
    try:
        return bool(validator_class(schema, registry=registry).is_valid(value))
    except ImportError:
        raise
    except Exception:  # a broken schema can raise any exception in jsonschema
        return False
    finally:
        _search.reset(token)


def problem_of(value: Any, schema: Any) -> str:
    """Return in one line why a value does not fit a JSON Schema; "" if it fits.

    A schema that is broken is not checked.

    Example:
        >>> schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
        >>> problem_of({"n": "five"}, schema), problem_of({}, schema), problem_of({"n": 5}, schema)
        ("n: 'five' is not of type 'integer'", "'n' is a required property", '')
    """
    validator_class, registry = _validator_class()
    token = _search.set(PatternSearch())
    try:
        for error in validator_class(schema, registry=registry).iter_errors(value):
            place = ".".join(map(str, error.absolute_path))
            return f"{place}: {error.message}" if place else str(error.message)
    except ImportError:
        raise
    except Exception:  # a broken schema can raise any exception in jsonschema
        return ""
    finally:
        _search.reset(token)
    return ""


@cache
def _validator_class() -> tuple[Any, Any]:
    """Return the class of validators and an empty registry."""
    from jsonschema import Draft202012Validator
    from jsonschema.validators import extend
    from referencing import Registry

    keywords: Any = {"pattern": _pattern, "uniqueItems": _unique_items}
    return extend(Draft202012Validator, keywords), Registry()


def _pattern(validator: Any, pattern: Any, value: Any, schema: Any) -> Iterator[Any]:
    from jsonschema import ValidationError

    if isinstance(value, str) and _search.get().last_match(value, pattern) is None:
        yield ValidationError("it does not match")


def _unique_items(validator: Any, unique: Any, value: Any, schema: Any) -> Iterator[Any]:
    """Compare the items by their hashes, in linear time."""
    from jsonschema import ValidationError

    if unique and isinstance(value, list) and len({*map(_frozen, value)}) < len(value):
        yield ValidationError("it has an item twice")


def _frozen(value: Any) -> Any:
    """Return a hashable value that is equal only for equal JSON values."""
    if isinstance(value, Mapping):
        return frozenset((key, _frozen(item)) for key, item in value.items())
    if isinstance(value, list):
        return ("array", *map(_frozen, value))
    return ("boolean", value) if isinstance(value, bool) else value
