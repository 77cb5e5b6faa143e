r"""What may be written to a terminal: text in which nothing hides, and colours of one's own.

What a model or a data set says may hold escape sequences, carriage returns or letters that turn
the direction of writing. `visible` turns each of them into the escape that Python writes for it
(`\x1b`, `\u202e`); line feeds and tabs stay. `Paint` does so with all that it is given, so that
what it returns holds no control character but line feeds, tabs and its own colours.
"""

from __future__ import annotations

import os
import re
import sys
from typing import Any, TextIO

__all__ = ["Paint", "show", "visible", "wants_colour"]

# Control characters but \t and \n; what is invisible or turns the direction of writing (but the
# two joiners that scripts and emoji need); line ends that are none here; halves of a pair.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ud800-\udfff\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
_CODES = {
    "bold": 1, "dim": 2, "red": 31, "green": 32, "yellow": 33, "blue": 34, "magenta": 35,
    "cyan": 36,
}  # fmt: skip


def visible(text: str) -> str:
    r"""Return a text with all that hides in it made visible.

    Example:
        >>> print(visible("\x1b[2J one\r two \u202eeerht"))
        \x1b[2J one\r two \u202eeerht
    """
    return _HIDDEN.sub(_escape, text)


def _escape(found: re.Match[str]) -> str:
    return found.group().encode("unicode_escape", "surrogatepass").decode("ascii")


class Paint:
    r"""Makes text visible and, where colours are wanted, colours it.

    Args:
        colour: Whether to colour at all.

    Example:
        >>> Paint(True)("Hello\x07", "bold", "cyan")
        '\x1b[1;36mHello\x1b[7m\\x07\x1b[27m\x1b[0m'
        >>> Paint(False)("Hello\x07", "bold", "cyan")
        'Hello\\x07'
    """

    def __init__(self, colour: bool) -> None:
        self.colour = colour

    def __call__(self, text: str, *styles: str) -> str:
        """Return the text in styles: `bold`, `dim` or the name of a colour."""
        if not self.colour:
            return visible(text)
        text = _HIDDEN.sub(lambda found: f"\x1b[7m{_escape(found)}\x1b[27m", text)
        if not styles:
            return text
        start = f"\x1b[{';'.join(str(_CODES[style]) for style in styles)}m"
        # Line by line: a pager forgets at a line's end what was set in it.
        return "\n".join(line and f"{start}{line}\x1b[0m" for line in text.split("\n"))


def wants_colour(stream: TextIO | Any = None) -> bool:
    """Tell whether to write colours: to a terminal, unless `NO_COLOR` is set or `TERM` is dumb.

    Args:
        stream: Where to; standard output if not given.
    """
    stream = sys.stdout if stream is None else stream
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return bool(stream is not None and stream.isatty())


def show(text: str, stream: TextIO | Any = None) -> None:
    """Write a text and a line end; letters that the stream's encoding lacks become escapes.

    Args:
        text: What to write.
        stream: Where to; standard output if not given.
    """
    stream = sys.stdout if stream is None else stream
    encoding = getattr(stream, "encoding", None) or "utf-8"
    print(text.encode(encoding, "backslashreplace").decode(encoding), file=stream)
