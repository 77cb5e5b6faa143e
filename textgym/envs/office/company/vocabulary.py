"""The vocabulary of generated companies: people, companies, meetings, tasks and e-mail texts.

`vocabulary.json` has the long lists.

Invariants: within a list no entry is part of another, so a search for one never finds another;
every first name is a single word of ASCII letters, as addresses require.
"""

from __future__ import annotations

from textgym.envs.generation import MONTHS, WEEKDAYS
from textgym.whole_file import packaged_data

__all__ = [
    "ANSWERS", "BOARDS", "COMPANIES", "CUSTOMER_FIRMS", "CUSTOMER_FIRST_NAMES",
    "CUSTOMER_LAST_NAMES", "EVENTS", "FIRST_NAMES", "INTERESTS", "LAST_NAMES", "LISTS", "MONTHS",
    "NEW_MAILS", "NEW_MEETINGS", "NEW_TASKS", "NOTES", "OPENINGS", "PRODUCTS", "REPLIES",
    "SIGN_OFFS", "SOURCES", "STATUSES", "SUBJECTS", "WEEKDAYS", "WORK",
]  # fmt: skip

_DATA = packaged_data("textgym.envs.office.company", "vocabulary.json")

FIRST_NAMES: tuple[str, ...] = _DATA["first_names"]
LAST_NAMES: tuple[str, ...] = _DATA["last_names"]
CUSTOMER_FIRST_NAMES: tuple[str, ...] = _DATA["customer_first_names"]
CUSTOMER_LAST_NAMES: tuple[str, ...] = _DATA["customer_last_names"]
COMPANIES: tuple[str, ...] = _DATA["companies"]
CUSTOMER_FIRMS: tuple[str, ...] = _DATA["customer_firms"]
EVENTS: tuple[str, ...] = _DATA["events"]
PRODUCTS = ("Anchor", "Beacon", "Compass", "Dovetail", "Ember", "Fathom", "Granary", "Heron")
BOARDS = ("Back end", "Front end", "Design")
LISTS = ("Backlog", "In Progress", "In Review", "Completed")
WORK: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = _DATA["work"]
"""The actions and the objects of the tasks on each board."""

STATUSES = ("Lead", "Qualified", "Proposal", "Won", "Lost")
INTERESTS = ("Software", "Hardware", "Services", "Consulting", "Training")
SOURCES = ("direct", "referral", "search engine", "social media")
NOTES: tuple[str, ...] = _DATA["notes"]
SUBJECTS: dict[str, tuple[str, ...]] = _DATA["subjects"]
OPENINGS: dict[str, tuple[str, ...]] = _DATA["openings"]
REPLIES: tuple[str, ...] = _DATA["replies"]
ANSWERS: tuple[str, ...] = _DATA["answers"]
NEW_MAILS: tuple[tuple[str, str], ...] = _DATA["new_mails"]
NEW_MEETINGS: tuple[str, ...] = _DATA["new_meetings"]
NEW_TASKS: tuple[str, ...] = _DATA["new_tasks"]
SIGN_OFFS = ("Best", "Thanks", "Cheers", "Regards", "Talk soon", "All the best")
