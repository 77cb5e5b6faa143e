"""Multiple choice: the option that a text chooses.

`modes` finds the part of a text that holds the answer, applies the rules of a grading mode, and
recognises the options' own texts. `letters` reads a letter by itself, before a text, or in a
sentence.
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
