"""What `my_package/MyEnv-v0` rewards, and what it does not."""

from __future__ import annotations

import pytest

from my_package import MyEnv

ROW = {
    "items": [
        {"name": "eggs", "count": 12, "price": 30},
        {"name": "rolls", "count": 4, "price": 55},
    ]
}


def reward_of(reply: str) -> float:
    env = MyEnv()
    env.reset(options={"task": ROW})
    return float(env.step(reply)[1])


@pytest.mark.parametrize(
    "reply", ["Answer: 580", "360 + 220 = 580.\n\n**Answer: 580**", "Answer: 360. No.\nAnswer: 580"]
)
def test_the_right_sum_wins(reply: str) -> None:
    assert reward_of(reply) == 1


@pytest.mark.parametrize(
    "reply", ["", "580", "Answer: 360", "Answer: 580 or 360", "Answer: 580\nAnswer: 360", "Answer:"]
)
def test_other_replies_lose(reply: str) -> None:
    assert reward_of(reply) == 0
