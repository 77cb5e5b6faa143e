"""What runs in the box: it reads a candidate's program, and calls it with the arguments of tests.

This file is sent to the box as a text, and is run in the module in which `plain_data` was run. It
imports only the standard library, and where it can only modules that are written in C, because
importing others would take longer than running ten tests. Lines cross in both directions: inwards
as `marshal` in hexadecimal digits, outwards as JSON:

1. `{"blocks", "entry", "before", "cpu", "wall", "output"}` comes in. The last block that is a whole
   program is chosen (see `_choose`): it parses, and defines the entry, if there is one.
   `{"chosen": index}` goes out, or `{"problem": ...}`. If there is an entry, the program is loaded,
   and a status goes out.
2. A test comes in: `{"args", "kwargs"}`, `{"init", "calls"}` or `{"stdin"}`. `{"status", "value"}`
   goes out, where the value is a text: JSON in the form of `encode`, or what was printed.

The code of tests runs in a box of its own, which gets `{"tests", "entry", "before"}`, sends
`{"ask": test}` for each call of the candidate, and at the end `{"held"}`.

Each test runs in a process of its own, forked after the program was loaded. So a test that is
killed, exits or changes a global variable does not change the others.

Invariant: no expected value ever crosses to this side, so nothing that a candidate does to this
process earns it a reward.
"""

from __future__ import annotations

# `signal` makes enumerations of its constants.
import _signal as signal  # type: ignore[import-not-found]
import builtins
import marshal
import math
import opcode
import os
import resource
import sys
import time

