"""The scripts that turn published data sets into textgym's rows."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import gymnasium
import pytest
from repository import SCRIPTS

RECORD = {
    "passage": None,
    "question": "Which is a metal?",
    "options": ["(A)neon", "(B) zinc", "(C )argon"],
    "label": "B",
}
QUESTIONS = [
    {"question": "2 + 2?", "subject": "sums", "choices": ["1", "2", "3", "4"], "answer": 3},
    {"question": "A metal?", "subject": "chemistry", "choices": ["O", "Zn", "N", "H"], "answer": 1},
    {"question": "Even?", "subject": "sums", "choices": ["2", "3", "2", "5"], "answer": 0},
    {"question": "A prime?", "subject": "sums", "choices": ["9", "9", "7", "8"], "answer": 2},
    {"question": "Odd?", "subject": "sums", "choices": ["2", "3", "", "4"], "answer": 1},
]


PRO = {
    "question_id": 7, "question": "A metal?", "options": ["neon", "zinc"], "answer": "B",
    "category": "chemistry", "cot_content": "A: Let's think step by step. The answer is (B).",
}  # fmt: skip


@pytest.fixture
def common(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(SCRIPTS))
    return importlib.import_module("common")


@pytest.fixture
def agieval(common: ModuleType) -> Callable[..., int]:
    """What `agieval.py` runs."""
    return lambda *arguments: common.main("agieval", [*map(str, arguments)], task_field="task")


@pytest.fixture
def mmlu(common: ModuleType) -> Callable[..., int]:
    """What `mmlu.py` runs."""
    return lambda *arguments: common.main("mmlu", [*map(str, arguments)])


@pytest.fixture
def mmlu_pro(common: ModuleType) -> Callable[..., int]:
    """What `mmlu_pro.py` runs."""
    return lambda *arguments: common.main("mmlu_pro", [*map(str, arguments)])


def run_script(name: str, home: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run a script as a user does, without a hub and with its caches in `home`."""
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(home / "caches")}
    command = [sys.executable, str(SCRIPTS / name), *map(str, arguments)]
    return subprocess.run(
        command, cwd=home, env=environment, capture_output=True, text=True, timeout=120
    )


def write_lines(path: Path, *records: Any) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def assert_solvable(path: Path, count: int) -> None:
    env = gymnasium.make("textgym:textgym/MCQA-v0", dataset=str(path))
    task_env: Any = env.unwrapped
    assert task_env.num_tasks == count
    for index in range(count):
        env.reset(options={"index": index})
        assert env.step(task_env.solve())[1] == 1.0
        env.reset(options={"index": index})
        assert env.step("")[1] == 0.0
    env.close()


def one_error_line(captured: str) -> str:
    assert captured.startswith("error: ")
    assert captured.count("\n") == 1
    return captured


def test_agieval_published_files(shared: Path, tmp_path: Path) -> None:
    files = sorted((shared / "data" / "agieval").glob("*.jsonl"))
    out = tmp_path / "rows.jsonl"
    done = run_script("agieval.py", tmp_path, *files, "--out", out)
    assert done.stdout.splitlines() == [
        "agieval (test): 4 records are left out (the right option occurs twice: 4)",
        "agieval (test): 1259 rows written",
    ]
    assert (done.returncode, done.stderr) == (0, "")
    rows = {row["id"]: row for row in read_lines(out)}
    assert Counter(row["category"] for row in rows.values()) == {
        "aqua-rat": 250,
        "lsat-ar": 230,
        "lsat-lr": 510,
        "lsat-rc": 269,
    }
    twice = {f"agieval-test-aqua-rat-{number}" for number in (118, 125, 127, 194)}
    assert twice.isdisjoint(rows)
    records = [(file.stem, record) for file in files for record in read_lines(file)]
    for number, (task, record) in enumerate(records, 1):
        row = rows.get(f"agieval-test-{task}-{number}")
        if row is not None:
            parts = [record["passage"], record["question"]]
            assert row["question"] == "\n\n".join(part for part in parts if part)
            assert row["answer"] == record["label"]
            assert [f"({letter})" for letter in row["options"]] == [
                option[:3] for option in record["options"]
            ]
            assert list(row["options"].values()) == [
                option[3:].strip() for option in record["options"]
            ]
    assert_solvable(out, 1259)


