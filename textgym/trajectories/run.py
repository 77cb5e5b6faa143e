"""`Run`: what a rollout gives back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from textgym.trajectories.batch import Batch, make_batch
from textgym.trajectories.data_digests import Data
from textgym.trajectories.schema import Trajectory
from textgym.trajectories.store import read_trajectories

__all__ = ["Run"]


@dataclass(frozen=True)
class Run:
    """A finished rollout.

    Attributes:
        metrics: The figures of `compute_metrics`: `overall`, and `envs` by id.
        out: The folder that holds the run; None where it is held in memory.
        kept: The trajectories in memory, where there is no folder.
        given_up: Whether the first episodes all failed, so that the rest was not played.
        data: For each environment with data sets, their digests by name.
    """

    metrics: dict[str, Any]
    out: Path | None
    kept: tuple[Trajectory, ...] = ()
    given_up: bool = False
    data: Data = field(default_factory=dict)

    @property
    def mean_reward(self) -> float | None:
        """The mean reward over all episodes that did not fail."""
        mean: float | None = self.metrics["overall"]["mean_reward"]
        return mean

    def trajectories(self) -> Iterator[Trajectory]:
        """Give the trajectories, from the folder or from memory."""
        return iter(self.kept) if self.out is None else read_trajectories(self.out)

    def to_batch(
        self, *, advantage: str = "grpo", pad_id: int = 0, padding_side: str = "right"
    ) -> Batch:
        """Return what a trainer needs of the episodes, in padded arrays.

        Args:
            advantage: `grpo`, `dr_grpo` (without the standard deviation) or `rloo` (leave one out):
                see `textgym.trajectories.advantages`.
            pad_id: The token that fills rows up.
            padding_side: `left` or `right`.

        Raises:
            UsageError: An argument cannot be, or the policy gave no tokens.
        """
        return make_batch(
            self.trajectories(), advantage=advantage, pad_id=pad_id, padding_side=padding_side
        )
