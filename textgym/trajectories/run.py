"""`Run`: what a rollout returns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from textgym.trajectories.batch import Batch, make_batch
from textgym.trajectories.data_digests import DataDigests
from textgym.trajectories.run_folder import read_trajectories
from textgym.trajectories.schema import Trajectory

__all__ = ["Run"]


@dataclass(frozen=True)
class Run:
    """A finished rollout.

    Attributes:
        metrics: The metrics of all episodes under `overall`, and of each environment under `envs`.
        out: The folder that holds the run; None if it is held in memory.
        in_memory: The trajectories, if there is no folder.
        stopped_early: Whether the run was stopped because its first episodes all failed.
        data: The digests of each environment's data sets, by environment and name.
        rows: The rows that were given as tasks, by environment.
    """

    metrics: dict[str, Any]
    out: Path | None
    in_memory: tuple[Trajectory, ...] = ()
    stopped_early: bool = False
    data: DataDigests = field(default_factory=dict)
    rows: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)

    @property
    def mean_reward(self) -> float | None:
        """The mean reward over all episodes that did not fail."""
        mean: float | None = self.metrics["overall"]["mean_reward"]
        return mean

    def trajectories(self) -> Iterator[Trajectory]:
        """Yield the trajectories, from the folder or from memory."""
        return iter(self.in_memory) if self.out is None else read_trajectories(self.out)

    def to_batch(
        self, *, advantage: str = "grpo", pad_id: int = 0, padding_side: str = "right"
    ) -> Batch:
        """Return the episodes as padded arrays for a trainer.

        Args:
            advantage: `grpo`, `dr_grpo` (without the standard deviation) or `rloo` (leave one out):
                see `textgym.trajectories.advantages`.
            pad_id: The token id that fills up rows.
            padding_side: `left` or `right`.

        Raises:
            UsageError: An argument is invalid, or the policy reported no tokens.
        """
        return make_batch(
            self.trajectories(), advantage=advantage, pad_id=pad_id, padding_side=padding_side
        )
