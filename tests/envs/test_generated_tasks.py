"""The generated tasks of a version, level and index are those that they were.

Results are compared with earlier ones, so what is drawn changes on purpose alone: with the digest
below, and a line in the changelog.
"""

from __future__ import annotations

import hashlib

import pytest

import textgym
from textgym.errors import ExtraMissingError
from textgym.registry import environment_class
from textgym.tasks.hashing import canonical_json

DIGESTS = {  # how many tasks a level of the train split, and their digest
    "textgym/AskFirst-v0": (40, "9ffd8935df67e70b"),
    "textgym/Calendar-v0": (40, "37176e7245a7c4d9"),
    "textgym/Constraints-v0": (60, "5cd22da22712eec2"),
    "textgym/Contingency-v0": (20, "cdcc4f3e481e4bbb"),
    "textgym/EquivalenceJudge-v0": (400, "2befa8fac888930d"),
    "textgym/GuessNumber-v0": (30, "4a7aa944babbae24"),
    "textgym/Haystack-v0": (80, "0c2e8b0e2a33fc62"),
    "textgym/MCQA-v0": (400, "bca7325ca68cd77a"),
    "textgym/Math-v0": (200, "9b9aea255f97e266"),
    "textgym/MultiIntent-v0": (40, "044e5884d9ca50f7"),
    "textgym/MultiStep-v0": (50, "0015c42a7a9c21c3"),
    "textgym/RedefinedRules-v0": (100, "1641f1992d6b2a1d"),
    "textgym/Search-v0": (10, "3f8352fc5b0bf27e"),
    "textgym/SessionState-v0": (100, "a72fece621632ea7"),
    "textgym/SingleToolCall-v0": (100, "26ce875ebe3981be"),
    "textgym/StructuredOutput-v0": (60, "6b34e83ddb7b09bf"),
    "textgym/WorkplaceAssistant-v0": (400, "87de36179cf72d66"),
}


def test_the_tasks_of_every_environment_are_known() -> None:
    assert DIGESTS.keys() == set(textgym.ids())


@pytest.mark.parametrize("id", DIGESTS)
def test_generated_tasks_are_what_they_were(id: str) -> None:
    try:
        cls = environment_class(id)
    except ExtraMissingError as error:
        pytest.skip(str(error))
    count, digest = DIGESTS[id]
    found = hashlib.sha256()
    for level in cls.card.levels:
        env = cls(level=level)
        for task in map(env.get_task, range(count)):
            found.update(canonical_json([task.row, task.messages, task.tools]).encode())
    assert found.hexdigest()[:16] == digest