def test_agieval_prefixes_and_passage(agieval: Callable[..., int], tmp_path: Path) -> None:
    bare = {**RECORD, "passage": "On zinc.", "options": ["(x + 1)", "zinc", "(I) only"]}
    file = write_lines(tmp_path / "metals.jsonl", RECORD, bare)
    assert agieval(file, "--out", tmp_path / "rows.jsonl") == 0
    assert read_lines(tmp_path / "rows.jsonl") == [
        {
            "id": "agieval-test-metals-1",
            "question": "Which is a metal?",
            "options": {"A": "neon", "B": "zinc", "C": "argon"},
            "answer": "B",
            "category": "metals",
        },
        {
            "id": "agieval-test-metals-2",
            "question": "On zinc.\n\nWhich is a metal?",
            "options": {"A": "(x + 1)", "B": "zinc", "C": "(I) only"},
            "answer": "B",
            "category": "metals",
        },
    ]


def test_agieval_skips_unfair_questions(
    agieval: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    right_twice = {**RECORD, "options": ["(A)Zinc ", "(B)zinc", "(C)argon"]}
    wrong_twice = {**RECORD, "options": ["(A)neon", "(B)zinc", "(C)neon"]}
    empty = {**RECORD, "options": ["(A)neon", "(B)zinc", "(C)"]}
    file = write_lines(tmp_path / "metals.jsonl", right_twice, wrong_twice, empty)
    assert agieval(file, "--out", tmp_path / "rows.jsonl") == 0
    assert [row["id"] for row in read_lines(tmp_path / "rows.jsonl")] == ["agieval-test-metals-2"]
    assert capsys.readouterr().out == (
        "agieval (test): 2 records are left out "
        "(the right option occurs twice: 1; an option is empty: 1)\n"
        "agieval (test): 1 rows written\n"
    )


def test_half_a_surrogate_pair_is_kept(agieval: Callable[..., int], tmp_path: Path) -> None:
    file = write_lines(tmp_path / "metals.jsonl", {**RECORD, "question": "Is \ud83d\\ a √ metal?"})
    out = tmp_path / "rows.jsonl"
    assert agieval(file, "--out", out) == 0
    assert read_lines(out)[0]["question"] == "Is \ud83d\\ a √ metal?"
    assert_solvable(out, 1)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"question": None}, "field 'question' is missing"),
        ({"question": " "}, "field 'question' must be a non-blank string"),
        ({"options": "(A)yes"}, "field 'options' must be a list of strings"),
        ({"options": ["x"] * 27}, "field 'options' must have at most 26 options, not 27"),
        ({"label": "D"}, "field 'label' is 'D', but the options are A, B, C"),
    ],
)
def test_agieval_refuses_rows(
    agieval: Callable[..., int],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    change: dict[str, Any],
    said: str,
) -> None:
    file = write_lines(tmp_path / "metals.jsonl", RECORD, {**RECORD, **change})
    out = tmp_path / "rows.jsonl"
    assert agieval(file, "--out", out) == 2
    assert f"line 2 of {file}: {said}" in one_error_line(capsys.readouterr().err)
    assert not out.exists()


