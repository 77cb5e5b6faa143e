"""Reading rows of programming tasks in textgym's own format, and their prompts.

Invariants: a prompt shows only the examples of a row; every test of a row is read, or the row is
refused with a `RowError` that says why.
"""

from __future__ import annotations

import keyword
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from textgym.errors import RowError
from textgym.messages import Message, user
from textgym.tasks.task import Task
from textgym.verifiers.programs.plain_data import Unplain, decode
from textgym.verifiers.programs.tests import COMPARISONS, Test

__all__ = ["RULE", "ProgramTask", "check_name", "read_own_row"]

RULE = (
    "Answer with the whole program in one Python code block. It is tested with other inputs, too, "
    "and may use only Python's standard library."
)
_GIVEN = (("args", "kwargs"), ("init", "calls"), ("stdin",))
_MAX_SHOWN = 2_000  # characters of an example in a prompt


@dataclass(frozen=True, slots=True)
class ProgramTask(Task):
    """A task whose answer is a right program, or None.

    Attributes:
        entry: The name of the function or class; "" for a program that reads standard input.
        tests: The tests.
        before: Code that is run before the program, such as imports and helpers.
        begun: The code that an answer may continue; "" for none.
        time_limit: Seconds of CPU time for each test; None for the environment's.
    """

    entry: str = ""
    tests: tuple[Test, ...] = ()
    before: str = ""
    begun: str = ""
    time_limit: float | None = None


def read_own_row(row: Mapping[str, Any], prompt: Sequence[Message] = ()) -> ProgramTask:
    """Read one of textgym's rows.

    Args:
        row: The row.
        prompt: The prompt, if the row has one of its own; else it is made of the `question`.

    Raises:
        RowError: A field is missing or wrong.
    """
    entry = row.get("entry_point") or ""
    if entry:
        check_name(entry)
    tests = [
        read_test(item, f"{field}.{place}", bool(entry), shown=field == "examples")
        for field in ("examples", "tests")
        for place, item in enumerate(_list(row, field))
    ]
    if all(test.shown for test in tests):
        raise RowError("tests", "has no test: give at least one beside the examples")
    return ProgramTask(
        row["id"],
        tuple(prompt) or (user(_prompt(row, entry, tests)),),
        row.get("solution"),
        (),
        row,
        entry=entry,
        tests=tuple(tests),
        time_limit=time_limit_of(row),
    )


def check_name(name: Any) -> None:
    """Raise a `RowError` if a row's `entry_point` is not a name."""
    if not isinstance(name, str) or not name.isidentifier() or keyword.iskeyword(name):
        raise RowError("entry_point", f"must be the name of a function or class, not {name!r:.60}")


def time_limit_of(row: Mapping[str, Any]) -> float | None:
    """Return the time limit of a row, or None."""
    limit = row.get("time_limit")
    if limit is None:
        return None
    if isinstance(limit, bool) or not isinstance(limit, (int, float)) or not 0 < limit <= 600:
        raise RowError("time_limit", f"must be a number of seconds up to 600, not {limit!r:.60}")
    return float(limit)


def _list(row: Mapping[str, Any], field: str) -> list[Any]:
    value = row.get(field) or []
    if not isinstance(value, list):
        raise RowError(field, f"must be a list, not {type(value).__name__}")
    return value


def read_test(item: Any, place: str, is_call: bool, shown: bool) -> Test:
    """Read a test of one of textgym's rows."""
    if not isinstance(item, Mapping):
        raise RowError(place, f"must be an object, not {type(item).__name__}")
    keys = next((keys for keys in _GIVEN if keys[-1] in item or keys[0] in item), ())
    if not keys or is_call == ("stdin" in keys):
        wanted = "args, or init and calls" if is_call else "stdin, as the row has no entry_point"
        raise RowError(place, f"must have {wanted}")
    given = {key: item[key] for key in keys if key in item}
    if "calls" in keys:
        given = {"init": item.get("init", []), "calls": item.get("calls", [])}
    compare = item.get("compare", "same" if is_call else "lines")
    if compare not in COMPARISONS[:-1] or is_call == (compare in ("lines", "tokens")):
        raise RowError(f"{place}.compare", f"cannot be {compare!r:.60} here")
    try:
        _check_given(given)
        expected = decode(item["expected"])
    except KeyError:
        raise RowError(f"{place}.expected", "is missing") from None
    except (Unplain, TypeError, ValueError) as error:
        raise RowError(place, f"has a value that is not plain data: {error}") from None
    if not is_call and not isinstance(expected, str):
        raise RowError(f"{place}.expected", "must be the text that is printed")
    return Test(
        given,
        expected,
        compare,
        tolerance=float(item.get("tolerance", 1e-6)),
        shown=shown,
        large=bool(item.get("large")),
        fresh=bool(item.get("fresh")),
    )


def _check_given(given: Mapping[str, Any]) -> None:
    """Check what the box is given.

    Raises:
        TypeError: It does not have the right form.
        Unplain: A value is not plain data.
    """
    if "stdin" in given:
        if not isinstance(given["stdin"], str):
            raise TypeError("stdin must be a text")
        return
    if "calls" in given:
        lists = [given["init"], *(arguments for _, arguments in given["calls"])]
        if not all(isinstance(name, str) for name, _ in given["calls"]):
            raise TypeError("a call is a pair of a name and a list of arguments")
    else:
        lists = [given["args"], list(given.get("kwargs", {}).values())]
    for values in lists:
        if not isinstance(values, list):
            raise TypeError("arguments must be a list")
        decode(values)


def _prompt(row: Mapping[str, Any], entry: str, tests: Sequence[Test]) -> str:
    question = row.get("question")
    if not isinstance(question, str) or not question.strip():
        raise RowError("question", "is missing or empty")
    shown = [_example(entry, test) for test in tests if test.shown]
    if not shown:
        return f"{question.strip()}\n\n{RULE}"
    title = "Examples:" if len(shown) > 1 else "Example:"
    gap = "\n" if entry else "\n\n"
    return f"{question.strip()}\n\n{title}\n\n{gap.join(shown)}\n\n{RULE}"


def _example(entry: str, test: Test) -> str:
    """Return an example as a prompt shows it."""
    if "stdin" in test.given:
        text = f"Input:\n{test.given['stdin'].rstrip()}\nOutput:\n{test.expected.rstrip()}"
    elif "calls" in test.given:
        made = f">>> made = {entry}({_listed(test.given['init'])})"
        calls = [
            f">>> made.{name}({_listed(arguments)})\n{value!r}"
            for (name, arguments), value in zip(test.given["calls"], test.expected, strict=True)
        ]
        text = "\n".join([made, *calls])
    else:
        named = [f"{key}={decode(value)!r}" for key, value in test.given.get("kwargs", {}).items()]
        inner = ", ".join(filter(None, [_listed(test.given["args"]), *named]))
        text = f">>> {entry}({inner})\n{test.expected!r}"
    return text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}…"


def _listed(arguments: list[Any]) -> str:
    return ", ".join(repr(decode(value)) for value in arguments)
