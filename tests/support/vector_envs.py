"""Environments for tests of vector environments."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

import textgym
from textgym.core.episode import Grade
from textgym.errors import JudgeFailure
from textgym.messages import user
from textgym.tasks.task import Task
from textgym.vector import TextVectorEnv


class Count(textgym.TextEnv[None]):
    """Ends after as many messages as the index of its task, but after at least one."""

    card = textgym.Card("tests/Count-v0", "Count.", ("multi-turn",), (), (), "count", ())

    def __init__(self, **kwargs: Any) -> None:
        self.steps = self.resets = 0
        super().__init__(**{"max_turns": 1000, **kwargs})

    def generate(self, rng: Any, level: int) -> dict[str, Any]:
        return {"turns": 1 + int(rng.random() * 5), "key": rng.random()}

    def read_row(self, row: dict[str, Any]) -> Task:
        return Task(row["id"], (user(f"Say it {row['turns']} times."),), None, row=row)

    def begin(self, task: Task) -> Any:
        self.resets += 1
        return None

    def respond(self, message: Any) -> Any:
        self.steps += 1
        return None if self.turn >= self.task.row["turns"] else [user("Again.")]

    def grade(self) -> Grade:
        return Grade(self.turn / 100, True, {"turns": float(self.turn)}, self.answer_text)


class Failing(Count):
    """Fails a given number of times, in a step or in a reset."""

    def __init__(self, *, blocking: bool = False, **kwargs: Any) -> None:
        self.blocking = blocking
        self.step_failures = self.reset_failures = 0
        self.error: type[Exception] = JudgeFailure
        super().__init__(**kwargs)

    def begin(self, task: Task) -> Any:
        if self.reset_failures:
            self.reset_failures -= 1
            raise self.error("the guest did not start")
        return super().begin(task)

    def respond(self, message: Any) -> Any:
        if self.step_failures:
            self.step_failures -= 1
            raise self.error("the judge is down")
        return super().respond(message)


class Gated(Count):
    """Its steps wait until a shared gate is opened."""

    blocking = True

    def __init__(self, *, gate: threading.Event, **kwargs: Any) -> None:
        self.gate = gate
        super().__init__(**kwargs)

    def respond(self, message: Any) -> Any:
        assert self.gate.wait(300)
        return super().respond(message)


def task(turns: int) -> dict[str, Any]:
    """A row of `Count`."""
    return {"turns": turns, "key": 0}


def begin(vector: TextVectorEnv, *turns: int) -> None:
    """Reset each sub-environment of `Count` to a task with the given number of turns."""
    vector.reset(seed=1, options={"task": [task(number) for number in turns]})


def plain(value: Any) -> Any:
    """Convert infos to lists and dicts that can be compared."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return value.tolist() if isinstance(value, np.ndarray) else value
