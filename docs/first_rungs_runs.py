"""The runs of `examples/first_rungs.py`: which belong to the table, and what each of them found.

`docs/first_rungs.json` keeps the figures of finished runs, so that the page can be written without
the runs' folders. Invariants: the file has one run for each job; a run is in it only if it was
finished.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from textgym.training import read_history
from textgym.whole_file import whole_file

__all__ = [
    "FILE",
    "FOLDER",
    "MAX_TOKENS",
    "Found",
    "Job",
    "finished",
    "job_of",
    "jobs",
    "merge",
    "read",
]

FILE = Path(__file__).resolve().parent / "first_rungs.json"
FOLDER = Path("runs", "first-rungs")

MAX_TOKENS = {
    "EquivalenceJudge": 24,
    "RedefinedRules": 24,
    "GuessNumber": 12,
    "Math": 24,
    "StructuredOutput": 40,
    "SessionState": 40,
    "Constraints": 40,
    "MCQA": 16,
    "Haystack": 24,
    "SingleToolCall": 40,
    "Program": 64,
}
"""The environments of the table, and the most tokens of a message."""

HIGHEST = {"Haystack": 0}
"""The highest level that is played, where prompts of higher ones are thousands of tokens long."""

SEEDED = ("EquivalenceJudge", "RedefinedRules", "GuessNumber", "Math")
"""The environments with three seeds and all controls."""

MIXTURE = ("EquivalenceJudge", "GuessNumber", "Math")
NEVER_PLAYED = ("RedefinedRules", "MCQA")

Found = dict[str, Any]


class Job(NamedTuple):
    """A run of the table: the environments, those that are only tried, the control and the seed."""

    envs: tuple[str, ...]
    also: tuple[str, ...] = ()
    control: str = "none"
    seed: int = 0

    @property
    def name(self) -> str:
        """The name of its files."""
        return "-".join([*self.envs, self.control, str(self.seed)])

    def arguments(self) -> list[str]:
        """Return the arguments of `examples/first_rungs.py`."""
        ids = [f"textgym/{name}-v0" for name in self.envs]
        also = [f"textgym/{name}-v0" for name in self.also]
        tokens = max(MAX_TOKENS[name] for name in self.envs + self.also)
        highest = [HIGHEST[name] for name in self.envs if name in HIGHEST]
        return [
            *("--env", *ids),
            *(("--also", *also) if also else ()),
            *("--control", self.control, "--seed", str(self.seed)),
            *(("--highest", str(min(highest))) if highest else ()),
            *("--max-tokens", str(tokens), "--out", str(FOLDER / f"{self.name}.jsonl")),
        ]


def jobs(envs: Sequence[str] = (), seeds: int = 3) -> Iterator[Job]:
    """Return the runs of the table, the most important ones first.

    Args:
        envs: Only these environments; by default all, and the mixture too.
        seeds: How many seeds the environments of `SEEDED` have.
    """
    names = [name for name in MAX_TOKENS if not envs or name in envs]
    for name in names:
        yield from (Job((name,), control=control) for control in ("none", "shuffled"))
    if not envs:
        yield from (Job(MIXTURE, NEVER_PLAYED, control) for control in ("none", "shuffled"))
    for name in names:
        if name in SEEDED:
            yield Job((name,), control="format")
            for seed in range(1, seeds):
                yield from (Job((name,), (), control, seed) for control in ("none", "shuffled"))
        if name == "GuessNumber":
            yield Job((name,), control="no-feedback")


def finished(folder: Path = FOLDER) -> Iterator[Found]:
    """Return what the finished runs of a folder found.

    Yields:
        `envs`, `also`, `control`, `seed`, `steps`, and where it was made; `rungs`, the level and
        the number of examples in each step, and `tried`, by environment; a trial has lists of
        `steps`, `success`, `low` and `high`, and `gain`, the paired difference with its interval.
    """
    for made in sorted(folder.glob("*.json")):
        settings = json.loads(made.read_text(encoding="utf-8"))
        lines = read_history(made.with_suffix(".jsonl"))
        envs, also = (
            [id.rpartition("/")[2].rpartition("-v")[0] for id in settings[key]]
            for key in ("env", "also")
        )
        kept = ("control", "seed", "steps", "learning_rate", "device", "cores", "minutes")
        yield {
            "envs": envs,
            "also": also,
            **{key: settings[key] for key in (*kept, "packages")},
            "rungs": {
                name: [[line[f"{name}/level"], line[f"{name}/shots"]] for line in lines[1:]]
                for name in envs
            },
            "tried": {
                name: {
                    kind: _trial(lines, f"{name}/{kind}")
                    for kind in ("examples", "held_out", "next")
                    if f"{name}/{kind}/success" in lines[0]
                }
                for name in [*envs, *also]
            },
        }


def _trial(lines: Sequence[Mapping[str, Any]], name: str) -> dict[str, Any]:
    tried = [line for line in lines if f"{name}/success" in line]
    ends = ("difference", "low", "high")
    return {
        "steps": [line["step"] for line in tried],
        **{
            key: [round(line[f"{name}/{key}"], 4) for line in tried]
            for key in ("success", "success_low", "success_high")
        },
        "gain": [round(tried[-1][f"{name}/gain_{end}"], 4) for end in ends],
    }


def read(path: Path = FILE) -> list[Found]:
    """Return the runs of a file; none if there is no file."""
    if not path.exists():
        return []
    runs: list[Found] = json.loads(path.read_text(encoding="utf-8"))["runs"]
    return runs


def merge(fresh: Iterable[Found], path: Path = FILE) -> list[Found]:
    """Merge runs into a file, where a run replaces an older one of its job; return all runs."""
    runs = {job_of(run): run for run in [*read(path), *fresh]}
    order = {job: place for place, job in enumerate(jobs())}
    merged = sorted(
        runs.values(), key=lambda run: (order.get(job_of(run), len(order)), job_of(run))
    )
    lines = ",\n".join(json.dumps(run) for run in merged)
    with whole_file(path) as file:
        file.write(f'{{"runs": [\n{lines}\n]}}\n'.encode())
    return merged


def job_of(run: Mapping[str, Any]) -> Job:
    """Return the job of a run."""
    return Job(tuple(run["envs"]), tuple(run["also"]), run["control"], run["seed"])
