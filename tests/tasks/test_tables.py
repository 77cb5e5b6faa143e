"""Tables as data sets, and columns with other names than the fields of a row."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import pytest

import textgym
from textgym.errors import DatasetError, RowError, UsageError
from textgym.tasks.files import load_rows
from textgym.tasks.rows import ListRows, RenamedRows

ROWS = [
    {"prompt": f"What is {n} + 1?", "gold": {"value": str(n + 1)}, "grade": n % 2 + 1}
    for n in range(10)
]
COLUMNS = {"question": "prompt", "expected_answer": "gold.value", "level": "grade"}


def dataset_of(rows: list[dict[str, Any]]) -> Any:
    return pytest.importorskip("datasets").Dataset.from_list(rows)


def frame_of(rows: list[dict[str, Any]]) -> Any:
    return pytest.importorskip("pandas").DataFrame(rows)


def arrow_of(rows: list[dict[str, Any]]) -> Any:
    return pytest.importorskip("pyarrow").Table.from_pylist(rows)


class Stream:
    """A table of a package that exports Arrow's stream and nothing else, as polars does."""

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self._table = arrow_of(rows)

    def __len__(self) -> int:
        return len(self._table)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._table.__arrow_c_stream__(requested_schema)


TABLES: list[Callable[[list[dict[str, Any]]], Any]] = [
    list, dataset_of, frame_of, arrow_of, Stream,
]  # fmt: skip


@pytest.fixture(params=TABLES, ids=lambda make: make.__name__)
def table(request: pytest.FixtureRequest) -> Any:
    """Give the rows as each kind of table."""
    return request.param(ROWS)


def math(**kwargs: Any) -> Any:
    return gymnasium.make("textgym/Math-v0", **kwargs).unwrapped


def test_a_table_is_a_data_set(table: Any) -> None:
    env = math(dataset=table, columns=COLUMNS)
    messages, info = env.reset(options={"index": 3})
    assert messages[-1]["content"].startswith("What is 3 + 1?")
    assert info["task_id"] == "row-3"
    assert (env.num_tasks, env.levels, env.task.answer) == (10, (1, 2), "4")
    assert math(dataset=table, columns=COLUMNS, level=2).num_tasks == 5


def test_all_tables_with_the_same_rows_have_the_same_digest(table: Any) -> None:
    assert load_rows(table, "test").digest == ListRows(ROWS).digest


def test_a_rollout_plays_a_table_and_records_what_it_was(table: Any, tmp_path: Path) -> None:
    kwargs = {"dataset": table, "columns": COLUMNS}
    run = textgym.rollout("textgym/Math-v0", "oracle", env_kwargs=kwargs, out=tmp_path / "run")
    assert (run.mean_reward, run.metrics["overall"]["episodes"]) == (1.0, 10)
    more = textgym.rollout(
        "textgym/Math-v0", "oracle", env_kwargs=kwargs, out=tmp_path / "run", resume=True
    )
    assert more.metrics["overall"]["episodes"] == 10


def test_rows_of_a_chosen_order_keep_it() -> None:
    shuffled = dataset_of(ROWS).select([7, 2])
    rows = load_rows(shuffled, "test")
    assert [row["prompt"] for _, row in rows] == ["What is 7 + 1?", "What is 2 + 1?"]


def test_the_labels_of_a_frame_are_no_column() -> None:
    rows = load_rows(frame_of(ROWS).set_index([[*"abcdefghij"]]), "test")
    assert rows[0][1] == ROWS[0]


def test_missing_values_of_a_frame_are_null() -> None:
    rows = load_rows(frame_of([{"a": 1.0, "b": "x"}, {"a": None, "b": None}]), "test")
    assert rows[1][1] == {"a": None, "b": None}


