"""TRL's `GRPOTrainer` learns from textgym's environments (TRL 1.16).

`Episodes` has the data sets, the `rollout_func` and the reward functions for a trainer;
`verifier_reward` is a reward function for other data sets.

- `episodes` plays the tasks of a data set with the policy of `policies`. `samples` has the rows of
  data sets and the samples of batches, and `rewards` the reward functions. `policies` also compares
  the log probabilities of rollout and training.
- `episodes_trainer`: `EpisodesTrainer`, for episodes with several token sequences.
- `rollout_worker`: `EpisodesWorker`, for the asynchronous trainer.
- `tool_episodes`: `ToolEpisodes`, whose tools TRL calls itself.
- `callbacks`: `HistoryCallback`, `AlarmCallback`, `FreshRatioCheck` and `PoolCheckpoints`.
"""

from textgym.training.trl.episodes import Episodes
from textgym.training.trl.rewards import verifier_reward

__all__ = ["Episodes", "verifier_reward"]
