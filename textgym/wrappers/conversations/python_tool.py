"""`PythonTool`: a Python session in a sandbox, as a tool for any environment.

Invariants: nothing but code enters the box, and nothing but text leaves it; each call ends within
its limits; a session that reaches a limit does not fail the step, and the model reads that it has
ended.
"""

from __future__ import annotations

import json
import time
from functools import cache
from pathlib import Path

from textgym import sandbox
from textgym.errors import ExtraMissingError, SandboxFailure, ToolError
from textgym.sandbox import Limits, Process, Sandbox, default_kind
from textgym.tools import tool

__all__ = ["PythonTool"]

_MAX_CODE = 100_000  # characters
_MAX_TEXT = 20_000  # characters of an answer; the program in the box cuts it before
_MAX_STRAY = 100  # lines that are not the answer, which only code can send that attacks its session
_SESSION_CPU = 120  # seconds of CPU time for all calls of a session


class PythonTool:
    r"""A Python session in a sandbox, for `ExtraTools(env, tools=["python"])`.

    A session starts with the first call of an episode, and ends with the episode. Names, files and
    imports stay from call to call. What a call prints is cut after 10,000 bytes, in the middle.
    `random` starts from the same seed in each session. A call that reaches a limit ends the
    session, and the next call starts another. For other limits, make a subclass.

    Attributes:
        limits: What a session may use. `seconds` bounds each call.
        cpu_seconds: Seconds of CPU time of a call.
        sandbox: The kind of sandbox.

    Raises:
        ExtraMissingError: No sandbox runs here.

    Example:
        >>> python = PythonTool()
        >>> python.python("import math\nradius = 2")
        '(no output)'
        >>> python.python("print('area'); round(math.pi * radius ** 2, 2)")
        'area\n12.57'
        >>> python.close()
    """

    limits = Limits(cpu_seconds=_SESSION_CPU, output_bytes=1 << 18)
    cpu_seconds = 5

    def __init__(self) -> None:
        try:
            self.sandbox = default_kind()
        except SandboxFailure as failure:
            raise ExtraMissingError(f"the tool 'python': {failure}") from None
        self._box: Sandbox | None = None
        self._process: Process | None = None
        self._number = 0

    @property
    def is_new(self) -> bool:
        """Whether the next call starts a session."""
        return self._process is None

    @tool
    def python(self, code: str) -> str:
        """Run Python code, and return what it prints and the value of its last expression.
        Variables, functions and imports stay for later calls. Only the standard library can be
        imported. There is no network, and standard input is empty.

        Args:
            code: The code.
        """  # noqa: D205 - the model reads the first paragraph
        if len(code) > _MAX_CODE:
            raise ToolError(f"the code has over {_MAX_CODE:,} characters")
        process = self._process or self._start()
        self._number += 1
        process.send(json.dumps([self._number, code, self.cpu_seconds]))
        end = time.monotonic() + self.limits.seconds
        for _ in range(_MAX_STRAY):
            line = process.receive(max(0.0, end - time.monotonic()))
            if line is None:
                break
            text = _answer(line, self._number)
            if text is not None:
                return text[:_MAX_TEXT].removesuffix("\n") or "(no output)"
        limit = process.limit
        self.close()
        raise ToolError(f"{self._reason(limit)}. The session has ended: nothing is kept of it")

    def close(self) -> None:
        """End the session."""
        if self._process is not None:
            self._process.close()
        if self._box is not None:
            self._box.close()
        self._box = self._process = None

    def _start(self) -> Process:
        self._box = Sandbox(self.sandbox, limits=self.limits)
        self._process = self._box.start_python(_source())
        return self._process

    def _reason(self, limit: str) -> str:
        reasons = {
            "time": f"the code took more than {self.limits.seconds:g} seconds",
            "cpu": f"the code took more than {self.cpu_seconds} seconds of processor time",
            "memory": f"the code took more than {self.limits.memory_mb} megabytes of memory",
        }
        return reasons.get(limit, "Python was ended by the code")


def _answer(line: str, number: int) -> str | None:
    """Return the text of the answer to a call; None if a line is anything else."""
    try:
        answer = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not (isinstance(answer, list) and len(answer) == 2 and answer[0] == number):
        return None
    text = answer[1]
    return text.encode(errors="replace").decode() if isinstance(text, str) else None


@cache
def _source() -> str:
    """Return the program that runs in the box."""
    return Path(sandbox.__file__).with_name("python_in_box.py").read_text(encoding="utf-8")
