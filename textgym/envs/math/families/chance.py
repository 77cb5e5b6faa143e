"""Probability: dice, draws from an urn, expected values.

Invariants: dice and draws are fair, and probabilities are exact fractions.
"""

import random
from fractions import Fraction
from math import comb

from textgym.envs.drawing import choice, randint

from .problem import Problem, number

_CHANCE = (
    "{} What is the probability that {}?",
    "{} Find the probability that {}.",
    "{} How likely is it, as an exact fraction, that {}?",
)


def dice(rng: random.Random, level: int) -> Problem:
    """Throw dice with faces numbered from 1.

    Level 1 throws one, 2 two for a sum, 3 two different ones for at least a sum, 4 three for a
    sum, 5 several for their largest number.
    """
    faces = randint(rng, 6, 20)
    other = faces + randint(rng, 1, 6) if level == 3 else faces
    count = (1, 2, 2, 3, randint(rng, 3, 6))[level - 1]
    given = f"{count} fair dice with faces numbered $1$ to ${faces}$ each are thrown."
    if level == 5:
        top = randint(rng, 2, faces - 1)
        chance = Fraction(top**count - (top - 1) ** count, faces**count)
        return Problem(
            choice(rng, _CHANCE).format(given, f"the largest is ${top}$"), number(chance)
        )
    ways = {0: 1}
    for sides in (faces, other, faces)[:count]:
        ways = {
            total: sum(ways.get(total - face, 0) for face in range(1, sides + 1))
            for total in range(1, max(ways) + sides + 1)
        }
    total = randint(rng, count + 1, max(ways) - 1)
    above = sum(n for key, n in ways.items() if key >= total)
    everything = sum(ways.values())
    if level == 1:
        given = f"A fair die with faces numbered $1$ to ${faces}$ is thrown."
        event, good = f"it shows at least ${total}$", above
    elif level == 3:
        given = f"Two fair dice, numbered $1$ to ${faces}$ and $1$ to ${other}$, are thrown."
        event, good = f"their sum is at least ${total}$", above
    else:
        event, good = f"their sum is ${total}$", ways[total]
    return Problem(choice(rng, _CHANCE).format(given, event), number(Fraction(good, everything)))


def urns(rng: random.Random, level: int) -> Problem:
    """Draw balls without replacement.

    Level 1 draws one, 2 two of the same colour, 3 one of each of three colours, 4 at least a
    number of a colour, 5 asks for the colour of the second ball, given partial information on
    the first.
    """
    r, g, b = randint(rng, 2, 12), randint(rng, 2, 12), randint(rng, 2, 12)
    n = r + g + b
    held = f"An urn holds ${r}$ red, ${g}$ green and ${b}$ blue balls."
    k = randint(rng, 3, 5)
    j = randint(rng, 2, min(r, k - 1))
    drawn, event, chance = (
        ("One is drawn.", "it is not red", Fraction(g + b, n)),
        (
            "Two are drawn without putting back.",
            "they have the same colour",
            Fraction(comb(r, 2) + comb(g, 2) + comb(b, 2), comb(n, 2)),
        ),
        (
            "Three are drawn without putting back.",
            "all three colours are among them",
            Fraction(r * g * b, comb(n, 3)),
        ),
        (
            f"${k}$ are drawn without putting back.",
            f"at least ${j}$ of them are red",
            Fraction(sum(comb(r, i) * comb(n - r, k - i) for i in range(j, k + 1)), comb(n, k)),
        ),
        (
            f"${k}$ are drawn without putting back, and not all of them are red.",
            f"exactly ${j}$ of them are red",
            Fraction(comb(r, j) * comb(n - r, k - j), comb(n, k) - comb(r, k)),
        ),
    )[level - 1]
    return Problem(choice(rng, _CHANCE).format(f"{held} {drawn}", event), number(chance))


def expectations(rng: random.Random, level: int) -> Problem:
    """Find an expected value.

    Level 1 has a die, 2 a game with two outcomes, 3 the larger of two dice, 4 the number of
    throws until a success, 5 the number of throws until each of several faces has come up.
    """
    faces, k, win = randint(rng, 7, 30), randint(rng, 2, 5), randint(rng, 3, 60)
    lose = randint(rng, 2, 30)
    die = f"a fair die with faces numbered $1$ to ${faces}$"
    odd = f"A fair die with faces numbered ${lose}$ to ${lose + faces - 1}$"
    if level == 1:
        given, asked = f"{odd} is thrown.", "the number shown"
        value = lose + Fraction(faces - 1, 2)
    elif level == 2:
        given = (
            f"A player wins ${win}$ points if {die} shows at most ${k}$, and else loses ${lose}$."
        )
        asked, value = "the player's gain in points", Fraction(win * k - lose * (faces - k), faces)
    elif level == 3:
        given, asked = f"{odd} is thrown twice.", "the larger of the two numbers"
        total = sum((lose + i) * (2 * i + 1) for i in range(faces))
        value = Fraction(total, faces**2)
    elif level == 4:
        given = f"{die.capitalize()} is thrown until it has shown a number of at most ${k}$ "
        given += f"${lose}$ times."
        asked, value = "the number of throws", Fraction(lose * faces, k)
    else:
        given = f"{die.capitalize()} is thrown until each of the numbers $1$ to ${k}$ was shown."
        asked = "the number of throws"
        value = sum((Fraction(faces, i) for i in range(1, k + 1)), Fraction(0))
    ask = choice(rng, ("{} What is the expected value of {}?", "{} Find the expected value of {}."))
    return Problem(ask.format(given, asked), number(value))
