r"""Safe output to a terminal: control characters are escaped, colours are added.

Text from a model or a data set may contain escape sequences, carriage returns or characters that
change the writing direction. `visible` replaces each with its Python escape (`\x1b`, `\u202e`) but
keeps line feeds and tabs. `Paint` does the same before it adds colours, so its output contains no
control characters except line feeds, tabs and these colours.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from typing import Any, TextIO

__all__ = ["Paint", "show", "visible", "wants_colour", "wrapped"]

# Control characters except \t and \n; characters that are invisible or change the writing direction
# (except the two joiners that scripts and emoji need); other line separators; lone surrogates.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ud800-\udfff\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
_CODES = {
    "bold": 1, "dim": 2, "red": 31, "green": 32, "yellow": 33, "blue": 34, "magenta": 35,
    "cyan": 36,
}  # fmt: skip


def visible(text: str) -> str:
    r"""Return a text with control and invisible characters escaped.

    Example:
        >>> print(visible("\x1b[2J one\r two \u202eeerht"))
        \x1b[2J one\r two \u202eeerht
    """
    return _HIDDEN.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    return match.group().encode("unicode_escape", "surrogatepass").decode("ascii")


class Paint:
    r"""Escapes control characters in a text and, if wanted, colours it.

    Args:
        colour: Whether to add colours.

    Example:
        >>> Paint(True)("Hello\x07", "bold", "cyan")
        '\x1b[1;36mHello\x1b[7m\\x07\x1b[27m\x1b[0m'
        >>> Paint(False)("Hello\x07", "bold", "cyan")
        'Hello\\x07'
    """

    def __init__(self, colour: bool) -> None:
        self.colour = colour

    def __call__(self, text: str, *styles: str) -> str:
        """Return the text in the given styles: `bold`, `dim` or the name of a colour."""
        if not self.colour:
            return visible(text)
        text = _HIDDEN.sub(lambda match: f"\x1b[7m{_escape(match)}\x1b[27m", text)
        if not styles:
            return text
        start = f"\x1b[{';'.join(str(_CODES[style]) for style in styles)}m"
        # Line by line, because a pager resets colours at the end of a line.
        return "\n".join(line and f"{start}{line}\x1b[0m" for line in text.split("\n"))


def wants_colour(stream: TextIO | Any = None) -> bool:
    """Return whether a stream is a terminal, and neither `NO_COLOR` nor `TERM=dumb` is set.

    Args:
        stream: The stream to write to; standard output by default.
    """
    stream = sys.stdout if stream is None else stream
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return bool(stream is not None and stream.isatty())


def show(text: str, stream: TextIO | Any = None) -> None:
    """Write a line; characters that the encoding of the stream lacks are escaped.

    Args:
        text: The text to write.
        stream: The stream to write to; standard output by default.
    """
    stream = sys.stdout if stream is None else stream
    encoding = getattr(stream, "encoding", None) or "utf-8"
    print(text.encode(encoding, "backslashreplace").decode(encoding), file=stream)


_STYLE = re.compile(r"\x1b\[[\d;]*m")
_INVERSE = ("\x1b[7m", "\x1b[27m")  # of an escaped character, within other styles
_RESET = "\x1b[0m"


def wrapped(text: str, stream: TextIO | Any = None) -> str:
    """Return a text whose long lines are broken at spaces; unchanged if no terminal shows it.

    Args:
        text: The text, with styles of `Paint`.
        stream: The stream that it is written to; standard output by default.
    """
    stream = sys.stdout if stream is None else stream
    if stream is None or not stream.isatty():
        return text
    width = shutil.get_terminal_size().columns
    return "\n".join(_wrap_line(line, width) for line in text.split("\n"))


def _wrap_line(line: str, width: int) -> str:
    r"""Break a line at spaces. The parts have its indentation, and their words keep their style.

    Example:
        >>> _wrap_line("  one two three four", 11)
        '  one two\n  three\n  four'
    """
    if len(line) <= width:
        return line
    indent = " " * (len(line) - len(line.lstrip(" ")))
    done, style, used = "", "", 0
    for word in re.split(r"(?<= )(?=[^ ])", line):
        plain = _STYLE.sub("", word)
        if used > len(indent) and used + len(plain.rstrip(" ")) > width:
            done = f"{done.rstrip(' ')}{style and _RESET}\n{indent}{style}"
            used = len(indent)
        done += word
        used += len(plain)
        for code in _STYLE.findall(word):
            if code not in _INVERSE:
                style = "" if code == _RESET else code
    return done
