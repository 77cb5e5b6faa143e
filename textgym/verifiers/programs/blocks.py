"""Finding the programs in a model's text.

The text is not parsed as Python here, because a parser can be crashed: the box does that. Here,
code fences are found, and texts are left out that cannot be a program of the task.

Invariant: every function takes any text, and works in linear time.
"""

from __future__ import annotations

import re

__all__ = ["blocks_in", "may_define", "may_print"]

MAX_LENGTH = 100_000
"""The maximum number of characters of a program."""

_FENCE = re.compile(r"([ \t]{0,20})(`{3,}|~{3,})[ \t]*([\w+#.-]*)[^\n]*")
_PYTHON = ("python", "python3", "py", "py3", "python2")
_PRINTS = re.compile(r"\b(?:print|write|writelines|stdout|exec|eval|system)\b")
_MAX_BLOCKS = 20


def blocks_in(text: str) -> list[str]:
    r"""Return the programs that a text may contain; the last one that is whole counts.

    These are the blocks of code, except those in a language other than Python. If some are marked
    as Python, unmarked ones are left out. A block that is not closed ends with the text. The lines
    of an indented block, as in a list, lose its indentation. A text without blocks is a program
    itself.

    Example:
        >>> blocks_in("First:\n```python\nx = 1\n```\nNow it prints:\n```\n1\n```")
        ['x = 1\n']
        >>> blocks_in("print(input())")
        ['print(input())']
    """
    marked: list[str] = []
    unmarked: list[str] = []
    opened: tuple[str, str] | None = None
    indent = 0
    lines: list[str] = []
    has_fence = False
    for line in text.splitlines(keepends=True):
        fence = _FENCE.fullmatch(line.rstrip("\r\n"))
        if opened is None:
            if fence:
                has_fence = True
                opened, lines, indent = (fence[2], fence[3].lower()), [], len(fence[1])
        elif fence and fence[2].startswith(opened[0]) and not fence[3]:
            _keep(opened[1], lines, marked, unmarked)
            opened = None
        else:
            lines.append(line[:indent].lstrip(" \t") + line[indent:])
    if opened is not None:
        _keep(opened[1], lines, marked, unmarked)
    found = marked or unmarked or ([] if has_fence else [text])
    return [block for block in found[-_MAX_BLOCKS:] if block.strip() and len(block) <= MAX_LENGTH]


def _keep(language: str, lines: list[str], marked: list[str], unmarked: list[str]) -> None:
    if language in _PYTHON:
        marked.append("".join(lines))
    elif not language:
        unmarked.append("".join(lines))


def may_define(block: str, name: str) -> bool:
    """Return whether a program may define a name, without parsing the program.

    Example:
        >>> may_define("def area(r): ...", "area"), may_define("print(area(3))", "area")
        (True, False)
    """
    word = re.escape(name)
    return (
        re.search(rf"\b(?:def|class|as|import|for)\s+{word}\b|\b{word}\s*(?:[:=,)]|\]\s*=)", block)
        is not None
    )


def may_print(block: str) -> bool:
    """Return whether a program may print something, without parsing the program.

    Example:
        >>> may_print("print(1)"), may_print("The answer is 7.")
        (True, False)
    """
    return _PRINTS.search(block) is not None
