"""`textgym eval` that ends early: by Ctrl-C, on a full disk, or if every episode fails."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from in_process import run_command

COMMAND = [str(Path(sys.executable).parent / "textgym")]
PLAY = "eval textgym/MCQA-v0 --policy oracle --episodes 300 --repeats 50 --out run"
DOWN = """
import textgym
from textgym.messages import assistant, user

class Down(textgym.TextEnv[None]):
    card = textgym.Card("demo/Down-v0", "x", ("single-step",), ("x",), ("x",), "x", ("judge",))
    def generate(self, rng, level):
        return {"word": rng.random()}
    def read_row(self, row):
        return textgym.Task(row["id"], (user("Say it."),), "it", row=row)
    def grade(self):
        raise ValueError("the judge has a bug")
    def solve(self):
        return assistant("it")

textgym.register(Down.card.id, "down:Down")
"""


def textgym(folder: Path, arguments: str) -> subprocess.CompletedProcess[str]:
    return run_command(folder, *shlex.split(arguments))


def keys(folder: Path) -> list[tuple[int, int]]:
    lines = (folder / "trajectories.jsonl").read_text().splitlines()
    return sorted((held["task_index"], held["repeat"]) for held in map(json.loads, lines))


@pytest.mark.slow
def test_after_ctrl_c_the_printed_command_plays_the_rest(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [*COMMAND, *PLAY.split()], cwd=tmp_path, stderr=subprocess.PIPE, text=True
    )
    held = tmp_path / "run" / "trajectories.jsonl"
    while process.poll() is None and not (held.exists() and held.stat().st_size > 100_000):
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, printed = process.communicate()
    assert process.returncode == 130
    first, *rest = printed.splitlines()
    assert first.startswith("textgym: stopped; ")
    assert first.endswith(" of 15,000 episodes were played and are in run. Resume with:")
    assert rest == [f"  textgym {PLAY} --resume"]
    assert 0 < len(keys(tmp_path / "run")) < 15_000
    assert (tmp_path / "run" / "metrics.json").exists()
    assert textgym(tmp_path, rest[0].split(maxsplit=1)[1]).returncode == 0
    assert keys(tmp_path / "run") == [(task, repeat) for task in range(300) for repeat in range(50)]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_full_disk_is_reported_with_the_command_to_resume(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    os.symlink("/dev/full", tmp_path / "run" / "trajectories.jsonl")
    came = textgym(tmp_path, PLAY)
    assert came.returncode == 2
    first, *rest = came.stderr.splitlines()
    assert first.startswith("textgym: cannot write to 'run': No space left on device; 0 of 15,000")
    assert rest == [f"  textgym {PLAY} --resume"]


def test_a_run_whose_first_episodes_all_fail_is_aborted_and_exits_with_1(tmp_path: Path) -> None:
    (tmp_path / "down.py").write_text(DOWN)
    came = textgym(tmp_path, "eval down:demo/Down-v0 --policy oracle --episodes 500 --out run")
    assert came.returncode == 1
    assert came.stderr.startswith("down.Down failed")
    assert came.stderr.count("Traceback") == 1
    assert "\nthe first 100 episodes all failed, so the run was stopped" in came.stderr
    assert "ValueError: the judge has a bug" in came.stderr
    assert len(keys(tmp_path / "run")) == 100


def test_a_small_run_in_which_every_episode_fails_exits_with_1(tmp_path: Path) -> None:
    (tmp_path / "down.py").write_text(DOWN)
    came = textgym(tmp_path, "eval down:demo/Down-v0 --policy oracle --episodes 3 --out run")
    assert came.returncode == 1
    assert "3 of 3 episodes failed (3 environment)" in came.stdout
    assert "ValueError: the judge has a bug" in came.stdout


@pytest.mark.parametrize(
    ("option", "code"), [("", 1), ("--max-failed 0.5", 0), ("--max-failed 0.12", 1)]
)
def test_a_run_with_many_failures_exits_with_1(tmp_path: Path, option: str, code: int) -> None:
    some = DOWN.replace(
        'raise ValueError("the judge has a bug")',
        """if self.unwrapped.task.row["word"] < 0.3:
            raise ValueError("the judge has a bug")
        return textgym.Grade(1.0, True)""",
    )
    (tmp_path / "down.py").write_text(some)
    came = textgym(
        tmp_path, f"eval down:demo/Down-v0 --policy oracle --episodes 40 --out run {option}"
    )
    failed = json.loads((tmp_path / "run" / "metrics.json").read_text())["overall"]["failures"]
    assert 0.1 * 40 < failed < 0.5 * 40
    assert came.returncode == code
    assert ("of the episodes failed (--max-failed)" in came.stdout) == bool(code)
