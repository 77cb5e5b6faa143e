"""The layouts of files with recorded answers, each written here as its source writes it."""

from __future__ import annotations

import gzip
import json
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

import textgym
from textgym.errors import DatasetError, UsageError
from textgym.rescoring.layouts import layout_of, lookup
from textgym.rescoring.recorded import read_records, recorded_answers, task_row

QUESTION = "Which is a metal?"
OPTIONS = ["neon", "zinc", "argon"]
LM_EVAL = {
    "doc_id": 7,
    "doc": {"question": QUESTION, "choices": OPTIONS, "answer": 1},
    "target": "1",
    "arguments": {"gen_args_0": {"arg_0": "Question: Which is a metal?", "arg_1": {}}},
    "resps": [["It is \\boxed{B}."]],
    "filtered_resps": ["B"],
    "filter": "strict-match",
    "metrics": ["exact_match"],
    "exact_match": 1.0,
}
INSPECT = {
    "id": 3,
    "epoch": 1,
    "input": QUESTION,
    "choices": OPTIONS,
    "target": "B",
    "messages": [],
    "output": {
        "model": "m",
        "choices": [
            {"message": {"role": "assistant", "content": "It is \\boxed{B}."},
             "stop_reason": "stop"},
        ],
        "completion": "It is \\boxed{B}.",
    },
    "scores": {"choice": {"value": "C", "answer": "B"}},
}  # fmt: skip
VERIFIERS = {
    "example_id": 4,
    "prompt": [{"role": "user", "content": "What is 6 * 7?"}],
    "completion": [{"role": "assistant", "content": "It is \\boxed{42}."}],
    "answer": "42",
    "reward": 1.0,
    "task": "default",
    "metrics": {"correct": 1.0},
}
BATCH = {
    "id": "batch_req_1",
    "custom_id": "row-b",
    "response": {
        "status_code": 200,
        "request_id": "r",
        "body": {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "choices": [
                {"index": 0, "finish_reason": "stop",
                 "message": {"role": "assistant", "content": "It is \\boxed{B}."}},
            ],
        },
    },
    "error": None,
}  # fmt: skip
RESPONSES = {
    **BATCH,
    "response": {
        "status_code": 200,
        "body": {
            "object": "response",
            "output": [
                {"type": "reasoning", "summary": []},
                {"type": "message", "role": "assistant",
                 "content": [{"type": "output_text", "text": "It is \\boxed{B}."}]},
            ],
        },
    },
}  # fmt: skip
COMPLETIONS = {
    **BATCH,
    "response": {
        "status_code": 200,
        "body": {"object": "text_completion", "choices": [
            {"index": 0, "text": "It is \\boxed{B}.", "logprobs": None, "finish_reason": "stop"},
        ]},
    },
}  # fmt: skip
TRACES = {
    "id": "e",
    "env": {"id": "gsm8k"},
    "task": {"type": "GSM8K", "data": {"idx": 4, "prompt": "What is 6 * 7?", "answer": "42"}},
    "ok": True,
    "errors": [],
    "traces": [
        {
            "version": 1,
            "id": "t",
            "task": {"type": "GSM8K", "data": {
                "idx": 4, "prompt": "What is 6 * 7?", "answer": "42", "network_allow": ["*"],
                "timeout": {},
            }},
            "agent": {"name": "agent"},
            "nodes": [
                {"message": {"role": "user", "content": "What is 6 * 7?"}, "sampled": False},
                {"parent": 0, "message": {"role": "assistant", "content": "It is \\boxed{42}."},
                 "sampled": True, "token_ids": [1], "mask": [True]},
            ],
            "rewards": {"correct": {"score": 1.0, "weight": 1.0}},
            "ok": True,
            "errors": [{"type": "Timeout", "message": "the first attempt"}],
        },
    ],
}  # fmt: skip
PLAIN = {"question": QUESTION, "options": OPTIONS, "answer": "B", "output": "\\boxed{B}",
         "correct": True}  # fmt: skip


def write_lines(path: Path, records: Iterable[Any]) -> Path:
    content = "".join(json.dumps(record) + "\n" for record in records).encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


def answers_of(*records: Any, **columns: str) -> list[Any]:
    places = ((f"record {number}", record) for number, record in enumerate(records))
    return list(recorded_answers(places, columns))


