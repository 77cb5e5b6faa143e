"""Published files: how many records become rows, and that the oracle solves a sample of them.

All golds of GSM8K and MATH are checked in `tests/envs/math/test_math_data.py`, all of WorkBench's
in `tests/envs/office/workplace`, and AGIEval's files in `tests/test_datasets_scripts.py`.
"""

from __future__ import annotations

import gzip
import json
import logging
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import gymnasium
import pytest

from textgym.data.conversions.texts import bbh, ifbench, ifeval
from textgym.tasks.files import load_rows
from textgym.tasks.named import convert_records, named_dataset

Record = dict[str, Any]


def rows_of(name: str, records: Iterable[tuple[str, Record]]) -> list[Record]:
    """Convert records, of which any number is right."""
    splits = {"test": {"source": "test", "rows": None}}
    return [*convert_records(replace(named_dataset(name), splits=splits), "test", records)]


def records_of(file: Path) -> list[tuple[str, Record]]:
    """Return the records of a gzipped file of recorded answers."""
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        return [(f"line {number}", json.loads(line)) for number, line in enumerate(lines, 1)]


def unsolved(name: str, rows: list[Record], step: int, **kwargs: Any) -> list[str]:
    """Play every n-th row with the oracle; return the ids of those without the full reward."""
    dataset = named_dataset(name)
    made = gymnasium.make(f"textgym:{dataset.env}", dataset=rows, **dataset.env_kwargs, **kwargs)
    env: Any = made.unwrapped
    failed = []
    for index in range(0, len(rows), step):
        env.reset(options={"index": index})
        ended = False
        while not ended:
            _, reward, terminated, truncated, _ = env.step(env.solve())
            ended = terminated or truncated
        failed += [] if reward == 1.0 else [rows[index]["id"]]
    return failed


@pytest.mark.parametrize(
    ("name", "file", "count", "step"),
    [
        ("gsm8k", "gsm8k/test.jsonl", 1319, 60),
        ("gsm8k", "gsm8k/train-2000.jsonl", 2000, 90),
        ("math", "math/math-500-a.jsonl", 500, 25),
        ("nemotron_mcqa", "nemo_gym/mcqa/example.jsonl", 5, 1),
        ("nemotron_mcqa", "nemo_gym/mcqa/example_with_template_metadata.jsonl", 5, 1),
    ],
)
def test_files(shared: Path, name: str, file: str, count: int, step: int) -> None:
    rows = rows_of(name, load_rows(str(shared / "data" / file), "test"))
    assert len({row["id"] for row in rows}) == len(rows) == count
    assert unsolved(name, rows, step) == []


def test_workbench(shared: Path) -> None:
    data = shared / "data" / "workbench"
    files = sorted((data / "queries").glob("*.csv"))
    rows = rows_of("workbench", (row for file in files for row in load_rows(str(file), "test")))
    assert len({row["id"] for row in rows}) == len(rows) == 690
    assert unsolved("workbench", rows, 23, database=str(data / "databases")) == []


def test_workplace_assistant(shared: Path) -> None:
    data = shared / "data"
    file = data / "nemo_gym" / "workplace_assistant" / "example.jsonl"
    rows = rows_of("workplace_assistant", load_rows(str(file), "test"))
    assert len(rows) == 5
    database = str(data / "workbench" / "databases")
    assert unsolved("workplace_assistant", rows, 1, database=database) == []


def test_mmlu_pro(shared: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    folder = shared / "data" / "recorded" / "mmlu_pro"
    records = records_of(folder / "Qwen1.5-72B-Chat.jsonl.gz")
    rows = rows_of("mmlu_pro", records)
    assert (len(records), len(rows)) == (1504, 1502)
    assert caplog.messages == [
        "mmlu_pro (test): 2 records are left out "
        "(it has fewer than two options: 1; the right option occurs twice: 1)"
    ]
    assert unsolved("mmlu_pro", rows, 5) == []


def test_bbh(shared: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Three records have a title with a comma in it, whose parts became options."""
    caplog.set_level(logging.WARNING)
    file = shared / "data" / "recorded" / "bbh" / "code-davinci-002-cot.jsonl.gz"
    records = [
        (place, {**record, "input": record["question"].partition("\nA: Let's think")[0]})
        for place, record in records_of(file)
    ]
    rows = rows_of("bbh", records)
    assert len({row["category"] for row in rows}) == 27
    assert (len(records), len(rows)) == (6511, 6508)
    assert caplog.messages == [
        "bbh (test): 3 records are left out (its target is not one of the options: 3)"
    ]
    assert unsolved("bbh", rows, 20) == []


def test_chains_of_thought_of_bbh_get_their_published_accuracy(shared: Path) -> None:
    """A whole recorded chain is the reply; the model goes on with a next question after it."""
    file = shared / "data" / "recorded" / "bbh" / "code-davinci-002-cot.jsonl.gz"
    records = [record for _, record in records_of(file) if record["task"] == "date_understanding"]
    env: Any = gymnasium.make("textgym:textgym/EquivalenceJudge-v0").unwrapped
    right = 0.0
    for number, record in enumerate(records, 1):
        row = bbh({**record, "input": record["question"]}, number, "test")
        env.reset(options={"task": row})
        right += env.step(record["prediction"].partition("\n\nQ:")[0])[1]
    assert 100 * right / len(records) == pytest.approx(records[0]["table_accuracy"])


@pytest.mark.slow
@pytest.mark.parametrize(("name", "count"), [("minerva_math", 272), ("olympiad_bench", 675)])
def test_golds_of_mathematics(shared: Path, name: str, count: int) -> None:
    file = shared / "data" / "recorded" / "math_evals" / f"{name.replace('_b', 'b')}.jsonl.gz"
    more = {"answer_type": "Numerical", "subfield": "Algebra"}
    rows = rows_of(
        name,
        [
            (place, {**record, **more, "answer": record["gold"], "final_answer": [record["gold"]]})
            for place, record in records_of(file)
        ],
    )
    assert len(rows) == count
    assert unsolved(name, rows, 3) == []


@pytest.mark.parametrize("name", ["ifeval", "ifbench"])
def test_recorded_texts_get_the_same_verdict(shared: Path, name: str) -> None:
    """An answer earns what it earns on the record itself, which the environment reads, too."""
    lines = (shared / "conformance" / f"{name}.jsonl").read_text("utf-8").splitlines()
    env: Any = gymnasium.make("textgym:textgym/Constraints-v0").unwrapped
    convert = {"ifeval": ifeval, "ifbench": ifbench}[name]
    rewards = []
    for case in map(json.loads, lines[::10]):
        table = {**case["task"]["kwargs"][0], "another": None}  # as a hub has it
        record = {**case["task"], "kwargs": [table, *case["task"]["kwargs"][1:]]}
        for task in (case["task"], convert(record, 1, "test")):
            env.reset(options={"task": task})
            rewards.append(env.step(case["actions"][0])[1])
    assert rewards[::2] == rewards[1::2]
    assert {*rewards} == {0.0, 1.0}
