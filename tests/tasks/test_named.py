"""Data sets by name: what is loaded from the hub, kept in the cache, and played."""

from __future__ import annotations

import dataclasses
import json
import logging
import socketserver
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import gymnasium
import pytest

import textgym
from textgym.errors import DatasetError, ExtraMissingError, RowError, UnknownNameError
from textgym.registry import make, registered_id
from textgym.tasks import named
from textgym.tasks.files import load_rows
from textgym.tasks.named import (
    convert_records,
    dataset_names,
    is_dataset_name,
    named_dataset,
    named_rows_file,
    published_names,
)

RECORDS = [
    {"question": f"Ann has {n} pens and buys 2. How many are there?", "answer": f"\n#### {n + 2}"}
    for n in range(4)
]
Calls = list[dict[str, Any]]


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Calls:
    """Answer each call of `load_dataset` with the records, and give the list of calls."""
    datasets = pytest.importorskip("datasets")
    calls: Calls = []

    def load_dataset(path: str, **arguments: Any) -> Any:
        calls.append({"path": path, **arguments})
        return datasets.Dataset.from_list(RECORDS)

    monkeypatch.setattr(datasets, "load_dataset", load_dataset)
    return calls


def echo(record: Mapping[str, Any], number: int, split: str) -> dict[str, Any] | str:
    """Convert a record to itself; one without a question is left out."""
    if record["question"] is None:
        return "there is no question"
    if record["question"] == "":
        raise RowError("question", "is empty")
    return {"id": f"{split}-{number}", **record}


def dataset_with(**changes: Any) -> named.NamedDataset:
    splits = {"test": {"source": "test", "rows": None}}
    changes = {"splits": splits, "convert": f"{__name__}:echo", **changes}
    return dataclasses.replace(named_dataset("gsm8k"), **changes)


def converted(dataset: named.NamedDataset, *questions: str | None) -> list[dict[str, Any]]:
    records = [(f"row {n}", {"question": question}) for n, question in enumerate(questions)]
    return list(convert_records(dataset, "test", records))


def test_rows_are_loaded_once_and_then_read_from_the_cache(hub: Calls, own_cache: Path) -> None:
    path = named_rows_file("gsm8k", "test")
    assert own_cache in path.parents
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert [row["expected_answer"] for row in rows] == ["2", "3", "4", "5"]
    assert named_rows_file("gsm8k", "test") == path
    assert [(call["path"], call["name"], call["split"]) for call in hub] == [
        ("openai/gsm8k", "main", "test")
    ]


@pytest.mark.usefixtures("hub")
def test_a_name_is_an_environment() -> None:
    env = gymnasium.make("gsm8k/Math-v0", split="test")
    assert env.unwrapped.num_tasks == 4  # type: ignore[attr-defined]
    run = textgym.rollout("gsm8k", "oracle")
    assert (run.mean_reward, run.metrics["overall"]["episodes"]) == (1.0, 4)
    assert [*run.metrics["envs"]] == ["gsm8k/Math-v0"]


@pytest.mark.usefixtures("hub")
def test_a_name_is_a_data_set_of_other_environments() -> None:
    env = gymnasium.make("textgym/EquivalenceJudge-v0", dataset="gsm8k", split="train")
    assert env.unwrapped.num_tasks == 4  # type: ignore[attr-defined]


@pytest.mark.usefixtures("hub")
def test_a_run_of_a_name_can_be_resumed_and_rescored(tmp_path: Path) -> None:
    textgym.rollout("gsm8k", "oracle", out=tmp_path / "run")
    config = json.loads((tmp_path / "run" / "run.json").read_text())
    assert config["splits"] == {"gsm8k/Math-v0": "test"}
    run = textgym.rollout("gsm8k", "oracle", out=tmp_path / "run", resume=True)
    assert run.metrics["overall"]["episodes"] == 4
    assert textgym.rescore(tmp_path / "run").counts["same"] == 4


def test_a_name_without_the_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "datasets", None)  # an import of it fails
    with pytest.raises(ExtraMissingError, match=r"need the extra 'data': pip .*'textgym\[data\]'"):
        make("gsm8k")
    assert "gsm8k/Math-v0" not in textgym.ids()


@pytest.mark.usefixtures("hub")
def test_rows_in_the_cache_need_no_package(monkeypatch: pytest.MonkeyPatch) -> None:
    path = named_rows_file("gsm8k", "test")
    monkeypatch.setitem(sys.modules, "datasets", None)
    assert (registered_id("gsm8k"), named_rows_file("gsm8k", "test")) == ("gsm8k/Math-v0", path)


def test_a_file_in_the_way_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert is_dataset_name("gsm8k")
    Path("gsm8k").write_text('{"question": "2 + 2?", "expected_answer": "4"}\n')
    assert not is_dataset_name("gsm8k")
    assert gymnasium.make("textgym/Math-v0", dataset="gsm8k").unwrapped.num_tasks == 1  # type: ignore[attr-defined]


def test_each_name_is_registered_with_its_arguments() -> None:
    expected = {
        f"{name}/{named_dataset(name).env.partition('/')[2]}": {
            "dataset": name,
            **named_dataset(name).env_kwargs,
        }
        for name in (*dataset_names(), *published_names())
    }
    specs = {id: spec for id, spec in gymnasium.registry.items() if "dataset" in spec.kwargs}
    assert {id: spec.kwargs for id, spec in specs.items()} == expected
    assert expected.keys().isdisjoint(textgym.ids(guests=False))


