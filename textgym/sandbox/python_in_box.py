"""The program in a box that runs the code of `PythonTool`, one call after the other.

This file is sent to the box as a text, so it imports nothing but the standard library. A line
`[NUMBER, CODE, SECONDS]` comes in for each call, as JSON, and `[NUMBER, TEXT]` goes out. The text
is what the code printed, the value of its last expression, and its error.

Invariants: names stay from call to call; what a process of an earlier call prints is lost. The code
can break this program, which only ends its own session.
"""

from __future__ import annotations

import ast
import builtins
import json
import math
import os
import random
import resource
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_SHOWN = 5_000  # bytes of the beginning, and of the end, of a long output
_FRAMES = 4  # of the beginning, and of the end, of a long traceback
_NAME = "<python>"


def _run(code: str, names: dict[str, Any], seconds: int) -> str:
    """Run code as a notebook does, and return what it printed."""
    path = f"{os.environ['TMPDIR']}/{time.monotonic_ns()}"
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    os.unlink(path)
    os.dup2(file, 1)
    os.dup2(file, 2)
    sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115 - it stays open
    sys.stdout = sys.stderr = open(  # noqa: SIM115 - it stays open
        1, "w", encoding="utf-8", errors="backslashreplace", closefd=False
    )
    _allow(seconds)
    try:
        tree = ast.parse(code, _NAME)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, _NAME, "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), _NAME, "eval"), names)
            if value is not None:
                print(repr(value))
    except BaseException as error:
        print(_described(error))
    sys.stdout.flush()
    text = _content(file)
    os.close(file)
    return text


def _allow(seconds: int) -> None:
    """Allow this process some more seconds of CPU time."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    most = resource.getrlimit(resource.RLIMIT_CPU)[1]
    soft = math.ceil(used.ru_utime + used.ru_stime) + seconds
    resource.setrlimit(resource.RLIMIT_CPU, (min(soft, most), most))


def _described(error: BaseException) -> str:
    """Return an error with the lines of the code that led to it."""
    lines, place = [], error.__traceback__
    while place is not None:
        if place.tb_frame.f_code.co_filename == _NAME:
            lines.append(f"  line {place.tb_lineno}, in {place.tb_frame.f_code.co_name}")
        place = place.tb_next
    if len(lines) > 2 * _FRAMES:
        lines[_FRAMES:-_FRAMES] = ["  …"]
    try:
        message = f"{type(error).__name__}: {error}"
    except BaseException:  # its text is code, too
        message = type(error).__name__
    return "\n".join([*(["Traceback:", *lines] if lines else []), message.rstrip(": ")])


def _content(file: int) -> str:
    """Return what a file holds, without the middle if it is long."""
    size = os.fstat(file).st_size
    if size <= 2 * _SHOWN:
        return os.pread(file, size, 0).decode(errors="replace")
    first = os.pread(file, _SHOWN, 0).decode(errors="ignore")
    last = os.pread(file, _SHOWN, size - _SHOWN).decode(errors="ignore")
    return f"{first}\n… {size - 2 * _SHOWN:,} bytes are left out …\n{last}"


def main() -> None:
    """Answer the calls of a session."""
    inside, out = os.dup(0), os.dup(1)
    random.seed(0)
    names: dict[str, Any] = {"__name__": "__main__", "__builtins__": builtins}
    for line in os.fdopen(inside, encoding="utf-8"):
        number, code, seconds = json.loads(line)
        answer = memoryview(json.dumps([number, _run(code, names, seconds)]).encode() + b"\n")
        while answer:
            answer = answer[os.write(out, answer) :]


if __name__ == "__main__":
    main()
