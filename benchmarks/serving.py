"""Episodes a second of `textgym serve` with many clients, beside the same episodes in one process.

    python benchmarks/serving.py

Clients speak OpenEnv's protocol over WebSockets of this machine. The server is another process.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import statistics
import subprocess
import sys
import time

import aiohttp

from textgym.registry import make

ENV = "textgym/MCQA-v0"
ANSWER = r"\boxed{A}"


async def client(url: str, episodes: int) -> None:
    """Play episodes in one session."""
    async with aiohttp.ClientSession() as http, http.ws_connect(f"{url}/ws") as socket:
        for index in range(episodes):
            await socket.send_str(json.dumps({"type": "reset", "data": {"index": index}}))
            await socket.receive_str()
            await socket.send_str(json.dumps({"type": "step", "data": {"content": ANSWER}}))
            reply = json.loads(await socket.receive_str())
            assert reply["data"]["done"], reply


def served(url: str, clients: int, episodes: int) -> float:
    """Return the episodes a second of clients that play at once."""

    async def play() -> None:
        await asyncio.gather(*(client(url, episodes) for _ in range(clients)))

    began = time.perf_counter()
    asyncio.run(play())
    return clients * episodes / (time.perf_counter() - began)


def direct(episodes: int) -> float:
    """Return the episodes a second of one environment in this process."""
    env = make(ENV, split="test").unwrapped
    began = time.perf_counter()
    for index in range(episodes):
        env.reset(options={"index": index % 500})
        env.step(ANSWER)
    return episodes / (time.perf_counter() - began)


def main() -> None:
    """Print medians and spreads of several rounds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=12)
    parser.add_argument("--episodes", type=int, default=200, help="of each client")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    command = [sys.executable, "-um", "textgym", "serve", ENV, "--port", "0", "--split", "test"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout
        url = re.search(r"http://\S+(?=;)", process.stdout.readline())
        assert url, "the server did not start"
        served(url[0], options.clients, 20)
        rounds = [
            (served(url[0], options.clients, options.episodes), direct(2000))
            for _ in range(options.rounds)
        ]
    finally:
        process.terminate()
        process.wait()
    for name, rates in zip((f"{options.clients} clients", "in process"), zip(*rounds, strict=True),
                           strict=True):  # fmt: skip
        low, middle, high = min(rates), statistics.median(rates), max(rates)
        print(f"{name:12} {middle:8.0f} episodes/s  ({low:.0f} to {high:.0f})")
    ratio = statistics.median(served / alone for served, alone in rounds)
    print(f"{'ratio':12} {ratio:8.3f}")


if __name__ == "__main__":
    main()
