"""Draw the learning curves that `reinforce.py` wrote.

    python examples/learning_curves.py runs/learning/curves.json

writes `curves.png` beside it, or the file of `--out`. It needs matplotlib, from the extra `dev`.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

__all__ = ["draw"]

WINDOW = 5  # steps of the moving average
COLOURS = {True: ["#08519c", "#3182bd", "#6baed6"], False: ["#a63603", "#e6550d", "#fd8d3c"]}


def draw(curves: dict[str, Any], place: Path) -> None:
    """Draw the mean reward of each step of agents and controls, with the evaluations as dots."""
    figure, axes = plt.subplots(figsize=(8, 4.5), dpi=120, layout="constrained")
    for run in curves["runs"]:
        rewards = run["rewards"]
        name = "with feedback" if run["feedback"] else "without feedback"
        colours = COLOURS[run["feedback"]]
        colour = colours[run["seed"] % len(colours)]
        windows = [rewards[max(0, end - WINDOW) : end] for end in range(1, len(rewards) + 1)]
        steps = range(1, len(rewards) + 1)
        axes.plot(steps, rewards, color=colour, alpha=0.2, linewidth=0.8)
        means = [sum(window) / len(window) for window in windows]
        axes.plot(steps, means, color=colour, linewidth=1.8, label=f"{name}, seed {run['seed']}")
        ends, evaluated = [0, len(rewards) + 1], [run["first"], run["last"]]
        axes.plot(ends, evaluated, "o", color=colour, markeredgecolor="white", clip_on=False)
    ceiling = curves["ceiling"]
    axes.axhline(ceiling, color="#444444", linestyle="--", linewidth=1)
    axes.annotate(
        f"the most without using the feedback: {ceiling:.3f}",
        (1, ceiling),
        xytext=(2, 4),
        textcoords="offset points",
        color="#444444",
        fontsize=9,
    )
    axes.set(ylabel="mean reward", ylim=(0.35, 1.02))
    axes.set_xlabel("step (96 episodes each); dots: evaluation, before and after")
    axes.set_title("REINFORCE on textgym/GuessNumber-v0, 3 numbers, 2 turns", fontsize=11)
    axes.margins(x=0.01)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", alpha=0.25)
    axes.legend(frameon=False, fontsize=8, loc="lower right", ncols=2)
    place.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(place)


def main() -> None:
    """Draw the curves of a file."""
    parser = argparse.ArgumentParser(description="Draw the learning curves of reinforce.py.")
    parser.add_argument("curves", type=Path)
    parser.add_argument("--out", type=Path, help="by default the file's name with .png")
    asked = parser.parse_args()
    place = asked.out or asked.curves.with_suffix(".png")
    draw(json.loads(asked.curves.read_text()), place)
    print(f"Curves: {place}")


if __name__ == "__main__":
    main()
