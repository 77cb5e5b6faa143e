"""Finding programs in texts, plain data that crosses, comparisons, and tests in assertions."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import in_one_test

from textgym.verifiers.programs.asserts import preamble_of, read_check, read_statements
from textgym.verifiers.programs.blocks import MAX_LENGTH, blocks_in, may_define, may_print
from textgym.verifiers.programs.plain_data import Unplain, decode, encode
from textgym.verifiers.programs.tests import Test, holds, share_above_chance

HASHABLE = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text()
    | st.binary(),
    lambda inner: st.tuples(inner, inner) | st.frozensets(inner, max_size=3),
    max_leaves=4,
)
PLAIN = st.recursive(
    HASHABLE | st.complex_numbers(allow_nan=False),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner)
        | st.dictionaries(HASHABLE, inner, max_size=3)
        | st.sets(HASHABLE, max_size=3)
    ),
    max_leaves=8,
)


@given(PLAIN)
def test_plain_data_cross_unchanged(value: Any) -> None:
    crossed = decode(json.loads(json.dumps(encode(value), allow_nan=False)))
    assert (crossed, type(crossed)) == (value, type(value))
    assert holds(Test({"args": []}, value, "equal"), json.dumps(encode(value)))


@pytest.mark.parametrize(
    "value",
    [object(), len, iter([]), range(3), type, [lambda: 0], {"a": object()}, (x for x in "a")],
)
def test_other_objects_do_not_cross(value: Any) -> None:
    with pytest.raises(Unplain):
        encode(value)


@pytest.mark.parametrize(
    "sent",
    [
        {"$any": 1},
        {"$tuple": 1},
        {"$tuple": [], "$set": []},
        {"$set": [[1]]},
        {"$int": 3},
        {"$int": "x"},
        {"$bytes": "zz"},
        {"$float": "x"},
        {"$dict": [[1]]},
        {"$dict": [[[1], 2]]},
        {"$complex": ["a"]},
        {"a": {"$b": 1}},
        {"$frozenset": "ab"},
    ],
)
def test_what_is_not_in_the_form_is_refused(sent: Any) -> None:
    with pytest.raises(Unplain):
        decode(sent)
    assert not holds(Test({"args": []}, 1), json.dumps(sent))


TAGS = st.sampled_from(["$tuple", "$set", "$dict", "$int", "$float", "$bytes", "a"])
SENT = st.recursive(
    st.none() | st.integers() | st.text() | st.floats(),
    lambda inner: st.lists(inner) | st.dictionaries(TAGS, inner),
)


@settings(max_examples=50)
@given(SENT)
def test_whatever_is_sent_is_compared(sent: Any) -> None:
    assert holds(Test({"args": []}, object, "true"), json.dumps(sent)) in (True, False)
    assert not holds(Test({"args": []}, "expected"), json.dumps([sent]))


@in_one_test(
    ("compare", "expected", "sent", "verdict"),
    [
        ("same", 1, "1", True),
        ("same", 1, "1.0", False),
        ("same", 1, "true", False),
        ("same", True, "true", True),
        ("same", True, "1", False),
        ("same", 2.0, "2", True),
        ("same", 2.0, "2.0000001", True),
        ("same", 2.0, "2.001", False),
        ("same", 2.0, "true", False),
        ("same", [1], "[1]", True),
        ("same", [1], '{"$tuple":[1]}', False),
        ("same", [1], "[true]", False),
        ("same", {"a": [1]}, '{"a":[1]}', True),
        ("same", {"a": 1}, '{"a":1,"b":2}', False),
        ("same", None, "null", True),
        ("same", "", "null", False),
        ("same", 1, "NaN", False),
        ("same", float("inf"), '{"$float":"inf"}', True),
        ("same", float("nan"), '{"$float":"nan"}', False),
        ("equal", 1, "1.0", True),
        ("equal", 1, "true", True),
        ("equal", (1,), "[1]", False),
        ("equal", 0.1, "0.10000001", False),
        ("json", [1, 2], '{"$tuple":[1,2]}', True),
        ("json", 0.1, "0.10000001", True),
        ("json", 1, "1.0", True),
        ("json", "1", "1", False),
        ("json", [[1]], "[[2]]", False),
        ("json", 10**17 + 1, str(10**17), False),
        ("json", 998244352, "998244353.0", False),
        ("close", 0.5, "0.5000001", True),
        ("close", 0.5, "0.6", False),
        ("close", 0.5, '"x"', False),
        ("close", 0.5, '{"$float":"inf"}', False),
        ("close", 0.5, '{"$float":"nan"}', False),
        ("true", True, "[0]", True),
        ("true", True, "0", False),
        ("false", False, "[]", True),
        ("false", False, "1", False),
        ("lines", "1\n2\n", "1 \n2\n\n", True),
        ("lines", "1\n2", "1 2", False),
        ("lines", "1", " 1", False),
        ("lines", "0.5", "0.50", False),
        ("lines", "", "", True),
        ("lines", "", "x", False),
        ("tokens", "0.5 1", "0.5000000001 1", True),
        ("tokens", "1", "2", False),
        ("tokens", "1.0", "1", True),
        ("tokens", "100000000000000001", "100000000000000000", False),
        ("tokens", "1", "1 1", False),
        ("tokens", "a 1.5", "b 1.5", False),
        ("tokens", "1.5", "nan", False),
        ("tokens", "1e5", "100000", True),
        ("tokens", "inf", "1e999", False),
        ("tokens", "1.5", "1e999", False),
        ("tokens", "1.5", "sNaN", False),
        ("tokens", "123456789", "123456788.9", False),
        ("tokens", "50000000000000000", "5.00000001e16", False),
        ("tokens", "50000000000000000", "5e16", True),
        ("tokens", "3", "03", True),
    ],
)
def test_comparisons(compare: Any, expected: Any, sent: str, verdict: bool) -> None:
    test = Test({"args": []}, expected, compare, tolerance=1e-6)
    assert holds(test, sent) is verdict


def test_a_value_that_is_much_longer_is_not_read() -> None:
    collides = {"$set": [n * (2**61 - 1) for n in range(50_000)]}
    assert not holds(Test({"args": []}, {1}), json.dumps(collides))
    assert not holds(Test({"args": []}, 1), "[" * 100_000)
    assert not holds(Test({"args": []}, 1), "[" * 5_000)
    assert not holds(Test({"args": []}, 1), "9" * 5_000)
    assert not holds(Test({"stdin": ""}, "1", "lines"), "1\n" * 100_000)


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("", []),
        ("Some words.", ["Some words."]),
        ("```python\na\n```", ["a\n"]),
        ("```py\na\n```\nx\n```Python\nb\n```", ["a\n", "b\n"]),
        ("```\na\n```\n```bash\nls\n```", ["a\n"]),
        ("```python\na\n```\n```\n5\n```", ["a\n"]),
        ("~~~python\na\n~~~", ["a\n"]),
        ("````python\na\n```\nb\n````", ["a\n```\nb\n"]),
        ("  ```python\n  a:\n\n   b\nc\n  ```", ["a:\n\n b\nc\n"]),
        ("```python title=x\na\n```", ["a\n"]),
        ("```python\na", ["a"]),
        ("```json\n{}\n```", []),
        ("```python\n" + "x" * (MAX_LENGTH + 1) + "\n```", []),
    ],
)
def test_blocks(text: str, blocks: list[str]) -> None:
    assert blocks_in(text) == [block for block in blocks if block]


@pytest.mark.parametrize(
    "code",
    [
        "def f(x):",
        "async  def f():",
        "class f:",
        "f = 1",
        "f: int = 1",
        "a, f = 1, 2",
        "(f) = 1",
        "from m import g as f",
        "import f",
        "for f in x:",
        "if (f := g): pass",
    ],
)
def test_a_program_may_define_a_name(code: str) -> None:
    assert may_define(code, "f")


@pytest.mark.parametrize("code", ["g = 1", "def ff(): pass", "# the function f is", "print(f(1))"])
def test_a_program_cannot_define_a_name(code: str) -> None:
    assert not may_define(code.replace("print(f(1))", "print f"), "f")


@given(st.text())
def test_any_text_is_read(text: str) -> None:
    for block in blocks_in(text):
        assert may_define(block, "f") in (True, False)
        assert may_print(block) in (True, False)


@pytest.mark.parametrize(
    "statement",
    [
        "assert f(x) == 1",
        "assert f(1) == g(1)",
        "assert g(1) == 1",
        "assert f(*x) == 1",
        "assert f(1) == 1 == 1",
        "for x in y: assert f(x)",
        "x = 1",
        "assert False",
        "import os",
        "assert f(1) > 2",
        "assert f(10 ** 10 ** 10) == 1",
        "assert f('a' * 10 ** 9) == 1",
        "assert (",
        "assert f({[]}) == 1",
        "assert f(1).x == 2",
        "assert f(**{'a': 1}) == 2",
    ],
)
def test_statements_that_are_not_read(statement: str) -> None:
    assert read_statements(statement, "f") is None


def test_statements_that_are_read() -> None:
    source = (
        "assert f(-1, [2], a={3}) == (4, {5: 'x'})\nassert 7 == f(6)\nassert f(8)\n"
        "assert not f(9)\nassert f(1) is None\nassert abs(f(2) - 1.5) < 0.01\n"
        "assert f(3) == 2 ** 70, 'text'\nassert True\n"
    )
    tests = read_statements(source, "f")
    assert tests is not None
    assert [test.compare for test in tests] == [
        "equal",
        "equal",
        "true",
        "false",
        "same",
        "close",
        "equal",
    ]
    assert tests[0].given == {"args": [-1, [2]], "kwargs": {"a": {"$set": [3]}}}
    assert tests[0].expected == (4, {5: "x"})
    assert (tests[1].expected, tests[5].tolerance, tests[6].expected) == (7, 0.01, 2**70)


def test_the_tests_of_a_check() -> None:
    assert read_check("def other(): pass", "f") is None
    assert read_check("def check(c):\n    for _ in '12':\n        assert c(1) == 1", "f") is None
    found = read_check("def check(c):\n    'Text.'\n    assert c(1) == 1\n    assert 1", "f")
    assert len(found or ()) == 1


def test_the_preamble_of_a_prompt() -> None:
    prompt = "import math\n\ndef help(x):\n    return x\n\ndef area(r):\n"
    assert preamble_of(prompt, "area") == "import math\n\ndef help(x):\n    return x"
    assert preamble_of("not Python at all", "area") == ""


def test_shares_above_chance() -> None:
    tests = [Test({"args": [n]}, n % 2 == 0) for n in range(8)]
    assert share_above_chance(tests, [True] * 8) == 1.0
    assert share_above_chance(tests, [test.expected for test in tests]) == 0.0
    assert share_above_chance(tests, [True] * 7 + [False]) == 0.0
    echo = [Test({"args": [n]}, n if n < 6 else -n) for n in range(8)]
    assert share_above_chance(echo, [n < 6 for n in range(8)]) == 0.0
    assert math.isclose(share_above_chance(echo, [n != 7 for n in range(8)]), 0.5)
    one = [Test({"args": [n]}, 5) for n in range(3)]
    assert share_above_chance(one, [True] * 3) == 0.0
    shown = [Test({"args": [n]}, n * n, shown=True) for n in range(5)]
    assert share_above_chance(shown, [True] * 5) == 0.0
