"""Trajectories: the record of an episode, its file, its token sequences, and batches of them."""

from textgym.trajectories.batch import Batch, make_batch
from textgym.trajectories.run import Run

__all__ = ["Batch", "Run", "make_batch"]
