"""Recording a run: `RunRecorder` takes each trajectory, `RunProgress` counts, `RunLog` logs errors.

A trajectory is written to the run's folder, or kept in memory, before anything else happens. A run
whose first episodes all fail is stopped early. Episodes that a time limit cut before they were
graded are counted, and logged at the end of the run. Every failure is recorded in its trajectory;
the log shows the first failure of each class at once, with its traceback.

Progress is a bar on a terminal and in notebooks that have `ipywidgets`, and lines on stderr
elsewhere.
"""

from __future__ import annotations

import importlib.util
import logging
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import gymnasium as gym
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from textgym.errors import UsageError
from textgym.metrics.episode_table import EpisodeTable
from textgym.metrics.run_metrics import run_metrics
from textgym.policies import Policy
from textgym.trajectories.episode_record import failure_of
from textgym.trajectories.run_folder import Run, RunFolder
from textgym.trajectories.schema import Failure, Trajectory
from textgym.trajectories.task_identity import DataDigests

__all__ = ["MAX_INITIAL_FAILURES", "RunLog", "RunProgress", "RunRecorder"]

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


MAX_INITIAL_FAILURES = 100
"""A longer run is stopped early if its first episodes, this many, all fail."""

_log = logging.getLogger(__name__)


class RunRecorder:
    """Records the trajectories of a run.

    Args:
        folder: The run's folder; None keeps the trajectories in memory.
        planned: How many episodes the run has.
        digests: The digests of the run's data sets.
        rows: The rows that were given as tasks, by environment.
        takers: Each is called with every trajectory.

    Attributes:
        remaining: How many episodes are still to be played.
    """

    def __init__(
        self,
        folder: RunFolder | None,
        planned: int,
        digests: DataDigests,
        rows: Mapping[str, Sequence[Mapping[str, Any]]],
        takers: Sequence[Callable[[Trajectory], None]],
    ) -> None:
        self.remaining = planned
        self._planned = planned
        self._folder = folder
        self._digests = digests
        self._rows = rows
        self._takers = takers
        self._in_memory: list[Trajectory] = []
        self._episode_table = EpisodeTable()
        self._played = self._failed = 0
        self._stopped_early = False
        self._ungraded: Counter[str] = Counter()

    def add_completed(self, completed: EpisodeTable) -> None:
        """Count the episodes that were in the folder before the run was resumed."""
        self._episode_table = completed
        self.remaining -= completed.num_episodes

    def add(self, trajectory: Trajectory) -> bool:
        """Record a trajectory; return False if the run should be stopped."""
        if self._folder:
            self._folder.add(trajectory)
        else:
            self._in_memory.append(trajectory)
        self._episode_table.add(trajectory)
        for take in self._takers:
            take(trajectory)
        self._played += 1
        if trajectory["stop_reason"] == "time" and "is_success" not in trajectory["info"]:
            self._ungraded[trajectory["env_id"]] += 1
        failure = trajectory["failure"]
        self._failed += failure is not None
        if failure and self._played == self._failed == MAX_INITIAL_FAILURES < self.remaining:
            self._stop(failure)
        return not self._stopped_early

    def _stop(self, last: Failure) -> None:
        self._stopped_early = True
        _log.error(
            "the first %d episodes all failed, so the run was stopped; the last failure: %s: %s",
            self._played,
            last["type"],
            last["message"],
        )

    def finish(self) -> Run:
        """Write the metrics, and return the run so far."""
        for id, count in self._ungraded.items():
            _log.warning(
                "%s: a time limit cut %d of the episodes before they were graded, so their rewards "
                "are those so far: raise max_episode_steps, or limit the turns of the environment",
                id,
                count,
            )
        metrics = run_metrics(self._episode_table, self._planned)
        if self._folder:
            self._folder.write_metrics(metrics)
        path = self._folder.path if self._folder else None
        return Run(
            metrics, path, tuple(self._in_memory), self._stopped_early, self._digests, self._rows
        )


class RunLog:
    """Logs the first failure of each environment and policy class of a run.

    Example:
        >>> import gymnasium, textgym
        >>> log = RunLog()
        >>> log.close(gymnasium.make("textgym/MCQA-v0"))  # logs an error instead of raising it
    """

    def __init__(self) -> None:
        self._logged: set[tuple[str, str]] = set()

    def add_failure(self, owner: object, error: BaseException) -> None:
        """Log a failed episode.

        Args:
            owner: The environment or policy that failed, or the id of an environment that could
                not be made.
            error: The error.
        """
        self._warn("%s failed (later failures of this class are only recorded)", owner, error)

    def close(self, env: gym.Env[Any, Any]) -> None:
        """Close an environment; an error is logged, because it must not end the run."""
        try:
            env.close()
        except Exception as error:
            self._warn("%s could not be closed", env.unwrapped, error)

    async def close_policy(self, policy: Policy) -> None:
        """Close a policy; an error is logged, because it must not end the run."""
        try:
            await policy.close()
        except Exception as error:
            self._warn("%s could not be closed", policy, error)

    def _warn(self, text: str, owner: object, error: BaseException) -> None:
        """Log an error once; a `UsageError` without its traceback, which would not help."""
        kind = type(owner)
        name = owner if isinstance(owner, str) else f"{kind.__module__}.{kind.__qualname__}"
        if (text, name) not in self._logged:
            self._logged.add((text, name))
            traceback = None if isinstance(error, UsageError) else error
            message = failure_of(error)["message"].strip().partition("\n")[0]
            _log.warning(f"{text}: %s: %s", name, type(error).__name__, message, exc_info=traceback)
