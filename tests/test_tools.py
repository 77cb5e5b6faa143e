"""Tools: schemas from methods, and calls by a model that gets things wrong."""

from __future__ import annotations

import asyncio
import json
import threading
from datetime import date
from decimal import Decimal
from enum import Enum
from pathlib import Path
from types import FunctionType
from typing import Annotated, Any, Literal, NewType, NotRequired, Optional
from uuid import UUID

import pydantic
import pytest
from annotated_types import Ge
from pydantic import BeforeValidator, Field
from typing_extensions import TypedDict

from textgym.errors import (
    BoundaryFailure,
    EnvironmentFailure,
    PolicyFailure,
    ToolError,
    UsageError,
)
from textgym.tool_schemas import Signature, _schema_of_hint, _without_titles
from textgym.tools import Toolbox, tool


class Place(TypedDict):
    city: str
    title: str


class Kit:
    """A class with tools of every kind."""

    @tool
    def search(  # noqa: D417
        self,
        title: str,
        limit: int = 10,
        exact: bool = False,
        order: Literal["up", "down"] = "up",
        tags: list[str] | None = None,
        near: Optional[Place] = None,  # noqa: UP045
        *,
        score: float = 0.5,
    ) -> dict[str, Any]:
        """Search the shelf
        for a book.

        A second paragraph is not for the model.

        Args:
            title: The book's title,
                or the beginning of it.
            limit (int): The most results.
            exact: Whether: all of it counts.

        Returns:
            What was found.
        """  # noqa: D205
        return {
            "title": title, "limit": limit, "exact": exact, "order": order, "tags": tags,
            "near": near, "score": score,
        }  # fmt: skip

    @tool
    def add(self, a: int, b: int) -> str:
        """Add."""
        return str(a + b)

    @tool
    def now(self) -> str:
        return "noon"

    @tool
    def refuse(self) -> str:
        """Refuse."""
        raise ToolError("the shelf is locked")

    @tool
    def crash(self) -> str:
        """Crash."""
        raise ZeroDivisionError("by zero")

    @tool
    def lose(self) -> str:
        """Lose the judge."""
        raise PolicyFailure("the server is down")

    @tool
    def leak(self) -> Any:
        """Return what JSON cannot hold."""
        return {1, 2}

    @tool
    def greet(self) -> dict[str, str]:
        """Greet."""
        return {"text": "héllo"}

    @tool
    def say(self, text: str = "", more: Any = None) -> str:
        """Say."""
        return "said"

    def secret(self) -> str:
        """No tool."""
        return "secret"


TOOLS = Toolbox(Kit)
KIT = Kit()


def schema_of(name: str) -> dict[str, Any]:
    """Return a tool's function schema."""
    return next(item["function"] for item in TOOLS.schemas() if item["function"]["name"] == name)


def parameter(name: str) -> dict[str, Any]:
    """Return the schema of one of `search`'s arguments."""
    return schema_of("search")["parameters"]["properties"][name]


def call(name: str, arguments: Any = None, offered: Any = None) -> str:
    """Call a tool of the kit."""
    return TOOLS.call(KIT, name, arguments, offered)


def searched(**arguments: Any) -> dict[str, Any]:
    """Call `search` and read what it got."""
    found: dict[str, Any] = json.loads(call("search", json.dumps({"title": "x", **arguments})))
    return found


def test_only_marked_methods_are_tools_in_the_order_of_names() -> None:
    names = [item["function"]["name"] for item in TOOLS.schemas()]
    assert names == [
        "add", "crash", "greet", "leak", "lose", "now", "refuse", "say", "search",
    ]  # fmt: skip


def test_schema_is_nested() -> None:
    assert [item["type"] for item in TOOLS.schemas()] == ["function"] * 9
    assert set(schema_of("add")) == {"name", "description", "parameters"}


def test_description_is_the_first_paragraph_on_one_line() -> None:
    assert schema_of("search")["description"] == "Search the shelf for a book."


def test_method_without_docstring_has_an_empty_description() -> None:
    assert schema_of("now")["description"] == ""


