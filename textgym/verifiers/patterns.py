r"""Regular expressions that come with data, searched under a time limit.

Invariants:

- An expression means what it means in Python's `re`, except that `\w` also matches combining
  marks, and `\s` does not match `\x1c` to `\x1f`. An expression that `re` rejects finds nothing.
- All searches of one step share one time limit, so a step ends whatever expressions a row has. A
  search that runs out of time finds nothing, and neither do those after it.
- The limit is CPU time of the process, so other programs on the machine do not change a verdict.
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
_MAX_SEARCHED = 20_000  # characters, from the end of the text
_MAX_PATTERN = 1_000  # characters; compiling a literal takes cubic time in its length
_MAX_COPIES = 10_000  # a counted repeat is compiled to copies of some 800 bytes each
_COUNT = re.compile(r"\\.|\{(\d{1,9})\d*(?:,\d*)?\}", re.DOTALL)
# What `re` reads as literal braces and brackets, and `regex` as syntax of its own.
_LITERAL_SYNTAX = re.compile(
    r"\\N\{[^}]*\}|\\.|(?P<set>\[\^?\]?(?:\\.|[^\]\\])*+(?:\]|\Z))|(?P<brace>\{(?!\d+(?:,\d*)?\}|,\d*\}))",
    re.DOTALL,
)


class PatternSearch:
    r"""Searches that share one time limit, such as those of one step.

    Args:
        seconds: The CPU time that all searches together may take.

    Attributes:
        timed_out: Whether a search ran out of time, and so found nothing.

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
        """Return the last match of an expression: its first group with text, or all of it.

        Only the last 20,000 characters are searched.

        Args:
            text: The text.
            pattern: The expression; a broken one finds nothing.
            flags: Flags of `re`: `IGNORECASE`, `MULTILINE`, `DOTALL`.

        Returns:
            The match without white space around it; None if there is none, or time has run out.
        """
        return self._match(text, pattern, flags, max(0, len(text) - _MAX_SEARCHED), latest=True)

    def first_match(self, text: str, pattern: str, flags: int = 0) -> str | None:
        r"""Return the first match of an expression; see `last_match`. All of the text is searched.

        Example:
            >>> PatternSearch().first_match("Answer: 4. Answer: 5", r"Answer: (\d)")
            '4'
        """
        return self._match(text, pattern, flags, 0, latest=False)

    def _match(self, text: str, pattern: str, flags: int, place: int, latest: bool) -> str | None:
        """Return the first or the latest match from a place on."""
        compiled = compile_pattern(pattern, flags)
        if compiled is None:
            return None
        if self._left <= 0:
            self.timed_out = True
            return None
        began = time.process_time()
        try:
            matches = compiled.finditer(text, place, timeout=self._left)
            match = deque(matches, maxlen=1).pop() if latest else next(matches)
        except (IndexError, StopIteration):
            match = None
        except TimeoutError:
            self.timed_out, self._left = True, 0.0
            return None
        self._left -= time.process_time() - began
        if match is None:
            return None
        groups: Iterator[str] = (group.strip() for group in match.groups() if group)
        whole: str = match.group().strip()
        return next(filter(None, groups), whole)


@lru_cache(maxsize=1024)
def compile_pattern(pattern: str, flags: int = 0) -> regex.Pattern[str] | None:
    r"""Compile an expression for the library `regex`, whose searches can be stopped.

    Args:
        pattern: The expression, in the syntax of Python's `re`.
        flags: Flags of `re`: `IGNORECASE`, `MULTILINE`, `DOTALL`.

    Returns:
        The compiled expression; None if it is broken. An expression of more than 1,000 characters
        counts as broken, and so does one whose counted repeats (`x{1000}`) multiply to more than
        10,000 copies, because compiling it would take too much time or memory.

    Example:
        >>> compile_pattern("(") is None, compile_pattern(r"Answer: (\d)") is None
        (True, False)
    """
    import regex

    try:
        with warnings.catch_warnings(action="ignore"):
            re.compile(pattern, flags)
            copies = math.prod(int(count or 1) or 1 for count in _COUNT.findall(pattern))
            if len(pattern) > _MAX_PATTERN or copies > _MAX_COPIES:
                return None
            return regex.compile(_LITERAL_SYNTAX.sub(_escape_literal, pattern), flags)
    except (re.error, regex.error, OverflowError, RecursionError, ValueError):
        return None


def _escape_literal(found: re.Match[str]) -> Any:
    """Escape a brace or bracket that `re` takes literally and `regex` does not."""
    if found["set"]:
        return found[0][0] + found[0][1:].replace("[", r"\[")
    return r"\{" if found["brace"] else found[0]
