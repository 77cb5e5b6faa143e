"""Single-turn environments as tasks of lm-evaluation-harness."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import gymnasium
import pytest
import yaml

import textgym
from textgym.core.text_env import TextEnv
from textgym.errors import JudgeFailure, UsageError
from textgym.integrations.lm_eval import process_results, refusal, write_task
from textgym.messages import user

FIT = ("MCQA", "Math", "RedefinedRules", "EquivalenceJudge", "Constraints", "Haystack")


def documents(folder: Path, name: str) -> list[Any]:
    return [json.loads(line) for line in (folder / f"{name}.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("env", FIT)
def test_its_rewards_are_those_of_the_environment(env: str, tmp_path: Path) -> None:
    id = f"textgym/{env}-v0"
    name, count = write_task(id, tmp_path, 10, split="validation")
    assert count == 10
    own, rng = gymnasium.make(id, split="validation").unwrapped, random.Random(0)
    for index, document in enumerate(documents(tmp_path, name)):
        own.reset(options={"index": index})
        action = own.solve() if index % 2 else own.guess(rng)
        text = action if isinstance(action, str) else action["content"]
        _, reward, _, _, info = own.step(text)
        graded = process_results(document, [text])
        assert graded == {"reward": reward, "success": float(info["is_success"])}
        for message in own.task.messages:
            assert message["content"] in document["prompt"]


def test_the_yaml_is_what_the_harness_reads(tmp_path: Path) -> None:
    name, _ = write_task("textgym/MCQA-v0", tmp_path, 2)
    text = (tmp_path / f"{name}.yaml").read_text()
    assert re.search(r"process_results: !function '?textgym_mcqa_v0\.process_results'?", text)
    settings = yaml.safe_load(text.replace("!function", ""))
    assert settings["task"] == name
    assert settings["output_type"] == "generate_until"
    assert Path(settings["dataset_kwargs"]["data_files"]["test"]).exists()
    assert [metric["metric"] for metric in settings["metric_list"]] == ["reward", "success"]


def test_environments_with_tools_turns_or_pictures_are_refused(tmp_path: Path) -> None:
    for id in textgym.ids(guests=False):
        try:
            env = gymnasium.make(id).unwrapped
            assert isinstance(env, TextEnv)
            why = refusal(env)
        except UsageError:
            continue  # it needs arguments
        if why:
            assert "one text" in why
            with pytest.raises(UsageError, match="one text"):
                write_task(id, tmp_path, 1)
        else:
            assert env.max_turns == 1
    with pytest.raises(UsageError, match="state how many"):
        write_task("textgym/MCQA-v0", tmp_path)


class Echo(TextEnv[None]):
    """An environment that is not registered."""

    card = textgym.Card("tests/UnregisteredEcho-v0", "Repeat a number.")

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        return {"number": rng.randrange(10**9)}

    def read_row(self, row: dict[str, Any]) -> textgym.Task:
        said = user(f"Repeat {row['number']}.")
        return textgym.Task(row["id"], (said,), str(row["number"]), row=row)

    def grade(self) -> textgym.Grade:
        is_right = self.answer_text == self.task.answer
        return textgym.Grade(float(is_right), is_right)


def test_documents_of_a_class_name_the_class(tmp_path: Path) -> None:
    name, _ = write_task("test_lm_eval:Echo", tmp_path, 2)
    for document in documents(tmp_path, name):
        assert process_results(document, [document["answer"]]) == {"reward": 1.0, "success": 1.0}


def test_documents_of_a_data_set_are_graded_in_another_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = {"question": "?", "options": {"A": "1", "B": "2"}, "answer": "A"}
    (tmp_path / "rows.jsonl").write_text(json.dumps(row) + "\n")
    monkeypatch.chdir(tmp_path)
    name, count = write_task("textgym/MCQA-v0", tmp_path / "task", dataset="rows.jsonl")
    assert count == 1
    monkeypatch.chdir(tmp_path / "task")
    (document,) = documents(tmp_path / "task", name)
    assert process_results(document, [r"\boxed{A}"]) == {"reward": 1.0, "success": 1.0}


def test_a_failure_raises(tmp_path: Path) -> None:
    name, _ = write_task("textgym/EquivalenceJudge-v0", tmp_path, 1, judge="test_lm_eval:no_judge")
    with pytest.raises(JudgeFailure):
        process_results(documents(tmp_path, name)[0], ["<answer>nobody knows</answer>"])


async def no_judge(messages: Any) -> str:
    raise ConnectionError("the judge is down")
