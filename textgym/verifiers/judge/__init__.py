"""Judges: whether a generated answer means the same as the expected one.

`judges` makes judges and keeps their verdicts. `client` asks a policy or a callable, `prompt`
writes what it is asked, and `labels` reads the verdict from its reply.
"""

from textgym.verifiers.judge.judges import (
    Judge,
    JudgeLike,
    JudgeVerdict,
    ModelJudge,
    RuleJudge,
    compare_both_ways,
    make_judge,
)

__all__ = [
    "Judge",
    "JudgeLike",
    "JudgeVerdict",
    "ModelJudge",
    "RuleJudge",
    "compare_both_ways",
    "make_judge",
]
