"""Rollouts: many episodes of any environments, played concurrently with one policy and recorded."""

from textgym.rollouts.engine import arollout, rollout

__all__ = ["arollout", "rollout"]
