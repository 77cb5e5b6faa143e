"""Figures as SVG: distributions, lines with bands, and bars beside numbers.

Colours come from the style of the page by class, so that a figure follows light and dark themes.
Invariant: numbers are finite; texts are escaped.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from textgym.metrics.statistics import Array
from textgym.report.elements import element, escaped

__all__ = ["MAX_DRAWN", "Curve", "Point", "counts_table", "curves", "histogram", "keys"]

MAX_DRAWN = 1e100
"""The size of the largest number that is drawn; beyond it, differences may overflow."""

_WIDTH, _HEIGHT = 340, 170
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 10, 10, 26
_MAX_VALUES = 12  # that get a bar each
_BINS = 20
_MAX_BAR = 60  # the width of a bar
_COLOURS = 6  # classes `line-0` to `line-5` of the style
_MAX_POINTS = 400  # of a curve


@dataclass(frozen=True, slots=True)
class Point:
    """A point of a curve, with the ends of its interval where they are known."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Curve:
    """A named curve."""

    name: str
    points: Sequence[Point]


def histogram(title: str, values: Array, noun: str = "episodes") -> str:
    """Return the distribution of values as a figure; "" without values.

    At most twelve distinct values have a bar each; others fall into up to twenty equal ranges, of
    whole numbers if all values are.

    Args:
        title: What the values are.
        values: The values; numbers beyond `MAX_DRAWN` are left out.
        noun: What is counted.
    """
    values = values[np.abs(values) < MAX_DRAWN]  # and not NaN
    if not len(values):
        return ""
    distinct, counts = np.unique(values, return_counts=True)
    if len(distinct) <= _MAX_VALUES:
        labels = [_short(value) for value in distinct.tolist()]
        ticks = [(float(place), label) for place, label in enumerate(labels)]
    else:
        counts, edges = np.histogram(values, _edges(values))
        ends = edges.tolist()
        labels = [f"{_short(low)} to {_short(high)}" for low, high in itertools.pairwise(ends)]
        width = (ends[-1] - ends[0]) / len(counts)
        ticks = [
            ((value - ends[0]) / width - 0.5, _short(value)) for value in _ticks(ends[0], ends[-1])
        ]
    most = int(counts.max())
    scale = _Scale((-0.5, len(counts) - 0.5), (0, most))
    share = 0.9 if len(counts) > _MAX_VALUES else 0.7
    bar_width = min((scale.x(1) - scale.x(0)) * share, _MAX_BAR)
    bars = [
        _svg(
            "rect",
            _svg("title", escaped(f"{label}: {count:,} {noun}")),
            x=scale.x(place) - bar_width / 2,
            y=scale.y(count),
            width=bar_width,
            height=scale.y(0) - scale.y(count),
            class_="fill",
        )
        for place, (label, count) in enumerate(zip(labels, counts.tolist(), strict=True))
    ]
    step = math.ceil(len(ticks) / 7)
    grid = scale.grid(_ticks(0, most, whole=True), ticks[::step])
    return _figure(f"{title} ({len(values):,} {noun})", grid + "".join(bars))


def _edges(values: Array) -> Array:
    low, high = float(values.min()), float(values.max())
    if np.all(values == np.round(values)):
        width = math.ceil((high - low + 1) / _BINS)
        return np.arange(low, high + width + 1, width)
    return np.linspace(low, high, _BINS + 1)


def curves(
    title: str,
    lines: Sequence[Curve],
    *,
    ticks: Sequence[tuple[float, str]] = (),
    bounds: tuple[float, float] | None = None,
    legend: bool = False,
) -> str:
    """Return curves as a figure; "" without points.

    Args:
        title: What the curves are.
        lines: The curves. Each has the colour of its place, even where others have no points.
        ticks: The places and labels of the horizontal axis; numbers by default.
        bounds: The ends of the vertical axis, which otherwise fit the points.
        legend: Whether the names of the curves are below.
    """
    points = [point for line in lines for point in line.points]
    if not points:
        return ""
    xs = [point.x for point in points]
    low, high = bounds or _range(points)
    scale = _Scale(_widened(min(xs), max(xs)), (low, high))
    drawn = "".join(
        _curve(scale, line, place % _COLOURS) for place, line in enumerate(lines) if line.points
    )
    whole = all(x == round(x) for x in xs)
    marks = ticks or [(x, _short(x)) for x in _ticks(min(xs), max(xs), whole=whole)]
    grid = scale.grid(_ticks(low, high), marks)
    below = keys([line.name for line in lines]) if legend else ""
    return _figure(title, grid + drawn, below)


def _curve(scale: _Scale, line: Curve, colour: int) -> str:
    every = math.ceil(len(line.points) / _MAX_POINTS)
    points = [*line.points[::every]]
    if points[-1] != line.points[-1]:
        points.append(line.points[-1])
    band = [point for point in points if point.low is not None and point.high is not None]
    upper = [(point.x, point.high or 0.0) for point in band]
    lower = [(point.x, point.low or 0.0) for point in reversed(band)]
    parts = ""
    if len(band) > 1:
        parts += _svg("polygon", "", points=scale.path([*upper, *lower]), class_=f"band-{colour}")
    path = scale.path([(point.x, point.y) for point in points])
    parts += _svg("polyline", "", points=path, class_=f"line-{colour}")
    if len(points) > 40:
        return parts
    for point in points:
        text = f"{line.name}, {_short(point.x)}: {_short(point.y)}"
        if point.low is not None and point.high is not None:
            text += f" ({_short(point.low)} to {_short(point.high)})"
        place = {"cx": scale.x(point.x), "cy": scale.y(point.y), "r": 3}
        parts += _svg("circle", _svg("title", escaped(text)), class_=f"dot-{colour}", **place)
    return parts


