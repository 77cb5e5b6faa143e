"""Telling bullet points of Markdown from other lines."""

from __future__ import annotations

import re

__all__ = ["bullet_of"]

_ITALIC_START = re.compile(r"\*[^\s*][^*]*\*")
_RULE = re.compile(r"(?:\*\s*+){3,}+|(?:-\s*+){3,}+")


def bullet_of(line: str) -> str:
    """Return the mark of a bullet point, `*` or `-`; "" if a line is none.

    Rules, signatures, and lines that begin with emphasis are no bullet points.

    Example:
        >>> [bullet_of(line) for line in ("* **A**: b", "  - c", "**A**", "*A*: b", "---", "a * b")]
        ['*', '-', '', '', '', '']
    """
    line = line.strip()
    if line.startswith(("**", "--")) or _RULE.fullmatch(line) or _ITALIC_START.match(line):
        return ""
    return line[:1] if line.startswith(("*", "-")) else ""
