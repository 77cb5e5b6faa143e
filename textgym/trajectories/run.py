"""A finished run: its metrics and its episodes, in memory or in a folder."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from textgym.errors import RunError
from textgym.tasks.rows import data_library
from textgym.trajectories.batch import Batch, make_batch
from textgym.trajectories.episode_record import components_of
from textgym.trajectories.run_folder import open_trajectories, read_config, read_trajectories
from textgym.trajectories.schema import Trajectory
from textgym.trajectories.task_identity import DataDigests

__all__ = ["Run"]


@dataclass(frozen=True, repr=False)
class Run:
    """A finished rollout.

    Attributes:
        metrics: The metrics of all episodes under `overall`, and of each environment under `envs`.
        out: The folder that holds the run; None if it is held in memory.
        in_memory: The trajectories, if there is no folder.
        stopped_early: Whether the run was stopped because its first episodes all failed.
        data: The digests of each environment's data sets, by environment and name.
        rows: The rows that were given as tasks, by environment.

    Example:
        >>> import textgym
        >>> run = textgym.rollout("textgym/MCQA-v0", "oracle", episodes=3)
        >>> run
        <Run of 3 episodes in memory: mean reward 1.000, 0 failures>
        >>> sorted(trajectory["task_id"] for trajectory in run.trajectories())
        ['test-mixed-0', 'test-mixed-1', 'test-mixed-2']
    """

    metrics: dict[str, Any]
    out: Path | None
    in_memory: tuple[Trajectory, ...] = ()
    stopped_early: bool = False
    data: DataDigests = field(default_factory=dict)
    rows: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> Run:
        """Return a run that was written to a folder.

        Args:
            folder: The folder, such as the `out` of `rollout`.

        Raises:
            RunError: The folder holds no run, or one that has not finished.
        """
        path = Path(folder)
        with open_trajectories(path):
            pass
        try:
            metrics = orjson.loads((path / "metrics.json").read_bytes())
        except (OSError, ValueError) as error:
            raise RunError(
                f"{str(path)!r} holds a run without metrics.json, which has not finished: resume "
                "it, or read its episodes with textgym.trajectories.run_folder.read_trajectories"
            ) from error
        return cls(metrics, path, data=read_config(path).get("data") or {})

    def __repr__(self) -> str:
        overall, where = self.metrics["overall"], "memory" if self.out is None else str(self.out)
        reward = "none" if self.mean_reward is None else f"{self.mean_reward:.3f}"
        return (
            f"<Run of {overall['episodes']} episodes in {where}: mean reward {reward}, "
            f"{overall['failures']} failures>"
        )

    @property
    def mean_reward(self) -> float | None:
        """The mean reward over all episodes that did not fail."""
        mean: float | None = self.metrics["overall"]["mean_reward"]
        return mean

    def trajectories(self) -> Iterator[Trajectory]:
        """Yield the trajectories, from the folder or from memory."""
        return iter(self.in_memory) if self.out is None else read_trajectories(self.out)

    def to_batch(
        self,
        *,
        advantage: str = "grpo",
        credit: str = "episode",
        component_weights: Mapping[str, float] | None = None,
        pad_id: int = 0,
        padding_side: str = "right",
    ) -> Batch:
        """Return the episodes as padded arrays for a trainer.

        Args:
            advantage: `grpo`, `dr_grpo` (without the standard deviation), `rloo` (leave one out) or
                `gdpo` (components one by one): see `textgym.trajectories.advantages`.
            credit: `episode`, or `turn`: see `make_batch`.
            component_weights: For `gdpo`, the weights of the reward components that count.
            pad_id: The token id that fills up rows.
            padding_side: `left` or `right`.

        Raises:
            UsageError: An argument is invalid, or the policy reported no tokens.
        """
        return make_batch(
            self.trajectories(),
            advantage=advantage,
            credit=credit,
            component_weights=component_weights,
            pad_id=pad_id,
            padding_side=padding_side,
        )

    def to_pandas(self) -> Any:
        """Return a `pandas.DataFrame` with one row per episode.

        Its columns are `env_id`, `task_id`, `task_index`, `repeat`, `level`, `category`, `reward`,
        `is_success`, `stop_reason`, `turns`, `tokens` (sampled ones, 0 if none are recorded),
        `seconds`, `failure` (its type), and `component.NAME` for each reward component.

        Raises:
            ExtraMissingError: The extra `data` is not installed.
        """
        return data_library("pandas").DataFrame(map(_table_row, self.trajectories()))


def _table_row(trajectory: Trajectory) -> dict[str, Any]:
    info, failure = trajectory["info"], trajectory["failure"]
    return {
        **{key: trajectory.get(key) for key in ("env_id", "task_id", "task_index", "repeat")},
        **{key: info.get(key) for key in ("level", "category")},
        **{key: trajectory.get(key) for key in ("reward", "is_success", "stop_reason")},
        "turns": len(trajectory["steps"]),
        "tokens": sum(len(step["token_ids"] or ()) for step in trajectory["steps"]),
        "seconds": trajectory["seconds"],
        "failure": failure["type"] if failure else None,
        **{f"component.{name}": total for name, total in components_of(trajectory).items()},
    }
