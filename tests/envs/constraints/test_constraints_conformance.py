"""The references' rewards of recorded and invented answers, and where they are not followed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from textgym.envs.constraints import Constraints

for library in ("nltk", "textblob", "syllapy", "emoji", "langdetect"):
    pytest.importorskip(library)

# Marked as doubtful, and followed: other readings or versions of the reference judge otherwise.
MARKED_AND_FOLLOWED = {
    "ifeval": 10,
    "ifbench": 1,
}
# Not marked, but the environment judges otherwise.
NOT_FOLLOWED = {
    "ifbench-257": 1.0,  # "Conceive" is a verb
    "ifbench-261": 1.0,  # "Build" is a verb
    "ifbench-var-count.conjunctions-05-preface": 0.0,  # "And" and "and" are one conjunction
    "ifbench-120": 0.0,  # apostrophes are no quotation marks
    "ifbench-diff-words.start_verb-06": 1.0,  # "**Go** home." begins with a verb
    # blanks and emphasis before a text are no part of it
    "ifbench-var-custom.mcq_count_length-02-bold": 1.0,
    "ifbench-var-custom.mcq_count_length-05-space": 1.0,
    "ifbench-var-custom.csv_city-05-space": 1.0,
    # blank parts of a text are no paragraphs
    "ifeval-diff-length_constraints.nth_paragraph_first_word-06": 1.0,
}


@pytest.mark.parametrize("name", ["ifeval", "ifbench"])
def test_every_case_gets_its_reward(shared: Path, name: str) -> None:
    path = shared / "conformance" / f"{name}.jsonl"
    cases = [json.loads(line) for line in path.read_text().split("\n") if line]
    env = Constraints()
    wrong: list[Any] = []
    followed = 0
    for case in cases:
        env.reset(options={"task": case["task"]})
        reward = env.step(case["actions"][0])[1]
        if case.get("suspect"):
            followed += reward == case["reward"]
        elif reward != NOT_FOLLOWED.get(case["case"], case["reward"]):
            wrong.append((case["case"], reward))
    assert wrong == []
    assert followed == MARKED_AND_FOLLOWED[name]
    assert len(cases) >= 400
