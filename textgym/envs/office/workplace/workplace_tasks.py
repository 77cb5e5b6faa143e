"""Reading the rows of `WorkplaceAssistant`: textgym's and NeMo Gym's."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from textgym.envs.office.company.reference import company_calls, opening, read_clock
from textgym.envs.office.reference import OfficeTask, read_query
from textgym.errors import RowError
from textgym.messages import Message
from textgym.tasks import nemo_rows
from textgym.verifiers.state import read_instant

__all__ = ["WORKBENCH_CLOCK", "WorkplaceTask", "read_task"]

WORKBENCH_CLOCK = "2023-11-30 23:59:00"
NEMO_GYM_REPLY_MARK = "RE: "
_OPENING = """\
You are an assistant in an office. You have tools for e-mail, the calendar, the analytics of the \
company's site, project management and customers; use them to do what the user asks, and then say \
in a sentence what you did. It is {day}, {clock}. Meetings begin at 9:00 at the earliest and end \
at 18:00 at the latest."""
_CLOCK = re.compile(r"(\d{4}-\d{2}-\d{2})\D{1,40}?(\d{2}:\d{2}(?::\d{2})?)")


@dataclass(frozen=True, slots=True)
class WorkplaceTask(OfficeTask):
    """A task of `WorkplaceAssistant`.

    Attributes:
        reply_mark: The prefix of a reply's subject.
    """

    reply_mark: str = ""


def read_task(row: Mapping[str, Any]) -> WorkplaceTask:
    """Read one of textgym's flat rows, or one of NeMo Gym's.

    Raises:
        RowError: A field is missing or not valid.
    """
    prompt: Sequence[Message]
    if nemo_rows.has_prompt(row):
        prompt, tools = nemo_rows.prompt_of(row), nemo_rows.tools_of(row)
        clock, reply_mark = clock_in(prompt), NEMO_GYM_REPLY_MARK
    else:
        clock, reply_mark, tools = read_clock(row), "", None
        prompt = opening(_OPENING, clock, read_query(row))
    world = row.get("world")
    if world is not None and type(world) is not int:
        raise RowError("world", f"must be an integer, not {world!r}")
    return WorkplaceTask(
        row["id"],
        tuple(prompt),
        company_calls(row, "ground_truth"),
        tools,
        row,
        world=world,
        clock=clock,
        look_ups=tuple(company_calls(row, "look_ups", optional=True)),
        reply_mark=reply_mark,
    )


def clock_in(prompt: Sequence[Message]) -> str:
    """Return the time that a prompt states, or WorkBench's time.

    Example:
        >>> clock_in([{"role": "system", "content": "It is 2024-01-08, at 08:30."}])
        '2024-01-08 08:30:00'
    """
    for message in prompt:
        content = message.get("content")
        match = _CLOCK.search(content) if isinstance(content, str) else None
        if match and (instant := read_instant(f"{match[1]} {match[2]}")):
            return instant.isoformat(" ", "seconds")
    return WORKBENCH_CLOCK
