"""`textgym.grade`: recorded answers graded without a model, and compared with their verdicts."""

from __future__ import annotations

import gzip
import json
import math
from pathlib import Path
from typing import Any

import pytest

import textgym
from textgym.errors import JudgeFailure, RunError, UsageError
from textgym.rescoring.agreement import Agreement, share_interval

MCQA, MATH = "textgym/MCQA-v0", "textgym/Math-v0"
OPTIONS = {"A": "neon", "B": "zinc", "C": "argon"}


def choice(output: Any, correct: Any = None, **more: Any) -> dict[str, Any]:
    return {"question": "Which is a metal?", "options": OPTIONS, "answer": "B", "output": output,
            "correct": correct, **more}  # fmt: skip


CHOICES = [
    choice("\\boxed{B}", True),
    choice("\\boxed{A}", False),
    choice("\\boxed{A}", True),
    choice("\\boxed{B}", False),
    choice("", False),
    choice("I'm sorry, I can't help with that.", False),
    choice("\\boxed{A or B}", None),
    choice("Zinc.", None),
    choice(None, True),
    choice("\\boxed{B}", True, answer="X"),
]


def test_figures() -> None:
    found = textgym.grade(CHOICES, MCQA)
    assert (found.graded, found.right, found.mean_reward) == (8, 2, 0.25)
    assert found.reasons == {
        "wrong": 2, "empty": 1, "refused": 1, "several_answers": 1, "unreadable": 1,
    }  # fmt: skip
    assert found.problems.total() == 2
    assert found.agreement == Agreement(both_right=1, both_wrong=3, only_new=1, only_recorded=1)
    assert [answer.place for answer in found.differences] == ["record 2", "record 3"]
    assert len(textgym.grade(CHOICES, MCQA, keep=1).differences) == 1
    figures = found.as_dict()
    assert json.loads(json.dumps(figures)) is not None
    assert figures["right_interval"][0] < 0.25 < figures["right_interval"][1]


def test_answers_come_in_order_with_their_grades() -> None:
    seen: list[Any] = []
    textgym.grade(CHOICES, MCQA, on_answer=seen.append)
    assert [answer.place for answer in seen] == [f"record {n}" for n in range(10)]
    assert [answer.reward for answer in seen] == [1, 0, 0, 1, 0, 0, 0, 0, None, None]
    assert seen[0].components == {"correct": 1.0, "answered": 1.0}
    assert (seen[1].extracted_answer, seen[1].verdict_reason) == ("A", "wrong")
    assert "'answer'" in seen[9].problem


def test_files(tmp_path: Path) -> None:
    textgym.grade(CHOICES, MCQA, out=tmp_path / "out", keep=0)
    lines = (tmp_path / "out/graded.jsonl").read_text().splitlines()
    assert [json.loads(line)["is_success"] for line in lines][:5] == [
        True, False, False, True, False,
    ]  # fmt: skip
    assert json.loads((tmp_path / "out/summary.json").read_text())["graded"] == 8
    text = (tmp_path / "out/differences.txt").read_text()
    assert text.count("====") == 2
    assert "recorded: right\nnow: wrong, reward 0" in text
    assert "Which is a metal?" in text
    with pytest.raises(RunError, match="not an empty folder"):
        textgym.grade(CHOICES, MCQA, out=tmp_path / "out")


def test_hostile_texts_are_written(tmp_path: Path) -> None:
    texts = ["\ud800 \\boxed{A}", "\x00\x1b[31m", "<think>" * 1000, "\\boxed{" * 5000]
    found = textgym.grade([choice(text, True) for text in texts], MCQA, out=tmp_path)
    assert (found.graded, found.right) == (4, 0)


def test_arguments_of_the_environment() -> None:
    records = [choice("The answer is (B). Q: Next? The answer is (A).", True)]
    regex = r"answer is \(?([A-C])\)?"
    last = textgym.grade(records, MCQA, env_kwargs={"output_regex": regex})
    first = textgym.grade(
        records, MCQA, env_kwargs={"output_regex": regex, "output_regex_match": "first"}
    )
    assert (last.right, first.right) == (0, 1)


def test_mathematics_in_threads() -> None:
    records = [
        {"problem": f"What is {n} + 1?", "solution": "", "gold": n + 1, "prediction": text,
         "is_correct": n % 2}
        for n in range(60)
        for text in [f"\\boxed{{{n + 1}}}" if n % 2 else f"\\boxed{{{n}}}"]
    ]  # fmt: skip
    seen: list[Any] = []
    found = textgym.grade(records, MATH, concurrency=4, on_answer=seen.append)
    assert (found.right, found.agreement.rate, found.agreement.kappa) == (30, 1.0, 1.0)
    assert [answer.place for answer in seen] == [f"record {n}" for n in range(60)]


