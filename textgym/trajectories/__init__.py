"""Trajectories: the records of episodes.

- `schema`: the keys of a trajectory. `tokens`: its token sequences.
- `run_folder`: a run and its files. `selection`: some of its episodes.
- `data_digests`: whether the data of a run has changed.
- `batch`, `advantages`: what a trainer learns from.
"""

from textgym.trajectories.batch import Batch, make_batch
from textgym.trajectories.run import Run

__all__ = ["Batch", "Run", "make_batch"]
