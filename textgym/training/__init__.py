"""Training: adapters that let other people's trainers learn from textgym's environments.

- `EpisodePlayer` plays exactly the episodes that a trainer asks for; `token_rows` gives their
  tokens as (prompt, completion, mask, log probabilities). An adapter of your own needs no more.
- `trl`: TRL's `GRPOTrainer`.
- `logprob_gap`: the check that rollout and training agree.
"""

from textgym.rollouts.episode import EpisodeKey
from textgym.rollouts.player import EpisodePlayer
from textgym.trajectories.token_rows import TokenRow, token_rows

__all__ = ["EpisodeKey", "EpisodePlayer", "TokenRow", "token_rows"]
