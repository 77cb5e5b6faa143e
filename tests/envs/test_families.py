"""Generators with families: a seed determines the draws in any process; each family is drawn."""

from __future__ import annotations

import random
from collections import Counter
from importlib import import_module
from typing import Any

import pytest
from family_digest import digest, digest_elsewhere

GENERATORS = pytest.mark.parametrize(
    "name", ["textgym.envs.math.families", "textgym.envs.mcqa.families"]
)


@GENERATORS
def test_seed_determines_the_draws(name: str) -> None:
    module: Any = import_module(name)
    for family in module.FAMILIES.values():
        for level in module.LEVELS:
            one, other = random.Random(5), random.Random(5)
            for _ in range(50):
                assert family(one, level) == family(other, level)
            assert one.getstate() == other.getstate()


@GENERATORS
def test_families_are_drawn_about_equally_often(name: str) -> None:
    module: Any = import_module(name)
    rng = random.Random(1)
    drawn = Counter(
        module.FAMILIES.draw(rng, 1 + i % 5)[0] for i in range(100 * len(module.FAMILIES))
    )
    assert set(drawn) == set(module.FAMILIES)
    assert max(drawn.values()) < 2 * min(drawn.values())


@pytest.mark.slow
@GENERATORS
@pytest.mark.parametrize("seed", ["0", "4711"])
def test_hash_seed_changes_no_draw(name: str, seed: str) -> None:
    module: Any = import_module(name)
    assert digest_elsewhere(name, seed) == digest(module.FAMILIES, module.LEVELS)
