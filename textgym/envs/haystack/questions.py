"""The kinds of questions, drawing a task, and grading an answer.

Each kind plants entries and knows the answer:

- `latest`: the present values of some keys. At level 1 the group has one value of each key, and
  other groups have values of the same keys. At higher levels each key has several values. At level
  5 up to two of the latest are void.
- `count`: how many entries some keys have. At level 5 some of them are void.
- `filter`: the entries that meet three conditions, on the group, the day and the value. Other
  entries fail exactly one of these. At level 5 some of those that meet all are void.
- `absent`: the keys without an entry in a group and a period. Each key has one entry in the group,
  and one of the period in another group, so only the day of the first one decides.
- `chain`: values that are stated by reference to another key. Each link has several entries: the
  latest counts, and the others lead elsewhere. At level 5 the chains are longer, and at one link
  the entry with the latest date is void.

An answer is a set or a list of items.

Invariants: a question is drawn again until it belongs to the split, so that only one document is
written for a task, however long it is. Only the last line of a text is graded, in linear time; an
answer of more than four times as many letters and digits as the right one earns nothing, so that
nothing can be pasted; items are compared to the last digit.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from textgym.envs.generation import choice, randbelow, randint
from textgym.envs.haystack.documents import DOCUMENTS
from textgym.envs.haystack.drafts import REFERENCE, VALUE, DocumentDraft, Entry, Question
from textgym.tasks.task import split_of
from textgym.verifiers.exact import normalize_text, plain_marks
from textgym.verifiers.extract import last_answer, last_line

__all__ = [
    "ASK", "LEVELS", "QUESTIONS", "Verdict", "answer_line", "content_of", "draw_row", "f1_score",
    "grade_items", "items_of", "normalize_item",
]  # fmt: skip

_LATEST_RULES = {1: (), 2: ("latest",), 5: ("latest", "void")}


def ask_latest(draft: DocumentDraft, level: int) -> Question:
    """Ask for the values of two or three keys, in their order."""
    keys = [draft.new_key() for _ in range(draft.some(2, 3))]
    answer = [_plant_values(draft, key, level) for key in keys]
    return Question(
        draft.ask("latest", keys=keys), answer, ordered=True, rules=_LATEST_RULES[level]
    )


def _plant_values(draft: DocumentDraft, key: str, level: int) -> str:
    """Plant the values of a key; return the one that counts."""
    count = 1 if level == 1 else draft.some(3, 5)
    voids = randbelow(draft.rng, 3) if level == 5 else 0
    entries = [
        draft.plant(draft.group, key, day, value)
        for day, value in zip(draft.days(count), draft.values(count), strict=True)
    ]
    for entry in entries[count - voids :]:
        draft.void(entry)
    twins, look_alikes = draft.some(2 if level == 1 else 1, 3), draft.some(level < 5, 2)
    draft.add_noise(key, twins, look_alikes, after=entries[-1].day)
    return entries[count - voids - 1].value


_FEWEST_ENTRIES, _MOST_ENTRIES = 3, 20  # the highest number of entries of a key
_COUNT_ROOM = 6  # entries of the document for each that a key may have


def ask_count(draft: DocumentDraft, level: int) -> Question:
    """Ask for the numbers of entries of two keys, in their order."""
    keys = [draft.new_key(), draft.new_key()]
    answer = [str(_plant_entries(draft, key, level)) for key in keys]
    rules = ("void",) if level == 5 else ()
    return Question(draft.ask("count", keys=keys), answer, ordered=True, rules=rules)


def _plant_entries(draft: DocumentDraft, key: str, level: int) -> int:
    """Plant entries of a key; return how many of them count."""
    count = randint(
        draft.rng, 1, min(max(_FEWEST_ENTRIES, draft.room // _COUNT_ROOM), _MOST_ENTRIES)
    )
    voids = randint(draft.rng, 0, min(draft.some(1, 3), count)) if level == 5 else 0
    entries = [draft.plant(draft.group, key, draft.day(), draft.value()) for _ in range(count)]
    for entry in entries[:voids]:
        draft.void(entry)
    draft.add_noise(key, randint(draft.rng, 1, draft.some(3, 5)), draft.some(0, 2))
    return count - voids


class _Conditions:
    """The conditions of a question, and draws of entries that do or do not meet them."""

    def __init__(self, draft: DocumentDraft) -> None:
        self._draft, self.period = draft, draft.period()
        self._has_numbers = draft.kind.has_numbers
        self.over = str(randint(draft.rng, 30, 70) * 100) if self._has_numbers else draft.new_key()

    def are_met(self, entry: Entry) -> bool:
        """Return whether an entry meets all conditions."""
        return (
            entry.group == self._draft.group
            and entry.form is VALUE
            and self.period.first <= entry.day <= self.period.last
            and (entry.value > self.over if self._has_numbers else entry.value == self.over)
        )

    def plant(self, failing: str = "") -> Entry:
        """Add an entry that fails only the named condition, or none by default."""
        draft = self._draft
        group = draft.other_group() if failing == "group" else draft.group
        draw_day = draft.day_outside if failing == "day" else draft.day_in
        value = self._value(fails=failing == "value")
        return draft.plant(group, draft.known_key(), draw_day(self.period), value)

    def _value(self, fails: bool) -> str:
        draft = self._draft
        if not self._has_numbers:
            return draft.near_key(self.over) if fails else self.over
        low, high = (1000, int(self.over)) if fails else (int(self.over) + 1, 9999)
        return str(randint(draft.rng, low, high))


def ask_filter(draft: DocumentDraft, level: int) -> Question:
    """Ask for the numbers of entries, in any order."""
    conditions = _Conditions(draft)
    matching = [conditions.plant() for _ in range(randint(draft.rng, 1, draft.some(3, 5)))]
    for _ in range(draft.some(1, 2) if level == 5 else 0):
        draft.void(conditions.plant())
    for failing in ("group", "day", "value"):
        for _ in range(draft.some(1, 3)):
            conditions.plant(failing)
    text = draft.ask("filter", conditions.period, over=conditions.over)
    answer = [str(entry.number) for entry in matching]
    rules = ("void",) if level == 5 else ()
    return Question(text, answer, ordered=False, rules=rules, answers=conditions.are_met)


def ask_absent(draft: DocumentDraft, level: int) -> Question:
    """Ask for the keys that are absent, in any order: some of six to eight, but not all."""
    period = draft.period()
    keys = [draft.new_key() for _ in range(draft.some(6, 8))]
    absent: list[str] = []
    while not 0 < len(absent) < len(keys):
        absent = [key for key in keys if draft.rng.random() < 0.5]
    for key in keys:
        draw_day = draft.day_outside if key in absent else draft.day_in
        draft.plant(draft.group, key, draw_day(period), draft.value())
        draft.plant(draft.other_group(), key, draft.day_in(period), draft.value())
        for _ in range(draft.some(0, 1)):
            draft.plant(draft.group, draft.near_key(key), draft.day_in(period), draft.value())
    return Question(draft.ask("absent", period, keys), absent, ordered=False)


_ASKED_CHAINS = 2  # chains
_NUMBERS = {3: "three", 4: "four", 5: "five"}
_CHAIN_ROOM = 2  # times as many entries are in the document as are planted, where there is room
_MOST_LINK_ENTRIES = 4  # entries of a link


def ask_chain(draft: DocumentDraft, level: int) -> Question:
    """Ask where two chains of three to five links end, in the order of their first keys.

    Where there is room, there is a third chain, which is not asked for.
    """
    links = draft.some(3, 4) + (draft.is_roomy and level == 5)
    chains = [
        [draft.new_key() for _ in range(links)] for _ in range(_ASKED_CHAINS + draft.is_roomy)
    ]
    ends = [draft.value() for _ in chains]
    void = randbelow(draft.rng, _ASKED_CHAINS * links) if level == 5 else -1
    for start, (chain, end) in enumerate(zip(chains, ends, strict=True)):
        for place, key in enumerate(chain):
            following = chain[place + 1] if place + 1 < links else None
            _plant_link(draft, key, following, end, links, void == start * links + place)
    asked = [chain[0] for chain in chains[:_ASKED_CHAINS]]
    text = draft.ask("chain", keys=asked, steps=_NUMBERS[links])
    rules = ("latest", "chain", "void") if level == 5 else ("latest", "chain")
    return Question(text, ends[:_ASKED_CHAINS], ordered=True, rules=rules)


def _plant_link(
    draft: DocumentDraft, key: str, following: str | None, end: str, links: int, has_void: bool
) -> None:
    """Plant the entries of a link, which leads to the following key or states the end."""
    count = max(2, min(_MOST_LINK_ENTRIES, draft.room // (3 * links * _CHAIN_ROOM)))
    has_twin = count > 2
    *older, latest, later = draft.days(count - has_twin + 1)
    draft.add_noise(key, twins=int(has_twin), after=latest)
    if following is None:
        draft.plant(draft.group, key, latest, end)
    else:
        draft.plant(draft.group, key, latest, following, _reference(draft))
    if has_void:
        draft.void(draft.plant(draft.group, key, later, draft.value()))
    for day in older[has_void:]:
        if draft.rng.random() < 0.5:
            draft.plant(draft.group, key, day, draft.value())
        else:
            draft.plant(draft.group, key, day, draft.known_key(), _reference(draft))


def _reference(draft: DocumentDraft) -> str:
    return REFERENCE if draft.kind.has_numbers else VALUE


_ENDING = 'End with a line that says "Answer: " and the {items} alone, separated by commas{order}.'


ASK: Mapping[str, Callable[[DocumentDraft, int], Question]] = {
    "latest": ask_latest,
    "count": ask_count,
    "filter": ask_filter,
    "absent": ask_absent,
    "chain": ask_chain,
}
"""What asks a question of each kind at a level."""

QUESTIONS: Mapping[int, tuple[str, ...]] = {
    1: ("latest",),
    2: ("latest", "count"),
    3: ("filter", "absent"),
    4: ("chain",),
    5: ("latest", "count", "filter", "chain"),
}
"""The kinds of questions of each level."""

LEVELS = tuple(QUESTIONS)


def draw_row(
    rng: random.Random, level: int, split: str, lengths: Mapping[str, int]
) -> dict[str, Any]:
    """Draw the row of a task.

    Args:
        rng: The generator of all draws.
        level: One of `QUESTIONS`.
        split: The split that the task belongs to.
        lengths: The length of documents in characters, by the name of their kind.
    """
    while True:
        kind, name = choice(rng, DOCUMENTS), choice(rng, QUESTIONS[level])
        draft = DocumentDraft(rng, kind, lengths[kind.name])
        question = ASK[name](draft, level)
        row = {
            "document": kind.name,
            "asks": name,
            "question": question.text,
            "expected_answer": question.answer,
            "ordered": question.ordered,
        }
        if split_of(content_of(row)) == split:
            break
    order = ", in the order of the question" if question.ordered else ""
    ending = _ENDING.format(items=kind.items[name], order=order)
    rules = [kind.rules[rule] for rule in question.rules if kind.rules[rule]]
    asked = " ".join([question.text, *rules, ending])
    row["prompt"] = f"{kind.intro}\n\n{draft.write(question)}\n\n{asked}"
    return row


def content_of(row: dict[str, Any]) -> list[str]:
    """Return what decides the split of a row: its question, which does not reveal the answer."""
    return [row["document"], row["question"]]


_MARKS = " \t\r\u00a0,\"'`*_()[]{}.“”‘’"  # what may stand around items
_WITHOUT_MARKS = str.maketrans("", "", _MARKS)
_MOST_TIMES = 4
_FENCE = "```"


class Verdict(NamedTuple):
    """What an answer is worth.

    Attributes:
        is_right: Whether it is the right set or list.
        f1: The harmonic mean of precision and recall of its items.
    """

    is_right: bool
    f1: float


def answer_line(text: str) -> str:
    r"""Return the answer in the last line of a text, behind `Answer:` if the line has it.

    A line that only closes a code fence is skipped.

    Example:
        >>> answer_line("I looked twice.\nAnswer: 17, 4"), answer_line("```\n17, 4\n```")
        ('17, 4', '17, 4')
    """
    line = last_line(text.rstrip().removesuffix(_FENCE))
    answer = last_answer(line)
    return line if answer is None else answer


def items_of(line: str) -> list[str]:
    """Return the items of a list, which commas separate, without quotes and brackets.

    Example:
        >>> items_of('["17", "Ada  Holm"]'), items_of("**17, Ada Holm**.")
        (['17', 'ada holm'], ['17', 'ada holm'])
    """
    return list(filter(None, map(normalize_item, line.split(","))))


def normalize_item(item: str) -> str:
    """Return an item in the form in which items are compared.

    Example:
        >>> normalize_item(" **Ada  HOLM**."), normalize_item("007")
        ('ada holm', '007')
    """
    return normalize_text(plain_marks(item).strip(_MARKS))


def grade_items(line: str, expected: Sequence[str], *, ordered: bool) -> Verdict:
    """Grade the answer in a line.

    Args:
        line: The answer, see `answer_line`.
        expected: The right items, at least one.
        ordered: Whether their order matters. Else items may be repeated.

    Example:
        >>> grade_items("4, 17", ["17", "4"], ordered=False)
        Verdict(is_right=True, f1=1.0)
        >>> grade_items("17, 5", ["17", "4"], ordered=True)
        Verdict(is_right=False, f1=0.5)
        >>> grade_items("17, 1, 2, 3, 4, 5, 6, 7, 8", ["17"], ordered=False)
        Verdict(is_right=False, f1=0.0)
    """
    longest = _MOST_TIMES * sum(len(item.translate(_WITHOUT_MARKS)) for item in expected)
    if len(line.translate(_WITHOUT_MARKS)) > longest:
        return Verdict(False, 0.0)
    items, right = items_of(line), [*map(normalize_item, expected)]
    if ordered:
        common = sum(map(str.__eq__, items, right))
        return Verdict(items == right, f1_score(common, len(items), len(right)))
    distinct, wanted = set(items), set(right)
    return Verdict(distinct == wanted, f1_score(len(distinct & wanted), len(distinct), len(wanted)))


def f1_score(common: int, answered: int, wanted: int) -> float:
    """Return the F1 score of an answer, 0 if nothing is right.

    Args:
        common: How many of its items are right.
        answered: How many items it has.
        wanted: How many items the right answer has.

    Example:
        >>> f1_score(1, 2, 2), f1_score(0, 0, 3)
        (0.5, 0.0)
    """
    return 2 * common / (answered + wanted) if common else 0.0
