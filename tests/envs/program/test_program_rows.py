"""Rows of `textgym/Program-v0`: its own, and those of HumanEval, MBPP, LiveCodeBench, NeMo Gym."""

from __future__ import annotations

import base64
import json
import pickle
import zlib
from typing import Any

import pytest
from program_cases import SQUARES, SUMS
from tables import in_one_test

from textgym.envs.program import Program
from textgym.envs.program.program_rows import ProgramTask
from textgym.errors import RowError


def packed(content: bytes) -> str:
    """Return a pickle as LiveCodeBench packs it."""
    return base64.b64encode(zlib.compress(content)).decode()


HUMAN_EVAL = {
    "task_id": "Own/0",
    "prompt": "from typing import List\n\n\ndef half(n: int) -> int:\n    return n // 2\n\n\n"
    'def middle(xs: List[int]) -> int:\n    """ Return the middle element.\n'
    "    >>> middle([1, 2, 3])\n    2\n" + '    """\n',
    "entry_point": "middle",
    "canonical_solution": "    return xs[half(len(xs))]\n",
    "test": "\n\nMETADATA = {}\n\n\ndef check(candidate):\n    assert candidate([1, 2, 3]) == 2\n"
    '    assert candidate([5]) == 5, "one"\n    assert True\n',
}
WITH_HELPER = {
    **HUMAN_EVAL,
    "test": "def check(candidate):\n    import random\n    for _ in range(20):\n"
    "        xs = [random.randint(0, 99) for _ in range(random.randint(1, 9))]\n"
    "        assert candidate(list(xs)) == xs[half(len(xs))]\n",
}
MBPP = {
    "task_id": 7,
    "text": "Write a function to find the longest word.",
    "code": "def helper(x):\n    return len(x)\n"
    "def longest(text):\n    return max(text.split(), key=helper)",
    "test_list": [
        'assert longest("a bb") == "bb"',
        'assert longest("ccc b") == "ccc"',
        'assert set(longest("dd d")) == {"d"}',
    ],
    "test_setup_code": "",
    "challenge_test_list": ['assert longest("e") == "e"'],
}
LIVE = {
    "question_title": "Double",
    "question_content": "Print twice the number.",
    "starter_code": "",
    "public_test_cases": json.dumps([{"input": "2\n", "output": "4\n", "testtype": "stdin"}]),
    "private_test_cases": json.dumps([{"input": "5\n", "output": "10\n", "testtype": "stdin"}]),
    "metadata": "{}",
}
CASES = [{"input": "[1, 2]\n3", "output": "[1, 2, 3]", "testtype": "functional"}]
LIVE_FUNCTION = {
    **LIVE,
    "starter_code": "class Solution:\n    def join(self, xs: List[int], x: int) -> List[int]:\n",
    "public_test_cases": json.dumps(CASES),
    "private_test_cases": packed(
        pickle.dumps(json.dumps([{**CASES[0], "input": "[]\n7", "output": "[7]"}]))
    ),
    "metadata": json.dumps({"func_name": "join"}),
}
# Names of the contest imports, which do not stand for what a program defines.
LIVE_POWER, LIVE_ADD, LIVE_LETTERS = (
    {
        **LIVE_FUNCTION,
        "public_test_cases": "[]",
        "private_test_cases": json.dumps(
            [{"input": come, "output": go, "testtype": "functional"} for come, go in cases]
        ),
        "metadata": json.dumps({"func_name": name}),
    }
    for name, cases in {
        "power": [("3\n4\n5", "1"), ("2\n10\n1000", "24")],
        "add": [("5\n2", "7"), ("6\n3", "9")],
        "last": [('"abc"', "2"), ('"z"', "25")],
    }.items()
)
NEMO = {
    "responses_create_params": {"input": [{"role": "user", "content": "Print half of it."}]},
    "verifier_metadata": {"unit_tests": {"inputs": ["1\n", "3\n"], "outputs": ["0.5\n", "1.5\n"]}},
    "hash_id": "x",
}
PACKED = {
    **NEMO,
    "verifier_metadata": {
        "unit_tests": {
            "packed": base64.b64encode(
                zlib.compress(json.dumps({"inputs": ["1\n"], "outputs": ["0.5\n"]}).encode())
            ).decode(),
            "fn_name": None,
        }
    },
}
_JOIN = (
    "class Solution:\n    def join(self, xs: List[int], x: int) -> List[int]:\n"
    "        return (*xs, x)"
)
HALF = "print(int(input()) / 2)"
_METHOD = "class Solution:\n    def {}"


def task_of(row: dict[str, Any]) -> ProgramTask:
    """Return the task of a row."""
    env = Program()
    env.reset(options={"task": row})
    return env.task