def test_a_date_becomes_text_and_a_date_without_a_year_of_python_is_refused() -> None:
    arrow = pytest.importorskip("pyarrow")
    days = arrow.table({"day": arrow.array([0, 10**7], arrow.date32())})
    rows = load_rows(days, "test")
    assert rows[0] == ("row 0 of the Table", {"day": str(datetime.date(1970, 1, 1))})
    with pytest.raises(RowError, match=r"row 1 of the Table: field 'day' cannot be read"):
        rows[1]


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (
            lambda rows: pytest.importorskip("datasets").DatasetDict({"dev": dataset_of(rows)}),
            r"dataset is a DatasetDict; pass one of its splits: 'dev'",
        ),
        (
            lambda rows: dataset_of(rows).to_iterable_dataset(),
            r"dataset is an IterableDataset, whose rows have no index; pass a Dataset",
        ),
        (lambda rows: frame_of(rows)["prompt"], r"the Series cannot be read"),
        (lambda rows: arrow_of(rows).slice(0, 0), r"data set the Table is empty"),
    ],
    ids=["splits", "iterable", "column", "empty"],
)
def test_what_is_no_table_is_refused(make: Any, problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        math(dataset=make(ROWS))


def test_a_spec_with_a_table_cannot_be_saved() -> None:
    env = gymnasium.make("textgym/Math-v0", dataset=frame_of(ROWS), columns=COLUMNS)
    assert env.spec is not None
    with pytest.raises(UsageError, match=r"'dataset' is an object \(DataFrame\); pass the path"):
        env.spec.to_json()


@pytest.mark.parametrize(
    ("columns", "problem"),
    [
        ({"question": "promt"}, r"row 0 of the list: field 'promt' is missing, .*mean 'prompt'"),
        ({"question": "gold.key"}, r"field 'gold.key' is missing, .*takes 'question'"),
        ({"question": 1}, r"columns must be a dict such as"),
        (["question"], r"columns must be a dict such as"),
    ],
    ids=["misspelt", "nested", "number", "list"],
)
def test_wrong_columns_are_refused(columns: Any, problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        math(dataset=ROWS, columns=columns)


def test_columns_need_a_data_set() -> None:
    with pytest.raises(UsageError, match=r"columns= names the columns of a data set"):
        math(columns=COLUMNS)


def test_a_column_whose_name_has_a_dot_is_itself() -> None:
    rows = RenamedRows(ListRows([{"a.b": 1, "a": {"b": 2}}]), {"c": "a.b"})
    assert rows[0][1] == {"a": {"b": 2}, "c": 1}


def test_columns_can_be_swapped() -> None:
    rows = RenamedRows(ListRows([{"a": 1, "b": 2}]), {"a": "b", "b": "a"})
    assert rows[0][1] == {"a": 2, "b": 1}


def test_levels_that_were_renamed_are_levels_no_more(tmp_path: Path) -> None:
    rows = RenamedRows(ListRows([{"level": 3}]), {"year": "level"})
    assert rows.levels == [None]


def test_a_broken_row_of_a_renamed_file_has_its_line(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"prompt": "2 + 2?", "gold": "4"}\n{"prompt": "2 + 3?"\n')
    env = math(dataset=str(path), columns={"question": "prompt", "expected_answer": "gold"})
    with pytest.raises(DatasetError, match=rf"line 2 of {path} is not valid JSON"):
        env.get_task(1)


@pytest.mark.parametrize("source", ["table", "rows.parquet", "rows.arrow"])
def test_json_is_decoded_wherever_it_is(tmp_path: Path, source: str) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")

    def texts(*values: str | None) -> Any:
        return arrow.array(values, arrow.string()).cast(arrow.json_())

    inside = [texts("[1, 2]"), arrow.array(["x"])]
    columns = {
        "whole": texts('{"a": 1}'),
        "listed": arrow.ListArray.from_arrays([0, 2], texts('{"b": null}', None)),
        "inside": arrow.StructArray.from_arrays(inside, ["schema", "name"]),
        "mapped": arrow.MapArray.from_arrays([0, 1], arrow.array(["c"]), texts('"d"')),
        "plain": arrow.array(['{"e": 1}']),
    }
    table, path = arrow.table(columns), tmp_path / source
    if source == "rows.parquet":
        parquet.write_table(table, path)
    elif source == "rows.arrow":
        with arrow.ipc.new_file(str(path), table.schema) as file:
            file.write_table(table)
    ((_, row),) = load_rows(table if source == "table" else str(path), "train")
    assert row == {
        "whole": {"a": 1},
        "listed": [{"b": None}, None],
        "inside": {"schema": [1, 2], "name": "x"},
        "mapped": {"c": "d"},
        "plain": '{"e": 1}',
    }
