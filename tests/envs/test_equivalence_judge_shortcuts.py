"""What the audit found: answers whose place in the question told more than chance.

A model of the places of words got 0.130 of the test tasks, at a chance of 0.059: `colours` of level
1 always asked for the second of three, people who were named often held the thing asked for, and
three words have few orders.
"""

from __future__ import annotations

import random

import pytest

from textgym.checks import make_subject
from textgym.checks.attackers import learn
from textgym.checks.episodes import play
from textgym.checks.shortcuts import learned
from textgym.envs.equivalence_judge import EquivalenceJudge
from textgym.envs.equivalence_judge.families import LEVELS, colours

TASKS = 500


@pytest.mark.parametrize("level", LEVELS)
def test_colours_asks_for_every_place(level: int) -> None:
    drawn = [colours(random.Random(number), level) for number in range(300)]
    places = {item.question.split(": ")[1].split(".")[0].split(", ").index(item.answer)
              for item in drawn}  # fmt: skip
    assert len(places) == 5 + level


@pytest.mark.slow
def test_the_place_of_a_word_tells_no_more_than_chance() -> None:
    pytest.importorskip("sklearn")
    with make_subject("textgym/EquivalenceJudge-v0", TASKS) as subject:
        spans = next(a for a in learned(learn(subject)) if a.name == "span of the prompt")
        env = subject.make_split("test")
        returns = [play(env, spans.policy.for_env(env), index=i).total for i in range(TASKS)]
    chance = EquivalenceJudge.card.chance
    error = (chance * (1 - chance) / TASKS) ** 0.5
    assert sum(returns) / TASKS <= chance + 4 * error
