"""Level 0: four sentences, and a question about one of them."""

from __future__ import annotations

import random
import re
from collections import Counter
from typing import Any

import pytest
from haystack_reader import first_answer

from textgym.envs.haystack import Haystack
from textgym.tasks.task import split_of


def tasks(count: int, split: str = "train") -> list[Any]:
    env = Haystack(level=0, split=split)
    return [env.get_task(index) for index in range(count)]


def reward(env: Haystack, task: Any, text: str) -> float:
    env.reset(options={"task": dict(task.row)})
    return float(env.step(text)[1])


def test_the_answer_is_in_the_sentence_with_the_words_of_the_question() -> None:
    kinds: Counter[str] = Counter()
    places: Counter[int] = Counter()
    for task in tasks(300):
        prompt = task.messages[0]["content"]
        place, answer = first_answer(prompt)
        assert task.answer == [answer], prompt
        assert len(prompt) < 400
        kinds[task.row["asks"]] += 1
        places[place] += 1
    assert kinds.keys() == {"city", "code", "name", "day"}
    assert min(kinds.values()) > 45
    assert places.keys() == {0, 1, 2, 3}
    assert min(places.values()) > 45


def test_the_oracle_is_right_and_no_other_value_or_list_of_values_is() -> None:
    env = Haystack()
    for task in tasks(40):
        prompt = task.messages[0]["content"]
        [right] = task.answer
        lines = prompt.split("\n")[:4]
        values = [line.rstrip(".").split()[-1] for line in lines]
        assert right in values
        assert len({*values}) == 4
        for text in (f"Answer: {right}", right, f"It is easy.\nAnswer: **{right.upper()}**."):
            assert reward(env, task, text) == 1.0, text
        wrong = [value for value in values if value != right]
        for text in (
            "", "Answer:", prompt, *lines, *wrong, *(f"Answer: {value}" for value in wrong),
            f"Answer: {', '.join(values)}", f"Answer: {right} or {wrong[0]}",
            f"Answer: not {right}", f"Answer: {right}\nAnswer: {wrong[0]}",
            f"<think>Answer: {right}</think>",
        ):  # fmt: skip
            assert reward(env, task, text) == 0.0, text


@pytest.mark.parametrize("split", ["train", "validation", "test"])
def test_the_question_decides_the_split(split: str) -> None:
    env = Haystack(split=split, level=0)
    for task in tasks(60, split):
        assert split_of(env.canonical(dict(task.row))) == split
        assert task.row["question"] in task.row["prompt"]


def test_guesses_are_values_and_are_seldom_right() -> None:
    env = Haystack(level=0)
    rng = random.Random(0)
    won = 0.0
    for index in range(200):
        env.reset(options={"index": index})
        guess = env.guess(rng)
        assert re.fullmatch(r"Answer: \w+", str(guess["content"]))
        won += float(env.step(guess)[1])
    assert won < 25


def test_the_length_does_not_matter() -> None:
    assert Haystack(level=0, length=20_000).get_task(3) == Haystack(level=0).get_task(3)
