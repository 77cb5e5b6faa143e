"""The answers of generated tasks follow from their prompts, read independently.

All sixteen families have a reader, which gets only the text of the prompt.
"""

from __future__ import annotations

import game_readers
import pytest
import rule_readers
import word_readers

from textgym.envs.redefined_rules import RedefinedRules
from textgym.envs.redefined_rules.families import FAMILIES, LEVELS

READERS = {**rule_readers.READERS, **game_readers.READERS, **word_readers.READERS}
NO_RULES = "Everything is as usual."
ASSUMED = ("numbers", "noughts")  # the usual order and line are not in the question


def test_every_family_has_a_reader() -> None:
    assert READERS.keys() == FAMILIES.keys()


@pytest.mark.parametrize("n", [300, pytest.param(1000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("level", [0, *LEVELS])
def test_answers_and_usual_answers_follow_from_the_prompt(level: int, n: int) -> None:
    env = RedefinedRules(level=level)
    for index in range(n):
        row = env.get_task(index).row
        read, prompt = READERS[row["category"]], row["question"]
        assert read(prompt) == row["expected_answer"] != row["usual_answer"], prompt
        if row["category"] not in ASSUMED:
            question = prompt.partition("\n\n")[2]
            assert read(f"{NO_RULES}\n\n{question}") == row["usual_answer"], prompt


UNITS = {"question": "An hour has 40 minutes. How many minutes are 2 hours?", "expected_answer": 80}


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("80 minutes", 1.0), ("**80 minutes**", 1.0), ("80 Minutes.", 1.0), ("80", 1.0),
        ("80 minute", 1.0), ("80 hours", 0.0), ("80 seconds", 0.0), ("120 minutes", 0.0),
        ("80 or 120 minutes", 0.0), ("80 minutes or 120", 0.0), ("not 80 minutes", 0.0),
        ("80 million minutes", 0.0), ("-80 minutes", 0.0), ("minutes", 0.0),
        ("80 minutes minutes", 0.0),
    ],
)  # fmt: skip
def test_a_number_may_have_the_unit_that_is_asked_for(answer: str, reward: float) -> None:
    env = RedefinedRules()
    env.reset(options={"task": UNITS})
    assert env.step(f"Answer: {answer}")[1] == reward
