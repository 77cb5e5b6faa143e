"""Figures of the trainer's own log: lengths without fillers, and totals over all processes.

TRL counts the completion of each row, including the filler of an episode that failed.

Invariants: a sample without a reward is in no length; totals are of all processes, count every
episode that was played for training, and are continued by a training run that is resumed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from statistics import fmean
from typing import Any

from textgym.training.trl.policies import tokenizer_of
from textgym.training.trl.samples import Sample
from textgym.trajectories.schema import Trajectory

__all__ = ["Totals", "log_lengths"]


class _Replaced(list[float]):
    """The values of a figure of TRL; the value that TRL adds next is replaced."""

    def __init__(self, values: Iterable[float], value: float) -> None:
        super().__init__(values)
        self._value = value

    def append(self, value: float) -> None:
        """Add the value that replaces TRL's."""
        super().append(self._value)


def log_lengths(samples: Sequence[Sample], trainer: Any, mode: str) -> None:
    """Replace the lengths that TRL will log for a batch by lengths without fillers.

    Every process of the training must call it, before TRL logs the batch. A length without any
    completion is NaN, which TRL leaves out of its means.

    Args:
        samples: The samples of this process.
        trainer: The `GRPOTrainer`.
        mode: `train` or `eval`.
    """
    from accelerate.utils import gather_object

    ends = {*trainer.eos_token_ids, tokenizer_of(trainer).pad_token_id}
    own = [
        (
            sum(sum(row.completion_mask) for row in sample.rows),
            sample.rows[-1].completion_ids[-1] in ends,
        )
        for sample in samples
        if sample.reward is not None
    ]
    completions: list[tuple[int, bool]] = gather_object(own)
    lengths = [length for length, _ in completions]
    ended = [length for length, is_ended in completions if is_ended]
    clipped = 1 - len(ended) / len(lengths) if lengths else math.nan
    figures = {
        **_spread(lengths, "length"),
        **_spread(ended, "terminated_length"),
        "clipped_ratio": clipped,
    }
    for name, value in figures.items():
        earlier = trainer._metrics[mode][f"completions/{name}"]
        trainer._metrics[mode][f"completions/{name}"] = _Replaced(earlier, value)


def _spread(lengths: Sequence[int], name: str) -> dict[str, float]:
    """Return mean, minimum and maximum of lengths; NaN if there are none."""
    known: Sequence[float] = lengths or [math.nan]
    return {
        f"mean_{name}": fmean(known),
        f"min_{name}": float(min(known)),
        f"max_{name}": float(max(known)),
    }


class Totals:
    """Counts what all processes of a training run have played since its first step.

    The figures are `totals/episodes`, `totals/tokens` (sampled ones) and `totals/seconds`, which is
    the time of each episode, added up. A training run that is resumed continues the figures that
    were logged before its checkpoint.
    """

    def __init__(self) -> None:
        self._state: Any = None
        self._sums: dict[str, float] = {}

    def log(self, trajectories: Iterable[Trajectory], trainer: Any) -> None:
        """Add the episodes of all processes, and log the sums.

        Args:
            trajectories: The episodes of a batch, those that failed or were replaced included.
            trainer: The `GRPOTrainer`.
        """
        episodes = list(trajectories)
        steps = [step for episode in episodes for step in episode["steps"]]
        added = {
            "episodes": float(len(episodes)),
            "tokens": float(sum(len(step["token_ids"] or ()) for step in steps)),
            "seconds": math.fsum(episode["seconds"] for episode in episodes),
        }
        if self._state is not trainer.state:  # each training has a state of its own
            self._state = trainer.state
            self._sums = {name: _last(trainer.state, f"totals/{name}") for name in added}
        for name, value in added.items():
            self._sums[name] += value
            trainer._metrics["train"][f"totals/{name}"] = [self._sums[name]]  # a sum, not a mean


def _last(state: Any, name: str) -> float:
    """Return the last logged value of a figure up to the present step, or 0."""
    lines = [
        line for line in state.log_history if name in line and line["step"] <= state.global_step
    ]
    return float(lines[-1][name]) if lines else 0.0
