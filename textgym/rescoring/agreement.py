"""Agreement of two verdicts on the same answers: a confusion matrix, its rate and Cohen's kappa."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from textgym.metrics.statistics import Estimate, rate_interval

__all__ = ["Agreement", "share_interval"]


def share_interval(count: int, total: int) -> tuple[float, float] | None:
    """Return Wilson's 95 % confidence interval of a share; None for a share of nothing.

    Example:
        >>> low, high = share_interval(8, 10)
        >>> round(low, 3), round(high, 3)
        (0.49, 0.943)
    """
    if not total:
        return None
    rate = count / total
    error = math.sqrt(rate * (1 - rate) / (total - 1)) if total > 1 else None
    return rate_interval(Estimate(rate, error, total))


@dataclass(slots=True)
class Agreement:
    """The confusion matrix of the new verdicts and the recorded ones.

    Attributes:
        both_right: Answers that both find right.
        both_wrong: Answers that both find wrong.
        only_new: Answers that only the new verdict finds right.
        only_recorded: Answers that only the recorded verdict finds right.

    Example:
        >>> agreement = Agreement()
        >>> for pair in [(True, True), (True, True), (False, False), (True, False)]:
        ...     agreement.add(*pair)
        >>> agreement.rate, agreement.kappa
        (0.75, 0.5)
    """

    both_right: int = 0
    both_wrong: int = 0
    only_new: int = 0
    only_recorded: int = 0

    def add(self, new: bool, recorded: bool) -> None:
        """Count one answer."""
        if new == recorded:
            self.both_right += new
            self.both_wrong += not new
        else:
            self.only_new += new
            self.only_recorded += recorded

    @property
    def total(self) -> int:
        """How many answers have both verdicts."""
        return self.both_right + self.both_wrong + self.only_new + self.only_recorded

    @property
    def agreed(self) -> int:
        """How many answers have two equal verdicts."""
        return self.both_right + self.both_wrong

    @property
    def rate(self) -> float | None:
        """The share of answers with the same verdict; None without any."""
        return self.agreed / self.total if self.total else None

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa (1960): agreement beyond chance, 1 at most.

        None if there are no answers, or if both verdicts are the same for all of them, so that
        chance explains all agreement.
        """
        if self.rate is None:
            return None
        new = (self.both_right + self.only_new) / self.total
        recorded = (self.both_right + self.only_recorded) / self.total
        chance = new * recorded + (1 - new) * (1 - recorded)
        return None if chance == 1 else (self.rate - chance) / (1 - chance)

    def as_dict(self) -> dict[str, Any]:
        """Return the matrix and its figures as JSON values."""
        return {
            "both_right": self.both_right,
            "both_wrong": self.both_wrong,
            "only_new": self.only_new,
            "only_recorded": self.only_recorded,
            "rate": self.rate,
            "rate_interval": share_interval(self.agreed, self.total),
            "kappa": self.kappa,
        }
