"""Texts that are exactly one document, and texts that are not."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import in_one_test

from textgym.envs.structured_output.answers import write_document
from textgym.verifiers.documents import FORMATS, DocumentError, read_document
from textgym.verifiers.documents.document import MAX_DEPTH, MAX_LENGTH

FLAT = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "age": {"type": "integer"},
        "rate": {"type": ["number", "null"]},
        "paid": {"type": "boolean"},
    },
}
NESTED = {
    "type": "object",
    "properties": {
        "who": {"$ref": "#/$defs/person"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "pay": {
            "oneOf": [
                {"properties": {"by": {"const": "card"}, "digits": {"type": "string"}}},
                {"properties": {"by": {"const": "cash"}, "days": {"type": "integer"}}},
            ]
        },
    },
    "$defs": {"person": FLAT},
}


@in_one_test(
    ("format", "text", "value"),
    [
        pytest.param("json", '{"a": 1, "b": null}', {"a": 1, "b": None}, id="json"),
        pytest.param("json", '```json\n{"a": 1}\n```', {"a": 1}, id="code fence with a language"),
        pytest.param("json", '```\n{"a": 1}\n```', {"a": 1}, id="code fence"),
        pytest.param("json", ' \n{"a": 1}\n\n', {"a": 1}, id="white space around"),
        pytest.param("yaml", "a: 1\nb: [x, y]", {"a": 1, "b": ["x", "y"]}, id="yaml"),
        pytest.param("yaml", "---\na: 1\n...", {"a": 1}, id="yaml with document marks"),
        pytest.param("json", '``` json\n{"a": 1}\n```', {"a": 1}, id="a blank before the language"),
        pytest.param("json", '~~~ \tjson \n{"a": 1}\n~~~', {"a": 1}, id="blanks around it"),
        pytest.param("yaml", "```yaml\n  a: 1\n  b: 2\n```", {"a": 1, "b": 2}, id="indented yaml"),
        pytest.param("yaml", "a: No\nb: off\nc: y", {"a": "No", "b": "off", "c": "y"}, id="Norway"),
        pytest.param("yaml", "a: 2031-05-03", {"a": "2031-05-03"}, id="yaml date is a string"),
        pytest.param("yaml", "a: 09:30", {"a": "09:30"}, id="yaml time is a string"),
        pytest.param("yaml", "a: '5'\nb: 5", {"a": "5", "b": 5}, id="yaml quotes"),
        pytest.param("yaml", "a: ~\nb:", {"a": None, "b": None}, id="yaml nulls"),
        pytest.param("yaml", "a: 0x1F\nb: 1e3", {"a": 31, "b": 1000.0}, id="yaml numbers"),
        pytest.param("yaml", '{"a": [1, true]}', {"a": [1, True]}, id="yaml as json"),
        pytest.param("yaml", "a: |\n  x\n  y", {"a": "x\ny"}, id="yaml block"),
        pytest.param("toml", "a = 1\n[b]\nc = 'x'", {"a": 1, "b": {"c": "x"}}, id="toml"),
        pytest.param("toml", "a = 2031-05-03", {"a": "2031-05-03"}, id="toml date is a string"),
        pytest.param("csv", "name,age\n\"A, B\",5", {"name": "A, B", "age": 5}, id="csv"),
        pytest.param("csv", "rate,paid\n,true", {"rate": None, "paid": True}, id="csv null"),
        pytest.param("csv", "age,name\r\n5,05", {"age": 5, "name": "05"}, id="csv types"),
        pytest.param("xml", "<r><age> 5 </age></r>", {"age": 5}, id="xml"),
        pytest.param(
            "xml", '<?xml version="1.0"?><r><name>&lt;</name></r>', {"name": "<"}, id="xml escapes"
        ),
        pytest.param("xml", "<r><!-- c --><rate/></r>", {"rate": None}, id="xml null and comment"),
    ],
)  # fmt: skip
def test_one_document_has_its_value(format: str, text: str, value: Any) -> None:
    read = read_document(text, format, FLAT, "r")
    assert json.dumps(read) == json.dumps(value)


@in_one_test(
    ("format", "text", "problem"),
    [
        pytest.param("json", "", "no document", id="nothing"),
        pytest.param("json", "```json\n```", "no document", id="nothing in a fence"),
        pytest.param("json", "Sure: {}", "not JSON", id="text before"),
        pytest.param("json", "{} {}", "Extra data", id="second document"),
        pytest.param("json", "```\n{}\n```\n```\n{}\n```", "more than one code fence", id="fences"),
        pytest.param("json", "```\n{}\n``` so", "not JSON", id="text after a fence"),
        pytest.param("json", "``` json {}\n{}\n```", "text in the line", id="a document there"),
        pytest.param("json", "``` json yaml\n{}\n```", "text in the line", id="two languages"),
        pytest.param("json", "``` json\n{}\n``` json", "not JSON", id="a language at the end"),
        pytest.param("json", "` json\n{}\n`", "not JSON", id="one backtick"),
        pytest.param("json", "json\n{}", "not JSON", id="a language alone"),
        pytest.param("json", "``` this is it\n{}\n```", "text in the line", id="text in a fence"),
        pytest.param("json", '{"a": 1, "a": 1}', "twice", id="equal duplicates"),
        pytest.param("json", '[{"a": {"b": 1, "b": 2}}]', "twice", id="inner duplicates"),
        pytest.param("json", '{"a": NaN}', "no NaN", id="NaN"),
        pytest.param("json", '{"a": -Infinity}', "no -Infinity", id="infinity"),
        pytest.param("json", '{"a": 1e400}', "not finite", id="too large a number"),
        pytest.param("json", '{"a": 1,}', "not JSON", id="trailing comma"),
        pytest.param("json", "{'a': 1}", "not JSON", id="single quotes"),
        pytest.param("json", "\ufeff{}", "not JSON", id="byte order mark"),
        pytest.param("json", "[" * 101 + "]" * 101, "levels deep", id="deep json"),
        pytest.param("json", "[" * 50_000, "not JSON", id="very deep json"),
        pytest.param("json", "9" * 5_000, "not JSON", id="thousands of digits"),
        pytest.param("json", " " * 50_000 + "[" + "1," * 60_000, "characters", id="too long"),
        pytest.param("yaml", "a: 1\n---\na: 1", "more than one document", id="two yaml documents"),
        pytest.param("yaml", "a: 1\na: 1", "twice", id="yaml duplicates"),
        pytest.param("yaml", "# a", "no document", id="yaml of comments"),
        pytest.param("yaml", "a: &x 1", "anchors", id="yaml anchor"),
        pytest.param("yaml", "a: *x", "alias|not YAML", id="yaml alias"),
        pytest.param("yaml", "a: !!str 5", "tags", id="yaml tag"),
        pytest.param("yaml", "!!python/object:os.system {}", "tags", id="yaml python tag"),
        pytest.param("yaml", "<<: {a: 1}", "as a key", id="yaml merge key"),
        pytest.param("yaml", "1: a", "as a key", id="yaml number as a key"),
        pytest.param("yaml", "? [a]\n: b", "not a string", id="yaml list as a key"),
        pytest.param("yaml", "a: .nan", "not finite", id="yaml NaN"),
        pytest.param("yaml", "a: -.INF", "not finite", id="yaml infinity"),
        pytest.param("yaml", "a: 1e999", "not finite", id="yaml large number"),
        pytest.param("yaml", "a: 1\n b: 2", "not YAML", id="broken yaml"),
        pytest.param("yaml", "- " * 200 + "a", "levels deep", id="deep yaml"),
        pytest.param("toml", "a = 1\na = 2", "not TOML", id="toml duplicates"),
        pytest.param("toml", "a = nan", "not finite", id="toml NaN"),
        pytest.param("toml", "a = -inf", "not finite", id="toml infinity"),
        pytest.param("toml", "a: 1", "not TOML", id="yaml as toml"),
        pytest.param("csv", "name,age", "one line below", id="csv header alone"),
        pytest.param("csv", "name,age\nA,5\nB,6", "one line below", id="two csv lines"),
        pytest.param("csv", "name,name\nA,A", "twice", id="csv duplicates"),
        pytest.param("csv", "name,age\nA", "1 cells", id="short csv line"),
        pytest.param("csv", "name,age\nA,5,6", "3 cells", id="long csv line"),
        pytest.param("csv", 'name,age\n"A,5', "not CSV", id="open csv quote"),
        pytest.param("csv", "Here it is:\nname,age\nA,5", "2 cells", id="text before csv"),
        pytest.param("xml", "<s/>", "root element", id="other root"),
        pytest.param("xml", "<r/><r/>", "not XML", id="two roots"),
        pytest.param("xml", "<r><name>A</name><name>A</name></r>", "twice", id="xml duplicates"),
        pytest.param("xml", '<r name="A"/>', "attributes", id="attributes"),
        pytest.param("xml", "<r>5<name>A</name></r>", "elements and text", id="mixed text"),
        pytest.param("xml", "<!DOCTYPE r><r/>", "document types", id="document type"),
        pytest.param(
            "xml", '<!DOCTYPE r [<!ENTITY a "b">]><r>&a;</r>', "document types", id="entity"
        ),
        pytest.param("xml", "<a>" * 200, "levels deep", id="deep xml"),
        pytest.param("xml", "<r>\ud800</r>", "not XML", id="lone surrogate"),
    ],
)
def test_what_is_not_one_document_is_refused(format: str, text: str, problem: str) -> None:
    with pytest.raises(DocumentError, match=problem):
        read_document(text, format, FLAT, "r")


def test_references_and_alternatives_give_types_to_texts() -> None:
    text = (
        "<r><who><age>5</age><name>7</name></who><tags><item>1</item></tags>"
        "<pay><by>cash</by><days>3</days></pay></r>"
    )
    value = {"who": {"age": 5, "name": "7"}, "tags": ["1"], "pay": {"by": "cash", "days": 3}}
    assert read_document(text, "xml", NESTED, "r") == value


def test_items_of_another_name_are_refused() -> None:
    with pytest.raises(DocumentError, match="named 'item', not 'tag'"):
        read_document("<r><tags><tag>a</tag></tags></r>", "xml", NESTED, "r")


def test_an_empty_array_of_xml_is_a_list() -> None:
    assert read_document("<r><tags/></r>", "xml", NESTED, "r") == {"tags": []}


def test_a_table_of_csv_is_a_list_of_objects() -> None:
    schema = {"type": "array", "items": FLAT}
    text = "name,age\nA,5\nB,6"
    assert read_document(text, "csv", schema) == [{"name": "A", "age": 5}, {"name": "B", "age": 6}]
    assert read_document("name,age", "csv", schema) == []


@pytest.mark.parametrize("text", ["05", "+5", "5.", "0x5", "1_0", "٣", "5e", "nan", "inf", "1e999"])
def test_what_json_does_not_call_a_number_stays_a_text(text: str) -> None:
    assert read_document(f"rate\n{text}", "csv", FLAT) == {"rate": text}


@pytest.mark.parametrize("text", ["True", "yes", "1", "TRUE", ""])
def test_booleans_of_csv_are_true_and_false_only(text: str) -> None:
    value = read_document(f"name,paid\nA,{text}", "csv", FLAT)
    assert value["paid"] is not True


def test_a_reference_to_itself_ends() -> None:
    schema = {"properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"$ref": "#/$defs/a"}}}
    assert read_document("<r><a>5</a></r>", "xml", schema, "r") == {"a": "5"}


WORDS = st.text(st.characters(codec="utf-8", exclude_categories=("C",)), min_size=1, max_size=12)
PLAIN = WORDS.map(str.strip).filter(bool)
KEYS = st.from_regex("[a-z_]{1,8}|null|True|[0-9]", fullmatch=True)
NUMBERS = st.integers(-(10**12), 10**12) | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    PLAIN | NUMBERS | st.booleans(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=12,
)


@settings(max_examples=80, deadline=None)
@given(st.dictionaries(KEYS, VALUES, min_size=1, max_size=4))
def test_json_and_yaml_that_are_written_are_read_back(value: dict[str, Any]) -> None:
    for format in ("json", "yaml"):
        assert read_document(write_document(value, format), format) == value


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=60), st.sampled_from(FORMATS))
def test_any_text_is_read_or_refused(text: str, format: str) -> None:
    with contextlib.suppress(DocumentError):
        json.dumps(read_document(text, format, NESTED), allow_nan=False)


PIECES = (
    "[", "{", '{"a":', "- ", "a: ", "a: b\n", "? ", '"', "'", "&a [", "*a ", "!!str ", "9", "1:",
    "<a>", "<a/>", '<a b="c">', "&amp;", ",", 'a,"b"\n', "a = 1\n", "[a]\n", "a.", "a=[", "#",
    "```", "\\", "---\n", "|\n", "\t", "<!--", "<![CDATA[", "- []\n", '"""',
)  # fmt: skip


