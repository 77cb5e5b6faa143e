"""Recorded answers graded per second by `textgym.grade`, from files as they are found.

The answers are made up: choices with ten options and texts of 1,500 characters, and numbers with
solutions of 800, half of them right.
"""

from __future__ import annotations

import json
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from measure import aim, asked_quick, measure, table

import textgym

LETTERS = "ABCDEFGHIJ"
CASES = {"choices": ("textgym/MCQA-v0", 5_000), "numbers": ("textgym/Math-v0", 1_000)}


def choices(rng: random.Random) -> dict[str, Any]:
    """Return a multiple-choice answer as MMLU-Pro is recorded."""
    right, said = rng.choice(LETTERS), rng.choice(LETTERS)
    said = rng.choice((right, said))
    text = " ".join(f"word{rng.randrange(999)}" for _ in range(200))
    return {
        "question": f"Which of them is it, number {rng.random()}?",
        "options": [f"the option {rng.random()}" for _ in LETTERS],
        "answer": right,
        "output": f"{text} So it is \\boxed{{{said}}}.",
        "correct": said == right,
    }


def numbers(rng: random.Random) -> dict[str, Any]:
    """Return a numeric answer as GSM8K is recorded."""
    right = rng.randrange(1, 5_000)
    said = right + rng.choice((0, 1))
    text = " ".join(f"{n} + {rng.randrange(99)} is {rng.randrange(999)}." for n in range(50))
    return {
        "question": f"How many are {right - 1} and one more, number {rng.random()}?",
        "answer": f"#### {right}",
        "output": f"{text} Altogether: \\boxed{{{said}}}",
        "correct": said == right,
    }


def records(name: str, count: int) -> Iterator[dict[str, Any]]:
    """Yield the answers of a case."""
    rng = random.Random(name)
    return ({"choices": choices, "numbers": numbers}[name](rng) for _ in range(count))


def rate(path: Path, name: str, count: int) -> float:
    """Return how many answers are graded per second."""
    begun = time.perf_counter()
    found = textgym.grade(path, CASES[name][0])
    seconds = time.perf_counter() - begun
    if found.graded != count or found.agreement.agreed != count:
        raise SystemExit(f"{name}: {found.as_dict()}")
    return count / seconds


def parsed(path: Path, count: int) -> float:
    """Return how many lines are parsed per second."""
    begun = time.perf_counter()
    for line in path.open("rb"):
        json.loads(line)
    return count / (time.perf_counter() - begun)


def main() -> None:
    """Print the rates and whether they reach their targets."""
    quick = asked_quick(__doc__)
    count = 2_000 if quick else 10_000
    with tempfile.TemporaryDirectory() as folder:
        cases: dict[str, Callable[[], float]] = {}
        for name in CASES:
            path = Path(folder) / f"{name}.jsonl"
            lines = (json.dumps(record) + "\n" for record in records(name, count))
            path.write_text("".join(lines), encoding="utf-8")
            cases.setdefault("json.loads of choices (the floor)", partial(parsed, path, count))
            cases[name] = partial(rate, path, name, count)
        figures = measure(cases, rounds=1 if quick else 5)
    print(table("answers per second", figures))
    for name, (_, target) in CASES.items():
        median = statistics.median(figures[name])
        print(aim(name, median, target, "per second", at_least=True))


if __name__ == "__main__":
    main()
