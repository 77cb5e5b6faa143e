"""Reading rows of HumanEval, MBPP, LiveCodeBench and NeMo Gym's `code_gen` as they are."""

from __future__ import annotations

import ast
import base64
import binascii
import builtins
import io
import json
import pickle
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from textgym.envs.program.program_rows import RULE, ProgramTask, check_name, time_limit_of
from textgym.errors import RowError
from textgym.messages import Message, user
from textgym.tasks import nemo_rows
from textgym.verifiers.programs.asserts import (
    called_names,
    preamble_of,
    read_check,
    read_statements,
    unknown_names,
)
from textgym.verifiers.programs.plain_data import encode
from textgym.verifiers.programs.tests import Test

__all__ = ["read_foreign_row"]

_MODULES = (
    "bisect", "collections", "copy", "datetime", "functools", "heapq", "itertools", "json", "math",
    "operator", "random", "re", "statistics", "string", "sys",
)  # fmt: skip
_STARS = (
    "bisect", "collections", "copy", "datetime", "functools", "heapq", "io", "itertools", "json",
    "math", "operator", "random", "re", "statistics", "string", "sys", "typing",
    "builtins",  # last: `pow` is Python's
)  # fmt: skip
_CONTEST_NAMES = "\n".join(
    [*(f"from {name} import *" for name in _STARS), f"import {', '.join(_MODULES)}"]
)


def read_foreign_row(row: Mapping[str, Any]) -> ProgramTask | None:
    """Read a row of HumanEval, MBPP, LiveCodeBench or NeMo Gym; None for any other.

    Raises:
        RowError: A field is missing or wrong.
    """
    if "verifier_metadata" in row:
        return _nemo_gym(row)
    if "question_content" in row:
        return _live_code_bench(row)
    if "test_list" in row:
        return _mbpp(row)
    if isinstance(row.get("test"), str) and "prompt" in row:
        return _human_eval(row)
    return None


def _human_eval(row: Mapping[str, Any]) -> ProgramTask:
    entry, begun, source = row["entry_point"], _text(row, "prompt"), _text(row, "test")
    check_name(entry)
    before = preamble_of(begun, entry)
    tests = read_check(source, entry)
    if not tests:
        helpers = [name for name in unknown_names(source, entry) if not _defines(before, name)]
        if helpers:
            raise RowError("test", f"uses {helpers[0]}, which neither it nor the prompt defines")
        tests = [Test({}, None, "code", code=source)]
    solution = row.get("canonical_solution")
    question = f"Complete this Python function:\n\n```python\n{begun.rstrip()}\n```\n\n{RULE}"
    return ProgramTask(
        row["id"],
        (user(question),),
        f"{begun}{solution}" if isinstance(solution, str) else None,
        (),
        row,
        entry=entry,
        tests=tuple(tests),
        before=before,
        begun=begun,
        time_limit=time_limit_of(row),
    )


def _mbpp(row: Mapping[str, Any]) -> ProgramTask:
    question = row.get("text") or row.get("prompt")
    if not isinstance(question, str) or not question.strip():
        raise RowError("text", "is missing or empty")
    listed = [*_texts(row, "test_list"), *_texts(row, "challenge_test_list")]
    setup = "\n".join(filter(None, [row.get("test_setup_code"), *_texts(row, "test_imports")]))
    if not listed:
        raise RowError("test_list", "is missing or empty")
    entry = _called(row, listed)
    tests: list[Test] = []
    for statement in listed:
        read = read_statements(statement, entry)
        if not read:
            code = f"{setup}\n{statement}"
            _check_plain(code, entry)
            read = [Test({}, None, "code", code=code)]
        tests += read
    tests[0] = replace(tests[0], shown=True)
    prompt = (
        f"{question.strip()}\n\nThe program must pass this test:\n\n{listed[0].strip()}\n\n{RULE}"
    )
    return ProgramTask(
        row["id"],
        (user(prompt),),
        row.get("code"),
        (),
        row,
        entry=entry,
        tests=tuple(tests),
        time_limit=time_limit_of(row),
    )


def _check_plain(code: str, entry: str) -> None:
    """Refuse a test whose arguments are not plain data, or defined only by the solution."""
    try:
        names = unknown_names(code, entry)
        calls = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Call)]
    except SyntaxError:
        raise RowError("test_list", "has a test that is not Python") from None
    for call in calls:
        if isinstance(call.func, ast.Name) and call.func.id == entry:
            types = [item.id for item in call.args if isinstance(item, ast.Name)]
            if any(hasattr(builtins, name) for name in types):
                raise RowError("test_list", "gives a type as an argument, which is not plain data")
    if names:
        raise RowError(
            "test_list",
            f"uses {names[0]}, which only a solution defines: its objects cannot leave the box",
        )


def _called(row: Mapping[str, Any], statements: Sequence[str]) -> str:
    """Return the name of the function that all statements call."""
    try:
        calls = [called_names(statement) for statement in statements]
        code = row.get("code")
        tree = ast.parse(code) if isinstance(code, str) else ast.Module([], [])
    except SyntaxError:
        raise RowError("test_list", "has a test that is not Python") from None
    defined = [item.name for item in tree.body if isinstance(item, ast.FunctionDef)]
    used = {
        node.id
        for statement in statements
        for node in ast.walk(ast.parse(statement))
        if isinstance(node, ast.Name)
    }
    known = [name for name in defined if name in used]
    common = [name for name in calls[0] if all(name in others for others in calls)]
    names = known[-1:] or common[:1]
    if not names:
        raise RowError("test_list", "has no function that all tests call")
    return names[0]


