"""Everything that reads a model's text takes time linear in the text's length.

Nothing is timed. Each function gets twenty seconds of CPU time for half a megabyte. A linear one
takes a few of them at most, and a quadratic one takes minutes to hours.
"""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from typing import Any

import linear_time
import pytest
from repository import ROOT, SUPPORT

from textgym.verifiers import calendar, exact, extract, json_reader
from textgym.verifiers.choices import letters, modes, sentences, texts


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    paths = f"import sys; sys.path[:0] = [{str(ROOT)!r}, {str(SUPPORT)!r}]\n"
    return subprocess.run(
        [sys.executable, "-c", paths + arguments[0], *arguments[1:]],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("what", ["expressions", "functions"])
@pytest.mark.parametrize(
    "part",
    [
        f":{linear_time.QUICK_COUNT}",
        *(pytest.param(f"{number}::4", marks=pytest.mark.soak) for number in range(4)),
    ],
    ids=["few", "quarter 1", "quarter 2", "quarter 3", "quarter 4"],
)
def test_long_text_of_anything_is_read_in_linear_time(what: str, part: str) -> None:
    done = run(f"import linear_time as it; it.run(it.{what}(), it.PIECES[{part}]); print('done')")
    last = done.stdout.rpartition("\n")[0].rpartition("\n")[2]
    assert last == "done", f"{last}: {done.stderr}"


def test_quadratic_time_is_detected() -> None:
    code = "import linear_time as it, re; it.run({'bad': re.compile(r'\\s+x').search}, ' ', 1)"
    done = run(code)
    assert done.returncode == -signal.SIGXCPU
    assert done.stdout == "bad on ' '\n"


@pytest.mark.parametrize(
    "module", [calendar, exact, extract, json_reader, letters, modes, sentences, texts]
)
def test_every_expression_of_the_verifiers_is_tried(module: Any) -> None:
    own = {value.pattern for value in vars(module).values() if isinstance(value, re.Pattern)}
    found = " ".join(name for name in linear_time.expressions() if name.startswith(module.__name__))
    assert {pattern for pattern in own if f"{pattern!a}." not in found} == set()