@pytest.mark.parametrize(
    ("record", "name"),
    [(LM_EVAL, "lm-evaluation-harness"), (INSPECT, "Inspect"), (VERIFIERS, "verifiers"),
     (BATCH, "OpenAI batch"), (RESPONSES, "OpenAI batch"), (COMPLETIONS, "OpenAI batch"),
     (TRACES, "verifiers, traces"), (PLAIN, "plain"), ({}, "plain")],
)  # fmt: skip
def test_the_layout_of_a_record(record: Any, name: str) -> None:
    assert layout_of(record).name == name


@pytest.mark.parametrize("record", [LM_EVAL, INSPECT, PLAIN])
def test_a_choice(record: Any) -> None:
    (answer,) = answers_of(record)
    row = task_row(answer.row)
    assert (row["question"], row["answer"]) == (QUESTION, "B")
    assert row["options"] == {"A": "neon", "B": "zinc", "C": "argon"}
    assert answer.output.endswith("\\boxed{B}" if record is PLAIN else "\\boxed{B}.")
    assert answer.recorded is True


def changed(record: Any, path: str, value: Any) -> Any:
    """Return a copy of a record with another value at a path."""
    copy = json.loads(json.dumps(record))
    *way, last = [int(name) if name.isdecimal() else name for name in path.split(".")]
    place = copy
    for name in way:
        place = place[name]
    place[last] = value
    return copy


def test_a_trace_of_verifiers() -> None:
    (answer,) = answers_of(TRACES)
    assert (answer.id, answer.output, answer.recorded) == (4, "It is \\boxed{42}.", True)
    row = task_row(answer.row)
    assert row == {"question": "What is 6 * 7?", "answer": "42", "expected_answer": "42"}
    assert textgym.grade([TRACES], "textgym/Math-v0").agreement.both_right == 1


@pytest.mark.parametrize(
    ("path", "value", "recorded", "problem"),
    [
        ("rewards", {}, None, ""),
        ("rewards", {"correct": None}, None, ""),
        ("rewards", {"correct": {"score": 1.0, "weight": 0.5}, "format": {"score": 1}}, None, ""),
        ("rewards", {"correct": {"score": 0.0}}, False, ""),
        ("ok", False, True, "the rollout failed: the first attempt"),
        ("nodes", [], True, "it holds no text of a model"),
        ("nodes.1.sampled", False, True, "it holds no text of a model"),
    ],
)
def test_traces_of_many_kinds(path: str, value: Any, recorded: bool | None, problem: str) -> None:
    (answer,) = answers_of(changed(TRACES, f"traces.0.{path}", value))
    assert (answer.recorded, answer.problem) == (recorded, problem)


def test_an_episode_of_several_agents_and_of_none() -> None:
    assert len(answers_of({**TRACES, "traces": TRACES["traces"] * 2})) == 2
    assert answers_of({**TRACES, "traces": []}) == []


def test_a_rollout_of_verifiers() -> None:
    (answer,) = answers_of(VERIFIERS)
    assert (answer.id, answer.output, answer.recorded) == (4, "It is \\boxed{42}.", True)
    row = task_row(answer.row)
    assert row["responses_create_params"] == {"input": VERIFIERS["prompt"]}
    assert row["expected_answer"] == "42"


@pytest.mark.parametrize("record", [BATCH, RESPONSES, COMPLETIONS])
def test_an_answer_of_a_batch(record: Any) -> None:
    (answer,) = answers_of(record)
    assert (answer.id, answer.output, answer.recorded) == ("row-b", "It is \\boxed{B}.", None)


def test_each_choice_of_a_batch_is_an_answer() -> None:
    choice = {"message": {"role": "assistant", "content": "\\boxed{C}"}}
    first = lookup(BATCH, "response.body.choices.0")
    found = answers_of(changed(BATCH, "response.body.choices", [first, choice]))
    assert [answer.output for answer in found] == ["It is \\boxed{B}.", "\\boxed{C}"]


REFUSAL = "I'm sorry, I can't help with that."


@pytest.mark.parametrize(
    "record",
    [
        changed(BATCH, "response.body.choices.0.message", {"content": None, "refusal": REFUSAL}),
        changed(RESPONSES, "response.body.output.1.content",
                [{"type": "refusal", "refusal": REFUSAL}]),
        changed(INSPECT, "output.choices.0.message.content",
                [{"type": "reasoning", "reasoning": "\\boxed{B}", "text": "\\boxed{B}"},
                 {"type": "text", "text": REFUSAL, "refusal": True}]),
        changed(VERIFIERS, "completion.0",
                {"role": "assistant", "content": [{"type": "thinking", "text": "\\boxed{42}"},
                                                  {"type": "text", "text": REFUSAL}]}),
    ],
)  # fmt: skip
def test_a_refusal_is_an_answer_and_a_thought_is_none(record: Any) -> None:
    (answer,) = answers_of(record)
    assert answer.output == REFUSAL


