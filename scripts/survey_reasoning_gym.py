"""Measure every generator of reasoning-gym, and write `generators.json`.

For each generator: its category; the levels of its curriculum that make tasks in time; where the
oracle's answer is; whether its tasks are too few to divide into splits; and what answers that know
nothing of the question earn, by the package's own score and by the strict one.

    python scripts/survey_reasoning_gym.py            # those that are not in the file
    python scripts/survey_reasoning_gym.py coin_flip  # some; the others stay as they are
"""

from __future__ import annotations

import json
import random
import re
import statistics
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import reasoning_gym
from reasoning_gym.factory import CURRICULA

from textgym.concurrency.workers import Workers
from textgym.integrations import reasoning_gym as guest
from textgym.integrations.reasoning_gym.strict import is_readable, strict_score
from textgym.integrations.reasoning_gym.worker import unpacked

TABLE = Path(guest.__file__).with_name("generators.json")
SECONDS = 10.0  # of CPU time for a task; levels with such tasks are left out
MEAN_SECONDS = 1.5  # of a level; slower ones are left out
SLOW = 0.02  # seconds a task, from which the seed decides the split and not the question
TASKS, SCORED = 100, 100
MOST_LEVELS = 15
CONSTANTS = (
    "", "0", "1", "2", "3", "-1", "0.1", "0.5", "True", "False", "true", "false", "Yes", "No",
    "yes", "no", "A", "B", "a", "[]", "[[]]", "{}", "()", "0 0", "None", "x", "C", "P",
    "(P ∨ ¬P)", "6*4*1*1", "3+7+8+6", "0 1 2 3 4 5 6 7 8 9", "on", "off", "red",
)  # fmt: skip


