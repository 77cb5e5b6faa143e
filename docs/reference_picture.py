"""Draws docs/reference-models.svg: the success of each reference model by level, and chance.

`drawing` makes it from rows of `reference_models.json`, with a panel for each environment that has
rows. A filled point is played without examples, and a ring with solved ones; bars are intervals of
95 %, and the dashed line is chance. Rows that failed are left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape

from page_figures import Models, by_model
from reference_rows import FILE, Row, chance_of

import textgym

__all__ = ["DRAWING", "drawing"]

DRAWING = FILE.with_name("reference-models.svg")

_COLUMNS = 3
_WIDTH, _HEIGHT = 370, 200  # of a panel
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 14, 34, 40  # inside a panel
_LEGEND = 24  # of a line
_COLOURS = ("#1f6fb4", "#d1601f", "#3a8f3d", "#8c4fa8", "#b8860b", "#c23b60", "#2a9d9d", "#666666")
_CHANCE, _GREY = "#444", "#555"
_SPREAD = 0.7  # of the distance of two levels, which the points of a level share


def drawing(ids: Sequence[str], rows: Sequence[Row]) -> str:
    """Return the drawing as SVG.

    Args:
        ids: The environments, in the order of their panels.
        rows: Rows of any environments.
    """
    panels = {id: models for id in ids if (models := by_model(id, rows))}
    names = sorted({name for models in panels.values() for name in models})
    colours = {name: _COLOURS[place % len(_COLOURS)] for place, name in enumerate(names)}
    top = 16 + _LEGEND * (len(names) + 1)
    lines_of_panels = -(-len(panels) // _COLUMNS)
    width, height = _COLUMNS * _WIDTH, top + lines_of_panels * _HEIGHT
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        *_legend(colours),
    ]
    for place, (id, models) in enumerate(panels.items()):
        row, column = divmod(place, _COLUMNS)
        parts.append(f'<g transform="translate({column * _WIDTH} {top + row * _HEIGHT})">')
        parts += [*_panel(id, models, colours), "</g>"]
    return "\n".join([*parts, "</svg>", ""])


def _legend(colours: Mapping[str, str]) -> list[str]:
    lines = []
    for place, (name, colour) in enumerate(colours.items()):
        y = 20 + _LEGEND * place
        lines += [_point(_LEFT + 8, y, colour), _text(_LEFT + 24, y + 4, name, anchor="start")]
    y = 20 + _LEGEND * len(colours)
    lines += [
        _point(_LEFT + 8, y, _GREY),
        _text(_LEFT + 24, y + 4, "without examples", anchor="start"),
        _point(_LEFT + 158, y, _GREY, ring=True),
        _text(_LEFT + 174, y + 4, "with solved examples", anchor="start"),
        _line(_LEFT + 324, y, _LEFT + 348, y, _CHANCE, dash=True),
        _text(_LEFT + 356, y + 4, "chance", anchor="start"),
        _line(_LEFT + 436, y - 8, _LEFT + 436, y + 8, _GREY),
        _text(_LEFT + 446, y + 4, "interval of 95 %", anchor="start"),
    ]
    return lines


def _panel(id: str, models: Models, colours: Mapping[str, str]) -> list[str]:
    """Return the panel of an environment: its axes, chance, and the points of each model."""
    card = textgym.card(id)
    levels = (0, *card.levels) if card.first_rung else card.levels
    step = (_WIDTH - _LEFT - _RIGHT) / len(levels)

    def x_of(level: int) -> float:
        return _LEFT + (levels.index(level) + 0.5) * step

    lines = [
        _text(_LEFT, 20, id.split("/")[-1], anchor="start", weight="bold"),
        *(
            part
            for value in (0, 0.5, 1)
            for part in (
                _line(_LEFT, _y(value), _WIDTH - _RIGHT, _y(value), "#e4e4e4"),
                _text(_LEFT - 8, _y(value) + 4, f"{value:g}", anchor="end"),
            )
        ),
        *(_text(x_of(level), _HEIGHT - _BOTTOM + 18, f"{level}") for level in levels),
        _text((_LEFT + _WIDTH - _RIGHT) / 2, _HEIGHT - _BOTTOM + 33, "level"),
    ]
    for level in levels:
        x, y = x_of(level), _y(chance_of(id, level))
        lines.append(_line(x - step / 2, y, x + step / 2, y, _CHANCE, dash=True))
    apart = min(10.0, step * _SPREAD / len(models) / 2)
    for place, (name, mine) in enumerate(models.items()):
        shift = apart * (2 * place - len(models) + 0.5)
        lines += _points(
            {at: row for at, row in mine.items() if at[0] in levels and "failed" not in row},
            {level: x_of(level) + shift for level in levels},
            apart,
            colours[name],
        )
    return lines


def _points(
    played: Mapping[tuple[int, int], Row], places: Mapping[int, float], apart: float, colour: str
) -> list[str]:
    """Return the points of a model with their intervals, and a line through those without shots.

    Args:
        played: Its rows by level and shots.
        places: The abscissa of each level.
        apart: The distance of a ring to the point of its level.
        colour: The colour.
    """
    lines, points = [], []
    for (level, shots), row in sorted(played.items()):
        x, y = places[level] + (apart if shots else 0), _y(row["success"])
        low, high = row["success_interval"]
        lines.append(_line(x, _y(low), x, _y(high), colour, opacity=0.5))
        points.append(_point(x, y, colour, ring=bool(shots)))
    path = " ".join(
        f"{places[level]:.1f},{_y(row['success']):.1f}"
        for (level, shots), row in sorted(played.items())
        if not shots
    )
    curve = (
        f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.2" '
        'stroke-opacity="0.6"/>'
    )
    return [*lines, curve, *points]


def _y(value: float) -> float:
    return _HEIGHT - _BOTTOM - value * (_HEIGHT - _TOP - _BOTTOM)


def _point(x: float, y: float, colour: str, ring: bool = False) -> str:
    inside = f'fill="white" stroke="{colour}" stroke-width="1.6"' if ring else f'fill="{colour}"'
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{3.2 if ring else 3.8}" {inside}/>'


def _line(
    x: float, y: float, x2: float, y2: float, colour: str, *, dash: bool = False, opacity: float = 1
) -> str:
    more = ' stroke-dasharray="4 3"' if dash else ""
    more += f' stroke-opacity="{opacity:g}"' if opacity < 1 else ""
    return (
        f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" '
        f'stroke-width="1.3"{more}/>'
    )


def _text(x: float, y: float, text: str, *, anchor: str = "middle", weight: str = "normal") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-weight="{weight}" '
        f'fill="#333">{escape(text)}</text>'
    )
