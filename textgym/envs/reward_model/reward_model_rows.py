"""Rows of preferences, in the forms that trainers of reward models use, as tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from textgym.errors import RowError
from textgym.messages import Message, text_of, user
from textgym.tasks import nemo_rows
from textgym.tasks.task import Task

__all__ = ["RewardModelTask", "read_preference_row"]


@dataclass(frozen=True, slots=True)
class RewardModelTask(Task):
    """A task whose answer is the chosen reply; "" if the row has none.

    Attributes:
        rejected: The rejected reply; "" if the row has none.
    """

    rejected: str = ""


def read_preference_row(row: Mapping[str, Any], *, needs_chosen: bool) -> RewardModelTask:
    """Return the task of a row.

    Args:
        row: The row.
        needs_chosen: Whether the reward needs the chosen reply.

    Raises:
        RowError: The row is not valid; the error names the field.
    """
    replies = {}
    conversations = {}
    for field in ("chosen", "rejected"):
        value = row.get(field)
        if value is None:
            replies[field] = ""
        elif isinstance(value, str):
            replies[field] = value.strip()
        else:
            *conversations[field], last = nemo_rows.messages_of(value, field)
            if last["role"] != "assistant":
                raise RowError(field, "must end with a message of the assistant")
            replies[field] = text_of(last).strip()
    chosen, rejected = replies["chosen"], replies["rejected"]
    if needs_chosen and not chosen:
        raise RowError("chosen", "is missing or empty; pass reward_model= for rows without it")
    if chosen and chosen == rejected:
        raise RowError("rejected", "is the same as chosen")
    prompt = tuple(_prompt(row, [*conversations.values()]))
    return RewardModelTask(row["id"], prompt, chosen, None, dict(row), rejected)


def _prompt(row: Mapping[str, Any], conversations: Sequence[list[Message]]) -> list[Message]:
    """Return the row's prompt; without one, what comes before both replies."""
    if nemo_rows.has_prompt(row):
        return nemo_rows.prompt_of(row)
    value = row.get("prompt")
    if isinstance(value, str) and value.strip():
        return [user(value)]
    if value is not None and not isinstance(value, str):
        return nemo_rows.messages_of(value, "prompt")
    if conversations and conversations[0] and conversations[0] == conversations[-1]:
        return conversations[0]
    raise RowError("prompt", "is missing or empty, and chosen and rejected do not begin with one")
