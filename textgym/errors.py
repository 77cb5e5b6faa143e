"""Every error that textgym raises.

There are two kinds. A `UsageError` is the caller's mistake: a wrong id, row, path or action. Its
message says in one line what was wrong, where, and what would be right. A `BoundaryFailure` comes
from the machinery: a model server, a judge, a worker or a data set that did not answer. It names
the `boundary` that failed, may be retried, and is never turned into a reward.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import ClassVar

__all__ = [
    "BoundaryFailure",
    "ContextFullError",
    "DatasetError",
    "EnvironmentFailure",
    "ExtraMissingError",
    "InvalidActionError",
    "JudgeFailure",
    "OracleError",
    "PolicyFailure",
    "RewardError",
    "RowError",
    "RunError",
    "StateError",
    "TextgymError",
    "ToolError",
    "UnknownNameError",
    "UsageError",
    "WorkerFailure",
    "did_you_mean",
    "in_one_line",
]


class TextgymError(Exception):
    """What all errors of this package have in common."""


class UsageError(TextgymError, ValueError):
    """The caller asked for something that cannot be; the message says what would be right."""


class InvalidActionError(UsageError):
    """A step was given something that is neither an assistant message nor a text."""


class UnknownNameError(UsageError):
    """A name of an environment, policy, level or option that does not exist."""


class DatasetError(UsageError):
    """A data set that cannot be found or read."""


class RowError(DatasetError):
    """A row that an environment cannot read.

    Args:
        field: The field that is missing or wrong, as a path such as `options.C`.
        problem: What is wrong with it and what would be right.
        where: The place of the row, such as `line 17 of rows.jsonl`.

    Example:
        >>> print(RowError("answer", "is missing", where="line 3 of rows.jsonl"))
        line 3 of rows.jsonl: field 'answer' is missing
    """

    def __init__(self, field: str, problem: str, where: str = "") -> None:
        super().__init__(field, problem, where)
        self.field = field
        self.problem = problem
        self.where = where

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        return f"{place}field {self.field!r:.200} {self.problem:.500}"


class ExtraMissingError(UsageError, ImportError):
    """An optional package is not installed; the message names the extra to install."""


class OracleError(UsageError):
    """The environment has no oracle (or no guess) for its tasks."""


class StateError(UsageError):
    """A saved state that does not fit the environment, or cannot be saved."""


class RunError(UsageError):
    """A run folder that cannot be used as asked."""


class RewardError(TextgymError):
    """A verifier returned a reward that is not a number in the declared range: a bug in it."""


class ToolError(TextgymError):
    """Raised by a tool to tell the model what went wrong; the model reads the text."""


class ContextFullError(TextgymError):
    """The conversation no longer fits the model: the episode is cut, and not tried again."""


class BoundaryFailure(TextgymError):
    """Something outside the model and the task failed; never a reward.

    A `step` that raises a failure leaves the environment as it was, and the same action may be
    stepped again.

    Attributes:
        boundary: What failed.
        env_id: Which sub-environment of a vector it came from; None elsewhere.
    """

    boundary: ClassVar[str] = "unknown"
    env_id: int | None = None


class PolicyFailure(BoundaryFailure):
    """The policy gave no action: a server that is down, a model that ran out of memory."""

    boundary = "policy"


class JudgeFailure(BoundaryFailure):
    """A judge gave no verdict: it is down, too slow, or said none or both."""

    boundary = "judge"


class EnvironmentFailure(BoundaryFailure):
    """The environment's own code, or something that it calls, failed."""

    boundary = "environment"


class WorkerFailure(EnvironmentFailure):
    """A worker process of a verifier did not start, or died by itself."""


def in_one_line(error: BaseException) -> str:
    r"""Return the type of an error, and the first line of its text.

    Example:
        >>> in_one_line(ValueError("no such column\nin any table"))
        'ValueError: no such column'
    """
    text = str(error).strip()
    return f"{type(error).__name__}: {text.splitlines()[0]}" if text else type(error).__name__


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return `; did you mean …?` for the known name nearest to `name`, or the known names.

    Example:
        >>> did_you_mean("orcale", ["oracle", "random"])
        "; did you mean 'oracle'?"
        >>> did_you_mean("x", ["oracle", "random"])
        '; known are oracle, random'
    """
    names = sorted(known)
    near = difflib.get_close_matches(name, names, n=1)
    return f"; did you mean {near[0]!r}?" if near else f"; known are {', '.join(names)}"
