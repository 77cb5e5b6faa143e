"""The log probabilities that a TRL trainer computes, compared with those of the rollout."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from textgym.policies.model_modes import evaluation_mode
from textgym.training.logprob_gap import LogprobGap, default_bound, logprob_gap
from textgym.training.trl.tokenizers import tokenizer_of
from textgym.trajectories.token_rows import TokenRow

__all__ = ["bound_of", "compare_logprobs", "trainer_logprobs"]

COMPARED_ROWS = 8  # of a batch


def bound_of(trainer: Any) -> float:
    """Return how far log probabilities may be apart with the precision of a trainer."""
    arguments = trainer.args  # a model in float32 is computed in these under autocast
    mixed = "bfloat16" if arguments.bf16 else "float16" if arguments.fp16 else None
    return default_bound(mixed or trainer.model.dtype)


def compare_logprobs(rows: Sequence[TokenRow], trainer: Any) -> LogprobGap:
    """Compare the log probabilities of some rows with those that a trainer computes, and log them.

    Args:
        rows: The rows of a batch.
        trainer: The `GRPOTrainer`.
    """
    chosen = [row for row in rows if any(row.completion_mask)][:COMPARED_ROWS]
    with evaluation_mode(trainer.model):  # as the policy sampled
        computed = trainer_logprobs(chosen, trainer)
    gap = logprob_gap(
        (row.logprobs, logprobs, row.completion_mask)
        for row, logprobs in zip(chosen, computed, strict=True)
    )
    trainer._log_metric("logprob_gap/largest", gap.largest)
    trainer._log_metric("logprob_gap/mean", gap.mean)
    return gap


def trainer_logprobs(rows: Sequence[TokenRow], trainer: Any) -> list[list[float]]:
    """Return the log probabilities of completions as the trainer computes them."""
    import torch
    from trl.trainer.utils import pad

    if not rows:
        return []
    device, pad_id = trainer.accelerator.device, tokenizer_of(trainer).pad_token_id

    def padded(values: Sequence[Sequence[int]], fill: int, side: str) -> Any:
        tensors = [torch.tensor(row) for row in values]
        return pad(tensors, padding_value=fill, padding_side=side).to(device)

    prompts = [row.prompt_ids for row in rows]
    completions = [row.completion_ids for row in rows]
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
    return [values[: len(row)] for values, row in zip(logprobs.tolist(), completions, strict=True)]
