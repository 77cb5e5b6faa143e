"""The progress of a run as a person sees it: a bar on a terminal, now and then a line elsewhere."""

from __future__ import annotations

import sys
import time
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from textgym.trajectories.schema import Trajectory

__all__ = ["RunProgress"]

_SECONDS_BETWEEN_UPDATES = 0.1
_SECONDS_BETWEEN_LINES = 10  # where no bar can be shown


class RunProgress:
    """Counts episodes, and shows how many there are and their mean reward.

    Attributes:
        asked: How many episodes are to be played; None before the run begins.
        played: How many have been.
    """

    def __init__(self, console: Console) -> None:
        self.asked: int | None = None
        self.played = self._failed = 0
        self._rewards = 0.0
        self._is_shown = console.is_terminal
        self._told = time.monotonic()
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
        self._line = self._bar.add_task("playing", total=None, state="")

    def __enter__(self) -> RunProgress:
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bar.stop()

    def begin(self, asked: int) -> None:
        """Take the number of episodes to play."""
        self.asked = asked
        self._bar.update(self._line, total=asked)

    def count(self, trajectory: Trajectory) -> None:
        """Count an episode that ended; show it where it is time to."""
        self.played += 1
        if trajectory["reward"] is None:
            self._failed += 1
        else:
            self._rewards += trajectory["reward"]
        now = time.monotonic()
        if self._is_shown and now - self._told > _SECONDS_BETWEEN_UPDATES:
            self._bar.update(self._line, completed=self.played, state=self._state())
            self._told = now
        elif now - self._told > _SECONDS_BETWEEN_LINES:
            print(f"{self.played} of {self.asked} episodes, {self._state()}", file=sys.stderr)
            self._told = now

    def _state(self) -> str:
        graded = self.played - self._failed
        mean = f"mean reward {self._rewards / graded:.3f}" if graded else "no reward yet"
        return f"{mean}, {self._failed} failed" if self._failed else mean
