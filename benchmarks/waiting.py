"""Concurrent episodes that wait for a policy or a judge, as a share of the ideal rate."""

from __future__ import annotations

import asyncio
import itertools
import json
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from measure import (
    Figures,
    aim,
    asked_quick,
    check_run,
    measure,
    shares_table,
    table,
    write_rows,
)

import textgym
from textgym.core.episode import Grade
from textgym.envs.mcqa.mcqa_env import MCQA
from textgym.messages import assistant
from textgym.policies import Action, Policy


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
    def episodes(self) -> int:
        """The number of episodes."""
        return self.concurrency * self.rounds

    @property
    def ideal(self) -> float:
        """The seconds that only waiting takes."""
        return self.rounds * self.seconds


TASKS = 1024
SETTINGS = [
    Setting("64 episodes, a policy of 200 ms", 64, 0.2, 50, 0.98),
    Setting("512 episodes, a policy of 200 ms", 512, 0.2, 50, 0.98),
    Setting("4,096 episodes, a policy of 200 ms", 4096, 0.2, 8, 0.4),
    Setting("4,096 episodes, a policy of 2 s", 4096, 2.0, 8, 0.95),
    Setting("1,024 episodes, a judge of 1 s", 1024, 1.0, 8, 0.90, judged=True),
]
MAX_GROWTH = 1.3  # of the CPU time per episode, from 64 to 4,096 episodes at once
MAX_RATIO = 1.5  # of the CPU times of a rollout and of the plain loop
ROLLOUT, LOOP, FLOOR = "textgym.rollout", "plain asyncio loop", "asyncio.sleep alone (the floor)"


@dataclass
class Case:
    """One way to play the episodes of a setting.

    Attributes:
        setting: The setting.
        play: Plays all episodes.
        cpu: The microseconds of CPU per episode, one figure for each round.
    """

    setting: Setting
    play: Callable[[], object]
    cpu: list[float] = field(default_factory=list)

    def __call__(self) -> float:
        """Play all episodes, and return the share of the ideal rate."""
        begun, busy = time.perf_counter(), time.process_time()
        self.play()
        seconds, busy = time.perf_counter() - begun, time.process_time() - busy
        self.cpu.append(busy / self.setting.episodes * 1e6)
        return self.setting.ideal / seconds


def through_rollout(setting: Setting, dataset: str, folders: Iterator[Path]) -> None:
    """Play through `textgym.rollout`."""
    run = textgym.rollout(
        lambda: (SlowJudge if setting.judged else MCQA)(dataset=dataset),
        "random" if setting.judged else SlowPolicy(setting.seconds),
        episodes=min(TASKS, setting.episodes // 4),
        repeats=max(4, setting.episodes // TASKS),
        concurrency=setting.concurrency,
        out=next(folders),
    )
    check_run(run, setting.episodes)


def through_loop(setting: Setting, dataset: str, folders: Iterator[Path]) -> None:
    """Play in coroutines that each reset and step an environment, and write records as JSON.

    The records are about as large as a rollout's; there are no metrics and no retries.
    """
    policy = SlowPolicy(setting.seconds)
    (sample,) = textgym.rollout(lambda: MCQA(dataset=dataset), "random", episodes=1).trajectories()

    async def worker(file: Any, first: int) -> None:
        env = MCQA(dataset=dataset)
        for number in range(first, first + setting.rounds):
            index = number % TASKS
            messages, info = env.reset(seed=index, options={"index": index})
            action = await policy.act(messages, info["tools"], seed=number)
            messages, reward, _, _, info = env.step(action.message)
            record = {"task_index": index, "messages": messages, "reward": reward, "info": info}
            file.write(json.dumps({**sample, **record}) + "\n")

    async def workers() -> None:
        with next(folders).open("w") as file:
            firsts = range(0, setting.episodes, setting.rounds)
            await asyncio.gather(*(worker(file, first) for first in firsts))

    asyncio.run(workers())


def through_sleep(setting: Setting) -> None:
    """Wait in coroutines that only sleep."""

    async def worker() -> None:
        for _ in range(setting.rounds):
            await asyncio.sleep(setting.seconds)

    async def workers() -> None:
        await asyncio.gather(*(worker() for _ in range(setting.concurrency)))

    asyncio.run(workers())


def cases(setting: Setting, dataset: str, folder: str) -> dict[str, Case]:
    """Return the floor, the loop where a policy waits, and the rollout."""
    folders = (Path(folder) / f"{setting.name}-{number}" for number in itertools.count())
    found = {FLOOR: Case(setting, lambda: through_sleep(setting))}
    if not setting.judged:
        found[LOOP] = Case(setting, lambda: through_loop(setting, dataset, folders))
    found[ROLLOUT] = Case(setting, lambda: through_rollout(setting, dataset, folders))
    return found


def main() -> None:
    """Measure, and print two tables for each setting."""
    rounds = 1 if asked_quick(__doc__) else 5
    cpu: dict[str, Figures] = {}
    with tempfile.TemporaryDirectory() as folder:
        dataset = write_rows(folder, TASKS)
        for setting in SETTINGS:
            mine = cases(setting, dataset, folder)
            print(shares_table(setting.name, measure(mine, rounds), setting.aim))
            cpu[setting.name] = {name: case.cpu[1:] for name, case in mine.items()}
            print(table("CPU microseconds per episode", cpu[setting.name]), flush=True)
    few, many = (statistics.median(cpu[SETTINGS[n].name][ROLLOUT]) for n in (0, 2))
    loop = statistics.median(cpu[SETTINGS[2].name][LOOP])
    print(aim("CPU per episode, 4,096 at once relative to 64", many / few, MAX_GROWTH, ""))
    print(aim("CPU per episode, a rollout relative to the loop", many / loop, MAX_RATIO, ""))


if __name__ == "__main__":
    main()
