"""Exact match: normalised texts, numbers within tolerances, JSON values."""

from __future__ import annotations

import json
import math
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textgym.verifiers.exact import (
    equal_json,
    equal_number,
    equal_text,
    normalize_answer,
    read_number,
)

ANY_TEXT = st.text(alphabet=st.characters(exclude_categories=()))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("Paris", "PARIS", id="case"),
        pytest.param("Paris", " Paris\n", id="spaces around"),
        pytest.param("New York", "New \t York", id="spaces inside"),
        pytest.param("Nile", "The Nile", id="article"),
        pytest.param("apple", "an apple", id="an"),
        pytest.param("Paris", "Paris.", id="full stop"),
        pytest.param("Paris", '"Paris"', id="quotes"),
        pytest.param("Paris", "“Paris”.", id="curly quotes"),
        pytest.param("Paris", "**Paris**", id="bold"),
        pytest.param("Paris", "**Paris.**", id="bold and full stop"),
        pytest.param("Paris", "(Paris)", id="brackets"),
        pytest.param("Port-au-Prince", "Port au Prince", id="hyphens"),
        pytest.param("N'Djamena", "N’Djamena", id="apostrophe"),
        pytest.param("red, white, blue", "red white blue", id="commas"),
        pytest.param("Mister. Smith", "mister smith", id="full stop inside"),
        pytest.param("caf\u00e9", "cafe\u0301", id="accents"),
        pytest.param("-5", "−5", id="minus sign"),
        pytest.param("straße", "STRASSE", id="sharp s"),
    ],
)
def test_texts_that_differ_in_form_only_are_equal(one: str, other: str) -> None:
    assert equal_text(one, other)
    assert equal_text(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("Paris", "London", id="another text"),
        pytest.param("Paris", "Paris, France", id="more"),
        pytest.param("5", "-5", id="sign"),
        pytest.param("5", ".5", id="decimal point"),
        pytest.param("3.5", "35", id="point inside"),
        pytest.param("5", "5%", id="per cent"),
        pytest.param("5", "5!", id="factorial"),
        pytest.param("C", "C++", id="plus"),
        pytest.param("A", "A*", id="star on one side"),
        pytest.param("102", "10²", id="power"),
        pytest.param("(1, 2)", "[1, 2]", id="intervals"),
        pytest.param("5 m", "5 km", id="unit"),
        pytest.param("1-2", "1 2", id="hyphen between digits"),
        pytest.param("cafe", "café", id="accent"),
        pytest.param("theory", "ory", id="not an article"),
        pytest.param("", "", id="empty"),
        pytest.param(".", "!", id="only marks"),
    ],
)
def test_texts_that_differ_in_content_are_not_equal(one: str, other: str) -> None:
    assert not equal_text(one, other)
    assert not equal_text(other, one)


@pytest.mark.parametrize("text", ["A", "the", "an", "a"])
def test_article_alone_is_not_removed(text: str) -> None:
    assert normalize_answer(text) == text.lower()


@pytest.mark.parametrize("count", [10_000, pytest.param(1_000_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("piece", "end"),
    [("*", ""), ('"', ""), ("(", ")"), (".", ""), ("a-", ""), ("\u0301\u0316", ""), ("the ", ""),
     ("\ud800", "")],
    ids=["stars", "quotes", "brackets", "points", "hyphens", "accents", "articles", "surrogates"],
)  # fmt: skip
def test_hostile_text_is_no_answer(piece: str, end: str, count: int) -> None:
    text = piece * count + end * count
    assert not equal_text("Paris", text)
    assert read_number(text) is None


@given(ANY_TEXT)
def test_any_text_equals_itself_unless_empty(text: str) -> None:
    assert equal_text(text, text) == bool(normalize_answer(text))
    assert not equal_text(text, text + " and more") or not normalize_answer(text)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1,234,567.5", Decimal("1234567.5")),
        (" 7 ", Decimal(7)),
        ("+7.", Decimal(7)),
        (".5", Decimal("0.5")),
        ("-2E-3", Decimal("-0.002")),
        ("12,34", None),
        ("1,2345", None),
        ("7 apples", None),
        ("e5", None),
        (".", None),
        ("", None),
        ("nan", None),
        ("Infinity", None),
        ("0x10", None),
        ("1e99999", None),
        ("1_000", None),
        ("9" * 2000, None),
    ],
)
def test_number_is_read_or_refused(text: str, number: Decimal | None) -> None:
    assert read_number(text) == number


@pytest.mark.parametrize(
    ("one", "other", "tolerance", "same"),
    [
        ("2", "2.0", {}, True),
        (0.1, "0.1", {}, True),
        (0.1, "0.1001", {"absolute": 1e-9}, False),
        ("100", "101", {"absolute": 1}, True),
        ("100", "101.001", {"absolute": 1}, False),
        ("100", "101", {"relative": 0.01}, True),
        ("100", "101.01", {"relative": 0.01}, False),
        ("100", "99", {"relative": 0.011}, True),
        ("0", "0.001", {"relative": 0.5}, False),
        ("1e9999", "1e9999", {"relative": 0.1}, True),
        (math.inf, math.inf, {}, True),
        (math.inf, 1, {"relative": 1}, False),
        (math.nan, math.nan, {}, False),
        (True, 1, {}, False),
        ("1", "one", {}, False),
        (Decimal("9E+999999999999999999"), 1, {"relative": 9.0}, False),
    ],
)
def test_numbers_are_equal_within_the_tolerance(
    one: Any, other: Any, tolerance: dict[str, float], same: bool
) -> None:
    assert equal_number(one, other, **tolerance) is same


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        (1, 1.0, True),
        ([], [], True),
        (1, True, False),
        (0, False, False),
        (None, False, False),
        (None, 0, False),
        ("1", 1, False),
        ("a", "A", False),
        ([1, 2], [2, 1], False),
        ([1], [1, 1], False),
        ([], {}, False),
        ({"a": None}, {}, False),
        ({"a": {"b": [1]}}, {"a": {"b": [1.0]}}, True),
        (2**63, float(2**63), True),
        (2**63 + 1, float(2**63), False),
    ],
)
def test_json_values_are_equal_by_type_and_content(one: Any, other: Any, same: bool) -> None:
    assert equal_json(one, other) is same
    assert equal_json(other, one) is same


@given(JSON)
def test_json_equals_its_serialised_copy(value: Any) -> None:
    assert equal_json(value, json.loads(json.dumps(value)))


def test_deeply_nested_json_is_compared() -> None:
    one: Any = []
    other: Any = []
    for _ in range(20_000):
        one, other = [one], [other]
    assert equal_json(one, other)
    assert not equal_json(one, [other])


def test_number_of_more_than_a_thousand_characters_is_not_read() -> None:
    assert read_number("9" * 1_000) == Decimal("9" * 1_000)
    assert read_number("9" * 1_001) is None
