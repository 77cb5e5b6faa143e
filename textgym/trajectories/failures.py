"""The record of a failure: made from an exception, described, and raised."""

from __future__ import annotations

import traceback
from collections.abc import Callable

from textgym.errors import BoundaryFailure, EnvironmentFailure, TextgymError
from textgym.trajectories.schema import Failure, Trajectory

__all__ = ["MAX_TRACEBACK", "check_graded", "describe_failure", "failure_of"]

MAX_TRACEBACK = 4000
"""The maximum number of characters of a traceback; the last ones are kept."""


def failure_of(error: BaseException, boundary: str = "unknown") -> Failure:
    """Return the record of a failure.

    Args:
        error: The exception.
        boundary: What failed, unless the exception is a `BoundaryFailure`, which names it.

    Example:
        >>> failure = failure_of(KeyError("city"), "environment")
        >>> failure["boundary"], failure["type"], failure["message"]
        ('environment', 'KeyError', "'city'")
    """
    if isinstance(error, BoundaryFailure):
        boundary = error.boundary
    return {
        "boundary": boundary,
        "type": type(error).__name__,
        "message": _text(lambda: str(error)),
        "traceback": _text(lambda: "".join(traceback.format_exception(error)))[-MAX_TRACEBACK:],
    }


def describe_failure(failure: Failure) -> str:
    """Return a failure as a text: its type, boundary and message.

    Example:
        >>> describe_failure(failure_of(KeyError("city"), "environment"))
        "KeyError (environment): 'city'"
    """
    return f"{failure['type']} ({failure['boundary']}): {failure['message']}"


def check_graded(
    trajectory: Trajectory, error_class: type[TextgymError] = EnvironmentFailure
) -> None:
    """Raise the failure of an episode that has no reward.

    Args:
        trajectory: The episode.
        error_class: The class of the error.

    Raises:
        EnvironmentFailure: The episode failed.

    Example:
        >>> check_graded({"env_id": "demo/A-v0", "failure": None})
    """
    if trajectory["failure"]:
        raise error_class(
            f"an episode of {trajectory['env_id']} has no reward: "
            f"{describe_failure(trajectory['failure'])}"
        )


def _text(make: Callable[[], str]) -> str:
    try:
        return make()
    except Exception:  # the error's own __str__ failed
        return ""
