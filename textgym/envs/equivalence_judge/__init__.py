"""Free-form questions with answers that a judge compares: the environment and its generator."""

from textgym.envs.equivalence_judge.equivalence_judge_env import EquivalenceJudge

__all__ = ["EquivalenceJudge"]
