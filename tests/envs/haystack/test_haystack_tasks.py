"""Generated tasks of `textgym/Haystack-v0`: right answers, lengths, places, splits and noise."""

from __future__ import annotations

import random
from collections import Counter
from functools import cache
from typing import Any

import pytest
from haystack_reader import Reading, asked, parts
from haystack_surface import LOOK_UPS, SURFACE

from textgym.envs.haystack import Haystack
from textgym.envs.haystack.questions import answer_line, grade_items
from textgym.tasks.task import split_of

LEVELS = Haystack.card.levels
CHI_SQUARE_9 = 27.9  # exceeded in one of a thousand cases, with ten bins
KINDS = {1: 1, 2: 2, 3: 2, 4: 1, 5: 4}  # of questions, for each of four kinds of documents


@cache
def tasks(count: int, **kwargs: Any) -> list[Any]:
    env = Haystack(**kwargs)
    return [env.get_task(index) for index in range(count)]


@pytest.mark.parametrize("n", [200, pytest.param(500, marks=pytest.mark.slow)])
@pytest.mark.parametrize("level", LEVELS)
def test_answers_follow_from_the_text_of_the_prompt(level: int, n: int) -> None:
    """Also, lengths are as asked for, and the entries that decide stand anywhere."""
    bins: Counter[int] = Counter()
    kinds: Counter[tuple[str, str]] = Counter()
    off, jitter = 0.0, random.Random(0)
    for task in tasks(n, level=level, length=3_000):
        row, reading = task.row, Reading(task.row["prompt"])
        found = reading.solve()
        assert (found if task.ordered else sorted(found)) == (
            task.answer if task.ordered else sorted(task.answer)
        )
        assert reading.asked.is_ordered == task.ordered
        assert len(set(task.answer)) == len(task.answer) or task.ordered
        kinds[row["document"], row["asks"]] += 1
        off += abs(len(reading.document) - 3_000)
        assert len(reading.document) == pytest.approx(3_000, rel=0.05)
        # An entry is spread over its part of the document: there are few, so parts are wide.
        places = (record.place + jitter.random() for record in reading.deciding)
        bins.update(int(10 * place / len(reading.records)) for place in places)
    assert off / n < 0.02 * 3_000
    assert len(kinds) == 4 * KINDS[level]
    assert min(kinds.values()) > n / len(kinds) / 2
    mean = bins.total() / 10
    assert mean > 0.08 * n
    assert sum((bins[number] - mean) ** 2 for number in range(10)) / mean < CHI_SQUARE_9


@pytest.mark.parametrize(("n", "error"), [(80, 0.13), pytest.param(400, 0, marks=pytest.mark.slow)])
@pytest.mark.parametrize("level", LEVELS)
def test_superficial_policies_earn_next_to_nothing(level: int, n: int, error: float) -> None:
    """Look-ups of a key in its group solve level 1, as they should, and no other."""
    wins: Counter[str] = Counter()
    for task in tasks(n, level=level):
        document, question = parts(task.row["prompt"])
        for name, read in SURFACE.items():
            line = answer_line(f"Answer: {read(document, asked(question))}")
            wins[name] += grade_items(line, task.answer, ordered=task.ordered).is_right
    shares = {name: wins[name] / n for name in SURFACE}
    look_ups = [shares.pop(name) for name in LOOK_UPS]
    most = 0.1 + error  # error: four standard errors of few tasks
    assert max(shares.values()) < most, shares
    assert min(look_ups) > 1 - most if level == 1 else max(look_ups) < most


def partly(reading: Reading, ignored: str) -> list[str]:
    """Answer with one of the rules or conditions ignored."""
    q, records = reading.asked, [record for record in reading.records if record.key]
    valid = records if ignored == "void" else reading.valid
    in_group = [r for r in valid if ignored == "group" or r.group == q.group]
    if q.kind == "count":
        return [str(sum(record.key == key for record in in_group)) for key in q.keys]
    if q.kind == "latest":
        own = [[r for r in in_group if r.key == key] for key in q.keys]
        choose = (lambda found: found[-1]) if ignored == "day" else latest
        return [choose(found).value for found in own]
    meeting = [r for r in in_group if ignored == "period" or reading.is_in_period(r)]
    if q.kind == "absent":
        return [key for key in q.keys if key not in {record.key for record in meeting}]
    return [r.number for r in meeting if ignored == "bound" or reading.is_within_bound(r)]


