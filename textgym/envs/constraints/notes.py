"""Drawing what a task is about: notes on several things, and the thing that the text is about.

Two of the requested details of each thing were corrected, and some things have a remark that is not
for print. Invariant: no span of the notes has all requested facts and nothing that must be left
out.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import NamedTuple

from textgym.envs.constraints.jobs import CODES, JOBS, PEOPLE, PHONES, PRICES, Detail, Job
from textgym.envs.generation import choice, listing, randbelow, sample

__all__ = ["Brief", "draw_brief"]

_THINGS = {1: 3, 2: 3, 3: 4, 4: 4, 5: 5, 6: 5}  # by level
_CLUE_FROM = 3  # the level from which a clue identifies the thing
_LATE_FROM = 4  # the level from which corrections may stand last
_CORRECTED = 2  # details of each thing
_CORRECTIONS = (
    "{new}, no longer {old}",
    "{new} instead of {old}",
    "{old}, now {new}",
    "not {old} but {new}",
    "{old}, changed to {new}",
    "{new}, formerly {old}",
)
_REMARKS: tuple[tuple[str, Sequence[str]], ...] = (
    ("for us only: a deposit of {} is still unpaid", PRICES),
    ("not for print: ring {} first", PHONES),
    ("between us: {} is against it", PEOPLE),
    ("internal: the old papers are in {}", CODES),
)
_RULES = (
    "It has to give the name of the {thing}, {details}, each exactly as it is written in the "
    "notes. What was corrected counts in its latest version. Say nothing of the other {things}, of "
    "outdated details, or of remarks that are not meant for readers, and do not make up any "
    "further dates, times, prices, amounts or numbers.",
    "Make sure that the name of the {thing}, {details} are in it, spelled as in the notes. Leave "
    "out all other {things}, whatever has been changed since, and our private remarks. Please do "
    "not invent further details such as dates, prices, codes or phone numbers.",
    "Mention the name of the {thing}, {details}, copied from the notes letter by letter. Only the "
    "current details may appear: nothing about other {things}, nothing outdated, no internal "
    "comments, and no dates, times, amounts or numbers of your own.",
)


class Brief(NamedTuple):
    """What a task is about.

    Attributes:
        job: The job.
        subject: The name of the thing that the text is about.
        required: The details that an answer must give, with their values.
        known: All facts of the thing.
        others: All other facts of the notes, which it must leave out.
        request: The sentence that asks for the text.
        notes: The notes.
        rule: What the answer must give and leave out.
    """

    job: Job
    subject: str
    required: list[tuple[Detail, str]]
    known: list[str]
    others: list[str]
    request: str
    notes: str
    rule: str

    @property
    def facts(self) -> list[str]:
        """What an answer must mention."""
        return [self.subject, *(value for _, value in self.required)]


class _Thing(NamedTuple):
    name: str
    values: list[str]  # of the job's details
    outdated: dict[int, str]  # the former values of the details that were corrected, by index
    remark: str
    secret: str  # the fact of the remark; "" for no remark

    def listed(self, rng: random.Random) -> list[str]:
        """Return the values, with the corrections, each worded in its own way."""
        return [
            choice(rng, _CORRECTIONS).format(new=value, old=self.outdated[i])
            if i in self.outdated
            else value
            for i, value in enumerate(self.values)
        ]

    def former(self) -> list[str]:
        """Return the values before the corrections."""
        return [self.outdated.get(i, value) for i, value in enumerate(self.values)]


def draw_brief(rng: random.Random, level: int) -> Brief:
    """Draw a job, things with their details, and the one to be written about."""
    job = choice(rng, JOBS)
    place = randbelow(rng, len(job.details))  # of the detail that is not asked for
    asked = [i for i in range(len(job.details)) if i != place]
    things = _draw_things(rng, job, _THINGS[level], asked)
    chosen = things[randbelow(rng, len(things))]
    which = f"{job.article}{chosen.name}"
    if level >= _CLUE_FROM:
        which = _clue(job, place, things, chosen)
    required = [(job.details[i], chosen.values[i]) for i in asked]
    known = [chosen.name, *chosen.values]
    others = [
        fact
        for thing in things
        for fact in (thing.name, *thing.values, *thing.outdated.values(), thing.secret)
        if fact and fact not in known
    ]
    lay_out = choice(rng, _LATE if level >= _LATE_FROM and rng.random() < 0.5 else _LAYOUTS)
    notes = f"{choice(rng, job.notes)}\n{lay_out(rng, job, things)}"
    rule = choice(rng, _RULES).format(
        thing=job.thing,
        details=listing([f"the {detail.label}" for detail, _ in required]),
        things=f"{job.thing}s",
    )
    request = choice(rng, job.requests).format(which=which)
    return Brief(job, chosen.name, required, known, others, request, notes, rule)


def _draw_things(rng: random.Random, job: Job, count: int, asked: Sequence[int]) -> list[_Thing]:
    """Draw things without facts in common, with their corrections and remarks."""
    names = sample(rng, job.subjects, count)
    columns = [sample(rng, detail.values, 2 * count) for detail in job.details]
    taken = {value for column in columns for value in column}
    things = []
    for place, name in enumerate(names):
        corrected = sample(rng, asked, _CORRECTED)
        remark, pool = choice(rng, _REMARKS)
        secret = choice(rng, pool)
        silent = rng.random() < 0.5 or secret in taken
        taken.add(secret)
        things.append(
            _Thing(
                name,
                [column[place] for column in columns],
                {i: columns[i][count + place] for i in corrected},
                "" if silent else remark.format(secret),
                "" if silent else secret,
            )
        )
    return things


def _clue(job: Job, place: int, things: list[_Thing], chosen: _Thing) -> str:
    """Return words that identify the chosen thing by one of its details, without its name."""
    detail = job.details[place]
    if detail.least:
        ranks = [detail.values.index(thing.values[place]) for thing in things]
        if things[ranks.index(min(ranks))] is chosen:
            return f"the {job.thing} {detail.least}"
    return f"the {job.thing} {detail.clue.format(chosen.values[place])}"


def _remarks(rng: random.Random, job: Job, things: list[_Thing]) -> list[str]:
    return [f"{thing.name}, {thing.remark}" for thing in things if thing.remark]


def _lines(rng: random.Random, job: Job, things: list[_Thing]) -> str:
    """One line for each thing."""
    lines = []
    for thing in things:
        pairs = zip(job.details, thing.listed(rng), strict=True)
        details = "; ".join(f"{detail.label} {value}" for detail, value in pairs)
        lines.append(f"- {thing.name}: {details}" + (f" [{thing.remark}]" if thing.remark else ""))
    return "\n".join(lines)


def _blocks(rng: random.Random, job: Job, things: list[_Thing]) -> str:
    """A block of lines for each thing."""
    blocks = []
    for thing in things:
        pairs = sample(rng, zip(job.details, thing.listed(rng), strict=True), len(job.details))
        lines = [thing.name, *(f"  {detail.label}: {value}" for detail, value in pairs)]
        blocks.append("\n".join([*lines, *([f"  ({thing.remark})"] if thing.remark else [])]))
    return "\n\n".join(blocks)


def _by_detail(rng: random.Random, job: Job, things: list[_Thing]) -> str:
    """A line for each detail, with the values of all things."""
    listed = [(thing.name, thing.listed(rng)) for thing in things]
    lines = []
    for place, detail in enumerate(job.details):
        entries = sample(rng, [f"{name} {values[place]}" for name, values in listed], len(listed))
        lines.append(f"{detail.label.capitalize()}: {' / '.join(entries)}")
    return "\n".join([*lines, *(f"NB {remark}" for remark in _remarks(rng, job, things))])


def _table(rng: random.Random, job: Job, things: list[_Thing]) -> str:
    """A table, with the remarks under it."""
    head = [job.thing, *(detail.label for detail in job.details)]
    rows = [head, ["---"] * len(head), *([t.name, *t.listed(rng)] for t in things)]
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([*lines, *(f"({remark})" for remark in _remarks(rng, job, things))])


def _mail(rng: random.Random, job: Job, things: list[_Thing]) -> str:
    """Sentences with former values, and the corrections after them."""
    sentences = []
    for thing in things:
        pairs = zip(job.details, thing.former(), strict=True)
        clues = ", ".join(detail.clue.format(value) for detail, value in pairs)
        sentences.append(f"{thing.name} is the one {clues}.")
    news = [
        f"Correction: the {job.details[i].label} of {thing.name} is {thing.values[i]}, "
        f"forget {old}."
        for thing in things
        for i, old in thing.outdated.items()
    ]
    remarks = [f"{remark[0].upper()}{remark[1:]}." for remark in _remarks(rng, job, things)]
    return "\n".join([*sentences, *sample(rng, [*news, *remarks], len(news) + len(remarks))])


_Layout = Callable[[random.Random, Job, list[_Thing]], str]
_LAYOUTS: tuple[_Layout, ...] = (_lines, _blocks, _by_detail, _table)
_LATE: tuple[_Layout, ...] = (_mail,)
