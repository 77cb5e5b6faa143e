"""Groups that are no groups, splits that share nearly the same tasks, and frequent answers."""

from __future__ import annotations

import random
from typing import Any

import pytest
from broken_envs import AlwaysC
from sound_envs import WORDS, Judged, Pick, Sum

from textgym import Message, Task, assistant, user
from textgym.checks import CHECKS, Result, make_subject, run_check

SPLITS = "statistical.near_duplicates"
GROUPS = "runtime.group_prompts"
BALANCE = "statistical.answer_balance"


def result(cls: type[Any], id: str) -> Result:
    with make_subject(cls, tasks=20) as subject:
        return run_check(subject, CHECKS[id])


class LongTexts(Judged):
    """Find the first word of a long text."""

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        return {"text": " ".join(rng.choices(WORDS, k=40))}

    def read_row(self, row: dict[str, Any]) -> Task:
        prompt = f"Which word is the first of these: {row['text']}?"
        return Task(row["id"], (user(prompt),), row["text"].split()[0], row=row)


class FewLongTexts(LongTexts):
    """Has four texts, each with a number at its end that changes nothing."""

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        text = " ".join(random.Random(rng.randrange(4)).choices(WORDS, k=40))
        return {"text": f"{text} {rng.randrange(10**6)}"}


def test_training_tasks_that_are_nearly_test_tasks_are_found() -> None:
    pytest.importorskip("datasketch")
    found = result(FewLongTexts, SPLITS)
    assert found.status == "fail"
    assert found.measured["near_duplicates"] > 100
    example = found.evidence[0]
    assert example["test"].startswith("test-")
    assert example["train"].startswith("train-")


def test_texts_that_differ_are_no_near_duplicates() -> None:
    pytest.importorskip("datasketch")
    found = result(LongTexts, SPLITS)
    assert (found.status, found.measured["near_duplicates"]) == ("pass", 0)
    assert found.measured["compared"] > 100


class CountsItsResets(Sum):
    """Greets differently each time."""

    count = 0

    def reset(self, **kwargs: Any) -> Any:
        observation, info = super().reset(**kwargs)
        CountsItsResets.count += 1
        return [user(f"Visit {self.count}."), *observation], info


def test_repeats_with_different_prompts_are_found() -> None:
    assert result(CountsItsResets, GROUPS).detail == "repeats of task 0 have 3 different prompts"
    assert result(Sum, GROUPS).status == "pass"


def test_one_frequent_answer_is_a_warning() -> None:
    found = result(AlwaysC, BALANCE)
    assert (found.status, found.decides) == ("fail", False)
    assert str(found).startswith("warn statistical.answer_balance: one answer is right in 100%")
    assert result(Pick, BALANCE).status == "pass"


class Silent(Sum):
    """Its oracle says nothing."""

    def solve(self) -> Message:
        return assistant("")


def test_an_empty_answer_of_the_oracle_counts_as_one() -> None:
    assert result(Silent, BALANCE).measured["different"] == 1
