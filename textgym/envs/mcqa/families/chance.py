"""Chance and counting: probabilities as fractions, and numbers of possibilities.

Invariants: probabilities are in lowest terms and strictly between 0 and 1; draws and throws are
fair; counts are exact.
"""

import random
from collections.abc import Callable, Sequence
from math import comb, lcm, perm
from operator import mul

from textgym.envs.generation import Unfit, choice, randbelow, randint, sample
from textgym.envs.mcqa.families.question import (
    Item,
    Values,
    are_fractions,
    corners,
    four,
    lowest,
    offer,
    pair,
)

_COLOURS = ("red", "blue", "green", "white", "black", "yellow")
_CHANCE = (
    "What is the probability that {}?",
    "How likely is it that {}?",
    "Find the chance that {}.",
)
# the number of throws of two dice with each sum from 2 to 12, and the sums of each event
_SUMS = tuple(min(total - 1, 13 - total) for total in range(2, 13))
_THROWS: dict[str, Callable[[int], Sequence[int]]] = {
    "exactly": lambda total: _SUMS[total - 2 : total - 1],
    "at least": lambda total: _SUMS[total - 2 :],
    "at most": lambda total: _SUMS[: total - 1],
}
# events when two of a + b balls are drawn, and the number of ways
_DRAWS: tuple[tuple[str, Callable[[int, int], int]], ...] = (
    ("both are {}", lambda a, b: a * (a - 1)),
    ("they have different colours", lambda a, b: 2 * a * b),
    ("at least one is {}", lambda a, b: (a + b) * (a + b - 1) - b * (b - 1)),
    ("they have the same colour", lambda a, b: a * (a - 1) + b * (b - 1)),
)
_CLUBS = ("chess", "music", "drama", "garden", "swimming", "cooking", "film", "running")


# the text, the event, and its probability with the stated numbers and with three others
Event = tuple[str, str, Sequence[str]]


def probability(rng: random.Random, level: int) -> Item:
    """Find a probability as a fraction in lowest terms.

    Level 1 draws one ball of three colours, level 2 one of four colours, level 3 throws two dice or
    has a number picked, level 4 draws two balls without replacement, level 5 tosses several coins.
    """
    if level <= 2:
        given, event, chances = _ball(rng, level + 1)
    elif level == 3:
        given, event, chances = (_dice if randbelow(rng, 2) else _multiple)(rng)
    else:
        given, event, chances = (_two_balls if level == 4 else _coins)(rng)
    if len({*chances}) < 4 or not are_fractions(chances):
        raise Unfit
    return offer(f"{given} {choice(rng, _CHANCE).format(event)} Answer in lowest terms.", chances)


def _ball(rng: random.Random, colours: int) -> Event:
    """Draw one ball, and ask for two of the colours."""
    counts, other = [randint(rng, 2, 12) for _ in range(colours)], pair(rng, 2, 12)
    names = sample(rng, _COLOURS, colours + 1)
    parts = [f"{n} {name}" for n, name in zip((*counts, other[0]), names, strict=True)]
    parts = sample(rng, parts, len(parts))
    given = f"A bag holds {', '.join(parts[:-1])} and {parts[-1]} balls. One is drawn at random."
    rest, asked = sum(counts), (counts[0], counts[1])
    if randbelow(rng, 2):
        chances = corners(lambda n, more: lowest(n, rest + more), asked, other)
        return given, f"it is {names[0]}", chances
    chances = corners(lambda n, more: lowest(rest + more - n, rest + more), asked, other)
    return given, f"it is not {names[0]}", chances


def _dice(rng: random.Random) -> Event:
    """Throw two dice."""
    word = choice(rng, tuple(_THROWS))
    sums = sample(rng, range(3, 8), 4) if word == "exactly" else four(rng, 3, 11, (1, 2, 3))
    asked = 14 - sums[0] if word == "exactly" and randbelow(rng, 2) else sums[0]
    chances = [lowest(sum(_THROWS[word](total)), 36) for total in sums]
    return "Two fair six-sided dice are thrown.", f"their sum is {word} {asked}", chances


