"""NeMo Gym's verdicts on recorded and invented solutions, and where they are not followed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import gymnasium
import pytest

import textgym
from textgym.errors import JudgeFailure

# What is right where the original's verdict is doubtful or not followed: case, reward, None for a
# failure of the judge. All other doubtful cases are math-verify's own reading of tuples, sets,
# letters and per cent, which is followed.
OTHERWISE = {
    "diff:170:form_two_boxes_last_right": 1.0,  # the last box corrects the first
    # math-verify reads these unboxed answers in part or not at all
    "test:test_app:TestApp:test_verify_answer#3": 1.0,  # {7 / 5}, which the verifier accepts
    "diff:169:form_fbox": 1.0,
    "diff:180:form_numbers_wrong_last": 0.0,  # "42 apples, then 7 more"
    "diff:202:form_html": 1.0,
    "diff:210:form_math_then_text": 1.0,  # "$42$ is my answer, with 2 steps"
    "diff:256:judge_eq_garbage": None,
    "diff:259:judge_both_eq_first": None,
    "diff:263:judge_empty": None,
    "diff:265:judge_eq_both_ne_first": None,
}

# Answers that are printed in another way than by math-verify.
PRINTED = {
    "diff:097:eq_box", "diff:100:eq_bold", "diff:179:form_last_number", "diff:255:judge_ne",
    "diff:264:judge_md",
}  # fmt: skip


def read_jsonl(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().split("\n") if line]


def play(case: dict[str, Any]) -> tuple[float, dict[str, Any], int]:
    """Play a case; return the reward, the last info, and how many judge's replies are left."""
    replies = list(case.get("judge_replies") or [])
    judge = None if case["config"].get("should_use_judge") is False else replay(replies)
    env = gymnasium.make("textgym/Math-v0", judge=judge, **case["config"])
    env.reset(options={"task": case["task"]})
    _, reward, terminated, _, info = env.step(case["actions"][0])
    assert terminated
    return float(reward), info, len(replies)


def replay(replies: list[str]) -> Any:
    def judge(messages: list[Any]) -> str:
        return replies.pop(0)

    return judge


def test_every_case_gets_its_verdict(shared: Path) -> None:
    cases = read_jsonl(shared / "conformance" / "math_with_judge.jsonl")
    wrong = []
    for case in cases:
        name = case["case"]
        expected = OTHERWISE.get(name, case["reward"])
        if expected is None:
            with pytest.raises(JudgeFailure):
                play(case)
            continue
        reward, info, left = play(case)
        library = info["reward_components"]["library_reward"]
        if reward != expected or (left and name not in OTHERWISE):
            wrong.append((name, reward, expected, left, info))
        if case.get("suspect") or name in OTHERWISE:
            continue
        recorded = {"library_reward": library, "extracted_answer": info["extracted_answer"] or None}
        if name in PRINTED:
            recorded["extracted_answer"] = case["components"]["extracted_answer"]
        if recorded != case["components"]:
            wrong.append((name, recorded, case["components"]))
    assert wrong == []
    assert len(cases) > 100


def test_rows_as_nemo_gym_ships_them(shared: Path) -> None:
    path = shared / "data" / "nemo_gym" / "math_with_judge" / "example.jsonl"
    run = textgym.rollout("textgym/Math-v0", "oracle", env_kwargs={"dataset": str(path)})
    assert run.metrics["overall"]["episodes"] == 5
    assert run.mean_reward == 1.0


def test_recorded_rollouts_get_their_recorded_rewards(shared: Path) -> None:
    folder = shared / "data" / "nemo_gym" / "math_with_judge"
    rows = read_jsonl(folder / "example.jsonl")
    by_prompt = {row["responses_create_params"]["input"][0]["content"]: row for row in rows}
    records = read_jsonl(folder / "example_rollouts.jsonl")
    limit = 60.0  # one of them takes the library eleven seconds on a busy machine
    for record in records:
        said = [part["text"] for item in record["response"]["output"] if item["type"] == "message"
                for part in item["content"]]  # fmt: skip
        verdicts = [
            item["text"]
            for evaluation in record["judge_evaluations"] or []
            for output in evaluation["response"]["output"] if output["type"] == "message"
            for item in output["content"]
        ]  # fmt: skip
        env = gymnasium.make(
            "textgym/Math-v0", judge=replay(verdicts), library_verifier_timeout_seconds=limit
        )
        env.reset(
            options={"task": by_prompt[record["responses_create_params"]["input"][0]["content"]]}
        )
        _, reward, _, _, info = env.step("".join(said))
        assert reward == record["reward"]
        assert info["reward_components"]["library_reward"] == record["library_reward"]
        assert info["extracted_answer"] == record["extracted_answer"]
        assert verdicts == []
    assert len(records) == 5