def test_answers_of_a_batch_take_the_tasks_of_a_data_set(tmp_path: Path) -> None:
    tasks = tmp_path / "tasks.jsonl"
    rows = [{"id": f"q{n}", "question": "?", "options": OPTIONS, "answer": "ABC"[n]}
            for n in range(3)]  # fmt: skip
    tasks.write_text("".join(json.dumps(row) + "\n" for row in rows))
    records = [
        {"custom_id": f"q{n}", "error": None, "response": {"body": {"choices": [
            {"message": {"role": "assistant", "content": "\\boxed{C}"}}]}}}
        for n in (2, 0, 7)
    ]  # fmt: skip
    found = textgym.grade(records, MCQA, env_kwargs={"dataset": str(tasks)})
    assert (found.graded, found.right) == (2, 1)
    assert found.problems == {"the data set has no task with its id": 1}


@pytest.mark.parametrize("given", ["folder", "file", "records"])
def test_own_runs(tmp_path: Path, given: str) -> None:
    run = textgym.rollout(MCQA, "random", episodes=20, out=tmp_path / "run")
    answers: Any = {
        "folder": tmp_path / "run",
        "file": tmp_path / "run/trajectories.jsonl",
        "records": run.trajectories(),
    }[given]
    found = textgym.grade(answers, MCQA)
    assert (found.graded, found.agreement.agreed) == (20, 20)
    assert found.mean_reward == run.mean_reward


@pytest.mark.parametrize(
    ("records", "env", "options", "problem"),
    [
        ([], MCQA, {}, "has no answers"),
        ([choice(None)], MCQA, {}, "text"),
        ([choice("x", answer=None)], MCQA, {}, "answer"),
        ([choice("x")], "textgym/MultiStep-v0", {}, "single-step"),
        ([choice("x")], "textgym/Nothing-v0", {}, "Nothing"),
        ([choice("x")], MCQA, {"concurrency": 0}, "concurrency"),
        ([choice("x")], MCQA, {"env_kwargs": {"shot": 1}}, "shot"),
        ([choice("x")], MCQA, {"columns": {"output": "said"}}, "'said'"),
    ],
)
def test_mistakes(records: Any, env: str, options: Any, problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        textgym.grade(records, env, **options)


def test_a_judge_that_is_down_gives_no_grade() -> None:
    failures = [1]

    def judge(messages: Any) -> str:
        if failures and failures.pop():
            raise JudgeFailure("down")
        return "[[A=B]]"

    record = {"question": "Who?", "answer": "Melville", "output": "Herman M."}
    options = {"judge": judge}
    kept = textgym.grade([record], "textgym/EquivalenceJudge-v0", env_kwargs=options)
    assert kept.right == 1
    failures += [1] * 50
    record["output"] = "H. Melville"
    with pytest.raises(UsageError, match="judge: down"):
        textgym.grade([record], "textgym/EquivalenceJudge-v0", env_kwargs=options, retries=1)


def test_kappa_and_intervals() -> None:
    # The example of Cohen's kappa in Fleiss, Levin and Paik (2003): 0.4 of 50 grants.
    assert Agreement(20, 15, 5, 10).kappa == pytest.approx(0.4)
    assert Agreement().kappa is None
    assert Agreement(both_right=5).kappa is None
    assert Agreement(only_new=5, only_recorded=5).kappa == pytest.approx(-1)
    # Wilson's interval of 8 of 10, and of none and all.
    assert share_interval(8, 10) == pytest.approx((0.4902, 0.9433), abs=1e-4)
    low, high = share_interval(0, 20) or (math.nan, math.nan)
    assert (low, round(high, 3)) == (0.0, 0.161)
    assert share_interval(0, 0) is None
    assert share_interval(1, 1) is not None


def test_recorded_verdicts_of_a_file(shared: Path) -> None:
    path = shared / "data/recorded/mmlu_pro/Meta-Llama-3-70B.jsonl.gz"
    if not path.exists():
        pytest.skip("no recorded answers")
    with gzip.open(path) as lines:
        count = sum(1 for _ in lines)
    settings = {"output_regex": r"(?-i:answer is \(?([A-J])\)?)", "output_regex_match": "first"}
    found = textgym.grade(path, MCQA, env_kwargs=settings)
    assert found.graded == found.agreement.agreed == count
