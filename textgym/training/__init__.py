"""Training: adapters for trainers, and the parts of a training loop.

- `EpisodePlayer` plays exactly the episodes that a trainer asks for; `token_rows` returns their
  tokens as (prompt, completion, mask, log probabilities).
- `play_row` plays the task of a row with the engine of a trainer. An adapter needs no more.
- `trl`: TRL's `GRPOTrainer`. `verl`: verl's agent loop. `skyrl`, `tinker`, `openrlhf`, `nemo_rl`,
  `torchtitan`, `slime`, `areal`: what these trainers ask for. `driven`: episodes for a trainer with
  its own loop.
- `tasks`: data sets whose rows are tasks.
- `play_groups`: groups of episodes; groups from which nothing is learned are replaced.
- `Validation`: evaluates a policy on held-out tasks. `History`: the figures of each step in a file.
- `RewardAlarm` warns when the reward rises while success falls.
- `figures`: the figures of a step. `logprob_gap`: the check that rollout and training agree.
"""

from textgym.rollouts.player import EpisodePlayer
from textgym.training.alarm import Alarm, RewardAlarm
from textgym.training.figures import episode_figures, lag_figures, ratio_figures
from textgym.training.groups import PlayedGroups, aplay_groups, play_groups
from textgym.training.history import History, read_history
from textgym.training.playing import PlayedRow, play_row
from textgym.training.tasks import TaskRef
from textgym.training.validation import Validation
from textgym.trajectories.task_identity import EpisodeKey
from textgym.trajectories.tokens import TokenRow, token_rows

__all__ = [
    "Alarm", "EpisodeKey", "EpisodePlayer", "History", "PlayedGroups", "PlayedRow", "RewardAlarm",
    "TaskRef", "TokenRow", "Validation", "aplay_groups", "episode_figures", "lag_figures",
    "play_groups", "play_row", "ratio_figures", "read_history", "token_rows",
]  # fmt: skip
