"""The generated tasks of a version, level and index are the same as before, and so are episodes.

Results are compared with earlier ones. A change of what is drawn, said or rewarded needs other
digests below, and a line in the changelog.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from typing import Any

import pytest

import textgym
from textgym.checks.episodes import guesses, oracle, play
from textgym.core.text_env import TextEnv
from textgym.errors import ExtraMissingError
from textgym.json_values import canonical_json
from textgym.registry import environment_class

DIGESTS = {  # how many tasks a level of the train split, their digest, and that of episodes
    "textgym/AskFirst-v0": (40, "3355cf718c337b41", "48a9ded1ca1c5c98"),
    "textgym/Calendar-v0": (40, "37176e7245a7c4d9", "e61a22d5d1f940f1"),
    "textgym/Constraints-v0": (20, "e4fa8bbf047419d9", "27e1df83cacdffc8"),
    "textgym/Contingency-v0": (20, "cdcc4f3e481e4bbb", "4604d68171bb6b13"),
    "textgym/EquivalenceJudge-v0": (400, "2befa8fac888930d", "2cc5c17737d37d83"),
    "textgym/FunctionCall-v0": (40, "9dad22431f4dbacb", "f4a21147fe91bac6"),
    "textgym/GuessNumber-v0": (30, "4a7aa944babbae24", "19b0aeb0e9449761"),
    "textgym/Haystack-v0": (80, "0c2e8b0e2a33fc62", "4b220ee84ab1d1be"),
    "textgym/MCQA-v0": (400, "bca7325ca68cd77a", "84545dcafd878a4c"),
    "textgym/Math-v0": (200, "9b9aea255f97e266", "bccb26cd6e732281"),
    "textgym/MultiIntent-v0": (40, "8ce916d66406e392", "1e11ae19730dc28e"),
    "textgym/MultiStep-v0": (50, "0015c42a7a9c21c3", "4ea6aa34ba554cae"),
    "textgym/Pictures-v0": (30, "45da74547260359a", "b9a644a50c1104c1"),
    "textgym/Program-v0": (20, "b22aeee837a7ef39", "2c53abc22bdd173b"),
    "textgym/RedefinedRules-v0": (100, "1641f1992d6b2a1d", "825984f0ec9e0782"),
    "textgym/RewardModel-v0": (50, "18b5e391da7b49a7", "37d9d865e679c59d"),
    "textgym/Search-v0": (10, "3f8352fc5b0bf27e", "b6e84c385f4ace86"),
    "textgym/SessionState-v0": (100, "a72fece621632ea7", "f588a4cf4007f75c"),
    "textgym/SingleToolCall-v0": (100, "26ce875ebe3981be", "7569c8af7f1c6f1d"),
    "textgym/StructuredOutput-v0": (60, "6b34e83ddb7b09bf", "d1bc8f38118cc378"),
    "textgym/WorkplaceAssistant-v0": (200, "711ac5655626f7d4", "512b5b52d73d0d69"),
}
EPISODES = 5  # a level, of the oracle and of the random policy


def digest(values: Iterable[Any]) -> str:
    found = hashlib.sha256()
    for value in values:
        # The bytes of a PNG depend on what packs it; its pixels have a test of their own.
        found.update(re.sub('data:image/[^"]*', "", canonical_json(value)).encode())
    return found.hexdigest()[:16]


def environments(id: str) -> list[TextEnv[Any]]:
    """Return the environment of each level."""
    try:
        cls = environment_class(id)
    except ExtraMissingError as error:
        pytest.skip(str(error))
    return [cls(level=level) for level in cls.card.levels]


def test_the_tasks_of_every_environment_are_known() -> None:
    own = {
        id for id in textgym.ids(guests=False) if id.startswith("textgym/")
    }  # not those of other tests
    assert DIGESTS.keys() == own


def without_reason(evidence: Any) -> Any:
    """Leave out `verdict_reason`, which has tests of its own."""
    info = {name: value for name, value in evidence["info"].items() if name != "verdict_reason"}
    return {**evidence, "info": info}


@pytest.mark.parametrize("id", DIGESTS)
def test_generated_tasks_are_what_they_were(id: str) -> None:
    count, expected, _ = DIGESTS[id]
    tasks = (env.get_task(index) for env in environments(id) for index in range(count))
    assert digest([task.row, task.messages, task.tools] for task in tasks) == expected


@pytest.mark.parametrize("id", DIGESTS)
def test_episodes_are_what_they_were(id: str) -> None:
    episodes = (
        without_reason(play(env, policy(env), index=index).as_evidence())
        for env in environments(id)
        for index in range(EPISODES)
        for policy in (oracle, guesses)
    )
    assert digest(episodes) == DIGESTS[id][2]
