"""Episodes per second through `openai:` with a server that takes 200 ms, beside bare aiohttp."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import aiohttp
import gymnasium
import orjson
from loopback_server import loopback_server
from measure import Figures, aim, asked_quick, check_run, measure, table, write_rows

import textgym

ID = "textgym/MCQA-v0"
SECONDS = 0.2
TASKS = 1000
SETTINGS = {512: 0.8, 2048: 0.65}  # concurrency: target


def through_rollout(
    address: str, dataset: str, concurrency: int, count: int, folders: Iterator[Path]
) -> float:
    """Return the episodes per second of a rollout."""
    begun = time.perf_counter()
    run = textgym.rollout(
        ID,
        f"openai:loopback@{address}",
        episodes=TASKS,
        repeats=count // TASKS,
        concurrency=concurrency,
        env_kwargs={"dataset": dataset},
        out=next(folders),
    )
    seconds = time.perf_counter() - begun
    check_run(run, count)
    return count / seconds


def through_aiohttp(address: str, bodies: list[bytes], concurrency: int, count: int) -> float:
    """Return the requests per second of a bare client that sends the same questions."""
    queue = iter(range(count))

    async def worker(session: aiohttp.ClientSession) -> None:
        for number in queue:
            body = bodies[number % len(bodies)]
            async with session.post(f"{address}/chat/completions", data=body) as response:
                orjson.loads(await response.read())["choices"][0]["message"]["content"]

    async def workers() -> None:
        async with aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0),
            headers={"Content-Type": "application/json"},
        ) as session:
            await asyncio.gather(*(worker(session) for _ in range(concurrency)))

    begun = time.perf_counter()
    asyncio.run(workers())
    return count / (time.perf_counter() - begun)


def request_bodies(dataset: str) -> list[bytes]:
    """Return the body of a request for each row."""
    env: Any = gymnasium.make(ID, dataset=dataset).unwrapped
    return [
        orjson.dumps(
            {
                "model": "loopback",
                "messages": list(env.get_task(index).messages),
                "temperature": 1.0,
                "top_p": 1.0,
                "max_tokens": 512,
                "seed": index,
            }
        )
        for index in range(TASKS)
    ]


@contextlib.contextmanager
def cases(folder: str, concurrency: int, waves: int) -> Iterator[dict[str, Callable[[], float]]]:
    """Start the server; yields the floor and the rollout for a concurrency."""
    dataset = write_rows(folder, TASKS)
    bodies = request_bodies(dataset)
    folders = (Path(folder) / f"run-{concurrency}-{number}" for number in itertools.count())
    count = concurrency * waves // TASKS * TASKS
    with loopback_server(SECONDS) as address:
        yield {
            "bare aiohttp (the floor), requests": lambda: through_aiohttp(
                address, bodies, concurrency, count
            ),
            "textgym.rollout, episodes": lambda: through_rollout(
                address, dataset, concurrency, count, folders
            ),
        }


def main() -> None:
    """Measure, and print a table for each concurrency."""
    rounds, waves = (1, 5) if asked_quick(__doc__) else (5, 10)
    with tempfile.TemporaryDirectory() as folder:
        for concurrency, least in SETTINGS.items():
            with cases(folder, concurrency, waves) as both:
                figures = measure(both, rounds)
            print(table(f"per second, {concurrency:,} concurrent", figures, digits=0))
            ratio = median_of_pairs(figures)
            print(aim("rollout / bare aiohttp", ratio, least, "", at_least=True), "\n", flush=True)


def median_of_pairs(figures: Figures) -> float:
    """Return the median ratio of the rollout to the floor, round by round."""
    bare, ours = figures.values()
    return statistics.median(mine / floor for floor, mine in zip(bare, ours, strict=True))


if __name__ == "__main__":
    main()
