"""Requests for details of office requests, in many registers, as people and models word them.

They were written in samples, each before any of it was tried. Of the first file, at first 277 of
the 345 requests of the first sample were understood, 57 of 60 of the second and 28 of 33 of the
third. Of the second file, written later, it was 185 of 205, 93 of 101, 60 of 63, 44 of 47, 51 of 53
and 59 of 59.
"""

from __future__ import annotations

from pathlib import Path

__all__ = ["CONFIRMING", "MISUNDERSTOOD", "REQUESTS", "WAITING"]


FILES = ("honest_requests.txt", "more_honest_requests.txt")


def _read() -> dict[str, list[tuple[tuple[str, ...], str]]]:
    """Return what each kind of request is asked for, and how."""
    found: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    files = [Path(__file__).with_name(name) for name in FILES]
    lines = [line for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    section = ""
    for line in filter(None, lines):
        slots, bar, text = line.partition(" | ")
        if bar:
            found[section].append((tuple(slots.split(", ")), text.replace("\\n", "\n")))
        else:
            section = line.strip("[]")
            found.setdefault(section, [])
    return found


REQUESTS = _read()
CONFIRMING = tuple(text for _, text in REQUESTS.pop("confirmation"))
WAITING = tuple(text for _, text in REQUESTS.pop("wait"))

MISUNDERSTOOD = frozenset(
    {
        "I can't find a day in your message. Which should I take?",
        "Whose company will you be in for this one?",
    }
)
"""The requests that are not understood, or of which a part counts as needless."""