class Survey:
    """The measurements of one generator."""

    def __init__(self, name: str, workers: Workers) -> None:
        self.name, self._workers = name, workers

    def entry(self, level: int | None, seed: int) -> Any:
        """Return a task, or None if it cannot be made in time."""
        request: dict[str, Any] = {"do": "entry", "name": self.name, "level": level, "config": {}}
        request["seed"] = seed
        try:
            made = self._workers.call(request, SECONDS)
        except Exception:
            return None
        return made if made and "question" in made else None

    def score(self, level: int | None, entry: Any, answer: str | None) -> float:
        """Return the package's score."""
        if answer is not None and not is_readable(self.name, answer):
            return 0.0
        request = {
            "do": "score", "name": self.name, "level": level, "config": {}, "entry": entry,
            "answer": answer,
        }  # fmt: skip
        reply = self._workers.call(request, SECONDS)
        return float(reply["score"]) if reply else 0.0

    def levels(self) -> list[int]:
        """Return the levels of the curriculum that work, from 0."""
        if self.name not in CURRICULA:
            return []
        curriculum = reasoning_gym.factory.create_curriculum(self.name)
        most = max((len(a.levels) for a in curriculum.attributes.values()), default=1)
        working = []
        for level in range(min(most, MOST_LEVELS)):
            if all(self.entry(level, seed) for seed in range(3)):
                working.append(level)
        return working

    def measure(self) -> dict[str, Any]:
        """Return the row of the table."""
        levels = self.levels()
        pool, seconds, distinct = self._pool([*levels] or [None])
        rng = random.Random(0)
        rng.shuffle(pool)
        oracle = self._oracle(pool)
        scored = pool[:SCORED]
        answers = [self._right(entry, oracle) for _, entry in pool]
        common = [a for a, _ in Counter(filter(None, answers)).most_common(3)]
        others = [rng.choice(answers) or "" for _ in scored]
        tried = self._attempts(scored, oracle, common, others)
        earned: dict[str, dict[str, float]] = {"original": {}, "strict": {}}
        for label, texts in tried.items():
            own, strict = [], []
            for (level, entry), text in zip(scored, texts, strict=True):
                score = self.score(level, entry, text)
                own.append(score)
                strict.append(strict_score(self.name, text, entry, score))
            earned["original"][label] = round(statistics.fmean(own), 3)
            earned["strict"][label] = round(statistics.fmean(strict), 3)
        blind = [label for label in tried if "right" not in label.partition(" '")[0]]
        chance = {kind: max(values[label] for label in blind) for kind, values in earned.items()}
        guess = max(
            (c for c in (*CONSTANTS, *common)),
            key=lambda c: earned["strict"].get(
                f"constant {c!r}", earned["strict"].get(f"common {c[:40]!r}", 0)
            ),
        )
        return {
            "category": reasoning_gym.create_dataset(self.name, size=1, seed=0).category,
            "levels": [k for k, s in zip(levels, seconds, strict=False) if s <= MEAN_SECONDS],
            "oracle": oracle,
            "chance": chance["strict"],
            "chance_original": chance["original"],
            "silence_original": earned["original"]["constant ''"],
            "guess": guess,
            "milliseconds": [round(1000 * s, 2) for s in seconds if s <= MEAN_SECONDS],
            "split_by": "seed" if max(seconds) > SLOW else "question",
            "distinct": None if distinct > 399 else distinct,
        }

    def _pool(self, places: list[int | None]) -> tuple[list[tuple[Any, Any]], list[float], int]:
        """Return entries with their levels, the mean seconds of each level, and distinct ones."""
        shown = places[:: max(1, len(places) // 3)][:4]
        pool: list[tuple[Any, Any]] = []
        seconds, distinct = [], 10**9
        for level in places:
            began = time.monotonic()
            self.entry(level, 0)
            is_slow = time.monotonic() - began > 5 * SLOW
            count = 8 if is_slow else TASKS if level in shown else 20
            began = time.monotonic()
            entries = [self.entry(level, seed) for seed in range(count)]
            made = [entry for entry in entries if entry]
            seconds.append((time.monotonic() - began) / len(entries))
            count = len({entry["question"] for entry in made})
            if count < 0.9 * len(made) and seconds[-1] < SLOW:
                made = [e for seed in range(400) if (e := self.entry(level, seed))]
                count = len({entry["question"] for entry in made})
                distinct = min(distinct, count)
            pool += [(level, entry) for entry in made]
        return pool, seconds, distinct

    def _attempts(
        self, scored: list[tuple[Any, Any]], oracle: str, common: list[str], others: list[str]
    ) -> dict[str, list[str]]:
        """Return what is tried, by label: an answer for each entry."""
        tried: dict[str, list[str]] = {f"constant {c!r}": [c] * len(scored) for c in CONSTANTS}
        tried |= {f"common {c[:40]!r}": [c] * len(scored) for c in common}
        tried["another answer"] = others
        tried["first number"] = [_first_number(entry["question"]) for _, entry in scored]
        tried["the question"] = [entry["question"] for _, entry in scored]
        if oracle:
            rights = [self._right(entry, oracle) or "" for _, entry in scored]
            tried["right, then another"] = [
                f"{a} or {b}" for a, b in zip(rights, others, strict=True)
            ]
            tried["another, then right"] = [
                f"{b}, or {a}" for a, b in zip(rights, others, strict=True)
            ]
            tried["right with the question"] = [
                f"{a} {entry['question']}" for a, (_, entry) in zip(rights, scored, strict=True)
            ]
            tried["right, padded"] = [f"{a} {'.' * 60}" for a in rights]
            tried["right"] = rights
        return tried

    def _right(self, entry: Any, oracle: str) -> str | None:
        right = entry["answer"] if oracle == "answer" else entry["metadata"].get(oracle)
        return json.dumps(unpacked(right)) if isinstance(right, dict) else right

    def _oracle(self, pool: list[Any]) -> str:
        """Return the field with the right answer, "" if there is none."""
        fields = ["answer", "possible_answer", "example_answer", "example_correct_answer"]
        for field in fields:
            rights = [(level, entry, self._right(entry, field)) for level, entry in pool[:8]]
            scores = [self.score(*right) for right in rights if isinstance(right[2], str)]
            if scores and sum(score == 1.0 for score in scores) >= 0.75 * len(rights):
                return field
        return ""


def _first_number(question: str) -> str:
    """Return the first number of a question, in any notation."""
    found = re.search(r"-?\d[\d,.]*(?:e[+-]?\d+)?", question)
    return found[0].rstrip(".,") if found else ""


def main() -> None:
    """Measure the named generators, or all."""
    table = json.loads(TABLE.read_text()) if TABLE.exists() else {}
    names = sys.argv[1:] or [name for name in guest.GENERATORS if name not in table]
    workers = Workers("textgym.integrations.reasoning_gym.worker:load", name="reasoning-gym")

    def measure(name: str) -> None:
        began = time.monotonic()
        try:
            table[name] = Survey(name, workers).measure()
        except Exception as error:
            print(f"{name}: {error!r}", file=sys.stderr)
            return
        row = table[name]
        print(
            f"{name}: {len(row['levels'])} levels, chance {row['chance']} "
            f"({row['chance_original']}), {time.monotonic() - began:.0f} s",
            flush=True,
        )
        lines = (f" {json.dumps(key)}: {json.dumps(table[key])}" for key in sorted(table))
        TABLE.write_text("{\n" + ",\n".join(lines) + "\n}\n")

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(measure, names))


if __name__ == "__main__":
    main()
