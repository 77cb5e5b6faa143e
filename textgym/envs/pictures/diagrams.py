"""Questions about diagrams: bar charts, tables, clocks, and maps of roads.

Invariants: what is asked for can be read off exactly, or the question states the tolerance; every
value that may be the answer is equally likely, or labels are drawn that no text can guess.
"""

from __future__ import annotations

import math
import random
from typing import Any

from textgym.envs.generation import choice, randint, sample
from textgym.envs.pictures.drawing import SIZE

__all__ = ["chart", "clock_face", "roads", "table"]

_LETTERS = "ABCDEFGHKLMNPRSTUVWXYZ"
_BARS = {1: 4, 2: 5, 3: 6, 4: 8, 5: 9}
_LEFT, _TOP, _BOTTOM = 40, 24, 300
_STEP = 5  # of a bar's value
_TICK = 20
_RANKS = {1: "highest", 2: "second highest", 3: "third highest"}
_TABLES = {1: (3, 2), 2: (4, 3), 3: (5, 4), 4: (6, 5), 5: (8, 5)}
_GRIDS = {1: (2, 2), 2: (3, 2), 3: (3, 3), 4: (3, 3), 5: (4, 3)}


def _labels(rng: random.Random, number: int) -> list[str]:
    """Return different labels of three letters."""
    found: dict[str, None] = {}
    while len(found) < number:
        found["".join(choice(rng, _LETTERS) for _ in range(3))] = None
    return list(found)


def _height(value: int) -> int:
    return _BOTTOM - (_BOTTOM - _TOP) * value // 100


