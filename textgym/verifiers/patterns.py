r"""Regular expressions that come with data, searched for within a limit of time.

Invariants:

- An expression means what Python's `re` says (`\w` takes combining marks too, `\s` no control
  characters). One that `re` refuses is broken and finds nothing.
- All searches of one step share one limit, so a step ends however many expressions a row has and
  whatever they are. A search that runs out finds nothing, and so do those after it.
- The limit is CPU time of the process: other programs on the machine do not change a verdict.
"""

from __future__ import annotations

import math
import re
import time
import warnings
from collections import deque
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import regex

__all__ = ["PatternSearch", "compile_pattern"]

_SECONDS = 1.0
_SEARCHED = 20_000  # characters at the text's end
_LONGEST = 1_000  # the engine prepares a literal in a time that grows with its length's cube
_MOST_COPIES = 10_000  # the engine writes a counted repeat out, at some 800 bytes a copy
_COUNT = re.compile(r"\\.|\{(\d{1,9})\d*(?:,\d*)?\}", re.DOTALL)
_WRITTEN_OTHERWISE = re.compile(
    r"\\N\{[^}]*\}|\\.|(?P<set>\[\^?\]?(?:\\.|[^\]\\])*+(?:\]|\Z))|(?P<brace>\{(?!\d+(?:,\d*)?\}|,\d*\}))",
    re.DOTALL,
)


class PatternSearch:
    r"""Searches that share a limit of time: all those of one step.

    Args:
        seconds: How much CPU time they may take together.

    Attributes:
        timed_out: Whether a search ran out, and so found nothing.

    Example:
        >>> search = PatternSearch()
        >>> search.last_match("Answer: 4. Answer: 5", r"Answer: (\d)")
        '5'
        >>> search = PatternSearch(seconds=0.1)
        >>> search.last_match("a" * 100 + "b", "(?:a|a)*$")
        >>> search.timed_out
        True
    """

    def __init__(self, seconds: float = _SECONDS) -> None:
        self.timed_out = False
        self._left = seconds

    def last_match(self, text: str, pattern: str, flags: int = 0) -> str | None:
        """Return what an expression finds last: its first group with text, or all of it.

        Only the last 20,000 characters are searched.

        Args:
            text: The text.
            pattern: The expression; a broken one finds nothing.
            flags: Of the module `re`: `IGNORECASE`, `MULTILINE`, `DOTALL`.
        """
        compiled = compile_pattern(pattern, flags)
        if compiled is None:
            return None
        if self._left <= 0:
            self.timed_out = True
            return None
        place, began = max(0, len(text) - _SEARCHED), time.process_time()
        try:
            found = deque(compiled.finditer(text, place, timeout=self._left), maxlen=1)
        except TimeoutError:
            self.timed_out, self._left = True, 0.0
            return None
        self._left -= time.process_time() - began
        if not found:
            return None
        groups: Iterator[str] = (group.strip() for group in found[0].groups() if group)
        whole: str = found[0].group().strip()
        return next(filter(None, groups), whole)


@lru_cache(maxsize=1024)
def compile_pattern(pattern: str, flags: int = 0) -> regex.Pattern[str] | None:
    r"""Return a regular expression in an engine that can be stopped; None for a broken one.

    One of more than 1,000 characters counts as broken, and so does one whose counted repeats
    (`x{1000}`) multiply to more than 10,000 copies: to prepare it would take the engine too long,
    or too much memory.

    Args:
        pattern: The expression, as Python's `re` reads it.
        flags: Of the module `re`: `IGNORECASE`, `MULTILINE`, `DOTALL`.

    Example:
        >>> compile_pattern("(") is None, compile_pattern(r"Answer: (\d)") is None
        (True, False)
    """
    import regex

    try:
        with warnings.catch_warnings(action="ignore"):
            re.compile(pattern, flags)
            copies = math.prod(int(count or 1) or 1 for count in _COUNT.findall(pattern))
            if len(pattern) > _LONGEST or copies > _MOST_COPIES:
                return None
            return regex.compile(_WRITTEN_OTHERWISE.sub(_as_re_reads_it, pattern), flags)
    except (re.error, regex.error, OverflowError, RecursionError, ValueError):
        return None


def _as_re_reads_it(found: re.Match[str]) -> Any:
    """Escape the braces and brackets that `re` takes literally and the engine does not."""
    if found["set"]:
        return found[0][0] + found[0][1:].replace("[", r"\[")
    return r"\{" if found["brace"] else found[0]
