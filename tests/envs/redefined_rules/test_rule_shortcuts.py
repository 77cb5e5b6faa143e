"""No policy that does not read the rules is right much more often than the card's chance."""

from __future__ import annotations

import json
import random
import re
from collections import Counter, defaultdict
from typing import Any

import pytest
from blind_policies import one_rule

from textgym.envs.redefined_rules import RedefinedRules
from textgym.envs.redefined_rules.answers import is_answer, written
from textgym.envs.redefined_rules.families import FAMILIES, LEVELS, draw_puzzle
from textgym.envs.redefined_rules.families.puzzle import Answers, Puzzle

CHANCE = RedefinedRules.card.chance


def puzzles(name: str, level: int, seed: int, count: int) -> list[tuple[Puzzle, Answers]]:
    """Draw tasks of a family with their answers."""
    rng = random.Random(seed)
    return [draw_puzzle(rng, name, level) for _ in range(count)]


def hits(contents: Any, tasks: list[tuple[Puzzle, Answers]]) -> int:
    """Return how many tasks have the answer that some rules give."""
    count = 0
    for puzzle, solved in tasks:
        try:
            count += puzzle.solve(contents) == solved.right
        except (KeyError, ValueError, IndexError):  # a colour or day that this task does not have
            continue
    return count


@pytest.mark.slow
def test_the_rules_that_fit_best_in_training_are_seldom_those_of_a_task() -> None:
    """The policy knows family, level and question, and solves every task by the same rules."""
    shares = {}
    for name in FAMILIES:
        for level in LEVELS:
            train, test = puzzles(name, level, 1, 60), puzzles(name, level, 2, 100)
            rules = [[rule.content for rule in puzzle.rules] for puzzle, _ in train]
            best = max(rules, key=lambda contents: hits(contents, train))
            shares[name, level] = hits(best, test) / len(test)
    assert sum(shares.values()) / len(shares) <= 1.6 * CHANCE
    assert max(shares.values()) <= 0.25, shares


# A fitted chooser among answers that can be had without reading the rules.


def candidates(row: dict[str, Any], frequent: dict[str, str]) -> dict[str, str]:
    """Return answers by the way in which they are found."""
    usual, prompt = row["usual_answer"], row["question"]
    items = usual if isinstance(usual, list) else [usual]
    numbers = re.findall(r"\d+", prompt) or ["1"]
    names = re.findall(r"[A-Za-z]\w*", prompt)
    found = {
        "frequent": frequent[row["category"]],
        "reversed": written(items[::-1]),
        "rotated": written(items[1:] + items[:1]),
        "rotated back": written(items[-1:] + items[:-1]),
        "first two swapped": written(items[1::-1] + items[2:]),
        "last two swapped": written(items[:-2] + items[:-3:-1]),
        "without the first": written(items[1:]),
        "without the last": written(items[:-1]),
        "first item": str(items[0]),
        "first number": numbers[0],
        "last number": numbers[-1],
        "largest number": max(numbers, key=int),
        "most frequent number": Counter(numbers).most_common(1)[0][0],
        "first word": names[0],
        "last word": names[-1],
        "most frequent words": ", ".join(
            name for name, _ in Counter(names).most_common(len(items))
        ),
    }
    if isinstance(usual, int):
        changes = {"+1": 1, "-1": -1, "+2": 2, "-2": -2, "+5": 5, "-5": -5, "+10": 10, "-10": -10}
        found |= {f"usual{name}": str(usual + change) for name, change in changes.items()}
        found |= {f"usual times {k}": str(usual * k) for k in (-1, 2, 3, 5, 10)}
        found["numbers added"] = str(sum(map(int, numbers)))
    others = {"yes": "no", "no": "yes", "X": "O", "O": "X"}
    found["all turned"] = written([others.get(item, item) for item in items])
    for start in range(2):
        turned = [
            others.get(item, item) if place % 2 == start else item
            for place, item in enumerate(items)
        ]
        found[f"turned from {start}"] = written(turned)
    for k in range(1, 5):
        letters = ["ABCDE"[("ABCDE".index(i) + k) % 5] if i in tuple("ABCDE") else i for i in items]
        found[f"letters {k} on"] = written(letters)
    return found


def features(row: dict[str, Any], families: list[str]) -> list[float]:
    """Return what a prompt looks like."""
    prompt, usual = row["question"], row["usual_answer"]
    items = usual if isinstance(usual, list) else [usual]
    numbers = [int(digits) for digits in re.findall(r"\d+", prompt)[:40]] or [0]
    return [
        *(float(row["category"] == name) for name in families),
        row["level"], len(prompt), prompt.count(" "), prompt.count(","), prompt.count("\n"),
        len(numbers), numbers[0], numbers[-1], max(numbers), min(numbers), sum(numbers),
        len(items), float(isinstance(usual, int)), float(usual) if isinstance(usual, int) else 0.0,
        *(float(prompt.count(word)) for word in ("first", "last", "means", "before", "each")),
    ]  # fmt: skip


@pytest.mark.slow
def test_a_fitted_chooser_among_shortcuts_is_no_better_than_the_card_says() -> None:
    ensemble = pytest.importorskip("sklearn.ensemble")
    rows = [RedefinedRules().get_task(index).row for index in range(5000)]
    held_out = [RedefinedRules(split="test").get_task(index).row for index in range(500)]
    families = sorted(FAMILIES)
    answers: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        answers[row["category"]][written(row["expected_answer"])] += 1
    frequent = {name: counts.most_common(1)[0][0] for name, counts in answers.items()}

    def won(row: dict[str, Any]) -> dict[str, bool]:
        right = written(row["expected_answer"])
        return {name: text == right for name, text in candidates(row, frequent).items()}

    outcomes = [won(row) for row in rows]
    names = sorted({name for outcome in outcomes for name in outcome})
    matrix = [[float(outcome.get(name, False)) for name in names] for outcome in outcomes]
    model = ensemble.RandomForestRegressor(
        n_estimators=12, min_samples_leaf=15, max_features=0.5, random_state=1
    )
    model.fit([features(row, families) for row in rows], matrix)
    chosen = model.predict([features(row, families) for row in held_out]).argmax(1)
    hit = 0
    for row, place in zip(held_out, chosen, strict=True):
        text = candidates(row, frequent).get(names[place], "")
        hit += is_answer(row["expected_answer"], text)
    assert hit / len(held_out) <= CHANCE


@pytest.mark.slow
def test_the_chance_on_the_card_is_that_of_one_rule_for_each_family() -> None:
    count, right = 400, 0.0
    for level in LEVELS:
        env = RedefinedRules(level=level)
        for index in range(count):
            observation, _ = env.reset(options={"index": index})
            right += float(env.step(one_rule(env, random.Random(0), observation))[1])
    assert abs(right / (count * len(LEVELS)) - CHANCE) < 0.02


@pytest.mark.parametrize("n", [400, pytest.param(1000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("level", [0, *LEVELS])
def test_no_answer_is_frequent(level: int, n: int) -> None:
    env = RedefinedRules(level=level)
    counts = Counter(json.dumps(env.get_task(index).answer) for index in range(n))
    assert counts.most_common(1)[0][1] / n < 0.02
