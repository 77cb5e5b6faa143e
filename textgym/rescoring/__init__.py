"""Rescoring: stored episodes graded again with the current verifier, without sampling.

`replay` plays an episode again with its stored messages, `verdicts` compares the new grade with the
stored one, and `engine` does both for all episodes of a run. `answers` finds the right answers of
stored episodes.

`grading` grades answers of files that no environment has seen: `layouts` knows what the files look
like, `recorded` reads them, and `agreement` compares the verdicts.
"""

from textgym.rescoring.engine import arescore, rescore
from textgym.rescoring.grading import GradedAnswer, Grading, grade
from textgym.rescoring.verdicts import EpisodeVerdict, Rescore

__all__ = [
    "EpisodeVerdict",
    "GradedAnswer",
    "Grading",
    "Rescore",
    "arescore",
    "grade",
    "rescore",
]
