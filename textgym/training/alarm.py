"""`RewardAlarm`: warns when the reward rises while what it stands for falls.

Invariants: the same figures give the same warnings; a kind of warning is given once; there is no
warning before there are enough values.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from textgym.errors import UsageError

__all__ = ["Alarm", "RewardAlarm", "trend"]

_REWARD = "reward"
_SUCCESS = "episodes/success"
_LENGTHS = ("tokens/episode", "completions/mean_length")
_HELD_OUT = (
    "validation/episodes/success",
    "validation/reward",
    "eval_episodes/success",
    "eval_reward",
)
_MIN_WINDOW = 8  # of fewer values, even a steady trend does not exceed 3


class Alarm(NamedTuple):
    """A warning.

    Attributes:
        kind: `success`, `length` or `held_out`.
        step: The step whose figures caused it.
        text: What was seen, in one line.
    """

    kind: str
    step: int
    text: str


def trend(values: Sequence[float]) -> float:
    """Return the Mann-Kendall statistic of values: how many standard errors they rise or fall.

    S is the number of pairs that rise, minus the number of pairs that fall. The result is
    (S - sign S) / √v, with the variance v = (n (n - 1) (2n + 5) - Σ t (t - 1) (2t + 5)) / 18 of S
    without a trend; the sum is over groups of t equal values. It is 0 if all are equal.

    Mann 1945, https://doi.org/10.2307/1907187.

    Example:
        >>> round(trend([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]), 2), trend([1.0, 1.0])
        (3.34, 0.0)
    """
    pairs = [(left, right) for n, right in enumerate(values) for left in values[:n]]
    score = sum((right > left) - (right < left) for left, right in pairs)
    if not score:
        return 0.0
    sizes = [len(values), *(-values.count(value) for value in set(values))]
    terms = (math.copysign(abs(n) * (abs(n) - 1) * (2 * abs(n) + 5), n) for n in sizes)
    return (score - math.copysign(1, score)) / math.sqrt(sum(terms) / 18)


class RewardAlarm:
    """Warns when the training reward rises while another figure goes the other way.

    A figure rises or falls if `trend` of its last values is above or below the threshold. In a
    window of as many values of the reward:

    - `success`: the reward rises, and `episodes/success` falls.
    - `length`: the reward rises, `tokens/episode` falls, and the trend of `episodes/success` is not
      above 0.
    - `held_out`: a held-out score falls, and the reward rises over the steps of these scores.

    Held-out scores are `validation/episodes/success`, `validation/reward`, `eval_episodes/success`,
    `eval_reward`, and the names in `held_out`.

    Args:
        window: The number of values of figures of training.
        held_out_window: The number of values of held-out scores.
        threshold: The least trend, in standard errors.
        held_out: The names of further held-out scores, such as the score of another verifier.

    Raises:
        UsageError: A window is smaller than 8, or the threshold is not above 0.

    Example:
        >>> alarm = RewardAlarm(window=8)
        >>> for step in range(8):
        ...     figures = {"reward": step / 8, "episodes/success": 0.5 - step / 20}
        ...     for warning in alarm.add(step, figures):
        ...         print(warning.kind, warning.step)
        success 7
    """

    def __init__(
        self,
        *,
        window: int = 20,
        held_out_window: int = 8,
        threshold: float = 3.0,
        held_out: Sequence[str] = (),
    ) -> None:
        for name, size in (("window", window), ("held_out_window", held_out_window)):
            if not isinstance(size, int) or size < _MIN_WINDOW:
                raise UsageError(f"{name} must be {_MIN_WINDOW} or more, not {size!r}")
        if not threshold > 0:
            raise UsageError(f"threshold must be above 0, not {threshold!r}")
        self._window, self._held_out_window, self._threshold = window, held_out_window, threshold
        self._held_out = (*_HELD_OUT, *held_out)
        self._values: dict[str, list[tuple[int, float]]] = {}  # by name, with their steps
        self._given: set[str] = set()

    def add(self, step: int, figures: Mapping[str, Any]) -> list[Alarm]:
        """Add the figures of a step, and return the warnings that they cause.

        Args:
            step: The step; figures of one step may come in several calls.
            figures: The figures by name; those that are not finite numbers do not count.
        """
        known = {name: float(value) for name, value in figures.items() if _is_number(value)}
        for name in (_REWARD, _SUCCESS, *_LENGTHS, *self._held_out):
            if name in known:
                self._values.setdefault(name, []).append((step, known[name]))
        found = [*self._of_training(known), *self._of_held_out(known)]
        alarms = []
        for kind, text in found:
            if kind not in self._given:
                self._given.add(kind)
                alarms.append(Alarm(kind, step, text))
        return alarms

    def _of_training(self, known: Mapping[str, float]) -> list[tuple[str, str]]:
        """Return the kinds and texts of what figures of training show."""
        if _REWARD not in known or not self._trend(_REWARD, self._window) >= self._threshold:
            return []
        found = []
        success = self._trend(_SUCCESS, self._window)
        if success <= -self._threshold:
            found.append(("success", self._text(_SUCCESS, self._window)))
        length = next((name for name in _LENGTHS if name in self._values), "")
        if success <= 0 and self._trend(length, self._window) <= -self._threshold:
            found.append(("length", self._text(length, self._window)))
        return found

    def _of_held_out(self, known: Mapping[str, float]) -> list[tuple[str, str]]:
        """Return the kinds and texts of what held-out scores show."""
        found = []
        for name in self._held_out:
            if name not in known:
                continue
            if not self._trend(name, self._held_out_window) <= -self._threshold:
                continue
            first = self._values[name][-self._held_out_window][0]
            rewards = [value for step, value in self._values.get(_REWARD, []) if step >= first]
            if len(rewards) >= _MIN_WINDOW and trend(rewards) >= self._threshold:
                found.append(("held_out", self._text(name, self._held_out_window)))
        return found

    def _trend(self, name: str, window: int) -> float:
        """Return the trend of the last values of a figure; NaN if there are fewer."""
        values = [value for _, value in self._values.get(name, [])[-window:]]
        return trend(values) if len(values) == window else math.nan

    def _text(self, name: str, window: int) -> str:
        values = [value for _, value in self._values[name][-window:]]
        return (
            f"the training reward rises, while {name} fell from {values[0]:.3g} to "
            f"{values[-1]:.3g} in its last {window} values: read episodes, because the policy may "
            "exploit the reward"
        )


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)
