"""CPU microseconds to grade a function call, beside parsing its arguments.

The call has a text, a number, a list and an object, as calls in BFCL do.
"""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable
from typing import Any

from measure import aim, asked_quick, measure, table

from textgym.envs.function_call import FunctionCall
from textgym.messages import assistant_calls

VALUES = {
    "destination": "St. Gallen",
    "passengers": 3,
    "prices": [12.5, 18.0, 21.0],
    "contact": {"name": "Ada Novak", "street": "Mill Lane", "number": 7},
}
SCHEMA = {
    "type": "dict",
    "required": list(VALUES),
    "properties": {
        "destination": {"type": "string"},
        "passengers": {"type": "integer"},
        "prices": {"type": "array", "items": {"type": "float"}},
        "contact": {"type": "dict"},
        "currency": {"type": "string", "default": "euros"},
    },
}
ACCEPTED = {
    "destination": ["Sankt Gallen", "St. Gallen"],
    "passengers": [3],
    "prices": [VALUES["prices"]],
    "contact": [{"name": ["Ada Novak"], "street": ["Mill Lane"], "number": [7]}],
    "currency": ["", "euros"],
}
TARGET = 200  # microseconds a call


def microseconds(work: Callable[[], object], calls: int, count: int) -> float:
    """Return the CPU time of a call."""
    begun = time.process_time()
    for _ in range(count):
        work()
    return (time.process_time() - begun) / (calls * count) * 1e6


def graded(calls: int, count: int, **changes: Any) -> float:
    """Return the CPU time of grading one of the calls of a message."""
    env = FunctionCall()
    truth = [{"book": {**ACCEPTED, "passengers": [place]}} for place in range(calls)]
    row = {
        "question": "Book it.",
        "function": [{"name": "book", "parameters": SCHEMA}],
        "ground_truth": truth,
    }
    env.reset(options={"task": row})
    made = [("book", {**VALUES, "passengers": place, **changes}) for place in range(calls)]
    _, reward, *_ = env.step(assistant_calls(*made))
    if reward != (not changes):
        raise SystemExit(f"the reward is {reward}")
    return microseconds(env.grade, calls, count)


def main() -> None:
    """Print the table and whether the target is met."""
    count = 2_000 if asked_quick(__doc__) else 20_000
    text = json.dumps(VALUES)
    cases: dict[str, Callable[[], float]] = {
        "json.loads of the arguments (the floor)": lambda: microseconds(
            lambda: json.loads(text), 1, count
        ),
        "one right call": lambda: graded(1, count),
        "one wrong call": lambda: graded(1, count, destination="Basel"),
        "each of four right calls": lambda: graded(4, count // 4),
        "each of sixteen right calls": lambda: graded(16, count // 16),
    }
    figures = measure(cases, rounds=3)
    print(table("CPU microseconds", figures))
    worst = max(statistics.median(values) for values in figures.values())
    print(aim("a graded call", worst, TARGET, "us"))


if __name__ == "__main__":
    main()
