"""The exceptions of textgym.

There are two main kinds. A `UsageError` is a mistake of the caller: a wrong id, row, path or
action. Its message says in one line what is wrong, where, and what would be right. A
`BoundaryFailure` is a failure of the infrastructure: a model server, a judge, a worker or a data
set that did not answer. It names the `boundary` that failed, may be retried, and never becomes a
reward.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import ClassVar

__all__ = [
    "BoundaryFailure", "ContextFullError", "DatasetError", "EnvironmentFailure",
    "ExtraMissingError", "GroupFailure", "InvalidActionError", "JudgeFailure", "OracleError",
    "PolicyFailure",
    "RewardError", "RewardModelFailure", "RowError", "RunError", "SandboxFailure", "StateError",
    "TextgymError", "ToolError", "TrainingError", "UnknownNameError", "UsageError", "UserFailure",
    "WorkerFailure", "did_you_mean", "in_one_line", "install_advice",
]  # fmt: skip


_MOST_KNOWN, _MOST_NEAR = 60, 3  # names in a message
_MIN_SIMILARITY = 0.65  # of a name and the one that may be meant


class TextgymError(Exception):
    """The base class of all exceptions of this package."""


class UsageError(TextgymError, ValueError):
    """A mistake of the caller; the message says what would be right."""


class InvalidActionError(UsageError):
    """An action that is neither an assistant message nor a text."""


class UnknownNameError(UsageError):
    """An environment, policy, level or option that does not exist."""


class DatasetError(UsageError):
    """A data set that cannot be found or read."""


class RowError(DatasetError):
    """A row that an environment cannot read.

    Args:
        field: The field that is missing or wrong, as a path such as `options.C`.
        problem: What is wrong with it and what would be right.
        where: The location of the row, such as `line 17 of rows.jsonl`.

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
        location = f"{self.where}: " if self.where else ""
        return f"{location}field {self.field!r:.200} {self.problem:.500}"


class ExtraMissingError(UsageError, ImportError):
    """A required optional package is missing; the message names the extra to install."""


class OracleError(UsageError):
    """The environment defines no oracle, or no guess, for its tasks."""


class StateError(UsageError):
    """A state that cannot be saved, or a saved state that does not fit the environment."""


class RunError(UsageError):
    """A run folder that cannot be used as requested."""


class RewardError(TextgymError):
    """A reward or component outside its declared range: a bug in an environment."""


class TrainingError(TextgymError):
    """A trainer's probabilities are not the policy's, or it mixes up groups of episodes."""


class ToolError(TextgymError):
    """Raised by a tool to report an error to the model, which reads the message."""


class ContextFullError(TextgymError):
    """The conversation exceeds the model's context: the episode is truncated, not retried."""


class BoundaryFailure(TextgymError):
    """A failure outside the model and the task, which never becomes a reward.

    A `step` that raises one leaves the environment unchanged, so the same action can be stepped
    again.

    Attributes:
        boundary: What failed.
        env_id: The index of the sub-environment of a vector; None outside of vectors.
    """

    boundary: ClassVar[str] = "unknown"
    env_id: int | None = None


class PolicyFailure(BoundaryFailure):
    """The policy returned no action: its server is down, or the model ran out of memory."""

    boundary = "policy"


class JudgeFailure(BoundaryFailure):
    """The judge gave no verdict: it is down, too slow, or its reply is ambiguous."""

    boundary = "judge"


class RewardModelFailure(BoundaryFailure):
    """The reward model gave no score: it is down, too slow, or its score is not a number."""

    boundary = "reward_model"


class GroupFailure(BoundaryFailure):
    """The episodes of a task have no group rewards: one of them failed, or the comparison did."""

    boundary = "group"


class EnvironmentFailure(BoundaryFailure):
    """The code of the environment, or something that it calls, failed."""

    boundary = "environment"


class UserFailure(EnvironmentFailure):
    """The model that speaks as the user gave no reply."""

    boundary = "user"


class WorkerFailure(EnvironmentFailure):
    """A worker process of a verifier did not start, or died on its own."""


class SandboxFailure(EnvironmentFailure):
    """A box for programs did not start, or is gone. Nothing that a program does in it raises it."""

    boundary = "sandbox"


def in_one_line(error: BaseException) -> str:
    r"""Return the type of an error and the first line of its message.

    Example:
        >>> in_one_line(ValueError("no such column\nin any table"))
        'ValueError: no such column'
    """
    try:
        text = str(error).strip()
    except Exception:  # the error's own __str__ failed
        text = ""
    return f"{type(error).__name__}: {text.splitlines()[0]}" if text else type(error).__name__


def install_advice(extra: str) -> str:
    """Return how to install an extra, from a package index and from a checkout.

    Example:
        >>> install_advice("hf")
        "pip install 'textgym[hf]', or in a checkout pip install -e '.[hf]'"
    """
    return f"pip install 'textgym[{extra}]', or in a checkout pip install -e '.[{extra}]'"


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return `; did you mean …?` with the closest known names, or a list of known names.

    A name that a few known names contain is a part of them, as of an environment's id.

    Example:
        >>> did_you_mean("orcale", ["oracle", "random"])
        "; did you mean 'oracle'?"
        >>> did_you_mean("MCQA", ["textgym/MCQA-v0", "textgym/Math-v0"])
        "; did you mean 'textgym/MCQA-v0'?"
        >>> did_you_mean("newest", ["best", "worst"])
        '; known are best, worst'
        >>> did_you_mean("x", ["oracle", "random"])
        '; known are oracle, random'
    """
    names = sorted(known)
    near = difflib.get_close_matches(name, names, n=1, cutoff=_MIN_SIMILARITY)
    near = near or [text for text in names if name and name.lower() in text.lower()]
    if 0 < len(near) <= _MOST_NEAR:
        return f"; did you mean {' or '.join(map(repr, near))}?"
    more = f" and {len(names) - _MOST_KNOWN} more" if len(names) > _MOST_KNOWN else ""
    return f"; known are {', '.join(names[:_MOST_KNOWN])}{more}"