__all__ = ["READY"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from textgym.verifiers.programs.plain_data import as_json, decode, encode

_Code = type((lambda: None).__code__)
_COMMON = frozenset((
    "bisect", "collections", "copy", "dataclasses", "datetime", "decimal", "enum", "fractions",
    "functools", "heapq", "itertools", "json", "math", "operator", "re", "string", "typing",
))  # fmt: skip
READY = '"ready"'
"""The first line that is sent, before anything is read."""


def _choose(blocks: list[str], entry: str) -> tuple[Any, int, str]:
    """Return the code and the index of the last block that is a whole program, or what is wrong.

    Later blocks without a function or class, such as calls of it, and with tests are passed over.
    """
    problem = "there is no program"
    for index in range(len(blocks) - 1, -1, -1):
        try:
            code = compile(blocks[index], "program.py", "exec")
        except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
            problem = f"it is not Python: {type(error).__name__}"
            continue
        if entry not in _defined(code) if entry else not _acts(code):
            problem = f"it does not define {entry}" if entry else "it does nothing"
            if entry and any(map(_is_program, code.co_consts)):
                break
            continue
        return code, index, ""
    return None, -1, problem


def _is_program(constant: Any) -> bool:
    """Return whether a constant of a module is the code of a function or class, but not a test."""
    if not isinstance(constant, _Code) or constant.co_name.startswith("<"):
        return False
    return not constant.co_name.lower().startswith("test")


def _acts(code: Any) -> bool:
    """Return whether code does something, unlike a number or a name."""
    names = {opcode.opname[number] for number in code.co_code[::2]}
    return any(name.startswith(("CALL", "STORE", "IMPORT")) for name in names)


def _defined(code: Any) -> set[str]:
    """Return the names that a module defines, and the methods of a class `Solution` in it."""
    names, high = set(), 0
    for number, low in zip(code.co_code[::2], code.co_code[1::2], strict=True):
        argument = high << 8 | low
        high = argument if number == opcode.EXTENDED_ARG else 0
        if opcode.opname[number] in ("STORE_NAME", "STORE_GLOBAL"):
            names.add(code.co_names[argument])
    for constant in code.co_consts:
        if isinstance(constant, _Code) and constant.co_name == "Solution":
            names |= _defined(constant)
    return names


def _module(name: str) -> dict[str, Any]:
    """Return the names of a new module."""
    sys.modules[name] = type(sys)(name)
    return sys.modules[name].__dict__


def _load(code: Any, before: Any, entry: str) -> Callable[[], Any]:
    """Run a program as a module, and return a function that returns its entry."""
    names = _module("solution")
    if before is not None:
        exec(before, names)
    imported = names.get(entry)
    exec(code, names)

    def found() -> Any:
        if entry in names and (names[entry] is not imported or "Solution" not in names):
            return names[entry]
        return getattr(names["Solution"](), entry)

    return found


def _run_main(code: Any, before: Any) -> None:
    """Run a program as the main module, to the end of its threads and exit functions."""
    names = _module("__main__")
    try:
        if before is not None:
            exec(before, names)
        exec(code, names)
    except SystemExit as error:
        if error.code not in (None, 0, False):
            raise RuntimeError("exit status") from error
    finally:
        if "threading" in sys.modules:
            sys.modules["threading"]._shutdown()
        if "atexit" in sys.modules:
            sys.modules["atexit"]._run_exitfuncs()
        sys.stdout.flush()


def _answer(test: dict[str, Any], found: Any) -> str | None:
    """Run a test, and return the value as JSON; None if the test is about what is printed.

    Args:
        test: The test.
        found: A function that runs a program that reads standard input, or returns the function or
            class that is tested.
    """
    if "stdin" in test:
        found()
        return None
    if "calls" in test:
        made = found()(*decode(test["init"]))
        value: Any = [getattr(made, name)(*decode(given)) for name, given in test["calls"]]
    else:
        value = found()(*decode(test["args"]), **decode(test.get("kwargs", {})))
    return as_json(encode(value))


def _error(error: BaseException) -> str:
    """Return the status of an error: its type, if that has a short name."""
    name = type(error).__name__
    return f"error {name}" if name.isascii() and len(name) <= 60 else "error Exception"


def _new_file(content: bytes = b"") -> int:
    """Return a descriptor of a file that has no name any more."""
    path = f"{os.environ['TMPDIR']}/{time.monotonic_ns()}"
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    os.unlink(path)
    view = memoryview(content)
    while view:
        view = view[os.write(file, view) :]
    os.lseek(file, 0, os.SEEK_SET)
    return file


def _in_child(task: dict[str, Any], test: dict[str, Any], found: Any, out: int, note: int) -> None:
    """Run a test in a forked process, with its results in files, and exit."""
    status = "ok"
    try:
        try:
            os.setpgid(0, 0)
        except PermissionError:  # a box without namespaces refuses it
            pass
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
        os.dup2(_new_file(test.get("stdin", "").encode("utf-8", "surrogatepass")), 0)
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(task["cpu"]),) * 2)
        resource.setrlimit(resource.RLIMIT_FSIZE, (task["output"],) * 2)
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(out if "stdin" in test else quiet, 1)
        value = _answer(test, found)
        if value is not None:
            view = memoryview(value.encode("utf-8", "surrogatepass"))
            while view:
                view = view[os.write(out, view) :]
    except MemoryError:
        status = "memory"
    except BaseException as error:
        full = isinstance(error, OSError) and error.errno == 27  # a file is too large
        status = "output" if full else _error(error)
    os.write(note, status.encode())
    os._exit(0)


