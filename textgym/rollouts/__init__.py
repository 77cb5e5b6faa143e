"""Rollouts: many episodes of any environments, played concurrently with one policy and recorded.

`engine` has the entry points. `prepared` checks the arguments before a policy is loaded:
`env_pool` makes the environments, and `plan` decides which tasks are played, even in a run that
continues an interrupted one. `schedule` decides the order. `workers` play in environments that
`env_pool` lends them. `episode` plays and records one episode, and `match` a game between policies.
`group_rewards` rewards the episodes of a task together, by `comparisons`. `recorder` stores
trajectories and metrics and logs what goes wrong. `progress` shows a bar. `run_files` reads and
writes runs as TOML.
`merging` makes one run of the shards that several processes have played, or of the segments of
worker processes: they divide a run in a folder that all of them see (`work`), by `leases`.
`ray_run` lets the actors of a `ray_backend` play.
"""

from textgym.rollouts.comparisons import AgainstReference, Tournament
from textgym.rollouts.engine import arollout, play_episode, rollout
from textgym.rollouts.match import play_match
from textgym.rollouts.merging import merge_runs, refresh_run
from textgym.rollouts.run_files import load_config

__all__ = [
    "AgainstReference", "Tournament", "arollout", "load_config", "merge_runs", "play_episode",
    "play_match", "refresh_run", "rollout",
]  # fmt: skip
