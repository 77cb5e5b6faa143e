"""The right answers of stored episodes: drawn again, and never those of another task."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest

import textgym
from textgym.errors import DatasetError, UsageError
from textgym.rescoring.answers import TaskAnswers

MCQA = "textgym/MCQA-v0"
ROW = {"question": "Which is a metal?", "options": {"A": "neon", "B": "zinc"}, "answer": "B"}


def played(env: Any = MCQA, **options: Any) -> Any:
    """The last trajectory of a run of the oracle."""
    return [*textgym.rollout(env, "oracle", **{"episodes": 2, **options}).trajectories()][-1]


def answer(trajectory: Any, **config: Any) -> Any:
    with TaskAnswers(config) as answers:
        return answers.find(trajectory)


@pytest.mark.parametrize("id", textgym.ids(guests=False))
def test_the_answer_is_that_of_the_task_with_the_index(id: str) -> None:
    task = gym.make(id, split="test").unwrapped.get_task(1)
    trajectory = played(id, env_kwargs={"split": "test"}, concurrency=1)
    assert answer(trajectory) == task.answer


def test_arguments_of_the_episode_decide_the_task() -> None:
    trajectory = played(env_kwargs={"split": "test", "level": 5})
    task = gym.make(MCQA, split="test", level=5).unwrapped.get_task(1)
    assert answer(trajectory) == task.answer


def test_the_row_of_a_data_set_is_read_again(tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text(json.dumps(ROW) + "\n" + json.dumps({**ROW, "answer": "A"}) + "\n")
    trajectory = played(env_kwargs={"dataset": str(rows)})
    assert answer(trajectory) == "A"
    rows.write_text(json.dumps(ROW) + "\n" + json.dumps({**ROW, "question": "Which?"}) + "\n")
    with pytest.raises(UsageError, match="the task has changed since the run was played"):
        answer(trajectory)
    rows.unlink()
    with pytest.raises(DatasetError, match="is missing"):
        answer(trajectory)


def test_a_row_that_was_given_as_a_task_is_the_stored_one() -> None:
    env = gym.make(MCQA)
    prompt, info = env.reset(options={"task": ROW})
    trajectory = {**played(), "messages": prompt, "task_id": info["task_id"], "task_index": 0}
    assert answer(trajectory, given_tasks={MCQA: [ROW]}) == "B"


def test_an_episode_that_failed_before_its_prompt_has_an_answer() -> None:
    trajectory = played()
    assert answer({**trajectory, "messages": [], "task_id": None}) == answer(trajectory)


def test_an_environment_that_tells_no_answer_says_so() -> None:
    with pytest.raises(UsageError, match="CartPole-v1 have no answers"):
        answer({**played(), "env_id": "CartPole-v1", "env_kwargs": {}})


def test_environments_are_made_once_and_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []
    make = textgym.rescoring.answers.make
    monkeypatch.setattr(
        textgym.rescoring.answers, "make", lambda *a, **k: made.append(make(*a, **k)) or made[-1]
    )
    closed: list[Any] = []
    trajectory = played()
    with TaskAnswers({}) as answers:
        answers.find(trajectory)
        answers.find(trajectory)
        monkeypatch.setattr(made[0].unwrapped, "close", lambda: closed.append(1))
    assert (len(made), closed) == (1, [1])
