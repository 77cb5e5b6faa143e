"""Themes of a user's day: professions with typical events and small talk.

`themes.json` has the tables. An event has a full name and a short name, which later turns use.
`{person}` and `{first}` are the same person.
"""

from __future__ import annotations

from dataclasses import dataclass

from textgym.whole_file import packaged_data

__all__ = ["COMPANIES", "FIRST_NAMES", "LAST_NAMES", "PROJECTS", "QUESTIONS", "THEMES", "Theme"]


@dataclass(frozen=True, slots=True)
class Theme:
    """A profession.

    Attributes:
        events: Full and short names of events.
        talk: Small talk.
    """

    events: tuple[tuple[str, str], ...]
    talk: tuple[str, ...]


_DATA = packaged_data("textgym.envs.calendar", "themes.json")

FIRST_NAMES: tuple[str, ...] = _DATA["first_names"]
LAST_NAMES: tuple[str, ...] = _DATA["last_names"]
PROJECTS: tuple[str, ...] = _DATA["projects"]
COMPANIES: tuple[str, ...] = _DATA["companies"]
QUESTIONS: tuple[str, ...] = _DATA["questions"]
THEMES: tuple[Theme, ...] = tuple(Theme(**theme) for theme in _DATA["themes"])
