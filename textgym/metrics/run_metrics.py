"""What a run's trajectories say, for each environment, level and category, and overall."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any

from textgym.errors import RunError
from textgym.metrics.episode_table import Episodes, Tally
from textgym.metrics.figures import figures
from textgym.metrics.repeats import TaskValues, task_values
from textgym.trajectories.schema import Trajectory
from textgym.trajectories.store import read_trajectories

__all__ = ["GROUPS", "RunTally", "Tally", "by_label", "compute_metrics", "read_tally"]

GROUPS = {"levels": "level", "categories": "category"}  # the figures' names, the labels' names


class RunTally(Tally):
    """Counts a run's trajectories, and gives the figures of the run."""

    def metrics(self) -> dict[str, Any]:
        """Return all figures.

        `overall` holds those of all episodes, and `envs` for each id those of its own, with
        `levels` and `categories`: the figures of the episodes of each, where tasks have a level or
        a category. The figures by their names are those of `textgym.metrics.figures.figures`.
        """
        episodes = self.table()
        values, by_env = task_values(episodes), sorted(episodes.split("env").items())
        return {
            "overall": figures(episodes, values),
            "envs": {name: _with_groups(mine, values) for name, mine in by_env},
        }


def compute_metrics(trajectories: Iterable[Trajectory]) -> dict[str, Any]:
    """Return the figures of some trajectories: see `RunTally.metrics`."""
    tally = RunTally()
    for trajectory in trajectories:
        tally.add(trajectory)
    return tally.metrics()


def read_tally(
    path: str | os.PathLike[str], on_episode: Callable[[Trajectory], None] | None = None
) -> RunTally:
    """Count the trajectories that a folder holds, one after the other.

    Args:
        path: The folder of a run.
        on_episode: Called with each trajectory.

    Raises:
        RunError: The folder holds no run, no episode, or one that cannot be read.
    """
    tally = RunTally()
    for trajectory in read_trajectories(path):
        try:
            tally.add(trajectory)
        except Exception as error:  # whatever a line that is JSON and no trajectory leads to
            raise RunError(
                f"episode {tally.episodes + 1} of {os.fspath(path)!r} is no trajectory: "
                f"{type(error).__name__}: {error}"
            ) from None
        if on_episode:
            on_episode(trajectory)
    if not tally.episodes:
        raise RunError(f"{os.fspath(path)!r} holds no episodes")
    return tally


def by_label(name: str) -> tuple[bool, int, str]:
    """Return where a level or category stands among others: numbers first, by their size.

    Example:
        >>> sorted(["hard", "10", "2"], key=by_label)
        ['2', '10', 'hard']
    """
    whole = name.isascii() and name.isdigit()
    return not whole, int(name) if whole else 0, name


def _with_groups(episodes: Episodes, values: TaskValues) -> dict[str, Any]:
    found = figures(episodes, values)
    for group, label in GROUPS.items():
        parts = episodes.split(label)
        found[group] = {name: figures(parts[name], values) for name in sorted(parts, key=by_label)}
    return found
