"""Small tables, and results of sports.

Invariants: the table is part of the question; its columns are aligned with spaces; a question for
the most or the least has a unique answer.
"""

import random
from operator import sub
from typing import NamedTuple

from textgym.envs.generation import Unfit, choice, randbelow, randint, redrawn, sample
from textgym.envs.mcqa.families.question import Item, Values, corners, four, offer, pair, plural
from textgym.envs.mcqa.families.words import PEOPLE

_THEMES = (
    ("Shop", ("North", "South", "East", "West", "Harbour", "Park"), ("apples", "pears", "plums")),
    ("Farm", ("Hill", "Lake", "Brook", "Mill", "Oak", "Stone"), ("cows", "sheep", "goats")),
    ("Class", ("1a", "1b", "2a", "2b", "3a", "3b"), ("books", "chairs", "maps")),
    ("Museum", ("Art", "Rail", "Science", "Sea", "Toy", "War"), ("pictures", "coins", "guides")),
    ("Depot", ("Red", "Blue", "Green", "White", "Black", "Gold"), ("trucks", "vans", "bicycles")),
)  # fmt: skip
_SIZES = ((4, 2, 30), (4, 2, 30), (4, 3, 60), (5, 3, 60), (6, 3, 60))
_TEAMS = ("Lions", "Bears", "Hawks", "Sharks", "Wolves", "Foxes", "Bulls", "Tigers")
_RULE = "A win gives 3 points, a draw 1 and a loss none."
_CONDITIONS = (("more", "fewer"), ("fewer", "more"))
_ENDINGS = {1: "st", 2: "nd", 3: "rd", 21: "st", 22: "nd", 23: "rd"}
_ORDINALS = tuple(f"{i}{_ENDINGS.get(i, 'th')}" for i in range(1, 31))


class Grid(NamedTuple):
    """A table of numbers with its text."""

    text: str
    noun: str
    labels: list[str]
    columns: tuple[str, ...]
    cells: list[list[int]]


def _grid(rng: random.Random, rows: int, columns: int, most: int) -> Grid:
    """Draw a table of the given size."""
    head, places, things = choice(rng, _THEMES)
    labels, shown = sample(rng, places, rows), things[:columns]
    cells = [[randint(rng, 2, most) for _ in shown] for _ in labels]
    text = f"{head:<8}" + "".join([f"{thing:>10}" for thing in shown]) + "\n"
    for label, row in zip(labels, cells, strict=True):
        text += f"{label:<8}" + "".join([f"{cell:>10}" for cell in row]) + "\n"
    return Grid(text, head.lower(), labels, shown, cells)


def tables(rng: random.Random, level: int) -> Item:
    """Read a table.

    Level 1 reads a cell, level 2 finds the most or least of a column, level 3 adds or subtracts two
    cells, level 4 compares sums of rows, level 5 combines two conditions. The table grows with the
    level.
    """
    grid = _grid(rng, *_SIZES[level - 1])
    if level == 1:
        return _cell(rng, grid)
    if level == 3:
        return _sum_or_gap(rng, grid)
    if level == 5:
        return _filtered(rng, grid)
    return _extreme(rng, grid, level == 4)


def _cell(rng: random.Random, grid: Grid) -> Item:
    """Ask for one number of the table."""
    places = [(i, c) for i in range(len(grid.labels)) for c in range(len(grid.columns))]
    places = sample(rng, places, 4)
    i, c = places[0]
    values = [grid.cells[i][c] for i, c in places]
    ask = choice(rng, ("How many {} has", "Look at the table. How many {} has"))
    if len({*values}) < 4:
        raise Unfit
    question = f"{grid.text}{ask.format(grid.columns[c])} the {grid.noun} {grid.labels[i]}?"
    return offer(question, values)


def _extreme(rng: random.Random, grid: Grid, add: bool) -> Item:
    """Ask for the row with the most or fewest in a column or in total, if it is unique."""
    if add:
        what = f"{', '.join(grid.columns[:-1])} and {grid.columns[-1]} together"
        scores = [sum(row) for row in grid.cells]
    else:
        c = randbelow(rng, len(grid.columns))
        what, scores = grid.columns[c], [row[c] for row in grid.cells]
    best, word = (max(scores), "most") if randbelow(rng, 2) else (min(scores), "fewest")
    if scores.count(best) > 1:
        raise Unfit
    right = grid.labels[scores.index(best)]
    wrong = sample(rng, [label for label in grid.labels if label != right], 3)
    return Item(f"{grid.text}Which {grid.noun} has the {word} {what}?", right, wrong, grid.text)


def _sum_or_gap(rng: random.Random, grid: Grid) -> Item:
    """Ask for the sum or the difference of two cells of a column."""
    c = randbelow(rng, len(grid.columns))
    column, cells = grid.columns[c], [row[c] for row in grid.cells]
    places = sample(rng, range(len(cells)), 4)
    i, j = (places[0], places[1]), (places[2], places[3])
    one, two = (f"the {grid.noun} {grid.labels[place]}" for place in (i[0], j[0]))
    if randbelow(rng, 2):
        values = corners(lambda i, j: cells[i] + cells[j], i, j)
        question = f"{grid.text}How many {column} have {one} and {two} together?"
    else:
        values = corners(lambda i, j: cells[i] - cells[j], i, j)
        question = f"{grid.text}How many more {column} has {one} than {two}?"
    if min(values) <= 0:
        raise Unfit
    return offer(question, values)


