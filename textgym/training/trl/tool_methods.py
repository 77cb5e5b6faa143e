"""Tools as methods, from whose signature and docstring transformers derives the tools' schemas.

Invariants: the derived schema has the tool's name and description, and the parameters' names,
types, descriptions and choices, and says which are required.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import reduce
from operator import or_
from typing import Any, Literal

from textgym.errors import UsageError
from textgym.messages import ToolSchema

__all__ = ["check_derived", "tool_method"]

_TYPES: dict[str, Any] = {
    "string": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "object": dict,
    "array": list,
    "null": None,
}
_NOT_DERIVED = ("additionalProperties", "default", "title", "minimum", "maximum")


def tool_method(tool: ToolSchema, call: Callable[[Any, str, dict[str, Any]], str]) -> Any:
    """Return a method that is a tool.

    Args:
        tool: The tool's schema.
        call: Called with the object, the tool's name and the arguments; returns the result.

    Raises:
        UsageError: transformers cannot derive the schema from any signature.

    Example:
        >>> tool = {"type": "function", "function": {"name": "echo", "description": "Repeat it.",
        ...         "parameters": {"type": "object", "properties": {"text": {"type": "string",
        ...         "description": "What to repeat."}}, "required": ["text"]}}}
        >>> method = tool_method(tool, lambda self, name, arguments: arguments["text"])
        >>> print(method.__doc__)
        Repeat it.
        <BLANKLINE>
        Args:
            text: What to repeat.
    """
    function = tool["function"]
    name = function["name"]
    parameters = function["parameters"]
    properties = parameters.get("properties", {})

    def method(self: Any, /, **arguments: Any) -> str:
        return call(self, name, arguments)

    hints = {item: _type_of(schema, name) for item, schema in properties.items()}
    required = parameters.get("required", [])
    method.__name__ = method.__qualname__ = name
    method.__annotations__ = dict(hints)
    method.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY),
            *(
                inspect.Parameter(
                    item,
                    inspect.Parameter.KEYWORD_ONLY,
                    default=inspect.Parameter.empty if item in required else None,
                    annotation=hint,
                )
                for item, hint in hints.items()
            ),
        ]
    )
    lines = [f"    {item}: {schema.get('description', '')}" for item, schema in properties.items()]
    method.__doc__ = "\n".join([function["description"], *(["", "Args:"] if lines else []), *lines])
    return method


def check_derived(tool: ToolSchema, method: Any) -> None:
    """Raise unless transformers derives the schema of a tool from its method.

    Bounds and defaults have no place in a signature, so the environment alone knows them.

    Raises:
        UsageError: It derives another one.
    """
    from transformers.utils import chat_template_utils

    function = tool["function"]
    try:
        derived = chat_template_utils.get_json_schema(method)["function"]
    except (
        chat_template_utils.DocstringParsingException,
        chat_template_utils.TypeHintParsingException,
    ) as error:
        raise UsageError(
            f"the tool {function['name']!r} cannot be a method: {error}; use Episodes.rollout_func"
        ) from error
    for part in ("name", "description", "parameters"):
        wanted, found = _comparable(function[part]), _comparable(derived[part])
        if wanted != found:
            raise UsageError(
                f"the tool {function['name']!r} cannot be a method: its {part} would be shown as "
                f"{found!r:.200}, not {wanted!r:.200}; use Episodes.rollout_func"
            )


def _type_of(schema: dict[str, Any], tool: str) -> Any:
    """Return the type hint of a parameter."""
    if "enum" in schema:
        return Literal[tuple(schema["enum"])]
    if "anyOf" in schema:
        return reduce(or_, (_type_of(option, tool) for option in schema["anyOf"]))
    kind: Any = schema.get("type")
    kinds = kind if isinstance(kind, list) else [kind]
    if any(item not in _TYPES for item in kinds):
        raise UsageError(
            f"the tool {tool!r} cannot be a method: {schema!r:.200} has no type that a signature "
            "can have; use Episodes.rollout_func"
        )
    if kind == "array" and "items" in schema:
        return list[_type_of(schema["items"], tool)]  # type: ignore[misc]
    return reduce(or_, (_TYPES[item] for item in kinds))


def _comparable(schema: Any) -> Any:
    """Return a schema in the form in which two are compared."""
    if isinstance(schema, list):
        return [_comparable(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    schema = {
        key: value for key, value in schema.items() if key not in _NOT_DERIVED and value != ""
    }
    options = schema.pop("anyOf", None)
    if options is not None:
        kept = [option for option in options if option != {"type": "null"}]
        schema |= {"anyOf": kept} if len(kept) > 1 else kept[0]
        schema |= {"nullable": True} if len(kept) < len(options) else {}
    if "required" in schema:
        schema["required"] = sorted(schema["required"])
    return {key: _comparable(value) for key, value in schema.items()}