@pytest.mark.parametrize(
    ("doc", "target", "answer"),
    [
        ({"answer": 1}, "1", 1),  # every target is a text in the file
        ({"answer": ["42"]}, "['42']", "42"),
        ({"answer": ["a", "b"]}, "['a', 'b']", ["a", "b"]),
        ({"answer": "So it is 42.\n#### 42"}, "42", "42"),
        ({"answer": 2}, "B", "B"),
        ({}, "['42']", "['42']"),
        ({"answer": "42"}, None, "42"),
    ],
)
def test_the_target_of_a_sample(doc: Any, target: str | None, answer: Any) -> None:
    (found,) = answers_of({**LM_EVAL, "doc": {"question": "?", **doc}, "target": target})
    assert found.row["answer"] == answer


def test_each_response_of_a_sample_is_an_answer_and_the_first_filter_counts() -> None:
    sample = {**LM_EVAL, "resps": [["\\boxed{A}", "\\boxed{B}"]]}
    found = answers_of(sample, {**sample, "filter": "flexible-extract", "exact_match": 0.0})
    assert [answer.output for answer in found] == ["\\boxed{A}", "\\boxed{B}"]


@pytest.mark.parametrize(
    "record",
    [
        {**LM_EVAL, "resps": [[[-1.5, False]], [[-0.5, True]]]},
        {**LM_EVAL, "resps": [[["-1.5", "False"]], [["-0.5", "True"]]]},
        {**LM_EVAL, "resps": [["-12.5"]], "arguments": {"gen_args_0": {"arg_0": "A text."}}},
        {**LM_EVAL, "resps": [["-1.5"]], "arguments": [["Which?", " zinc"], ["Which?", " neon"]]},
        {**LM_EVAL, "resps": []},
        {**INSPECT, "output": {"choices": [], "completion": None}},
        {**VERIFIERS, "completion": [{"role": "user", "content": "And?"}]},
        {**BATCH, "response": None, "error": {"code": "expired", "message": "too late"}},
        changed(BATCH, "response.body", {"error": {"message": "too late", "code": None}}),
        {**PLAIN, "output": None},
        {**PLAIN, "output": 5},
    ],
)
def test_a_record_without_text_says_so(record: Any) -> None:
    (answer,) = answers_of(record)
    assert answer.output is None
    assert ("too late" if "custom_id" in record else "text") in answer.problem


@pytest.mark.parametrize(
    ("record", "problem"),
    [
        ({**INSPECT, "output": {"model": "", "choices": [], "completion": ""}, "scores": None,
          "error": {"message": "RateLimitError()", "traceback": ""}},
         "the sample failed: RateLimitError()"),
        ({**INSPECT, "error": {"message": "late"}}, ""),  # it has an answer and a score
        ({**VERIFIERS, "reward": 0.0, "error": {"error": "ModelError", "message": "no",
          "error_chain_repr": "ModelError('no')", "error_chain_str": "ModelError"}},
         "the rollout failed: ModelError('no')"),
        ({**VERIFIERS, "error": "ModelError"}, "the rollout failed: ModelError"),
        ({**VERIFIERS, "error": None}, ""),
    ],
)  # fmt: skip
def test_what_failed_there_is_no_answer(record: Any, problem: str) -> None:
    (answer,) = answers_of(record)
    assert answer.problem == problem


@pytest.mark.parametrize(
    ("value", "verdict"),
    [(True, True), (False, False), (1, True), (0, False), (1.0, True), (0.0, False), ("C", True),
     ("I", False), ("N", False), ("P", None), ("correct", True), ("Incorrect ", False),
     ("true", True), (0.5, None), (None, None), ("", None), ([], None), (2, None)],
)  # fmt: skip
def test_recorded_verdicts(value: Any, verdict: bool | None) -> None:
    (answer,) = answers_of({"output": "x", "recorded": value})
    assert answer.recorded is verdict