def _live_code_bench(row: Mapping[str, Any]) -> ProgramTask:
    public = _cases(row, "public_test_cases")
    private = _cases(row, "private_test_cases")
    entry = ""
    if any(case.get("testtype") == "functional" for case in [*public, *private]):
        entry = str(_object(row, "metadata").get("func_name") or "")
        check_name(entry)
    tests = [
        _contest_test(case.get("input"), case.get("output"), entry, f"{field}.{place}", shown)
        for field, cases, shown in (
            ("public_test_cases", public, True),
            ("private_test_cases", private, False),
        )
        for place, case in enumerate(cases)
    ]
    if not tests:
        raise RowError("private_test_cases", "has no test")
    starter = row.get("starter_code") or ""
    how = (
        f"Complete this Python code:\n\n```python\n{starter.rstrip()}\n```"
        if starter
        else "Write a Python program that reads standard input and prints the answer."
    )
    prompt = f"{_text(row, 'question_content').strip()}\n\n{how}\n\n{RULE}"
    return _contest_task(row, (user(prompt),), tests, entry)


def _nemo_gym(row: Mapping[str, Any]) -> ProgramTask:
    place = "verifier_metadata.unit_tests"
    metadata = row["verifier_metadata"]
    given = metadata.get("unit_tests") if isinstance(metadata, Mapping) else None
    if isinstance(given, str):
        given = _json(given, place)
    if isinstance(given, Mapping) and "packed" in given:
        given = {**_unpacked(given["packed"], f"{place}.packed"), "fn_name": given.get("fn_name")}
    if not isinstance(given, Mapping):
        raise RowError(place, "must have inputs and outputs")
    inputs, outputs = given.get("inputs"), given.get("outputs")
    if not isinstance(inputs, list) or not isinstance(outputs, list) or not inputs:
        raise RowError(place, "must have inputs and outputs")
    if len(inputs) != len(outputs):
        raise RowError(place, f"has {len(inputs)} inputs, but {len(outputs)} outputs")
    entry = given.get("fn_name") or ""
    if entry:
        check_name(entry)
    tests = [
        _contest_test(come, go, entry, f"{place}.{number}", shown=False)
        for number, (come, go) in enumerate(zip(inputs, outputs, strict=True))
    ]
    return _contest_task(row, tuple(nemo_rows.prompt_of(row)), tests, entry)


def _contest_task(
    row: Mapping[str, Any], prompt: tuple[Message, ...], tests: Sequence[Test], entry: str
) -> ProgramTask:
    return ProgramTask(
        row["id"],
        prompt,
        row.get("solution"),
        (),
        row,
        entry=entry,
        tests=tuple(tests),
        before=_CONTEST_NAMES,
        time_limit=time_limit_of(row),
    )


def _contest_test(come: Any, go: Any, entry: str, place: str, shown: bool) -> Test:
    """Read an input and an output: of a program, or of a function, as lines of JSON."""
    if not isinstance(come, str) or not isinstance(go, str):
        raise RowError(place, "must have an input and an output, which are texts")
    if not entry:
        return Test({"stdin": come}, go, "tokens", shown=shown)
    args = [encode(_json(line, place)) for line in come.split("\n")]
    return Test({"args": args}, _json(go, place), "json", shown=shown)


def _cases(row: Mapping[str, Any], field: str) -> list[Mapping[str, Any]]:
    """Return the tests of a field of LiveCodeBench, which are JSON, or packed."""
    value = row.get(field) or []
    if isinstance(value, str):
        value = _json(value, field) if value.lstrip().startswith("[") else _unpacked(value, field)
    if isinstance(value, str):
        value = _json(value, field)
    if not isinstance(value, list) or not all(isinstance(case, Mapping) for case in value):
        raise RowError(field, "must be a list of tests with input, output and testtype")
    return value


class _TextsOnly(pickle.Unpickler):
    """Unpickles texts, and no object of any class."""

    def find_class(self, module: str, name: str) -> Any:
        raise pickle.UnpicklingError(f"{module}.{name} is not a text")


def _unpacked(value: Any, field: str) -> Any:
    """Return what was packed by zlib and base64, as JSON or as a pickled text of JSON."""
    try:
        content = zlib.decompress(base64.b64decode(value))
        if content[:1] not in (b"{", b"["):
            return json.loads(_TextsOnly(io.BytesIO(content)).load())
        return json.loads(content)
    except (ValueError, TypeError, zlib.error, binascii.Error, pickle.UnpicklingError, EOFError,
            AttributeError, LookupError, ArithmeticError, MemoryError, RecursionError):  # fmt: skip
        raise RowError(field, "cannot be unpacked: it is not base64 of zlib of JSON") from None


def _json(text: str, field: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise RowError(field, f"is not JSON: {text!r:.60}") from None


def _object(row: Mapping[str, Any], field: str) -> Mapping[str, Any]:
    value = row.get(field) or {}
    value = _json(value, field) if isinstance(value, str) else value
    return value if isinstance(value, Mapping) else {}


def _text(row: Mapping[str, Any], field: str) -> str:
    value = row.get(field)
    if not isinstance(value, str) or not value.strip():
        raise RowError(field, "is missing or empty")
    return value


def _texts(row: Mapping[str, Any], field: str) -> list[str]:
    value = row.get(field) or []
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise RowError(field, "must be a list of texts")
    return value


def _defines(code: str, name: str) -> bool:
    return any(getattr(item, "name", "") == name for item in ast.parse(code).body)
