"""Long runs with faults and kills: nothing is lost, duplicated or leaked.

These take minutes: `make soak` runs them.
"""

from __future__ import annotations

import asyncio
import gc
import os
import random
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import textgym
from textgym.core.episode import Grade
from textgym.envs.mcqa.mcqa_env import MCQA
from textgym.errors import EnvironmentFailure, PolicyFailure
from textgym.messages import assistant
from textgym.policies import Action, Policy
from textgym.trajectories.run_folder import read_trajectories

pytestmark = pytest.mark.soak

TASKS, REPEATS = 500, 100  # 50,000 episodes
Faults = Callable[[], None]
Key = tuple[int, int]


def none() -> None:
    """No fault."""


class Faulty:
    """Raises in one call of so many, one time in ten with an error that is not retried.

    Args:
        share: The share of calls that fail.
        kind: The failure that may be tried again.
    """

    def __init__(self, share: float, kind: type[Exception]) -> None:
        self.share, self.kind = share, kind
        self.rng = random.Random(17)
        self.raised = 0

    def __call__(self) -> None:
        if self.rng.random() < self.share:
            self.raised += 1
            raise self.kind("it is down") if self.rng.random() < 0.9 else ValueError("a bug")


class Choosing(Policy):
    """Chooses a letter by the question and the seed only."""

    name = "choosing"

    def __init__(self, faults: Faults = none, seconds: float = 0.0) -> None:
        self.faults, self.seconds = faults, seconds

    async def act(
        self, messages: Any, tools: Any, *, prior: Any = None, seed: Any = None
    ) -> Action:
        await asyncio.sleep(self.seconds)
        self.faults()
        letter = random.Random(f"{messages[-1]['content']} {seed}").choice("ABCD")
        return Action(assistant(f"\\boxed{{{letter}}}"))


class FaultyMCQA(MCQA):
    """Multiple-choice questions whose grading sometimes fails."""

    faults: Faults = staticmethod(none)

    def grade(self) -> Grade:
        type(self).faults()
        return super().grade()


def play(folder: Path, policy: Policy, **options: Any) -> textgym.Run:
    settings: dict[str, Any] = {"episodes": TASKS, "repeats": REPEATS, **options}
    return textgym.rollout(lambda: FaultyMCQA(split="test"), policy, out=folder, **settings)


def rewards(folder: Path) -> dict[Key, float | None]:
    """Return the reward of each episode, None if it failed; check that there are no duplicates."""
    found: dict[Key, float | None] = {}
    for held in read_trajectories(folder):
        key = held["task_index"], held["repeat"]
        assert key not in found, f"{key} is there twice"
        assert (held["reward"] is None) == (held["failure"] is not None)
        found[key] = held["reward"]
    return found


def resources() -> dict[str, int]:
    """Return the resources that a run may not leak: objects, threads, files, memory in MiB."""
    for _ in range(3):
        gc.collect()
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    files = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    return {
        "objects": len(gc.get_objects()),
        "threads": threading.active_count(),
        "files": files,
        "memory": used,
    }


def test_fifty_thousand_episodes_with_faults_are_all_accounted_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = {(task, repeat) for task in range(TASKS) for repeat in range(REPEATS)}
    play(tmp_path / "clean", Choosing())
    clean = rewards(tmp_path / "clean")
    assert clean.keys() == wanted
    assert set(clean.values()) == {0.0, 1.0}

    in_policy, in_env = Faulty(0.01, PolicyFailure), Faulty(0.01, EnvironmentFailure)
    monkeypatch.setattr(FaultyMCQA, "faults", staticmethod(in_env))
    before = resources()
    left_tasks: list[int] = []

    async def run() -> textgym.Run:
        options: dict[str, Any] = {"episodes": TASKS, "repeats": REPEATS, "concurrency": 256}
        found = await textgym.arollout(
            lambda: FaultyMCQA(split="test"),
            Choosing(in_policy),
            out=tmp_path / "faulty",
            **options,
        )
        left_tasks.append(len(asyncio.all_tasks()) - 1)
        return found

    metrics = asyncio.run(run()).metrics["overall"]
    after = resources()
    assert in_policy.raised > 250
    assert in_env.raised > 250
    faulty = rewards(tmp_path / "faulty")
    failed = {key for key, reward in faulty.items() if reward is None}
    assert faulty.keys() == wanted
    assert len(failed) == metrics["failures"] > 25
    assert {key: faulty[key] for key in wanted - failed} == {k: clean[k] for k in wanted - failed}

    assert left_tasks == [0]
    assert after["threads"] == before["threads"]
    assert after["files"] == before["files"]
    assert after["objects"] < before["objects"] + 5_000
    assert after["memory"] < before["memory"] + 60, "MiB"

    monkeypatch.setattr(FaultyMCQA, "faults", staticmethod(none))
    run_again = play(tmp_path / "faulty", Choosing(), resume=True)
    assert run_again.metrics["overall"]["failures"] == 0
    assert rewards(tmp_path / "faulty") == clean


def test_steps_in_threads_leave_no_threads_behind(tmp_path: Path) -> None:
    class Waiting(FaultyMCQA):
        blocking = True

    before = resources()
    run = textgym.rollout(
        lambda: Waiting(split="test"), "oracle", episodes=500, repeats=20, out=tmp_path / "run"
    )
    assert run.mean_reward == 1.0
    after = resources()
    assert after["threads"] == before["threads"]
    assert after["files"] == before["files"]


KILLED = """
import sys
from pathlib import Path
from test_soak import Choosing, play
play(Path(sys.argv[1]), Choosing(seconds=0.01), repeats=int(sys.argv[2]), concurrency=8,
     resume=True, on_start=lambda left: print(left, flush=True))
"""


def test_fifty_kills_give_the_episodes_of_one_uninterrupted_run(tmp_path: Path) -> None:
    repeats = 25  # 12,500 episodes, about a quarter of a minute of playing
    kills, rng, lefts = 50, random.Random(5), []
    for number in range(kills):
        process = subprocess.Popen(
            [sys.executable, "-c", KILLED, str(tmp_path / "killed"), str(repeats)],
            stdout=subprocess.PIPE,
            cwd=Path(__file__).parent,
        )
        assert process.stdout
        if number % 5:  # within the playing; else at any moment from the start on
            lefts.append(int(process.stdout.readline()))
            time.sleep(rng.uniform(0.0, 0.3))
        else:
            time.sleep(rng.uniform(0.0, 1.5))
        process.send_signal(signal.SIGKILL)
        process.communicate()
    assert lefts == sorted(lefts, reverse=True)
    assert 0 < lefts[-1] < lefts[0], "the kills did not fall within the run"
    play(tmp_path / "killed", Choosing(), repeats=repeats, resume=True)
    play(tmp_path / "whole", Choosing(), repeats=repeats)
    whole = rewards(tmp_path / "whole")
    assert len(whole) == TASKS * repeats
    assert rewards(tmp_path / "killed") == whole
