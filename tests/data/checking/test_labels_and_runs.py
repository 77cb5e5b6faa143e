"""Labels that an environment or stored runs dispute, and the two libraries of MinHash."""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

import textgym
from textgym import Card, Grade, Task, TextEnv, assistant, user
from textgym.data.checking import Report, check_files
from textgym.data.checking.twins import minhash_index
from textgym.policies import Action, Policy

Row = dict[str, Any]
HERE = __name__


class Word(TextEnv[None]):
    """Say a word. What is accepted depends on the word, as faulty environments do."""

    card = Card("demo/Word-v0", "Say a word.")

    def read_row(self, row: Row) -> Task:
        if row.get("crash"):
            raise ZeroDivisionError("a bug")
        return Task(row["id"], (user(f"Say {row['clue']}."),), row["word"], row=row)

    def grade(self) -> Grade:
        said, word = self.answer_text, self.task.answer
        right = said == word or (word == "anything" and bool(said)) or (word == "9" and said == "7")
        reward = float(right)
        components = {"right": reward}
        if word == "half" and said and not right:
            reward, components = 0.5, {"right": 0.0, "begun": 0.5}
        if word == "bonus" and said and not right:
            reward = 0.5
        if word == "broken" and said == word:
            raise ZeroDivisionError("a bug")
        return Grade(reward, right, components, said)

    def solve(self) -> Any:
        return assistant(self.task.answer)

    def guess(self, rng: Any) -> Any:
        return assistant(rng.choice(["tea", "milk", "7"]))


class Silent(Word):
    """It has no oracle."""

    card = Card("demo/Silent-v0", "Say a word.")
    solve = TextEnv.solve