def _run_test(task: dict[str, Any], test: dict[str, Any], found: Any) -> dict[str, Any]:
    """Run a test in a process of its own; return its status and value."""
    out, note = _new_file(), _new_file()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # the program may have changed both
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
    end = time.monotonic() + task["wall"]
    process = os.fork()
    if not process:
        _in_child(task, test, found, out, note)
    ended, stopped = 0, False
    while not ended:
        ended, how, usage = os.wait4(process, os.WNOHANG)
        left = end - time.monotonic()
        if not ended and left <= 0:
            try:
                os.kill(process, signal.SIGKILL)
            except PermissionError:  # the box, which will be closed now, refuses it
                return {"status": "time", "value": ""}
            stopped, (ended, how, usage) = True, os.wait4(process, 0)
        elif not ended:
            signal.sigtimedwait([signal.SIGCHLD], left)
    try:
        os.killpg(process, signal.SIGKILL)  # what it started
    except (ProcessLookupError, PermissionError):
        pass
    status = _content(note).decode("utf-8", "replace")
    exited = os.WIFEXITED(how) and os.WEXITSTATUS(how) == 0
    if not status and exited and "stdin" in test:  # by os._exit
        status = "ok"
    if not status:
        # The kernel counts whole ticks against the limit, which may be more than the time used.
        used_up = usage.ru_utime + usage.ru_stime >= math.ceil(task["cpu"]) / 2
        by_limit = os.WIFSIGNALED(how) and os.WTERMSIG(how) in (signal.SIGKILL, signal.SIGXCPU)
        status = "time" if stopped or (by_limit and used_up) else "crash"
    value = _content(out).decode("utf-8", "replace") if status == "ok" else ""
    os.close(out)
    os.close(note)
    return {"status": status, "value": value}


def _content(file: int) -> bytes:
    os.lseek(file, 0, os.SEEK_SET)
    parts = []
    while part := os.read(file, 1 << 20):
        parts.append(part)
    return b"".join(parts)


def _ask(out: int, lines: Any) -> Callable[..., Any]:
    """Return a function that is called outside: a stand-in of the candidate's, in tests."""

    def call(*args: Any, **kwargs: Any) -> Any:
        _send(out, {"ask": {"args": encode(list(args)), "kwargs": encode(kwargs)}})
        answer = _received(next(lines))
        if answer["status"] != "ok":
            raise RuntimeError("the candidate gave no value")
        return decode(answer["value"])

    return call


def _examine(task: dict[str, Any], out: int, lines: Any) -> None:
    """Run the code of tests, which calls a candidate in another box; say whether it holds."""
    call = _ask(out, lines)
    names: dict[str, Any] = {"__name__": "tests", "__builtins__": builtins}
    try:
        exec(compile(task["before"], "before.py", "exec"), names)
        names[task["entry"]] = names["candidate"] = call
        exec(compile(task["tests"], "tests.py", "exec"), names)
        if "check" in names:
            names["check"](call)
    except BaseException as error:
        _send(out, {"held": False, "why": type(error).__name__})
    else:
        _send(out, {"held": True, "why": ""})


def _received(line: str) -> Any:
    return marshal.loads(bytes.fromhex(line))


def _send(out: int, message: Any) -> None:
    view = memoryview(as_json(message).encode() + b"\n")
    while view:
        view = view[os.write(out, view) :]


def main() -> None:
    """Read a program and tests from standard input, and write the results."""
    inside, out = os.dup(0), os.dup(1)
    quiet = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(quiet, number)
    _send(out, "ready")
    vars(builtins).update(exit=sys.exit, quit=sys.exit)
    sys.setrecursionlimit(10_000)
    lines = iter(os.fdopen(inside, encoding="utf-8", newline="\n"))
    task = _received(next(lines))
    if "tests" in task:
        _examine(task, out, lines)
        return
    code, index, problem = _choose(task["blocks"], task["entry"])
    if problem:
        _send(out, {"problem": problem})
        return
    _send(out, {"chosen": index})
    for name in _COMMON.intersection(code.co_names):  # once, not in the process of each test
        __import__(name)
    before = compile(task["before"], "before.py", "exec") if task["before"] else None
    if not task["entry"]:
        if before is not None:
            exec(before, {})  # imports modules once

        def found() -> Any:
            _run_main(code, before)

    else:
        try:
            found = _load(code, before, task["entry"])
        except BaseException as error:
            kind = "memory" if isinstance(error, MemoryError) else _error(error)
            _send(out, {"status": kind, "value": ""})
            return
        _send(out, {"status": "ok", "value": ""})
    for line in lines:
        _send(out, _run_test(task, _received(line), found))


if __name__ == "__main__":
    main()
