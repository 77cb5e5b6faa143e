"""`EpisodesTrainer`: TRL's `GRPOTrainer` for several token sequences, and for credit of turns.

TRL's loss takes advantages of tokens, but its `GRPOTrainer` computes one for each completion.

Invariants: each sequence of an episode is a row with the episode's advantage; in a loss that is a
mean over rows, an episode counts as one row; in a loss that is a mean or sum over tokens, each of
its tokens counts once; the rows of TRL's own batch stay first and unchanged except for that weight.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from trl import GRPOTrainer

from textgym.errors import UsageError
from textgym.training.trl.policies import tokenizer_of, trainer_logprobs
from textgym.training.trl.samples import Sample, filler_row
from textgym.trajectories.tokens import TokenRow

__all__ = ["EpisodesTrainer", "add_rows", "check_credits_turns", "check_trains_whole"]

_MEAN_OVER_ROWS = ("grpo", "sapo")  # of means over the tokens of each row
_SUM_OVER_ROWS = ("dr_grpo",)  # divided by the number of rows
_OVER_TOKENS = ("dapo", "bnpo", "cispo")


class EpisodesTrainer(GRPOTrainer):  # type: ignore[misc]  # TRL is not typed here
    """A `GRPOTrainer` that trains on whole episodes; see `on_split` and `credit` of `Episodes`.

    An episode whose tokens are in several sequences has a row for each of them, with the episode's
    advantage. With `credit="turn"`, each token has the advantage of its turn. Everything else is as
    in `GRPOTrainer`. Evaluations use only the first row, with the advantage of the episode.

    Example:
        >>> episodes = Episodes("textgym/GuessNumber-v0", on_split="whole")  # doctest: +SKIP
        >>> trainer = EpisodesTrainer(  # doctest: +SKIP
        ...     model,
        ...     train_dataset=episodes.dataset(64),
        ...     rollout_func=episodes.rollout_func,
        ...     reward_funcs=episodes.reward_funcs,
        ... )
    """

    def _generate_and_score_completions(self, inputs: list[dict[str, Any]]) -> dict[str, Any]:
        """Add the further rows and the advantages of turns to a batch that is trained on."""
        batch: dict[str, Any] = super()._generate_and_score_completions(inputs)
        if not self.model.training or "episode" not in inputs[0]:
            return batch
        samples: list[Sample] = [row["episode"] for row in inputs]
        if samples[0].advantages is None:
            return add_rows(batch, samples, self)
        ones = batch["advantages"].new_ones(len(samples))  # each row then has its weight
        grown = add_rows({**batch, "advantages": ones}, samples, self)
        return {**grown, "advantages": _token_advantages(grown, samples)}


def check_trains_whole(trainer: Any) -> None:
    """Check that a trainer can train on episodes with several sequences.

    Raises:
        UsageError: It is not an `EpisodesTrainer`, or has settings that do not fit.
    """
    if not isinstance(trainer, EpisodesTrainer):
        raise UsageError(
            "on_split='whole' needs textgym.training.trl.episodes_trainer.EpisodesTrainer, not "
            f"{type(trainer).__name__}: GRPOTrainer has one row for each prompt"
        )
    known = (*_MEAN_OVER_ROWS, *_SUM_OVER_ROWS, *_OVER_TOKENS)
    if trainer.loss_type not in known:
        raise UsageError(
            f"on_split='whole' needs GRPOConfig.loss_type={' or '.join(known)}, not "
            f"{trainer.loss_type!r}"
        )
    if trainer.use_vllm:
        raise UsageError("on_split='whole' cannot be used with use_vllm=True")
    required: dict[str, Any] = {
        "beta": 0.0,
        "mask_truncated_completions": False,
        "importance_sampling_level": "token",
        "off_policy_mask_threshold": None,
    }
    for name, value in required.items():
        if getattr(trainer, name) != value:
            raise UsageError(
                f"on_split='whole' needs GRPOConfig.{name}={value!r}, not "
                f"{getattr(trainer, name)!r}: it would count each sequence of an episode by itself"
            )


def check_credits_turns(trainer: Any, functions: Sequence[Any]) -> None:
    """Check that a trainer can train on the advantages of turns.

    Args:
        trainer: The trainer.
        functions: The reward functions of the episodes.

    Raises:
        UsageError: It is not an `EpisodesTrainer`, has other reward functions, or has settings that
            do not fit.
    """
    if not isinstance(trainer, EpisodesTrainer):
        raise UsageError(
            "credit='turn' needs textgym.training.trl.episodes_trainer.EpisodesTrainer, not "
            f"{type(trainer).__name__}: GRPOTrainer has one advantage for each completion"
        )
    if list(trainer.reward_funcs) != list(functions):
        raise UsageError(
            "credit='turn' needs reward_funcs=episodes.reward_funcs and no other: a reward of the "
            "whole completion has no turn"
        )
    allowed: dict[str, tuple[Any, ...]] = {
        "scale_rewards": ("group", "none"),
        "multi_objective_aggregation": ("sum_then_normalize",),
        "importance_sampling_level": ("token",),
        "off_policy_mask_threshold": (None,),
        "loss_type": (*_MEAN_OVER_ROWS, *_SUM_OVER_ROWS, *_OVER_TOKENS),
    }
    for name, values in allowed.items():
        value = getattr(trainer, name)
        if value not in values:
            raise UsageError(
                f"credit='turn' needs GRPOConfig.{name}={' or '.join(map(repr, values))}, not "
                f"{value!r}"
            )


def _token_advantages(batch: Mapping[str, Any], samples: Sequence[Sample]) -> Any:
    """Return the advantages of a batch's tokens, as a tensor with the shape of its completions.

    Args:
        batch: A batch of TRL with the further rows of its episodes, whose `advantages` are the
            weights of the rows.
        samples: The episode of each of TRL's own rows.
    """
    weights = batch["advantages"]
    of_rows = [sample.token_advantages for sample in samples]
    rows = [rows[0] for rows in of_rows] + [row for rows in of_rows for row in rows[1:]]
    advantages = weights.new_zeros(len(weights), batch["completion_ids"].size(1))
    for index, row in enumerate(rows):
        advantages[index, : len(row)] = weights.new_tensor(row) * weights[index]
    return advantages


def add_rows(batch: Mapping[str, Any], samples: Sequence[Sample], trainer: Any) -> dict[str, Any]:
    """Return a batch of TRL with the further rows of its episodes.

    Args:
        batch: What `_generate_and_score_completions` returns.
        samples: The episode of each row.
        trainer: The trainer; its micro-batches get the same number of rows.
    """
    owners = [index for index, sample in enumerate(samples) for _ in sample.more_rows]
    added = [row for sample in samples for row in sample.more_rows]
    parts = trainer.args.steps_per_generation
    fillers = -(len(samples) + len(added)) % parts if added else 0
    rows = added + [filler_row(tokenizer_of(trainer).eos_token_id)] * fillers
    grown = dict(batch)
    # All processes take part in the next computations, even without rows.
    old = trainer_logprobs(rows, trainer) if "old_per_token_logps" in batch else []
    if rows:
        grown |= _joined(batch, rows, old, trainer)
        grown["advantages"] = _advantages(batch, samples, owners, fillers, trainer.loss_type)
    trained = (grown["completion_mask"] * grown["tool_mask"]).sum()
    grown["num_items_in_batch"] = trainer.accelerator.gather(trained).sum()
    return grown


def _advantages(
    batch: Mapping[str, Any],
    samples: Sequence[Sample],
    owners: Sequence[int],
    fillers: int,
    loss_type: str,
) -> Any:
    """Return the advantages of all rows, with the weight of each row."""
    import torch

    advantages = batch["advantages"]
    counts = torch.tensor([len(sample.rows) for sample in samples], device=advantages.device)
    count = len(samples) + len(owners) + fillers
    if loss_type in _MEAN_OVER_ROWS:
        advantages = advantages / counts
    if loss_type not in _OVER_TOKENS:
        advantages = advantages * (count / len(samples))
    return torch.cat([advantages, advantages[list(owners)], advantages.new_zeros(fillers)])


def _joined(
    batch: Mapping[str, Any],
    rows: Sequence[TokenRow],
    old_logprobs: Sequence[Sequence[float]],
    trainer: Any,
) -> dict[str, Any]:
    """Return the tensors of a batch with further rows, padded to one width."""
    pad_id = tokenizer_of(trainer).pad_token_id
    prompts = [row.prompt_ids for row in rows]
    completions = [row.completion_ids for row in rows]
    added: dict[str, tuple[Sequence[Sequence[float]], float, str]] = {
        "prompt_ids": (prompts, pad_id, "left"),
        "prompt_mask": ([[1] * len(ids) for ids in prompts], 0, "left"),
        "completion_ids": (completions, pad_id, "right"),
        "completion_mask": ([[1] * len(ids) for ids in completions], 0, "right"),
        "tool_mask": ([row.completion_mask for row in rows], 1, "right"),
        "sampling_per_token_logps": ([row.logprobs for row in rows], 0.0, "right"),
        "old_per_token_logps": (old_logprobs, 0.0, "right"),
    }
    return {
        name: _appended(batch[name], *of_rows) for name, of_rows in added.items() if name in batch
    }


def _appended(tensor: Any, rows: Sequence[Sequence[float]], fill: float, side: str) -> Any:
    """Return a tensor with further rows."""
    import torch

    width = max(tensor.size(1), *map(len, rows))
    joined = tensor.new_full((len(tensor) + len(rows), width), fill)
    old = slice(width - tensor.size(1), None) if side == "left" else slice(tensor.size(1))
    joined[: len(tensor), old] = tensor
    for index, row in enumerate(rows, len(tensor)):
        span = slice(width - len(row), None) if side == "left" else slice(len(row))
        joined[index, span] = torch.tensor(row, dtype=tensor.dtype)
    return joined
