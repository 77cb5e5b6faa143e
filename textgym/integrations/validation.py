"""Checks of what models and servers send to guests: calls of tools, and numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from textgym.errors import ToolError
from textgym.messages import ToolSchema
from textgym.tools import arguments_of
from textgym.verifiers.json_schema import problem_of

__all__ = ["call_problem", "is_finite"]


def call_problem(
    function: Mapping[str, Any], tools: Iterable[ToolSchema], *, only_schema: bool = False
) -> str:
    """Return why a call of a model is not passed to a guest; "" if it is.

    Args:
        function: The name and the arguments, as the model wrote them.
        tools: The tools of the task.
        only_schema: Whether unknown tools, and arguments that are not JSON, are passed.

    Example:
        >>> call_problem({"name": "add", "arguments": "{}"}, [])
        "there is no tool 'add'; the tools are: none"
    """
    name = function["name"]
    offered = {tool["function"]["name"]: tool["function"] for tool in tools}
    if name not in offered:
        known = ", ".join(offered) or "none"
        no_tool = f"there is no tool {name[:100]!r}; the tools are: {known}"
        return "" if only_schema else no_tool
    try:
        arguments = arguments_of(name, function.get("arguments"))
    except ToolError as error:
        return "" if only_schema else str(error)
    schema: Mapping[str, Any] = offered[name].get("parameters") or {}
    problem = problem_of(arguments, schema)[:200]
    if not problem and "additionalProperties" not in schema:  # functions of Python take no others
        extra = sorted({*arguments} - {*schema.get("properties", arguments)})
        problem = f"there is no argument {extra[0]!r:.100}" if extra else ""
    return f"wrong arguments for {name!r}: {problem}" if problem else ""


def is_finite(value: Any) -> bool:
    """Return whether a value of a reply is a finite number.

    Example:
        >>> is_finite(0.5), is_finite(10**400), is_finite("1.0")
        (True, False, False)
    """
    try:
        return isinstance(value, (int, float)) and math.isfinite(value)
    except OverflowError:
        return False
