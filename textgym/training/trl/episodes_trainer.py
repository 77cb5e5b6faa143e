"""`EpisodesTrainer`: TRL's `GRPOTrainer` for episodes with several token sequences."""

from __future__ import annotations

from typing import Any

from trl import GRPOTrainer

from textgym.training.trl.row_batches import add_rows

__all__ = ["EpisodesTrainer"]


class EpisodesTrainer(GRPOTrainer):  # type: ignore[misc]  # TRL is not typed here
    """A `GRPOTrainer` that trains on whole episodes; see `on_split` of `Episodes`.

    An episode whose tokens are in several sequences has a row for each, with the advantage of the
    episode. Everything else is as in `GRPOTrainer`. Evaluations have the first row of each.

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
        """Add the further rows of episodes to a batch that is trained on."""
        batch: dict[str, Any] = super()._generate_and_score_completions(inputs)
        if not self.model.training or "episode" not in inputs[0]:
            return batch
        return add_rows(batch, [row["episode"] for row in inputs], self)
