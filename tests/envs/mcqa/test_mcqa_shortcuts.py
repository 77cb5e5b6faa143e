"""No generated question is answered by its surface: the attack that fits models to it.

Chance is 0.25. While distractors were made from the right option, the same models answered 0.81 of
`strings`, 0.76 of `syllogisms`, 0.69 of `lists`, 0.66 of `fractions`, and 0.38 of all together.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable

import pytest

from textgym.envs.mcqa import MCQA
from textgym.envs.mcqa.families import FAMILIES, LEVELS, Item, draw
from textgym.envs.mcqa.families.item import fact_of
from textgym.tasks.task import split_of
from textgym.testing.shortcuts import Choice, shortcut_accuracy


def choices(
    family: Callable[[random.Random, int], Item], name: str, split: str, n: int
) -> list[Choice]:
    """Draw questions of a split, of all levels in turn."""
    rng, found = random.Random(f"{name} {split}"), []
    while len(found) < n:
        item = family(rng, LEVELS[len(found) % len(LEVELS)])
        if split_of([name, fact_of(item)]) == split:
            options = rng.sample((item.right, *item.wrong), 4)
            found.append(Choice(item.question, options, options.index(item.right)))
    return found


@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_surface_of_a_family_does_not_reveal_the_answer(name: str) -> None:
    family = FAMILIES[name]
    train, test = choices(family, name, "train", 1200), choices(family, name, "test", 600)
    found = shortcut_accuracy(train, test)
    assert max(found.values()) <= 0.35, found


def test_surface_of_all_families_does_not_reveal_the_answer() -> None:
    def any_family(rng: random.Random, level: int) -> Item:
        return draw(rng, level)[1]

    train, test = (
        choices(any_family, "all", split, n) for split, n in (("train", 5000), ("test", 2000))
    )
    found = shortcut_accuracy(train, test)
    assert max(found.values()) <= 0.30, found


@pytest.mark.parametrize("best", [max, min], ids=["most", "least"])
def test_answers_in_training_do_not_reveal_test_answers(best: Callable[..., str]) -> None:
    """Neither does what never was: a test question's answer is not the one new option."""
    offered: Counter[tuple[str, str]] = Counter()
    right: Counter[tuple[str, str]] = Counter()
    train, test = MCQA(), MCQA(split="test")
    for index in range(10_000):
        row = train.get_task(index).row
        offered.update((row["category"], option) for option in row["options"].values())
        right[row["category"], row["options"][row["answer"]]] += 1

    def share(category: str, option: str) -> float:
        return (right[category, option] + 1) / (offered[category, option] + 4)

    rows = [test.get_task(index).row for index in range(500)]
    hits = [
        best(row["options"], key=lambda letter: share(row["category"], row["options"][letter]))
        == row["answer"]
        for row in rows
    ]
    assert sum(hits) / len(hits) <= 0.30
