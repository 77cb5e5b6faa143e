"""Drafts of tasks, and the rows that are made of them.

A draft has two solutions that were written independently: a program, which the oracle gives, and a
function, which gives the expected values. It also has rivals: functions that differ in one rule.

Invariants: every rival fails a hidden test, so a program that ignores a rule, or has a wrong
number in it, loses; the hidden tests have several expected values, and most of them differ.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from textgym.envs.generation import Unfit
from textgym.json_values import canonical_json
from textgym.verifiers.programs.plain_data import encode

__all__ = ["Draft", "row_of"]

Kind = Literal["int", "ints", "str", "rows"]
"""A kind of argument: an integer, a list of integers, a text, or a list of lists of integers."""

_SHOWN, _HIDDEN, _MOST_DRAWN = 3, 8, 40
_MIN_VALUES = 4
_LAYOUT = {
    "int": "a line with {name}",
    "str": "a line with {name}",
    "ints": "a line with the length of {name}, and a line with its numbers, separated by spaces",
    "rows": "a line with the length of {name}, and a line for each of its elements, with numbers "
    "separated by spaces",
}
_READING = {
    "int": "int(input())",
    "str": "input()",
    "ints": "[int(word) for word in (input(), input())[1].split()]",
    "rows": "[[int(word) for word in input().split()] for _ in range(int(input()))]",
}


@dataclass(frozen=True)
class Draft:
    """A drafted task.

    Attributes:
        entry: The name of the function or class.
        statement: What it does, in prose.
        names: The names of the arguments, by kind; empty for a class.
        program: A right program.
        solve: Returns the expected value for arguments. The argument of a class is a list of calls.
        rivals: Functions like `solve` that are wrong.
        draw: Draws arguments.
        content: What distinguishes the task from others, as JSON.
        large: The arguments of a test that a slow program does not finish; None for no such test.
        is_class: Whether the entry is a class.
    """

    entry: str
    statement: str
    names: dict[str, Kind]
    program: str
    solve: Callable[..., Any]
    rivals: Sequence[Callable[..., Any]]
    draw: Callable[[random.Random], tuple[Any, ...]]
    content: Any
    large: tuple[Any, ...] | None = None
    is_class: bool = False


def row_of(draft: Draft, rng: random.Random, as_stdin: bool) -> dict[str, Any]:
    """Return a row with the tests of a draft.

    Args:
        draft: The draft.
        rng: The random generator, which draws the arguments of the tests.
        as_stdin: Whether the program reads standard input, in place of a function that is called.

    Raises:
        Unfit: The rivals cannot be told apart from the solution, or most expected values are equal.
    """
    shown, hidden = _tests(draft, rng)
    form = _stdin_test if as_stdin else _class_test if draft.is_class else _call_test
    row: dict[str, Any] = {
        "question": _question(draft, as_stdin),
        "solution": _as_script(draft) if as_stdin else draft.program,
        "examples": [form(draft, args) for args in shown],
        "tests": [form(draft, args) for args in hidden],
        "content": draft.content,
    }
    if draft.large is not None:
        row["tests"].append({**form(draft, draft.large), "large": True})
    if not as_stdin:
        row["entry_point"] = draft.entry
    return row


def _tests(draft: Draft, rng: random.Random) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    """Draw the arguments of shown and hidden tests."""
    seen: dict[str, tuple[Any, ...]] = {}
    left = list(draft.rivals)
    shown: list[tuple[Any, ...]] = []
    hidden: list[tuple[Any, ...]] = []
    spare: list[tuple[Any, ...]] = []
    for _ in range(_MOST_DRAWN):
        args = draft.draw(rng)
        key = canonical_json(encode(list(args)))
        if key in seen:
            continue
        seen[key] = args
        if len(shown) < _SHOWN:
            shown.append(args)
            continue
        value = draft.solve(*args)
        still = [rival for rival in left if rival(*args) == value]
        if len(still) < len(left) or not draft.rivals:
            hidden.append(args)
            left = still
        else:
            spare.append(args)
        if not left and len(hidden) + len(spare) >= _HIDDEN:
            hidden += spare[: max(0, _HIDDEN - len(hidden))]
            _check_values(draft, hidden)
            return shown, hidden
    raise Unfit


def _check_values(draft: Draft, hidden: Sequence[tuple[Any, ...]]) -> None:
    """Raise `Unfit` if too many tests have the same expected value, or expect an argument."""
    values = Counter(canonical_json(encode(draft.solve(*args))) for args in hidden)
    same = sum(draft.solve(*args) in args for args in hidden)
    most = max(same, values.most_common(1)[0][1])
    if len(values) < _MIN_VALUES or 2 * most > len(hidden):
        raise Unfit


def _call_test(draft: Draft, args: tuple[Any, ...]) -> dict[str, Any]:
    return {"args": encode(list(args)), "expected": encode(draft.solve(*args))}


def _class_test(draft: Draft, args: tuple[Any, ...]) -> dict[str, Any]:
    calls = [[name, encode(list(given))] for name, given in args[0]]
    return {"init": [], "calls": calls, "expected": encode(draft.solve(*args))}


def _stdin_test(draft: Draft, args: tuple[Any, ...]) -> dict[str, Any]:
    lines: list[str] = []
    for value in args:
        if isinstance(value, list):
            rows = bool(value) and isinstance(value[0], list)
            lines.append(str(len(value)))
            lines += (" ".join(map(str, row)) for row in (value if rows else [value]))
        else:
            lines.append(str(value))
    return {"stdin": "\n".join(lines) + "\n", "expected": _printed(draft.solve(*args))}


def _printed(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def _as_script(draft: Draft) -> str:
    reads = "".join(f"{name} = {_READING[kind]}\n" for name, kind in draft.names.items())
    call = f"{draft.entry}({', '.join(draft.names)})"
    write = f"value = {call}\nprint(*value) if isinstance(value, list) else print(value)\n"
    return f"{draft.program}\n\n{reads}{write}"


def _question(draft: Draft, as_stdin: bool) -> str:
    if draft.is_class:
        return f"Write a Python class `{draft.entry}`. {draft.statement}"
    named = ", ".join(draft.names)
    if not as_stdin:
        return f"Write a Python function `{draft.entry}({named})`. {draft.statement}"
    layout = "; ".join(_LAYOUT[kind].format(name=f"`{name}`") for name, kind in draft.names.items())
    asked = draft.statement.replace("Return ", "Print ")
    listed = " Elements of a list are separated by spaces." if "list" in asked else ""
    return f"Write a Python program. It reads standard input: {layout}. {asked}{listed}"
