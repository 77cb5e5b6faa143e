"""Python calls and bytecode instructions per episode, beside the committed figures.

They are counted, not timed, so a busy machine gives the same figures. Each is the difference
between a run and one three times as long, divided by the episodes between them, so that setting up
cancels. The committed figures hold for the versions in their file; with others, the table is
printed and nothing fails.
"""

from __future__ import annotations

import argparse
import gc
import json
import math
import platform
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any
from unittest import mock

import gymnasium
import pydantic
from turns import SEVEN_TURNS

import textgym
from textgym.json_values import encode_line
from textgym.messages import assistant
from textgym.policies import Action, Policy
from textgym.wrappers import FormatBonus, StepPenalty

FILE = Path(__file__).with_name("counts.json")
MAX_GROWTH = 1.03  # of a figure, relative to the committed one
MIN_GAIN = 0.9  # below it, the committed figure is out of date
OTHER_VERSIONS = "the committed figures hold for other versions"
ROWS = 96
SUB_ENVS = 4
LENGTHS = {"calls": ROWS // 3, "instructions": 4}  # episodes of the shorter run
MCQA, MULTI_STEP = "textgym/MCQA-v0", "textgym/MultiStep-v0"
ANSWER = assistant("Two of them are too large, so it is \\boxed{B}.")

Play = Callable[[int], object]
Figures = dict[str, dict[str, float]]


class Scripted(Policy):
    """Plays the seven turns of `turns.py`."""

    name = "scripted"

    async def act(
        self, messages: Any, tools: Any, *, prior: Any = None, seed: int | None = None
    ) -> Action:
        """Return the next of the turns."""
        turn = sum(message["role"] == "assistant" for message in messages)
        return Action(SEVEN_TURNS[turn])


class Workloads:
    """What is counted. Each workload plays a number of episodes.

    Args:
        folder: The folder of the data sets and runs.
    """

    def __init__(self, folder: str) -> None:
        self._folder, self._numbers = Path(folder), count()

    def all(self) -> dict[str, Play]:
        """Return the workloads by name."""
        one_turn, seven_turns = [ANSWER], SEVEN_TURNS
        of_mcqa: dict[str, Any] = {"dataset": self._rows(MCQA)}
        of_multi_step: dict[str, Any] = {"dataset": self._rows(MULTI_STEP)}
        plain = partial(gymnasium.make, MCQA, **of_mcqa)
        wrapped = FormatBonus(StepPenalty(plain(), amount=0.1))
        return {
            "MCQA, rows": partial(self._loop, plain(), one_turn),
            "MCQA, generated": partial(self._loop, gymnasium.make(MCQA), one_turn),
            "MCQA, two wrappers": partial(self._loop, wrapped, one_turn),
            "MCQA, rollout": partial(self._rollout, MCQA, "oracle", of_mcqa),
            "MCQA, resume": partial(self._resume, MCQA, of_mcqa),
            "MCQA, rescore": partial(self._rescore, MCQA, of_mcqa),
            "MultiStep, rows": partial(
                self._loop, gymnasium.make(MULTI_STEP, **of_multi_step), seven_turns
            ),
            "MultiStep, rollout": partial(self._rollout, MULTI_STEP, Scripted(), of_multi_step),
            f"a step of {SUB_ENVS} MCQA": partial(
                self._steps, gymnasium.make_vec(MCQA, SUB_ENVS, **of_mcqa)
            ),
        }

    def _rows(self, id: str) -> str:
        """Write a file of rows that are all alike, and return its path."""
        row = dict(gymnasium.make(id).unwrapped.get_task(0).row)  # type: ignore[attr-defined]
        path = self._folder / f"{id.partition('/')[2]}.jsonl"
        path.write_bytes(b"".join(encode_line({**row, "id": str(n)}) for n in range(ROWS)))
        return str(path)

    @staticmethod
    def _loop(env: gymnasium.Env[Any, Any], actions: list[Any], episodes: int) -> None:
        env.reset(seed=0)
        for _ in range(episodes):
            env.reset()
            for action in actions:
                env.step(action)

    @staticmethod
    def _steps(envs: Any, steps: int) -> None:
        envs.reset(seed=0)
        for _ in range(steps):
            envs.step([ANSWER] * SUB_ENVS)

    def _rollout(self, id: str, policy: Any, kwargs: Any, episodes: int) -> Path:
        out = self._folder / str(next(self._numbers))
        textgym.rollout(id, policy, episodes=episodes, concurrency=4, env_kwargs=kwargs, out=out)
        return out

    def _resume(self, id: str, kwargs: Any, episodes: int) -> None:
        out = self._stored(id, kwargs, episodes)
        textgym.rollout(id, "oracle", episodes=episodes, env_kwargs=kwargs, out=out, resume=True)

    def _rescore(self, id: str, kwargs: Any, episodes: int) -> None:
        textgym.rescore(self._stored(id, kwargs, episodes), concurrency=4)

    def _stored(self, id: str, kwargs: Any, episodes: int) -> Path:
        """Return the folder of a finished run, which is played at the first call."""
        out = self._folder / f"stored-{episodes}"
        if not out.exists():
            textgym.rollout(id, "oracle", episodes=episodes, env_kwargs=kwargs, out=out)
        return out


@contextmanager
def calls() -> Iterator[list[int]]:
    """Count the Python calls in the block, as the only item of a list."""
    counted = [0]

    def on_event(frame: Any, event: str, arg: Any) -> None:
        if event == "call":
            counted[0] += 1

    before = sys.getprofile()
    sys.setprofile(on_event)
    try:
        yield counted
    finally:
        sys.setprofile(before)


@contextmanager
def instructions() -> Iterator[list[int]]:
    """Count the bytecode instructions in the block, as the only item of a list."""
    counted = [0]

    def on_event(frame: Any, event: str, arg: Any) -> Any:
        if event == "opcode":
            counted[0] += 1
        else:
            frame.f_trace_opcodes, frame.f_trace_lines = True, False
        return on_event

    def on_instruction(code: Any, offset: int) -> None:
        counted[0] += 1

    monitoring: Any = getattr(sys, "monitoring", None)
    if monitoring is None:  # before Python 3.12; later, frames do not report all opcodes
        before = sys.gettrace()
        sys.settrace(on_event)
        try:
            yield counted
        finally:
            sys.settrace(before)
        return
    tool, event = monitoring.PROFILER_ID, monitoring.events.INSTRUCTION
    monitoring.use_tool_id(tool, "counts")
    monitoring.register_callback(tool, event, on_instruction)
    monitoring.set_events(tool, event)
    try:
        yield counted
    finally:
        monitoring.set_events(tool, 0)
        monitoring.free_tool_id(tool)


def per_episode(play: Play, counting: Callable[[], Any], episodes: int) -> float:
    """Return the count per episode."""
    counts: list[int] = []
    for length in (episodes, 3 * episodes):
        play(length)  # what is made once and kept
        gc.disable()  # finalizers would be counted
        try:
            with counting() as counted:
                play(length)
        finally:
            gc.enable()
        counts.append(counted[0])
    return round((counts[1] - counts[0]) / (2 * episodes), 1)


def measured() -> Figures:
    """Return all figures."""
    # Stored times have the same digits in each run, as some numbers take longer to read.
    clock = mock.patch.multiple(time, perf_counter=map(float, count()).__next__, time=float)
    with clock, tempfile.TemporaryDirectory() as folder:
        workloads = Workloads(folder).all()
        return {
            unit: {
                name: per_episode(play, counting, LENGTHS[unit]) for name, play in workloads.items()
            }
            for unit, counting in (("calls", calls), ("instructions", instructions))
        }


def versions() -> dict[str, str]:
    """Return the versions that the figures depend on."""
    return {
        "python": ".".join(platform.python_version_tuple()[:2]),
        "gymnasium": gymnasium.__version__,
        "pydantic": pydantic.__version__,
    }


def report(figures: Figures, committed: Figures) -> list[str]:
    """Print the table, and return the names of the figures that have grown or are not committed."""
    grown = []
    for unit, of_unit in figures.items():
        print(f"{unit + ' per episode':24} {'now':>12} {'committed':>12} {'ratio':>7}")
        for name, figure in of_unit.items():
            before = committed.get(unit, {}).get(name, 0.0)
            ratio, note = figure / before if before else math.inf, ""
            if ratio > MAX_GROWTH:
                grown.append(f"{name}, {unit}")
                note = "  too high"
            elif ratio < MIN_GAIN:
                note = "  lower: commit it with --update"
            print(f"{name:24} {figure:12,.1f} {before:12,.1f} {ratio:7.3f}{note}")
        print()
    return grown


def main() -> None:
    """Count, and print the table; exits with 1 if a figure has grown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--update", action="store_true", help=f"write the figures to {FILE.name}")
    update = parser.parse_args().update
    figures, mine, stored = measured(), versions(), json.loads(FILE.read_text())
    grown = report(figures, stored)
    if update:
        FILE.write_text(json.dumps({"versions": mine, **figures}, indent=2) + "\n")
    elif stored["versions"] != mine:
        print(f"{OTHER_VERSIONS}: {stored['versions']}, and this is {mine}")
    elif grown:
        raise SystemExit(
            f"over {MAX_GROWTH - 1:.0%} above the committed figures: {'; '.join(grown)}; where "
            "more is needed, commit the new figures (--update) with the reason"
        )


if __name__ == "__main__":
    main()
