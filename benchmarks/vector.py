"""Vectors: `TextVectorEnv` beside Gymnasium's own, and `send`/`recv` beside lock-step `step`."""

from __future__ import annotations

import functools
import heapq
import itertools
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from measure import Figures, aim, asked_quick, measure, table, write_rows

import textgym
from textgym.core.episode import Grade
from textgym.messages import Message, user
from textgym.tasks.task import Task

NUM_ENVS = 64
REPLY = "It may be \\boxed{B}."
TURNS = 9  # of the longest episode
SECONDS = 0.2  # that the policy takes, and the judge


class Talk(textgym.TextEnv[None]):
    """A conversation of a given or random number of turns, optionally with a slow judge."""

    card = textgym.Card(
        id="benchmarks/Talk-v0",
        summary="Say something several times.",
        structure=("multi-turn",),
        capabilities=(),
        domain=(),
        task_type="conversation",
        verification=(),
    )

    def __init__(self, *, turns: int | None = None, judge: float = 0.0, **kwargs: Any) -> None:
        self.turns, self.judge, self.blocking = turns, judge, judge > 0
        super().__init__(max_turns=1000, **kwargs)

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        """Draw the number of turns."""
        return {"turns": self.turns or 1 + int(rng.random() * TURNS), "key": rng.random()}

    def read_row(self, row: dict[str, Any]) -> Task:
        """Read a row."""
        return Task(row["id"], (user("Say something."),), None, row=row)

    def respond(self, message: Message) -> list[Message] | None:
        """Ask for more."""
        return None if self.turn >= self.task.row["turns"] else [user("And what else?")]

    def grade(self) -> Grade:
        """Wait for the judge."""
        if self.judge:
            time.sleep(self.judge)
        return Grade(1.0, True, {"turns": float(self.turn)})


# Steps per second.


def steps_a_second(envs: gymnasium.vector.VectorEnv[Any, Any, Any], rounds: int) -> float:
    """Return the environment steps per second of a vector with a constant reply."""
    replies = (REPLY,) * envs.num_envs
    begun = time.perf_counter()
    for _ in range(rounds):
        envs.step(replies)
    return rounds * envs.num_envs / (time.perf_counter() - begun)


def both_vectors(make: Callable[[], Any], rounds: int) -> dict[str, Callable[[], float]]:
    """Return the floor, Gymnasium's vector, and textgym's with the same environments."""
    fns = [make] * NUM_ENVS
    sync = SyncVectorEnv(fns, copy=False, autoreset_mode=AutoresetMode.SAME_STEP)
    ours = textgym.TextVectorEnv(fns)
    for envs in (sync, ours):
        envs.reset(seed=0)
    return {
        "SyncVectorEnv(copy=False) (the floor)": lambda: steps_a_second(sync, rounds),
        "TextVectorEnv": lambda: steps_a_second(ours, rounds),
    }


# Episodes per second.


@dataclass(frozen=True)
class Setting:
    """The delays of policy and judge.

    Attributes:
        name: The name in the table.
        spread: How many seconds a reply may be faster or slower than the mean.
        judge: How many seconds the judge takes at the end of an episode.
        listed: Whether tasks 0, 1, 2, ... are played; in lock step, each batch of them to its end.
        aim: The target ratio; None for no target.
    """

    name: str
    spread: float = 0.0
    judge: float = 0.0
    listed: bool = False
    aim: float | None = None

    def make(self) -> textgym.TextVectorEnv:
        """Make the vector."""
        mode = AutoresetMode.DISABLED if self.listed else AutoresetMode.SAME_STEP
        make = functools.partial(Talk, judge=self.judge)
        return textgym.TextVectorEnv([make] * NUM_ENVS, autoreset_mode=mode)

    def replies(self) -> Iterator[float]:
        """Yield the seconds that each reply takes."""
        rng = random.Random(0)
        while True:
            yield SECONDS + rng.uniform(-self.spread, self.spread)