def test_an_unknown_name_or_split_names_the_right_ones() -> None:
    with pytest.raises(UnknownNameError, match=r"no data set 'gsm8'; did you mean 'gsm8k'\?"):
        named_dataset("gsm8")
    with pytest.raises(
        UnknownNameError, match=r"'mmlu' has no split 'train': pass split='validation'"
    ):
        named_rows_file("mmlu", "train")


def test_a_hub_that_cannot_be_read_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    datasets = pytest.importorskip("datasets")

    def refuse(_: str, **__: Any) -> Any:
        raise ConnectionError("no route\nto the hub")

    monkeypatch.setattr(datasets, "load_dataset", refuse)
    with pytest.raises(DatasetError) as caught:
        gymnasium.make("gsm8k/Math-v0")
    assert "\n" not in str(caught.value)
    assert "data set 'gsm8k' (split 'train') cannot be loaded from 'openai/gsm8k'" in str(
        caught.value
    )


@pytest.fixture
def silent_hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Let a server be the hub that ends each connection, and give the addresses that asked it."""
    datasets = pytest.importorskip("datasets")
    constants = pytest.importorskip("huggingface_hub.constants")
    asked: list[str] = []

    class Silent(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            asked.append(str(self.client_address))

    with socketserver.TCPServer(("127.0.0.1", 0), Silent) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,)).start()
        port = server.server_address[1]
        monkeypatch.setattr(datasets.config, "HF_ENDPOINT", f"http://127.0.0.1:{port}")
        monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", False)
        monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
        yield asked
        server.shutdown()


@pytest.mark.parametrize("dataset", ["gsm8k", "openai/gsm8k"])
def test_a_hub_that_does_not_answer_is_asked_once(silent_hub: list[str], dataset: str) -> None:
    with pytest.raises(DatasetError, match=r"cannot be reached: .*; set HF_HUB_OFFLINE=1 to use"):
        load_rows(dataset, "test")
    assert len(silent_hub) == 1


@pytest.mark.parametrize(("name", "meant"), [("gsm8kk", "gsm8k"), ("mmlupro", "mmlu_pro")])
def test_a_slip_in_the_name_of_an_environment_is_told(name: str, meant: str) -> None:
    pytest.importorskip("datasets")  # without it, no data set can be played
    with pytest.raises(UnknownNameError, match=f"no environment '{name}'; did you mean '{meant}'"):
        registered_id(name)


@pytest.mark.parametrize(
    ("name", "hint"),
    [("mmlu-pro", "; did you mean 'mmlu_pro'?"), ("me/mmlu-pro", "(OfflineModeIsEnabled)")],
)
def test_a_slip_in_a_name_is_told(name: str, hint: str) -> None:
    pytest.importorskip("datasets")
    with pytest.raises(DatasetError) as caught:
        load_rows(name, "test")
    assert str(caught.value).endswith(hint)


def test_records_of_another_schema_leave_no_file(hub: Calls, own_cache: Path) -> None:
    RECORDS.append({"question": "Why?", "answer": "Because."})
    try:
        with pytest.raises(
            RowError, match=r"^row 4 of openai/gsm8k \(main\): field 'answer' must end with"
        ):
            named_rows_file("gsm8k", "test")
    finally:
        RECORDS.pop()
    assert [path for path in own_cache.rglob("*") if path.is_file()] == []
    assert len(hub) == 1


def test_what_is_left_out_is_counted_by_its_reason(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        rows = converted(dataset_with(), "a", None, "b", None)
    assert [row["id"] for row in rows] == ["test-1", "test-3"]
    assert "gsm8k (test): 2 records are left out (there is no question: 2)" in caplog.text


def test_a_number_of_records_that_was_not_expected_is_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    splits = {"test": {"source": "test", "rows": 3}}
    with caplog.at_level(logging.WARNING):
        converted(dataset_with(splits=splits), "a", "b", "c")
        assert caplog.text == ""
        converted(dataset_with(splits=splits), "a", "b")
    assert "gsm8k (test): 2 records, not 3" in caplog.text


def test_a_broken_record_has_its_place() -> None:
    with pytest.raises(RowError, match=r"^row 1: field 'question' is empty$"):
        converted(dataset_with(), "a", "")


@pytest.mark.parametrize("questions", [(), (None, None)], ids=["none", "all left out"])
def test_a_split_without_rows_is_refused(questions: tuple[None, ...]) -> None:
    with pytest.raises(DatasetError, match=r"gsm8k \(test\) has no rows"):
        converted(dataset_with(), *questions)


def test_repeated_records_are_kept_once() -> None:
    rows = converted(dataset_with(repeated=True), "a", "b", "a", "a")
    assert [row["id"] for row in rows] == ["test-1", "test-2"]
    assert len(converted(dataset_with(), "a", "b", "a", "a")) == 4


def test_each_configuration_is_a_task_of_its_own(hub: Calls) -> None:
    source = {"hub": "me/exam", "config": ["sums", "words"], "revision": "1", "url": ""}
    records = [*named.hub_records(dataset_with(source=source), "test")]
    assert [call["name"] for call in hub] == ["sums", "words"]
    assert [record["task"] for _, record in records] == ["sums"] * 4 + ["words"] * 4
    assert records[5][0] == "row 1 of me/exam (words)"


def test_files_are_loaded_from_their_addresses(hub: Calls) -> None:
    files = ["https://example.org/a.csv", "https://example.org/b.csv"]
    source = {"hub": None, "config": None, "revision": "1", "url": "", "files": files}
    records = [*named.hub_records(dataset_with(source=source), "test")]
    assert [(call["path"], call["data_files"]) for call in hub] == [("csv", url) for url in files]
    assert all("revision" not in call for call in hub)
    assert [record["task"] for _, record in records] == ["a"] * 4 + ["b"] * 4
