"""What the toolkits share: the desk whose tables they read and change, and how results look."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field

from textgym.envs.workplace.database import Database, State, Table
from textgym.errors import ToolError
from textgym.verifiers.state import Row

__all__ = ["Desk", "Text", "lies_between", "page_of"]

_LARGEST_PAGE = 1_000_000
Text = Annotated[str, Field(coerce_numbers_to_str=True)]  # the id 252 is the text "252"


class Desk:
    """Where the tools work.

    Attributes:
        database: The tables as every episode finds them.
        state: What this episode changed in them.
        clock: The time, such as `2023-11-30 23:59:00`; it stands still.
        reply_mark: What a reply's subject begins with: nothing in WorkBench, `RE: ` in NeMo Gym.
    """

    database: Database
    state: State
    clock: str
    reply_mark: str = ""

    def table(self, name: str) -> Table:
        """Return one of the tables that tools change, as it is now."""
        return Table(self.database.records[name], self.state[name])


def page_of(name: str, rows: Sequence[Row], page: int, page_size: int) -> dict[str, Any]:
    """Return one page of what was found, and which one it is.

    Args:
        name: What was found, such as `emails`.
        rows: All that was found, at least one row.
        page: Which page, from 1; one that there is not is the nearest that there is.
        page_size: How many rows a page has.

    Raises:
        ToolError: The page size is less than 1, or very large.
    """
    if not 1 <= page_size <= _LARGEST_PAGE:
        raise ToolError(f"page_size is a number from 1 to {_LARGEST_PAGE}")
    pages = -(-len(rows) // page_size)
    page = max(1, min(page, pages))
    return {
        name: list(rows[(page - 1) * page_size : page * page_size]),
        "pagination": {
            f"total_{name}": len(rows),
            "page": page,
            "page_size": page_size,
            "total_pages": pages,
        },
    }


def lies_between(date: str | None, first: str, last: str) -> bool:
    """Tell whether a date lies between two, as texts; an empty one is no bound.

    Example:
        >>> lies_between("2023-11-30", "2023-11-01", ""), lies_between(None, "2023-11-01", "")
        (True, False)
    """
    if not first and not last:
        return True
    return date is not None and (not first or date >= first) and (not last or date <= last)
