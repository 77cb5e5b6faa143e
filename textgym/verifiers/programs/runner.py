"""Running the tests of a program in a box.

All tests of a task run in one box, each in a process of its own (see `in_box`), except tests that
need a fresh box and tests that are code.

Invariants: a box gets programs and arguments, never an expected value; what a box sends is read as
data, of limited length; a candidate that is stopped by a limit, or breaks its box, fails tests; a
box that does not start is a failure of the infrastructure, and says nothing about the candidate.
"""

from __future__ import annotations

import json
import marshal
import math
import re
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from textgym.errors import SandboxFailure
from textgym.sandbox import Limits, Sandbox
from textgym.sandbox.kinds import portable
from textgym.verifiers.programs.in_box import READY
from textgym.verifiers.programs.tests import Test, holds

__all__ = ["LIMITED", "Settings", "Verdict", "run_tests"]

LIMITED = ("time", "memory", "output")
"""The statuses of tests that were stopped by a limit."""

_ERROR = re.compile(r"error [A-Za-z0-9_]{1,60}\Z")
_BROKEN = "broken"  # the box, not only a test
_OF_LIMITS = {"time": "time", "cpu": "time", "memory": "memory", "output": "output"}
_FINAL = (*LIMITED, _BROKEN)  # after which no other test is run

_WALL = 4.0  # seconds that a test may take for each second of its CPU time limit, and
_SPARE_WALL = 5.0  # seconds on top
_START = 60.0  # seconds in which Python must start
_DISK = 32  # megabytes
_ESCAPED = 8  # bytes of a line for each byte of a value in it
_LEAST_OUTPUT = 1 << 16
_MAX_TOTAL = 10.0  # times the limit of a test, for all tests of a task


