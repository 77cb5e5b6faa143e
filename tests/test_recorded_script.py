"""The script that makes the files of docs/verdicts.md from the public sources."""

from __future__ import annotations

import csv
import gzip
import importlib
import io
import json
import runpy
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.error import HTTPError, URLError

import pytest
from repository import DOCS, SCRIPTS
from workplace_data import FILES

SCHEMAS = {
    "bbh": ["task", "question", "prediction", "target", "table_accuracy"],
    "gsm8k_solutions": ["question", "gold", "output", "correct"],
    "math_evals": ["question", "gold", "output", "pred", "correct"],
    "mmlu_pro": [
        "question_id", "category", "question", "options", "answer", "output", "pred", "correct",
    ],
    "workbench": [
        "id", "query", "now", "ground_truth", "category", "domains", "template", "calls", "error",
    ],
    "zeroeval_gsm": ["id", "question", "output", "gold"],
}  # fmt: skip


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(SCRIPTS))
    return importlib.import_module("recorded")


def lines(*records: Any) -> bytes:
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def of_qwen(repository: str, path: str) -> bytes:
    if path.endswith("metrics.json"):
        return json.dumps({"num_samples": 2, "acc": 50.0}).encode()
    record = {"idx": 0, "question": "2 + 2?", "gt_cot": "None", "gt": "4", "report": [None]}
    return lines(
        {**record, "code": ["So \\boxed{4}."], "pred": ["4"], "score": [True]},
        {**record, "code": ["So \\boxed{5}.\u2028"], "pred": ["5"], "score": [False]},
    )


def of_openai(repository: str, path: str) -> bytes:
    kinds = ("6b_finetuning", "6b_verification", "175b_finetuning", "175b_verification")
    solution = {"is_correct": True, "solution": "2 + 2 = <<2+2=4>>4\nA: 4"}
    truth = "2 + 2 = <<2+2=4>>4\nA: 4"
    return lines({"question": "2 + 2?", "ground_truth": truth, **dict.fromkeys(kinds, solution)})


def of_zero_eval(repository: str, path: str) -> bytes:
    said = '```json\n{"reasoning": "2 + 2", "answer": "4"}\n```'
    record = {"session_id": "#0", "id": "#0", "question": "2 + 2?", "answer": "# 4"}
    return json.dumps([{**record, "output": [said], "generator": "m"}]).encode()


def of_bbh(repository: str, path: str) -> bytes:
    if path.endswith("_eval_metrics.jsonl"):
        return lines({"accuracy": 66.66666666666667, "accuracy_with_calc": 70.0})
    asked = "Evaluate.\n\nQ: not True is\nA: False.\n\nQ: not False is\nA: Let's think."
    said = "It is. So the answer is True.\n\nQ: True is\nA: So the answer is False."
    outputs = [{"input": asked, "prediction": said, "target": "True"}]
    return json.dumps({"canary": "BENCHMARK DATA", "outputs": outputs}).encode()


def of_mmlu_pro(repository: str, path: str) -> bytes:
    def record(number: int) -> dict[str, Any]:
        said = "The answer is (B)." if number else "I do not know."
        options = "['neon', 'zinc']" if number else ["neon", "zinc"]
        return {
            "question_id": number, "question": "A metal?", "options": options, "answer": "B",
            "answer_index": 1, "cot_content": "", "category": "chemistry", "src": "x",
            "pred": "B", "generated_text": said,
        }  # fmt: skip

    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("model_outputs.json", json.dumps([*map(record, range(17))]))
    return content.getvalue()