@pytest.mark.parametrize("format", FORMATS)
def test_a_million_characters_are_refused_at_once(format: str) -> None:
    for piece in PIECES:
        with pytest.raises(DocumentError):
            read_document(piece * (1_000_000 // len(piece)), format, FLAT)


@pytest.mark.parametrize("format", FORMATS)
def test_repeated_pieces_up_to_the_limit_are_read_or_refused(format: str) -> None:
    for piece in PIECES:
        text = piece * (MAX_LENGTH // 4 // len(piece))
        try:
            value = read_document(text, format, FLAT)
        except DocumentError:
            continue
        json.dumps(value, allow_nan=False)


def test_the_deepest_document_is_read() -> None:
    text = "[" * MAX_DEPTH + "]" * MAX_DEPTH
    assert read_document(text, "json") == read_document(text, "yaml") != []


@pytest.mark.parametrize(
    "text",
    [
        '```json\r\n{"a": "```"}\r\n```',
        '```json\n{"a": "```"}\n```\r\n',
        '~~~\n{"a": "```"}\n~~~',
        '~~~json\r\n{"a": "```"}\r\n~~~',
        '~~~~ \n{"a": "```"}\n~~~~',
        '````json\n{"a": "```"}\n````',
        '````\n{"a": "```"}\n`````',
        '`````json\r\n{"a":\r\n"```"}\r\n`````',
        '\n\n```JSON\n\n{"a": "```"}\n\n```\n\n',
        '```json\n{"a": "```"}```',
        '```json\n    {\n    "a":\n    "```"\n    }\n```',
        '{"a": "```"}',
    ],
)
def test_fences_and_backticks_within_a_value(text: str) -> None:
    assert read_document(text, "json") == {"a": "```"}


@pytest.mark.parametrize(
    "text",
    [
        "~~~\n{}\n```",
        "```\n{}\n~~~",
        "````\n{}\n```",
        "``\n{}\n``",
        "~~\n{}\n~~",
        "~~~\n{}\n~~~\n~~~\n{}\n~~~",
        "```\n{}\n```\n~~~\n{}\n~~~",
        "```\r\n{}\r\n```\r\n```\r\n{}\r\n```",
        "````\n```\n{}\n```\n````",
        "~~~ this is it\n{}\n~~~",
        "```json {}```",
        "`~`\n{}\n`~`",
        "```\n```\n{}\n```",
        "```\n{}\n   ```\n```",
    ],
)
def test_other_fences_are_no_json(text: str) -> None:
    with pytest.raises(DocumentError):
        read_document(text, "json")


@pytest.mark.parametrize("break_", ["\n", "\r\n", "\t"])
def test_raw_breaks_within_strings_of_json_are_errors(break_: str) -> None:
    with pytest.raises(DocumentError, match="not JSON"):
        read_document(f'{{"a": "b{break_}c"}}', "json")


@pytest.mark.parametrize(
    ("format", "text", "value"),
    [
        pytest.param("json", '{"a": 1, "a": 2}', {"a": 2}, id="last of duplicate keys"),
        pytest.param("json", ' {"a": Infinity} ', {"a": float("inf")}, id="infinity"),
        pytest.param("yaml", "a: No\na: on", {"a": True}, id="yaml 1.1 booleans, duplicate keys"),
        pytest.param("yaml", "a: &x [1]\nb: *x", {"a": [1], "b": [1]}, id="yaml alias"),
        pytest.param("yaml", "<<: {a: 1}\nb: !!str 2", {"a": 1, "b": "2"}, id="yaml merge and tag"),
        pytest.param("yaml", "1: a", {1: "a"}, id="yaml number as a key"),
        pytest.param("toml", "a = inf", {"a": float("inf")}, id="toml infinity"),
        pytest.param("csv", "age\n 5\n06", [{"age": 5}, {"age": 6}], id="csv of numbers"),
        pytest.param("csv", "age,name\n6", [{"age": 6, "name": None}], id="csv with a short line"),
        pytest.param("csv", "paid\n1\nTRUE\nno", [{"paid": True}, {"paid": True}, {"paid": "no"}],
                     id="csv booleans"),
        pytest.param("csv", "rate\n1e999", [{"rate": float("inf")}], id="csv of several types"),
        pytest.param("csv", "paid,rate,name,age", [], id="csv header that names the properties"),
        pytest.param("xml", "<!DOCTYPE r><r><a/></r>", {"r": {"a": None}}, id="xml document type"),
        pytest.param("xml", "<r x='1'>t<a/></r>", {"r": {"@x": "1", "a": None, "#text": "t"}},
                     id="xml attribute and mixed text"),
        pytest.param("xml", "<r><a>1</a><a>2</a></r>", {"r": {"a": ["1", "2"]}}, id="xml list"),
    ],
)  # fmt: skip
def test_lenient_reading_is_that_of_nemo_gym(format: str, text: str, value: Any) -> None:
    assert read_document(text, format, FLAT, lenient=True) == value


@pytest.mark.parametrize(
    ("format", "text", "problem"),
    [
        pytest.param("json", " \n", "no document", id="blank"),
        pytest.param("json", "```json\n{}\n```", "not JSON", id="code fence"),
        pytest.param("json", "[" * 101 + "]" * 101, "levels deep", id="deep json"),
        pytest.param("json", " " * MAX_LENGTH + "{}", "characters", id="too long"),
        pytest.param("yaml", "a: 1\n---\na: 1", "not YAML", id="two yaml documents"),
        pytest.param("yaml", "&a [*a]", "contains itself", id="yaml that contains itself"),
        pytest.param("yaml", "? [a]\n: b", "not YAML", id="yaml list as a key"),
        pytest.param("yaml", "a: 2031-13-45", "not YAML", id="yaml date that does not exist"),
        pytest.param("yaml", "!!python/object:os.system {}", "not YAML", id="yaml python tag"),
        pytest.param("toml", "a = 1\na = 2", "not TOML", id="toml duplicates"),
        pytest.param("csv", "name,age", "other names", id="csv header without all names"),
        pytest.param("xml", "<r/><r/>", "not XML", id="two roots"),
        pytest.param("xml", '<!DOCTYPE r [<!ENTITY a "b">]><r>&a;</r>', "entities", id="entity"),
        pytest.param("xml", "<a>" * 200, "levels deep", id="deep xml"),
    ],
)
def test_lenient_reading_also_refuses(format: str, text: str, problem: str) -> None:
    with pytest.raises(DocumentError, match=problem):
        read_document(text, format, FLAT, lenient=True)


@pytest.mark.parametrize("format", FORMATS)
def test_repeated_pieces_are_also_read_leniently_or_refused(format: str) -> None:
    for piece in PIECES:
        with contextlib.suppress(DocumentError):
            read_document(piece * (MAX_LENGTH // 8 // len(piece)), format, FLAT, lenient=True)
