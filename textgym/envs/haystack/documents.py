"""The kinds of documents: ledgers, mail, logs, and notes on who reports to whom."""

from __future__ import annotations

import random

from textgym.envs.generation import choice, clock, randbelow, randint
from textgym.envs.haystack.drafts import REFERENCE, VALUE, VOID, DocumentKind, Entry, dates

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
_BRANCHES = (
    "Alder Street", "Bridgeport", "Castle Hill", "Docklands", "Eastgate", "Fairview", "Glenwood",
    "Harbour", "Kingsway", "Lakeside", "Market Square", "Northgate", "Old Town", "Parkside",
    "Queensferry", "Riverside", "Southfield", "Thornhill", "Uplands", "Westend",
)  # fmt: skip
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


LEDGER = DocumentKind(
    name="ledger",
    intro="This is a bank's ledger of credit limits. Each branch numbers its accounts on its own, "
    "so the same account number at another branch is another account. The entries are in no "
    "particular order.",
    groups=_BRANCHES,
    has_numbers=True,
    length=80,
    separator="\n",
    write=_write_ledger,
    draw_key=draw_code,
    draw_near_key=draw_near_code,
    day=_ISO_DATES,
    questions={
        "latest": "What are the credit limits of these accounts of the {group} branch: {keys}?",
        "chain": "What are the credit limits of these accounts of the {group} branch: {keys}?",
        "count": "How many entries are there for each of these accounts of the {group} branch: "
        "{keys}?",
        "filter": "Which entries of the {group} branch from {first} to {last}, both days "
        "included, set a limit over {over}?",
        "absent": "Which of these accounts have no entry of the {group} branch from {first} to "
        "{last}, both days included: {keys}?",
    },
    items={
        "latest": "limits",
        "chain": "limits",
        "count": "counts",
        "filter": "numbers of the entries",
        "absent": "accounts",
    },
    rules={
        "latest": "If an account of a branch has several entries, the one with the latest date "
        "counts, wherever it stands.",
        "chain": "A limit may be set as that of another account, which is one of the same branch: "
        "then the present limit of that account counts.",
        "void": "An entry that another entry calls void does not count, whatever their dates are.",
    },
)


_MAIL_DATES = dates("{day} {name:.3} {year}")
_SHOPS = (
    "Aberdeen", "Bristol", "Cardiff", "Derby", "Exeter", "Fulham", "Glasgow", "Hereford",
    "Ipswich", "Kendal", "Leeds", "Malvern", "Norwich", "Oxford", "Plymouth", "Reading",
    "Swansea", "Truro", "Warwick", "York",
)  # fmt: skip
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


MAIL = DocumentKind(
    name="mail",
    intro="This is the mail of a dealer in spare parts to its shops, in no particular order. Each "
    "shop has prices of its own. Lines that begin with > quote older messages and never count.",
    groups=_SHOPS,
    has_numbers=True,
    length=148,
    separator="\n\n",
    write=_write_mail,
    draw_key=draw_code,
    draw_near_key=draw_near_code,
    day=_MAIL_DATES,
    questions={
        "latest": "What do these parts cost at the {group} shop now: {keys}?",
        "chain": "What do these parts cost at the {group} shop now: {keys}?",
        "count": "How many messages told the {group} shop a price of each of these parts: {keys}?",
        "filter": "Which messages from {first} to {last}, both days included, told the {group} "
        "shop a price over {over}?",
        "absent": "For which of these parts was the {group} shop told no price from {first} to "
        "{last}, both days included: {keys}?",
    },
    items={
        "latest": "prices",
        "chain": "prices",
        "count": "counts",
        "filter": "numbers of the messages",
        "absent": "parts",
    },
    rules={
        "latest": "If a shop was told several prices of a part, the message with the latest date "
        "counts, wherever it stands.",
        "chain": "A part may cost as much as another part: its price is then the present price of "
        "that part at the same shop.",
        "void": "A message that another one asks to disregard does not count, whatever their dates "
        "are.",
    },
)


_CLUSTERS = (
    "ap-north", "ap-south", "ap-west", "ca-east", "ca-west", "eu-central", "eu-north", "eu-south",
    "eu-west", "me-east", "me-south", "sa-east", "sa-north", "us-central", "us-east", "us-west",
)  # fmt: skip
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


LOG = DocumentKind(
    name="log",
    intro="These are the records of several clusters, merged from their buffers and therefore out "
    "of order. Each begins with its time, its number and its cluster. The same name of a job on "
    "another cluster is another job.",
    groups=_CLUSTERS,
    has_numbers=True,
    length=79,
    separator="\n",
    write=_write_log,
    draw_key=_draw_job,
    draw_near_key=_draw_near_job,
    day=_ISO_DATES,
    questions={
        "latest": "Which quotas do these jobs on {group} have in the end: {keys}?",
        "chain": "Which quotas do these jobs on {group} have in the end: {keys}?",
        "count": "How often was the quota of each of these jobs on {group} set: {keys}?",
        "filter": "Which records from {first} to {last}, both days included, set the quota of a "
        "job on {group} to more than {over}?",
        "absent": "Which of these jobs on {group} had no quota set from {first} to {last}, both "
        "days included: {keys}?",
    },
    items={
        "latest": "quotas",
        "chain": "quotas",
        "count": "counts",
        "filter": "numbers of the records",
        "absent": "jobs",
    },
    rules={
        "latest": "If the quota of a job was set several times, the record with the latest time "
        "counts, wherever it stands.",
        "chain": "A quota may be set to that of another job, which is one on the same cluster: it "
        "is then what that job's quota is in the end.",
        "void": "A record that was revoked by another one does not count, whatever their times "
        "are.",
    },
)


_REPORT_DATES = dates("{day} {name} {year}")
_DEPARTMENTS = (
    "Archives", "Catering", "Claims", "Design", "Exports", "Finance", "Imports", "Legal",
    "Logistics", "Marketing", "Payroll", "Planning", "Purchasing", "Quality", "Research", "Sales",
    "Security", "Testing", "Training", "Transport",
)  # fmt: skip
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


REPORTS = DocumentKind(
    name="reports",
    intro="These are notes on who reports to whom in a company, in no particular order. Each note "
    "is about one department. People of the same name in different departments are different "
    "people, and everybody reports to somebody in the same department.",
    groups=_DEPARTMENTS,
    has_numbers=False,
    length=93,
    separator="\n",
    write=_write_report,
    draw_key=_draw_person,
    draw_near_key=_draw_similar_person,
    day=_REPORT_DATES,
    questions={
        "latest": "To whom do these people in {group} report now: {keys}?",
        "chain": "Who is {steps} levels above each of these people in {group} now: {keys}? The "
        "person to whom somebody reports is one level above.",
        "count": "How many notes say to whom each of these people in {group} reports: {keys}?",
        "filter": "Which notes from {first} to {last}, both days included, say that somebody in "
        "{group} reports to {over}?",
        "absent": "Which of these people in {group} have no note on whom they report to from "
        "{first} to {last}, both days included: {keys}?",
    },
    items={
        "latest": "names",
        "chain": "names",
        "count": "counts",
        "filter": "numbers of the notes",
        "absent": "names",
    },
    rules={
        "latest": "If there are several notes on whom somebody reports to, the one with the latest "
        "date counts, wherever it stands.",
        "chain": "",
        "void": "A note that another note withdraws does not count, whatever their dates are.",
    },
)

DOCUMENTS = (LEDGER, MAIL, LOG, REPORTS)
