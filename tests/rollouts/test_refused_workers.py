"""Folders that workers cannot use, and arguments that do not fit: each is one line."""

from __future__ import annotations

import errno
import itertools
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from in_process import run_command
from run_contents import content
from shared_runs import PATIENCE, begin, killed_after, one_process

import textgym
from textgym.cli.worker import play_as_worker
from textgym.errors import RunError, UsageError
from textgym.rollouts.work import WorkPlan
from textgym.trajectories import run_folder

MCQA = "textgym/MCQA-v0"


def refuse(folder: Path, message: str) -> None:
    """Check that a worker refuses the folder in one line."""
    with pytest.raises((RunError, UsageError)) as found:
        play_as_worker(folder)
    assert message in str(found.value)
    assert "\n" not in str(found.value)


def changed(path: Path, **values: Any) -> None:
    path.write_text(json.dumps({**json.loads(path.read_bytes()), **values}))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"textgym": "0.0.1"}, 'was written by version "0.0.1" of textgym'),
        ({"seed": 7}, "holds another run: its seed is 7, not 0"),
        ({"data": {MCQA: {"rows.jsonl": "0"}}}, "no digests of the run's data sets"),
        ({"policy": "oracle"}, 'its policy is "oracle", not "random"'),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_worker_of_another_run_is_refused(
    values: dict[str, Any], message: str, tmp_path: Path
) -> None:
    folder = begin(tmp_path / "run")
    killed_after(folder, 3)
    changed(folder / "run.json", **values)
    refuse(folder, message)


def test_changed_data_are_refused(tmp_path: Path) -> None:
    data = tmp_path / "rows.jsonl"
    rows = [{"question": f"{n}?", "expected_answer": "2"} for n in range(20)]
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    options = {"envs": ["textgym/Math-v0"], "env_kwargs": {"dataset": str(data)}}
    folder = begin(tmp_path / "run", **options)
    killed_after(folder, 3)
    data.write_text(data.read_text().replace("2", "3"))
    refuse(folder, f"was played with another content of '{data}'")


@pytest.mark.parametrize("name", ["nothing", "ordinary"])
def test_folder_without_a_plan_is_refused(name: str, tmp_path: Path) -> None:
    textgym.rollout(MCQA, "random", episodes=1, out=tmp_path / "ordinary")
    refuse(tmp_path / name, "holds no run for workers")


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"run": {}}'])
def test_broken_plan_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text(text)
    refuse(tmp_path, "plan.json' is broken")


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS], ids=errno.errorcode.get)
@pytest.mark.parametrize(
    ("owner", "name", "calls"),
    [
        (Path, "mkdir", 0),
        (Path, "rename", 0),
        (os, "link", 4),
        (os, "write", 9),
        (os, "fsync", 5),
        (run_folder, "copy_media", 9),
        (Path, "write_bytes", 0),
    ],
    ids=["folders", "sign of life", "lease", "episode", "block", "merge", "metrics"],
)
def test_folder_that_cannot_be_written_is_one_line(
    owner: Any, name: str, calls: int, code: int, tmp_path: Path
) -> None:
    """The disk is full, or the folder is mounted anew as read-only; later the run is completed."""
    folder = begin(tmp_path / "run")
    original, number = getattr(owner, name), itertools.count()

    def fail(*args: Any, **options: Any) -> Any:
        if next(number) >= calls:
            raise OSError(code, os.strerror(code))
        return original(*args, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(owner, name, fail)
        done = run_command(tmp_path, "worker", "run")
    assert done.returncode == 2
    assert re.fullmatch(rf"textgym: cannot write to '.*': {os.strerror(code)}\n", done.stderr)
    play_as_worker(folder)
    assert content(folder) == one_process(tmp_path / "one")


EVAL = ("eval", MCQA, "--policy", "random", "--episodes", "6", "--out", "run", "--workers", "1")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--workers", "0"), "--workers must be 1 or more"),
        (("--patience", "0"), "--patience more than 0"),
        (("--shard", "1/2"), "--workers divides the run"),
        (("--env-concurrency", f"{MCQA}=2"), "cannot be used with a curriculum or --env"),
        (("--level", "77"), "level"),
    ],
)
def test_arguments_that_do_not_fit_are_one_line(
    options: tuple[str, ...], message: str, tmp_path: Path
) -> None:
    done = run_command(tmp_path, *EVAL, *options)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "holds a run already: name another folder or resume"),
        (("--resume", "--seed", "1"), "holds another run: its seed is 0, not 1"),
        (("--resume", "--episodes", "7"), "holds another run: its episodes is 6, not 7"),
    ],
)
def test_plan_is_written_once(options: tuple[str, ...], message: str, tmp_path: Path) -> None:
    run = {"policy": "random", "envs": [MCQA], "episodes": 6, "seed": 0, "repeats": 1, "out": "run"}
    sampling = textgym.Sampling().as_dict()
    WorkPlan(json.loads(json.dumps({**run, "sampling": sampling})), 2, PATIENCE).write(
        tmp_path / "run", resume=False
    )
    done = run_command(tmp_path, *EVAL, *options)
    assert done.returncode == 2
    assert message in done.stderr


def test_folder_of_an_ordinary_run_is_refused(tmp_path: Path) -> None:
    textgym.rollout(MCQA, "random", episodes=6, out=tmp_path / "run")
    done = run_command(tmp_path, *EVAL)
    assert done.stderr == "textgym: 'run' holds a run already: name another folder or resume\n"
