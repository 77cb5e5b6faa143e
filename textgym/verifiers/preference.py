"""How near a text is to a preferred text, and not to a rejected one, by their words."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

__all__ = ["nearness"]

_WORD = re.compile(r"\w+")


def nearness(text: str, chosen: str, rejected: str = "") -> float:
    """Return how near a text is to the chosen text rather than to the rejected one.

    The overlap of two texts is the F1 score of their words and pairs of neighbouring words, without
    regard to case and punctuation. The nearness is the overlap with the chosen text, times the
    share of the way from the rejected text (0) to the chosen one (1) that the overlaps show. So
    words that both have in common are worth nothing, and words that neither has lower the result.
    Length and repetition do not help.

    Args:
        text: The text.
        chosen: The preferred text.
        rejected: The other text; without one, the nearness is the overlap.

    Returns:
        From 0 to 1. It is 1 only for the words of the chosen text in their order.

    Example:
        >>> chosen, rejected = "Anna arrives on Monday.", "Anna arrives on Friday."
        >>> nearness("anna arrives on MONDAY", chosen, rejected)
        1.0
        >>> nearness("Anna arrives", chosen, rejected), nearness(rejected, chosen, rejected)
        (0.0, 0.0)
        >>> nearness(f"{chosen} {rejected}", chosen, rejected)
        0.0
        >>> round(nearness("On Monday", chosen, rejected), 2)
        0.57
    """
    grams = _grams(text)
    overlap = _overlap(grams, _grams(chosen))
    if not rejected:
        return overlap
    apart = 1 - _overlap(_grams(chosen), _grams(rejected))
    ahead = overlap - _overlap(grams, _grams(rejected))
    return overlap * min(max(ahead / apart, 0.0), 1.0) if apart > 0 else 0.0


@lru_cache(maxsize=1024)
def _grams(text: str) -> Counter[tuple[str, ...]]:
    """Count the words and the pairs of neighbours, with the ends of the text as neighbours."""
    words = _WORD.findall(text.casefold())
    if not words:
        return Counter()
    pairs = zip(["", *words], [*words, ""], strict=True)
    return Counter([*((word,) for word in words), *pairs])


def _overlap(left: Counter[tuple[str, ...]], right: Counter[tuple[str, ...]]) -> float:
    total = left.total() + right.total()
    return 2 * (left & right).total() / total if total else 0.0
