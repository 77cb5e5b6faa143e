"""The generated tasks of evaluation splits: distinct, and the same in whatever order."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

import textgym
from textgym.messages import user
from textgym.tasks.task import MAX_DRAWS_OF_A_PROMPT, EvaluationTasks, Task


def draws_of(universe: int) -> Any:
    """Return draws from so many prompts, each index with a stream of its own."""

    def draws(index: int) -> Iterator[Task]:
        rng = random.Random(index)
        while True:
            yield Task(f"task-{index}", (user(str(rng.randrange(universe))),), None)

    return draws


def prompts(tasks: EvaluationTasks, indices: Any, universe: int) -> list[Any]:
    return [tasks.get(index, draws_of(universe)).messages for index in indices]


def test_prompts_are_distinct() -> None:
    assert len(set(map(str, prompts(EvaluationTasks(), range(500), 700)))) == 500


def test_a_first_draw_that_is_new_is_kept() -> None:
    drawn = prompts(EvaluationTasks(), range(500), 10**9)
    assert drawn == [next(draws_of(10**9)(index)).messages for index in range(500)]


def test_the_order_of_calls_does_not_matter() -> None:
    in_order = prompts(EvaluationTasks(), range(300), 350)
    tasks, indices = EvaluationTasks(), list(range(300))
    random.Random(0).shuffle(indices)
    shuffled = dict(zip(indices, prompts(tasks, indices, 350), strict=True))
    assert [shuffled[index] for index in range(300)] == in_order


def test_exhausted_prompts_repeat_without_further_draws() -> None:
    tasks, drawn = EvaluationTasks(), []

    def counted(index: int) -> Iterator[Task]:
        for task in draws_of(10)(index):
            drawn.append(index)
            yield task

    texts = [tasks.get(index, counted).messages[0]["content"] for index in range(50)]
    assert len(set(texts[:10])) == len(set(texts)) == 10
    assert drawn.count(10) == MAX_DRAWS_OF_A_PROMPT
    assert all(drawn.count(index) == 1 for index in range(11, 50))


def test_two_threads_that_draw_at_once_agree() -> None:
    """A thread that is interrupted at each draw finds what the other drew in the meantime."""
    tasks, expected = EvaluationTasks(), prompts(EvaluationTasks(), range(60), 50)
    running = [False]

    def interrupted(index: int) -> Iterator[Task]:
        for task in draws_of(50)(index):
            if not running[0]:
                running[0] = True
                prompts(tasks, range(min(60, index + 3)), 50)
                running[0] = False
            yield task

    drawn = [tasks.get(index, interrupted).messages for index in range(60)]
    assert drawn == expected


class Few(textgym.TextEnv[None]):
    """Has few prompts, most of them drawn often."""

    card = textgym.Card("tests/Few-v0", "Add small numbers.")

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        return {"a": rng.randrange(80), "b": rng.randrange(80)}

    def read_row(self, row: dict[str, Any]) -> Task:
        return Task(row["id"], (user(f"{row['a']} + {row['b']}"),), row["a"] + row["b"], row=row)


@pytest.mark.parametrize("split", ["validation", "test"])
def test_evaluation_tasks_of_an_environment_are_distinct(split: str) -> None:
    env = Few(split=split)
    tasks = [env.get_task(index) for index in range(env.num_tasks or 0)]
    assert len({task.messages[0]["content"] for task in tasks}) == 500
    assert [task.id for task in tasks] == [f"{split}-mixed-{index}" for index in range(500)]


def test_evaluation_tasks_are_shared_and_drawn_once() -> None:
    env, other = Few(split="test"), Few(split="test")
    env.reset(options={"index": 7})
    other.reset(options={"index": 7})
    assert env.task is other.task


def test_changing_an_evaluation_task_changes_no_episode() -> None:
    env = Few(split="test")
    prompt = env.reset(options={"index": 0})[0]
    env.get_task(0).messages[0]["content"] = "spoilt"
    assert Few(split="test").reset(options={"index": 0})[0] == prompt
