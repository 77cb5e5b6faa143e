"""What `my_package/MyEnv-v0` rewards, and what it does not."""

from __future__ import annotations

import pytest

from my_package import MyEnv

ROW = {"question": "I leave at 09:50 for a walk of 30 minutes. When?", "expected_answer": "10:20"}


@pytest.mark.parametrize("reply", ["10:20", "**10:20**.", "It takes until then.\nAnswer: 10:20"])
def test_the_right_time_wins(reply: str) -> None:
    env = MyEnv()
    env.reset(options={"task": ROW})
    assert env.step(reply)[1] == 1


@pytest.mark.parametrize("reply", ["", "10:21", "10:20 or 10:21", "Not 10:20", "09:50"])
def test_other_replies_lose(reply: str) -> None:
    env = MyEnv()
    env.reset(options={"task": ROW})
    assert env.step(reply)[1] == 0


def test_a_judge_that_is_a_model_is_asked() -> None:
    env = MyEnv(judge=lambda messages: "[[A=B]]")
    env.reset(options={"task": ROW})
    assert env.step("twenty past ten")[1] == 1
    env.reset(options={"task": ROW})
    assert env.step("")[1] == 0
