"""NeMo Gym's verdicts on recorded and invented calls of its two small tool environments."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import gymnasium
import pytest

import textgym  # noqa: F401  registers the environments

IDS = {
    "example_multi_step": "textgym/MultiStep-v0",
    "example_session_state_mgmt": "textgym/SessionState-v0",
}

OTHERWISE = {"diff:015:bool"}  # the original takes true for the count 1


def read_jsonl(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().split("\n") if line]


def play(id: str, row: dict[str, Any], actions: list[Any]) -> tuple[float, dict[str, Any], list]:
    """Play a row; return the reward, the last info, and what the tools said."""
    env = gymnasium.make(id)
    env.reset(options={"task": row})
    for action in actions:
        messages, reward, terminated, truncated, info = env.step(action)
        if terminated or truncated:
            told = [item["content"] for item in messages if item["role"] == "tool"]
            return float(reward), info, told
    raise AssertionError("the case does not end the episode")


@pytest.mark.parametrize("name", IDS)
def test_every_case_gets_its_verdict(shared: Path, name: str) -> None:
    """The doubtful ones too: nothing in them is against the task."""
    cases = read_jsonl(shared / "conformance" / f"{name}.jsonl")
    wrong = []
    for case in cases:
        if case["case"] in OTHERWISE:
            continue
        reward, _, _ = play(IDS[name], case["task"], case["actions"])
        if reward != case["reward"]:
            wrong.append((case["case"], reward, case["reward"]))
    assert wrong == []
    assert len(cases) >= 20


def test_the_components_are_those_of_the_original(shared: Path) -> None:
    for case in read_jsonl(shared / "conformance" / "example_multi_step.jsonl"):
        expected = case["components"]
        del expected["parsed_synonym_values"]
        _, info, _ = play(IDS["example_multi_step"], case["task"], case["actions"])
        assert info["reward_components"] == expected, case["case"]


def test_the_counter_answers_as_the_original_does(shared: Path) -> None:
    for case in read_jsonl(shared / "conformance" / "example_session_state_mgmt.jsonl"):
        if case["case"] in OTHERWISE:
            continue
        _, _, told = play(IDS["example_session_state_mgmt"], case["task"], case["actions"])
        expected = case.get("components", {}).get("tool_outputs", [])
        assert len(told) == len(expected), case["case"]
        for text, output in zip(told, expected, strict=True):
            if "status" in output:  # an error of HTTP there, a text to the model here
                assert text.startswith("Error: "), case["case"]
            else:
                assert json.loads(text) == output, case["case"]


@pytest.mark.parametrize("name", IDS)
def test_rows_as_nemo_gym_ships_them(shared: Path, name: str) -> None:
    path = shared / "data" / "nemo_gym" / name / "example.jsonl"
    env: Any = gymnasium.make(IDS[name], dataset=str(path))
    assert env.unwrapped.num_tasks == 5
    for index in range(5):
        env.reset(options={"index": index})
        ended = False
        while not ended:
            _, reward, terminated, truncated, _ = env.step(env.unwrapped.solve())
            ended = terminated or truncated
        assert (reward, terminated) == (1.0, True)


def as_actions(output: list[dict[str, Any]]) -> list[Any]:
    """Turn recorded Responses items into the messages that they stand for."""
    actions: list[Any] = []
    for item in output:
        if item["type"] == "function_call":
            call = {"function": {"name": item["name"], "arguments": item["arguments"]}}
            actions.append({"role": "assistant", "content": None, "tool_calls": [call]})
        elif item["type"] == "message":
            actions.append("".join(part["text"] for part in item["content"]))
    return actions


@pytest.mark.parametrize("name", IDS)
def test_recorded_rollouts_get_their_rewards_and_their_tools_words(shared: Path, name: str) -> None:
    folder = shared / "data" / "nemo_gym" / name
    rows = read_jsonl(folder / "example.jsonl")
    by_question = {row["responses_create_params"]["input"][-1]["content"]: row for row in rows}
    records = read_jsonl(folder / "example_rollouts.jsonl")
    for record in records:
        row = by_question[record["responses_create_params"]["input"][-1]["content"]]
        output = record["response"]["output"]
        reward, _, told = play(IDS[name], row, as_actions(output))
        assert reward == record["reward"]
        assert told == [i["output"] for i in output if i["type"] == "function_call_output"]
    assert len(records) == 5