@pytest.mark.usefixtures("needs_sandbox")
@pytest.mark.parametrize(
    ("row", "right", "wrong"),
    [
        pytest.param(HUMAN_EVAL, None, "def middle(xs):\n    return xs[0]", id="HumanEval"),
        pytest.param(
            HUMAN_EVAL,
            "    return xs[half(len(xs))]\n",
            "    return 2\n",
            id="HumanEval, continued",
        ),
        pytest.param(
            HUMAN_EVAL,
            "def middle(xs: List[int]):\n    return xs[len(xs) // 2]",
            "def half(n): pass",
            id="HumanEval, without the imports",
        ),
        pytest.param(
            WITH_HELPER, None, "def middle(xs):\n    return xs[0]", id="HumanEval, a loop"
        ),
        pytest.param(
            WITH_HELPER,
            "def half(n):\n    return 0\ndef middle(xs):\n    return xs[len(xs) // 2]",
            "def half(n):\n    return 0\ndef middle(xs):\n    return xs[half(9)]",
            id="HumanEval, a helper of the test is redefined",
        ),
        pytest.param(MBPP, None, "def longest(text):\n    return 'bb'", id="MBPP"),
        pytest.param(LIVE, "print(2 * int(input()))", "print(4)", id="LiveCodeBench, stdin"),
        pytest.param(
            LIVE_FUNCTION, _JOIN, _JOIN.replace("*xs, x", "x, *xs"), id="LiveCodeBench, function"
        ),
        pytest.param(
            LIVE,
            "print(2 * int(sys.stdin.readline()))",
            "from operator import *",
            id="LiveCodeBench, stdin without imports",
        ),
        pytest.param(
            LIVE_POWER,
            _METHOD.format("power(self, a, n, m): return pow(a, n, m)"),
            _METHOD.format("power(self, a, n, m): return math.pow(a, n)"),
            id="LiveCodeBench, pow of Python",
        ),
        pytest.param(
            LIVE_ADD,
            _METHOD.format("add(self, a, b): return a + b"),
            _METHOD.format("add(self, a, b): return 0"),
            id="LiveCodeBench, a method with the name of an import",
        ),
        pytest.param(
            LIVE_ADD,
            "from operator import add",
            "from operator import sub as add",
            id="LiveCodeBench, an import",
        ),
        pytest.param(
            LIVE_LETTERS,
            _METHOD.format("last(self, s): return ascii_lowercase.index(max(s))"),
            _METHOD.format("last(self, s): return randint(99, 99)"),
            id="LiveCodeBench, names of modules",
        ),
        pytest.param(NEMO, HALF, "print(0.5)", id="NeMo Gym"),
        pytest.param(
            NEMO, "print(f'{int(input()) / 2 + 1e-9:.12f}')", "print('0.5.')", id="NeMo Gym, close"
        ),
        pytest.param(PACKED, HALF, "print('half')", id="NeMo Gym, packed"),
    ],
)
def test_a_row_is_played(row: dict[str, Any], right: str | None, wrong: str) -> None:
    env = Program()
    env.reset(options={"task": row})
    assert env.step(env.solve() if right is None else right)[1] == 1.0
    env.reset(options={"task": row})
    assert env.step(wrong)[1] == 0.0


@pytest.mark.usefixtures("needs_sandbox")
def test_an_object_cannot_cross_to_a_test_that_is_code() -> None:
    env = Program()
    env.reset(options={"task": WITH_HELPER})
    text = (
        "class E:\n    def __eq__(self, other):\n        return True\n"
        "def middle(xs):\n    return E()"
    )
    assert env.step(text)[1] == 0.0


def test_expected_values_of_asserts_are_read() -> None:
    tests = task_of(HUMAN_EVAL).tests
    assert [(test.given["args"], test.expected, test.compare) for test in tests] == [
        ([[1, 2, 3]], 2, "equal"),
        ([[5]], 5, "equal"),
    ]
    assert [test.compare for test in task_of(WITH_HELPER).tests] == ["code"]
    assert [test.compare for test in task_of(MBPP).tests] == ["equal", "equal", "code", "equal"]


@pytest.mark.parametrize("row", [HUMAN_EVAL, MBPP, LIVE, LIVE_FUNCTION, NEMO])
def test_a_prompt_does_not_show_hidden_tests(row: dict[str, Any]) -> None:
    prompt = "\n".join(str(message["content"]) for message in task_of(row).messages)
    for hidden in ("[5]", "ccc", "10", "[7]", "1.5"):
        assert hidden not in prompt


