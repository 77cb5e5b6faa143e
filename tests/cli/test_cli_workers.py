"""`--workers` of the commands that do not play: the same output, one-line errors and clean ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from unittest import mock

import pytest
from in_process import output_of, run_command
from processes import eventually, is_alive

from textgym.checks import CHECKS, FAST_CHECKS

COMMAND = [str(Path(sys.executable).parent / "textgym")]
SOME = {"static.manifest", "runtime.reward_well_formed", "semantic.oracle_max"}
MODULE = '''
import os
import pathlib
import signal
import time

import textgym
from textgym import Task, assistant, user


class Number(textgym.TextEnv):
    """Say a number."""

    card = textgym.Card("demo/Number-v0", "Say it.")

    def __init__(self, kills=0, sleeps="", **kwargs):
        self.kills, self.sleeps = kills, sleeps
        super().__init__(**kwargs)

    def generate(self, rng, level):
        if rng.random() < 0.1:
            self.die()
        return {"number": rng.randrange(10**6)}

    def read_row(self, row):
        return Task(row["id"], (user(f"Say {row['number']}."),), str(row["number"]), row=row)

    def die(self):
        if self.kills not in (0, os.getpid()):
            os.kill(os.getpid(), signal.SIGKILL)

    def grade(self):
        self.die()
        if self.sleeps:
            pathlib.Path(self.sleeps, str(os.getpid())).touch()
            time.sleep(600)
        right = self.answer_text.strip() == self.task.answer
        return textgym.Grade(float(right), right, {"right": float(right)}, self.answer_text)

    def solve(self):
        return assistant(self.task.answer)


textgym.register(Number.card.id, "own:Number")
'''
COMMANDS = {
    "rescore": "rescore run",
    "check": "check own:Number --tasks 3",
    "audit": "audit own:Number --quick --tasks 3",
    "generate": "data generate own:demo/Number-v0 --rows 300 --out rows.jsonl",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with an environment, and a run of it."""
    (tmp_path / "own.py").write_text(MODULE)
    arguments = "eval own:demo/Number-v0 --policy oracle --episodes 30 --out run"
    output_of(run_command(tmp_path, *arguments.split()))
    return tmp_path


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command with few checks."""
    runner = sys.modules["textgym.checks.runner"]
    some = {id: check for id, check in CHECKS.items() if id in SOME}
    fast = {id: check for id, check in FAST_CHECKS.items() if id in SOME}
    with mock.patch.multiple(runner, CHECKS=some, FAST_CHECKS=fast):
        return run_command(folder, *arguments, NO_COLOR="1", COLUMNS="100")


@pytest.mark.parametrize("command", COMMANDS)
def test_the_output_is_the_same_with_workers(folder: Path, command: str) -> None:
    found = []
    for workers in ("1", "2"):
        done = run(folder, *COMMANDS[command].split(), "--workers", workers)
        rows = folder / "rows.jsonl"
        found.append((output_of(done), rows.read_bytes() if rows.exists() else b""))
    assert found[0] == found[1]


def test_the_new_run_of_rescore_is_the_same_with_workers(folder: Path) -> None:
    for workers in ("1", "2"):
        output_of(run(folder, "rescore", "run", "--workers", workers, "--out", f"new{workers}"))
    one, two = (
        {path.name: path.read_bytes() for path in (folder / name).iterdir()}
        for name in ("new1", "new2")
    )
    assert one == two


@pytest.mark.parametrize("command", COMMANDS)
def test_no_workers_are_one_line(folder: Path, command: str) -> None:
    done = run(folder, *COMMANDS[command].split(), "--workers", "0")
    assert (done.returncode, done.stderr) == (2, "textgym: workers must be 1 or more, not 0\n")


@pytest.mark.parametrize("command", COMMANDS)
def test_killed_workers_are_one_line_and_no_result(folder: Path, command: str) -> None:
    arguments = [*COMMANDS[command].split(), "--workers", "2", "--set", f"kills={os.getpid()}"]
    done = run(folder, *arguments)
    assert done.returncode == 2
    assert done.stderr.startswith("textgym: a worker of ")
    assert done.stderr.endswith(" died, the last by SIGKILL\n")
    assert done.stderr.count("\n") == 1
    assert "30 the same" not in done.stdout
    assert not (folder / "rows.jsonl").exists()


@pytest.mark.skipif(not Path("/proc").exists(), reason="there is no /proc here")
@pytest.mark.parametrize("command", ["rescore", "check", "audit"])
def test_ctrl_c_ends_all_workers(folder: Path, command: str) -> None:
    (folder / "seen").mkdir()
    arguments = [*COMMANDS[command].split(), "--workers", "2", "--set", "sleeps=seen"]
    process = subprocess.Popen(
        [*COMMAND, *arguments],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        eventually(lambda: process.poll() is not None or list((folder / "seen").iterdir()))
        process.send_signal(signal.SIGINT)
        _, printed = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130
    assert "Traceback" not in printed
    assert not [path.name for path in (folder / "seen").iterdir() if is_alive(path.name)]
