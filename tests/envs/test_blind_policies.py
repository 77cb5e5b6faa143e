"""A card's `chance` is what the best policy gets that ignores the question."""

from __future__ import annotations

import math

import pytest
from blind_policies import BLIND, play

import textgym
from textgym.errors import ExtraMissingError
from textgym.registry import environment_class

EPISODES_A_LEVEL = {
    "textgym/AskFirst-v0": 150,
    "textgym/Calendar-v0": 300,
    "textgym/Constraints-v0": 60,
    "textgym/Math-v0": 100,
    "textgym/MultiIntent-v0": 200,
    "textgym/Program-v0": 40,
}


def test_every_environment_has_blind_policies() -> None:
    own = {id for id in textgym.ids(guests=False) if id.startswith("textgym/")}
    assert BLIND.keys() == own  # not those of other tests


@pytest.mark.parametrize("share", [0.03, pytest.param(0.1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("id", BLIND)
def test_no_blind_policy_beats_the_card_and_the_best_is_not_far_below(
    id: str, share: float
) -> None:
    try:
        cls = environment_class(id)
        envs = [cls(level=level, split="validation") for level in cls.card.levels]
    except ExtraMissingError as error:
        pytest.skip(str(error))
    episodes = int(share * EPISODES_A_LEVEL.get(id, 500))
    count = episodes * len(envs)
    means = {
        name: sum(play(env, policy, index) for env in envs for index in range(episodes)) / count
        for name, policy in BLIND[id].items()
    }
    chance, best = cls.card.chance, max(means, key=lambda name: means[name])
    error = math.sqrt(chance * (1 - chance) / count)
    assert means[best] <= chance + 4 * error, f"{best!r} gets {means[best]:.4f}"
    least = max(chance - 4 * error, chance / 2 if share == 0.1 else 0)
    assert means[best] >= least, f"{best!r} gets {means[best]:.4f}"
