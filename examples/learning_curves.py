"""Draw the curves that `reinforce.py`, `reward_design.py` and `reward_hacking.py` wrote.

    python examples/learning_curves.py runs/learning/guess.json

writes `guess.png` beside it, or the file of `--out`. It needs matplotlib, from the extra `dev`.
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
COLOURS = {
    "with feedback": "#2171b5",
    "without feedback": "#d94801",
    "sparse": "#2171b5",
    "progress": "#238b45",
    "farmed": "#d94801",
    "no guard": "#d94801",
    "with a KL penalty": "#2171b5",
    "with a price of length": "#238b45",
}
PANELS = {
    "rewards": ("reward", "mean reward"),
    "successes": ("success", "success rate"),
    "held_out": ("held_out", "held-out score"),
    "words": ("word", "words of a reply"),
}


def draw(curves: dict[str, Any], place: Path, show: list[str]) -> None:
    """Draw what each run reached in each step, with the evaluations as dots.

    Args:
        curves: What a training example wrote.
        place: The file.
        show: The panels, keys of `PANELS`.
    """
    size = (8, 4.5) if len(show) == 1 else (5 * len(show), 4)
    figure, panels = plt.subplots(1, len(show), figsize=size, dpi=120, layout="constrained")
    names = list(dict.fromkeys(run["name"] for run in curves["runs"]))
    for axes, what in zip([panels] if len(show) == 1 else panels, show, strict=True):
        for run in curves["runs"]:
            _draw_run(axes, run, what, COLOURS[run["name"]])
        axes.set(ylabel=PANELS[what][1], xlabel="step (96 episodes each)")
        axes.margins(x=0.01)
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(axis="y", alpha=0.25)
        if what == "successes":
            axes.set_ylim(-0.02, 1.02)
            if "ceiling" in curves:
                _draw_ceiling(axes, curves["ceiling"])
    lines = [plt.Line2D([], [], color=COLOURS[name], linewidth=2) for name in names]
    figure.legend(lines, names, frameon=False, ncols=len(names), loc="outside lower center")
    figure.suptitle(f"{curves.get('algorithm', 'REINFORCE')} on {curves['title']}", fontsize=11)
    place.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(place)


def _draw_run(axes: Any, run: dict[str, Any], what: str, colour: str) -> None:
    values = run[what]
    windows = [values[max(0, end - WINDOW) : end] for end in range(1, len(values) + 1)]
    means = [sum(window) / len(window) for window in windows]
    axes.plot(range(1, len(values) + 1), means, color=colour, alpha=0.85, linewidth=1.6)
    ends = [run[when][PANELS[what][0]] for when in ("first", "last")]
    axes.plot([0, len(values) + 1], ends, "o", color=colour, markeredgecolor="white", clip_on=False)


def _draw_ceiling(axes: Any, ceiling: float) -> None:
    axes.axhline(ceiling, color="#444444", linestyle="--", linewidth=1)
    axes.annotate(
        f"the most without using the feedback: {ceiling:.3f}",
        (1, ceiling),
        xytext=(2, 4),
        textcoords="offset points",
        color="#444444",
        fontsize=9,
        bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1},
    )


def main() -> None:
    """Draw the curves of a file."""
    parser = argparse.ArgumentParser(description="Draw learning curves.")
    parser.add_argument("curves", type=Path)
    parser.add_argument("--show", nargs="+", choices=list(PANELS), default=["successes"])
    parser.add_argument("--out", type=Path, help="by default the file's name with .png")
    asked = parser.parse_args()
    place = asked.out or asked.curves.with_suffix(".png")
    draw(json.loads(asked.curves.read_text()), place, asked.show)
    print(f"Curves: {place}")


if __name__ == "__main__":
    main()
