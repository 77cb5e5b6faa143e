"""Tasks that are to copy are no shortcut; a place that tells many answers is one."""

from __future__ import annotations

import random
from typing import Any

import pytest
from audit_runs import results_in_process
from sound_envs import Judged

from textgym import Card, Message, Task, assistant, user


class Echo(Judged):
    """Say a word again, which is the task."""

    card = Card("tests/Echo-v0", "Say it again.", chance=0.01)

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        return {"word": "".join(rng.choices("abcdefgh", k=8))}

    def read_row(self, row: dict[str, Any]) -> Task:
        return Task(row["id"], (user(f"Say {row['word']}."),), row["word"], row=row)

    def guess(self, rng: random.Random) -> Message:
        return assistant("tea")


def test_a_task_of_copying_passes_and_is_named_so() -> None:
    pytest.importorskip("sklearn")
    results = results_in_process(Echo, tasks=15)
    assert [str(result) for result in results.values() if result.decides] == []
    result = results["statistical.learned_shortcuts"]
    assert result.measured["copying_solves"] == ["span of the prompt"]
    assert "copying from a fixed place solves the tasks" in result.detail


class OftenFirst(Echo):
    """Asks for the first of two words nine times in ten."""

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        words = ["".join(rng.choices("abcdefgh", k=8)) for _ in range(2)]
        return {"words": words, "place": int(rng.random() < 0.1)}

    def read_row(self, row: dict[str, Any]) -> Task:
        one, other = row["words"]
        place = ("first", "second")[row["place"]]
        prompt = f"Say the {place} of these: {one}, {other}."
        return Task(row["id"], (user(prompt),), row["words"][row["place"]], row=row)


@pytest.mark.slow
def test_a_place_that_tells_most_answers_fails() -> None:
    pytest.importorskip("sklearn")
    results = results_in_process(OftenFirst, quick=False)
    failed = [result.check_id for result in results.values() if result.decides]
    assert failed == ["statistical.learned_shortcuts"]
