"""One task: its prompt, its answer, and the row that it is made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from textgym.messages import Message, ToolSchema

__all__ = ["Task", "with_id"]


@dataclass(frozen=True, slots=True)
class Task:
    """One task.

    Attributes:
        id: The id of the task within its environment.
        messages: The prompt, including any system message.
        answer: The correct answer. It is never shown.
        tools: The schemas of the tools that may be called; None for all tools of the environment.
        row: The row that the task was made from.
    """

    id: str
    messages: tuple[Message, ...]
    answer: Any
    tools: tuple[ToolSchema, ...] | None = None
    row: Mapping[str, Any] = field(default_factory=dict)


def with_id(row: Mapping[str, Any], otherwise: str) -> dict[str, Any]:
    """Return the row with an `id`: its own, else its `uuid`, else the given one."""
    name = row.get("id")
    if name is None or name == "":
        name = row.get("uuid") or otherwise
    return {**row, "id": str(name)}