@pytest.mark.parametrize(
    ("options", "answer", "letter"),
    [
        (OPTIONS, "B", "B"),
        (OPTIONS, " (b) ", "B"),
        (OPTIONS, "B.", "B"),
        (OPTIONS, 1, "B"),
        (OPTIONS, "1", "B"),
        (OPTIONS, "zinc", "B"),
        (["1", "0"], "1", "A"),  # the text comes before the place
        (["zinc", "zinc"], "zinc", "zinc"),
        (OPTIONS, 3, "3"),
        (OPTIONS, "D", "D"),
        (OPTIONS, "Zn", "Zn"),
        ({"text": OPTIONS, "label": ["A", "B", "C"]}, "C", "C"),
        ({"A": "neon", "B": "zinc"}, "zinc", "B"),
        (None, 42, "42"),
        (None, "So 6 * 7 = 42\n#### 42", "42"),
        (None, "# 18", "18"),
        (None, "Which is C# 9?", "Which is C# 9?"),
        (None, "#### 4\nand more", "#### 4\nand more"),
        (None, "(A)", "(A)"),
        (["zinc"], "A", "A"),
    ],
)
def test_the_right_answer_of_a_row(options: Any, answer: Any, letter: str) -> None:
    row = task_row({"question": "?", "options": options, "answer": answer})
    assert (row["answer"], row["expected_answer"]) == (letter, letter)
    assert ("options" in row) == (options is not None and options != ["zinc"])


def test_columns_come_before_what_is_guessed() -> None:
    record = {"doc": {"q": "6 * 7?", "a": [41, 42]}, "output": "7", "said": "42", "ok": "yes"}
    columns = {"question": "doc.q", "answer": "doc.a.1", "output": "said", "recorded": "ok"}
    (answer,) = answers_of(record, **columns)
    assert (answer.output, answer.recorded) == ("42", True)
    assert task_row(answer.row)["expected_answer"] == "42"


def test_a_column_that_is_missing() -> None:
    with pytest.raises(UsageError, match=r"no 'gold'; it has question, output"):
        answers_of({"question": "?", "output": "x"}, answer="gold")


@pytest.mark.parametrize(
    ("path", "value"),
    [("a.b", 1), ("a.c", None), ("l.1.x", 2), ("l.5", None), ("l.x", None), ("d.o.t", 3),
     ("a.b.c", None), ("", None)],
)  # fmt: skip
def test_lookup(path: str, value: Any) -> None:
    assert lookup({"a": {"b": 1}, "l": [0, {"x": 2}], "d.o.t": 3}, path) == value


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz", "samples_x_2024.jsonl"])
def test_files_of_lines(tmp_path: Path, name: str) -> None:
    path = write_lines(tmp_path / name, [PLAIN, LM_EVAL])
    assert [*read_records(path)] == [(f"line 1 of {name}", PLAIN), (f"line 2 of {name}", LM_EVAL)]


def test_a_parquet_file(tmp_path: Path) -> None:
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    parquet.write_table(arrow.Table.from_pylist([PLAIN]), tmp_path / "a.parquet")
    ((_, record),) = read_records(tmp_path / "a.parquet")
    assert record == PLAIN


def test_an_inspect_log(tmp_path: Path) -> None:
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as log:
        log.writestr("header.json", json.dumps({"version": 2, "eval": {}}))
        log.writestr("_journal/start.json", "{}")
        log.writestr("samples/3_epoch_1.json", json.dumps(INSPECT))
        log.writestr("summaries.json", "[]")
    assert [*read_records(path)] == [("samples/3_epoch_1.json of log.eval", INSPECT)]
    found = textgym.grade(path, "textgym/MCQA-v0")
    assert (found.right, found.agreement.both_right) == (1, 1)


def test_inspect_logs_and_lists_in_json(tmp_path: Path) -> None:
    path = tmp_path / "log.json"
    for content in ({"version": 2, "eval": {}, "samples": [INSPECT]}, [INSPECT]):
        path.write_text(json.dumps(content))
        assert [record for _, record in read_records(path)] == [INSPECT]


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("a.jsonl", b'{"a": 1}\n{"a": ', "line 2 of a.jsonl"),
        ("a.jsonl", b"[1]\n", "is a JSON list"),
        ("a.jsonl.gz", b"no gzip", "cannot be read"),
        ("a.json", b'{"a": 1}', "no list of records"),
        ("a.json", b"{", "cannot be read"),
        ("a.parquet", b"x", "cannot be read"),
        ("none", None, "missing"),
    ],
)
def test_broken_files(tmp_path: Path, name: str, content: bytes | None, problem: str) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(DatasetError, match=problem):
        list(recorded_answers(read_records(path), {}))


def test_a_log_without_samples(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "log.eval", "w") as log:
        log.writestr("header.json", "{}")
    with pytest.raises(DatasetError, match="no samples"):
        list(read_records(tmp_path / "log.eval"))
