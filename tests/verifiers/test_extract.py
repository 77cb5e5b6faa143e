"""Finding answers in a text: reasoning, boxes, LaTeX, answer lines, tags, numbers and JSON."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import in_one_test

from textgym.verifiers.extract import (
    after_reasoning,
    answer_lines,
    final_number,
    last_answer,
    last_boxed,
    last_line,
    last_tagged,
    latex_to_text,
)
from textgym.verifiers.json_reader import json_values, last_json


@cache
def hostile(n: int) -> dict[str, str]:
    """Return texts of about n characters that make careless readers slow."""
    return {
        "opening braces": "{" * n,
        "closing braces": "}" * n,
        "braces in a box": "\\boxed{" + "{" * (n // 2) + "}" * (n // 2 - 1),
        "open boxes": "\\boxed{" * (n // 7),
        "empty boxes": "\\boxed{}" * (n // 8),
        "nested boxes": "\\boxed{" * (n // 8) + "A" + "}" * (n // 8),
        "nested boxes, one open": "\\boxed{" * (n // 8) + "A" + "}" * (n // 8 - 1),
        "backslashes": "\\" * n,
        "open thoughts": "<think>" * (n // 7),
        "closed thoughts": "</think>" * (n // 8),
        "answer labels": "Answer:" * (n // 7),
        "answer lines": "Answer:\n" * (n // 8),
        "answer and spaces": "Answer" + " " * n,
        "label and spaces": "Answer:" + " " * n,
        "label and newlines": "Answer:" + "\n" * n,
        "labels and spaces": ("Answer" + " " * 20) * (n // 26),
        "stars": "Answer" + "*" * n,
        "letters": "A" * n,
        "letters and spaces": "A " * (n // 2),
        "letters and slashes": "Answer: " + "A/" * (n // 2),
        "surrogates": "\ud800" * n,
        "open lists": "[" * n,
        "lists and quotes": '["' * (n // 2),
        "open objects": '{"a":' * (n // 5),
        "broken escapes": '["\\q' * (n // 4),
        "an open text": '["' + "a" * n,
        "digits": "1" * n,
        "digits and points": "1." * (n // 2),
        "signs": "-" * n + "1x",
        "currency": "$" * n,
        "separators": "123," * (n // 4),
        "open tags": "<answer>" * (n // 8),
        "closed tags": "</answer>" * (n // 8),
        "nested text": "\\boxed{" + "\\text{" * 2_000 + "A" + "}" * 2_001,
    }


LENGTHS = pytest.mark.parametrize("length", [10_000, pytest.param(300_000, marks=pytest.mark.slow)])


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        pytest.param("B", "B", id="none"),
        pytest.param("<think>A</think>B", "B", id="closed"),
        pytest.param("<think>A", "", id="never closed"),
        pytest.param("B<think>A", "", id="opened after text"),
        pytest.param("<think>A</think>B<think>C", "", id="opened again"),
        pytest.param("<think>A</think>B<think>C</think>D", "D", id="twice"),
        pytest.param("A</think>B", "B", id="only closed"),
        pytest.param("<think><think>A</think>B", "B", id="opened twice"),
        pytest.param("<think></think>", "", id="nothing after"),
        pytest.param("<think>A</think>\n\nB", "\n\nB", id="white space stays"),
        pytest.param("think> B", "think> B", id="no tag"),
        pytest.param("Let me think <think>A</think>B", "B", id="closed within a line"),
        pytest.param("Hm.\n<think>A", "", id="opened on a later line"),
        pytest.param("Hm.\n  <think> so A", "", id="opened behind blanks"),
        pytest.param("Hm. <think> so A", "", id="opened behind a sentence"),
        pytest.param("Hm <think>so A", "", id="opened before a word"),
        pytest.param("Hm <think> So A", "", id="opened before a sentence"),
        pytest.param("Hm <think>\nso A", "", id="opened before a line"),
        pytest.param("Hm <think>... A", "", id="opened before points"),
        pytest.param("Hm <think>", "", id="opened at the end"),
        pytest.param("I use <think> tags. <think>A", "", id="mentioned, then opened"),
        pytest.param("I use <think> tags.\n</think>B", "B", id="mentioned in reasoning"),
        pytest.param("", "", id="empty"),
    ],
)
def test_reasoning_is_cut_off(text: str, rest: str) -> None:
    assert after_reasoning(text) == rest


@pytest.mark.parametrize(
    "text",
    [
        "I used <think> tags. B",
        "There is no `<think>` here: B",
        "There is no '<think>' here: B",
        "I never write “<think>”: B",
        "Tags (<think>) are not needed: B",
        "No tag, <think> or another: B",
        "I need no <think>. B",
        "I need no <think>, B",
        "I need no <think>-tags: B",
        "B. I used no <think>.",
        "`<think> is a tag`: B",
        "<think>A</think>I used <think> tags. B",
    ],
)
def test_think_tag_that_is_only_mentioned_is_not_reasoning(text: str) -> None:
    assert after_reasoning(text) == text.rpartition("</think>")[2]


@pytest.mark.parametrize(
    ("text", "content"),
    [
        pytest.param("", None, id="empty"),
        pytest.param("A", None, id="no box"),
        pytest.param(r"\boxed{}", "", id="empty box"),
        pytest.param(r"\boxed{A}", "A", id="one"),
        pytest.param(r"\boxed{A} \boxed{B}", "B", id="the last"),
        pytest.param(r"\boxed{\text{A}}", r"\text{A}", id="nested braces"),
        pytest.param(r"\boxed{{A}}}", "{A}", id="a brace too many"),
        pytest.param(r"\boxed{A", None, id="never closed"),
        pytest.param(r"\boxed{A} \boxed{B", "A", id="last never closed"),
        pytest.param(r"\boxed{A \boxed{B}", "B", id="outer never closed"),
        pytest.param(r"\boxed{A \boxed{B}}", "B", id="box in a box"),
        pytest.param(r"\boxed{A} \boxed{B \boxed{C", "A", id="two never closed"),
        pytest.param(r"{\boxed{A}", "A", id="open brace before"),
        pytest.param(r"}\boxed{A}\boxed{", "A", id="closing brace before"),
        pytest.param("\\boxed{A\nB}", "A\nB", id="two lines"),
        pytest.param(r"\boxed {A}", "A", id="space before the brace"),
        pytest.param("\\boxed\n{A}", "A", id="line break before the brace"),
        pytest.param(r"\boxed A", None, id="no brace"),
        pytest.param(r"\boxed{A}, in a \boxed as asked", "A", id="the command alone, behind"),
        pytest.param(r"\boxed {A \boxed{B}", "B", id="outer with a space never closed"),
        pytest.param(r"\Boxed{A}", None, id="capital"),
        pytest.param(r"boxed{A}", None, id="no backslash"),
        pytest.param(r"\\boxed{A}", "A", id="two backslashes"),
    ],
)
def test_last_closed_box_is_found(text: str, content: str | None) -> None:
    assert last_boxed(text) == content


@in_one_test(
    ("text", "bare"),
    [
        pytest.param("A", "A", id="bare"),
        pytest.param(" A ", "A", id="spaces"),
        pytest.param(r"\text{A}", "A", id="text"),
        pytest.param(r"\text {A}", "A", id="space before the brace"),
        pytest.param(r"\\text{A}", "A", id="two backslashes"),
        pytest.param(r"\mathrm{A}", "A", id="mathrm"),
        pytest.param(r"\mbox{A}", "A", id="mbox"),
        pytest.param(r"\boxed{A}", "A", id="box"),
        pytest.param(r"\textbf{ \mathbf{A} }", "A", id="nested"),
        pytest.param(r"\text{A}.", "A.", id="a mark behind"),
        pytest.param(r"x\text{A}", "xA", id="something before"),
        pytest.param(r"\text{A} + \text{B}", "A + B", id="two beside each other"),
        pytest.param(r"{\rm A}", "{A}", id="switch"),
        pytest.param(r"\bf A", "A", id="switch without braces"),
        pytest.param(r"\rmx", r"\rmx", id="no switch"),
        pytest.param(r"\left( A \right)", "( A )", id="left and right"),
        pytest.param("$A$", "A", id="dollars"),
        pytest.param("$$A$$", "A", id="two dollars"),
        pytest.param(r"\( A \)", "A", id="brackets of mathematics"),
        pytest.param(r"\[A\]", "A", id="brackets of a display"),
        pytest.param("$5 and $6", "$5 and $6", id="prices"),
        pytest.param("$5", "$5", id="price"),
        pytest.param(r"\$5, 6\%, x\_y", "$5, 6%, x_y", id="escapes"),
        pytest.param(r"a\ b\,c\quad d~e", "a b c d e", id="blanks"),
        pytest.param("~A", "~A", id="tilde before a word"),
        pytest.param(r"2\!3", "23", id="no blank"),
        pytest.param(r"\sqrt{A}", r"\sqrt{A}", id="another command"),
        pytest.param(r"\textcolor{red}{A}", r"\textcolor{red}{A}", id="a longer command"),
        pytest.param(r"\text{A", r"\text{A", id="never closed"),
        pytest.param(r"\text{a{b}c}", "a{b}c", id="braces inside"),
        pytest.param("A}", "A}", id="closed without opening"),
        pytest.param(r"\text{}", "", id="empty"),
        pytest.param("\\text{A\nB}", "A\nB", id="two lines"),
        pytest.param("", "", id="nothing"),
    ],
)
def test_formatting_latex_is_removed(text: str, bare: str) -> None:
    assert latex_to_text(text) == bare


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param("", [], id="empty"),
        pytest.param("answer", [], id="no colon"),
        pytest.param("Answer:", [], id="nothing after"),
        pytest.param("Answer: B", [("", "B")], id="one"),
        pytest.param("ANSWER:b", [("", "b")], id="any case, no space"),
        pytest.param("Answer : B", [("", "B")], id="space before the colon"),
        pytest.param("**Answer:** B", [("*", "B")], id="bold label"),
        pytest.param("**Answer:**\nB", [("*", "B")], id="bold label on a line of its own"),
        pytest.param("Answer：B", [("", "B")], id="full-width colon"),
        pytest.param("Answer: ?\nAnswer: B", [("\n", "B")], id="no letter and no digit"),
        pytest.param("**Answer**: B", [("*", "B")], id="bold word"),
        pytest.param("__Answer__: B", [("_", "B")], id="underlined word"),
        pytest.param("The answer: B", [(" ", "B")], id="within a sentence"),
        pytest.param('"Answer: B"', [('"', 'B"')], id="quoted"),
        pytest.param("Answer: A\nAnswer: B", [("", "A"), ("\n", "B")], id="two lines"),
        pytest.param("Answer: A Answer: B", [("", "A "), (" ", "B")], id="two on a line"),
        pytest.param("Answer:\n\n  B", [("", "B")], id="on a later line"),
        pytest.param("Answer: B\nrest", [("", "B")], id="only the line"),
    ],
)
def test_each_answer_line_is_found(text: str, found: list[tuple[str, str]]) -> None:
    assert list(answer_lines(text)) == found


def test_answer_line_after_an_empty_one_is_found() -> None:
    assert list(answer_lines("Answer:\nAnswer: B"))[-1] == ("\n", "B")


@LENGTHS
@pytest.mark.parametrize("name", hostile(8))
def test_hostile_text_has_an_answer_or_none(name: str, length: int) -> None:
    text = hostile(length)[name]
    assert isinstance(after_reasoning(text), str)
    assert last_answer(text) is None or "Answer:" in text
    assert last_boxed(text) is None or "\\boxed{" in text
    assert len(latex_to_text(text)) <= len(text)
    assert all(rest and "\n" not in rest for _, rest in answer_lines(text))


@pytest.mark.parametrize(
    ("text", "line"),
    [("a\nb", "b"), ("a\n b \n\n \t\n", "b"), ("a", "a"), ("", ""), (" \n ", "")],
)
def test_last_line_with_text_is_found(text: str, line: str) -> None:
    assert last_line(text) == line


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        pytest.param("<answer>4</answer>", "4", id="one"),
        pytest.param("<answer>4</answer><answer>5</answer>", "5", id="last"),
        pytest.param("<answer>4</answer><answer>5", "4", id="last is open"),
        pytest.param("<answer>4<answer>5</answer>", "5", id="opened twice"),
        pytest.param("<answer>4</answer></answer>", "4", id="closed twice"),
        pytest.param("<answer></answer>", "", id="empty"),
        pytest.param("</answer><answer>", None, id="wrong order"),
        pytest.param("<answer>4", None, id="open"),
        pytest.param("4</answer>", None, id="only closed"),
        pytest.param("<Answer>4</Answer>", None, id="case"),
        pytest.param("", None, id="no text"),
    ],
)
def test_last_closed_tag_is_found(text: str, inside: str | None) -> None:
    assert last_tagged(text, "answer") == inside


@in_one_test(
    ("text", "number"),
    [
        pytest.param("5", "5", id="digit"),
        pytest.param("5 or 6.", "6", id="last, full stop"),
        pytest.param("1,234,567.89", "1234567.89", id="separators"),
        pytest.param("1{,}000 or 2\\,000", "2000", id="LaTeX separators"),
        pytest.param("12\u202f345", "12345", id="narrow blank"),
        pytest.param("1,2,3", "3", id="list"),
        pytest.param("1,23", "23", id="no separator"),
        pytest.param("-5", "-5", id="sign"),
        pytest.param("x = \u22125", "-5", id="minus sign"),
        pytest.param("+5", "5", id="plus"),
        pytest.param("10-15", "15", id="range"),
        pytest.param("x-3", "3", id="difference"),
        pytest.param("(2)-3", "3", id="difference behind a bracket"),
        pytest.param("5 - 3", "3", id="spaced difference"),
        pytest.param(".5", "0.5", id="leading point"),
        pytest.param("-.5", "-0.5", id="sign and leading point"),
        pytest.param("12.5%", "12.5", id="per cent"),
        pytest.param("\\$1,250.50", "1250.50", id="LaTeX dollar"),
        pytest.param("$18$", "18", id="mathematics"),
        pytest.param("-$5", "-5", id="sign before currency"),
        pytest.param("$-5", "-5", id="sign behind currency"),
        pytest.param("£ 5 each", "5", id="pound"),
        pytest.param("5km", "5", id="unit"),
        pytest.param("1e5", "1e5", id="power"),
        pytest.param("42 m^2", "42", id="exponent of a unit"),
        pytest.param("42\\text{ m}^{-2}", "42", id="negative exponent of a unit"),
        pytest.param("42 m^{12}", "42", id="exponent of two digits"),
        pytest.param("x^2 = 49", "49", id="exponent before"),
        pytest.param("2^10", "", id="power of a number"),
        pytest.param("7 or 2^{10} m", "", id="power with a unit"),
        pytest.param("3.83 \\times 10^{-35}", "", id="power of ten in LaTeX"),
        pytest.param("2^(-10)", "", id="power in brackets"),
        pytest.param("(2 + 3)^2", "", id="power of a sum"),
        pytest.param("2**10", "", id="power in code"),
        pytest.param("10\u00b3", "", id="power of one character"),
        pytest.param("2^n", "", id="power with a variable"),
        pytest.param("2^10 = 1024", "1024", id="value of a power"),
        pytest.param("**2** and **10**", "10", id="bold numbers"),
        pytest.param("90^\\circ", "90", id="degrees"),
        pytest.param("90^{o}", "90", id="letter o for degrees"),
        pytest.param("5^{th}", "5", id="ordinal"),
        pytest.param("42 m\u00b2", "42", id="exponent of one character"),
        pytest.param("\\boxed{\u2011450}", "-450", id="non-breaking hyphen as minus"),
        pytest.param("10\u201115 minutes", "15", id="non-breaking hyphen in a range"),
        pytest.param("$\u20115", "-5", id="non-breaking hyphen behind currency"),
        pytest.param("1.5E-3 m", "1.5E-3", id="negative power"),
        pytest.param("5e", "5", id="no power"),
        pytest.param("#### 42", "42", id="GSM8K"),
        pytest.param("15, in H2O", "15", id="part of a word"),
        pytest.param("15" + " H2O" * 2_000, "15", id="far from the last digit"),
        pytest.param("003", "003", id="zeros stay"),
        pytest.param("\u0663", "", id="other digits"),
        pytest.param("none", "", id="none"),
        pytest.param("", "", id="empty"),
    ],
)
def test_last_number_is_found(text: str, number: str) -> None:
    assert final_number(text) == number


@in_one_test(
    ("text", "values"),
    [
        pytest.param("[1]", [[1]], id="bare"),
        pytest.param('```json\n{"a": 1}\n```', [{"a": 1}], id="fenced"),
        pytest.param("So: [1, 2] or {}.", [[1, 2], {}], id="between words"),
        pytest.param('{"a": [{"b": 1}]}', [{"b": 1}, [{"b": 1}], {"a": [{"b": 1}]}], id="inside"),
        pytest.param('[1] "x" [2', [[1]], id="cut off"),
        pytest.param('{"a": [1], oops', [[1]], id="complete within broken"),
        pytest.param("[1, 2,]", [], id="trailing comma"),
        pytest.param("[,1]", [], id="leading comma"),
        pytest.param("[1 2]", [], id="no comma"),
        pytest.param("['a']", [], id="single quotes"),
        pytest.param("{a: 1}", [], id="bare key"),
        pytest.param('{"a" 1}', [], id="no colon"),
        pytest.param('{"a": 1: 2}', [], id="two colons"),
        pytest.param('{"a", "b"}', [], id="set"),
        pytest.param("{1: 2}", [], id="number as key"),
        pytest.param("[1}", [], id="wrong end"),
        pytest.param(
            "[NaN] [Infinity] [1e999] [01] [.5] [+1] [1.]", [], id="numbers that are not JSON"
        ),
        pytest.param("[True] [None]", [], id="Python"),
        pytest.param("[// no\n1]", [], id="comment"),
        pytest.param('["a\nb"]', [], id="line break in a text"),
        pytest.param('["\\u00e9\\n"]', [["\u00e9\n"]], id="escapes"),
        pytest.param('["\\ud800"]', [["\ud800"]], id="half a pair"),
        pytest.param('["[1]"]', [["[1]"]], id="a list in a text"),
        pytest.param('He said "[1]"', [[1]], id="a quoted list"),
        pytest.param('[see "{"a": 1}"]', [{"a": 1}], id="in brackets that are not JSON"),
        pytest.param("[x [2]", [[2]], id="opened and never closed"),
        pytest.param("[1 [2]", [[2]], id="opened without a comma"),
        pytest.param("[" + "9" * 5_000 + "]", [], id="too many digits"),
        pytest.param('{"a": 1, "a": 2}', [{"a": 2}], id="a key twice"),
        pytest.param("[-0.5e+3, true, null]", [[-500.0, True, None]], id="scalars"),
        pytest.param("5", [], id="only a scalar"),
        pytest.param("", [], id="empty"),
    ],
)
def test_json_is_found_and_read_strictly(text: str, values: list[Any]) -> None:
    assert list(json_values(text)) == values


def test_json_of_more_than_100_levels_is_not_read() -> None:
    assert last_json("[" * 100 + "]" * 100) is not None
    deep = last_json("[" * 10_000 + "]" * 10_000)
    assert json.dumps(deep).count("[") <= 100


def test_last_accepted_json_may_stand_inside_an_object() -> None:
    def is_list_of_objects(value: Any) -> bool:
        return isinstance(value, list) and all(isinstance(item, dict) for item in value)

    text = '[{"a": 1}] then {"events": [{"a": 2}], "done": true} and [1]'
    assert last_json(text, is_list_of_objects) == [{"a": 2}]
    assert last_json("nothing", is_list_of_objects) is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=15,
).filter(lambda value: isinstance(value, (list, dict)))


@given(JSON, st.sampled_from([None, 2]), st.booleans(), st.text(alphabet="ab \n\"'.:,"))
def test_serialised_json_is_read_back(value: Any, indent: Any, ascii_: bool, around: str) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_)
    assert last_json(f"{around}{text}{around}") == value


@given(st.text(alphabet='[]{}",:1a\\ \n'))
def test_values_that_are_read_can_be_serialised(text: str) -> None:
    for value in json_values(text):
        assert json.loads(json.dumps(value)) == value


@LENGTHS
@pytest.mark.parametrize("name", hostile(8))
def test_hostile_text_has_a_number_a_line_and_json_or_none(name: str, length: int) -> None:
    text = hostile(length)[name]
    assert isinstance(final_number(text), str)
    assert isinstance(last_line(text), str)
    assert last_tagged(text, "answer") is None
    assert last_json(text) is None or "[" in text or "{" in text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": "one\ntwo"}', {"a": "one\ntwo"}),
        ('{"a": "one\r\ntwo"}', {"a": "one\r\ntwo"}),
        ('{"a": "one\ttwo"}', {"a": "one\ttwo"}),
        ('{"a": "\n\n"}', {"a": "\n\n"}),
        ('{"a\nb": 1}', {"a\nb": 1}),
        ('["one\ntwo", "three\n\\"four\\""]', ["one\ntwo", 'three\n"four"']),
        ('```json\n{"a": "one\n- two",\n"b": "3"}\n```', {"a": "one\n- two", "b": "3"}),
        ('{"a": "one\n\\ntwo"}', {"a": "one\n\ntwo"}),
        ('Here: {"a": "{\n}"}.', {"a": "{\n}"}),
        ('{"a": "one\n{\\"b\\": 1}"}', {"a": 'one\n{"b": 1}'}),
    ],
)
def test_raw_breaks_are_read_where_asked_to(text: str, value: Any) -> None:
    assert last_json(text, raw_breaks=True) == value
    assert last_json(text) != value


@pytest.mark.parametrize(
    "text",
    [
        '{"a": "one\ntwo}',
        '{"a": "one\ntwo" "b"}',
        '{"a": "one\ntwo",}',
        "{'a': 'one\ntwo'}",
        '{"a": "one\x00two"}',
        '{"a": "one\x0btwo"}',
        '{"a": "one\x1ftwo"}',
        '{"a": "one\n\\(two"}',
        '{"a": "one "two"\n"}',
        '{"a": NaN, "b": "\n"}',
    ],
)
def test_nothing_else_is_repaired_with_raw_breaks(text: str) -> None:
    assert last_json(text, raw_breaks=True) is None
