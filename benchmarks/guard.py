"""Check that no ratio is more than 0.1 below its target; exits with 1 if one is.

Each ratio is the median of five interleaved pairs of measurements.
"""

from __future__ import annotations

import dataclasses
import functools
import statistics
import sys
import tempfile

import remote
import vector
import waiting
from measure import measure, write_rows

PAIRS = 5
SLACK = 0.1
ROUNDS = 3  # of the settings that wait a second or more
WAVES = 8
STEPS = 100


def main() -> None:
    """Measure all ratios, and print a line for each."""
    held = [*_vectors(), *_waiting(), *_remote()]
    sys.exit(0 if all(held) else 1)


def _vectors() -> list[bool]:
    talk = functools.partial(vector.Talk, turns=25)
    ratio = vector.ratio(measure(vector.both_vectors(talk, STEPS), PAIRS))
    return [_line("vector steps with 50 messages, relative to SyncVectorEnv", ratio, 1.0)]


def _waiting() -> list[bool]:
    held = []
    with tempfile.TemporaryDirectory() as folder:
        dataset = write_rows(folder, waiting.TASKS)
        for setting in waiting.SETTINGS:
            if setting.seconds >= 1:
                setting = dataclasses.replace(setting, rounds=ROUNDS)
            figures = measure(waiting.cases(setting, dataset, folder), PAIRS)
            ours = statistics.median(figures[waiting.ROLLOUT])
            held.append(_line(f"{setting.name}, share of the ideal rate", ours, setting.aim))
    return held


def _remote() -> list[bool]:
    held = []
    with tempfile.TemporaryDirectory() as folder:
        for concurrency, least in remote.SETTINGS.items():
            with remote.cases(folder, concurrency, WAVES) as both:
                ratio = remote.median_of_pairs(measure(both, PAIRS))
            held.append(
                _line(
                    f"{concurrency:,} concurrent through openai:, relative to aiohttp", ratio, least
                )
            )
    return held


def _line(name: str, ratio: float, wanted: float) -> bool:
    """Print a line; return whether the ratio is good enough."""
    held = ratio >= wanted - SLACK
    verdict = "ok" if held else "TOO LOW"
    print(f"{name}: {ratio:.3f}, at least {wanted - SLACK:.2f}: {verdict}", flush=True)
    return held


if __name__ == "__main__":
    main()
