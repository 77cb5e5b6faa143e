"""What `my_package/MyEnv-v0` rewards, and what it does not."""

from __future__ import annotations

import pytest
import textgym

from my_package import MyEnv

ROW = {"weights": {"B101": 700, "C202": 50, "D303": 9}, "wanted": ["B101", "C202"]}


def test_a_call_returns_the_weight_and_the_right_total_wins() -> None:
    env = MyEnv()
    env.reset(options={"task": ROW})
    observation, *_ = env.step(textgym.assistant_calls(("weigh", {"parcel": "C202"})))
    assert observation[-1]["content"] == "50 g"
    assert env.step("700 + 50 is 750.\nAnswer: 750")[1:4] == (1.0, True, False)


def test_a_parcel_that_is_not_there_is_an_error_that_the_model_reads() -> None:
    env = MyEnv()
    env.reset(options={"task": ROW})
    observation, *_ = env.step(textgym.assistant_calls(("weigh", {"parcel": "Z9"})))
    assert observation[-1]["content"] == "Error: there is no parcel 'Z9'"


@pytest.mark.parametrize("reply", ["", "750", "Answer: 700", "Answer: 750 or 759", "Answer: B101"])
def test_other_replies_lose(reply: str) -> None:
    env = MyEnv()
    env.reset(options={"task": ROW})
    assert env.step(reply)[1] == 0
