"""JSON values: rows are converted or refused by name, and all else is stored, sent and shown."""

from __future__ import annotations

import contextlib
import json
import math
import uuid
from collections import OrderedDict
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textgym.errors import DatasetError, RowError
from textgym.json_values import (
    canonical_json,
    copy_json,
    decode_json,
    encode_json,
    json_round_trip,
    json_row,
    json_text,
    readable_json,
)
from textgym.tasks.files import load_rows


def deep(levels: int) -> Any:
    value: Any = "x"
    for _ in range(levels):
        value = [value]
    return value


READ = [
    pytest.param(date(2024, 5, 1), "2024-05-01", id="date"),
    pytest.param(datetime(2024, 5, 1, 10, 30), "2024-05-01T10:30:00", id="time without zone"),
    pytest.param(datetime(2024, 5, 1, tzinfo=UTC), "2024-05-01T00:00:00+00:00", id="with zone"),
    pytest.param(time(10, 30), "10:30:00", id="time of day"),
    pytest.param(Decimal("12.50"), 12.5, id="decimal"),
    pytest.param(Decimal("12.00"), 12, id="whole decimal"),
    pytest.param(Decimal("1E+3"), 1000, id="decimal with an exponent"),
    pytest.param(Decimal("123456789012345678901234567890"), 123456789012345678901234567890,
                 id="decimal of 30 digits"),
    pytest.param(Decimal("NaN"), None, id="decimal that is missing"),
    pytest.param(math.nan, None, id="missing value"),
    pytest.param(np.float64("nan"), None, id="missing value of NumPy's"),
    pytest.param(np.int64(5), 5, id="NumPy's whole number"),
    pytest.param(np.float32(0.5), 0.5, id="NumPy's number"),
    pytest.param(np.bool_(True), True, id="NumPy's truth"),
    pytest.param(uuid.UUID(int=5), "00000000-0000-0000-0000-000000000005", id="UUID"),
    pytest.param((1, (2,)), [1, [2]], id="tuples"),
    pytest.param(OrderedDict(a=date(2024, 5, 1)), {"a": "2024-05-01"}, id="date in an object"),
    pytest.param([{"a": [Decimal("0.1")]}], [{"a": [0.1]}], id="decimal deep within"),
    pytest.param(2**64, 2**64, id="large number"),
    pytest.param("\ud800", "\ud800", id="half a surrogate pair"),
    pytest.param(deep(99), deep(99), id="deep lists"),
]  # fmt: skip
REFUSED = [
    pytest.param(b"x", "field 'f' holds bytes, which JSON cannot hold", id="bytes"),
    pytest.param([{"a": bytearray(b"x")}], "field 'f.0.a' holds bytearray", id="deep within"),
    pytest.param(timedelta(1), "field 'f' holds timedelta", id="duration"),
    pytest.param({1, 2}, "field 'f' holds set", id="set"),
    pytest.param(1j, "field 'f' holds complex", id="complex number"),
    pytest.param(np.zeros(2), "field 'f' holds ndarray", id="array"),
    pytest.param(math.inf, "field 'f' is inf, which JSON cannot hold", id="infinity"),
    pytest.param([-math.inf], "field 'f.0' is -inf", id="minus infinity"),
    pytest.param(Decimal("Infinity"), "field 'f' is inf", id="infinite decimal"),
    pytest.param(Decimal("1E+400"), "field 'f' is inf", id="decimal beyond all numbers"),
    pytest.param(Decimal("0.1234567890123456789"), "which no JSON number equals",
                 id="decimal of 19 digits"),
    pytest.param(Decimal("1E-400"), "which no JSON number equals", id="tiny decimal"),
    pytest.param({1: "x"}, "field 'f' has the key 1; JSON keys are strings", id="number as key"),
    pytest.param({"a": {b"k": 1}}, "field 'f.a' has the key b'k'", id="bytes as key"),
    pytest.param(deep(101), "field 'f' is nested too deeply, over 100 levels", id="101 levels"),
    pytest.param(deep(100_000), "nested too deeply", id="100,000 levels"),
]  # fmt: skip


@pytest.mark.parametrize(("given_value", "read"), READ)
def test_value_is_read_as_json_would_hold_it(given_value: Any, read: Any) -> None:
    row = json_row({"f": given_value})
    assert row == {"f": read}
    assert json.loads(json.dumps(row, allow_nan=False)) == row
    assert type(row["f"]) is type(read)


@pytest.mark.parametrize(("given_value", "told"), REFUSED)
def test_value_is_refused_with_its_field(given_value: Any, told: str) -> None:
    with pytest.raises(RowError) as caught:
        json_row({"f": given_value})
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


def test_name_of_a_field_is_a_text() -> None:
    with pytest.raises(RowError, match="field 'row' has the key 5"):
        json_row({5: 1})  # type: ignore[dict-item]


