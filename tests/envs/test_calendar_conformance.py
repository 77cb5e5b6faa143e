"""NeMo Gym's verdicts on recorded and invented calendars, and where they are not followed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import gymnasium
import pytest

import textgym  # noqa: F401  registers the environments

# What is right where the original's verdict is marked as doubtful: case, reward.
OTHERWISE = {
    "diff:016:row0_think_tag": 1.0,
    "diff:026:row0_wrong_names": 1.0,
    "diff:027:row0_no_names": 1.0,
    "diff:061:inv3_think_tag": 1.0,
    "diff:062:inv3_close_think_only": 1.0,
    "diff:064:inv3_final_then_draft": 0.0,  # the last calendar counts
    "diff:072:inv3_no_names": 1.0,
    "diff:094:c_by": 0.0,  # it ends after the time that it has to end by
    "diff:128:c_dur_gold1_true": 0.0,
    "diff:144:dup_id_moved": 0.0,
    "diff:156:wrap_example_first": 1.0,
    "diff:174:both_name_brackets": 1.0,
}
# What is right although the original's verdict is not marked: a text can say a number of minutes.
NOT_FOLLOWED = {"diff:120:c_dur_60": 1.0}


def read_jsonl(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().split("\n") if line]


def play(row: dict[str, Any], action: Any) -> float:
    env = gymnasium.make("textgym/Calendar-v0")
    env.reset(options={"task": row})
    _, reward, terminated, truncated, _ = env.step(action)
    assert (terminated, truncated) == (True, False)
    return float(reward)


def test_every_case_gets_its_verdict(shared: Path) -> None:
    cases = read_jsonl(shared / "conformance" / "calendar.jsonl")
    wrong = []
    for case in cases:
        [action] = case["actions"]
        followed = NOT_FOLLOWED.get(case["case"], case["reward"])
        expected = OTHERWISE[case["case"]] if case.get("suspect") else followed
        reward = play(case["task"], action)
        if reward != expected:
            wrong.append((case["case"], reward, expected))
    assert wrong == []
    assert len(cases) >= 85


def test_the_oracle_plays_rows_as_nemo_gym_ships_them(shared: Path) -> None:
    path = shared / "data" / "nemo_gym" / "calendar" / "example.jsonl"
    env: Any = gymnasium.make("textgym/Calendar-v0", dataset=str(path))
    assert env.unwrapped.num_tasks == 5
    for index in range(5):
        observation, info = env.reset(options={"index": index})
        assert observation[0]["role"] == "system"
        assert observation[-1]["role"] == "user"
        assert info["tools"] == []
        assert env.step(env.unwrapped.solve())[1:4] == (1.0, True, False)


def test_recorded_rollouts_get_their_recorded_rewards(shared: Path) -> None:
    folder = shared / "data" / "nemo_gym" / "calendar"
    rows = {
        row["responses_create_params"]["input"][-1]["content"]: row
        for row in read_jsonl(folder / "example.jsonl")
    }
    records = read_jsonl(folder / "example_rollouts.jsonl")
    for record in records:
        row = rows[record["responses_create_params"]["input"][-1]["content"]]
        said = record["response"]["output"][-1]["content"]
        assert play(row, "".join(part["text"] for part in said)) == record["reward"]
    assert {record["reward"] for record in records} == {0.0, 1.0}


@pytest.mark.parametrize("text", ["<think>not yet", "<think>[]</think>", ""])
def test_reasoning_alone_is_not_an_answer_without_requested_events(text: str) -> None:
    row = {"responses_create_params": {"input": "Hello!"}, "exp_cal_state": {}}
    assert play(row, text) == 0.0
    assert play(row, f"{text}</think>You are welcome.") == 1.0
