"""Draw figures of one or more histories that `textgym.training.History` wrote.

    python examples/plot_history.py runs/smollm2/*.jsonl --show held_out/success --out curves.png

Each figure has a panel, and each history a line. Bounds that are called `NAME_low` and `NAME_high`
are drawn as bars. It needs matplotlib, from the extra `dev`.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from textgym.errors import UsageError
from textgym.training import read_history

__all__ = ["draw", "main"]

COLOURS = ("#2171b5", "#d94801", "#238b45", "#6a51a3", "#636363")


def draw(
    paths: Sequence[Path], shown: Sequence[str], place: Path, ceiling: float | None = None
) -> None:
    """Draw a panel for each figure.

    Args:
        paths: The histories.
        shown: The names of the figures.
        place: The picture.
        ceiling: Where to draw a dashed line in the first panel.

    Raises:
        UsageError: No history has one of the figures.
    """
    histories = {path.stem: read_history(path) for path in paths}
    size = (7.5, 4.2) if len(shown) == 1 else (5.2 * len(shown), 4.0)
    figure, panels = plt.subplots(1, len(shown), figsize=size, dpi=120, layout="constrained")
    for axes, name in zip([panels] if len(shown) == 1 else panels, shown, strict=True):
        if not any(name in line for lines in histories.values() for line in lines):
            known = sorted({key for lines in histories.values() for line in lines for key in line})
            raise UsageError(f"no history has the figure {name!r}; there are {', '.join(known)}")
        for (label, lines), colour in zip(histories.items(), COLOURS, strict=False):
            _draw_line(axes, lines, name, label, colour)
        axes.set(xlabel="step", ylabel=name)
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(axis="y", alpha=0.25)
        axes.margins(x=0.02)
    first = figure.axes[0]
    if ceiling is not None:
        first.axhline(ceiling, color="#444444", linestyle="--", linewidth=1)
        first.set_ylim(-0.02, 1.02)
    if len(histories) > 1:
        handles, labels = first.get_legend_handles_labels()
        figure.legend(handles, labels, frameon=False, ncols=len(labels), loc="outside lower center")
    place.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(place)


def _draw_line(axes: Any, lines: Sequence[Any], name: str, label: str, colour: str) -> None:
    known = [line for line in lines if line.get(name) is not None]
    steps, values = [line["step"] for line in known], [line[name] for line in known]
    marker = "o" if len(steps) < 30 else ""
    axes.plot(steps, values, color=colour, linewidth=1.5, label=label, marker=marker)
    low, high = f"{name}_low", f"{name}_high"
    bars = [line for line in known if low in line and high in line]
    axes.vlines(
        [line["step"] for line in bars],
        [line[low] for line in bars],
        [line[high] for line in bars],
        color=colour,
        alpha=0.5,
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw histories."""
    parser = argparse.ArgumentParser(description="Draw figures of histories.")
    parser.add_argument("histories", type=Path, nargs="+")
    parser.add_argument("--show", nargs="+", default=["reward"], help="names of figures")
    parser.add_argument("--ceiling", type=float, help="a dashed line in the first panel")
    parser.add_argument("--out", type=Path, help="by default the first file's name with .png")
    asked = parser.parse_args(arguments)
    place = asked.out or asked.histories[0].with_suffix(".png")
    draw(asked.histories, asked.show, place, asked.ceiling)
    print(f"The figures are drawn in {place}.")
    return 0


if __name__ == "__main__":
    main()
