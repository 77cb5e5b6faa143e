"""Replies that a reward model scores: the environment, its rows, and its generator."""

from textgym.envs.reward_model.reward_model_env import RewardModel

__all__ = ["RewardModel"]
