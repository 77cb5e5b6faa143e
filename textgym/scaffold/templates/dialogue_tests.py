"""What `my_package/MyEnv-v0` rewards, and what it does not."""

from __future__ import annotations

import pytest

from my_package import MyEnv

ROW = {"address": "9 Mill Lane", "wishes": {"time": "18:15", "topping": "ham"}}
ORDER = "Answer: 9 Mill Lane, 18:15, ham"


def test_the_customer_answers_questions_and_the_right_order_wins() -> None:
    env = MyEnv()
    env.reset(options={"task": ROW})
    assert env.step("Which topping?")[0][-1]["content"] == "The topping: ham."
    assert env.step("And when?")[0][-1]["content"] == "Which of the details do you need?"
    assert env.step("I mean the time.")[0][-1]["content"] == "The time: 18:15."
    assert env.step(ORDER)[1:4] == (1.0, True, False)


@pytest.mark.parametrize(
    "reply",
    [
        "Answer: 9 Mill Lane, 18:15",
        "Answer: 9 Mill Lane, 18:15, ham or tuna",
        "Answer: 9 Mill Lane, ham, 18:15",
        f"{ORDER}\nAnswer: 9 Mill Lane, 18:20, ham",
    ],
)
def test_other_orders_lose(reply: str) -> None:
    env = MyEnv()
    env.reset(options={"task": ROW})
    assert env.step(reply)[1:4] == (0.0, True, False)
