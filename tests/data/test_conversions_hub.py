"""Data sets with a name, as `datasets` loads them from a repository of typed Parquet files."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import gymnasium
import pytest

from textgym.tasks.named import convert_records, hub_records, named_dataset

datasets: Any = pytest.importorskip("datasets")

TEXT, NUMBER = datasets.Value("string"), datasets.Value("int64")
OPTIONS = ["a", "b", "c", "d"]
TYPED: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "mmlu": (
        {
            "question": TEXT,
            "subject": TEXT,
            "choices": datasets.Sequence(TEXT),
            "answer": datasets.ClassLabel(names=["A", "B", "C", "D"]),
        },
        {"question": "Which?", "subject": "law", "choices": OPTIONS, "answer": 3},
    ),
    "arc": (
        {
            "id": TEXT,
            "question": TEXT,
            "choices": datasets.Sequence({"text": TEXT, "label": TEXT}),
            "answerKey": TEXT,
        },
        {
            "id": "m",
            "question": "Which?",
            "choices": {"text": OPTIONS[:3], "label": ["1", "2", "3"]},
            "answerKey": "3",
        },
    ),
    "hotpotqa": (
        {
            "id": TEXT,
            "question": TEXT,
            "answer": TEXT,
            "type": TEXT,
            "level": TEXT,
            "context": datasets.Sequence({"title": TEXT, "sentences": datasets.Sequence(TEXT)}),
        },
        {
            "id": "h",
            "question": "Where?",
            "answer": "Oslo",
            "type": "bridge",
            "level": "hard",
            "context": {"title": ["Oslo"], "sentences": [["It is cold.", " It snows."]]},
        },
    ),
    "nemotron_mcqa": (
        {
            "responses_create_params": {"input": [{"role": TEXT, "content": TEXT}]},
            "expected_answer": TEXT,
            "uuid": TEXT,
            "template_metadata": {"output_regex": TEXT, "weight": datasets.Value("float64")},
            "options": [dict.fromkeys("ABCD", TEXT)],
        },
        {
            "responses_create_params": {"input": [{"role": "user", "content": "A: a B: b"}]},
            "expected_answer": "B",
            "uuid": "u",
            "template_metadata": {"output_regex": None, "weight": None},
            "options": [
                {letter: "ab"[place] if letter == own else None for letter in "ABCD"}
                for place, own in enumerate("AB")
            ],
        },
    ),
}


def repository(folder: Path, name: str, table: Any) -> Any:
    """Return a data set with a name whose source is a folder, laid out as a hub's repository."""
    dataset = named_dataset(name)
    configs = dataset.source["config"]
    configs = configs if isinstance(configs, list) else [configs or "default"]
    card = ["---", "configs:"]
    for config in configs:
        (folder / config).mkdir(parents=True)
        card += [f"- config_name: {config}", "  data_files:"]
        for split in sorted({entry["source"] for entry in dataset.splits.values()}):
            table.to_parquet(folder / config / f"{split}-00000-of-00001.parquet")
            card += [f"  - split: {split}", f"    path: {config}/{split}-*"]
    (folder / "README.md").write_text("\n".join([*card, "---", ""]))
    return dataclasses.replace(dataset, source={**dataset.source, "hub": str(folder)})


def converted(dataset: Any) -> list[dict[str, Any]]:
    split = next(iter(dataset.splits))
    return list(convert_records(dataset, split, hub_records(dataset, split)))


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")


@pytest.mark.parametrize("name", sorted(TYPED))
def test_records_with_typed_columns(name: str, tmp_path: Path) -> None:
    features, record = TYPED[name]
    table = datasets.Dataset.from_list([record], features=datasets.Features(features))
    (row,) = converted(repository(tmp_path / "hub", name, table))
    env = gymnasium.make(named_dataset(name).env, dataset=[row])
    env.reset()
    assert env.step(env.unwrapped.solve())[1] == 1  # type: ignore[attr-defined]
