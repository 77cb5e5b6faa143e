"""Score answers that others recorded with reasoning-gym, and compare with the recorded scores.

    python scripts/recorded_reasoning_gym.py FOLDER            # all generators
    python scripts/recorded_reasoning_gym.py FOLDER coin_flip  # some; the others stay as they are

FOLDER is `reasoninggym-paper-experiments/zero-shot` of open-thought/reasoning-gym-eval, under
Apache-2.0. It has a file for each model and generator: the configuration, and the answers with
their scores. The script writes `docs/guests/recorded.json`, which `docs/make_guests.py` shows.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from textgym.concurrency.workers import Workers
from textgym.integrations.reasoning_gym.strict import is_readable, strict_score

FIGURES = Path(__file__).resolve().parents[1] / "docs/guests/recorded.json"
SECONDS = 10.0
CREDIT = 0.01  # a score that any text gets


class Entries:
    """The tasks of a generator, each made once: all models were asked the same ones."""

    def __init__(self, workers: Workers) -> None:
        self._workers = workers
        self._made: dict[str, Any] = {}

    def get(self, name: str, config: dict[str, Any], seed: int) -> Any:
        """Return a task; None if it takes too long."""
        request = {"do": "entry", "name": name, "level": None, "config": config, "seed": seed}
        key = json.dumps(request, sort_keys=True)
        if key not in self._made:
            self._made[key] = self._workers.call(request, SECONDS)
        return self._made[key]


def score_file(path: Path, workers: Workers, entries: Entries) -> dict[str, float]:
    """Return the sums of a file: `answers`, `equal` scores, and the scores of each kind."""
    recorded = json.loads(path.read_text(encoding="utf-8"))
    name, config = recorded["name"], dict(recorded["config"])
    seed = config.pop("seed")
    config.pop("size", None)
    sums: dict[str, float] = defaultdict(float)
    for index, result in enumerate(recorded["results"]):
        entry = entries.get(name, config, seed + index)
        if not entry or entry.get("question", "").strip() != result["question"].strip():
            sums["other tasks"] += 1  # of another version of the package
            continue
        for completion in result["completions"]:
            answer, known = completion["model_answer"], completion["score"]
            score = strict = 0.0
            refused = answer is not None and not is_readable(name, answer)
            sums["refused"] += refused
            sums["refused with credit"] += refused and known > CREDIT
            if answer is not None and not refused:
                arguments = {"name": name, "level": None, "config": config, "entry": entry}
                reply = workers.call({"do": "score", **arguments, "answer": answer}, SECONDS)
                score = (reply or {}).get("score", 0.0)
                strict = strict_score(name, answer, entry, score)
            sums["answers"] += 1
            sums["equal"] += abs(score - known) < 1e-6
            sums["recorded"] += known
            sums["full"] += known >= 1.0
            sums["expected"] += answer == result["expected_answer"]
            sums["strict"] += strict
    return dict(sums)


def main() -> None:
    """Score all files, and write the sums by difficulty and generator."""
    folder = Path(sys.argv[1])
    workers = Workers("textgym.integrations.reasoning_gym.worker:load", name="reasoning-gym")
    files: dict[str, list[Path]] = defaultdict(list)
    for path in sorted(folder.glob("*/*/*/*.json")):
        if sys.argv[2:] and path.stem not in sys.argv[2:]:
            continue
        files[f"{path.parts[-4]}/{path.stem}"].append(path)

    def score(name: str) -> tuple[str, dict[str, float]]:
        entries, of_name = Entries(workers), defaultdict[str, float](float)
        for path in files[name]:
            for key, value in score_file(path, workers, entries).items():
                of_name[key] += value
        return name, of_name

    sums = json.loads(FIGURES.read_text(encoding="utf-8")) if sys.argv[2:] else {}
    with ThreadPoolExecutor(2) as pool:
        for name, of_name in pool.map(score, files):
            sums[name] = of_name
            print(name, dict(of_name), flush=True)
    FIGURES.parent.mkdir(exist_ok=True)
    figures = {name: {key: round(value, 3) for key, value in of_name.items()}
               for name, of_name in sorted(sums.items())}  # fmt: skip
    FIGURES.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
