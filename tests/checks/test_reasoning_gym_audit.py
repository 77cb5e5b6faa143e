"""What docs/audit.md says of reasoning-gym's generators can be seen in single tasks."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest
from repository import DOCS, EXAMPLES

from textgym.checks.episodes import oracle, play, say

reasoning_gym = pytest.importorskip("reasoning_gym")


@pytest.fixture(scope="module")
def example() -> Iterator[ModuleType]:
    sys.path.append(str(EXAMPLES))
    try:
        import reasoning_gym_audit

        yield reasoning_gym_audit
    finally:
        sys.path.remove(str(EXAMPLES))


def mean(env: Any, text: str) -> float:
    """Return the mean reward of an answer to twenty tasks."""
    episodes = [play(env, say(f"<answer>{text}</answer>"), index=index) for index in range(20)]
    return sum(episode.total for episode in episodes) / 20


@pytest.mark.parametrize("name", ["CoinFlip", "GameOfLifeHalting", "BitwiseArithmetic"])
def test_the_oracle_gets_the_maximum(example: ModuleType, name: str) -> None:
    env = getattr(example, name)(split="test")
    assert [play(env, oracle(env), index=index).total for index in range(5)] == [1.0] * 5


def test_zero_is_paid_by_the_prefix_rule_of_coin_flip(example: ModuleType) -> None:
    env = example.CoinFlip(split="test")
    assert mean(env, "0") > 0.8
    assert mean(env, "1") < 0.2


def test_an_answer_that_makes_the_scorer_raise_gets_nothing(example: ModuleType) -> None:
    assert mean(example.CoinFlip(split="test"), "1e999") == 0.0


def test_any_text_is_paid_by_game_of_life_halting(example: ModuleType) -> None:
    env = example.GameOfLifeHalting(split="test")
    assert mean(env, "I do not know") == mean(env, "True") == mean(env, "False") == 1.0


def test_a_guess_is_not_paid_by_bitwise_arithmetic(example: ModuleType) -> None:
    env = example.BitwiseArithmetic(split="test")
    assert mean(env, "0x0") == mean(env, "True") == 0.0


def test_the_page_names_the_version_that_was_audited(example: ModuleType) -> None:
    assert f" {example.version('reasoning_gym')}, a library" in (DOCS / "audit.md").read_text()