@pytest.mark.parametrize(
    ("row", "field", "problem"),
    [
        ({**SQUARES, "tests": []}, "tests", "has no test"),
        ({**SQUARES, "tests": 3}, "tests", "must be a list"),
        ({**SQUARES, "tests": [3]}, "tests.0", "must be an object"),
        ({**SQUARES, "tests": [{"args": [1]}]}, "tests.0.expected", "is missing"),
        ({**SQUARES, "tests": [{"args": 1, "expected": 1}]}, "tests.0", "must be a list"),
        ({**SQUARES, "tests": [{"stdin": "", "expected": ""}]}, "tests.0", "must have args"),
        ({**SUMS, "tests": [{"args": [], "expected": 1}]}, "tests.0", "must have stdin"),
        ({**SUMS, "tests": [{"stdin": 1, "expected": ""}]}, "tests.0", "must be a text"),
        ({**SUMS, "tests": [{"stdin": "", "expected": 1}]}, "tests.0.expected", "must be the text"),
        (
            {**SQUARES, "tests": [{"args": [], "expected": {"$tuple": 1}}]},
            "tests.0",
            "not plain data",
        ),
        (
            {**SQUARES, "tests": [{"args": [], "expected": 1, "compare": "code"}]},
            "tests.0.compare",
            "cannot be 'code'",
        ),
        ({**SQUARES, "entry_point": "a b"}, "entry_point", "must be the name"),
        ({**SQUARES, "entry_point": "def"}, "entry_point", "must be the name"),
        ({**SQUARES, "question": " "}, "question", "is missing or empty"),
        ({**SQUARES, "time_limit": -1}, "time_limit", "must be a number of seconds"),
        ({**HUMAN_EVAL, "test": "def check(f):\n    assert f(x) == 1"}, "test", "uses x, which"),
        ({**HUMAN_EVAL, "entry_point": ""}, "entry_point", "must be the name"),
        ({**MBPP, "text": ""}, "text", "is missing or empty"),
        ({**MBPP, "test_list": [], "challenge_test_list": []}, "test_list", "is missing or empty"),
        ({**MBPP, "test_list": ["assert ("]}, "test_list", "not Python"),
        ({**MBPP, "test_list": ["assert longest(Node(1)) == 1"]}, "test_list", "uses Node, which"),
        ({**MBPP, "test_list": ["assert longest(int) == 1"]}, "test_list", "gives a type"),
        ({**LIVE, "private_test_cases": "AAAA"}, "private_test_cases", "cannot be unpacked"),
        ({**LIVE, "public_test_cases": "[1]"}, "public_test_cases", "must be a list of tests"),
        ({**NEMO, "verifier_metadata": {}}, "verifier_metadata.unit_tests", "must have inputs"),
        (
            {**NEMO, "verifier_metadata": {"unit_tests": {"inputs": ["1"], "outputs": []}}},
            "verifier_metadata.unit_tests",
            "has 1 inputs, but 0 outputs",
        ),
        (
            {
                **NEMO,
                "verifier_metadata": {
                    "unit_tests": {"inputs": ["x"], "outputs": ["1"], "fn_name": "f"}
                },
            },
            "verifier_metadata.unit_tests.0",
            "is not JSON",
        ),
    ],
)
def test_a_row_that_cannot_be_read(row: dict[str, Any], field: str, problem: str) -> None:
    with pytest.raises(RowError, match=problem) as caught:
        task_of(row)
    assert caught.value.field == field
    assert "\n" not in str(caught.value)


@in_one_test(
    "content",
    [
        pickle.dumps(RowError),
        pickle.dumps([1]),
        b"cos\nsystem\n(S'exit'\ntR.",
        b"\x80\x04\x8c\x02os\x8c\x06system\x93\x8c\x04exit\x85R.",
        b"(S'exit'\nios\nsystem\n.",
        b"Pabc\n.",
        b"\x80\x02\x82\x01.",
        b"\x80\x05\x97.",
        b"\x80\x02Nr\xff\xff\xff\x7f.",
        b"\x80\x04\x8e\xff\xff\xff\xff\xff\xff\xff\x7f",
        pickle.dumps("[" * 100_000),
        b"",
    ],
)
def test_a_pickle_of_anything_but_a_text_is_refused(content: bytes) -> None:
    with pytest.raises(RowError, match="cannot be unpacked"):
        task_of({**LIVE, "private_test_cases": packed(content)})


def test_examples_are_shown() -> None:
    prompt = str(task_of(SQUARES).messages[0]["content"])
    assert ">>> square(2)\n4" in prompt
    assert "square(3)" not in prompt
    assert "Input:\n2\n3\n4\nOutput:\n3\n4\n7" in str(task_of(SUMS).messages[0]["content"])
