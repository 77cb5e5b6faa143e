"""Rescoring with several processes: the same results as one, and no partial ones."""

from __future__ import annotations

import json
import os
import random
import signal
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest

import textgym
from textgym.errors import EnvironmentFailure, RunError, UsageError, WorkerFailure
from textgym.messages import Message, user
from textgym.rescoring import batches

HERE = os.getpid()


class Dice(textgym.TextEnv[None]):
    """Say a number; the grade depends on the arguments, and one task fails."""

    card = textgym.Card("tests/Dice-v0", "Say it.", reward_range=(0.0, 9.0))

    def __init__(
        self,
        *,
        right: float = 1.0,
        prompt: str = "",
        failing: int = -1,
        killer: int = -1,
        only: int = 0,
        **kwargs: Any,
    ) -> None:
        self.right, self.prompt, self.failing, self.killer = right, prompt, failing, killer
        if only not in (0, os.getpid()):
            raise UsageError("only one process may make it")
        super().__init__(**kwargs)

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        return {"number": rng.randrange(4), "place": rng.randrange(10**6)}

    def read_row(self, row: dict[str, Any]) -> textgym.Task:
        prompt = f"{self.prompt}{row['place']}"
        return textgym.Task(row["id"], (user(prompt),), row["number"], row=row)

    def grade(self) -> textgym.Grade:
        index = int(self.task.id.rpartition("-")[2])
        if index == self.failing:
            raise EnvironmentFailure("the judge is down")
        if index == self.killer:
            os.kill(os.getpid(), signal.SIGKILL)
        found = self.answer_text == str(self.task.answer)
        return textgym.Grade(self.right * found, found, {"found": 0.1 * found})

    def guess(self, rng: random.Random) -> Message:
        return {"role": "assistant", "content": str(rng.randrange(4))}


class Unregistered(Dice):
    """An environment that a function makes."""

    card = textgym.Card("tests/UnregisteredDice-v0", "Say it.", reward_range=(0.0, 9.0))


gym.register("tests/Dice-v0", Dice)


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "_EPISODES", 7)


def played(folder: Path | None, episodes: int = 60, **options: Any) -> textgym.Run:
    return textgym.rollout("tests/Dice-v0", "random", episodes=episodes, out=folder, **options)


def rescored(run: Any, workers: int, out: Path | None = None, **options: Any) -> dict[str, Any]:
    """Return the result as a dict, with the content of the new run's files."""
    verdicts: list[Any] = []
    found = textgym.rescore(
        run, workers=workers, out=out, retries=0, on_episode=verdicts.append, **options
    ).as_dict()
    files = {path.name: path.read_bytes() for path in sorted(out.iterdir())} if out else {}
    return {**found, "out": None, "verdicts": verdicts, **files}


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"right": 3.0},
        {"prompt": "!"},
        {"failing": 11},
    ],
)
def test_the_result_and_the_new_run_are_those_of_one_process(
    tmp_path: Path, changes: dict[str, Any]
) -> None:
    played(tmp_path / "run", repeats=2)
    one, two = (
        rescored(tmp_path / "run", workers, tmp_path / f"new{workers}", env_kwargs=changes, keep=9)
        for workers in (1, 2)
    )
    assert one == two
    assert len(one["verdicts"]) == 120
    assert {"run.json", "trajectories.jsonl", "metrics.json"} <= one.keys()


def test_a_run_in_memory_is_divided_too() -> None:
    run = played(None)
    assert rescored(run, 1, env_kwargs={"right": 2.0}) == rescored(
        run, 2, env_kwargs={"right": 2.0}
    )


def test_workers_replay_the_episodes() -> None:
    with pytest.raises(WorkerFailure, match=r"^a worker of rescoring died, the last by SIGKILL$"):
        textgym.rescore(played(None), workers=2, env_kwargs={"killer": 30})


def test_a_killed_worker_leaves_a_new_run_without_metrics(tmp_path: Path) -> None:
    played(tmp_path / "run")
    with pytest.raises(WorkerFailure):
        textgym.rescore(
            tmp_path / "run", workers=2, env_kwargs={"killer": 30}, out=tmp_path / "new"
        )
    assert not (tmp_path / "new" / "metrics.json").exists()
    with pytest.raises(RunError, match="has not finished"):
        textgym.Run.load(tmp_path / "new")


def test_environments_that_workers_cannot_make_are_played_here() -> None:
    run = played(None)
    assert rescored(run, 2, env_kwargs={"only": HERE}) == rescored(run, 1)


def broken_line(line: bytes) -> bytes:
    return line[:-20] + b"\n"


def other_version(line: bytes) -> bytes:
    return json.dumps({**json.loads(line), "version": 99}).encode() + b"\n"


def without_a_key(line: bytes) -> bytes:
    return (
        json.dumps({**json.loads(line), "info": None, "steps": 0})
        .replace('"steps"', '"stops"')
        .encode()
        + b"\n"
    )


@pytest.mark.parametrize("change", [broken_line, other_version, without_a_key])
def test_a_line_that_cannot_be_read_is_the_same_error(
    tmp_path: Path, change: Callable[[bytes], bytes]
) -> None:
    played(tmp_path / "run")
    file = tmp_path / "run" / "trajectories.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    lines[40] = change(lines[40])
    file.write_bytes(b"".join(lines))
    errors = []
    for workers in (1, 2):
        with pytest.raises(RunError) as caught:
            textgym.rescore(tmp_path / "run", workers=workers)
        errors.append(str(caught.value))
    assert errors[0] == errors[1]
    assert "41" in errors[0]


def test_a_last_line_without_its_end_is_left_out(tmp_path: Path) -> None:
    played(tmp_path / "run", episodes=9)
    with (tmp_path / "run" / "trajectories.jsonl").open("ab") as file:
        file.write(b'{"version": 2')
    assert textgym.rescore(tmp_path / "run", workers=2).counts["same"] == 9


def test_no_workers_are_refused() -> None:
    with pytest.raises(UsageError, match=r"^workers must be 1 or more, not 0$"):
        textgym.rescore(played(None, episodes=1), workers=0)


def test_functions_that_workers_can_import_make_environments() -> None:
    make = partial(Unregistered, split="test")
    run = textgym.rollout(make, "random", episodes=9)
    assert textgym.rescore(run, envs=make, workers=2).counts["same"] == 9
    with pytest.raises(
        UsageError, match=r"^workers need what other processes can import: .*lambda"
    ):
        textgym.rescore(run, envs=lambda: Unregistered(), workers=2)


def test_rows_that_were_given_as_tasks_reach_the_workers(tmp_path: Path) -> None:
    rows = [{"id": f"r-{k}", "number": k % 4, "place": k} for k in range(20)]
    run = textgym.rollout("tests/Dice-v0", "random", tasks=rows, out=tmp_path / "run")
    for source in (run, tmp_path / "run", replace(run)):
        assert textgym.rescore(source, workers=2).counts["same"] == 20