def test_copy_shares_nothing_that_can_be_changed() -> None:
    row: dict[str, Any] = {"a": {"b": [1]}}
    json_row(row)["a"]["b"].append(2)
    assert row == {"a": {"b": [1]}}


@settings(max_examples=50)
@given(
    st.dictionaries(
        st.text(),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary()
            | st.dates() | st.datetimes() | st.times() | st.timedeltas() | st.decimals()
            | st.uuids() | st.complex_numbers(),
            lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.integers(), inner),
            max_leaves=8,
        ),
    )
)  # fmt: skip
def test_any_row_is_read_into_json_or_refused(row: Any) -> None:
    try:
        read = json_row(row)
    except RowError:
        return
    assert json.loads(json.dumps(read, allow_nan=False)) == read
    assert json_row(read) == read


# Files.


@pytest.fixture
def parquet(tmp_path: Path) -> Callable[..., str]:
    """Give a function that writes columns as a parquet file and returns its path."""
    arrow = pytest.importorskip("pyarrow")
    tables = pytest.importorskip("pyarrow.parquet")

    def write_columns(**columns: Any) -> str:
        path = str(tmp_path / "rows.parquet")
        arrays = {name: arrow.array(*column) for name, column in columns.items()}
        tables.write_table(arrow.table(arrays), path)
        return path

    return write_columns


def test_columns_of_a_parquet_file(parquet: Callable[..., str]) -> None:
    arrow = pytest.importorskip("pyarrow")
    path = parquet(
        day=([date(2024, 5, 1), None],),
        moment=([datetime(2024, 5, 1, 10), None], arrow.timestamp("us", "UTC")),
        nanoseconds=([1714557600000000001, None], arrow.timestamp("ns")),
        price=([Decimal("12.50"), None],),
        missing=([math.nan, 1.5],),
        large=([2**64 - 1, None], arrow.uint64()),
        half=([1.5, None], arrow.float16()),
        tags=([["a", None], []],),
        marks=([{"a": [date(2024, 5, 1)]}, None],),
        ages=([[("Ann", 5)], []], arrow.map_(arrow.string(), arrow.int64())),
        nested=([[{"m": [("a", 1)]}], None],
                arrow.list_(arrow.struct([("m", arrow.map_(arrow.string(), arrow.int64()))]))),
        kind=(["a", "a"], arrow.dictionary(arrow.int32(), arrow.string())),
        nothing=([None, None],),
    )  # fmt: skip
    (place, first), (_, second) = load_rows(path, "train")
    assert place == f"row 0 of {path}"
    assert first == {
        "day": "2024-05-01",
        "moment": "2024-05-01T10:00:00+00:00",
        "nanoseconds": "2024-05-01T10:00:00.000000001",
        "price": 12.5,
        "missing": None,
        "large": 2**64 - 1,
        "half": 1.5,
        "tags": ["a", None],
        "marks": {"a": ["2024-05-01"]},
        "ages": {"Ann": 5},
        "nested": [{"m": {"a": 1}}],
        "kind": "a",
        "nothing": None,
    }
    assert (second["missing"], second["ages"], second["day"]) == (1.5, {}, None)


@pytest.mark.parametrize(
    ("values", "kind", "told"),
    [
        pytest.param([b"x", b"y"], "binary", "row 0 of .*: field 'c' holds bytes", id="bytes"),
        pytest.param([None, b"y"], "large_binary", "row 1 of .*: field 'c' holds b", id="later"),
        pytest.param([0, 1], "duration[s]", "row 0 of .*: field 'c' holds time", id="duration"),
        pytest.param([0.5, math.inf], "float64", "row 1 of .*: field 'c' is inf", id="infinity"),
        pytest.param([2**31 - 1], "date32", "row 0 of .*: field 'c' cannot be read",
                     id="day beyond the year 9999"),
    ],
)  # fmt: skip
def test_column_of_a_parquet_file_is_refused_by_name(
    parquet: Callable[..., str], values: list[Any], kind: str, told: str
) -> None:
    arrow = pytest.importorskip("pyarrow")
    known = {"duration[s]": arrow.duration("s"), "date32": arrow.date32()}
    column = (values, known.get(kind) or arrow.type_for_alias(kind))
    with pytest.raises(RowError, match=f"^{told}") as caught:
        list(load_rows(parquet(fine=(["x"] * len(values),), c=column), "train"))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("pairs", "told"),
    [
        pytest.param([[(1, 1)]], "row 0 of .*: field 'c' has the key 1", id="keys are numbers"),
        pytest.param([[(1, 1), (1, 2)]], "field 'c' cannot be read", id="a key twice"),
    ],
)
def test_map_of_a_parquet_file_is_refused_by_name(
    parquet: Callable[..., str], pairs: Any, told: str
) -> None:
    arrow = pytest.importorskip("pyarrow")
    path = parquet(c=(pairs, arrow.map_(arrow.int64(), arrow.int64())))
    with pytest.raises(RowError, match=told):
        list(load_rows(path, "train"))


