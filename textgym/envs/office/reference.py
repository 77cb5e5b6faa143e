"""Reading the reference calls of a row: each is a tool's name and its arguments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from textgym.errors import RowError, ToolError
from textgym.tools import Toolbox, arguments_of

__all__ = ["Call", "read_calls"]

Call = tuple[str, dict[str, Any]]


def read_calls(given: Any, field: str, toolbox: Toolbox) -> list[Call]:
    """Return calls with validated arguments.

    Args:
        given: The calls as a row has them, each with `name` and `arguments`.
        field: The field of the row.
        toolbox: The tools.

    Raises:
        RowError: They are not valid calls of these tools.

    Example:
        >>> from textgym.envs.office.company.reference import toolbox
        >>> read_calls([{"name": "email_sned"}], "calls", toolbox())
        Traceback (most recent call last):
        textgym.errors.RowError: field 'calls.0.name' must be the name of a tool, not 'email_sned'
    """
    if not isinstance(given, list):
        raise RowError(field, f"must be a list of calls, not {given!r:.100}")
    return [_call(item, f"{field}.{place}", toolbox) for place, item in enumerate(given)]


def _call(item: Any, field: str, toolbox: Toolbox) -> Call:
    name = item.get("name") if isinstance(item, Mapping) else None
    if not isinstance(name, str) or name not in toolbox.tools:
        raise RowError(f"{field}.name", f"must be the name of a tool, not {name!r:.100}")
    try:
        arguments = dict(arguments_of(name, item.get("arguments")))
        toolbox.tools[name].read_arguments(arguments)
    except ToolError as error:
        raise RowError(f"{field}.arguments", f"are not valid: {error}") from None
    return name, arguments
