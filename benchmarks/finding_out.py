"""Environments in which the model must find out: opening episodes, a search, and memory.

Opening an episode draws a task of the train split and resets; the worlds are drawn before. The
floor is an episode of WorkplaceAssistant, whose companies two of them share.
"""

from __future__ import annotations

import itertools
import statistics
import time
from collections.abc import Callable

import gymnasium
from measure import aim, asked_quick, measure, memory_of_episodes, per_call, table

from textgym.envs.search.world import Archive, archive

FLOOR = "textgym/WorkplaceAssistant-v0"
ENVS = ("textgym/AskFirst-v0", "textgym/MultiIntent-v0", "textgym/Contingency-v0")
DOCUMENTS = 5000
LIVE = 10_000


def opening(id: str, count: int) -> Callable[[], float]:
    """Return a case: the milliseconds to open an episode in a world that exists."""
    env = gymnasium.make(id).unwrapped
    indices = itertools.count()
    for _ in range(500):  # draws the worlds
        env.reset(options={"index": next(indices)})
    return lambda: 1e3 * per_call(lambda: env.reset(options={"index": next(indices)}), count)


def archives(seed: int) -> tuple[float, float]:
    """Return the CPU seconds to draw an archive, and to make its index."""
    begun = time.process_time()
    made = Archive(seed, DOCUMENTS)
    drawn = time.process_time()
    made.index.search("warm up")
    return drawn - begun, time.process_time() - drawn


def searching(count: int) -> dict[str, Callable[[], float]]:
    """Return cases: the milliseconds of a search, and of reading all documents instead."""
    made = archive(0, DOCUMENTS)
    made.index.search("warm up")
    names = itertools.cycle(made.things)
    texts = [document.text for document in made.documents.values()]

    def read_all() -> None:
        name = next(names)
        sum(name in text for text in texts)

    return {
        "a name in all documents (the floor)": lambda: 1e3 * per_call(read_all, count),
        "search": lambda: 1e3 * per_call(lambda: made.index.search(next(names)), count),
        "search for a sentence": lambda: (
            1e3 * per_call(lambda: made.index.search(f"{next(names)}, the mayor of a town"), count)
        ),
    }


def main() -> None:
    """Measure, and print the tables."""
    quick = asked_quick(__doc__)
    rounds, count = (3, 50) if quick else (9, 300)
    figures = measure({id: opening(id, count) for id in (FLOOR, *ENVS)}, rounds)
    print(table("milliseconds to open an episode", figures, 3))
    for id in ENVS:
        print(aim(f"{id}, opening", statistics.median(figures[id]), 1, "ms"))
    print()
    drawn = [archives(seed) for seed in range(1, rounds + 1)]
    for what, limit, spent in zip(
        ("an archive", "its index"), (20, 50), zip(*drawn, strict=True), strict=True
    ):
        print(
            aim(f"{what} of {DOCUMENTS:,} documents", 1e3 * statistics.median(spent), limit, "ms")
        )
    figures = measure(searching(count), rounds)
    print(table(f"milliseconds to search {DOCUMENTS:,} documents", figures, 3))
    print(
        aim("search for a sentence", statistics.median(figures["search for a sentence"]), 5, "ms")
    )
    print()
    if not quick:
        for id in (*ENVS, "textgym/Search-v0"):
            needed = memory_of_episodes(LIVE, id)
            print(aim(f"{id}, {LIVE:,} episodes at once", needed, 1024, "MiB"))


if __name__ == "__main__":
    main()
