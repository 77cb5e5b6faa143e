"""Multiple-choice questions: the environment, its rows, and its generator (`families`)."""

from textgym.envs.mcqa.mcqa_env import MCQA

__all__ = ["MCQA"]