def keys(names: Sequence[str]) -> str:
    """Return the legend of curves: the colour and the name of each."""
    marks = (element("i", "", class_=f"key-{place % _COLOURS}") for place in range(len(names)))
    items = (element("li", mark + escaped(name)) for mark, name in zip(marks, names, strict=True))
    return element("ul", "".join(items), class_="keys")


def counts_table(title: str, counts: Mapping[str, float], form: str = "{:,.0f}") -> str:
    """Return a table of numbers with a bar each; "" without numbers.

    Args:
        title: What is counted.
        counts: The number of each name.
        form: How a number is written.
    """
    if not counts:
        return ""
    most = max(map(abs, counts.values())) or 1.0
    rows = ""
    for name, count in counts.items():
        width = f"{100 * abs(count) / most:.1f}%"
        sign = "fill negative" if count < 0 else "fill"
        bar = _svg("rect", "", width=width, height="100%", class_=sign)
        cells = element("td", escaped(name)) + element("td", form.format(count), class_="number")
        rows += element("tr", cells + element("td", _svg("svg", bar, class_="bar-svg")))
    head = element("caption", escaped(title))
    return element("table", head + element("tbody", rows), class_="counts")


class _Scale:
    """Places of values in a figure."""

    def __init__(self, xs: tuple[float, float], ys: tuple[float, float]) -> None:
        self._xs, self._ys = xs, _widened(*ys)

    def x(self, value: float) -> float:
        low, high = self._xs
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * (value - low) / (high - low)

    def y(self, value: float) -> float:
        low, high = self._ys
        return _HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * (value - low) / (high - low)

    def path(self, places: Sequence[tuple[float, float]]) -> str:
        return " ".join(f"{self.x(x):.1f},{self.y(y):.1f}" for x, y in places)

    def grid(self, ys: Sequence[float], xs: Sequence[tuple[float, str]]) -> str:
        parts = ""
        for value in ys:
            line = {"x1": _LEFT, "x2": _WIDTH - _RIGHT, "y1": self.y(value), "y2": self.y(value)}
            parts += _svg("line", "", class_="axis", **line)
            place = {"x": _LEFT - 6, "y": self.y(value) + 4}
            parts += _svg("text", escaped(_short(value)), text_anchor="end", **place)
        for value, label in xs:
            place = {"x": self.x(value), "y": _HEIGHT - _BOTTOM + 16}
            parts += _svg("text", escaped(label), text_anchor="middle", **place)
        return parts


def _range(points: Sequence[Point]) -> tuple[float, float]:
    ends = [[point.y, point.low, point.high] for point in points]
    values = [value for some in ends for value in some if value is not None]
    return min(values), max(values)


def _widened(low: float, high: float) -> tuple[float, float]:
    """Return the ends of a range, apart even if all values are equal."""
    margin = max(0.5, 1e-3 * abs(low))
    return (low, high) if high > low else (low - margin, high + margin)


def _ticks(low: float, high: float, whole: bool = False) -> list[float]:
    """Return three to six round numbers in a range.

    Example:
        >>> _ticks(0, 0.5), _ticks(0, 3, whole=True)
        ([0.0, 0.1, 0.2, 0.3, 0.4, 0.5], [0.0, 1.0, 2.0, 3.0])
    """
    if high <= low:
        return [low]
    power = 10.0 ** math.floor(math.log10(high - low))
    sizes = [power * factor for factor in (0.1, 0.2, 0.25, 0.5, 1, 2)]
    if whole:
        sizes = [size for size in sizes if size == round(size)] or [1.0]
    size = next((size for size in sizes if (high - low) / size <= 5), sizes[-1])
    first = math.ceil(low / size - 1e-9)
    count = math.floor(high / size + 1e-9) - first
    return [float(f"{(first + place) * size:.12g}") for place in range(count + 1)]


def _short(value: float) -> str:
    """Return a number in a few characters.

    Example:
        >>> _short(0.30000000000000004), _short(12345.0), _short(-1.0), _short(2500000.0)
        ('0.3', '12,345', '-1', '2.5e+06')
    """
    return f"{value:,.0f}" if value == round(value) and abs(value) < 1e6 else f"{value:.3g}"


def _figure(title: str, content: str, below: str = "") -> str:
    view = f"0 0 {_WIDTH} {_HEIGHT}"
    drawn = _svg("svg", content, viewBox=view, role="img", aria_label=title)
    return element("figure", element("figcaption", escaped(title)) + drawn + below)


def _svg(name: str, content: str, **attributes: str | float) -> str:
    """Return an element of SVG; underscores in the names of attributes are hyphens."""
    texts = {
        (key if key == "class_" else key.replace("_", "-")): (
            value if isinstance(value, str) else f"{value:.1f}".removesuffix(".0")
        )
        for key, value in attributes.items()
    }
    return element(name, content, **texts)
