"""The `textgym` command and scripts in this process, each as it would run in a new one.

What a run changes in the process is undone: the working directory, environment variables, the
modules of its folder, and the ids that it registers. Its standard streams are no terminal. An
exception that it does not catch is printed as a traceback and gives exit code 1.
"""

from __future__ import annotations

import importlib
import logging
import os
import runpy
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, BinaryIO
from unittest import mock

import gymnasium
import pytest

from textgym.cli import main


def run_command(
    folder: Path, *arguments: str, typed: bytes = b"", encoding: str = "utf-8", **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run the command in a folder.

    Args:
        folder: The working directory.
        *arguments: The arguments of the command.
        typed: What it reads from standard input.
        encoding: The encoding of its output.
        **variables: Additional environment variables.
    """
    return _run(main, folder, ["textgym", *arguments], typed, encoding, variables)


def run_script(script: Path) -> subprocess.CompletedProcess[str]:
    """Run a Python file as `__main__` in its folder."""
    return _run(
        lambda: runpy.run_path(str(script), run_name="__main__"), script.parent, [str(script)]
    )


def output_of(done: subprocess.CompletedProcess[str]) -> str:
    """Return the output of a run that must succeed without a word on standard error."""
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    return done.stdout


def _run(
    function: Callable[[], Any],
    folder: Path,
    arguments: list[str],
    typed: bytes = b"",
    encoding: str = "utf-8",
    variables: dict[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    with (
        _files_as_standard_streams(typed, encoding) as (out, err),
        pytest.MonkeyPatch.context() as patch,
        mock.patch.dict(os.environ, variables or {}),
        mock.patch.dict(gymnasium.registry),
    ):
        patch.chdir(folder)
        patch.setattr(sys, "argv", arguments)
        patch.setattr(sys, "path", [str(folder), *sys.path])
        patch.setattr(logging.root, "handlers", [])  # without pytest's, records go to stderr
        importlib.invalidate_caches()
        code: object = None
        try:
            function()
        except SystemExit as end:
            code = end.code
        except Exception:
            traceback.print_exc()
            code = 1
        finally:
            _forget_modules_in(folder)
        sys.stdout.flush()
        out.seek(0)
        err.seek(0)
        printed = out.read().decode(encoding), err.read().decode(encoding)
    return subprocess.CompletedProcess(arguments, int(code or 0), *printed)


@contextmanager
def _files_as_standard_streams(typed: bytes, encoding: str) -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """Replace descriptors 0 to 2, which child processes inherit, and Python's streams of them."""
    with ExitStack() as stack:
        files = [stack.enter_context(tempfile.TemporaryFile()) for _ in range(3)]
        files[0].write(typed)
        files[0].seek(0)
        for number, file in enumerate(files):
            kept = os.dup(number)
            stack.callback(os.close, kept)
            stack.callback(os.dup2, kept, number)
            os.dup2(file.fileno(), number)
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        stdin = stack.enter_context(open(0, encoding="utf-8", closefd=False))
        stdout = stack.enter_context(open(1, "w", encoding=encoding, closefd=False))
        stderr = stack.enter_context(open(2, "w", 1, encoding, "backslashreplace", closefd=False))
        for name, stream in {"stdin": stdin, "stdout": stdout, "stderr": stderr}.items():
            patch.setattr(sys, name, stream)
        yield files[1], files[2]


def _forget_modules_in(folder: Path) -> None:
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None)).startswith(f"{folder}{os.sep}"):
            del sys.modules[name]
