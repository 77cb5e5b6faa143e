"""The memory of 4,096 MCQA episodes that wait for a policy, in addition to the imports."""

from __future__ import annotations

import statistics
import subprocess
import sys

from measure import aim, asked_quick, measure, table

EPISODES = 4096
WAITING = f"""
import asyncio, resource, textgym
from textgym.policies import Policy

def mebibytes():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

class Silent(Policy):
    async def act(self, messages, tools, *, prior=None, seed=None):
        global waiting
        waiting += 1
        if waiting == {EPISODES}:
            print(mebibytes() - before)
            raise SystemExit
        await asyncio.Event().wait()

textgym.rollout("textgym/MCQA-v0", "random", episodes=1)
before, waiting = mebibytes(), 0
textgym.rollout("textgym/MCQA-v0", Silent(), episodes={EPISODES}, concurrency={EPISODES})
"""
COROUTINES = f"""
import asyncio, resource, textgym

def mebibytes():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

textgym.rollout("textgym/MCQA-v0", "random", episodes=1)
before = mebibytes()

async def wait():
    tasks = [asyncio.create_task(asyncio.Event().wait()) for _ in range({EPISODES})]
    await asyncio.sleep(0.1)
    print(mebibytes() - before)
    raise SystemExit

asyncio.run(wait())
"""


def mebibytes(code: str) -> float:
    """Return the memory that code prints, in a new process."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return float(done.stdout)


def main() -> None:
    """Measure, and print the table."""
    rounds = 1 if asked_quick(__doc__) else 5
    ours = f"textgym.rollout, {EPISODES:,} episodes"
    figures = measure(
        {
            f"{EPISODES:,} coroutines that wait (the floor)": lambda: mebibytes(COROUTINES),
            ours: lambda: mebibytes(WAITING),
        },
        rounds,
    )
    print(table("MiB beyond the import", figures))
    print(aim("4,096 episodes that wait", statistics.median(figures[ours]), 100, "MiB"))


if __name__ == "__main__":
    main()