def latest(records: list[Any]) -> Any:
    return max(records, key=lambda record: record.day)


@pytest.mark.parametrize("n", [160, pytest.param(400, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("level", "kind", "ignored"),
    [
        (1, "latest", "group"), (2, "latest", "group"), (2, "latest", "day"),
        (2, "count", "group"), (3, "filter", "group"), (3, "filter", "period"),
        (3, "filter", "bound"), (3, "absent", "group"), (3, "absent", "period"),
        (5, "latest", "void"), (5, "count", "void"), (5, "filter", "void"),
    ],
)  # fmt: skip
def test_every_rule_and_condition_matters(level: int, kind: str, ignored: str, n: int) -> None:
    asking = [
        Reading(task.row["prompt"]) for task in tasks(n, level=level) if task.row["asks"] == kind
    ]
    wins = sum(sorted(partly(r, ignored)) == sorted(r.solve()) for r in asking)
    assert len(asking) > 0.15 * n
    assert wins / len(asking) < 0.2


@pytest.mark.parametrize("level", [1, 2, 3])
def test_what_is_asked_for_has_look_alikes(level: int) -> None:
    """Keys that differ a little, and the same keys in other groups."""
    similar = elsewhere = asked_for = 0
    for task in tasks(60, level=level):
        reading = Reading(task.row["prompt"])
        keys = {record.key for record in reading.records}
        for key in reading.asked.keys:
            asked_for += 1
            similar += any(are_similar(key, other) for other in keys - {key})
            elsewhere += any(
                record.key == key and record.group != reading.asked.group
                for record in reading.records
            )
    assert elsewhere == asked_for > 50
    assert similar > asked_for / 3


def are_similar(key: str, other: str) -> bool:
    if " " in key:
        return sum(map(str.__ne__, key.split(), other.split())) == 1
    return sum(map(str.__ne__, key, other)) <= 2


@pytest.mark.parametrize("length", [2_000, 20_000, 200_000])
@pytest.mark.parametrize("level", LEVELS)
def test_documents_of_any_length_have_right_answers(level: int, length: int) -> None:
    for task in tasks(8 if length < 100_000 else 1, level=level, length=length):
        reading = Reading(task.row["prompt"])
        assert sorted(reading.solve()) == sorted(task.answer)
        assert len(reading.document) == pytest.approx(length, rel=0.06)


def test_a_document_of_two_million_characters() -> None:
    [task] = tasks(1, length=2_000_000, level=5)
    reading = Reading(task.row["prompt"])
    assert sorted(reading.solve()) == sorted(task.answer)
    assert len(reading.document) == pytest.approx(2_000_000, rel=0.001)
    assert len({record.number for record in reading.records}) == len(reading.records)


@pytest.mark.parametrize("split", ["train", "validation", "test"])
def test_the_question_decides_the_split_and_the_first_document_is_kept(split: str) -> None:
    env = Haystack(split=split)
    for index in range(60):
        row = dict(env.get_task(index).row)
        assert split_of(env.canonical(row)) == split
        assert row["prompt"].rpartition("\n\n")[2].startswith(row["question"])


def test_entries_that_are_withdrawn_are_others_of_the_same_group() -> None:
    withdrawals = 0
    for task in tasks(160, level=5):
        records = {record.number: record for record in Reading(task.row["prompt"]).records}
        for record in records.values():
            if record.withdraws:
                withdrawals += 1
                withdrawn = records[record.withdraws]
                assert withdrawn.group == record.group
                assert withdrawn.key
    assert withdrawals > 320


@pytest.mark.slow
def test_no_number_of_an_entry_tells_that_it_was_planted() -> None:
    """The deciding entries' numbers are spread like all others."""
    low = total = 0
    for task in tasks(400, level=2):
        reading = Reading(task.row["prompt"])
        reading.solve()
        numbers = sorted(int(record.number) for record in reading.records)
        ranks = [numbers.index(int(r.number)) / len(numbers) for r in reading.deciding]
        low, total = low + sum(rank < 0.5 for rank in ranks), total + len(ranks)
    assert total > 200
    assert 0.4 < low / total < 0.6
