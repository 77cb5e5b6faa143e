"""`PartialCreditEnv`, the base class of environments that can reward progress on the way.

Invariants: the rewards so far are `credit` times the progress in the present state, so a step earns
the difference that it made, and what was undone earns nothing. A success earns 1 in all. Rewards
for progress are multiples of 1/1024, so their sums have no rounding errors.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from textgym.core.authoring import StateT
from textgym.core.episode import Grade
from textgym.core.text_env import TextEnv
from textgym.errors import UsageError

__all__ = ["PartialCreditEnv", "share_done"]

_PARTS = 1024  # of a reward of 1; a power of 2


class PartialCreditEnv(TextEnv[StateT]):
    """An environment that rewards progress in each step if it is made with `partial_credit=True`.

    The reward component is `progress`. A subclass defines the method `progress`, and its `grade`
    returns `self.less_paid(Grade(...))`, where the reward is 0 for a failure, and for a success at
    least what its progress has earned.

    Args:
        partial_credit: Whether steps are rewarded for progress. If not, only the grade counts.
        **kwargs: The arguments of `TextEnv`.

    Raises:
        UsageError: `partial_credit` is not a bool.

    Attributes:
        credit: The return, from 0 to 1, of an episode that makes all progress and fails.

    Example:
        >>> from textgym.core.card import Card
        >>> from textgym.messages import user
        >>> from textgym.tasks.task import Task
        >>> class Counting(PartialCreditEnv[list[str]]):
        ...     card = Card("demo/Counting-v0", "Count to 2.")
        ...     def generate(self, rng, level):
        ...         return {}
        ...     def read_row(self, row):
        ...         return Task(row["id"], (user("Count to 2."),), None, row=row)
        ...     def begin(self, task):
        ...         return []
        ...     def respond(self, message):
        ...         self.state.append(message["content"])
        ...         return [user("Next?")] if len(self.state) < 2 else None
        ...     def progress(self):
        ...         return sum(number == right for number, right in zip(self.state, "12")) / 2
        ...     def grade(self):
        ...         right = self.state == ["1", "2"]
        ...         return self.less_paid(Grade(float(right), right))
        >>> env = Counting(partial_credit=True)
        >>> observation, info = env.reset(seed=1)
        >>> env.step("1")[1], env.step("2")[1]
        (0.25, 0.75)
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
        """Return a grade without the part of its reward that was already given for progress."""
        earned = self._payments.so_far
        return replace(grade, reward=max(0.0, grade.reward - earned)) if earned else grade

    def _pay_for_progress(self) -> None:
        due = round(_PARTS * self.credit * self.progress()) / _PARTS - self._payments.so_far
        if due:
            self.add_reward("progress", due)


def share_done(right: int, wrong: int, asked: int) -> float:
    """Return the share of the requested things that are done; each wrong thing cancels a right one.

    Args:
        right: How many of the things that were asked for are done.
        wrong: How many other things are done.
        asked: How many things were asked for, 1 or more.

    Example:
        >>> share_done(3, 1, 4), share_done(4, 20, 4)
        (0.5, 0.0)
    """
    return max(0, right - wrong) / asked
