"""`dataset=` takes a list of rows."""

from __future__ import annotations

from typing import Any

import gymnasium
import pytest

import textgym
from textgym.envs.mcqa import MCQA
from textgym.errors import DatasetError, RowError, UsageError

ROWS = [
    {"question": "2 + 2?", "options": [{"A": "4"}, {"B": "5"}], "expected_answer": "A", "level": 1},
    {"question": "2 + 3?", "options": [{"A": "4"}, {"B": "5"}], "expected_answer": "B", "level": 2},
]


def test_a_list_of_rows_is_a_data_set() -> None:
    env = MCQA(dataset=ROWS)
    assert (env.num_tasks, env.levels) == (2, (1, 2))
    env.reset(options={"index": 1})
    assert env.task.id == "row-1"
    assert env.step("\\boxed{B}")[1] == 1.0


def test_a_level_selects_rows() -> None:
    env = MCQA(dataset=ROWS, level=2)
    assert env.num_tasks == 1
    assert "2 + 3?" in str(env.get_task(0).messages)


def test_the_spec_keeps_the_rows_and_rollouts_play_them() -> None:
    env = gymnasium.make("textgym/MCQA-v0", dataset=ROWS)
    again = gymnasium.make(gymnasium.envs.registration.EnvSpec.from_json(env.spec.to_json()))  # type: ignore[union-attr]
    assert again.reset(options={"index": 0})[0] == env.reset(options={"index": 0})[0]
    run = textgym.rollout("textgym/MCQA-v0", "oracle", env_kwargs={"dataset": ROWS})
    assert run.mean_reward == 1.0


def test_changed_rows_have_another_digest() -> None:
    (digest,) = MCQA(dataset=ROWS).data_digests.values()
    (other,) = MCQA(dataset=[*ROWS, ROWS[0]]).data_digests.values()
    assert digest != other


@pytest.mark.parametrize(
    ("dataset", "error", "problem"),
    [
        ([], DatasetError, "the list is empty"),
        ([1], RowError, "must hold rows"),
        ([{"question": "?"}], RowError, "row 0 of the list"),
        ({"question": "?"}, UsageError, "a hub id, a list of rows"),
        (7, UsageError, "a hub id, a list of rows"),
    ],
)
def test_what_is_no_list_of_rows_is_refused(
    dataset: Any, error: type[Exception], problem: str
) -> None:
    with pytest.raises(error, match=problem):
        MCQA(dataset=dataset)
