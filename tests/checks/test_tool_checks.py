"""Calls of tools with extreme arguments: what is called, and the defects that it finds."""

from __future__ import annotations

import json
import random
import threading
from typing import Any, Literal

import pytest
from library import Library
from typing_extensions import TypedDict

import textgym
from textgym.checks import FAST_CHECKS, Result, make_subject, run_check
from textgym.checks.hostile import arguments_for
from textgym.errors import ToolError
from textgym.tools import Toolbox, tool

NAME = "runtime.tool_arguments"


class Place(TypedDict):
    city: str


class Kit:
    @tool
    def find(
        self,
        count: int,
        name: str,
        order: Literal["up", "down"],
        ratio: float = 0.5,
        tags: list[str] | None = None,
        near: Place | None = None,
        anything: Any = None,
    ) -> str:
        """Find."""
        return ""


def values_of(name: str, known: Any = ()) -> list[Any]:
    """Return the values that one argument of `Kit.find` is given."""
    schema = Toolbox(Kit).schemas()[0]["function"]["parameters"]
    given = arguments_for(schema, known, random.Random(0))
    return [item[name] for item in given if name in item]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("count", 10**30), ("count", -1), ("name", ""), ("name", "x" * 10_000),
        ("order", "down"), ("order", "no such value"), ("ratio", float("inf")), ("tags", []),
        ("tags", None), ("near", {}), ("anything", True), ("anything", 0.1),
    ],
)  # fmt: skip
def test_extremes_of_each_type_are_drawn(name: str, value: Any) -> None:
    assert value in values_of(name)


def test_nan_and_deep_lists_are_drawn() -> None:
    assert any(value != value for value in values_of("ratio"))
    assert any(json.dumps(value).startswith("[[[[") for value in values_of("tags"))


def test_values_of_the_row_are_drawn_where_they_fit() -> None:
    assert values_of("name", ["Oslo", 5])[0] == "Oslo"
    assert values_of("count", ["Oslo", 5])[0] == 5


def test_the_same_generator_draws_the_same_arguments() -> None:
    assert str(values_of("name")) == str(values_of("name"))


def checked(cls: type[Any]) -> Result:
    with make_subject(cls, 5) as subject:
        return run_check(subject, FAST_CHECKS[NAME])


class Careful(Library):
    @textgym.tool
    def borrow(self, book: int) -> str:
        """Borrow a book."""
        if book > 10**9:
            raise ToolError("there is no such book")
        return "borrowed"

    def grade(self) -> Any:
        return textgym.Grade(0.0, False)


def test_a_tool_that_refuses_what_it_cannot_handle_passes() -> None:
    assert checked(Careful).status == "pass"


class Careless(Careful):
    @textgym.tool
    def borrow(self, book: int) -> str:
        """Borrow a book."""
        return "borrowed" * (1 // (book <= 10**9))


def test_an_exception_of_extreme_arguments_is_found() -> None:
    assert checked(Careless).detail.startswith(
        "Careless.borrow raised ZeroDivisionError: integer division or modulo by zero for "
        "'{\"book\": 2147483648}': raise ToolError instead"
    )


class FailsOnNaN(Careful):
    @textgym.tool
    def weigh(self, grams: float) -> str:
        """Weigh."""
        return "ok" if grams == grams else str(int(grams))


def test_an_exception_of_nan_is_found() -> None:
    assert "FailsOnNaN.weigh raised ValueError" in checked(FailsOnNaN).detail


class FailsOnALevel(Careful):
    """Fails only if its first argument is one of the row's and the second is negative."""

    @textgym.tool
    def hold(self, book: int, days: int) -> str:
        """Hold."""
        if book == self.task.answer and days < 0:
            raise IndexError("no such day")
        return "held"


def test_an_exception_behind_a_meaningful_argument_is_found() -> None:
    assert "FailsOnALevel.hold raised IndexError: no such day" in checked(FailsOnALevel).detail


class LocksItsState(Careful):
    """Puts what cannot be copied into its state if the argument is 0."""

    @textgym.tool
    def note(self, text: Any) -> str:
        """Note."""
        self.state["borrowed"].append(text if text != 0 else threading.Lock())
        return "noted"


def test_a_step_that_raises_is_found() -> None:
    detail = checked(LocksItsState).detail
    assert detail.startswith("note(")
    assert "raised UsageError: the state of LocksItsState cannot be copied" in detail


def test_an_environment_without_tools_is_skipped() -> None:
    class Silent(textgym.TextEnv[None]):
        card = textgym.Card("tests/Silent-v0", "Say something.")

        def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
            return {}

    assert checked(Silent) == Result(NAME, "skip", detail="the environment has no tools")