def _filtered(rng: random.Random, grid: Grid) -> Item:
    """Ask for the sum of a column over the rows that meet a condition."""
    *summed, d = sample(rng, range(len(grid.columns)), 3)
    columns, words = (summed[0], summed[1]), choice(rng, _CONDITIONS)
    limit = sorted(row[d] for row in grid.cells)[randint(rng, 2, 3)]

    def total(c: int, word: str) -> int:
        rows = [row for row in grid.cells if (row[d] > limit if word == "more" else row[d] < limit)]
        return sum(row[c] for row in rows) if len(rows) > 1 else 0

    values = corners(total, columns, words)
    question = (
        f"{grid.text}Take only the rows with {words[0]} than {limit} {grid.columns[d]}. "
        f"How many {grid.columns[columns[0]]} do they have in all?"
    )
    if min(values) <= 0:
        raise Unfit
    return offer(question, values)


def _points(wins: int, draws: int) -> int:
    return 3 * wins + draws


@redrawn
def _league_points(rng: random.Random) -> Item:
    """Count a team's points from its wins, draws and losses."""
    team, losses = choice(rng, _TEAMS), randint(rng, 1, 9)
    wins, draws = pair(rng, 1, 12), pair(rng, 1, 9)
    text = f"The {team} have {plural(wins[0], 'win')}, {plural(draws[0], 'draw')} and "
    text += f"{losses} {'loss' if losses == 1 else 'losses'}. {_RULE} "
    text += choice(rng, ("How many points is that?", f"How many points do the {team} have?"))
    return offer(text, corners(_points, wins, draws))


@redrawn
def _league_place(rng: random.Random, place: int) -> Item:
    """Find the best team of four, or the second best."""
    teams = sample(rng, _TEAMS, 4)
    records = [tuple(randint(rng, 1, 9) for _ in range(3)) for _ in teams]
    points = [_points(wins, draws) for wins, draws, _ in records]
    if len({*points}) < 4:
        raise Unfit
    table = "".join(
        f"{name:<8}{record[0]:>6}{record[1]:>7}{record[2]:>8}\n"
        for name, record in zip(teams, records, strict=True)
    )
    right = teams[points.index(sorted(points, reverse=True)[place])]
    word = ("most", "second most")[place]
    text = f"Team      wins  draws  losses\n{table}{_RULE} Which team has the {word} points?"
    return Item(text, right, [name for name in teams if name != right], table)


def rankings(rng: random.Random, level: int) -> Item:
    """Follow races and leagues.

    Level 1 counts a team's points, level 2 finds the best team, level 3 the second best or a
    runner's place, level 4 follows several overtaking moves, level 5 counts matches of tournaments.
    """
    if level == 1:
        return _league_points(rng)
    if level == 2 or (level == 3 and randbelow(rng, 2)):
        return _league_place(rng, level - 2)
    text, values = _race(rng, level) if level < 5 else _tournament(rng)
    return offer(text, values, str if level == 5 else lambda place: _ORDINALS[place - 1])


def _race(rng: random.Random, level: int) -> Values:
    """Follow a runner who overtakes others, and on level 4 is overtaken too."""
    who, place, gain = choice(rng, PEOPLE), pair(rng, 8, 24, (1, 2, 4)), pair(rng, 1, 7, (1, 2, 3))
    text = f"In a race, {who} is in {_ORDINALS[place[0] - 1]} place and overtakes "
    text += f"{plural(gain[0], 'runner')}."
    drop = 0
    if level == 4:
        lost = randint(rng, 3, 6)
        again = randint(rng, 1, lost - 1)
        text += f" Then {lost} runners overtake {who}, who passes {again} of them again."
        drop = lost - again
    text += f" Nobody else changes places. In which place is {who} now?"
    return text, corners(lambda place, gain: place - gain + drop, place, gain)


def _tournament(rng: random.Random) -> Values:
    """Count the matches of a league, or of a cup up to some round."""
    game = choice(rng, ("chess", "tennis", "football", "darts"))
    if randbelow(rng, 2):
        (times, how), sizes = choice(rng, ((1, "once"), (2, "twice"))), four(rng, 6, 40, (1, 2, 3))
        text = f"In a {game} league with {sizes[0]} sides, each plays each other side exactly "
        text += f"{how}. How many matches are played?"
        return text, [times * n * (n - 1) // 2 for n in sizes]
    sides, left = pair(rng, 20, 120, (1, 2, 10)), pair(rng, 2, 8)
    text = f"In a {game} knockout cup with {sides[0]} sides, the loser of each match is out. "
    text += f"How many matches are played until {left[0]} sides are left?"
    return text, corners(sub, sides, left)
