"""Running code on the environment under check in a fresh process.

Invariant: the code imports what this process can import, and makes the same environment.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from textgym.checks.checks import Skipped
from textgym.checks.subject import Subject

__all__ = ["NOT_IMPORTABLE", "run_in_fresh_process"]

NOT_IMPORTABLE = (
    "other processes cannot import the class, because it is in __main__ or in a function"
)
_MAKE = """
import importlib, json, sys
request = json.load(sys.stdin)
owner = importlib.import_module(request["module"])
for part in request["name"].split("."):
    owner = getattr(owner, part)
from textgym.wrappers.specs import apply_wrappers
env = apply_wrappers(owner(**request["kwargs"]), request["wrappers"])
given = request["given"]
"""
_CLOSE = """
sys.stdout = sys.stderr  # the last line that is printed is the result
env.close()
"""


def run_in_fresh_process(
    subject: Subject, code: str, given: Any, *, directory: str | None = None, **variables: str
) -> Any:
    """Run code in a fresh process.

    Args:
        subject: The environment.
        code: The code. It finds the environment as `env` and the data as `given`, and prints JSON.
        given: JSON data.
        directory: The working directory. None is the current one, which is also used if an
            argument of the environment is a relative path.
        **variables: Environment variables of the process.

    Returns:
        The last line that the code printed, read from JSON.

    Raises:
        Skipped: Other processes cannot make the environment.
        AssertionError: The code failed.
    """
    if not subject.is_importable:
        raise Skipped(NOT_IMPORTABLE)
    request = {
        "module": subject.cls.__module__,
        "name": subject.cls.__qualname__,
        "kwargs": subject.kwargs,
        "wrappers": list(subject.wrappers),
        "given": given,
    }
    try:
        text = json.dumps(request)
    except (TypeError, ValueError) as error:
        raise Skipped(f"the arguments are not JSON, which other processes need: {error}") from error
    paths = [value for value in subject.kwargs.values() if isinstance(value, str)]
    if any(Path(path).exists() and not Path(path).is_absolute() for path in paths if path):
        directory = None
    path = os.pathsep.join(str(Path(entry).absolute()) for entry in sys.path if entry)
    ran = subprocess.run(
        [sys.executable, "-c", _MAKE + code + _CLOSE],
        input=text,
        env={**os.environ, "PYTHONPATH": path, **variables},
        cwd=directory,
        capture_output=True,
        text=True,
        check=False,
    )
    lines = ran.stderr.strip().splitlines()[-1:]
    assert ran.returncode == 0, f"another process cannot do it: {lines}"
    return json.loads(ran.stdout.splitlines()[-1])
