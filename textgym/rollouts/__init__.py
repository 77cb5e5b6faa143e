"""Rollouts: many episodes at once over one policy, recorded and measured."""

from textgym.rollouts.batch import Batch, make_batch
from textgym.rollouts.engine import arollout, rollout
from textgym.rollouts.metrics import compute_metrics
from textgym.rollouts.rescoring import arescore, rescore
from textgym.rollouts.run import Run
from textgym.rollouts.verdicts import Rescore, Verdict

__all__ = [
    "Batch",
    "Rescore",
    "Run",
    "Verdict",
    "arescore",
    "arollout",
    "compute_metrics",
    "make_batch",
    "rescore",
    "rollout",
]
