"""AskFirst: the values of details are equally likely, and nothing but the user tells them."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from typing import Any

import pytest

from textgym.envs.office.ask_first import AskFirst
from textgym.envs.office.ask_first.ask_first_tasks import LEVELS
from textgym.envs.office.requests.details import LENGTHS, PEOPLE, SUBJECTS, TEXTS, TITLES

SIZES = {
    "title": len(TITLES),
    "subject": len(SUBJECTS),
    "body": len(TEXTS),
    "duration": len(LENGTHS),
}
QUANTILE = {9: 33.7, 11: 37.4}  # of chi-square at 0.9999, by degrees of freedom


@cache
def rows(level: int) -> list[dict[str, Any]]:
    env = AskFirst(level=level)
    return [dict(env.get_task(index).row) for index in range(2000)]


@pytest.mark.slow
@pytest.mark.parametrize("slot", SIZES)
def test_values_of_a_closed_list_are_equally_likely(slot: str) -> None:
    counts = Counter(
        row["facts"][slot] for level in LEVELS for row in rows(level) if slot in row["facts"]
    )
    mean = counts.total() / SIZES[slot]
    assert len(counts) == SIZES[slot] >= 8
    assert mean >= 20
    spread = sum((count - mean) ** 2 / mean for count in counts.values())
    assert spread < QUANTILE[SIZES[slot] - 1]


@pytest.mark.parametrize("level", LEVELS)
def test_the_request_does_not_have_a_missing_value(level: int) -> None:
    for row in rows(level):
        for slot in set(row["missing"]) - PEOPLE:
            value = re.escape(row["facts"][slot].strip("'."))
            assert not re.search(rf"\b{value}\b", row["query"])


@pytest.mark.parametrize("level", LEVELS)
def test_a_missing_person_is_seldom_named_in_the_request(level: int) -> None:
    """The partner of a meeting may be the one whom the other request leaves out."""
    found = [
        row["facts"][slot] in re.findall(r"\w+", row["query"])
        for row in rows(level)
        for slot in row["missing"]
        if slot in PEOPLE
    ]
    assert sum(found) <= 0.125 * len(found)


@pytest.mark.parametrize("level", LEVELS)
def test_number_of_characters_does_not_tell_that_something_is_missing(level: int) -> None:
    """A request that leaves something out is shorter, but no length tells it from the others."""
    drawn = [(len(row["query"]), bool(row["missing"])) for row in rows(level) if row["possible"]]
    total, missing = len(drawn), sum(is_missing for _, is_missing in drawn)
    best, shorter = 0, 0
    for number, (_, is_missing) in enumerate(sorted(drawn), 1):
        shorter += is_missing
        best = max(best, shorter + (total - number) - (missing - shorter))
    assert best / total < 0.8
