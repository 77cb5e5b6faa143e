"""The trainer `textgym_sync`: verl's synchronous trainer, with two more checks.

Invariants: a batch whose log probabilities differ from the rollout's by more than a bound ends the
training before it is trained on, even if verl's rollout correction would mask the tokens that
differ; failed episodes are counted.
"""

from __future__ import annotations

from typing import Any

import transfer_queue
from verl.trainer.ppo.v1 import PPOTrainerSync, register_trainer

from textgym.errors import UsageError
from textgym.training.logprob_gap import LogprobGap, logprob_gap

__all__ = ["TextgymTrainer"]

_LOW_PRECISION_BOUND = 1.0  # vLLM and the actor compute in bfloat16 by default


@register_trainer("textgym_sync")
class TextgymTrainer(PPOTrainerSync):  # type: ignore[misc]  # verl is not typed here
    """verl's trainer of the mode `sync`, with the same settings.

    `+trainer.max_logprob_gap` is the largest allowed difference of log probabilities, by default 1.
    The figures of a step are `logprob_gap/largest`, `logprob_gap/mean`, `episodes/failed`, and the
    means of the episodes' own figures, such as `episodes/success`.
    """

    def __init__(self, config: Any) -> None:
        rollout = config.actor_rollout_ref.rollout
        if not rollout.calculate_log_probs or config.algorithm.rollout_correction.bypass_mode:
            raise UsageError(
                "trainer.v1.trainer_mode=textgym_sync compares log probabilities: set "
                "actor_rollout_ref.rollout.calculate_log_probs=True and "
                "algorithm.rollout_correction.bypass_mode=False"
            )
        self._max_logprob_gap = config.trainer.get("max_logprob_gap", _LOW_PRECISION_BOUND)
        config.trainer.v1.trainer_mode = "sync"  # verl asks for it in many places
        super().__init__(config)

    def step(self, metrics: dict[str, Any], timing_raw: dict[str, Any]) -> Any:
        """Train on a batch, and log the figures of its episodes."""
        batch = super().step(metrics, timing_raw)
        keys = _keys(batch)
        data = _fetch(batch, keys, ["extra_fields"])
        played = self.config.data.train_batch_size * self.config.actor_rollout_ref.rollout.n
        metrics.update(_episode_figures(keys, list(data["extra_fields"]), played))
        return batch

    def _compute_old_log_prob(self, batch: Any, metrics: dict[str, Any]) -> Any:
        """Compute the log probabilities of a batch, and compare them with the rollout's.

        Raises:
            TrainingError: The largest difference is above the bound.
        """
        batch = super()._compute_old_log_prob(batch, metrics)
        fields = ["rollout_log_probs", "old_log_probs", "response_mask"]
        gap = _gap(_fetch(batch, _keys(batch), fields))
        metrics.update({"logprob_gap/largest": gap.largest, "logprob_gap/mean": gap.mean})
        gap.check(self._max_logprob_gap)
        return batch


def _keys(batch: Any) -> list[str]:
    """Return the keys of a batch's samples, without padding."""
    return [
        key for key, tag in zip(batch.keys, batch.tags, strict=True) if not tag.get("is_padding")
    ]


def _fetch(batch: Any, keys: list[str], fields: list[str]) -> Any:
    """Return fields of samples of a batch."""
    return transfer_queue.kv_batch_get(
        keys=keys, partition_id=batch.partition_id, select_fields=fields
    )


def _gap(data: Any) -> LogprobGap:
    """Compare the log probabilities of a batch of nested tensors."""
    columns = [
        [row.tolist() for row in data[name].unbind()]
        for name in ("rollout_log_probs", "old_log_probs", "response_mask")
    ]
    return logprob_gap(zip(*columns, strict=True))


def _episode_figures(keys: list[str], fields: list[Any], played: int) -> dict[str, float]:
    """Return the means over the episodes of a batch: each session in verl's keys is an episode."""
    sessions = {
        key.rpartition("_")[0]: getattr(field, "data", field)["reward_extra_info"]
        for key, field in zip(keys, fields, strict=True)
    }
    names = ("success", "split", "truncated")
    count = max(len(sessions), 1)
    means = {
        f"episodes/{name}": sum(info[name] for info in sessions.values()) / count for name in names
    }
    return {"episodes/failed": float(played - len(sessions)), **means}
