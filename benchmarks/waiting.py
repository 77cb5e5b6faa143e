"""Concurrent episodes that wait for a policy or a judge, as a share of the ideal rate."""

from __future__ import annotations

import asyncio
import itertools
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from measure import asked_quick, check_run, measure, shares_table, write_rows

import textgym
from textgym.envs.mcqa.env import MCQA
from textgym.messages import assistant
from textgym.policies import Action, Policy
from textgym.rewards import Grade


class SlowPolicy(Policy):
    """Answers with a random letter after a delay."""

    name = "slow"

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    async def act(
        self, messages: Any, tools: Any, *, prior: Any = None, seed: int | None = None
    ) -> Action:
        """Wait, and answer."""
        await asyncio.sleep(self.seconds)
        return Action(assistant("\\boxed{" + random.Random(seed).choice("ABCD") + "}"))


class SlowJudge(MCQA):
    """Multiple-choice questions whose verdict takes a second."""

    blocking = True

    def grade(self) -> Grade:
        """Wait, and grade."""
        time.sleep(1.0)
        return super().grade()


@dataclass(frozen=True)
class Setting:
    """A number of concurrent episodes and their delay.

    Attributes:
        name: The name in the table.
        concurrency: The number of concurrent episodes.
        seconds: How long each episode waits.
        rounds: How many episodes are played one after the other.
        aim: The target share of the ideal rate.
        judged: Whether the environment waits instead of the policy.
    """

    name: str
    concurrency: int
    seconds: float
    rounds: int
    aim: float
    judged: bool = False

    @property
    def ideal(self) -> float:
        """The seconds that the waiting alone takes."""
        return self.rounds * self.seconds


TASKS = 1024
SETTINGS = [
    Setting("512 episodes, a policy of 200 ms", 512, 0.2, 50, 0.98),
    Setting("4,096 episodes, a policy of 2 s", 4096, 2.0, 8, 0.95),
    Setting("1,024 episodes, a judge of 1 s", 1024, 1.0, 8, 0.90, judged=True),
]


def through_rollout(setting: Setting, dataset: str, folders: Iterator[Path]) -> float:
    """Return the share of the ideal rate that `textgym.rollout` reaches."""
    count = setting.concurrency * setting.rounds
    begun = time.perf_counter()
    run = textgym.rollout(
        lambda: (SlowJudge if setting.judged else MCQA)(dataset=dataset),
        "random" if setting.judged else SlowPolicy(setting.seconds),
        episodes=setting.concurrency // 4,
        repeats=setting.rounds * 4,
        concurrency=setting.concurrency,
        out=next(folders),
    )
    seconds = time.perf_counter() - begun
    check_run(run, count)
    return setting.ideal / seconds


def through_sleep(setting: Setting) -> float:
    """Return the share of the ideal rate of coroutines that only sleep."""

    async def worker() -> None:
        for _ in range(setting.rounds):
            await asyncio.sleep(setting.seconds)

    async def workers() -> None:
        await asyncio.gather(*(worker() for _ in range(setting.concurrency)))

    begun = time.perf_counter()
    asyncio.run(workers())
    return setting.ideal / (time.perf_counter() - begun)


def cases(setting: Setting, dataset: str, folder: str) -> dict[str, Callable[[], float]]:
    """Return the floor and the rollout of a setting."""
    folders = (Path(folder) / f"{setting.name}-{number}" for number in itertools.count())
    return {
        "asyncio.sleep alone (the floor)": lambda: through_sleep(setting),
        "textgym.rollout": lambda: through_rollout(setting, dataset, folders),
    }


def main() -> None:
    """Measure, and print a table for each setting."""
    rounds = 1 if asked_quick(__doc__) else 5
    with tempfile.TemporaryDirectory() as folder:
        dataset = write_rows(folder, TASKS)
        for setting in SETTINGS:
            figures = measure(cases(setting, dataset, folder), rounds)
            print(shares_table(setting.name, figures, setting.aim), flush=True)


if __name__ == "__main__":
    main()
