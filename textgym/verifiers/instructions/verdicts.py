"""Verdicts of whether a text follows instructions, strict or loose.

Invariant: a blank text follows nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from textgym.verifiers.instructions.instruction import INSTRUCTIONS

__all__ = ["MODES", "Mode", "follows"]

Mode = Literal["strict", "loose"]
MODES: tuple[Mode, ...] = ("strict", "loose")


def follows(
    text: str, instructions: Iterable[tuple[str, Mapping[str, Any]]], mode: Mode = "strict"
) -> list[bool]:
    r"""Return for each instruction whether a text follows it.

    The line breaks of Windows, `\r\n`, are read as `\n`.

    Args:
        text: The text.
        instructions: The ids, each with the arguments that `Instruction.read_arguments` returned.
        mode: `strict` looks at the text as it is. `loose` also looks at it without its first line,
            its last line or both, as these are often addressed to the user, and at each of these
            texts without asterisks; any of the eight may follow the instruction.

    Example:
        >>> asked = [("startend:quotation", {}), ("punctuation:no_comma", {})]
        >>> follows('Sure, here it is:\n"Red."', asked)
        [False, False]
        >>> follows('Sure, here it is:\n"Red."', asked, mode="loose")
        [True, True]
    """
    text = text.replace("\r\n", "\n")
    readings = _readings(text) if mode == "loose" else [text] if text.strip() else []
    return [
        any(INSTRUCTIONS[id].check(reading, **arguments) for reading in readings)
        for id, arguments in instructions
    ]


def _readings(text: str) -> list[str]:
    """Return the different texts, none of them blank, that a loose verdict looks at."""
    lines = text.split("\n")
    shorter = ["\n".join(part).strip() for part in (lines[1:], lines[:-1], lines[1:-1])]
    plain = [reading.replace("*", "") for reading in (text, *shorter)]
    return [reading for reading in dict.fromkeys((text, *shorter, *plain)) if reading.strip()]
