"""Checkpoints inside a generation, from which TRL does not continue the same training.

TRL samples a batch for `steps_per_generation` micro-batches and uses it `num_iterations` times.
Checkpoints do not hold that batch. A training run that is resumed inside it samples the batch
again, and from then on trains on other parts of the data than without the interruption.

Invariant: a training run either continues as it would have without the interruption, or is refused
before its first update.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

from textgym.errors import UsageError

__all__ = ["check_checkpoints"]


def check_checkpoints(trainer: Any) -> None:
    """Check, in the first batch of a training run, where its checkpoints are.

    A warning says that checkpoints will be inside a generation.

    Args:
        trainer: The `GRPOTrainer`, which is about to sample a batch for training.

    Raises:
        UsageError: The training was resumed from a checkpoint inside a generation.
    """
    if trainer._step:  # micro-batches since the training began or was resumed
        return
    arguments, step = trainer.args, trainer.state.global_step
    micro_batches = arguments.steps_per_generation * trainer.num_iterations
    per_step = arguments.gradient_accumulation_steps
    period = micro_batches // math.gcd(micro_batches, per_step)
    if step % period and not arguments.ignore_data_skip:
        raise UsageError(
            f"the checkpoint of step {step} is inside a generation, and TRL would not train on the "
            f"same data as without the interruption: resume from a multiple of {period} steps"
        )
    if arguments.save_strategy == "steps" and trainer.state.save_steps % period:
        warnings.warn(
            f"checkpoints of every {trainer.state.save_steps} steps are inside generations, and no "
            f"training can be resumed from them: save_steps must be a multiple of {period}",
            RuntimeWarning,
            stacklevel=2,
        )