SETTINGS = [
    Setting("64 sub-environments, a list of tasks", listed=True, aim=1.5),
    Setting("replies of 50 to 350 ms", spread=0.15, aim=1.5),
    Setting("a judge of 200 ms ends an episode", judge=SECONDS, aim=1.5),
    Setting("nothing but replies of 200 ms"),
]


def in_lock_step(setting: Setting, episodes: int) -> float:
    """Return the episodes per second if each step waits for all replies."""
    envs, replies, done = setting.make(), setting.replies(), 0
    running = np.ones(NUM_ENVS, dtype=np.bool_)
    begun = time.perf_counter()
    envs.reset(options={"index": np.arange(NUM_ENVS)})
    while done < episodes:
        time.sleep(max(itertools.islice(replies, int(running.sum()))))
        actions = [REPLY if runs else None for runs in running]
        _, _, terminated, _, _ = envs.step(actions)
        done += int(terminated.sum())
        if setting.listed:
            running &= ~terminated
            if not running.any():
                running[:] = True
                envs.reset(options={"index": np.arange(done, done + NUM_ENVS)})
    seconds = time.perf_counter() - begun
    envs.close()
    return done / seconds


def as_each_is_ready(setting: Setting, episodes: int) -> float:
    """Return the episodes per second if each episode continues when its reply is ready."""
    envs, replies, done = setting.make(), setting.replies(), 0
    begun = time.perf_counter()
    envs.reset(options={"index": np.arange(NUM_ENVS)})
    due = [(begun + next(replies), place) for place in range(NUM_ENVS)]
    heapq.heapify(due)
    while done < episodes:
        now = time.perf_counter()
        ready = []
        while due and due[0][0] <= now:
            ready.append(heapq.heappop(due)[1])
        envs.send([REPLY] * len(ready), ready)
        wait = due[0][0] - now if due else SECONDS
        _, _, terminated, _, infos = envs.recv(timeout=wait)
        places = infos["env_id"]
        if setting.listed and terminated.any():
            mask, index = np.zeros(NUM_ENVS, dtype=np.bool_), np.zeros(NUM_ENVS, dtype=int)
            ended = places[terminated]
            mask[ended], index[ended] = True, NUM_ENVS + done + np.arange(len(ended))
            envs.reset(options={"reset_mask": mask, "index": index})
        done += int(terminated.sum())
        now = time.perf_counter()
        for place in places.tolist():
            heapq.heappush(due, (now + next(replies), place))
    seconds = time.perf_counter() - begun
    envs.close()
    return done / seconds


def ratio(figures: Figures) -> float:
    """Return the median ratio of the second case to the first, round by round."""
    floor, ours = figures.values()
    return statistics.median(b / a for a, b in zip(floor, ours, strict=True))


def main() -> None:
    """Measure, and print a table for each."""
    quick = asked_quick(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        rows = write_rows(folder, 1000)
        single = functools.partial(gymnasium.make, "textgym/MCQA-v0", dataset=rows)
        for title, make in (
            ("steps per second: MCQA, 1,000 rows of a file", single),
            ("steps per second: conversations of 50 messages", functools.partial(Talk, turns=25)),
        ):
            rounds, count = (3, 50) if quick else (25, 100)
            figures = measure(both_vectors(make, count), rounds)
            print(table(title, figures))
            print(aim("TextVectorEnv", ratio(figures), 1.0, "x", at_least=True), flush=True)
    for setting in SETTINGS:
        rounds, episodes = (1, NUM_ENVS * 2) if quick else (3, NUM_ENVS * 6)
        figures = measure(
            {
                "lock-step step (the floor)": functools.partial(in_lock_step, setting, episodes),
                "send and recv": functools.partial(as_each_is_ready, setting, episodes),
            },
            rounds,
        )
        print(table(f"episodes per second: {setting.name}", figures))
        if setting.aim:
            print(aim("send and recv", ratio(figures), setting.aim, "x", at_least=True))


if __name__ == "__main__":
    main()
