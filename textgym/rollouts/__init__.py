"""Rollouts: many episodes of any environments, played concurrently with one policy and recorded.

`engine` has the entry points. `plan` decides what is played, `schedule` in which order, `workers`
play it and `env_pool` lends them environments. `episode` plays and records one episode, `recorder`
stores trajectories and metrics and logs what goes wrong, `progress` shows a bar, and `resume`
continues a run that was interrupted.
"""

from textgym.rollouts.engine import arollout, play_episode, rollout

__all__ = ["arollout", "play_episode", "rollout"]