def test_method_without_arguments_has_an_object_without_properties() -> None:
    parameters = schema_of("now")["parameters"]
    assert parameters["type"] == "object"
    assert parameters["properties"] == {}


def test_arguments_keep_their_order_without_self() -> None:
    properties = schema_of("search")["parameters"]["properties"]
    assert list(properties) == ["title", "limit", "exact", "order", "tags", "near", "score"]


def test_only_arguments_without_default_are_required() -> None:
    assert schema_of("search")["parameters"]["required"] == ["title"]
    assert schema_of("add")["parameters"]["required"] == ["a", "b"]


@pytest.mark.parametrize(
    ("name", "kind"),
    [("title", "string"), ("limit", "integer"), ("exact", "boolean"), ("score", "number")],
)
def test_plain_types(name: str, kind: str) -> None:
    assert parameter(name)["type"] == kind


@pytest.mark.parametrize(
    ("name", "default"), [("limit", 10), ("exact", False), ("order", "up"), ("score", 0.5)]
)
def test_defaults(name: str, default: Any) -> None:
    assert parameter(name)["default"] == default


@pytest.mark.parametrize("name", ["title", "tags", "near"])
def test_none_is_not_shown_as_default(name: str) -> None:
    assert "default" not in parameter(name)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        pytest.param("title", "The book's title, or the beginning of it.", id="two lines"),
        pytest.param("limit", "The most results.", id="type in brackets"),
        pytest.param("exact", "Whether: all of it counts.", id="colon in the text"),
    ],
)
def test_descriptions_of_arguments(name: str, text: str) -> None:
    assert parameter(name)["description"] == text


def test_undescribed_argument_has_no_description() -> None:
    assert "description" not in parameter("score")


def test_literal_is_an_enum() -> None:
    assert parameter("order")["enum"] == ["up", "down"]


def test_optional_list() -> None:
    assert {"type": "array", "items": {"type": "string"}} in parameter("tags")["anyOf"]


def test_nested_object_is_described() -> None:
    text = json.dumps(schema_of("search")["parameters"])
    assert '"city": {"type": "string"}' in text


def titles(schema: Any, inside_properties: bool = False) -> int:
    """Count the titles that are no argument's name."""
    if isinstance(schema, list):
        return sum(titles(item) for item in schema)
    if not isinstance(schema, dict):
        return 0
    own = 0 if inside_properties else int("title" in schema)
    return own + sum(titles(value, key == "properties") for key, value in schema.items())


def test_no_titles_but_arguments_of_that_name() -> None:
    assert [titles(schema) for schema in TOOLS.schemas()] == [0] * 9
    assert json.dumps(schema_of("search")).count('"title": {') == 2


def test_default_with_a_key_title_keeps_it() -> None:
    class Odd:
        @tool
        def find(self, by: dict[str, str] = {"title": "x"}) -> str:  # noqa: B006
            """Find."""
            return str(by)

    (schema,) = Toolbox(Odd).schemas()
    assert schema["function"]["parameters"]["properties"]["by"]["default"] == {"title": "x"}


def test_schemas_refuse_extra_arguments() -> None:
    assert schema_of("add")["parameters"]["additionalProperties"] is False


def test_schemas_are_fresh_copies() -> None:
    spoilt = TOOLS.schemas()
    spoilt[0]["function"]["parameters"]["properties"].clear()
    spoilt.pop()
    assert set(TOOLS.schemas()[0]["function"]["parameters"]["properties"]) == {"a", "b"}
    assert len(TOOLS.schemas()) == 9


def test_schemas_are_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    import inspect

    toolbox = Toolbox(Kit)
    first = toolbox.schemas()
    monkeypatch.delattr(inspect, "signature")
    assert toolbox.schemas() == first
    assert toolbox.call(KIT, "add", {"a": 1, "b": 2}) == "3"


def test_class_without_tools_has_no_schemas() -> None:
    assert Toolbox(object).schemas() == []


