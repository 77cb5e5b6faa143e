"""What toolkits share: access to the tables, checks of arguments, and pages of results.

A tool that cannot carry out a call raises `ToolError` and changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import time
from typing import Annotated, Any

from pydantic import AfterValidator, Field, StringConstraints

from textgym.envs.office.databases import SharedDatabase, Table
from textgym.errors import ToolError
from textgym.verifiers.state import Row, read_instant

__all__ = [
    "Text", "Toolkit", "check_address", "date_text", "lies_between", "not_found", "one_of",
    "page_of", "require",
]  # fmt: skip

MAX_PAGE_SIZE = 1_000_000
_BLANKS = str.maketrans(dict.fromkeys("\u00a0\u2007\u2009\u202f", " "))
Text = Annotated[
    str,
    StringConstraints(strip_whitespace=True),
    Field(coerce_numbers_to_str=True),
    AfterValidator(lambda text: text.translate(_BLANKS)),
]
"""A string argument without the white space around it, and with plain spaces for no-break ones. A
number is read as a string: the id 252 is "252"."""
_ADDRESS = re.compile(r"[a-z0-9._%+'-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)*", re.IGNORECASE)


class Toolkit:
    """The base class of the toolkits.

    Attributes:
        database: The tables at the start of the episode.
    """

    database: SharedDatabase

    def table(self, name: str) -> Table:
        """Return the current content of a table that tools can change."""
        raise NotImplementedError

    def _row(self, table: str, kind: str, row_id: str) -> Row:
        """Return the row of a table with an id.

        Raises:
            ToolError: No row has this id.
        """
        row = self.table(table).get(row_id)
        if row is None:
            raise not_found(kind, row_id)
        return row

    def _delete(self, table: str, kind: str, row_id: str) -> str:
        """Delete the row of a table with an id, and return the result of the tool.

        Raises:
            ToolError: No row has this id.
        """
        if not self.table(table).delete(row_id):
            raise not_found(kind, row_id)
        return f"The {kind} was deleted."


def require(**arguments: str) -> None:
    """Check that no argument is empty.

    Raises:
        ToolError: An argument is empty.
    """
    missing = [name for name, value in arguments.items() if not value]
    if missing:
        raise ToolError(f"missing: {', '.join(missing)}")


def one_of(name: str, value: str, allowed: Iterable[str]) -> None:
    """Check that an argument has one of the allowed values.

    Raises:
        ToolError: It has another one.
    """
    known = tuple(allowed)
    if value not in known:
        raise ToolError(f"{name} cannot be {value[:100]!r}; use one of: {', '.join(known)}")


def check_address(name: str, value: str) -> None:
    """Check that an argument is one e-mail address.

    Raises:
        ToolError: It is something else, such as a name or several addresses.
    """
    if not _ADDRESS.fullmatch(value):
        raise ToolError(f"{name} must be an address such as kim@home.org, not {value[:100]!r}")


def date_text(name: str, text: str) -> str:
    """Return a date as YYYY-MM-DD, with its time if it has one.

    Raises:
        ToolError: The text is not a date, or has no year.

    Example:
        >>> date_text("due_date", "May 21, 2025"), date_text("due_date", "21.05.2025 10:30")
        ('2025-05-21', '2025-05-21 10:30:00')
    """
    instant = read_instant(text)
    if instant is None:
        raise ToolError(f"{name} must be a date such as 2023-11-30, not {text[:100]!r}")
    return instant.isoformat(" ") if instant.time() != time.min else instant.date().isoformat()


def not_found(kind: str, id: str) -> ToolError:
    """Return the error for an unknown id."""
    return ToolError(f"no {kind} has the id {id[:100]!r}")


def page_of(name: str, rows: Sequence[Row], page: int, page_size: int) -> dict[str, Any]:
    """Return one page of search results, with its number and the number of pages.

    Args:
        name: What the results are, such as `emails`.
        rows: All results, at least one.
        page: The number of the page, from 1. A number out of range selects the nearest page.
        page_size: The number of rows on a page.

    Raises:
        ToolError: The page size is out of range.
    """
    if not 1 <= page_size <= MAX_PAGE_SIZE:
        raise ToolError(f"page_size must be a number from 1 to {MAX_PAGE_SIZE}")
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
    """Return whether a date lies between two others, all as ISO strings. "" means no bound.

    Example:
        >>> lies_between("2023-11-30", "2023-11-01", ""), lies_between(None, "2023-11-01", "")
        (True, False)
    """
    if not first and not last:
        return True
    return date is not None and (not first or date >= first) and (not last or date <= last)
