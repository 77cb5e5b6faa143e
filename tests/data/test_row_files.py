"""Rows in .jsonl and .parquet files come back as they were, or are refused."""

from __future__ import annotations

import json
import os
import resource
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textgym.data.row_files import write_rows
from textgym.errors import RowError, UsageError
from textgym.tasks.files import load_rows

parquet = pytest.importorskip("pyarrow.parquet")

ODD_TEXTS = ["", "\ud800", "\x00", "\n", "level", "a.b", "null", "é", "😀"]
texts = st.text(max_size=8) | st.sampled_from(ODD_TEXTS)
atoms = (
    st.none() | st.booleans() | texts | st.integers()
    | st.sampled_from([2**63 - 1, 2**63, -(2**63), -(2**63) - 1, 10**30])
    | st.floats(allow_nan=False, allow_infinity=False)
)  # fmt: skip
values = st.recursive(
    atoms,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
fields = st.sampled_from(["id", "level", "question", "options", ""]) | st.text(max_size=3)
rows_of_all_kinds = st.lists(st.dictionaries(fields, values, max_size=4), min_size=1, max_size=4)


@pytest.fixture(scope="module", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Give an empty cache folder, in which Parquet files are converted."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("rows")


def written(rows: list[dict[str, Any]]) -> list[dict[str, str]]:
    """Return rows with each value as JSON, in which 1, 1.0 and true differ, and orders of keys."""
    return [{name: json.dumps(value) for name, value in row.items()} for row in rows]


def come_back(path: Path, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Write rows and read them."""
    path.unlink(missing_ok=True)
    assert write_rows(path, rows) == len(rows)
    return [row for _, row in load_rows(str(path), "train")]


@settings(max_examples=50)  # each of several rows
@given(rows=rows_of_all_kinds)
def test_rows_come_back_from_jsonl(folder: Path, rows: list[dict[str, Any]]) -> None:
    assert written(come_back(folder / "rows.jsonl", rows)) == written(rows)


@settings(max_examples=50)
@given(rows=rows_of_all_kinds)
def test_rows_come_back_from_parquet(folder: Path, rows: list[dict[str, Any]]) -> None:
    if not any(rows):
        with pytest.raises(UsageError, match=r"rows without fields cannot be written"):
            come_back(folder / "rows.parquet", rows)
        return
    assert written(come_back(folder / "rows.parquet", rows)) == written(rows)


@pytest.mark.parametrize("suffix", [".jsonl", ".parquet"])
def test_a_missing_field_differs_from_a_null(tmp_path: Path, suffix: str) -> None:
    rows: list[dict[str, Any]] = [{"id": "a"}, {"id": "b", "hint": None}, {"id": "c", "hint": "x"}]
    assert come_back(tmp_path / f"rows{suffix}", rows) == rows


def test_the_order_of_options_is_kept_in_parquet(tmp_path: Path) -> None:
    rows = [{"options": {"A": "1", "B": "2"}}, {"options": {"B": "2", "A": "1"}}]
    back = come_back(tmp_path / "rows.parquet", rows)
    assert [[*row["options"]] for row in back] == [["A", "B"], ["B", "A"]]


def test_fields_of_one_type_are_plain_columns(tmp_path: Path) -> None:
    rows = [
        {"text": "a", "int": 1, "float": 0.5, "bool": True, "hint": None, "list": [1], "odd": 1},
        {"text": "b", "int": 2, "float": 1.0, "bool": False, "hint": "x", "list": [2], "odd": 1.0},
    ]
    write_rows(tmp_path / "rows.parquet", rows)
    schema = parquet.read_schema(tmp_path / "rows.parquet")
    assert {name: str(schema.field(name).type) for name in schema.names} == {
        "text": "string",
        "int": "int64",
        "float": "double",
        "bool": "bool",
        "hint": "string",
        "list": "extension<arrow.json>",
        "odd": "extension<arrow.json>",
    }


def test_other_libraries_decode_the_columns(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    if not hasattr(datasets, "Json"):
        pytest.skip("this version of datasets has no feature Json")
    rows = [{"id": "a", "options": {"A": "1"}}, {"id": "b", "options": {"B": "2", "C": "3"}}]
    write_rows(tmp_path / "rows.parquet", rows)
    loaded = datasets.Dataset.from_parquet(
        str(tmp_path / "rows.parquet"), cache_dir=str(tmp_path / "cache")
    )
    assert loaded.to_list() == rows


def test_more_rows_than_a_row_group_has_come_back(tmp_path: Path) -> None:
    rows = [{"number": number, "list": [number]} for number in range(2500)]
    assert come_back(tmp_path / "rows.parquet", rows) == rows


def test_a_name_that_parquet_cannot_hold_is_refused_with_the_row(tmp_path: Path) -> None:
    rows = [{"a": 1}, {"a": 1, "\ud800": 2}]
    with pytest.raises(RowError, match=r"^row 2: field '\\ud800' has a name that Parquet cannot"):
        write_rows(tmp_path / "rows.parquet", rows)


@pytest.mark.parametrize("name", ["rows.csv", "rows", "rows.json"])
def test_other_suffixes_are_refused_before_a_row_is_made(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match=r"^rows are written to a \.jsonl or \.parquet file, not"):
        write_rows(tmp_path / name, (pytest.fail("a row was made") for _ in range(1)))


@pytest.mark.parametrize("suffix", [".jsonl", ".parquet"])
def test_rows_that_end_with_an_error_leave_the_old_file(tmp_path: Path, suffix: str) -> None:
    def rows() -> Iterator[dict[str, Any]]:
        yield {"id": "new"}
        raise UsageError("no more")

    path = tmp_path / f"rows{suffix}"
    write_rows(path, [{"id": "old"}])
    with pytest.raises(UsageError, match=r"^no more$"):
        write_rows(path, rows())
    assert [row for _, row in load_rows(str(path), "train")] == [{"id": "old"}]
    assert os.listdir(tmp_path) == [path.name]


@pytest.fixture
def full_disk() -> Iterator[None]:
    """Let no file grow beyond 4 KB."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.usefixtures("full_disk")
@pytest.mark.parametrize("nested", [False, True])
@pytest.mark.parametrize("suffix", [".jsonl", ".parquet"])
def test_a_full_disk_is_one_line_and_leaves_the_old_file(
    tmp_path: Path, suffix: str, nested: bool
) -> None:
    path = tmp_path / f"rows{suffix}"
    path.write_bytes(b"old")
    rows = [{"text": f"{number:>400}"} for number in range(5000)]
    with pytest.raises(UsageError, match=r"rows\.\w+' cannot be written: File too large$"):
        write_rows(path, rows, nested=nested)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == [path.name]


def test_nested_columns_refuse_values_of_several_types(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [{"answer": "4"}, {"answer": 4}]
    with pytest.raises(UsageError, match=r"^rows do not fit into a \.parquet file: Arrow"):
        write_rows(tmp_path / "rows.parquet", rows, nested=True)
