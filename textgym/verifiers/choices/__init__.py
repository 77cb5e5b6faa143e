"""Multiple choice: the option that a text chooses.

`modes` finds the part of a text that holds the answer and applies the rules of a grading mode.
`letters` reads letters that stand alone or before a text, `sentences` reads letters in a sentence,
and `texts` recognises the options' own texts.
"""

from textgym.verifiers.choices.modes import (
    GRADING_MODES,
    WHICH_MATCH,
    GradingMode,
    WhichMatch,
    choice,
    format_choice,
)

__all__ = ["GRADING_MODES", "WHICH_MATCH", "GradingMode", "WhichMatch", "choice", "format_choice"]
