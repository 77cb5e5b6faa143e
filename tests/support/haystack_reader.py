"""Reads the prompts of `textgym/Haystack-v0` as a person would, apart from how they are made.

`Reading(prompt).solve()` answers the question of a prompt. The expressions were written from sample
prompts.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import NamedTuple

_CODE = r"[A-Za-z]{2}-\d{4}"
_NAME = r"[A-Z][a-z]+ [A-Z]\. [A-Z][a-z]+"
_DAY = r"\d{4}-\d\d-\d\d|\d+ \w+ \d{4}"
_RECORDS = (
    re.compile(  # a ledger
        r"^(?P<day>[\d-]{10}) \| entry (?P<number>\d{5}) \| (?P<group>[^|]+) \| (?:account "
        rf"(?P<key>{_CODE}) \| limit (?:(?P<value>\d{{4}})|as account (?P<refers>{_CODE}))"
        r"|entry (?P<withdraws>\d{5}) is void) \| \w+$",
        re.M,
    ),
    re.compile(  # a log
        r"^(?P<day>[\d-]{10})T\d\d:\d\d \[(?P<number>\d{5})\] (?P<group>\S+) \w+ (?:INFO quota of "
        rf"job (?P<key>{_CODE}) set to (?:(?P<value>\d{{4}})|that of (?P<refers>{_CODE}))"
        r"|WARN record (?P<withdraws>\d{5}) revoked)$",
        re.M,
    ),
    re.compile(  # mail
        r"^Message (?P<number>\d{5}), (?P<day>\d+ \w+ \d{4})\n"
        r"From [\w ]+ to the (?P<group>\w+) shop\n"
        rf"(?:Part (?P<key>{_CODE}) costs (?:(?P<value>\d{{4}})|as much as part "
        rf"(?P<refers>{_CODE})) from today on|Please disregard message (?P<withdraws>\d{{5}}))"
        r"\. [\w ]+\.(?:\n> .*)?$",
        re.M,
    ),
    re.compile(  # notes
        r"^Note (?P<number>\d{5}) of (?P<day>\d+ \w+ \d{4}), (?P<group>\w+): "
        rf"(?:(?P<key>{_NAME}) reports to (?P<value>{_NAME}), [\w ]+"
        r"|note (?P<withdraws>\d{5}) is withdrawn)\.$",
        re.M,
    ),
)
_KINDS = {  # the first that is found
    "absent": r"\bno (?:entry|quota|price|note)\b",
    "count": r"\AHow (?:many|often)\b",
    "filter": r"\AWhich (?:entries|records|messages|notes)\b",
    "chain": r"levels above|as that of another|that of another job|as much as another part",
    "latest": r"",
}
_GROUP = re.compile(
    r"of the (?P<branch>[\w ]+) branch|\bon (?P<cluster>[a-z]+-[a-z]+)\b|the (?P<shop>\w+) shop\b"
    r"|\bin (?P<department>[A-Z]\w+)\b"
)
_PERIOD = re.compile(rf"from ({_DAY}) to ({_DAY}), both days included")
_BOUND = re.compile(rf"(?:over|more than) (\d+)|somebody in \w+ reports to ({_NAME})")
_LEVELS = re.compile(r"Who is (\w+) levels above")
_STEPS = {"three": 3, "four": 4, "five": 5}
_WITHDRAWING = re.compile(r"another (?:entry calls|one asks|note withdraws)|revoked by another")


class Record(NamedTuple):
    """An entry of a document: what it says of a key, or which number it withdraws."""

    place: int
    number: str
    day: datetime
    group: str
    key: str
    value: str
    refers: bool
    withdraws: str


class Asked(NamedTuple):
    """What a question asks for."""

    kind: str
    group: str
    keys: list[str]
    period: tuple[datetime, ...]
    bound: str
    steps: int
    is_ordered: bool
    may_withdraw: bool


def parts(prompt: str) -> tuple[str, str]:
    """Return the document, and the question with its rules."""
    document, _, question = prompt.rpartition("\n\n")
    return document.partition("\n\n")[2], question


def asked(question: str) -> Asked:
    """Return what a question asks for."""
    text = question.partition("?")[0]
    group, period = _GROUP.search(text), _PERIOD.search(text)
    bound, levels = _BOUND.search(text), _LEVELS.search(text)
    listed = text.rpartition(": ")[2]
    assert group
    return Asked(
        kind=next(kind for kind, form in _KINDS.items() if re.search(form, question)),
        group=next(filter(None, group.groups())),
        keys=re.findall(_CODE, listed) or re.findall(_NAME, listed) if not bound else [],
        period=tuple(map(_day, period.groups())) if period else (),
        bound=(bound[1] or bound[2]) if bound else "",
        steps=_STEPS[levels[1]] if levels else 0,
        is_ordered="in the order of the question" in question,
        may_withdraw=bool(_WITHDRAWING.search(question)),
    )


def records_of(document: str) -> list[Record]:
    """Return the entries of a document, in their order; all of it must be entries."""
    found = next(found for form in _RECORDS if (found := list(form.finditer(document))))
    assert document in [gap.join(match[0] for match in found) for gap in ("\n", "\n\n")]
    return [_record(place, match.groupdict()) for place, match in enumerate(found)]


def _record(place: int, found: dict[str, str | None]) -> Record:
    refers = found.get("refers")
    number, group, day = found["number"] or "", found["group"] or "", _day(found["day"] or "")
    said = found["key"] or "", refers or found["value"] or ""
    return Record(place, number, day, group, *said, bool(refers), found["withdraws"] or "")


def _day(text: str) -> datetime:
    form = "%Y-%m-%d" if "-" in text else "%d %B %Y" if len(text.split()[1]) > 3 else "%d %b %Y"
    return datetime.strptime(text, form)


class Reading:
    """A prompt, read.

    Attributes:
        document: The document.
        asked: What is asked for.
        records: The entries.
        valid: Those that tell something of a key and were not withdrawn.
        deciding: Those that the answer stands in, after `solve`.
    """

    def __init__(self, prompt: str) -> None:
        self.document, question = parts(prompt)
        self.asked = asked(question)
        self.records = records_of(self.document)
        withdrawn = {record.withdraws for record in self.records if record.withdraws}
        assert self.asked.may_withdraw or not withdrawn
        self.valid = [r for r in self.records if r.key and r.number not in withdrawn]
        self.deciding: list[Record] = []

    def of(self, key: str) -> list[Record]:
        """Return the valid records of a key in the group, the latest last."""
        found = [r for r in self.valid if (r.group, r.key) == (self.asked.group, key)]
        return sorted(found, key=lambda record: record.day)

    def solve(self) -> list[str]:
        """Return the answer."""
        kind, keys = self.asked.kind, self.asked.keys
        if kind == "count":
            return [str(len(self.of(key))) for key in keys]
        if kind == "absent":
            return [key for key in keys if not any(map(self.is_in_period, self.of(key)))]
        if kind == "filter":
            found = [r for r in self.valid if self.is_in_period(r) and self.is_within_bound(r)]
            self.deciding = [r for r in found if r.group == self.asked.group]
            return [record.number for record in self.deciding]
        return [self._follow(key) for key in keys]

    def is_in_period(self, record: Record) -> bool:
        """Return whether a record is from the period that is asked for."""
        first, last = self.asked.period
        return first <= record.day <= last

    def is_within_bound(self, record: Record) -> bool:
        """Return whether a record's value is one that is asked for."""
        bound = self.asked.bound
        return int(record.value) > int(bound) if bound.isdigit() else record.value == bound

    def _follow(self, key: str) -> str:
        """Return the value of a key, through all references; no two may be from the last day."""
        for step in range(1, 10):
            *others, last = self.of(key)
            assert all(other.day < last.day for other in others)
            self.deciding.append(last)
            if not last.refers and step >= self.asked.steps:
                return last.value
            key = last.value
        raise AssertionError("the references do not end")


_FIRST_QUESTION = re.compile(
    r"(?:Where does|Which code does|What is|On which day is) (\w+)'s (\w+)(?: live| have| called)?"
    r'\? End with a line that says "Answer: " and the (?:city|code|name|day) alone\.'
)


def first_answer(prompt: str) -> tuple[int, str]:
    """Return the place of the sentence that answers a prompt of level 0, and the answer."""
    *sentences, blank, question = prompt.split("\n")
    found = _FIRST_QUESTION.fullmatch(question)
    assert found
    assert not blank
    owned = f"{found[1]}'s {found[2]} "
    [place] = [place for place, sentence in enumerate(sentences) if sentence.startswith(owned)]
    stated = sentences[place].removeprefix(owned)
    value = re.fullmatch(r"(?:lives in|has the code|is called|is on) (\w+)\.", stated)
    assert value
    return place, value[1]
