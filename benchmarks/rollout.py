"""Episodes per second through `textgym.rollout`, written to disk, beside a plain loop."""

from __future__ import annotations

import json
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
from measure import aim, asked_quick, measure, table, write_rows

import textgym
from textgym.trajectories.schema import Trajectory

ID = "textgym/MCQA-v0"


def through_rollout(dataset: str, tasks: int, repeats: int, folder: Path) -> float:
    """Return the episodes per second of `rollout` with the oracle."""
    begun = time.perf_counter()
    run = textgym.rollout(
        ID, "oracle", episodes=tasks, repeats=repeats, env_kwargs={"dataset": dataset}, out=folder
    )
    seconds = time.perf_counter() - begun
    if run.mean_reward != 1.0:
        raise SystemExit(f"the oracle's mean reward is {run.mean_reward}, not 1")
    return tasks * repeats / seconds


def through_loop(dataset: str, repeats: int, records: list[Trajectory], out: Path) -> float:
    """Return the episodes per second of a loop that writes records of about the same size.

    Args:
        dataset: The file of rows.
        repeats: Episodes per task.
        records: A trajectory of each task.
        out: The file to write.
    """
    begun = time.perf_counter()
    env = gymnasium.make(ID, dataset=dataset)
    oracle: Any = env.unwrapped
    with out.open("w") as file:
        for index, record in enumerate(records):
            for repeat in range(repeats):
                env.reset(seed=index, options={"index": index})
                env.step(oracle.solve())
                file.write(json.dumps(record | {"repeat": repeat}) + "\n")
    return len(records) * repeats / (time.perf_counter() - begun)


def main() -> None:
    """Measure, and print the table."""
    quick = asked_quick(__doc__)
    rounds, tasks, repeats = (3, 200, 5) if quick else (7, 1000, 10)
    with tempfile.TemporaryDirectory() as folder:
        dataset = write_rows(folder, tasks)
        names: Iterator[Path] = (Path(folder) / f"run-{number}" for number in range(10**6))
        sample = textgym.rollout(ID, "oracle", episodes=tasks, env_kwargs={"dataset": dataset})
        records = sorted(sample.trajectories(), key=lambda record: record["task_index"])
        figures = measure(
            {
                "plain loop (the floor)": lambda: through_loop(
                    dataset, repeats, records, next(names)
                ),
                "textgym.rollout, oracle": lambda: through_rollout(
                    dataset, tasks, repeats, next(names)
                ),
            },
            rounds,
        )
    print(table(f"episodes per second, {tasks:,} rows x {repeats}", figures, digits=0))
    rate = statistics.median(figures["textgym.rollout, oracle"])
    print(aim("a rollout", rate, 10_000, "episodes per second", at_least=True))


if __name__ == "__main__":
    main()
