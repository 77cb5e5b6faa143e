"""Evaluate a small language model on multiple-choice questions.

It answers 32 questions without examples and with four of them in the chat, beside a random policy
and the oracle. Run it with `make demo`, or `python examples/demo.py`.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from rich.console import Console

import textgym
from textgym.cli.output.tables import metrics_table
from textgym.policies import Policy
from textgym.trajectories.schema import Trajectory

QUESTIONS = 32  # a batch of the model
RUNS = Path("runs") / "demo"


async def main() -> None:
    """Play the four runs and print one table."""
    console = Console()
    console.print(
        f"SmolLM2-135M answers {QUESTIONS} questions of textgym/MCQA-v0 (test split, at most 64 "
        "new tokens), without examples (0 shots) and with four of them in the chat (4 shots).\n"
    )
    model = textgym.make_policy("hf", {"temperature": 0, "max_tokens": 64})
    players: list[tuple[str, str | Policy, int]] = [
        ("oracle", "oracle", 0),
        ("random", "random", 0),
        ("0 shots", model, 0),
        ("4 shots", model, 4),
    ]
    rows = []
    for name, policy, shots in players:
        done = 0

        def count(trajectory: Trajectory, name: str = name) -> None:
            nonlocal done
            done += 1
            if done % 16 == 0:
                console.print(f"{name}: {done} of {QUESTIONS} episodes")

        run = await textgym.arollout(
            "textgym/MCQA-v0",
            policy,
            episodes=QUESTIONS,
            env_kwargs={"split": "test", "shots": shots},
            out=_fresh(RUNS / name.replace(" ", "-").replace(",", "")),
            on_episode=count,
        )
        rows.append((name, run.metrics["overall"]))
    await model.close()
    console.print()
    console.print(metrics_table(rows))
    console.print(
        "\nChance is 25 %, and a model with 135 million parameters should be close to it. Without "
        "examples it rarely writes its answer in a box, as the column `no answer` shows."
    )
    console.print(f"The episodes are in {RUNS}.")


def _fresh(folder: Path) -> Path:
    """Delete the files of an earlier run of this example."""
    for file in folder.glob("*"):
        file.unlink()
    return folder


if __name__ == "__main__":
    asyncio.run(main())
