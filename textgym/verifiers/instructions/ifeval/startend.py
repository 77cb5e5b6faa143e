"""Instructions about how the response starts and ends."""

from __future__ import annotations

from textgym.verifiers.instructions.ifbench.reading import QUOTATION_MARKS
from textgym.verifiers.instructions.ifeval.arguments import Phrase
from textgym.verifiers.instructions.instruction import instruction

__all__ = ["end_checker", "quotation"]


@instruction(
    "startend:end_checker",
    "End your response with exactly this phrase, and write nothing after it: {end_phrase}",
)
def end_checker(text: str, *, end_phrase: Phrase) -> bool:
    """Case does not matter, nor do quotation marks after the phrase."""
    ending = end_phrase.lower()
    said = text.strip().lower()
    return said.endswith(ending) or said.rstrip('"' + QUOTATION_MARKS).endswith(ending)


@instruction(
    "startend:quotation",
    "Put your whole response between double quotation marks.",
)
def quotation(text: str) -> bool:
    """Only the straight mark counts; one mark is not a pair."""
    said = text.strip()
    return len(said) > 1 and said.startswith('"') and said.endswith('"')
