"""The cost of WorkplaceAssistant: begin, grade, search, generate tasks, and memory."""

from __future__ import annotations

import copy
import json
import resource
import statistics
import tempfile
from collections.abc import Callable
from itertools import count as counter
from pathlib import Path
from typing import Any

from measure import aim, asked_quick, measure, per_call, table

from textgym.envs.office.company.world import company
from textgym.envs.office.workplace import WorkplaceAssistant
from textgym.messages import assistant_calls

ROWS, LIVE = 200, 10_000
SEARCHES = {
    "search e-mails": ("email_search_emails", {"query": "task update"}),
    "search events": ("calendar_search_events", {"time_min": "2024-01-01 00:00:00"}),
    "search tasks": ("project_management_search_tasks", {"list_name": "review"}),
    "search customers": ("customer_relationship_manager_search_customers", {"status": "lead"}),
}


def write_rows(folder: str) -> str:
    """Write generated rows about one company to a .jsonl file and return its path."""
    env = WorkplaceAssistant(worlds=1)
    path = Path(folder) / "rows.jsonl"
    path.write_text("".join(json.dumps(env.get_task(i).row) + "\n" for i in range(ROWS)))
    return str(path)


def milliseconds(work: Callable[[], object], calls: int) -> Callable[[], float]:
    """Return a case: the milliseconds per call."""
    return lambda: per_call(work, calls) * 1e3


def searches(env: WorkplaceAssistant, count: int) -> dict[str, Callable[[], float]]:
    """Return a case for each search."""

    def search(name: str, arguments: dict[str, Any]) -> Callable[[], float]:
        return milliseconds(lambda: env.toolbox().call(env, name, arguments), count)

    return {what: search(*call) for what, call in SEARCHES.items()}


def drawing(rounds: int) -> dict[str, list[float]]:
    """Measure generating a company, and a task about one that was generated before."""
    seeds, indices, env = counter(10**6), counter(), WorkplaceAssistant()
    for index in range(200):
        env.get_task(index)
    cases = {
        "draw a company": milliseconds(lambda: company(next(seeds)), 5),
        "draw a task": milliseconds(lambda: env.get_task(next(indices)), 50),
    }
    return measure(cases, rounds)


def live_episodes(path: str) -> float:
    """Return the MiB of many concurrent episodes, each with some changes."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    envs = [WorkplaceAssistant(dataset=path) for _ in range(LIVE)]
    for number, env in enumerate(envs):
        env.reset(options={"index": number % ROWS})
        if env.task.answer:
            env.step(assistant_calls(*env.task.answer))
    return (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024


def main() -> None:
    """Measure, and print the table."""
    rounds, count = (3, 50) if asked_quick(__doc__) else (9, 500)
    with tempfile.TemporaryDirectory() as folder:
        path = write_rows(folder)
        env, finished = WorkplaceAssistant(dataset=path), WorkplaceAssistant(dataset=path)
        env.reset(seed=0)
        longest = max(range(ROWS), key=lambda index: len(env.get_task(index).answer))
        finished.reset(options={"index": longest})
        finished.step(assistant_calls(*finished.task.answer))
        rows = {name: records.rows for name, records in env.database.records.items()}
        figures = measure(
            {
                "a copy of all tables (the floor)": milliseconds(lambda: copy.deepcopy(rows), 5),
                "open an episode": milliseconds(env.reset, count),
                "grade the longest one": milliseconds(finished.grade, count),
                **searches(env, count),
            },
            rounds,
        )
        memory = live_episodes(path)
    print(table("milliseconds", figures | drawing(rounds), digits=3))
    for name, values in list(figures.items())[1:]:
        print(aim(name, statistics.median(values), 1, "ms"))
    print(aim(f"{LIVE:,} episodes at once", memory, 1000, "MiB"))


if __name__ == "__main__":
    main()
