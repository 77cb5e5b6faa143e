"""Rows of .csv files: cells are texts, and what is not a table is refused with its line."""

from __future__ import annotations

import csv
from pathlib import Path

import gymnasium
import pytest

from textgym.errors import DatasetError, RowError
from textgym.tasks.files import load_rows
from textgym.tasks.rows import RenamedRows


def rows_of(folder: Path, content: str | bytes) -> list[tuple[str, dict[str, object]]]:
    file = folder / "rows.csv"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return list(load_rows(str(file), "train"))


def test_cells_are_texts_and_levels_are_numbers(tmp_path: Path) -> None:
    (row,) = rows_of(tmp_path, "question,expected_answer,level\nWhat is 2 + 3?,5,1\n")
    file = tmp_path / "rows.csv"
    assert row == (
        f"line 2 of {file}",
        {"question": "What is 2 + 3?", "expected_answer": "5", "level": 1},
    )


def test_a_quoted_cell_may_have_commas_quotes_and_lines(tmp_path: Path) -> None:
    rows = rows_of(tmp_path, 'a,b\r\n"1, ""2""\n3",x\r\n4,y\r\n')
    assert [row for _, row in rows] == [{"a": '1, "2"\n3', "b": "x"}, {"a": "4", "b": "y"}]
    assert [place.partition(" of ")[0] for place, _ in rows] == ["line 3", "line 4"]


def test_empty_cells_and_empty_lines_are_left_out(tmp_path: Path) -> None:
    assert [row for _, row in rows_of(tmp_path, "a,b\n1,\n\n,2\n")] == [{"a": "1"}, {"b": "2"}]


def test_a_byte_order_mark_is_no_part_of_a_name(tmp_path: Path) -> None:
    ((_, row),) = rows_of(tmp_path, b"\xef\xbb\xbfa\n1\n")
    assert row == {"a": "1"}


def test_columns_without_a_name_may_be_many(tmp_path: Path) -> None:
    assert [row for _, row in rows_of(tmp_path, "a,,\n1,,\n")] == [{"a": "1"}]


def test_a_renamed_column_may_have_empty_cells(tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    file.write_text("Question?,Fee (EUR)\nHow much?,2\nHow many?,\n")
    columns = {"question": "Question?", "fee": "Fee (EUR)"}
    rows = RenamedRows(load_rows(str(file), "train"), columns)
    assert [row for _, row in rows] == [
        {"question": "How much?", "fee": "2"},
        {"question": "How many?"},
    ]


def test_a_cell_may_be_long(tmp_path: Path) -> None:
    text = "x" * (csv.field_size_limit() + 1)
    assert rows_of(tmp_path, f"a,b\n{text},1\n")[0][1] == {"a": text, "b": "1"}


def test_a_renamed_column_that_the_header_lacks_is_refused_with_the_nearest(tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    file.write_text("Question?,Fee (EUR)\nHow many?,\n")
    rows = RenamedRows(load_rows(str(file), "train"), {"fee": "Fee (EUR"})
    with pytest.raises(RowError, match=r"did you mean 'Fee \(EUR\)'"):
        rows[0]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("a,b\n1\n", "line 2 has 1 cells, and the header names 2 columns"),
        ("a\n1\n2,3\n", "line 3 has 2 cells"),
        ('a\n"1\n', "line 2: unexpected end of data"),
        (b"a\n\xff\n", "line 2 is not UTF-8"),
        ("a,b\n", "is empty"),
        ("", "is empty"),
        ("a,b,a\n1,2,3\n", "the header names the column 'a' twice"),
        ("a;b\n1;2,5\n", "separated by commas, and not by ';'"),
        ("a|b\n1|2\n", r"separated by commas, and not by '\|'"),
        ("a\tb\n1\t2\n", r"separated by commas, and not by '\\t'"),
    ],
)
def test_a_broken_file_is_refused(tmp_path: Path, content: str | bytes, problem: str) -> None:
    with pytest.raises(DatasetError, match=problem):
        rows_of(tmp_path, content)


@pytest.mark.parametrize("name", ["rows.csv", "rows.json", "folder/rows.tsv"])
def test_a_missing_file_is_not_looked_for_on_the_hub(name: str) -> None:
    with pytest.raises(DatasetError, match=f"'{name}' is missing"):
        load_rows(name, "train")


def test_an_environment_reads_a_csv_file(tmp_path: Path) -> None:
    file = tmp_path / "sums.csv"
    file.write_text("question,expected_answer\nWhat is 2 + 3?,5\n")
    env = gymnasium.make("textgym/Math-v0", dataset=str(file))
    env.reset()
    assert env.step("\\boxed{5}")[1] == 1