def test_agieval_refuses_files(
    agieval: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def error_of(*arguments: object) -> str:
        assert agieval(*arguments) == 2
        return one_error_line(capsys.readouterr().err)

    good = write_lines(tmp_path / "good.jsonl", RECORD)
    broken = tmp_path / "broken.jsonl"
    broken.write_text(json.dumps(RECORD) + '\n{"question": ')
    empty = write_lines(tmp_path / "empty.jsonl")
    out = tmp_path / "rows.jsonl"
    assert f"file {str(tmp_path / 'lsat-ar')!r} is missing" in error_of(
        good, tmp_path / "lsat-ar", "--out", out
    )
    assert "is a folder" in error_of(tmp_path, "--out", out)
    assert f"line 2 of {broken} is not valid JSON" in error_of(good, broken, "--out", out)
    assert "is empty" in error_of(empty, "--out", out)
    assert "is one of the files to read" in error_of(good, "--out", good)
    assert not out.exists()
    assert "cannot be written" in error_of(good, "--out", tmp_path / "nowhere" / "rows.jsonl")
    assert read_lines(good) == [RECORD]


def parquet(folder: Path) -> Path:
    """Write the questions as MMLU has them: the answer is a class label."""
    datasets = pytest.importorskip("datasets")
    features = datasets.Features(
        {
            "question": datasets.Value("string"),
            "subject": datasets.Value("string"),
            "choices": [datasets.Value("string")],
            "answer": datasets.ClassLabel(names=["A", "B", "C", "D"]),
        }
    )
    file = folder / "test.parquet"
    datasets.Dataset.from_list(QUESTIONS, features=features).to_parquet(str(file))
    return file


def text_file(folder: Path, name: str, content: Any) -> Path:
    (folder / name).write_text(content if isinstance(content, str) else json.dumps(content))
    return folder / name


@pytest.mark.parametrize("kind", ["jsonl", "json", "lines in json", "parquet"])
def test_forms_of_files(mmlu: Callable[..., int], tmp_path: Path, kind: str) -> None:
    lines = "".join(json.dumps(question) + "\n" for question in QUESTIONS)
    if kind == "parquet":
        file = parquet(tmp_path)
    elif kind == "json":
        file = text_file(tmp_path, "test.json", QUESTIONS)
    else:
        file = text_file(tmp_path, f"test.{kind.rpartition(' ')[2]}", lines)
    out = tmp_path / "rows.jsonl"
    assert mmlu(file, "--out", out) == 0
    assert [row["id"] for row in read_lines(out)] == ["mmlu-test-1", "mmlu-test-2", "mmlu-test-4"]
    assert read_lines(out)[1] == {
        "id": "mmlu-test-2",
        "question": "A metal?",
        "options": {"A": "O", "B": "Zn", "C": "N", "D": "H"},
        "answer": "B",
        "category": "chemistry",
    }
    assert_solvable(out, 3)


def test_csv_file(common: ModuleType, tmp_path: Path) -> None:
    content = 'question,answer\n"Two, plus two?","Four.\n#### 4"\n'
    file, out = text_file(tmp_path, "test.csv", content), tmp_path / "rows.jsonl"
    assert common.main("gsm8k", [str(file), "--split", "train", "--out", str(out)]) == 0
    (row,) = read_lines(out)
    assert (row["id"], row["question"]) == ("gsm8k-train-1", "Two, plus two?")
    assert row["expected_answer"] == "4"


def test_file_of_examples(common: ModuleType, tmp_path: Path) -> None:
    """BIG-Bench Hard's files hold a canary and the records; their names are the tasks."""
    examples = [{"input": "not ( True ) is", "target": "False"}]
    content = {"canary": "data", "examples": examples}
    file, out = text_file(tmp_path, "boolean_expressions.json", content), tmp_path / "rows.jsonl"
    assert common.main("bbh", [str(file), "--out", str(out)], task_field="task") == 0
    (row,) = read_lines(out)
    assert row["id"] == "bbh-test-boolean_expressions-1"
    assert row["category"] == "boolean_expressions"


def test_several_files_are_one_split(
    mmlu: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = text_file(tmp_path, "first.json", QUESTIONS[:2])
    second, out = text_file(tmp_path, "second.json", QUESTIONS[3:4]), tmp_path / "rows.jsonl"
    assert mmlu(second, first, "--split", "validation", "--out", out) == 0
    assert [row["id"] for row in read_lines(out)] == [f"mmlu-validation-{n}" for n in (1, 2, 3)]
    assert read_lines(out)[0]["question"] == "A prime?"
    assert capsys.readouterr().out == "mmlu (validation): 3 rows written\n"
    assert mmlu(second, first, "--limit", 2, "--out", out) == 0
    assert [row["question"] for row in read_lines(out)] == ["A prime?", "2 + 2?"]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("test.json", "[1, 2]", "line 1 of {file} is a JSON list; a row must be an object"),
        ("test.json", '[{"question": ', "line 1 of {file} is not valid JSON"),
        ("test.json", "[]", "line 1 of {file} is a JSON list; a row must be an object"),
        ("test.json", [{"question": "?"}], "record 1 of {file}: field 'choices' is missing"),
        ("test.csv", "question,answer\n1\n", "line 2 has 1 cells"),
        ("test.jsonl", json.dumps(QUESTIONS[4]), "data set mmlu (test) has no rows"),
    ],
)
def test_refused_files(
    mmlu: Callable[..., int],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    name: str,
    content: Any,
    said: str,
) -> None:
    file, out = text_file(tmp_path, name, content), tmp_path / "rows.jsonl"
    assert mmlu(file, "--out", out) == 2
    assert said.format(file=file) in one_error_line(capsys.readouterr().err)
    assert [path.name for path in tmp_path.iterdir()] == [name]  # no draft is left