def of_workbench(repository: str, path: str) -> bytes:
    """A company's databases; queries to delete a meeting, which the last run of four does."""
    name = path.rpartition("/")[2]
    if name in FILES:
        return FILES[name].encode()
    domain = path.split("/")[2].removesuffix(".csv")
    if "queries_and_answers" in path:
        domain = name.removesuffix("_queries_and_answers.csv")
    text = io.StringIO()
    table = csv.writer(text, quoting=csv.QUOTE_ALL)
    right = 'calendar.delete_event.func(event_id="00000005")'
    if "queries_and_answers" in path:
        table.writerow(["query", "answer", "base_template", "chosen_template", "domains"])
        for number in range(4):
            table.writerow([f"{domain} {number}", [right], "Cancel it", "Cancel it", [domain]])
    else:
        table.writerow(["query", "function_calls", "full_response", "error"])
        table.writerow([f"{domain} 0", [], "{}", ""])
        table.writerow([f"{domain} 1", [right], "{}", "Agent stopped due to iteration limit"])
        table.writerow([f"{domain} 2", ['restart.func(message="a "b"")'], "{}", ""])
        table.writerow([f"{domain} 3", ['calendar.search.func(query="a\nb")', right], "{}", ""])
    return text.getvalue().encode()


SOURCES: dict[str, Callable[[str, str], bytes]] = {
    "TIGER-AI-Lab/MMLU-Pro": of_mmlu_pro,
    "WildEval/ZeroEval": of_zero_eval,
    "open-thought/reasoning-gym-eval": of_qwen,
    "olly-styles/WorkBench": of_workbench,
    "openai/grade-school-math": of_openai,
    "suzgunmirac/BIG-Bench-Hard": of_bbh,
}


def read(repository: str, path: str) -> bytes:
    return SOURCES[repository](repository, path)


def records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in gzip.open(path, "rt", encoding="utf-8")]


def test_every_set_has_its_files_and_schema(script: ModuleType, tmp_path: Path) -> None:
    script.make(tmp_path, read=read)
    assert script.SETS.keys() == SCHEMAS.keys()
    assert {len(commit) for commit in script.COMMITS.values()} == {40}
    counts = {name: len([*(tmp_path / name).iterdir()]) for name in SCHEMAS}
    assert counts == {
        "bbh": 1, "gsm8k_solutions": 4, "math_evals": 6, "mmlu_pro": 2, "workbench": 9,
        "zeroeval_gsm": 2,
    }  # fmt: skip
    for path in tmp_path.glob("*/*.jsonl.gz"):
        found = records(path)
        assert found
        assert all([*record] == SCHEMAS[path.parent.name] for record in found)


def test_values_of_the_sources(script: ModuleType, tmp_path: Path) -> None:
    script.make(tmp_path, read=read)
    rows = records(tmp_path / "bbh" / "code-davinci-002-cot.jsonl.gz")
    assert len(rows) == len({row["task"] for row in rows}) == 27
    assert rows[0]["question"] == "not False is\nA: Let's think."
    assert rows[0]["table_accuracy"] == 66.6667
    first, *others = records(tmp_path / "mmlu_pro" / "Meta-Llama-3-70B.jsonl.gz")
    assert (first["pred"], first["correct"]) == (None, False)  # the drawn answer does not count
    assert [row["question_id"] for row in others] == [8, 16]  # each eighth
    assert [row["correct"] for row in others] == [True, True]
    assert first["options"] == others[0]["options"] == ["neon", "zinc"]
    wrong = records(tmp_path / "math_evals" / "aqua.jsonl.gz")[1]
    assert (wrong["output"], wrong["correct"]) == ("So \\boxed{5}.\u2028", False)
    assert records(tmp_path / "gsm8k_solutions" / "6b_finetuning.jsonl.gz")[0]["gold"] == "4"
    runs = records(tmp_path / "workbench" / "gpt-4_all.jsonl.gz")
    assert len({run["id"] for run in runs}) == len(runs) == 24
    assert [len(run["calls"]) for run in runs[:4]] == [0, 1, 0, 2]  # what is no call is left out
    assert runs[3]["calls"][0]["arguments"] == {"query": "a\nb"}
    emails = tmp_path / "workbench" / "databases" / "emails.csv"
    assert emails.read_text() == FILES["emails.csv"]


