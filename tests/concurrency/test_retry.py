"""Failed calls are retried by one rule, after pauses that grow to a limit."""

from __future__ import annotations

import random

import pytest
from tables import in_one_test

from textgym.concurrency.calls import pause_seconds, retry_pause
from textgym.errors import JudgeFailure, UsageError


@in_one_test("attempt", range(60))
def test_pauses_grow_up_to_a_limit(attempt: int) -> None:
    longest = min(0.05 * 4**attempt, 5.0)
    assert longest / 2 <= pause_seconds(attempt) <= longest


def test_pauses_leave_the_programs_random_generator_alone() -> None:
    before = random.getstate()
    pause_seconds(0)
    assert random.getstate() == before


@pytest.mark.parametrize(
    ("error", "attempt", "is_retried"),
    [
        (JudgeFailure("down"), 0, True),
        (JudgeFailure("down"), 1, True),
        (JudgeFailure("down"), 2, False),
        (UsageError("a wrong row"), 0, False),
        (KeyError("a bug"), 0, False),
    ],
    ids=repr,
)
def test_only_boundary_failures_are_retried_and_no_more_often_than_allowed(
    error: Exception, attempt: int, is_retried: bool
) -> None:
    assert (retry_pause(error, attempt, retries=2) is not None) is is_retried


def test_a_caller_can_retry_other_errors() -> None:
    assert retry_pause(KeyError(), 0, 1, lambda error: isinstance(error, KeyError)) is not None