@pytest.mark.parametrize("limit", [None, 4])
def test_records_of_the_hub(
    common: ModuleType,
    mmlu: Callable[..., int],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    limit: int | None,
) -> None:
    """A number of records that is not the published one is reported, unless there is a limit."""

    def hub_records(dataset: Any, split: str) -> Iterator[tuple[str, dict[str, Any]]]:
        asked.append((dataset.name, split))
        yield from ((f"row {number}", question) for number, question in enumerate(QUESTIONS))

    asked: list[tuple[str, str]] = []
    monkeypatch.setattr(common, "hub_records", hub_records)
    out = tmp_path / "rows.jsonl"
    assert mmlu(*(["--limit", limit] if limit else []), "--out", out) == 0
    assert asked == [("mmlu", "test")]
    left_out, *number, written = capsys.readouterr().out.splitlines()
    assert left_out.startswith(f"mmlu (test): {1 if limit else 2} records are left out")
    assert number == ([] if limit else ["mmlu (test): 5 records, not 14042"])
    assert written == "mmlu (test): 3 rows written"


@pytest.mark.slow
def test_hub_out_of_reach(tmp_path: Path) -> None:
    pytest.importorskip("datasets")
    done = run_script("mmlu.py", tmp_path, "--out", tmp_path / "rows.jsonl")
    assert done.returncode == 2
    said = "data set 'mmlu' (split 'test') cannot be loaded from 'cais/mmlu'"
    assert said in one_error_line(done.stderr)


def test_hub_without_datasets(
    mmlu: Callable[..., int],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setitem(sys.modules, "datasets", None)
    assert mmlu("--out", tmp_path / "rows.jsonl") == 2
    assert "pip install 'textgym[data]'" in one_error_line(capsys.readouterr().err)


def test_a_published_prompt(
    mmlu_pro: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write_lines(tmp_path / "test.jsonl", PRO)
    examples = write_lines(tmp_path / "validation.jsonl", *[PRO] * 5)
    out = tmp_path / "rows.jsonl"
    assert mmlu_pro(file, "--published", "--examples", examples, "--out", out) == 0
    assert capsys.readouterr().out == "mmlu_pro_published (test): 1 rows written\n"
    (row,) = read_lines(out)
    (message,) = row["responses_create_params"]["input"]
    assert message["content"].count("Let's think step by step. The answer is (B).") == 5
    assert_solvable(out, 1)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--examples", "four.jsonl"], "--examples needs --published"),
        (["--published", "--examples", "four.jsonl"], "has 5 worked examples of category"),
        (["--published", "--examples", "none.jsonl"], "file 'none.jsonl' is missing"),
        (["--published", "--examples", "rows.jsonl"], "is one of the files to read"),
    ],
)
def test_refused_examples(
    mmlu_pro: Callable[..., int],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    file = write_lines(tmp_path / "test.jsonl", PRO)
    write_lines(tmp_path / "four.jsonl", *[PRO] * 4)
    assert mmlu_pro(file, "--out", "rows.jsonl", *arguments) == 2
    assert said in one_error_line(capsys.readouterr().err)


def test_a_data_set_without_a_published_prompt_has_no_such_option(
    agieval: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        agieval("small.jsonl", "--published", "--out", tmp_path / "rows.jsonl")
    assert "unrecognized arguments: --published" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--limit", 0], "--limit must be 1 or more, not 0"),
        (["nowhere/small.parquet"], "file 'nowhere/small.parquet' is missing"),
        (["--split", "tset"], "data set 'mmlu' has no split 'tset'"),
    ],
)
def test_refused_arguments(
    mmlu: Callable[..., int],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: list[Any],
    said: str,
) -> None:
    pytest.importorskip("datasets")
    assert mmlu(*arguments, "--out", tmp_path / "rows.jsonl") == 2
    assert said in one_error_line(capsys.readouterr().err)


def test_unknown_data_set(common: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert common.main("gsm8", ["--out", "rows.jsonl"]) == 2
    assert "there is no data set 'gsm8'" in one_error_line(capsys.readouterr().err)
