"""What textgym writes for verl, and its advantages; verl itself is in test_verl.py."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from textgym.errors import TrainingError, UsageError
from textgym.rollouts.player import EpisodePlayer
from textgym.training.tasks import key_of, task_rows
from textgym.training.verl import write_dataset
from textgym.training.verl.samples import left_out, make_samples, trained_advantages

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


def test_path_of_a_data_set_is_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    row = {"highest": 5, "turns": 3, "number": 5}
    (tmp_path / "numbers.jsonl").write_text(json.dumps(row) + "\n")
    monkeypatch.chdir(tmp_path)
    (made,) = task_rows(GUESS, 1, env_kwargs={"dataset": "numbers.jsonl"})
    monkeypatch.chdir("/")
    with EpisodePlayer(made["environment"], **json.loads(made["made_with"])) as player:
        (episode,) = player.play("random", [key_of(made)])
    assert episode["failure"] is None


def test_values_that_a_file_cannot_hold_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="must be JSON values"):
        write_dataset(tmp_path / "x.parquet", MCQA, 1, wrappers=[lambda env: env])


def test_untrained_samples_do_not_count_in_their_group() -> None:
    scores, trained = [1.0, 0.0, 0.0, 1.0], [True, True, False, True]
    advantages = trained_advantages(scores, ["a", "a", "a", "b"], trained, by_std=False)
    assert advantages.tolist() == [0.5, -0.5, 0.0, 0.0]


def test_group_of_failures_has_no_advantage() -> None:
    assert not trained_advantages([0.0, 0.0], "aa", [False, False], by_std=True).any()


DOWN = {"boundary": "judge", "type": "JudgeFailure", "message": "down"}


def episode(*steps: tuple[list[int], list[int]], failure: Any = None) -> Any:
    """Return what verl gets of an episode with these prompts and sampled tokens."""
    return {
        "env_id": GUESS,
        "policy": "mine",
        "steps": [
            {"message_index": 1, "prompt_ids": prompt, "token_ids": sampled, "logprobs": [-0.5]}
            for prompt, sampled in steps
        ],
        "messages": [{"role": "user", "content": "Guess"}],
        "reward": None if failure else 1.0,
        "is_success": not failure,
        "truncated": False,
        "failure": failure,
    }


def test_split_episode_has_a_sample_for_each_sequence() -> None:
    split = episode(([1, 2], [3]), ([1, 4], [5]))
    samples = make_samples(split, response_length=5, has_logprobs=True)
    assert [sample.prompt_ids for sample in samples] == [[1, 2], [1, 4]]
    assert [sample.response_ids for sample in samples] == [[3], [5]]
    assert {(sample.reward_score, sample.figures["split"]) for sample in samples} == {(1.0, 1.0)}


@pytest.mark.parametrize(
    ("trajectory", "problem"),
    [
        (episode(([1], [2]), failure=DOWN), "no reward: JudgeFailure .judge.: down"),
        (episode(), "nothing was sampled"),
        (episode(([1], [2]), ([1, 2, 3, 4], [5])), "does not fit into response_length"),
    ],
    ids=["failed", "empty", "too long"],
)
def test_episode_that_is_not_trained_on_is_left_out(trajectory: Any, problem: str) -> None:
    with pytest.raises(TrainingError, match=problem):
        make_samples(trajectory, response_length=3, has_logprobs=True)
    sample = left_out(trajectory, filler_id=9, has_logprobs=True)
    assert (sample.response_ids, sample.response_mask, sample.reward_score) == ([9], [0], 0.0)
    assert sample.figures["failed"] == float(trajectory["failure"] is not None)
