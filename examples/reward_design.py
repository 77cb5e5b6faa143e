"""The same agent trains with three rewards: a sparse one, a dense one, and one that it farms.

The game is `textgym/GuessNumber-v0` with five numbers and eight turns. At first the agent says
random numbers from 1 to 20. `sparse` is the reward of the environment. `progress` adds a reward for
what each guess finds out. `farmed` adds half a point for every message with a number: the agent
learns to say numbers out of range, which end no game, so its reward rises while its success falls.

Run it with `make demo-rewards` or `python examples/reward_design.py`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any

from games import Game, guess
from reinforce import save_and_print, train_all

__all__ = ["REWARDS", "as_expected", "make_game"]

REWARDS = {
    "sparse": (),
    "progress": ("guess_rewards:ProgressReward:amount=1.0",),
    "farmed": ("guess_rewards:GuessBonus:amount=0.5",),
}
"""The wrappers of each reward, as text."""

LEAST_CHANGE = 0.15  # of the success rate


def make_game(reward: str) -> Game:
    """Return the game with one of the rewards."""
    return guess(True, highest=5, turns=8, imitated="games:AnyNumber", wrappers=REWARDS[reward])


def as_expected(run: Mapping[str, Any]) -> bool:
    """Return whether the reward rose, and the success with it, or against it if it was farmed."""
    gained = {what: run["last"][what] - run["first"][what] for what in ("reward", "success")}
    direction = -1 if run["name"] == "farmed" else 1
    return bool(gained["reward"] > 0 and direction * gained["success"] > LEAST_CHANGE)


def main() -> int:
    """Train with each reward, two at a time; return 1 if a result is not as expected."""
    parser = argparse.ArgumentParser(description="The same agent trains with three rewards.")
    parser.add_argument("--seeds", type=int, default=3, help="how many agents for each reward")
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--out", type=Path, default=Path("runs", "rewards", "curves.json"))
    asked = parser.parse_args()
    jobs = [
        (make_game(reward), reward, asked.steps, seed)
        for seed, reward in product(range(asked.seeds), REWARDS)
    ]
    runs = train_all(jobs)
    save_and_print(runs, asked.out, title=jobs[0][0].title)
    missed = [f"{run['name']}, seed {run['seed']}" for run in runs if not as_expected(run)]
    print("\nReward up, success up, or down if farmed:", "; ".join(missed) or "met")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
