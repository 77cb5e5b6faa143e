"""The progress of a rollout: a bar on a terminal and in notebooks, lines on stderr elsewhere.

A notebook shows the bar if `ipywidgets` is installed.
"""

from __future__ import annotations

import importlib.util
import sys
import time

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from textgym.trajectories.schema import Trajectory

__all__ = ["RunProgress"]

_SECONDS_BETWEEN_UPDATES = 0.1
_SECONDS_BETWEEN_LINES = 10  # if no bar can be shown


class RunProgress:
    """Shows how many episodes were played, and their mean reward.

    Args:
        console: Where the bar is shown.

    Attributes:
        total: How many episodes will be played; None before the run begins.
        played: How many were played.
    """

    def __init__(self, console: Console) -> None:
        self.total: int | None = None
        self.played = self._failed = 0
        self._rewards = 0.0
        self._is_shown = console.is_terminal or (
            console.is_jupyter and importlib.util.find_spec("ipywidgets") is not None
        )
        self._last_update = time.monotonic()
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[state]}"),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=not self._is_shown,
        )
        self._task = self._bar.add_task("playing", total=None, state="")

    def __enter__(self) -> RunProgress:
        self._bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._bar.stop()

    def begin(self, total: int) -> None:
        """Set the number of episodes to play."""
        self.total = total
        self._bar.update(self._task, total=total)

    def count(self, trajectory: Trajectory) -> None:
        """Count an episode, and update the display from time to time."""
        self.played += 1
        if trajectory["reward"] is None:
            self._failed += 1
        else:
            self._rewards += trajectory["reward"]
        now = time.monotonic()
        if self._is_shown and now - self._last_update > _SECONDS_BETWEEN_UPDATES:
            self._bar.update(self._task, completed=self.played, state=self._state())
            self._last_update = now
        elif now - self._last_update > _SECONDS_BETWEEN_LINES:
            print(f"{self.played} of {self.total} episodes, {self._state()}", file=sys.stderr)
            self._last_update = now

    def _state(self) -> str:
        graded = self.played - self._failed
        mean = f"mean reward {self._rewards / graded:.3f}" if graded else "no reward yet"
        return f"{mean}, {self._failed} failed" if self._failed else mean