def chart(rng: random.Random, level: int) -> dict[str, Any]:
    """Read a bar's value, or find the bar of a rank."""
    number = _BARS[level]
    values = [_STEP * value for value in sample(rng, range(1, 21), number)]
    names = _labels(rng, number)
    scene: list[list[Any]] = []
    for value in range(0, 101, _TICK):
        scene += [
            ["line", _LEFT, _height(value), SIZE - 8, _height(value), "light", 1],
            ["text", _LEFT - 18, _height(value), str(value), "black"],
        ]
    width = (SIZE - 8 - _LEFT) // number
    for index, (name, value) in enumerate(zip(names, values, strict=True)):
        left = _LEFT + index * width + width // 6
        right = _LEFT + (index + 1) * width - width // 6
        scene += [
            ["box", left, _height(value), right, _BOTTOM, choice(rng, ("blue", "green", "purple"))],
            ["text", (left + right) // 2, _BOTTOM + 14, name, "black"],
        ]
    scene.append(["line", _LEFT, _BOTTOM, SIZE - 8, _BOTTOM, "black", 1])
    if rng.random() < 0.5:
        rank = randint(rng, 1, 1 if level < 3 else 3)
        name = names[values.index(sorted(values, reverse=True)[rank - 1])]
        return {"question": f"Which bar is the {_RANKS[rank]}?", "answer": name, "scene": scene}
    index = randint(rng, 0, number - 1)
    question = f"What is the value of the bar {names[index]}? It is a multiple of {_STEP}."
    return {"question": question, "answer": str(values[index]), "scene": scene}


def table(rng: random.Random, level: int) -> dict[str, Any]:
    """Look up a cell of a table, or add up a column."""
    rows, columns = _TABLES[level]
    *names, corner = _labels(rng, rows + 1)
    heads = [f"{choice(rng, _LETTERS)}{column + 1}" for column in range(columns)]
    cells = [[randint(rng, 10, 99) for _ in range(columns)] for _ in range(rows)]
    height, width = (SIZE - 20) // (rows + 1), (SIZE - 20) // (columns + 1)
    scene: list[list[Any]] = [["box", 10, 10, SIZE - 10, 10 + height, "light"]]
    lines = [
        [corner, *heads],
        *([name, *map(str, row)] for name, row in zip(names, cells, strict=True)),
    ]
    for line, texts in enumerate(lines):
        top = 10 + line * height
        scene.append(["line", 10, top, SIZE - 10, top, "grey", 1])
        for column, text in enumerate(texts):
            x = 10 + column * width + width // 2
            scene.append(["text", x, top + height // 2, text, "black"])
    column = randint(rng, 0, columns - 1)
    if level >= 4 and rng.random() < 0.5:
        total = sum(row[column] for row in cells)
        question = f"What is the sum of the column {heads[column]}?"
        return {"question": question, "answer": str(total), "scene": scene}
    row_asked = randint(rng, 0, rows - 1)
    question = f"Which number is in the row {names[row_asked]} and the column {heads[column]}?"
    return {"question": question, "answer": str(cells[row_asked][column]), "scene": scene}


def clock_face(rng: random.Random, level: int) -> dict[str, Any]:
    """Read the time of a clock."""
    step = 5 if level < 3 else 1
    hour, minute = randint(rng, 1, 12), step * randint(rng, 0, 60 // step - 1)
    x, y, radius = randint(rng, 150, 186), randint(rng, 150, 186), randint(rng, 120, 144)

    def at(turns: float, share: float) -> list[int]:
        """Return the point at an angle, clockwise from the top, and a share of the radius."""
        angle = 2 * math.pi * turns
        length = radius * share
        return [x + round(length * math.sin(angle)), y - round(length * math.cos(angle))]

    scene: list[list[Any]] = [
        ["circle", x, y, radius + 4, "light"], ["circle", x, y, radius, "white"],
    ]  # fmt: skip
    for mark in range(60):
        is_hour = mark % 5 == 0
        if is_hour or level < 5:  # on the highest level, only the hours are marked
            ends = [*at(mark / 60, 0.96), *at(mark / 60, 0.88 if is_hour else 0.92)]
            scene.append(["line", *ends, "black", 2 if is_hour else 1])
    if level in (1, 3):
        for number in range(1, 13):
            scene.append(["text", *at(number / 12, 0.79), str(number), "black"])
    scene += [
        ["line", x, y, *at((hour % 12 + minute / 60) / 12, 0.46), "black", 6],
        ["line", x, y, *at(minute / 60, 0.8), choice(rng, ("blue", "red", "green")), 3],
        ["circle", x, y, 5, "black"],
    ]
    tolerance = 0 if step > 1 else 1
    around = [(hour * 60 + minute + late) % 720 for late in range(-tolerance, tolerance + 1)]
    times = [(moment // 60 or 12, moment % 60) for moment in around]
    hint = "A minute more or less is right too."
    if step > 1:
        hint = f"The minutes are a multiple of {step}."
    return {
        "question": f"What time does the clock show, as H:MM? {hint}",
        "answer": f"{hour}:{minute:02}",
        "accepted": [f"{h:{width}}:{m:02}" for h, m in times for width in ("", "02")],
        "scene": scene,
    }


def roads(rng: random.Random, level: int) -> dict[str, Any]:
    """Find the length of the shortest way between two towns."""
    columns, rows = _GRIDS[level]
    towns = [(column, row) for row in range(rows) for column in range(columns)]
    names = dict(zip(towns, _labels(rng, len(towns)), strict=True))
    places = {
        (column, row): (
            40 + column * (SIZE - 80) // (columns - 1) + randint(rng, -12, 12),
            40 + row * (SIZE - 80) // (rows - 1) + randint(rng, -12, 12),
        )
        for column, row in towns
    }
    every = [
        (town, other)
        for town in towns
        for other in ((town[0] + 1, town[1]), (town[0], town[1] + 1))
        if other in places
    ]
    lengths = {road: randint(rng, 11, 99) for road in every}
    for road in sample(rng, every, len(every))[: level // 2]:  # some are left out
        left = {known: length for known, length in lengths.items() if known != road}
        if len(_distances(left, towns[0])) == len(towns):
            lengths = left
    scene: list[list[Any]] = []
    for (town, other), length in lengths.items():
        (x0, y0), (x1, y1) = places[town], places[other]
        x, y = (x0 + x1) // 2, (y0 + y1) // 2
        scene += [
            ["line", x0, y0, x1, y1, "grey", 3],
            ["box", x - 9, y - 7, x + 9, y + 7, "white"],
            ["text", x, y, str(length), "black"],
        ]
    for town, (x, y) in places.items():
        scene += [
            ["box", x - 14, y - 9, x + 14, y + 9, "light"],
            ["text", x, y, names[town], "blue"],
        ]
    start, end = _far_pair(rng, towns)
    question = (
        f"The numbers are the lengths of roads in km. How many km is the shortest way from "
        f"{names[start]} to {names[end]}?"
    )
    length = _distances(lengths, start)[end]
    return {
        "question": question,
        "answer": str(length),
        "accepted": [f"{length} km", f"{length}km"],
        "scene": scene,
    }


Town = tuple[int, int]


def _far_pair(rng: random.Random, towns: list[Town]) -> tuple[Town, Town]:
    """Return two towns that are not neighbours."""
    while True:
        start, end = sample(rng, towns, 2)
        if abs(start[0] - end[0]) + abs(start[1] - end[1]) > 1:
            return start, end


def _distances(lengths: dict[tuple[Town, Town], int], start: Town) -> dict[Town, int]:
    """Return the length of the shortest way to each town that can be reached."""
    found = {start: 0}
    for _ in range(len(lengths)):
        for (town, other), length in lengths.items():
            for one, two in ((town, other), (other, town)):
                if one in found and found[one] + length < found.get(two, math.inf):
                    found[two] = found[one] + length
    return found
