"""Draw figures of one or more histories that `textgym.training.History` wrote.

    python examples/plot_history.py runs/smollm2/*.jsonl --show held_out/success --out curves.png

Each figure has a panel, and each history a line. Bounds are drawn as a band around it: for
`held_out/success` they are `held_out/success_low` and `held_out/success_high`, and for
`validation/episodes/success` they are `validation/success_low` and `validation/success_high`.
It needs matplotlib, from the extra `dev`.
"""

from __future__ import annotations

import argparse
import itertools
import math
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
STYLES = [(colour, dashes) for dashes in ("-", "--", ":", "-.") for colour in COLOURS]
COLUMNS = 3  # of panels, at most


def draw(
    paths: Sequence[Path],
    shown: Sequence[str],
    place: Path,
    ceiling: float | None = None,
    smooth: int = 1,
) -> None:
    """Draw a panel for each figure.

    Args:
        paths: The histories.
        shown: The names of the figures.
        place: The picture.
        ceiling: Where to draw a dashed line in the first panel.
        smooth: How many values of a line the mean is taken over.

    Raises:
        UsageError: No history has one of the figures.
    """
    histories = [sorted(read_history(path), key=lambda line: line["step"]) for path in paths]
    _check_known(shown, histories)
    labels = names_of(paths)
    rows, columns = _grid(len(shown), COLUMNS)
    width, height = (7.5, 4.0) if len(shown) == 1 else (5.2 * columns, 3.8 * rows)
    longest = max(map(len, labels))
    label_rows, label_columns = _grid(len(labels), int(width / (0.7 + 0.09 * longest)))
    size = width, height + 0.21 * label_rows
    figure = plt.figure(figsize=size, dpi=120, layout="constrained")
    for number, name in enumerate(shown, 1):
        _draw_panel(figure.add_subplot(rows, columns, number), histories, name, smooth)
    first = figure.axes[0]
    if len(histories) > 1:
        lines, place_below = list(first.lines), "outside lower center"
        figure.legend(lines, labels, frameon=False, ncols=label_columns, loc=place_below)
    if ceiling is not None:
        first.axhline(ceiling, color="#444444", linestyle="--", linewidth=1)
        low, high = first.get_ylim()
        first.set_ylim(min(low, -0.02), max(high, 1.02))
    place.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(place)
    plt.close(figure)


def names_of(paths: Sequence[Path]) -> list[str]:
    """Return the shortest ends of the paths that tell them apart, without suffix.

    Example:
        >>> names_of([Path("runs/a/history.jsonl"), Path("runs/b/history.jsonl")])
        ['a/history', 'b/history']
    """
    parts = [path.absolute().with_suffix("").parts for path in paths]
    for length in range(1, max(map(len, parts))):
        names = ["/".join(some[-length:]) for some in parts]
        if len(set(names)) == len(names):
            return names
    return [str(path) for path in paths]


def _check_known(shown: Sequence[str], histories: Sequence[Any]) -> None:
    known = {name for lines in histories for line in lines for name in line}
    for name in shown:
        if name not in known:
            there = ", ".join(sorted(known - {"step"})) or "none"
            raise UsageError(f"no history has the figure {name!r}; there are {there}")


def _draw_panel(axes: Any, histories: Sequence[Any], name: str, smooth: int) -> None:
    for lines, (colour, dashes) in zip(histories, itertools.cycle(STYLES)):
        known = [line for line in lines if line.get(name) is not None]
        _draw_line(axes, known, name, smooth, color=colour, linestyle=dashes)
    axes.set(xlabel="step", ylabel=name)
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", alpha=0.25)
    axes.margins(x=0.02)


def _draw_line(axes: Any, lines: Sequence[Any], name: str, smooth: int, **look: str) -> None:
    """Draw a figure by step, and the band of its bounds where they are known."""
    steps, values = [line["step"] for line in lines], [line[name] for line in lines]
    windows = [values[max(0, end - smooth) : end] for end in range(1, len(values) + 1)]
    means = [sum(window) / len(window) for window in windows]
    axes.plot(steps, means, linewidth=1.5, marker="o" if len(steps) < 30 else "", **look)
    low, high = (f"{name.replace('episodes/', '')}_{bound}" for bound in ("low", "high"))
    bounded = [line for line in lines if None not in (line.get(low), line.get(high))]
    axes.fill_between(
        [line["step"] for line in bounded],
        [line[low] for line in bounded],
        [line[high] for line in bounded],
        color=look["color"],
        alpha=0.15,
        linewidth=2,  # a single step has no area
    )


def _grid(count: int, columns: int) -> tuple[int, int]:
    """Return the fewest rows that have room for so many things, and the fewest columns then."""
    rows = math.ceil(count / max(columns, 1))
    return rows, math.ceil(count / rows)


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw histories."""
    parser = argparse.ArgumentParser(description="Draw figures of histories.")
    parser.add_argument("histories", type=Path, nargs="+")
    parser.add_argument("--show", nargs="+", default=["reward"], help="names of figures")
    parser.add_argument("--ceiling", type=float, help="a dashed line in the first panel")
    parser.add_argument("--smooth", type=int, default=1, help="draw means of so many values")
    parser.add_argument("--out", type=Path, help="by default the first file's name with .png")
    asked = parser.parse_args(arguments)
    place = asked.out or asked.histories[0].with_suffix(".png")
    draw(asked.histories, asked.show, place, asked.ceiling, max(asked.smooth, 1))
    print(f"The figures are drawn in {place}.")
    return 0


if __name__ == "__main__":
    main()
