"""Trajectories: the records of episodes.

- `schema`: the keys of a trajectory. `tokens`: its token sequences.
- `run_folder`: a run and its files. `selection`: some of its episodes.
- `task_identity`: what identifies a task, a group, an episode, and the data of a run.
- `batch`, `advantages`: what a trainer learns from.
"""

from textgym.trajectories.batch import Batch, make_batch
from textgym.trajectories.run import Run

__all__ = ["Batch", "Run", "make_batch"]
