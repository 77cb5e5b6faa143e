"""TRL's `GRPOTrainer` learns from textgym's environments (TRL 1.16).

`Episodes` gives a trainer its data sets, its `rollout_func` and its reward functions;
`verifier_reward` is a reward function for a data set of your own.

`episodes` plays the tasks that the rows in `tasks` stand for, with the policy that `policies` makes
from the trainer's model or server. `samples` turns episodes into what TRL expects, `rewards` has
the reward functions, and `logprobs` compares the log probabilities of rollout and training.
`episodes_trainer` has `EpisodesTrainer`, which trains on whole episodes that were split, with the
batches of `row_batches`. `rollout_worker` has `EpisodesWorker`, which plays for the asynchronous
trainer. `tool_episodes` has `ToolEpisodes`, whose tools TRL calls as methods, which `tool_methods`
makes. `history_callback` has `HistoryCallback`, which writes what the trainer logs to a history.
"""

from textgym.training.trl.episodes import Episodes
from textgym.training.trl.rewards import verifier_reward

__all__ = ["Episodes", "verifier_reward"]
