"""Runs of workers for tests: their folders, workers that are killed, and the run of one process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from run_contents import content

import textgym
from textgym.cli.worker import play_as_worker
from textgym.rollouts.leases import LeaseBoard
from textgym.rollouts.work import WorkPlan

MCQA = "textgym/MCQA-v0"
PATIENCE = 0.2


class Killed(BaseException):
    """Ends a worker as a signal would."""


@contextmanager
def no_farewell() -> Iterator[None]:
    """Let workers end without a word, as if they were killed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LeaseBoard, "end", lambda board: None)
        yield


def begin(folder: Path, groups: int = 20, blocks: int = 6, **run: Any) -> Path:
    run = {"envs": [MCQA], "policy": "random", "episodes": groups, "repeats": 2, **run}
    WorkPlan(run, blocks, PATIENCE).write(folder, resume=False)
    return folder


def stored(folder: Path) -> int:
    """Return how many lines all segments have."""
    files = folder.glob("segments/*/trajectories.jsonl")
    return sum(file.read_bytes().count(b"\n") for file in files)


def killed_after(folder: Path, episodes: int, concurrency: int = 1) -> None:
    """Play as a worker that is killed after so many episodes, in the middle of a line."""
    played = 0

    def count(_: Any) -> None:
        nonlocal played
        played += 1
        if played == episodes:
            raise Killed

    before = set(folder.glob("segments/*"))
    with no_farewell():
        try:
            play_as_worker(folder, concurrency, count)
        except Killed:
            (segment,) = set(folder.glob("segments/*")) - before
            with (segment / "trajectories.jsonl").open("ab") as file:
                file.write(b'{"version": 2, "env_id": "text')


def one_process(folder: Path, envs: Any = MCQA, **options: Any) -> dict[str, Any]:
    options = {"episodes": 20, "repeats": 2, "concurrency": 1, **options}
    textgym.rollout(envs, "random", out=folder, **options)
    return content(folder)
