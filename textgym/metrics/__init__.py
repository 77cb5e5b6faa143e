"""Metrics: from trajectories to the metrics of a run, with standard errors, and run comparisons.

- `episode_table`: one row of numbers per episode, which everything else is computed from.
- `run_index`: the tables of stored runs, kept beside their episodes.
- `run_metrics`: the metrics of a run by name: overall, per environment, per level and per category.
- `repeats`: pass@k, pass^k, averages and majority votes over the repeats of each task.
- `comparison`: the differences between two runs, with confidence intervals.
- `tables`: the tables of metrics and differences, as texts.
- `statistics`: means, standard errors, confidence intervals and percentiles.
"""

from textgym.metrics.run_metrics import compute_metrics

__all__ = ["compute_metrics"]
