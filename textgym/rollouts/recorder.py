"""Recording a run: `RunRecorder` takes each trajectory once, and `RunLog` logs errors.

A trajectory is written to the run's folder, or kept in memory, before anything else happens. A run
whose first episodes all fail is stopped early. Episodes that a time limit cut before they were
graded are counted, and logged at the end of the run. Every failure is recorded in its trajectory;
the log shows the first failure of each class at once, with its traceback.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import gymnasium as gym

from textgym.errors import JudgeFailure, RewardModelFailure, UsageError
from textgym.metrics.episode_table import EpisodeTable
from textgym.metrics.run_metrics import run_metrics
from textgym.policies import Policy
from textgym.trajectories.episode_record import failure_of
from textgym.trajectories.run import Run
from textgym.trajectories.run_folder import RunFolder
from textgym.trajectories.schema import Failure, Trajectory
from textgym.trajectories.task_identity import DataDigests

__all__ = ["MAX_INITIAL_FAILURES", "RunLog", "RunRecorder"]

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
        stopped_early: Whether the first episodes all failed.
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
        self.stopped_early = False
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
        return not self.stopped_early

    def _stop(self, last: Failure) -> None:
        self.stopped_early = True
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
            metrics, path, tuple(self._in_memory), self.stopped_early, self._digests, self._rows
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
        """Log an error once; without its traceback if the message says all that helps."""
        kind = type(owner)
        name = owner if isinstance(owner, str) else f"{kind.__module__}.{kind.__qualname__}"
        if (text, name) not in self._logged:
            self._logged.add((text, name))
            known = UsageError, JudgeFailure, RewardModelFailure
            traceback = None if isinstance(error, known) else error
            message = failure_of(error)["message"].strip().partition("\n")[0]
            _log.warning(f"{text}: %s: %s", name, type(error).__name__, message, exc_info=traceback)