@dataclass(frozen=True, slots=True)
class Settings:
    """The limits of a program.

    Attributes:
        cpu: Seconds of CPU time for each test.
        memory: Megabytes of memory.
        kind: The kind of sandbox; None for the best there is.
    """

    cpu: float = 5.0
    memory: int = 512
    kind: str | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of a program.

    Attributes:
        chosen: The index of the program among the candidates; -1 for none.
        problem: Why there is no program; "" if there is one.
        statuses: For each test `right`, `wrong`, `error …`, `crash`, `broken` (the box, which ends
            the tests), `time`, `memory`, `output`, or `not run`.
    """

    chosen: int
    problem: str
    statuses: tuple[str, ...]

    @property
    def passed(self) -> list[bool]:
        """Whether each test was passed."""
        return [status == "right" for status in self.statuses]


class _Box:
    """A box with a program that answers lines of JSON.

    Args:
        settings: The limits.
        output: Bytes that a test may print or return.
        task: The first message to the program in the box.

    Raises:
        SandboxFailure: The box did not start.
    """

    def __init__(self, settings: Settings, output: int, task: Mapping[str, Any]) -> None:
        wall = _WALL * settings.cpu
        limits = Limits(
            seconds=wall + _SPARE_WALL,
            cpu_seconds=math.ceil(settings.cpu),
            memory_mb=settings.memory,
            disk_mb=_DISK,
            output_bytes=_ESCAPED * output,
        )
        self._sandbox = Sandbox(settings.kind, limits=limits)
        try:
            self._process = self._sandbox.start_python(_source())
            if self._process.receive(_START) != READY:
                raise SandboxFailure("Python did not start in the sandbox")
        except BaseException:
            self._sandbox.close()
            raise
        self.send({**task, "cpu": settings.cpu, "wall": wall, "output": output})

    def __enter__(self) -> _Box:
        return self

    def __exit__(self, *failure: object) -> None:
        self._process.close()
        self._sandbox.close()

    def send(self, message: Mapping[str, Any]) -> None:
        """Send a message."""
        self._process.send(portable(dict(message)).hex())

    def receive(self) -> dict[str, Any]:
        """Return the next message. If none comes, its status says why."""
        line = self._process.receive()
        if line is None:
            return {"status": _OF_LIMITS.get(self._process.limit, _BROKEN)}
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            return {"status": _BROKEN}
        return message if isinstance(message, dict) else {"status": _BROKEN}


def run_tests(
    blocks: Sequence[str],
    tests: Sequence[Test],
    *,
    entry: str = "",
    before: str = "",
    settings: Settings = Settings(),
) -> Verdict:
    """Run the tests of a program.

    Args:
        blocks: The candidates. The last whole program counts.
        tests: The tests.
        entry: The name of the function or class; "" for a program that reads standard input.
        before: Code that is run before the program.
        settings: The limits.

    Raises:
        SandboxFailure: A box did not start.
    """
    candidate = {"blocks": list(blocks), "entry": entry, "before": before}
    statuses = ["not run"] * len(tests)
    chosen, output = -1, _output_of(tests)
    end = time.monotonic() + _MAX_TOTAL * _WALL * settings.cpu
    for group in _groups(tests):
        with _Box(settings, output, candidate) as box:
            for place in group:
                if not tests[place].code:  # they are read one by one
                    box.send(tests[place].given)
            chosen, problem, status = _loaded(box, entry)
            if status != "ok":
                statuses[group[0]] = status or "not run"
                return Verdict(chosen, problem, tuple(statuses))
            for place in group:
                if tests[place].code:
                    task = {"tests": tests[place].code, "entry": entry, "before": before}
                    statuses[place] = _examine(box, settings, output, task)
                else:
                    statuses[place] = _status_of(tests[place], box.receive())
                if statuses[place] in _FINAL or time.monotonic() > end:
                    return Verdict(chosen, "", tuple(statuses))
    return Verdict(chosen, "", tuple(statuses))


def _output_of(tests: Sequence[Test]) -> int:
    """Return how many bytes a test may print or return."""
    longest = max((len(repr(test.expected)) for test in tests), default=0)
    return _LEAST_OUTPUT + 4 * longest


def _groups(tests: Sequence[Test]) -> list[list[int]]:
    """Return the places of the tests that share a box: all that are neither fresh nor code."""
    alone = [[place] for place, test in enumerate(tests) if test.fresh or test.code]
    together = [place for place in range(len(tests)) if [place] not in alone]
    return [*([together] if together else []), *alone]


def _loaded(box: _Box, entry: str) -> tuple[int, str, str]:
    """Return the index of the program, why there is none, and the status of loading it."""
    answer = box.receive()
    if isinstance(answer.get("problem"), str):
        return -1, answer["problem"], ""
    if not isinstance(answer.get("chosen"), int):
        return -1, "it cannot be read", ""
    status = _status(box.receive()) if entry else "ok"
    return answer["chosen"], "", status


def _status(answer: Mapping[str, Any]) -> str:
    status = answer.get("status")
    if isinstance(status, str) and (status in ("ok", "crash", *_FINAL) or _ERROR.match(status)):
        return status
    return _BROKEN


def _status_of(test: Test, answer: Mapping[str, Any]) -> str:
    status, value = _status(answer), answer.get("value")
    if status != "ok":
        return status
    if not isinstance(value, str):
        return _BROKEN
    return "right" if holds(test, value) else "wrong"


def _examine(box: _Box, settings: Settings, output: int, task: Mapping[str, Any]) -> str:
    """Run a test that is code in a box of its own, which calls the candidate's box."""
    status = "ok"
    with _Box(settings, output, task) as examiner:
        while "ask" in (message := examiner.receive()):
            box.send(message["ask"])
            answer = box.receive()
            status = _status(answer)
            if status in _FINAL:
                return status
            examiner.send({"status": status, "value": _value_of(answer)})
    if message.get("held") is True:
        return "right"
    return "wrong" if status == "ok" else status


def _value_of(answer: Mapping[str, Any]) -> Any:
    """Return the value of an answer, which is JSON in a text; None if it is not."""
    try:
        return json.loads(answer["value"])
    except (KeyError, TypeError, ValueError, RecursionError):
        return None


@cache
def _source() -> str:
    """Return the program that runs in the box, compiled for a Python of the same version."""
    parts = []
    for name in ("plain_data.py", "in_box.py"):
        source = Path(__file__).with_name(name).read_text(encoding="utf-8")
        compiled = marshal.dumps(compile(source, name, "exec"))
        parts.append(f"exec(marshal.loads({compiled!r}) if same else {source!r})\n")
    return f"import marshal, sys\nsame = sys.hexversion == {sys.hexversion}\n{''.join(parts)}"