def test_rows_of_a_parquet_file_beyond_a_batch(parquet: Callable[..., str]) -> None:
    rows = load_rows(parquet(n=(list(range(3000)),)), "train")
    assert [row["n"] for _, row in rows] == list(range(3000))
    assert rows[2999][0].startswith("row 2999 of")


def test_environment_refuses_a_parquet_row_by_place_and_column(
    parquet: Callable[..., str],
) -> None:
    path = parquet(
        question=(["Q?", "Q?"],), expected_answer=(["1", "2"],), image=([None, b"GIF89a"],)
    )
    env = gymnasium.make("textgym/Math-v0", dataset=path)
    with pytest.raises(RowError, match=f"^row 1 of {path}: field 'image' holds bytes"):
        env.reset(options={"index": 1})


@pytest.mark.parametrize(
    ("line", "told"),
    [
        pytest.param('{"a": Infinity}', "field 'a' is inf", id="infinity"),
        pytest.param('{"a": [1e999]}', r"field 'a\.0' is inf", id="a number beyond all"),
        pytest.param('{"a": ' + "[" * 500 + "]" * 500 + "}", "too deeply", id="500 levels"),
    ],
)
def test_line_that_json_does_not_hold_is_refused(tmp_path: Path, line: str, told: str) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"a": 1}\n' + line)
    rows = load_rows(str(path), "train")
    with pytest.raises(RowError, match=f"^line 2 of {path}: .*{told}"):
        rows[1]


def test_missing_number_in_a_line_is_null(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"level": NaN}')
    assert load_rows(str(path), "train")[0][1] == {"level": None}


def test_rows_of_a_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    library = pytest.importorskip("datasets")
    rows: list[dict[str, Any]] = [{"day": date(2024, 5, 1)}, {"day": b"x"}]
    monkeypatch.setattr(library, "load_dataset", lambda name, split: rows)
    with pytest.raises(RowError, match=r"^row 1 of org/name: field 'day' holds bytes"):
        list(load_rows("org/name", "train"))
    rows.pop()
    assert load_rows("org/name", "train")[0][1] == {"day": "2024-05-01"}


def test_failing_hub_gives_a_one_line_error(monkeypatch: pytest.MonkeyPatch) -> None:
    library = pytest.importorskip("datasets")

    def load(name: str, split: str) -> Any:
        raise ValueError("no such data set\nand much more")

    monkeypatch.setattr(library, "load_dataset", load)
    with pytest.raises(
        DatasetError, match=r"cannot be loaded from the hub: ValueError: no such data set$"
    ):
        load_rows("org/name", "train")


def test_row_that_a_caller_brings_is_read_in_the_same_way() -> None:
    env = gymnasium.make("textgym/Math-v0").unwrapped
    row = {"question": "How many?", "expected_answer": "4", "price": Decimal("1.5")}
    env.reset(options={"task": row})
    assert env.task.row["price"] == 1.5  # type: ignore[attr-defined]
    with pytest.raises(RowError, match="field 'image' holds bytes"):
        env.reset(options={"task": {**row, "image": b"x"}})


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(-1e9, 1e9) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(json_values)
def test_a_json_value_is_unchanged_by_every_function(value: Any) -> None:
    assert copy_json(value) == json_round_trip(value) == readable_json(value) == value
    assert decode_json(encode_json(value)) == json.loads(canonical_json(value)) == value
    assert json_row({"field": value}) == {"field": value}
    if not isinstance(value, str):
        assert json.loads(json_text(value)) == value


class Unspeakable:
    def __repr__(self) -> str:
        raise RuntimeError


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({1: {2}}, "{1: {2}}"),
        ({("a", "b"): 1}, "{('a', 'b'): 1}"),
        (b"\xff", "b'\\xff'"),
        (Unspeakable(), "(Unspeakable)"),
        ([Unspeakable()], "(list)"),
    ],
)
def test_what_json_lacks_is_shown_as_its_repr(value: Any, text: str) -> None:
    assert json_text(value) == text


def test_a_list_that_contains_itself_can_be_stored_and_shown() -> None:
    endless: list[Any] = [1]
    endless.append(endless)
    assert json_round_trip(endless) == [1, "..."]
    assert json_text(endless) == "[1, [...]]"
    assert "[...]" in json.dumps(readable_json(endless))


def test_lone_surrogates_are_kept_in_files_replaced_for_servers_and_escaped_for_people() -> None:
    value = {"text": "a\ud800b"}
    assert json_round_trip(value) == value
    assert decode_json(encode_json(value)) == {"text": "a\ufffdb"}
    assert readable_json(value) == {"text": "a\\ud800b"}


@pytest.mark.parametrize("number", [math.nan, math.inf])
def test_numbers_that_are_not_finite(number: float) -> None:
    assert json_round_trip([number]) == [None]
    assert readable_json([number]) == [repr(number)]
    with pytest.raises(RowError) if number == math.inf else contextlib.nullcontext():
        assert json_row({"field": number}) == {"field": None}
