"""The log probabilities that a TRL trainer computes, compared with the recorded ones.

Invariants: all processes of a training compute the same number of rows, because a sharded model
(ZeRO-3, FSDP) needs all of them in each forward pass; the result is the same in all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from textgym.policies.models import evaluation_mode
from textgym.training.logprob_gap import LogprobGap, default_bound, logprob_gap
from textgym.training.trl.policies import tokenizer_of
from textgym.training.trl.samples import filler_row
from textgym.trajectories.tokens import TokenRow

__all__ = ["bound_of", "compare_logprobs", "trainer_logprobs"]

COMPARED_ROWS = 8  # of a batch


def bound_of(trainer: Any) -> float:
    """Return the largest difference of log probabilities with the precision of a trainer."""
    arguments = trainer.args  # under autocast, a model in float32 is computed in these
    mixed = "bfloat16" if arguments.bf16 else "float16" if arguments.fp16 else None
    return default_bound(mixed or trainer.model.dtype)


def compare_logprobs(rows: Sequence[TokenRow], trainer: Any) -> LogprobGap:
    """Compare recorded log probabilities with those that a trainer computes, and log the gap.

    Every process of the training must call it, even without rows. It compares up to 8 of its rows.

    Args:
        rows: The rows of this process in a batch.
        trainer: The `GRPOTrainer`.

    Returns:
        The gap over the rows of all processes.
    """
    from accelerate.utils import gather_object

    chosen = [row for row in rows if any(row.completion_mask)][:COMPARED_ROWS]
    with evaluation_mode(trainer.model):  # as while the policy sampled
        computed = trainer_logprobs(chosen, trainer)
    compared = [
        (row.logprobs, logprobs, row.completion_mask)
        for row, logprobs in zip(chosen, computed, strict=True)
    ]
    gap = logprob_gap(gather_object(compared))
    trainer._log_metric("logprob_gap/largest", gap.largest)
    trainer._log_metric("logprob_gap/mean", gap.mean)
    return gap


def trainer_logprobs(rows: Sequence[TokenRow], trainer: Any) -> list[list[float]]:
    """Return the log probabilities of completions as the trainer computes them.

    Every process of the training must call it, even without rows.
    """
    import torch
    from accelerate.utils import gather_object
    from trl.trainer.utils import pad

    device, pad_id = trainer.accelerator.device, tokenizer_of(trainer).pad_token_id
    count = max(gather_object([len(rows)]))
    if not count:
        return []
    computed = [*rows, *[filler_row(pad_id)] * (count - len(rows))]

    def padded(values: Sequence[Sequence[int]], fill: int, side: str) -> Any:
        tensors = [torch.tensor(row) for row in values]
        return pad(tensors, padding_value=fill, padding_side=side).to(device)

    prompts = [row.prompt_ids for row in computed]
    completions = [row.completion_ids for row in computed]
    ids = [padded(prompts, pad_id, "left"), padded(completions, pad_id, "right")]
    ones = [[[1] * len(row) for row in part] for part in (prompts, completions)]
    masks = [padded(ones[0], 0, "left"), padded(ones[1], 0, "right")]
    with torch.no_grad():
        logprobs, _, _ = trainer._get_per_token_logps_and_entropies(
            trainer.model,
            torch.cat(ids, dim=1),
            torch.cat(masks, dim=1),
            ids[1].size(1),
            batch_size=trainer.args.per_device_train_batch_size,
        )
    return [
        values[: len(row.completion_ids)]
        for values, row in zip(logprobs.tolist()[: len(rows)], rows, strict=True)
    ]
