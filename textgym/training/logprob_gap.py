"""The check that a trainer computes the log probabilities that the rollout recorded.

With the same weights and the same tokens they differ only by rounding: about 1e-6 in float32, and
up to some tenths in bfloat16. A larger gap means that the trainer does not see what the policy saw:
another template, stale weights, shifted positions or another temperature.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from textgym.errors import TrainingError

__all__ = ["LogprobGap", "default_bound", "logprob_gap"]

_BOUNDS = {"float32": 1e-3, "float64": 1e-3}
_LOW_PRECISION_BOUND = 1.0


@dataclass(frozen=True, slots=True)
class LogprobGap:
    """The difference between the log probabilities of rollout and training.

    Attributes:
        largest: The largest absolute difference of a sampled token; 0 without sampled tokens, and
            NaN if no sampled token has a recorded value.
        mean: The mean absolute difference.
        tokens: The number of tokens that were compared.
    """

    largest: float
    mean: float
    tokens: int

    def check(self, bound: float) -> None:
        """Check that the largest difference is within a bound.

        Raises:
            TrainingError: It is not.

        Example:
            >>> logprob_gap([([-0.5], [-0.25], [1])]).check(0.3)
        """
        if not self.largest <= bound:
            raise TrainingError(
                f"log probabilities of rollout and training differ by up to {self.largest:.2g} "
                f"(bound {bound:g}, mean {self.mean:.2g}, {self.tokens} tokens): the trainer does "
                "not compute what the policy sampled from; compare weights, chat template, "
                "temperature and dtype"
            )


def logprob_gap(
    rows: Iterable[tuple[Sequence[float], Sequence[float], Sequence[int]]],
    *,
    truncated: bool = False,
) -> LogprobGap:
    """Compare log probabilities.

    Args:
        rows: The recorded values, the computed values, and the mask of sampled tokens of each token
            sequence. Recorded values that are NaN are left out.
        truncated: Whether recorded values are of a distribution from which `top_p`, `top_k` or
            `min_p` left tokens out. They are larger than in the whole distribution, so that only a
            recorded value that is smaller is a difference.

    Example:
        >>> logprob_gap([([-0.5, 0.0, -2.0], [-0.25, -9.0, -2.0], [1, 0, 1])])
        LogprobGap(largest=0.25, mean=0.125, tokens=2)
        >>> logprob_gap([([-0.1, -2.0], [-0.25, -2.0], [1, 1])], truncated=True)
        LogprobGap(largest=0.0, mean=0.0, tokens=2)
    """
    sampled = [
        (was, now)
        for recorded, computed, mask in rows
        for was, now, is_sampled in zip(recorded, computed, mask, strict=True)
        if is_sampled
    ]
    known = [(was, now) for was, now in sampled if not math.isnan(was)]
    gaps = [max(now - was, 0.0) if truncated else abs(was - now) for was, now in known]
    is_unknown = any(map(math.isnan, gaps)) or (bool(sampled) and not gaps)
    largest = math.nan if is_unknown else max(gaps, default=0.0)
    return LogprobGap(largest, sum(gaps) / max(len(gaps), 1), len(gaps))


def default_bound(dtype: object) -> float:
    """Return the bound for a model's dtype, such as `torch.float32` or its name.

    Example:
        >>> default_bound("torch.float32"), default_bound("bfloat16")
        (0.001, 1.0)
    """
    return _BOUNDS.get(str(dtype).rpartition(".")[2], _LOW_PRECISION_BOUND)