def test_inherited_tools_count_and_an_override_wins() -> None:
    class Better(Kit):
        @tool
        def add(self, a: float, b: float) -> str:
            """Add numbers."""
            return f"{a + b:.1f}"

    toolbox = Toolbox(Better)
    assert len(toolbox.schemas()) == 9
    assert toolbox.call(Better(), "add", {"a": 1, "b": 2}) == "3.0"


def test_positional_only_argument_is_the_authors_mistake() -> None:
    class Odd:
        @tool
        def add(self, a: int, /) -> str:
            """Add."""
            return str(a)

    with pytest.raises(UsageError, match=r"Odd\.add: a tool must name all its arguments, so a"):
        Toolbox(Odd).schemas()


def test_argument_without_a_schema_is_the_authors_mistake() -> None:
    class Odd:
        @tool
        def add(self, a: Toolbox) -> str:
            """Add."""
            return str(a)

    for use in (Toolbox(Odd).schemas, lambda: Toolbox(Odd).call(Odd(), "add", '{"a": 1}')):
        with pytest.raises(UsageError, match=r"Odd\.add cannot be a tool, because its type hints"):
            use()


class Renamed:
    @tool(name="close")
    def close_book(self) -> str:
        """Close a book."""
        return "closed"

    @tool
    def borrow(self) -> str:
        """Borrow a book."""
        return "borrowed"


def test_tool_has_the_name_that_the_model_sees() -> None:
    kit = Toolbox(Renamed)
    assert [item["function"]["name"] for item in kit.schemas()] == ["borrow", "close"]
    assert kit.call(Renamed(), "close", "{}") == "closed"
    assert "there is no tool 'close_book'" in kit.call(Renamed(), "close_book", "{}")


@pytest.mark.parametrize("name", ["", "two words", "x" * 65, "né", 5], ids=repr)
def test_name_that_a_model_cannot_call_is_refused(name: Any) -> None:
    with pytest.raises(UsageError, match=r"look: a tool's name must consist of at most 64 letters"):

        @tool(name=name)
        def look(self: Any) -> str:
            return ""


def test_name_of_a_tool_by_position_is_refused() -> None:
    with pytest.raises(UsageError, match="'search' is not a method"):
        tool("search")  # type: ignore[call-overload]


def test_two_tools_of_one_name_are_refused() -> None:
    class Twice:
        @tool(name="look")
        def look_here(self) -> str:
            return ""

        @tool(name="look")
        def look_there(self) -> str:
            return ""

    with pytest.raises(
        UsageError, match=r"Twice\.look_here and Twice\.look_there are both the tool"
    ):
        Toolbox(Twice)


def test_async_tool_is_called_on_the_background_loop() -> None:
    class Waiting:
        @tool
        async def wait(self, seconds: float) -> dict[str, Any]:
            """Wait."""
            await asyncio.sleep(seconds)
            return {"thread": threading.current_thread().name}

    told = Toolbox(Waiting).call(Waiting(), "wait", '{"seconds": 0}')
    assert json.loads(told) == {"thread": "textgym-background"}


@pytest.mark.parametrize(
    ("arguments", "name", "read"),
    [
        pytest.param({"limit": "7"}, "limit", 7, id="digits as int"),
        pytest.param({"limit": 7.0}, "limit", 7, id="whole float as int"),
        pytest.param({"exact": "true"}, "exact", True, id="text as bool"),
        pytest.param({"exact": 1}, "exact", True, id="1 as bool"),
        pytest.param({"score": 1}, "score", 1.0, id="int as float"),
        pytest.param({"tags": ["a"]}, "tags", ["a"], id="list"),
        pytest.param({"near": {"city": "Oslo", "title": "t"}}, "near",
                     {"city": "Oslo", "title": "t"}, id="nested"),
        pytest.param({}, "limit", 10, id="absent"),
        pytest.param({"limit": None}, "limit", 10, id="null is absent"),
        pytest.param({"tags": None}, "tags", None, id="null of an optional"),
    ],
)  # fmt: skip
def test_lax_reading(arguments: dict[str, Any], name: str, read: Any) -> None:
    value = searched(**arguments)[name]
    assert value == read
    assert type(value) is type(read)


