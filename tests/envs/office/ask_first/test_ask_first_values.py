"""AskFirst: the values of details are equally likely, and nothing but the user tells them."""

from __future__ import annotations

import re
from collections import Counter
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


def rows(level: int, n: int) -> list[dict[str, Any]]:
    env = AskFirst(level=level)
    return [dict(env.get_task(index).row) for index in range(n)]


@pytest.mark.slow
def test_values_of_closed_lists_are_equally_likely() -> None:
    every = {level: rows(level, 2000) for level in LEVELS}
    for slot, size in SIZES.items():
        counts = Counter(
            row["facts"][slot] for drawn in every.values() for row in drawn if slot in row["facts"]
        )
        mean = counts.total() / size
        assert len(counts) == size >= 8
        assert mean >= 20
        spread = sum((count - mean) ** 2 / mean for count in counts.values())
        assert spread < QUANTILE[size - 1], slot
    for drawn in every.values():
        nothing_is_told(drawn)


@pytest.mark.parametrize("level", LEVELS)
def test_a_request_tells_neither_what_is_missing_nor_that_something_is(level: int) -> None:
    nothing_is_told(rows(level, 600))


def nothing_is_told(drawn: list[dict[str, Any]]) -> None:
    the_request_does_not_have_a_missing_value(drawn)
    a_missing_person_is_seldom_named_in_the_request(drawn)
    number_of_characters_does_not_tell_that_something_is_missing(drawn)


def the_request_does_not_have_a_missing_value(drawn: list[dict[str, Any]]) -> None:
    for row in drawn:
        for slot in set(row["missing"]) - PEOPLE:
            value = re.escape(row["facts"][slot].strip("'."))
            assert not re.search(rf"\b{value}\b", row["query"])


def a_missing_person_is_seldom_named_in_the_request(drawn: list[dict[str, Any]]) -> None:
    """The partner of a meeting may be the one whom the other request leaves out."""
    found = [
        row["facts"][slot] in re.findall(r"\w+", row["query"])
        for row in drawn
        for slot in row["missing"]
        if slot in PEOPLE
    ]
    assert sum(found) <= 0.125 * len(found)


def number_of_characters_does_not_tell_that_something_is_missing(
    drawn: list[dict[str, Any]],
) -> None:
    """A request that leaves something out is shorter, but no length tells it from the others."""
    lengths = [(len(row["query"]), bool(row["missing"])) for row in drawn if row["possible"]]
    total, missing = len(lengths), sum(is_missing for _, is_missing in lengths)
    best, shorter = 0, 0
    for number, (_, is_missing) in enumerate(sorted(lengths), 1):
        shorter += is_missing
        best = max(best, shorter + (total - number) - (missing - shorter))
    assert best / total < 0.8
