"""What textgym writes for verl, and its advantages; verl itself is in test_verl.py."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from textgym.errors import UsageError
from textgym.rollouts.player import EpisodePlayer
from textgym.training.verl import write_dataset
from textgym.training.verl.advantages import group_advantages
from textgym.training.verl.samples import make_sample

datasets = pytest.importorskip("datasets")

GUESS, MCQA = "textgym/GuessNumber-v0", "textgym/MCQA-v0"


def read(path: Path) -> list[dict[str, Any]]:
    return list(datasets.Dataset.from_parquet(str(path)))


def test_rows_name_tasks_that_can_be_played(tmp_path: Path) -> None:
    path = write_dataset(
        tmp_path / "val.parquet",
        {GUESS: 0.5, MCQA: 0.5},
        4,
        split="validation",
        env_kwargs={GUESS: {"highest": 4}},
    )
    rows = read(path)
    assert [row["data_source"] for row in rows].count(MCQA) == 2
    assert [row["extra_info"]["index"] for row in rows] == [0, 1, 2, 3]
    for row in rows:
        task = row["extra_info"]
        assert (row["agent_name"], task["split"]) == ("textgym", "validation")
        made_with = json.loads(task["made_with"])
        with EpisodePlayer(task["environment"], **made_with) as player:
            env = player.samples[row["data_source"]]
            assert env.unwrapped.split == "validation"
            observation, _ = env.reset(options={"index": task["task_index"]})
        assert row["prompt"][-1]["content"] == observation[-1]["content"]


def test_own_environment_keeps_the_name_by_which_it_is_imported(tmp_path: Path) -> None:
    rows = read(write_dataset(tmp_path / "x.parquet", "textgym.envs.mcqa:MCQA", 1))
    assert rows[0]["extra_info"]["environment"] == "textgym.envs.mcqa:MCQA"
    assert rows[0]["data_source"] == MCQA


def test_values_that_a_file_cannot_hold_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="must be values of JSON"):
        write_dataset(tmp_path / "x.parquet", MCQA, 1, wrappers=[lambda env: env])


def test_untrained_samples_do_not_count_in_their_group() -> None:
    scores, trained = [1.0, 0.0, 0.0, 1.0], [True, True, False, True]
    advantages = group_advantages(scores, ["a", "a", "a", "b"], trained, by_std=False)
    assert advantages == [0.5, -0.5, 0.0, 0.0]


def test_group_of_failures_has_no_advantage() -> None:
    assert group_advantages([0.0, 0.0], "aa", [False, False], by_std=True) == [0.0, 0.0]


def test_failed_episode_is_a_sample_without_trained_tokens() -> None:
    with EpisodePlayer(GUESS) as player:
        (trajectory,) = player.play("oracle", [(GUESS, 0, 0)])  # type: ignore[list-item]
    trajectory["failure"] = {"kind": "judge", "message": "down"}  # type: ignore[typeddict-item]
    sample = make_sample(trajectory, filler_id=9, response_length=5, has_logprobs=True)
    assert (sample.response_ids, sample.response_mask, sample.reward_score) == ([9], [0], 0.0)
    assert sample.figures["failed"] == 1.0