class Counting:
    @tool
    def count(
        self,
        whole: int = 0,
        share: float = 0.0,
        either: int | bool = 0,
        maybe: int | None = None,
        wholes: list[int] | None = None,
        table: dict[str, list[float]] | None = None,
        pair: tuple[int, bool] = (0, False),
        anything: Any = None,
        flag: bool = False,
    ) -> str:
        """Count."""
        return repr((whole, share, either, maybe, wholes, table, pair, anything, flag))


@pytest.mark.parametrize(
    "arguments",
    [
        {"whole": True}, {"whole": False}, '{"whole": true}', {"share": True}, {"maybe": False},
        {"wholes": [True]}, {"wholes": [1, False]}, '{"wholes": [1, true]}',
        {"table": {"a": [True]}}, {"pair": [True, True]}, {"flag": True, "whole": True},
    ],
    ids=repr,
)  # fmt: skip
def test_booleans_are_no_numbers(arguments: Any) -> None:
    told = Toolbox(Counting).call(Counting(), "count", arguments)
    assert told.startswith("Error: wrong arguments for 'count': ")
    assert told.endswith(": true and false are no numbers")


@pytest.mark.parametrize(
    "arguments",
    [
        {"whole": 1}, {"whole": "1"}, {"whole": 1.0}, {"share": 0}, {"either": True}, {"either": 1},
        {"maybe": None}, {"wholes": [0, 1]}, {"table": {"a": [0, 1.5]}}, {"pair": [1, True]},
        {"pair": [1, 1]}, {"anything": True}, {"anything": [True]}, {"flag": True}, {"flag": 1},
    ],
    ids=repr,
)  # fmt: skip
def test_numbers_are_numbers_and_booleans_booleans(arguments: Any) -> None:
    assert not Toolbox(Counting).call(Counting(), "count", arguments).startswith("Error")


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param('{"a": 1, "b": 2}', id="JSON"),
        pytest.param({"a": 1, "b": 2}, id="dict"),
        pytest.param(' \n{"b": "2", "a": 1.0}', id="JSON with spaces"),
    ],
)
def test_arguments_come_as_text_or_dict(arguments: Any) -> None:
    assert call("add", arguments) == "3"


@pytest.mark.parametrize("arguments", ["", "  ", "{}", "null", None, {}])
def test_no_arguments(arguments: Any) -> None:
    assert call("now", arguments) == "noon"


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        pytest.param("add", '{"a": 1', "'add' are not valid JSON", id="broken JSON"),
        pytest.param("add", "[" * 100_000, "not valid JSON", id="very deep JSON"),
        pytest.param("add", '{"a": %s}' % ("1" * 5000), "not valid JSON", id="5,000 digits"),
        pytest.param("add", "[1, 2]", "must be a JSON object, not list", id="list"),
        pytest.param("add", "5", "must be a JSON object, not int", id="number"),
        pytest.param("add", '"a"', "must be a JSON object, not str", id="text"),
        pytest.param("add", {"a": 1}, "b: Field required", id="missing"),
        pytest.param("add", {"a": 1, "b": None}, "b: Field required", id="null of a required"),
        pytest.param("add", {"a": 1, "b": 2, "c": 3}, "c: Extra inputs", id="extra"),
        pytest.param("add", {"a": 1, "b": 2, "self": 3}, "self: Extra inputs", id="self"),
        pytest.param("add", {"a": 1, "b": "two"}, "b: Input should be", id="wrong type"),
        pytest.param("add", {"a": 1, "b": 2.5}, "b: Input should be", id="broken int"),
        pytest.param("add", '{"a": 1, "b": NaN}', "b: Input should be", id="NaN"),
        pytest.param("add", '{"a": 1, "b": 1e999}', "b: Input should be", id="infinite"),
        pytest.param("search", {"title": "x", "order": "out"}, "order: Input should be 'up'",
                     id="none of the literals"),
        pytest.param("search", {"title": "x", "tags": "a"}, "tags", id="text for a list"),
        pytest.param("search", {"title": "x", "near": {"city": "Oslo"}}, "near", id="nested"),
        pytest.param("now", '{"\\ud800": 1}', "wrong arguments for 'now'", id="surrogate name"),
        pytest.param("refuse", None, "the shelf is locked", id="ToolError"),
    ],
)  # fmt: skip
def test_mistakes_are_reported_to_the_model(name: str, arguments: Any, told: str) -> None:
    text = call(name, arguments)
    assert text.startswith("Error: ")
    assert told in text


