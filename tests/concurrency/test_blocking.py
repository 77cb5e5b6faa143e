"""What says that it may wait, and the pauses between attempts."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import pytest

from textgym.concurrency.blocking import pause_seconds, reset_waits, step_waits


class Foreign(gym.Env[Any, Any]):
    """An environment of someone else's, with the attributes that it is given."""

    def __init__(self, **attributes: bool) -> None:
        vars(self).update(attributes)


@pytest.mark.parametrize(
    ("attributes", "step", "reset"),
    [({}, False, False), ({"blocking": True}, True, True), ({"blocking": False}, False, False),
     ({"blocking": True, "blocking_reset": False}, True, False)],
    ids=["silent", "both", "neither", "step"],
)  # fmt: skip
def test_what_waits_is_seen_through_wrappers(
    attributes: dict[str, bool], step: bool, reset: bool
) -> None:
    env = gym.wrappers.OrderEnforcing(Foreign(**attributes))
    assert (step_waits(env), reset_waits(env)) == (step, reset)


@pytest.mark.parametrize("attempt", range(60))
def test_pauses_grow_to_a_limit(attempt: int) -> None:
    longest = min(0.05 * 4**attempt, 5.0)
    assert longest / 2 <= pause_seconds(attempt) <= longest
