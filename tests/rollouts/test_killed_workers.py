"""Workers and drivers of one run that are killed by signals: nothing is lost, nothing doubled."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from in_process import run_command
from repository import ROOT
from run_contents import content

from textgym.rollouts.work import WorkPlan

MCQA = "textgym/MCQA-v0"
KILLS = int(os.environ.get("KILLS", "12"))
"""How many workers the long test kills. `KILLS=50 make soak PATHS=…` plays 20,000 episodes."""

POLICY = r"""
import asyncio, os, textgym

class Halting(textgym.Policy):
    '''Stops after some messages until there is a file `go`, so that each kill meets a run.'''

    name = "halting"
    messages = 0

    async def act(self, messages, tools, *, prior=None, seed=None):
        Halting.messages += 1
        while Halting.messages > int(os.environ["LIMIT"]) and not os.path.exists("go"):
            await asyncio.sleep(0.05)
        await asyncio.sleep(0.001)
        return textgym.Action(textgym.assistant(r"\boxed{%s}" % "ABCD"[seed % 4]))
"""


class Machine:
    """Starts the command in a folder, and kills it.

    Args:
        folder: The folder.
        seed: Decides how many episodes a worker plays before it stops.
    """

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder, self.rng = folder, random.Random(seed)
        self.environ = {**os.environ, "PYTHONPATH": str(ROOT)}
        self.errors = os.open(folder / "errors.txt", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        self.running: list[subprocess.Popen[bytes]] = []
        (folder / "halting.py").write_text(POLICY)

    def start(self, *arguments: str, limit: int) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [sys.executable, "-m", "textgym", *arguments],
            cwd=self.folder,
            env={**self.environ, "LIMIT": str(limit)},
            stdout=subprocess.DEVNULL,
            stderr=self.errors,
        )
        self.running.append(process)
        return process

    def wait_for_sign(self, process: subprocess.Popen[bytes]) -> None:
        """Wait until a worker leases blocks."""
        while not list(self.folder.glob(f"run/workers/*-{process.pid}-*")):
            time.sleep(0.05)
            assert process.poll() is None, (self.folder / "errors.txt").read_text()

    def kill(self, process: subprocess.Popen[bytes]) -> None:
        process.send_signal(signal.SIGKILL)
        process.wait()
        self.running.remove(process)


@pytest.mark.slow
def test_stopped_command_stops_its_workers(tmp_path: Path) -> None:
    machine = Machine(tmp_path, seed=1)
    leading = machine.start(
        "eval", MCQA, "--policy", "halting:Halting", "--episodes", "50", "--out", "run",
        "--workers", "2", "--patience", "1000", limit=10,
    )  # fmt: skip
    try:
        while len(list(tmp_path.glob("run/workers/*"))) < 2:
            time.sleep(0.05)
            assert leading.poll() is None, (tmp_path / "errors.txt").read_text()
        leading.send_signal(signal.SIGINT)
        assert leading.wait() == 130
    finally:
        machine.kill(leading)
    assert "resume with textgym worker run\n" in (tmp_path / "errors.txt").read_text()
    assert {file.suffix for file in tmp_path.glob("run/workers/*")} == {".ended"}
    (tmp_path / "go").touch()
    assert machine.start("worker", "run", limit=0).wait() == 0  # without the patience
    assert (tmp_path / "run" / "metrics.json").exists()


@pytest.mark.parametrize(
    ("tasks", "repeats", "workers", "kills", "drivers"),
    [
        pytest.param(150, 2, 2, 3, 1, marks=pytest.mark.slow, id="300 episodes"),
        pytest.param(500, KILLS * 4 // 5, 4, KILLS, KILLS // 5, marks=pytest.mark.soak, id="long"),
    ],
)
def test_killed_workers_and_drivers_lose_and_double_nothing(
    tasks: int, repeats: int, workers: int, kills: int, drivers: int, tmp_path: Path
) -> None:
    episodes = tasks * repeats
    machine = Machine(tmp_path, seed=episodes)
    rng, most = machine.rng, episodes // (kills + workers + drivers)
    driver = (
        "eval", MCQA, "--policy", "halting:Halting", "--episodes", str(tasks),
        "--repeats", str(repeats), "--concurrency", "16", "--out", "run", "--workers", "1",
        "--patience", "3", "--resume",
    )  # fmt: skip
    try:
        leading = machine.start(*driver, limit=rng.randrange(most))
        while not (tmp_path / "run" / "plan.json").exists():
            time.sleep(0.05)
            assert leading.poll() is None, (tmp_path / "errors.txt").read_text()
        assert WorkPlan.read(tmp_path / "run").blocks > 3
        started = [
            machine.start("worker", "run", limit=rng.randrange(most)) for _ in range(workers)
        ]
        turns = ["worker"] * kills + ["driver"] * drivers
        rng.shuffle(turns)
        for turn in turns:
            if turn == "driver":
                machine.kill(leading)  # its worker lives on
                leading = machine.start(*driver, limit=rng.randrange(most))
            else:
                place = rng.randrange(workers)
                machine.wait_for_sign(started[place])
                time.sleep(rng.uniform(0, 1))
                machine.kill(started[place])
                started[place] = machine.start("worker", "run", limit=rng.randrange(most))
        (tmp_path / "go").touch()
        for process in machine.running:
            assert process.wait() == 0, (tmp_path / "errors.txt").read_text()
    finally:
        (tmp_path / "go").touch()  # for workers of drivers that were killed
        for process in list(machine.running):
            machine.kill(process)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LIMIT", "0")
        one = (*driver[:8], "--concurrency", "1", "--out", "one")
        assert run_command(tmp_path, *one).returncode == 0
    assert content(tmp_path / "run") == content(tmp_path / "one")
    assert len(content(tmp_path / "run")["trajectories.jsonl"]) == episodes
    assert list(tmp_path.glob("run/leases/*.1"))  # blocks were taken over
