"""Mathematical answers checked per second, beside forking a process for each check.

The right answers come from MATH if the shared data is available, and are made up otherwise. Each is
compared with itself, itself in another form, another answer, or prose, in texts that never repeat.
"""

from __future__ import annotations

import itertools
import json
import logging
import os
import random
import re
import statistics
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from measure import aim, asked_quick, measure, table

from textgym.verifiers.math import verify

MATH = Path(__file__).resolve().parents[2] / "shared" / "data" / "math" / "math-500-a.jsonl"
CORES = len(os.sched_getaffinity(0))
THREADS = 64
WAYS = itertools.count()

Pair = tuple[str, str]


def golds() -> list[str]:
    """Return the answers of MATH, or made-up ones of the same kinds."""
    if MATH.is_file():
        return [json.loads(line)["answer"] for line in MATH.read_text("utf-8").splitlines()]
    rng = random.Random(0)
    forms = ["{}"] * 6 + ["\\frac{{{}}}{{7}}", "{}\\sqrt{{2}}", "(3,{}]", "{}x + 5", "{}\\pi"]
    return [rng.choice(forms).format(rng.randint(-99, 999)) for _ in range(500)]


def other_form(gold: str) -> str:
    """Return an equal form of a whole number or a fraction, and anything else unchanged."""
    if re.fullmatch(r"-?\\d?frac\{\d+\}\{\d+\}", gold):
        return f"1 \\cdot {gold}" if not gold.startswith("-") else f"0 {gold}"
    return f"\\frac{{{2 * int(gold)}}}{{2}}" if re.fullmatch(r"-?\d+", gold) else gold


def pairs(golds: list[str], count: int) -> list[Pair]:
    """Return pairs of a right answer and a reply."""
    rng = random.Random(next(WAYS))
    found = []
    for _ in range(count):
        gold = rng.choice(golds)
        said = rng.choice([gold, other_form(gold), rng.choice(golds), "hard to say"])
        found.append((gold, f"Way {next(WAYS)}, step by step, leads to \\boxed{{{said}}}."))
    return found


def plain() -> Callable[[Pair], bool]:
    """Return math-verify's own check, with its default limits."""
    from math_verify import parse
    from math_verify import verify as compare
    from math_verify.parser import ExprExtractionConfig, LatexExtractionConfig

    logging.getLogger("math_verify").setLevel(logging.CRITICAL)
    latex = LatexExtractionConfig()

    def check(pair: Pair) -> bool:
        gold = parse(f"\\boxed{{{pair[0]}}}", (latex,))
        answer = parse(pair[1], (ExprExtractionConfig(), latex))
        return bool(compare(gold, answer, 6))

    return check


def forked(check: Callable[[Pair], bool], todo: list[Pair]) -> None:
    """Check each pair in a process of its own, with one process per core at a time."""
    running = 0
    for pair in todo:
        if running == CORES:
            os.wait()
            running -= 1
        if os.fork() == 0:
            try:
                check(pair)
            finally:
                os._exit(0)
        running += 1
    for _ in range(running):
        os.wait()


def one_by_one(check: Callable[[Pair], bool], todo: list[Pair]) -> None:
    """Check all pairs in this process."""
    for pair in todo:
        check(pair)


def through_textgym(todo: list[Pair]) -> None:
    """Check all pairs from many threads."""
    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(lambda pair: verify(*pair), todo))


def rate(work: Callable[[list[Pair]], None], golds: list[str], count: int) -> float:
    """Return the checks per second."""
    todo = pairs(golds, count)
    begun = time.perf_counter()
    work(todo)
    return count / (time.perf_counter() - begun)


def main() -> None:
    """Measure, and print the table."""
    rounds, count = (3, 150) if asked_quick(__doc__) else (7, 400)
    known, check = golds(), plain()
    others = [gold for gold in known if not re.fullmatch(r"-?\d+", gold)]
    check(("1", "1"))
    figures = measure(
        {
            "a process for each (the floor)": lambda: rate(
                partial(forked, check), known, count // 5
            ),
            "math-verify in this process": lambda: rate(partial(one_by_one, check), known, count),
            "textgym, 64 threads": lambda: rate(through_textgym, known, 5 * count),
            "textgym, no whole numbers": lambda: rate(through_textgym, others, count),
            "math-verify, no whole numbers": lambda: rate(
                partial(one_by_one, check), others, count
            ),
        },
        rounds,
    )
    print(table("checks per second", figures))
    medians = {name: statistics.median(values) for name, values in figures.items()}
    floor = medians["a process for each (the floor)"]
    times = medians["textgym, 64 threads"] / floor
    print(aim("textgym over the floor", times, 10, "times", at_least=True))


if __name__ == "__main__":
    main()
