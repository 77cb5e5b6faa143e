"""Everything that reads a model's text takes time linear in the text's length."""

from __future__ import annotations

import re
from typing import Any

import linear_time
import pytest

from textgym import verifiers
from textgym.verifiers import calendar, exact, extract, json_reader
from textgym.verifiers.choices import letters, modes
from textgym.verifiers.choices import letters as sentences
from textgym.verifiers.choices import modes as texts

PIECES = linear_time.PIECES


@pytest.mark.soak
@pytest.mark.parametrize("what", ["expressions", "functions"])
def test_long_text_of_anything_is_read_in_linear_time(what: str) -> None:
    assert linear_time.growing_times(getattr(linear_time, what)(), PIECES) is None


def test_text_of_anything_is_read_with_a_linear_number_of_calls() -> None:
    assert linear_time.growing_calls(linear_time.functions(), PIECES[::4]) is None


def test_quadratic_number_of_calls_is_detected() -> None:
    work = {"good": str.split, "bad": lambda text: [text.find(a) for a in text for _ in text[::20]]}
    assert linear_time.growing_calls(work, ["a"]) == "bad on 'a'"


@pytest.mark.soak
@pytest.mark.parametrize(
    "bad",
    [lambda text: sum(len(text[place:]) for place in range(len(text))),
     re.compile(r"(?:\s+)+x").search],
    ids=["quadratic", "endless"],
)  # fmt: skip
def test_more_than_linear_time_is_detected(bad: linear_time.Work) -> None:
    work = {"good": str.split, "bad": bad}
    assert linear_time.growing_times(work, [" "]) == "bad on ' '"


@pytest.mark.parametrize(
    "module", [calendar, exact, extract, json_reader, letters, modes, sentences, texts]
)
def test_every_expression_of_the_verifiers_is_tried(module: Any) -> None:
    own = {value.pattern for value in vars(module).values() if isinstance(value, re.Pattern)}
    found = " ".join(linear_time.expressions(verifiers))
    assert {pattern for pattern in own if f"{pattern!a}." not in found} == set()
