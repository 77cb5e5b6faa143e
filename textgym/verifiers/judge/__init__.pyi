"""The names of the package, which are imported on first use."""

from .judges import (
    Judge as Judge,
    JudgeLike as JudgeLike,
    JudgeVerdict as JudgeVerdict,
    compare_both_ways as compare_both_ways,
    make_judge as make_judge,
)
