"""NeMo Gym's verdicts on recorded and invented replies, and where they are not followed."""

from __future__ import annotations

import json
from pathlib import Path

import gymnasium
import pytest

import textgym

# What is right where the original's verdict is marked as doubtful: case, reward.
OTHERWISE = {
    "test:test_app:TestGradingModeAnswerColonMD:test_markdown_bold_no_match_old_regex#1": 1.0,
    "diff:014:strict_mathrm": 1.0,
    "diff:015:strict_textbf": 1.0,
    "diff:035:strict_lower": 0.0,  # a lower-case letter is refused in both boxed modes
    "diff:050:strict_unclosed_after_good": 1.0,
    "diff:082:strict_think_only": 0.0,
    "diff:100:abbrev_text_wrong_credit": 0.0,
    "diff:128:lenientbox_negated": 0.0,
    "diff:166:colon_bold": 1.0,
    "diff:180:colon_two_last_right": 0.0,  # the mode reads the first answer line
    "diff:184:colon_template_echo": 1.0,
    "diff:185:colon_template_echo": 1.0,
    "diff:216:md_ithink": 1.0,
    "diff:218:md_article": 1.0,
    "diff:219:md_article": 1.0,
}
# What is right although the original's verdict is not marked: TeX ignores a blank there.
NOT_FOLLOWED = {"diff:072:strict_space_before_brace": 1.0}
NO_ANSWER = "diff:104:gold_empty"


def read_jsonl(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().split("\n") if line]


def play(case: dict) -> tuple[float, dict]:
    env = gymnasium.make("textgym/MCQA-v0", **case["config"])
    env.reset(options={"task": case["task"]})
    for action in case["actions"]:
        _, reward, terminated, truncated, info = env.step(action)
        if terminated or truncated:
            return reward, info
    raise AssertionError("the case does not end the episode")


def test_every_case_gets_its_verdict(shared: Path) -> None:
    cases = read_jsonl(shared / "conformance" / "mcqa.jsonl")
    wrong = []
    for case in cases:
        if case["case"] == NO_ANSWER:
            with pytest.raises(textgym.errors.RowError, match="'answer' is missing"):
                play(case)
            continue
        followed = NOT_FOLLOWED.get(case["case"], case["reward"])
        expected = OTHERWISE[case["case"]] if case.get("suspect") else followed
        reward, info = play(case)
        if reward != expected:
            wrong.append((case["case"], reward, expected, info["extracted_answer"]))
    assert wrong == []
    assert len(cases) > 100


@pytest.mark.parametrize("name", ["example", "example_with_template_metadata"])
def test_rows_as_nemo_gym_ships_them(shared: Path, name: str) -> None:
    path = shared / "data" / "nemo_gym" / "mcqa" / f"{name}.jsonl"
    env = gymnasium.make("textgym/MCQA-v0", dataset=str(path))
    assert env.unwrapped.num_tasks == 5
    for index in range(5):
        env.reset(options={"index": index})
        assert env.step(env.unwrapped.solve())[1] == 1.0


def test_recorded_rollouts_get_their_recorded_rewards(shared: Path) -> None:
    folder = shared / "data" / "nemo_gym" / "mcqa"
    different = 0
    for suffix in ("", "_with_template_metadata"):
        rows = read_jsonl(folder / f"example{suffix}.jsonl")
        by_prompt = {row["responses_create_params"]["input"][0]["content"]: row for row in rows}
        for record in read_jsonl(folder / f"example_rollouts{suffix}.jsonl"):
            prompt = record["responses_create_params"]["input"][0]["content"]
            texts = [
                part["text"]
                for item in record["response"]["output"]
                if item["type"] == "message"
                for part in item["content"]
            ]
            env = gymnasium.make("textgym/MCQA-v0")
            env.reset(options={"task": by_prompt[prompt]})
            different += env.step("".join(texts))[1] != record["reward"]
    assert different == 1  # the one that is known to be stale
