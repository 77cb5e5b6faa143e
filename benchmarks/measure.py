"""Helpers of the benchmarks: interleaved measurements, tables and targets.

The cases of a benchmark run in turn, round by round, so that a machine that is slower for a while
slows down all of them.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import time
import tracemalloc
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import gymnasium

import textgym

__all__ = [
    "Figures",
    "aim",
    "asked_quick",
    "check_run",
    "measure",
    "memory_of_episodes",
    "per_call",
    "ratio_line",
    "shares_table",
    "table",
    "write_rows",
]

Figures = dict[str, list[float]]


def asked_quick(description: str | None) -> bool:
    """Parse the arguments of a benchmark; return whether `--quick` was given."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--quick", action="store_true", help="fewer episodes and rounds")
    quick: bool = parser.parse_args().quick
    return quick


def per_call(work: Callable[[], object], calls: int) -> float:
    """Return the mean seconds per call."""
    begun = time.perf_counter()
    for _ in range(calls):
        work()
    return (time.perf_counter() - begun) / calls


def measure(cases: Mapping[str, Callable[[], float]], rounds: int) -> Figures:
    """Return the results of each case, one per round, after a warm-up round."""
    figures: Figures = {name: [] for name in cases}
    for number in range(rounds + 1):
        for name, case in cases.items():
            figure = case()
            if number:
                figures[name].append(figure)
    return figures


def table(title: str, figures: Figures, digits: int = 1) -> str:
    """Return an aligned table of results; the last column is relative to the first case."""
    medians = {name: statistics.median(values) for name, values in figures.items()}
    floor = next(iter(medians.values()))
    lines: list[tuple[str, ...]] = [(title, "median", "min", "max", "x floor")]
    for name, values in figures.items():
        shown = [f"{value:,.{digits}f}" for value in (medians[name], min(values), max(values))]
        lines.append((name, *shown, f"{medians[name] / floor:.2f}"))
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    rows = [
        "  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])])
        for line in lines
    ]
    rule = "-" * len(rows[0])
    rounds = len(next(iter(figures.values())))
    versions = f"textgym {textgym._version.__version__}, gymnasium {gymnasium.__version__}"
    machine = f"Python {platform.python_version()}, {os.cpu_count()} cores"
    below = f"{rounds} rounds; {versions}, {machine}"
    return "\n".join([rows[0], rule, *rows[1:], rule, below])


def ratio_line(figures: Figures, name: str, floor: str) -> str:
    """Return a line with the ratios of a case to another: their median, lowest and highest."""
    ratios = [mine / its for mine, its in zip(figures[name], figures[floor], strict=True)]
    spread = f"{min(ratios):.2f} to {max(ratios):.2f}"
    return f"{name} / {floor}: median {statistics.median(ratios):.2f}, {spread}"


def aim(what: str, figure: float, limit: float, unit: str, at_least: bool = False) -> str:
    """Return a line that compares a result with its target."""
    met = figure >= limit if at_least else figure < limit
    bound = "at least" if at_least else "under"
    verdict = "met" if met else "missed"
    digits = 3 if limit < 1 else 1
    return f"target: {what} {bound} {limit:,} {unit}; measured {figure:,.{digits}f}: {verdict}"


def shares_table(title: str, figures: Figures, least: float) -> str:
    """Return a table of shares of an ideal rate, and the target of the last case."""
    last = statistics.median(list(figures.values())[-1])
    below = aim(f"{list(figures)[-1]}, share of the ideal rate", last, least, "", at_least=True)
    return f"{table(title, figures, digits=3)}\n{below}\n"


def check_run(run: textgym.Run, episodes: int) -> None:
    """Exit if a run did not play all episodes without failures."""
    figures = run.metrics["overall"]
    if figures["episodes"] != episodes or figures["failures"]:
        raise SystemExit(f"{figures['episodes']} episodes, {figures['failures']} of them failed")


def memory_of_episodes(count: int, id: str, **kwargs: Any) -> float:
    """Return the MiB that so many begun episodes of an environment need at once."""
    tracemalloc.start()
    live = [gymnasium.make(id, **kwargs) for _ in range(count)]
    for seed, env in enumerate(live):
        env.reset(seed=seed)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 2**20


def write_rows(folder: str, count: int, id: str = "textgym/MCQA-v0") -> str:
    """Write generated rows, multiple-choice by default, to a .jsonl file and return its path."""
    env: Any = gymnasium.make(id).unwrapped
    path = Path(folder) / "rows.jsonl"
    path.write_text("".join(json.dumps(env.get_task(i).row) + "\n" for i in range(count)))
    return str(path)