def test_the_page_grades_what_the_script_makes(
    script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script.make(tmp_path, read=read)
    monkeypatch.syspath_prepend(str(DOCS))
    page = runpy.run_path(str(DOCS / "make_verdicts.py"))
    for evaluation in page["EVALUATIONS"]:
        for part in page["graded"](tmp_path, evaluation).values():
            assert part.answers > 0
            assert part.agreed == part.judged
            if evaluation.title == "WorkBench":
                assert part.right == 6  # nothing done, broken off and not understood are wrong
    assert {path.parts[-2] for path in tmp_path.glob("*/*.gz")} == SCHEMAS.keys()


def test_the_page_names_the_sources_at_their_commits(script: ModuleType) -> None:
    page = (DOCS / "verdicts.md").read_text("utf-8")
    for repository, commit in script.COMMITS.items():
        assert f"<https://github.com/{repository}/tree/{commit}>" in page


def test_equal_sources_give_equal_files(script: ModuleType, tmp_path: Path) -> None:
    for folder in ("first", "second"):
        script.make(tmp_path / folder, ["math_evals"], read)
    one, two = (
        tmp_path / folder / "math_evals" / "svamp.jsonl.gz" for folder in ("first", "second")
    )
    assert one.read_bytes() == two.read_bytes()


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"<html>", "math_evals is not as expected: JSONDecodeError"),
        (lines({"idx": 0}), "math_evals is not as expected: KeyError"),
        (
            lines({"question": "?", "gt": "4", "code": []}),
            "math_evals is not as expected: IndexError",
        ),
        (lines([]), "math_evals is not as expected: TypeError"),
    ],
)
def test_a_changed_source_is_named(
    script: ModuleType, tmp_path: Path, content: bytes, problem: str
) -> None:
    def changed(repository: str, path: str) -> bytes:
        return b'{"num_samples": 1}' if path.endswith("metrics.json") else content

    with pytest.raises(Exception, match=problem) as caught:
        script.make(tmp_path, ["math_evals"], changed)
    assert caught.type.__name__ == "DatasetError"
    assert not [*tmp_path.rglob("*.gz")]


def test_a_source_with_missing_lines_is_refused(script: ModuleType, tmp_path: Path) -> None:
    def shortened(repository: str, path: str) -> bytes:
        content = of_qwen(repository, path)
        return content if path.endswith("metrics.json") else content.split(b"\n")[0]

    with pytest.raises(Exception, match=r"aqua/.*\.jsonl has 1 lines, not 2"):
        script.make(tmp_path, ["math_evals"], shortened)


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (URLError("[Errno -2] Name or service not known"), "Name or service not known"),
        (HTTPError("u", 404, "Not Found", {}, None), "Not Found"),  # type: ignore[arg-type]
        (TimeoutError("timed out"), "timed out"),
        (ConnectionResetError("reset by peer"), "reset by peer"),
    ],
)
def test_without_a_network_there_is_one_line(
    script: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: Exception,
    reason: str,
) -> None:
    def urlopen(url: str, timeout: float) -> Any:
        raise error

    monkeypatch.setattr(script, "urlopen", urlopen)
    assert script.main(["--out", str(tmp_path / "recorded"), "--sets", "zeroeval_gsm"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("error: https://raw.githubusercontent.com/WildEval/ZeroEval/8c1485e")
    assert f"cannot be read: {reason}" in said.replace("[Errno -2] ", "")
    assert said.count("\n") == 1
    assert not (tmp_path / "recorded").exists()


def test_addresses_of_files_are_quoted(script: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def urlopen(url: str, timeout: float) -> Any:
        asked.append(url)
        return io.BytesIO(b"text")

    monkeypatch.setattr(script, "urlopen", urlopen)
    assert script.download("WildEval/ZeroEval", "a b/c.json") == b"text"
    assert asked[0].endswith("/a%20b/c.json")


def test_a_file_that_cannot_be_written_is_named(
    script: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "recorded").write_text("a file")
    monkeypatch.setattr(script.make, "__defaults__", (*script.make.__defaults__[:1], read))
    assert script.main(["--out", str(tmp_path / "recorded"), "--sets", "zeroeval_gsm"]) == 2
    assert "cannot write to" in capsys.readouterr().err
