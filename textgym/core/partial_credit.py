"""`PartialCreditEnv`, the base class of environments that can pay for progress on the way.

Invariants: what an episode has paid is `credit` times the progress in its present state, so a step
pays the difference that it made, and whatever was undone has paid nothing. A success pays 1 in all.
Payments are multiples of 1/1024, whose sums have no rounding errors.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from textgym.core.authoring import StateT
from textgym.core.grade import Grade
from textgym.core.text_env import TextEnv
from textgym.errors import UsageError

__all__ = ["PartialCreditEnv", "share_done"]

_PARTS = 1024  # of a reward of 1; a power of 2


class PartialCreditEnv(TextEnv[StateT]):
    """An environment whose argument `partial_credit` pays for progress, as component `progress`.

    A subclass defines `progress`, and its `grade` returns `self.less_paid(Grade(...))`, where the
    reward is 0 or 1.

    Args:
        partial_credit: Whether steps pay for progress. If not, only the grade pays.
        **kwargs: The arguments of `TextEnv`.

    Raises:
        UsageError: `partial_credit` is not a bool.

    Attributes:
        credit: What an episode has been paid, from 0 to 1, if it made all progress and fails.
    """

    credit: float = 0.5

    def __init__(self, *, partial_credit: bool = False, **kwargs: Any) -> None:
        if not isinstance(partial_credit, bool):
            raise UsageError(f"partial_credit must be True or False, not {partial_credit!r}")
        self.partial_credit = partial_credit
        super().__init__(**kwargs)
        if partial_credit:
            self._pay_on_the_way = self._pay_for_progress

    def progress(self) -> float:
        """Return how much of the task is done in the present state, from 0 to 1; 0 at the start."""
        raise NotImplementedError(f"{type(self).__name__} must define progress")

    def less_paid(self, grade: Grade) -> Grade:
        """Return a grade of 0 or 1 without the share of it that was paid on the way."""
        paid = self._payments.so_far
        return replace(grade, reward=grade.reward * (1 - paid)) if paid else grade

    def _pay_for_progress(self) -> None:
        due = round(_PARTS * self.credit * self.progress()) / _PARTS - self._payments.so_far
        if due:
            self.add_reward("progress", due)


def share_done(right: int, wrong: int, asked: int) -> float:
    """Return the share of what was asked that is done, where wrong things cancel right ones.

    Args:
        right: How many of the things that were asked for are done.
        wrong: How many other things are done.
        asked: How many things were asked for, 1 or more.

    Example:
        >>> share_done(3, 1, 4), share_done(4, 20, 4)
        (0.5, 0.0)
    """
    return max(0, right - wrong) / asked
