"""Judges: whether a generated answer means the same as the expected one.

`judges` makes judges and keeps their verdicts, `client` sends requests to a policy or a callable,
`prompt` writes the requests, and `labels` reads the verdicts from the replies.
"""

from textgym.verifiers.judge.judges import (
    Judge,
    JudgeLike,
    JudgeVerdict,
    compare_both_ways,
    make_judge,
)

__all__ = [
    "Judge",
    "JudgeLike",
    "JudgeVerdict",
    "compare_both_ways",
    "make_judge",
]
