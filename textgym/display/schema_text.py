"""JSON schemas of tool arguments in words: type, default, and whether required.

Schemas may come from a data set, so no value raises, however malformed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from textgym.json_values import json_text

__all__ = ["argument_lines", "type_name"]

MAX_DEPTH = 5


def argument_lines(parameters: Any) -> list[tuple[str, str, str]]:
    """Return the name, the type and the description of each argument.

    Args:
        parameters: The `parameters` of a function.

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
    for name, argument in properties.items() if isinstance(properties, Mapping) else ():
        argument = argument if isinstance(argument, Mapping) else {}
        is_required = isinstance(required, (list, tuple)) and name in required
        default = (
            f"default {json_text(argument['default'])}" if "default" in argument else "optional"
        )
        kind = type_name(argument, schema.get("$defs"))
        kind = ", ".join(filter(None, (kind, "required" if is_required else default)))
        description = argument.get("description")
        description = " ".join(description.split()) if isinstance(description, str) else ""
        lines.append((name if isinstance(name, str) else json_text(name), kind, description))
    return lines


def type_name(schema: Any, definitions: Any = None, depth: int = 0) -> str:
    """Return the type of a value in words; "" if the schema does not say.

    Args:
        schema: A JSON schema.
        definitions: The schemas that its references name.
        depth: How deeply it is nested in another schema.

    Example:
        >>> type_name({"anyOf": [{"type": "array", "items": {"type": "string"}},
        ...                      {"type": "null"}]})
        'array of string or null'
        >>> type_name({"enum": ["north", "south"]})
        '"north" or "south"'
    """
    if not isinstance(schema, Mapping) or depth > MAX_DEPTH:
        return ""
    reference = schema.get("$ref")
    if isinstance(reference, str):
        known = definitions if isinstance(definitions, Mapping) else {}
        return type_name(known.get(reference.rpartition("/")[2]), definitions, depth + 1)
    if isinstance(schema.get("enum"), (list, tuple)):
        return " or ".join(json_text(value) for value in schema["enum"])
    if "const" in schema:
        return json_text(schema["const"])
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
