"""Metrics: the figures of a run, their standard errors, and the comparison of runs."""

from textgym.metrics.run_metrics import compute_metrics

__all__ = ["compute_metrics"]
