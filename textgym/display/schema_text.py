"""JSON schemas of tools in plain words: what an argument is, and whether it must be given.

Schemas come from rows too, so no value, however odd, raises.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

__all__ = ["argument_lines", "type_name"]

_MOST_DEEP = 5


def argument_lines(parameters: Any) -> list[tuple[str, str, str]]:
    """Return for each argument its name, its kind, and its description.

    Args:
        parameters: A function's `parameters`.

    Example:
        >>> days = {"type": "integer", "default": 1}
        >>> argument_lines({"properties": {"city": {"type": "string"}, "days": days},
        ...                 "required": ["city"]})
        [('city', 'string, required', ''), ('days', 'integer, default 1', '')]
    """
    schema = parameters if isinstance(parameters, Mapping) else {}
    properties = schema.get("properties")
    required = schema.get("required")
    lines = []
    for name, about in properties.items() if isinstance(properties, Mapping) else ():
        about = about if isinstance(about, Mapping) else {}
        must = isinstance(required, (list, tuple)) and name in required
        default = f"default {_json(about['default'])}" if "default" in about else "optional"
        kind = type_name(about, schema.get("$defs"))
        kind = ", ".join(filter(None, (kind, "required" if must else default)))
        told = about.get("description")
        told = " ".join(told.split()) if isinstance(told, str) else ""
        lines.append((name if isinstance(name, str) else _json(name), kind, told))
    return lines


def type_name(schema: Any, definitions: Any = None, depth: int = 0) -> str:
    """Say what a value is; "" where the schema does not tell.

    Args:
        schema: A JSON schema.
        definitions: What its references name.
        depth: How deep it lies in another.

    Example:
        >>> type_name({"anyOf": [{"type": "array", "items": {"type": "string"}},
        ...                      {"type": "null"}]})
        'array of string or null'
        >>> type_name({"enum": ["north", "south"]})
        '"north" or "south"'
    """
    if not isinstance(schema, Mapping) or depth > _MOST_DEEP:
        return ""
    reference = schema.get("$ref")
    if isinstance(reference, str):
        known = definitions if isinstance(definitions, Mapping) else {}
        return type_name(known.get(reference.rpartition("/")[2]), definitions, depth + 1)
    if isinstance(schema.get("enum"), (list, tuple)):
        return " or ".join(_json(value) for value in schema["enum"])
    if "const" in schema:
        return _json(schema["const"])
    for key in ("anyOf", "oneOf"):
        if isinstance(schema.get(key), (list, tuple)):
            names = (type_name(item, definitions, depth + 1) for item in schema[key])
            return " or ".join(dict.fromkeys(filter(None, names)))
    kind = schema.get("type")
    if isinstance(kind, (list, tuple)):
        return " or ".join(item for item in kind if isinstance(item, str))
    if kind == "array":
        inner = type_name(schema.get("items"), definitions, depth + 1)
        return f"array of {inner}" if inner else "array"
    return kind if isinstance(kind, str) else ""


def _json(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except Exception:  # an odd key, a circle, what JSON does not know
        return f"({type(value).__name__})"