def test_only_the_first_wrong_item_of_a_list_is_reported() -> None:
    """Telling of each would take gigabytes."""

    class Sums:
        @tool
        def add(self, numbers: list[int]) -> int:
            """Add numbers."""
            return sum(numbers)

    text = Toolbox(Sums).call(Sums(), "add", {"numbers": [1, *["x"] * 100_000]})
    assert text.count("numbers.") == 1
    assert "numbers.1: Input should be a valid integer" in text
    assert Toolbox(Sums).call(Sums(), "add", {"numbers": [1, "2"]}) == "3"


def test_a_long_name_of_an_argument_is_not_repeated_in_full() -> None:
    text = call("now", {"x" * 1_000_000: 1})
    assert text.startswith("Error: wrong arguments for 'now': xxx")
    assert len(text) < 300


def test_surrogates_in_a_text_are_no_failure() -> None:
    assert call("say", '{"text": "\\ud800", "more": {"\\ud800": "\\udfff"}}') == "said"


@pytest.mark.parametrize("name", ["", "secret", "__init__", "Add", "add ", "\ud800"])
def test_unknown_tool_gets_the_list_of_tools(name: str) -> None:
    text = call(name, "{}")
    assert text.startswith(f"Error: there is no tool {name!r}")
    assert "add, crash" in text


def test_long_name_is_cut_in_the_message() -> None:
    assert len(call("x" * 10_000)) < 300


def test_tool_that_the_task_does_not_offer() -> None:
    assert call("add", {"a": 1, "b": 2}, ["now"]) == (
        "Error: there is no tool 'add'; the tools are: now"
    )


def test_offered_tool_that_does_not_exist() -> None:
    assert call("fly", None, ["fly"]) == "Error: there is no tool 'fly'; the tools are: none"


def test_task_that_offers_nothing() -> None:
    assert "the tools are: none" in call("now", None, [])


def test_dict_result_is_json_with_its_letters() -> None:
    assert call("greet") == '{"text": "héllo"}'


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("crash", "Error: 'crash' failed: ZeroDivisionError: by zero"),
        ("leak", "Error: 'leak' failed: TypeError: a tool must return a string or JSON data: "
         "Object of type set is not JSON serializable"),
    ],
)  # fmt: skip
def test_unforeseen_exception_is_told_to_the_model(name: str, told: str) -> None:
    assert call(name) == told


class Shelf:
    """Its tools raise what an author did not foresee."""

    def __str__(self) -> str:
        raise ValueError("it cannot be shown")

    @tool
    def reserve(self, book: int) -> str:
        """Reserve."""
        return "ok" * int(float(book))

    @tool
    def look_up(self, book: int) -> str:
        """Look up."""
        return {1: "one"}[book**9000]

    @tool
    def explain(self, text: str) -> str:
        """Explain."""
        raise ValueError(f"{text}\nsecond line")

    @tool
    def fail(self, kind: str) -> str:
        """Fail."""
        kinds = (OSError, ConnectionError, TimeoutError, ModuleNotFoundError)
        raise next(item for item in kinds if item.__name__ == kind)("gone")

    @tool
    def read(self, path: str) -> str:
        """Read."""
        return Path(path).read_text()

    @tool
    def repeat(self, times: int) -> str:
        """Repeat."""
        return "ab" * times


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        pytest.param("reserve", '{"book": 1%s}' % ("0" * 400), "OverflowError: int too large to "
                     "convert to float", id="huge number"),
        pytest.param("look_up", '{"book": 7}', "KeyError", id="message too long to be shown"),
        pytest.param("explain", '{"text": "first"}', "ValueError: first", id="two lines"),
        pytest.param("explain", json.dumps({"text": "x" * 999}), f"ValueError: {'x' * 188}",
                     id="long message"),
    ],
)  # fmt: skip
def test_exception_of_extreme_arguments_is_one_short_line(
    name: str, arguments: str, told: str
) -> None:
    assert Toolbox(Shelf).call(Shelf(), name, arguments) == f"Error: {name!r} failed: {told}"


