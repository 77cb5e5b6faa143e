"""The figures of reports: whatever the numbers are, they are drawn within the figure."""

from __future__ import annotations

import re

import numpy as np
import pytest
from html_reader import Reader
from hypothesis import given
from hypothesis import strategies as st

from textgym.report.charts import Curve, Point, counts_table, curves, histogram

numbers = st.floats(width=64) | st.integers(-5, 50).map(float)
drawn = st.floats(-1e99, 1e99) | st.integers(-5, 50).map(float)


def counted(figure: str) -> int:
    """Return how many values the bars of a histogram have."""
    titles = re.findall(r"<title>[^<]*: ([\d,]+) episodes</title>", figure)
    return sum(int(text.replace(",", "")) for text in titles)


def check_places(figure: str) -> None:
    for name, attributes in Reader(figure).elements:
        for key in ("x", "y", "cx", "cy", "width", "height", "x1", "x2"):
            text = attributes.get(key) or "0"
            assert re.fullmatch(r"-?[\d.]+%?", text), (name, attributes)
            assert -0.1 <= float(text.rstrip("%")) <= 400, (name, attributes)


@given(st.lists(numbers, max_size=60))
def test_a_histogram_has_every_number_once(values: list[float]) -> None:
    shown = [value for value in values if abs(value) < 1e100]
    figure = histogram("Reward", np.array(values))
    assert bool(figure) == bool(shown)
    assert counted(figure) == len(shown)
    check_places(figure)


@pytest.mark.parametrize(
    ("values", "labels"),
    [([0.0, 1.0, 1.0], ["0: 1", "1: 2"]), ([0.1, 0.1], ["0.1: 2"]),
     (list(range(40)), [f"{n} to {n + 2}: 2" for n in range(0, 40, 2)])],
)  # fmt: skip
def test_bars_have_values_or_ranges(values: list[float], labels: list[str]) -> None:
    figure = histogram("Reward", np.array(values, float))
    assert re.findall(r"<title>(.*?) episodes", figure) == labels


@given(st.lists(st.tuples(drawn, drawn, st.none() | drawn, st.none() | drawn), max_size=50))
def test_curves_are_drawn_within_the_figure(points: list[tuple[float, ...]]) -> None:
    line = Curve("run", [Point(*values) for values in points])
    figure = curves("reward", [line], legend=True)
    assert bool(figure) == bool(points)
    check_places(figure)


def test_long_curves_keep_their_ends() -> None:
    points = [Point(n, n % 7) for n in range(5_001)]
    figure = curves("reward", [Curve("run", points)])
    (path,) = re.findall(r'<polyline points="([^"]*)"', figure)
    assert len(path.split()) < 500
    assert path.split()[-1].startswith("330.0,")


def test_counts_have_bars_by_size() -> None:
    page = counts_table("Stops", {"answer": 4, "max_turns": 1, "minus": -2.0}, "{:.1f}")
    assert re.findall(r'<rect width="([\d.%]+)"', page) == ["100.0%", "25.0%", "50.0%"]
    assert counts_table("Stops", {}) == ""
