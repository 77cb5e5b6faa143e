"""Models that are fitted to the surface of `textgym/Haystack-v0` and tried on held-out tasks."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from haystack_reader import Reading, Record

from textgym.checks.shortcuts.models import Model
from textgym.envs.haystack import Haystack

pytest.importorskip("sklearn")
pytestmark = pytest.mark.slow

TRAIN, TEST = 5_000, 500
Solved = tuple[Reading, list[str]]
Row = list[float]


def solved(level: int, kind: str, split: str, count: int) -> list[Solved]:
    """Read the tasks of a kind among the first ones of a level."""
    env = Haystack(level=level, split=split)
    tasks = map(env.get_task, range(count))
    return [(Reading(t.row["prompt"]), t.answer) for t in tasks if t.row["asks"] == kind]


def features(reading: Reading, record: Record, rivals: list[Record]) -> Row:
    """Return what is seen of an entry without comparing days, groups and values."""
    numbers = sorted(rival.number for rival in rivals)
    place = rivals.index(record)
    return [
        record.place,
        record.place / len(reading.records),
        place,
        len(rivals) - place,
        len(rivals),
        numbers.index(record.number) / len(numbers),
        sum(other.value == record.value for other in reading.records),
        sum(other.key == record.key for other in reading.records),
        float(record.number),
        len(reading.document),
    ]


def scores(train: list[tuple[Row, bool]], test: list[Row]) -> Any:
    """Fit trees to rows that are right or wrong, and return how right others look to them."""
    model = Model("trees", np.array([row for row, _ in train]), [right for _, right in train])
    return model.scores(np.array(test))


def rivals_of(reading: Reading, key: str) -> list[Record]:
    return [record for record in reading.records if record.key == key]


@pytest.mark.parametrize("level", [2, 5])
def test_places_do_not_tell_the_latest_value(level: int) -> None:
    """A model ranks the entries of each key; a task is won where all of its choices are right."""
    train = [
        (features(reading, record, rivals), record.value == value)
        for reading, answer in solved(level, "latest", "train", TRAIN // 4)
        for key, value in zip(reading.asked.keys, answer, strict=True)
        for rivals in [rivals_of(reading, key)]
        for record in rivals
    ]
    test = solved(level, "latest", "test", TEST)
    groups = [[rivals_of(reading, key) for key in reading.asked.keys] for reading, _ in test]
    found = iter(
        scores(
            train,
            [
                features(reading, record, rivals)
                for (reading, _), keys in zip(test, groups, strict=True)
                for rivals in keys
                for record in rivals
            ],
        )
    )
    wins = 0
    for (_, answer), keys in zip(test, groups, strict=True):
        ranked = [[(next(found), record.place, record.value) for record in k] for k in keys]
        wins += [max(of_key)[2] for of_key in ranked] == answer
    assert len(test) > 80
    assert wins / len(test) < 0.05


def test_places_do_not_tell_the_entries_that_meet_conditions() -> None:
    """A model ranks all entries, and is told how many are right."""
    train = [
        (features(reading, record, reading.records), record.number in answer)
        for reading, answer in solved(3, "filter", "train", TRAIN // 20)
        for record in reading.records
    ]
    test = solved(3, "filter", "test", TEST // 2)
    found = iter(scores(train, [features(r, x, r.records) for r, _ in test for x in r.records]))
    wins = 0
    for reading, answer in test:
        ranked = sorted((next(found), record.number) for record in reading.records)
        wins += {number for _, number in ranked[-len(answer) :]} == {*answer}
    assert len(test) > 80
    assert wins / len(test) < 0.05


def test_places_do_not_tell_the_absent_keys() -> None:
    """Guessing for each of six keys or more wins one task of 64 or fewer."""

    def rows_of(reading: Reading) -> list[Row]:
        pairs = [rivals_of(reading, key) for key in reading.asked.keys]
        return [
            [place, *features(reading, found[0], found), *features(reading, found[-1], found)]
            for place, found in enumerate(pairs)
        ]

    train = [
        (row, key in answer)
        for reading, answer in solved(3, "absent", "train", TRAIN // 4)
        for key, row in zip(reading.asked.keys, rows_of(reading), strict=True)
    ]
    test = solved(3, "absent", "test", TEST)
    found = iter(scores(train, [row for reading, _ in test for row in rows_of(reading)]))
    wins = sum(
        [k for k in reading.asked.keys if next(found) > 0] == answer for reading, answer in test
    )
    assert len(test) > 80
    assert wins / len(test) < 0.05


@pytest.mark.parametrize("level", [2, 5])
def test_how_often_keys_occur_does_not_tell_how_many_entries_count(level: int) -> None:
    """The count that was likeliest in training for the same number of entries is answered."""
    likeliest: dict[tuple[int, int], Counter[str]] = {}

    def seen(reading: Reading, key: str) -> tuple[int, int]:
        return len(rivals_of(reading, key)), reading.document.count(key)

    for reading, answer in solved(level, "count", "train", TRAIN // 2):
        for key, count in zip(reading.asked.keys, answer, strict=True):
            likeliest.setdefault(seen(reading, key), Counter())[count] += 1
    test = solved(level, "count", "test", TEST)
    wins = 0
    for reading, answer in test:
        found = [likeliest.get(seen(reading, key), Counter("2")) for key in reading.asked.keys]
        wins += [counts.most_common(1)[0][0] for counts in found] == answer
    assert len(test) > 80
    assert wins / len(test) < 0.15
