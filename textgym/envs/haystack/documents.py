"""The kinds of documents: ledgers, mail, logs, and notes on who reports to whom.

`documents.json` has their texts: introductions, groups, questions and rules.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from textgym.envs.generation import choice, clock, randbelow, randint
from textgym.envs.haystack.drafts import REFERENCE, VALUE, VOID, DocumentKind, Entry, dates
from textgym.whole_file import packaged_data

__all__ = ["DOCUMENTS"]

_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ"


def draw_code(rng: random.Random) -> str:
    """Draw a code of two letters and four digits."""
    return f"{choice(rng, _LETTERS)}{choice(rng, _LETTERS)}-{randint(rng, 1000, 9999)}"


def draw_near_code(rng: random.Random, code: str) -> str:
    """Draw a code that differs in one digit, in one letter, or in the order of two digits.

    It may be the same code: callers draw again until it differs.

    Example:
        >>> [draw_near_code(random.Random(seed), "KX-4471") for seed in (1, 2, 9)]
        ['WX-4471', 'KX-4470', 'KX-4741']
    """
    how = randbelow(rng, 4)
    if how == 0:
        return choice(rng, _LETTERS) + code[1:]
    place = randint(rng, 4, 6)  # not the first digit, which is never 0
    if how == 1:
        return code[: place - 1] + code[place] + code[place - 1] + code[place + 1 :]
    return code[:place] + choice(rng, "0123456789") + code[place + 1 :]


_ISO_DATES = dates("{year}-{month:02}-{day:02}")
_CLERKS = (
    "Abbott", "Baines", "Cole", "Doyle", "Ellis", "Frost", "Grant", "Hobbs", "Irwin", "Jessop",
    "Kerr", "Lowe", "Mercer", "Nash", "Orr", "Pratt", "Quinn", "Reeve", "Sharp", "Tait",
)  # fmt: skip


def _write_ledger(entry: Entry) -> str:
    clerk = _CLERKS[int(entry.noise * len(_CLERKS))]
    if entry.form is VALUE:
        what = f"account {entry.key} | limit {entry.value}"
    elif entry.form is REFERENCE:
        what = f"account {entry.key} | limit as account {entry.value}"
    else:
        what = f"entry {entry.value} is void"
    return f"{_ISO_DATES[entry.day]} | entry {entry.number} | {entry.group} | {what} | {clerk}"


_MAIL_DATES = dates("{day} {name:.3} {year}")
_SENDERS = (
    "Anita Rao", "Ben Okafor", "Clara Voss", "Dina Petrov", "Emil Larsen", "Farah Aziz",
    "Gwen Price", "Hugo Blanc", "Iris Novak", "Jonas Weber", "Kira Sato", "Liam Walsh",
    "Mona Haddad", "Nils Berg", "Olga Ivanova", "Pablo Ruiz",
)  # fmt: skip
_REMARKS = (
    "Please tell the counter.", "The list follows by post.", "Call me if that is a problem.",
    "Head office has agreed.", "Please confirm.", "Thanks for your patience.",
    "The supplier insists.", "Labels are on their way.",
)  # fmt: skip
_QUOTING = 0.3  # the share of messages that quote an older one


def _write_mail(entry: Entry) -> str:
    fraction = int(entry.noise * 2**31)
    sender = _SENDERS[fraction % 16]
    remark = _REMARKS[fraction // 16 % 8]
    if entry.form is VALUE:
        what = f"Part {entry.key} costs {entry.value} from today on."
    elif entry.form is REFERENCE:
        what = f"Part {entry.key} costs as much as part {entry.value} from today on."
    else:
        what = f"Please disregard message {entry.value}."
    quote = ""
    if entry.noise < _QUOTING and entry.key:
        quoted = 1000 + fraction // 128 % 9000
        earlier = _MAIL_DATES[fraction // 128 % max(entry.day, 1)]
        quote = f"\n> {earlier}: part {entry.key} costs {quoted}."
    return (
        f"Message {entry.number}, {_MAIL_DATES[entry.day]}\n"
        f"From {sender} to the {entry.group} shop\n{what} {remark}{quote}"
    )


_AGENTS = ("cron", "deployer", "operator", "planner", "reaper", "scaler", "syncer", "watchdog")


def _draw_job(rng: random.Random) -> str:
    return draw_code(rng).lower()


def _draw_near_job(rng: random.Random, job: str) -> str:
    return draw_near_code(rng, job.upper()).lower()


def _write_log(entry: Entry) -> str:
    minute = int(entry.noise * 1440)
    agent = _AGENTS[minute % len(_AGENTS)]
    if entry.form is VALUE:
        what = f"INFO quota of job {entry.key} set to {entry.value}"
    elif entry.form is REFERENCE:
        what = f"INFO quota of job {entry.key} set to that of {entry.value}"
    else:
        what = f"WARN record {entry.value} revoked"
    return f"{_ISO_DATES[entry.day]}T{clock(minute)} [{entry.number}] {entry.group} {agent} {what}"


_REPORT_DATES = dates("{day} {name} {year}")
# Each name stands beside those that look like it.
_FIRST_NAMES = (
    ("Ana", "Anna", "Anne"), ("Carl", "Karl", "Carlo"), ("Eric", "Erik", "Erika"),
    ("Jan", "Jana", "Jane"), ("Jon", "John", "Joan"), ("Lena", "Lina", "Luna"),
    ("Maria", "Marie", "Mario"), ("Nico", "Nicol", "Niko"), ("Olaf", "Olav", "Oliv"),
    ("Paul", "Paula", "Pauli"), ("Rena", "Rina", "Rene"), ("Sara", "Sarah", "Zara"),
    ("Stefan", "Stephan", "Steffen"), ("Tina", "Tine", "Dina"), ("Vera", "Vero", "Wera"),
)  # fmt: skip
_LAST_NAMES = (
    ("Andersen", "Anderson", "Andersson"), ("Bauer", "Baur", "Bower"), ("Brand", "Brandt", "Brant"),
    ("Clark", "Clarke", "Klark"), ("Fisher", "Fischer", "Visser"), ("Gray", "Grey", "Graye"),
    ("Hofman", "Hoffman", "Hoffmann"), ("Holm", "Holme", "Holmes"), ("Jansen", "Janssen", "Jensen"),
    ("Kramer", "Cramer", "Kremer"), ("Larsen", "Larson", "Larsson"), ("Maier", "Mayer", "Meyer"),
    ("Moore", "More", "Moor"), ("Nielsen", "Nilsen", "Nilsson"), ("Olsen", "Olson", "Olsson"),
    ("Peters", "Peterson", "Petersen"), ("Read", "Reed", "Reid"), ("Schmid", "Schmidt", "Schmitt"),
    ("Stewart", "Stuart", "Steward"), ("Thomas", "Thomsen", "Thomson"), ("Wolf", "Wolfe", "Wulf"),
)  # fmt: skip
_SIMILAR_NAMES = {name: family for family in (*_FIRST_NAMES, *_LAST_NAMES) for name in family}
_INITIALS = "ABCDEFGHJKLMNPRSTW"
_REASONS = (
    "by agreement", "as announced", "until further notice", "after the review", "as requested",
    "following the move", "on a trial basis", "with immediate effect",
)  # fmt: skip


def _draw_person(rng: random.Random) -> str:
    first, last = choice(rng, choice(rng, _FIRST_NAMES)), choice(rng, choice(rng, _LAST_NAMES))
    return f"{first} {choice(rng, _INITIALS)}. {last}"


def _draw_similar_person(rng: random.Random, person: str) -> str:
    """Draw a person with another initial, or with a first or last name that looks alike."""
    names = person.split()
    place = randbelow(rng, 3)
    names[place] = (
        f"{choice(rng, _INITIALS)}." if place == 1 else choice(rng, _SIMILAR_NAMES[names[place]])
    )
    return " ".join(names)


def _write_report(entry: Entry) -> str:
    head = f"Note {entry.number} of {_REPORT_DATES[entry.day]}, {entry.group}:"
    if entry.form is VOID:
        return f"{head} note {entry.value} is withdrawn."
    reason = _REASONS[int(entry.noise * len(_REASONS))]
    return f"{head} {entry.key} reports to {entry.value}, {reason}."


def _kind(
    name: str,
    write: Callable[[Entry], str],
    draw_key: Callable[[random.Random], str],
    draw_near_key: Callable[[random.Random, str], str],
    day: tuple[str, ...],
) -> DocumentKind:
    """Return a kind of document, with its texts from `documents.json`."""
    return DocumentKind(
        name, write=write, draw_key=draw_key, draw_near_key=draw_near_key, day=day, **_TEXTS[name]
    )


_TEXTS = packaged_data("textgym.envs.haystack", "documents.json")

DOCUMENTS = (
    _kind("ledger", _write_ledger, draw_code, draw_near_code, _ISO_DATES),
    _kind("mail", _write_mail, draw_code, draw_near_code, _MAIL_DATES),
    _kind("log", _write_log, _draw_job, _draw_near_job, _ISO_DATES),
    _kind("reports", _write_report, _draw_person, _draw_similar_person, _REPORT_DATES),
)
