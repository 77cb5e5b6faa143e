"""Rescoring: stored episodes graded again with the current verifier, without sampling.

`replay` plays an episode again with its stored messages, `comparison` compares the result with what
is stored, `verdicts` sums up the comparisons, and `engine` does all of it for a run.
"""

from textgym.rescoring.engine import arescore, rescore
from textgym.rescoring.verdicts import EpisodeVerdict, Rescore

__all__ = ["EpisodeVerdict", "Rescore", "arescore", "rescore"]