def _multiple(rng: random.Random) -> Event:
    """Pick an integer."""
    total, by = randint(rng, 24, 80), sample(rng, range(2, 12), 4)
    if any(total % n == 0 for n in by):
        raise Unfit
    given = f"A whole number from 1 to {total} is picked at random."
    return given, f"it is divisible by {by[0]}", [lowest(total // n, total) for n in by]


def _two_balls(rng: random.Random) -> Event:
    """Draw two balls of two colours."""
    a, b = pair(rng, 2, 12), pair(rng, 2, 12)
    one, two = sample(rng, _COLOURS, 2)
    given = f"A bag holds {a[0]} {one} and {b[0]} {two} balls. Two are drawn, without putting back."
    text, ways = choice(rng, _DRAWS)
    chances = corners(lambda a, b: lowest(ways(a, b), (a + b) * (a + b - 1)), a, b)
    return given, text.format(one), chances


def _coins(rng: random.Random) -> Event:
    """Toss several coins."""
    side = choice(rng, ("heads", "tails"))
    if randbelow(rng, 2):
        n = randint(rng, 6, 9)
        tosses = sample(rng, range(n // 2 + 1), 4)
        word, k = "exactly", n - tosses[0] if randbelow(rng, 2) else tosses[0]
        ways = [comb(n, tossed) for tossed in tosses]
    else:
        n = randint(rng, 4, 8)
        tosses = sample(rng, range(n), 4)
        word, k = "more than", tosses[0]
        ways = [sum(comb(n, i) for i in range(tossed + 1, n + 1)) for tossed in tosses]
    shown = f"{k} {'toss shows' if k == 1 else 'tosses show'} {side}"
    chances = [lowest(way, 2**n) for way in ways]
    return f"A fair coin is tossed {n} times.", f"{word} {shown}", chances


def counting(rng: random.Random, level: int) -> Item:
    """Count possibilities.

    Level 1 multiplies choices, level 2 orders items or counts integers in a range, level 3 chooses
    a group, level 4 uses two overlapping sets, level 5 numbers divisible by one of two, or ranked
    groups.
    """
    text, values = (_pairs, _orders, _choices, _overlap, _harder)[level - 1](rng)
    return offer(text, values)


def _pairs(rng: random.Random) -> Values:
    """Combine items of several kinds."""
    one, two = choice(rng, (("shirts", "hats"), ("soups", "desserts"), ("cups", "plates")))
    a, b = pair(rng, 3, 25), pair(rng, 3, 19)
    text = f"There are {a[0]} {one} and {b[0]} {two}. How many pairs of one of each are there?"
    return text, corners(mul, a, b)


def _orders(rng: random.Random) -> Values:
    """Order different items, or count the numbers of a range."""
    if randbelow(rng, 3) == 0:
        n = four(rng, 3, 8, (1, 2, 3))
        what = choice(rng, ("books stand in a row", "people queue up", "cards be laid in a row"))
        return f"In how many orders can {n[0]} different {what}?", [*map(perm, n)]
    low, counts = randint(rng, 5, 90), four(rng, 12, 80, (1, 2, 10))
    text = f"How many whole numbers are there from {low} to {low + counts[0] - 1}, both included?"
    return text, counts


def _choices(rng: random.Random) -> Values:
    """Choose a group."""
    n, k = pair(rng, 6, 20), pair(rng, 2, 5)
    what = choice(rng, ("toppings", "books", "pupils", "flowers"))
    text = f"In how many ways can {k[0]} of {n[0]} {what} be chosen"
    return f"{text}, if their order does not matter?", corners(comb, n, k)


def _overlap(rng: random.Random) -> Values:
    """Count the union of two overlapping sets, or its complement."""
    club, other = sample(rng, _CLUBS, 2)
    both, first, second = pair(rng, 3, 12, (1, 2, 3)), pair(rng, 14, 40), randint(rng, 14, 40)
    text = f"In a school, {first[0]} pupils are in the {club} club, {second} in the "
    text += f"{other} club and {both[0]} in both. "
    if randbelow(rng, 2):
        text += "How many are in at least one of the two?"
        return text, corners(lambda first, both: first + second - both, first, both)
    pupils = max(first) + second + randint(rng, 2, 15)
    text += f"There are {pupils} pupils. How many are in neither of the two?"
    return text, corners(lambda first, both: pupils - first - second + both, first, both)


def _harder(rng: random.Random) -> Values:
    """Count multiples of either of two numbers, or ranked choices."""
    if randbelow(rng, 2):
        n, b, c = randint(rng, 40, 300), pair(rng, 5, 14), pair(rng, 2, 4)
        text = f"How many whole numbers from 1 to {n} are divisible by {b[0]} or {c[0]} (or both)?"
        return text, corners(lambda b, c: n // b + n // c - n // lcm(b, c), b, c)
    sizes, k = four(rng, 6, 18, (1, 2, 3)), randint(rng, 2, 3)
    seats = "a chair and a deputy" if k == 2 else "a chair, a deputy and a treasurer"
    text = (
        f"A {choice(rng, _CLUBS)} club of {sizes[0]} members elects {seats}, all different people."
    )
    return f"{text} How many outcomes are possible?", [perm(size, k) for size in sizes]
