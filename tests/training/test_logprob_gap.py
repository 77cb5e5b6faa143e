"""The comparison of log probabilities of rollout and training."""

from __future__ import annotations

import math

import pytest

from textgym.errors import TrainingError
from textgym.training.logprob_gap import LogprobGap, default_bound, logprob_gap


def test_only_sampled_tokens_with_a_recorded_value_count() -> None:
    rows = [([-1.0, -5.0, math.nan], [-1.5, 0.0, -3.0], [1, 0, 1]), ([-2.0], [-2.25], [1])]
    assert logprob_gap(rows) == LogprobGap(0.5, 0.375, 2)


def test_without_tokens_there_is_no_gap() -> None:
    logprob_gap([]).check(0.0)


def test_sampled_tokens_without_recorded_values_are_no_agreement() -> None:
    gap = logprob_gap([([math.nan, math.nan], [-1.0, -1.0], [1, 0])])
    with pytest.raises(TrainingError, match="differ by up to nan"):
        gap.check(0.1)


@pytest.mark.parametrize("computed", [-1.2, math.nan, -math.inf])
def test_a_gap_above_the_bound_or_no_number_fails(computed: float) -> None:
    gap = logprob_gap([([-1.0, -1.0], [-1.0, computed], [1, 1])])
    with pytest.raises(TrainingError, match="log probabilities of rollout and training differ"):
        gap.check(0.1)


def test_the_bound_follows_the_precision() -> None:
    assert default_bound("torch.float32") == 1e-3
    assert default_bound("torch.bfloat16") == default_bound("float16") == 1.0


def test_only_smaller_values_differ_from_a_truncated_distribution() -> None:
    rows = [([-0.1, -1.0], [-0.5, -1.0], [1, 1])]
    assert logprob_gap(rows).largest == pytest.approx(0.4)
    assert logprob_gap(rows, truncated=True).largest == 0.0
    rows = [([-0.5, math.nan], [-0.1, -1.0], [1, 1])]
    assert logprob_gap(rows, truncated=True).largest == pytest.approx(0.4)
    assert math.isnan(logprob_gap([([-0.5], [math.nan], [1])], truncated=True).largest)