def write(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def words(*texts: str) -> list[Row]:
    return [{"clue": f"word {number}", "word": text} for number, text in enumerate(texts)]


def reasons(report: Report, kind: str) -> list[tuple[int | None, str]]:
    return [(f.place.number, f.reason) for f in report.findings() if f.kind == kind]


@pytest.mark.parametrize(
    ("word", "is_found"),
    [("anything", True), ("bonus", True), ("9", True), ("half", False), ("star", False)],
)
def test_wrong_answers_that_are_accepted(tmp_path: Path, word: str, is_found: bool) -> None:
    # Wrong answers are drawn, so each row is there many times.
    rows = words(*(f"w{number}" for number in range(20)), *[word] * 30)
    report = check_files([write(tmp_path / "rows.jsonl", rows)], f"{HERE}:Word", examples=None)
    found = reasons(report, "label_wrong_accepted")
    assert bool(found) is is_found
    assert all(place is not None and place > 20 for place, _ in found)
    assert report.total == len(found)


def test_the_reason_names_the_wrong_answer(tmp_path: Path) -> None:
    rows = words(*["9"] * 20)
    report = check_files([write(tmp_path / "rows.jsonl", rows)], f"{HERE}:Word", examples=None)
    assert {reason for _, reason in reasons(report, "label_wrong_accepted")} == {
        "'7' earns 1, and the answer is '9'"
    }


def test_failures_of_an_environment_are_findings(tmp_path: Path) -> None:
    rows: list[Row] = [*words("sun", "broken"), {"clue": "x", "word": "y", "crash": True}]
    report = check_files([write(tmp_path / "rows.jsonl", rows)], f"{HERE}:Word")
    assert [(f.kind, f.place.number, f.reason) for f in report.findings()] == [
        ("schema", 3, "cannot be read: ZeroDivisionError: a bug"),
        ("label_unreadable", 2, "cannot be graded: ZeroDivisionError: a bug"),
    ]


def test_without_an_oracle_labels_are_not_verified(tmp_path: Path) -> None:
    report = check_files([write(tmp_path / "rows.jsonl", words("sun"))], f"{HERE}:Silent")
    assert report.labels.verified == 0
    assert report.labels.unverified == "demo/Silent-v0 has no oracle (solve)"
    assert not report.failed(strict=True)


class Recorded(Policy):
    """It says what a model said."""

    def __init__(self, name: str, said: Mapping[str, str]) -> None:
        self.name, self._said = name, said

    async def act(
        self, messages: Any, tools: Any, *, prior: Any = None, seed: Any = None
    ) -> Action:
        question = str(messages[0]["content"])
        return Action(
            assistant(next((said for asked, said in self._said.items() if asked in question), ""))
        )


def play(path: Path, env: str, **answers: Mapping[str, str]) -> list[Path]:
    """Play the rows of a file, and return the folder of each run."""
    folders = []
    for name, said in answers.items():
        folders.append(path.with_name(name))
        textgym.rollout(
            env, Recorded(name, said), env_kwargs={"dataset": str(path)}, out=folders[-1]
        )
    return folders


SUMS = {"2 + 2": "4", "2 + 3": "5", "1 / 2": "0.6", "2 * 3": "6", "8 - 1": "7"}


def test_runs_that_agree_on_another_answer(tmp_path: Path) -> None:
    rows = [{"question": f"What is {ask}?", "expected_answer": gold} for ask, gold in SUMS.items()]
    path = write(tmp_path / "rows.jsonl", rows)
    runs = play(
        path,
        "textgym/Math-v0",
        one={"2 + 2": "I do not know.", "2 + 3": "\\boxed{6}", "1 / 2": "\\boxed{0.5}"},
        two={"2 + 2": "\\boxed{5}", "2 + 3": "\\boxed{7}", "1 / 2": "\\boxed{\\frac{1}{2}}"},
        three={"2 + 2": "\\boxed{4}", "2 + 3": "\\boxed{5}", "1 / 2": "So: \\boxed{0.6}"},
    )  # fmt: skip
    report = check_files([path], "textgym/Math-v0", runs=runs)
    assert [finding.kind for finding in report.findings()] == ["label_disputed"]
    assert reasons(report, "label_disputed") == [
        (3, "2 of 3 runs say '1/2', and the answer is '0.6' (one, two)")
    ]
    assert not report.failed()
    assert report.failed(strict=True)


def test_runs_of_other_rows(tmp_path: Path) -> None:
    rows = [{"question": f"What is {ask}?", "expected_answer": gold} for ask, gold in SUMS.items()]
    runs = play(write(tmp_path / "rows.jsonl", rows), "textgym/Math-v0", one={}, two={})
    other = write(tmp_path / "other.jsonl", [{"question": "Why?", "expected_answer": "3"}])
    report = check_files([other], "textgym/Math-v0", runs=runs)
    assert report.notes == ["no row has the prompt of an episode of the runs"]


def test_runs_with_one_name_are_named_by_their_paths(tmp_path: Path) -> None:
    rows = [{"question": "What is 2 + 2?", "expected_answer": "5"}]
    path = write(tmp_path / "rows.jsonl", rows)
    (run,) = play(path, "textgym/Math-v0", one={"2 + 2": "\\boxed{4}"})
    other = tmp_path / "again" / "one"
    other.parent.mkdir()
    run_again = run.rename(other)
    (run,) = play(path, "textgym/Math-v0", one={"2 + 2": "\\boxed{4}"})
    ((_, reason),) = reasons(
        check_files([path], "textgym/Math-v0", runs=[run, run_again]), "label_disputed"
    )
    assert reason.endswith(f"({run}, {run_again})")


def test_a_folder_without_a_run(tmp_path: Path) -> None:
    path = write(tmp_path / "rows.jsonl", words("sun"))
    with pytest.raises(textgym.errors.UsageError, match=r"holds no run"):
        check_files([path], f"{HERE}:Word", runs=[tmp_path])


WRONG_GOLDS = {404: ("135", "81"), 750: ("6", "3"), 769: ("600", "675"), 953: ("1800", "360")}
"""Lines of GSM8K's test set with the right answer and the gold.

900 W for 5 hours on 30 days are 135 kWh; 12 groups are 6 more than 6; 300 + 150 + 150 books are
600; 30 reports each quarter of an hour are 1,800 in 15 hours.
"""


def answers(path: Path) -> dict[str, str]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return {record["question"].strip(): record["output"] for record in map(json.loads, lines)}


def test_recorded_answers_reveal_wrong_golds_of_gsm8k(shared: Path, tmp_path: Path) -> None:
    lines = (shared / "data/gsm8k/test.jsonl").read_text(encoding="utf-8").splitlines()
    problems = [*map(json.loads, lines)]
    chosen = sorted({*WRONG_GOLDS, *range(1, 1000, 40)})
    rows = [
        {"question": p["question"].strip(), "expected_answer": p["answer"].rpartition("#### ")[2]}
        for p in (problems[number - 1] for number in chosen)
    ]
    path = write(tmp_path / "gsm8k.jsonl", rows)
    folder = shared / "data/recorded"
    runs = play(
        path,
        "textgym/Math-v0",
        gpt=answers(folder / "zeroeval_gsm/gpt-4o-mini-2024-07-18.jsonl.gz"),
        llama=answers(folder / "zeroeval_gsm/Meta-Llama-3-8B-Instruct.jsonl.gz"),
        qwen=answers(folder / "math_evals/gsm8k.jsonl.gz"),
    )
    report = check_files([path], "textgym/Math-v0", runs=runs)
    assert reasons(report, "label_disputed") == [
        (
            chosen.index(number) + 1,
            f"3 of 3 runs say {said!r}, and the answer is {gold!r} (gpt, llama, qwen)",
        )
        for number, (said, gold) in WRONG_GOLDS.items()
    ]


@pytest.mark.parametrize("library", ["rensa", "datasketch"])
def test_minhash_proposes_similar_sets(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip(library)
    if library == "datasketch":
        monkeypatch.setitem(sys.modules, "rensa", None)
    index = minhash_index()
    assert index is not None
    similar, sketch = index
    numbers = [number * 2654435761 % 2**32 for number in range(400)]
    similar.insert(3, sketch(numbers[:60]))
    similar.insert(8, sketch(numbers[100:160]))
    assert list(similar.query(sketch(numbers[:55]))) == [3]
    assert list(similar.query(sketch(numbers[200:260]))) == []


def test_without_a_library_near_duplicates_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("rensa", "datasketch"):
        monkeypatch.setitem(sys.modules, name, None)
    text = "Which of the {} boxes on the shelf of the old kitchen holds a spoon of silver?"
    rows = [{"clue": text.format(word), "word": "tea"} for word in ("small", "large")]
    report = check_files([write(tmp_path / "rows.jsonl", rows)], f"{HERE}:Word")
    assert not report.failed(strict=True)
    assert "near duplicates were not searched for" in report.notes[0]
