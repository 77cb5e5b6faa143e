"""Instructions on what is put between sentences and around words."""

from __future__ import annotations

import re

from textgym.verifiers.instructions.ifbench.reading import MARKS
from textgym.verifiers.instructions.instruction import instruction
from textgym.verifiers.instructions.open_instruct.reading import words_by_sentence

_HYPHEN_AFTER_SENTENCE = re.compile(r"""(?<=[.!?…])-|(?<=[.!?…]["'”’)\]])-""")
_ENCLOSED = re.compile(r"[^\w\[\]]*(?:\[[^\s\[\]]+\][^\w\[\]]*)+")
_OTHER_MARKS = MARKS.replace("<", "").replace(">", "")


@instruction(
    "detectable_format:sentence_hyphens",
    "Put a hyphen between each two sentences, and no blanks around it.",
)
def sentence_hyphens(text: str) -> bool:
    """Tell whether a hyphen alone parts each two sentences; words may have hyphens too."""
    parts = _HYPHEN_AFTER_SENTENCE.split(text.strip())
    return all(
        not part.startswith("-") and part == part.strip() and len(words_by_sentence(part)) == 1
        for part in parts
    )


@instruction("detectable_format:square_brackets", "Put each word in square brackets of its own.")
def square_brackets(text: str) -> bool:
    """Tell whether no word stands outside brackets; other marks may."""
    return _ENCLOSED.fullmatch(text) is not None


@instruction(
    "detectable_format:bigram_wrapping",
    "Put each two words in double angle brackets, such as <<we sail>> <<at dawn>>.",
)
def bigram_wrapping(text: str) -> bool:
    """Tell whether each pair of words is in brackets. A single word at the end may stand alone."""
    words = [word.strip(_OTHER_MARKS) for word in text.split()]
    return any(words) and all(
        left.startswith("<<") and right.endswith(">>") and ">>" not in left and "<<" not in right
        for left, right in zip(words[::2], words[1::2], strict=False)
    )
