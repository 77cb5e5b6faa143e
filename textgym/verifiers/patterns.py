r"""Regular expressions from data, searched under a time limit.

Invariants:

- An expression has the meaning of Python's `re`, except that `\w` also matches combining marks,
  and `\s` does not match `\x1c` to `\x1f`. An expression that `re` rejects matches nothing.
- All searches of a step share one time limit, so that every step ends. When time runs out, the
  search and all later ones match nothing.
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
_MAX_SEARCHED = 20_000  # characters at the end of the text
_MAX_PATTERN = 1_000  # characters; compiling a literal takes cubic time in its length
_MAX_COPIES = 10_000  # a counted repeat is compiled to copies of some 800 bytes each
_COUNT = re.compile(r"\\.|\{(\d{1,9})\d*(?:,\d*)?\}", re.DOTALL)
# Braces and brackets that are literal in `re` and syntax in `regex`.
_LITERAL_SYNTAX = re.compile(
    r"\\N\{[^}]*\}|\\.|(?P<set>\[\^?\]?(?:\\.|[^\]\\])*+(?:\]|\Z))|(?P<brace>\{(?!\d+(?:,\d*)?\}|,\d*\}))",
    re.DOTALL,
)


class PatternSearch:
    r"""Searches that share one time limit, such as the searches of a step.

    Args:
        seconds: The CPU time that all searches together may take.

    Attributes:
        timed_out: Whether a search ran out of time.

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
        """Return the last match of an expression: its first nonempty group, or the whole match.

        Only the last 20,000 characters are searched.

        Args:
            text: The text.
            pattern: The expression; a broken one matches nothing.
            flags: Flags of `re`: `IGNORECASE`, `MULTILINE`, `DOTALL`.

        Returns:
            The match without white space around it; None if there is no match or no time left.
        """
        return self._match(text, pattern, flags, max(0, len(text) - _MAX_SEARCHED), latest=True)

    def first_match(self, text: str, pattern: str, flags: int = 0) -> str | None:
        r"""Return the first match of an expression in the whole text; see `last_match`.

        Example:
            >>> PatternSearch().first_match("Answer: 4. Answer: 5", r"Answer: (\d)")
            '4'
        """
        return self._match(text, pattern, flags, 0, latest=False)

    def _match(self, text: str, pattern: str, flags: int, start: int, latest: bool) -> str | None:
        """Return the first or the last match from a position on."""
        compiled = compile_pattern(pattern, flags)
        if compiled is None:
            return None
        if self._left <= 0:
            self.timed_out = True
            return None
        began = time.process_time()
        try:
            matches = compiled.finditer(text, start, timeout=self._left)
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
    r"""Compile an expression for the library `regex`, which can stop a search.

    Args:
        pattern: The expression, in the syntax of Python's `re`.
        flags: Flags of `re`: `IGNORECASE`, `MULTILINE`, `DOTALL`.

    Returns:
        The compiled expression; None if it is broken. An expression that would take too much time
        or memory to compile counts as broken: it has more than 1,000 characters, or its counted
        repeats (`x{1000}`) multiply to more than 10,000 copies.

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


def _escape_literal(match: re.Match[str]) -> Any:
    """Escape a brace or bracket that is literal in `re` and syntax in `regex`."""
    if match["set"]:
        return match[0][0] + match[0][1:].replace("[", r"\[")
    return r"\{" if match["brace"] else match[0]
