"""The metrics of a run: overall, and for each environment, level and category."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from textgym.errors import RunError
from textgym.metrics.episode_table import EpisodeTable, EpisodeView
from textgym.metrics.group_metrics import group_metrics
from textgym.metrics.repeats import TaskValues, task_values
from textgym.metrics.run_index import RunIndex, read_index
from textgym.trajectories.run import Run
from textgym.trajectories.run_folder import read_config
from textgym.trajectories.schema import Trajectory

__all__ = [
    "GROUPS",
    "RunLike",
    "StoredRun",
    "as_episode_table",
    "compute_metrics",
    "label_order",
    "planned_episodes",
    "read_episode_table",
    "run_metrics",
    "splits_of",
    "table_of",
]

RunLike = EpisodeTable | Run | str | os.PathLike[str] | Iterable[Trajectory]
"""The episodes of a run: a `Run`, the path of its folder, its trajectories, or their table."""

GROUPS = {"levels": "level", "categories": "category"}  # key in the metrics: column of the table


def run_metrics(table: EpisodeTable, planned: int | None = None) -> dict[str, Any]:
    """Return the metrics of a run.

    Args:
        table: The episodes of the run.
        planned: How many episodes the complete run has; None if that is not known.

    Returns:
        `planned_episodes`; `overall`, the metrics of all episodes; and `envs`, the metrics of each
        environment by id. An environment also has `levels` and `categories`, the metrics of each
        level and category of its tasks. `textgym.metrics.group_metrics.group_metrics` lists the
        metrics.
    """
    episodes = table.view()
    values, by_env = task_values(episodes), sorted(episodes.split("env").items())
    return {
        "planned_episodes": planned,
        "overall": group_metrics(episodes, values),
        "envs": {id: _with_groups(env_episodes, values) for id, env_episodes in by_env},
    }


def compute_metrics(run: RunLike) -> dict[str, Any]:
    """Return the metrics of a run: see `run_metrics`.

    Args:
        run: A `Run`, the path of its folder, or trajectories.

    Raises:
        RunError: The folder contains no run, no episodes, or an episode that cannot be read.
    """
    return run_metrics(as_episode_table(run))


def as_episode_table(run: RunLike) -> EpisodeTable:
    """Return the table of a run's episodes.

    Raises:
        RunError: The folder contains no run, no episodes, or an episode that cannot be read.
    """
    if isinstance(run, EpisodeTable):
        return run
    if isinstance(run, Run):
        run = run.in_memory if run.out is None else run.out
    if isinstance(run, (str, os.PathLike)):
        return read_episode_table(run)
    table = EpisodeTable()
    for trajectory in run:
        table.add(trajectory)
    return table


def planned_episodes(config: Mapping[str, Any]) -> int | None:
    """Return how many episodes a run has according to its `run.json`; None if it is not stated.

    Example:
        >>> planned_episodes({"tasks": {"demo/A-v0": 10, "demo/B-v0": 5}, "repeats": 4})
        60
    """
    tasks, repeats = config.get("tasks"), config.get("repeats")
    if not isinstance(tasks, dict) or not isinstance(repeats, int):
        return None
    has_curriculum = config.get("curriculum") is not None  # which divides the tasks as it goes
    counts: list[Any] = [config.get("episodes")] if has_curriculum else list(tasks.values())
    return sum(counts) * repeats if all(type(n) is int for n in counts) else None


def splits_of(config: Mapping[str, Any]) -> dict[str, str]:
    """Return the split that was played of each environment, as far as `run.json` states it."""
    splits = config.get("splits")
    return splits if isinstance(splits, dict) else {}


def read_episode_table(path: str | os.PathLike[str]) -> EpisodeTable:
    """Return the table of the episodes of a stored run.

    Args:
        path: The folder of the run.

    Raises:
        RunError: The folder contains no run, no episodes, or an episode that cannot be read.
    """
    return table_of(read_index(path), path)


def table_of(index: RunIndex, path: str | os.PathLike[str]) -> EpisodeTable:
    """Return the table of a run's index.

    Raises:
        RunError: The run contains no episodes, or one that is not a valid trajectory.
    """
    if index.problem:
        raise RunError(index.problem)
    if not index.table.num_episodes:
        raise RunError(f"{os.fspath(path)!r} contains no episodes")
    return index.table


@dataclass(frozen=True)
class StoredRun:
    """A run that was read from its folder.

    Attributes:
        path: Its folder.
        config: Its `run.json`; empty if that cannot be read.
        policies: The names of the policies that played it.
        table: Its episodes.
        metrics: Its metrics.
    """

    path: Path
    config: dict[str, Any]
    policies: tuple[str, ...]
    table: EpisodeTable
    metrics: dict[str, Any]

    @classmethod
    def read(
        cls, path: str | os.PathLike[str], on_episode: Callable[[], None] | None = None
    ) -> StoredRun:
        """Read a run.

        Args:
            path: The folder of the run.
            on_episode: Called for each line that is parsed.

        Raises:
            RunError: The folder contains no run, no episodes, or an episode that cannot be read.
        """
        index, config = read_index(path, on_episode), read_config(path)
        table = table_of(index, path)
        metrics = run_metrics(table, planned_episodes(config))
        return cls(Path(path), config, index.policies, table, metrics)

    def headlines(self, name: str = "") -> list[str]:
        """Return a line about the run, and another one if its episodes are not complete.

        Args:
            name: What the lines begin with.
        """
        metrics = self.metrics["overall"]
        failed = f", {metrics['failures']:,} failed" if metrics["failures"] else ""
        tasks = f"{metrics['tasks']:,} tasks, {metrics['episodes']:,} episodes{failed}"
        lines = [f"{name}{self.path}: {', '.join(self.policies)}, {tasks}"]
        stored, planned = self.table.num_episodes, self.metrics["planned_episodes"]
        if planned is not None and stored < planned:
            lines.append(f"{name}partial run: {stored:,} of {planned:,} episodes are stored")
        return lines


def label_order(name: str) -> tuple[bool, int, str]:
    """Return a sort key for levels and categories: numbers first, by value.

    Example:
        >>> sorted(["hard", "10", "2"], key=label_order)
        ['2', '10', 'hard']
    """
    is_number = name.isascii() and name.isdigit()
    return not is_number, int(name) if is_number else 0, name


def _with_groups(episodes: EpisodeView, values: TaskValues) -> dict[str, Any]:
    metrics = group_metrics(episodes, values)
    for group, label in GROUPS.items():
        parts = episodes.split(label)
        metrics[group] = {
            name: group_metrics(parts[name], values) for name in sorted(parts, key=label_order)
        }
    return metrics