def test_unforeseen_exception_is_logged_once_a_tool_and_type(
    caplog: pytest.LogCaptureFixture,
) -> None:
    kit = Toolbox(Shelf)
    for text in ("a", "b"):
        kit.call(Shelf(), "explain", {"text": text})
    kit.call(Shelf(), "reserve", {"book": 10**5000})
    assert [record.levelname for record in caplog.records] == ["WARNING"] * 2
    assert "Shelf.explain raised ValueError: a for {'text': 'a'}" in caplog.text
    assert 'raise ValueError(f"{text}' in caplog.text, "the traceback is missing"
    assert "for a number that is too long to show" in caplog.text
    assert list(kit.unforeseen) == [("explain", "ValueError"), ("reserve", "OverflowError")]


def test_tool_error_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    call("refuse")
    assert caplog.records == []


@pytest.mark.parametrize(
    ("name", "arguments", "kind"),
    [
        ("read", {"path": "/no/such/file"}, "FileNotFoundError"),
        ("read", {"path": "/"}, "IsADirectoryError"),
        ("read", {"path": "x" * 5000}, "OSError"),
        ("read", {"path": "a\x00b"}, "ValueError"),
        ("repeat", {"times": 10**15}, "MemoryError"),
    ],
)
def test_a_model_cannot_make_a_step_fail_by_its_arguments(
    name: str, arguments: dict[str, Any], kind: str
) -> None:
    told = Toolbox(Shelf).call(Shelf(), name, arguments)
    assert told.startswith(f"Error: {name!r} failed: {kind}")


@pytest.mark.parametrize(
    "kind", ["OSError", "ConnectionError", "TimeoutError", "ModuleNotFoundError"]
)
def test_exception_of_the_world_is_a_failure(kind: str) -> None:
    with pytest.raises(EnvironmentFailure, match=f"tool 'fail': {kind}: gone") as caught:
        Toolbox(Shelf).call(Shelf(), "fail", {"kind": kind})
    assert type(caught.value.__cause__).__name__ == kind


def test_undo_is_called_for_unforeseen_exceptions_only() -> None:
    undone: list[str] = []
    for name, arguments in (
        ("explain", '{"text": "a"}'),
        ("explain", "{}"),
        ("reserve", '{"book": 1}'),
    ):
        Toolbox(Shelf).call(Shelf(), name, arguments, undo=lambda name=name: undone.append(name))
    assert undone == ["explain"]


@pytest.mark.parametrize("deep", ["[" * 120 + "]" * 120, '{"a":' * 120 + "1" + "}" * 120], ids=len)
def test_arguments_nested_too_deeply_are_refused(deep: str) -> None:
    told = Toolbox(Kit).call(Kit(), "add", f'{{"a": {deep}, "b": 1}}')
    assert told == "Error: the arguments of 'add' are nested over 100 levels deep"


def test_failure_passes_as_it_is() -> None:
    with pytest.raises(BoundaryFailure, match="the server is down") as caught:
        call("lose")
    assert caught.value.boundary == "policy"


class Optionally:
    @tool
    def find(self, name: str, near: str | None) -> str:
        """Find something."""
        return f"{name} near {near}"


