"""Rows as tasks: what an environment cannot read, field by field.

An environment names only the first wrong field of a row. To find the next one, that field is taken
from other rows; an error counts if it is the same with each of them, so that it does not depend on
what was taken.

Invariant: no row raises an exception.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any

from textgym.core.text_env import TextEnv
from textgym.data.checking.content import Item
from textgym.data.checking.report import Place, Report
from textgym.errors import RowError, UsageError, in_one_line

__all__ = ["TaskReader"]

_MODELS = 3  # good rows that fields are taken from
_MOST = 5  # errors of a row


class TaskReader:
    """Reads rows in an environment, and reports what is wrong with them.

    Args:
        env: The environment.
        report: The report.
    """

    def __init__(self, env: TextEnv[Any], report: Report) -> None:
        self._env, self._report = env, report
        self._models: deque[Mapping[str, Any]] = deque(maxlen=_MODELS)

    def read(self, place: Place, row: Mapping[str, Any]) -> Item | None:
        """Return a row with its task; None if the environment cannot read it."""
        problem = self._problem(row)
        if problem is None:
            self._models.append(row)
            return Item(place, row, self._env.task)
        reported = set[str]()
        while problem is not None and len(reported) < _MOST:
            field, reason = problem
            name = field.partition(".")[0]
            if name in reported:
                break
            self._report.add(
                "schema", place, f"field {field!r} {reason}" if field else reason, field
            )
            reported.add(name)
            problem, row = self._next_problem(row, name)
        return None

    def _next_problem(
        self, row: Mapping[str, Any], name: str
    ) -> tuple[tuple[str, str] | None, Mapping[str, Any]]:
        """Return what is wrong with a row besides a field, and the row with another such field."""
        rest = {field: value for field, value in row.items() if field != name}
        mended = [{**rest, **_only(model, name)} for model in self._models]
        problems = {self._problem(other) for other in mended}
        if len(mended) < 2 or len(problems) > 1 or not name:
            return None, row
        return problems.pop(), mended[0]

    def _problem(self, row: Mapping[str, Any]) -> tuple[str, str] | None:
        """Return the wrong field of a row ("" if it is not known) and the reason, or None."""
        try:
            self._env.reset(options={"task": row})
        except RowError as error:
            return error.field, error.problem
        except UsageError as error:
            return "", str(error)
        except Exception as error:  # an environment may raise anything
            return "", f"cannot be read: {in_one_line(error)}"
        return None


def _only(row: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {name: row[name]} if name in row else {}
