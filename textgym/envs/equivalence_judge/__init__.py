"""Free-form questions with answers that a judge compares: the environment and its generator."""

from textgym.envs.equivalence_judge.env import EquivalenceJudge

__all__ = ["EquivalenceJudge"]