@pytest.mark.parametrize("arguments", ['{"name": "a"}', '{"name": "a", "near": null}'], ids=str)
def test_nullable_argument_without_default(arguments: str) -> None:
    assert Toolbox(Optionally).call(Optionally(), "find", arguments) == "a near None"


def test_of_many_unknown_arguments_some_are_looked_at() -> None:
    kit, seen = Toolbox(Kit), []
    validate = kit.tools["add"]._validate

    def watched(given: Any) -> Any:
        seen.append(len(given))
        return validate(given)

    kit.tools["add"].__dict__["_validate"] = watched
    many = {"a": 1, **{f"x{n}": n for n in range(100_000)}, "b": 2}
    told = kit.call(Kit(), "add", json.dumps(many))
    assert told.count("Extra inputs are not permitted") == 5
    assert told.startswith("Error: wrong arguments for 'add': x0: Extra")
    assert seen == [7]


# Schemas that are made of those of the type hints.


class Colour(Enum):
    """A colour."""

    RED = "red"


class Pair(TypedDict):
    """Two numbers."""

    title: int
    other: NotRequired[list[str]]


HINTS: list[Any] = [
    int, str, bool, Any, None, object, list, dict, tuple, list[int], dict[str, list[int | None]],
    tuple[int, str], set[str], Literal["b", "a"], Literal[1, "a", None], int | None, None | int,
    str | int, int | str, list[str | int], list[int | str],
    Annotated[int, Field(ge=1, le=3)], Annotated[int, Field(ge=2, le=3)], Annotated[int, Ge(3)],
    Annotated[int, Field(gt=0, description="Its own.")], Annotated[int, Field(description=None)],
    Annotated[str, Field(pattern="a+", title="T")], Annotated[int, "a note"],
    Annotated[int, Field(json_schema_extra={"x": 1})], Annotated[int, Field(examples=[1])],
    Annotated[str, BeforeValidator(str)], Annotated[int, Field(alias="also")],
    Annotated[int, Field(default=4)], Annotated[int | None, Field(ge=2)],
    Annotated[int, Field(ge=1), Field(le=5)], Colour, list[Colour], Pair, Pair | None,
    Literal[Colour.RED], date, UUID, Decimal, Path, NewType("Number", int),
]  # fmt: skip


@pytest.mark.parametrize("doc", ["", "Do it.\n\nArgs:\n    value: What\n        it is."])
@pytest.mark.parametrize(
    "defaults", [(), (None,), (1,), ("x",), ([1, 2],), ({"b": 1, "a": {"d": 1, "c": 2}},)], ids=repr
)
def test_schema_is_the_one_that_the_validator_has(defaults: tuple[Any, ...], doc: str) -> None:
    for hint in HINTS:

        def method(self: Any, value: Any) -> None: ...

        method.__annotations__ = {"value": hint}
        method.__defaults__, method.__doc__ = defaults, doc
        made = Signature(method, "method")
        wanted = _without_titles(made.adapter.json_schema())
        assert json.dumps(made.schema) == json.dumps(wanted), hint


def test_reading_a_class_makes_one_schema_for_each_type(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []
    adapter = pydantic.TypeAdapter

    def counted(kind: Any) -> Any:
        made.append(kind)
        return adapter(kind)

    def method(self: Any, name: str, day: int = 1, tags: list[str] | None = None) -> None: ...

    methods: dict[str, Any] = {}
    for number in range(64):
        one = methods[f"tool_{number}"] = FunctionType(method.__code__, {}, f"tool_{number}")
        one.__annotations__ = {
            "name": str, "day": Annotated[int, Field(ge=1, le=31)], "tags": list[str] | None
        }  # fmt: skip
        one.__defaults__ = method.__defaults__
        tool(one)
    monkeypatch.setattr(pydantic, "TypeAdapter", counted)
    _schema_of_hint.cache_clear()
    toolbox = Toolbox(type("Many", (), methods))
    assert len(toolbox.schemas()) == 64
    assert len(made) == 3
    assert toolbox.call(None, "tool_5", '{"name": "x", "day": 0}').startswith("Error: wrong")
    assert len(made) == 4
