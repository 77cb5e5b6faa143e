"""What is learned from places, lengths and frequencies of values in the text wins nothing."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from textgym.envs.generation import in_words
from textgym.envs.structured_output import StructuredOutput
from textgym.tasks.task import draw_rows

pytest.importorskip("sklearn")
pytestmark = pytest.mark.slow

TRAIN, HELD_OUT = 5_000, 500
KEPT = 0.1  # of the wrong candidates
WORDS = {in_words(number): number for number in range(100)}
TOKEN = re.compile(
    r"[A-Z]{2,3}-\d+|\d[\d,]*(?:\.\d+)?|[A-Z][a-z-]+ (?:[A-Z][a-z]+)(?: \d+)?|[A-Za-z-]+"
)


def rows_of(split: str, count: int) -> Iterator[dict[str, Any]]:
    env = StructuredOutput()
    for index in range(count):
        yield next(
            draw_rows(
                env.generate,
                env.canonical,
                id="tests/Shortcuts-v0",
                split=split,
                level=1,
                levels=(1,),
                index=index,
            )
        )


def candidates(text: str) -> dict[str, list[Any]]:
    """Return the values in a text by type, each as often as it is there."""
    found: dict[str, list[Any]] = {"number": [], "string": [], "boolean": [True, False]}
    for token in TOKEN.findall(text):
        if token in WORDS or token[0].isdigit():
            found["number"].append(WORDS.get(token) or float(token.replace(",", "")))
        else:
            found["string"].append(token)
    return found


def described(values: list[Any], leaf: int, leaves: int) -> list[list[float]]:
    """Return the features of each candidate: where it stands, how often, and what it looks like."""
    size, counts = len(values), Counter(values)
    most = max(counts.values(), default=0)
    return [
        [
            place, place / size, place == size - 1, size, counts[value], counts[value] == most,
            len(str(value)), str(value)[:1].isupper(), "-" in str(value),
            0.0 if isinstance(value, str) else float(value), leaf, leaves,
        ]
        for place, value in enumerate(values)
    ]  # fmt: skip


def questions(row: dict[str, Any]) -> Iterator[tuple[str, list[Any], list[list[float]]]]:
    """Yield the name, the candidates and their features for each field."""
    found, leaves = candidates(row["text"]), len(row["record"])
    for leaf, name in enumerate(row["record"]):
        values = found[row["schema"]["properties"][name]["type"].replace("integer", "number")]
        yield name, values, described(values, leaf, leaves)


def test_no_learner_of_places_and_frequencies_wins() -> None:
    from sklearn.tree import DecisionTreeClassifier

    rng, inputs, labels = random.Random(0), [], []
    for row in rows_of("train", TRAIN):
        for name, values, features in questions(row):
            for value, item in zip(values, features, strict=True):
                right = value == row["record"][name]
                if right or rng.random() < KEPT:
                    inputs.append(item)
                    labels.append(right)
    model = DecisionTreeClassifier(max_depth=12, min_samples_leaf=20, random_state=0)
    model.fit(inputs, labels)
    wins = leaves = right = 0
    for row in rows_of("test", HELD_OUT):
        answer = {}
        for name, values, features in questions(row):
            scores = model.predict_proba(features)[:, 1].tolist() if values else []
            answer[name] = values[scores.index(max(scores))] if values else None
            leaves, right = leaves + 1, right + (answer[name] == row["record"][name])
        wins += answer == row["record"]
    assert right > leaves / 10  # it has learned something
    assert wins <= HELD_OUT / 100
