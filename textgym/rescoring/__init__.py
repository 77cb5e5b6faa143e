"""Rescoring: stored episodes graded again with the current verifier, without sampling."""

from textgym.rescoring.engine import arescore, rescore
from textgym.rescoring.verdicts import Rescore, Verdict

__all__ = ["Rescore", "Verdict", "arescore", "rescore"]
