r"""Recognising an option by its own text, alone or among other words.

Invariants: a text that could be several options, or rejects the one that it mentions, is none of
them; every function takes any text and linear time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from textgym.verifiers.exact import normalize_answer, normalize_text
from textgym.verifiers.extract import latex_to_text

__all__ = ["is_same_text", "mentioned_option", "whole_option"]

_MARKUP = " *_`\"'“”‘’"
# The characters that make what follows, or what precedes, a part of a longer word or number.
_PART_OF_NEXT = re.compile(
    r"(?<=[\w+^/\\$€£−-])(?=\w)"  # "iron" in "non-iron", "12" in "-12" and "$12"
    r"|(?<=\d[.,])"  # "5" in "2.5"
    r"|(?<=[\w\]}^][({])"  # "12" in "f(12)" and "2^{12}"
)
_PART_OF_PREVIOUS = re.compile(
    r"(?<=\w)(?:\w|[\^/%°‰]|[.,:]\d|['’−-]\w)"  # "12" in "12%" and "12:30", "iron" in "iron-clad"
    r"|(?<=\d)!"  # "12" in "12!"
)
_REJECTION = re.compile(r"\b(?:not|never|no|neither|nor|except|wrong|false|incorrect)\b|n['’]t\b")
_REJECTION_OF_OTHERS = re.compile(r"[,;(–—-]\s*(?:(?:and|but)\s+)?not\s+(?=\w)")  # "zinc, not tin"


def _normalize_markup(text: str) -> str:
    return normalize_answer(latex_to_text(text).strip(_MARKUP))


_NORMALIZERS: tuple[Callable[[str], str], ...] = (
    lambda text: " ".join(text.split()),
    normalize_text,
    _normalize_markup,
)
"""How texts are compared, from the strictest way to the most lenient."""


def whole_option(text: str, options: Mapping[str, str]) -> str:
    r"""Return the letter of the only option that a text equals; "" if there are none, or several.

    Texts are compared exactly, except for white space. If no option is equal, they are compared
    without case, and then without LaTeX, Markdown, quotes and punctuation.

    Example:
        >>> whole_option(r"\text{Zinc}.", {"A": "iron", "B": "zinc"})
        'B'
        >>> whole_option("Co", {"A": "CO", "B": "Co"}), whole_option("co", {"A": "CO", "B": "Co"})
        ('B', '')
    """
    for normalize in _NORMALIZERS:
        wanted = normalize(text)
        if not wanted:
            continue
        same = [letter for letter, option in options.items() if normalize(option) == wanted]
        if same:
            return same[0] if len(same) == 1 else ""
    return ""


def mentioned_option(text: str, options: Mapping[str, str]) -> str:
    """Return the letter of the only option that a text mentions; "" if there are none, or several.

    An option's text must stand on its own, not as part of a longer word or number. A negation
    before it rejects it, and so does one behind it, unless it rejects something else: "zinc, not
    tin". A rejected option is not chosen.

    Example:
        >>> options = {"A": "iron", "B": "zinc"}
        >>> mentioned_option("I would pick zinc, not tin", options)
        'B'
        >>> mentioned_option("iron or zinc", options), mentioned_option("not zinc", options)
        ('', '')
    """
    said = normalize_text(latex_to_text(text))
    spans: dict[str, tuple[int, int]] = {}
    for letter, option in options.items():
        words = normalize_text(latex_to_text(option))
        start = _find_words(words, said) if words else -1
        if start >= 0:
            spans[letter] = start, start + len(words)
    if len(spans) != 1:
        return ""
    [(letter, (start, end))] = spans.items()
    behind = _REJECTION_OF_OTHERS.sub("", said[end:])
    return "" if _REJECTION.search(said, 0, start) or _REJECTION.search(behind) else letter


def _find_words(words: str, text: str) -> int:
    """Return the first index at which words stand on their own; -1 if there is none."""
    start = text.find(words)
    while start >= 0:
        end = start + len(words)
        if not _PART_OF_NEXT.match(text, start) and not _PART_OF_PREVIOUS.match(text, end):
            return start
        start = text.find(words, start + 1)
    return -1


def is_same_text(text: str, option: str) -> bool:
    """Tell whether a text equals an option without case, markup and punctuation."""
    return _normalize_markup(text) == _normalize_markup(option)
