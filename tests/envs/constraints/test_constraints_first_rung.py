"""Level 0: one sentence with a given last word."""

from __future__ import annotations

import re
from typing import Any

import pytest
from test_constraints_attacks import spans

from textgym.envs.constraints import Constraints

TASKS = 60


def tasks(split: str = "train") -> list[Any]:
    env = Constraints(level=0, split=split)
    return [env.get_task(index) for index in range(TASKS)]


def word_of(prompt: str) -> str:
    """Read the word that a prompt asks for."""
    found = re.fullmatch(
        r'Write one sentence about the \w+ "[\w ]+"\. Let the last word of your answer be "(\w+)"'
        r"\. Write nothing else\.",
        prompt,
    )
    assert found, prompt
    return found[1]


def reward(env: Constraints, task: Any, text: str) -> float:
    env.reset(options={"task": dict(task.row)})
    return float(env.step(text)[1])


def test_the_oracle_and_any_other_sentence_with_the_word_at_its_end_are_right() -> None:
    env = Constraints()
    for task in tasks():
        word = word_of(task.messages[0]["content"])
        assert task.answer.endswith(f" {word}.")
        for text in (task.answer, f"We saw a {word}.", f"{word.upper()}!", word):
            assert reward(env, task, text) == 1.0, text


def test_what_ends_otherwise_is_wrong() -> None:
    env = Constraints()
    for task, other in zip(tasks(), tasks("test"), strict=True):
        word = word_of(task.messages[0]["content"])
        for text in (
            "", " ", word[:-1], f"{word}s", f"{word} it is", f"{task.answer} Done.",
            f"{task.answer} {other.answer}", other.answer, f"<think>{word}</think>",
        ):  # fmt: skip
            assert reward(env, task, text) == 0.0, text


def test_of_the_parts_of_a_prompt_only_what_ends_with_the_word_is_right() -> None:
    env = Constraints()
    for task in tasks():
        prompt = task.messages[0]["content"]
        word = word_of(prompt)
        paid = {text for text in spans(prompt) if reward(env, task, text)}
        assert paid <= {f'Let the last word of your answer be "{word}".'}
        quoted = re.findall(r'"([\w ]+)"', prompt)
        assert reward(env, task, ", ".join(reversed(quoted))) == 0.0


def test_the_word_decides_the_split() -> None:
    splits = [
        {word_of(task.messages[0]["content"]) for task in tasks(split)}
        for split in ("train", "validation", "test")
    ]
    assert all(len(words) > 10 for words in splits)
    assert len(set().union(*splits)) == sum(map(len, splits))


@pytest.mark.parametrize("mode", ["binary", "fraction"])
def test_a_row_is_one_instruction_without_facts(mode: Any) -> None:
    env = Constraints(level=0, grading_mode=mode)
    env.reset(seed=1)
    assert env.task.row["instruction_id_list"] == ["last_word:last_word_answer"]
    assert env.task.facts.required == env.task.facts.known == env.task.facts.forbidden == ()
    _, found, _, _, info = env.step("Hello.")
    assert (found, info["verdict_reason"]) == (0.0, "wrong")
