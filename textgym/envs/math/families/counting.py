"""Combinatorics and probability: groups, words, paths, distributions, multiples, dice, urns.

Invariants: counts and probabilities are exact; dice and draws are fair; the question says what
counts as different.
"""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from math import comb, factorial, lcm, perm, prod

from textgym.envs.generation import choice, randint, sample
from textgym.envs.math.families.problem import Problem, number

_CLUBS = ("chess", "music", "drama", "garden", "film", "running", "cooking", "sailing")
_THINGS = ("coins", "sweets", "balls", "stickers", "tickets", "marbles")


def groups(rng: random.Random, level: int) -> Problem:
    """Choose a group of people.

    Level 1 chooses any people, level 2 people with offices, level 3 a number of each of two kinds,
    level 4 at least a number of one kind, level 5 without two people who refuse to serve together.
    """
    n, m, k = randint(rng, 5, 14), randint(rng, 4, 12), randint(rng, 2, 4)
    j, club = randint(rng, 1, 3), choice(rng, _CLUBS)
    given = f"A {club} club has ${n}$ women and ${m}$ men."
    size = k + j
    if level == 1:
        given, asked, value = (
            f"A {club} club has ${n + m}$ members.",
            f"teams of ${k}$ members",
            comb(n + m, k),
        )
    elif level == 2:
        given = f"A {club} club has ${n + m}$ members."
        asked = "choices of a chair, a deputy and a treasurer, all different people,"
        value = perm(n + m, 3)
    elif level == 3:
        asked, value = f"teams of ${k}$ women and ${j}$ men", comb(n, k) * comb(m, j)
    elif level == 4:
        asked = f"teams of ${size}$ members with at least ${k}$ women"
        value = sum(comb(n, i) * comb(m, size - i) for i in range(k, size + 1))
    else:
        given += " One of the women and one of the men refuse to serve together."
        asked = f"teams of ${size}$ members with at least one woman"
        value = comb(n + m, size) - comb(m, size) - comb(n + m - 2, size - 2)
    ask = choice(
        rng,
        ("{} How many different {} are possible?", "{} Count the different {} that can be made."),
    )
    return Problem(ask.format(given, asked), str(value))


def words(rng: random.Random, level: int) -> Problem:
    """Arrange letters.

    Level 1 has different letters, level 2 repeated ones, level 3 two adjacent letters, level 4 two
    letters that are not adjacent, level 5 also a fixed first letter.
    """
    letters = sample(rng, "ABCDEFGHKLMNPRSTUVWXYZ", randint(rng, 5, 8))
    ask = choice(rng, ("How many different {} {} are there{}?", "Count the different {} {}{}."))
    if level == 1:
        n = randint(rng, 2, len(letters) - 1)
        what = f"arrangements of ${n}$ different letters out of"
        question = ask.format(what, ", ".join(sorted(letters)), "")
        return Problem(question, str(perm(len(letters), n)))
    one, two, leader = letters[:3]
    letters = [one, two, *(letter for letter in letters[2:6] for _ in range(randint(rng, 1, 3)))]
    listed = ", ".join(sorted(letters))
    if level == 5:
        letters.remove(leader)
    n = len(letters)
    ways = prod(factorial(count) for count in Counter(letters).values())
    together = 2 * factorial(n - 1) // ways
    value = (factorial(n) // ways, together, factorial(n) // ways - together)[min(level, 4) - 2]
    condition = (
        "",
        f" in which {one} and {two} stand side by side",
        f" in which {one} and {two} do not stand side by side",
        f" in which {leader} comes first and {one} and {two} do not stand side by side",
    )[level - 2]
    return Problem(ask.format("arrangements of all the letters", listed, condition), str(value))


def paths(rng: random.Random, level: int) -> Problem:
    """Count paths on a grid that only go right and up.

    Level 1 has no condition, level 2 a point to pass, level 3 one to avoid, level 4 one to pass and
    one to avoid, level 5 a diagonal that may not be crossed.
    """
    w, h = randint(rng, 3, 12), randint(rng, 3, 12)
    if level == 1:
        w, h = w + 2, h + 3
    if level == 5:
        w, h = max(w, h) + randint(rng, 0, 5), min(w, h)
    (a, b), (c, d) = sorted([(randint(rng, 1, w - 1), randint(rng, 1, h - 1)) for _ in range(2)])
    if level == 4 and ((a, b) == (c, d) or d < b):
        return paths(rng, level)

    def ways(x: int, y: int) -> int:
        return comb(x + y, x) if min(x, y) >= 0 else 0

    everything, through = ways(w, h), ways(a, b) * ways(w - a, h - b)
    condition, value = (
        ("", everything),
        (f" and pass through $({a}, {b})$", through),
        (f" and avoid $({a}, {b})$", everything - through),
        (
            f", pass through $({a}, {b})$ and avoid $({c}, {d})$",
            ways(a, b) * (ways(w - a, h - b) - ways(c - a, d - b) * ways(w - c, h - d)),
        ),
        (" and never go above the line $y = x$", everything - ways(w + 1, h - 1)),
    )[level - 1]
    ask = choice(
        rng,
        (
            "Each step of a path adds $1$ to $x$ or to $y$. How many paths go from $(0, 0)$ to "
            "$({}, {})${}?",
            "On a grid a path moves one unit right or up at a time. Count the paths that go from "
            "$(0, 0)$ to $({}, {})${}.",
        ),
    )
    return Problem(ask.format(w, h, condition), str(value))


def sharing(rng: random.Random, level: int) -> Problem:
    """Distribute identical items.

    Level 1 allows people to get none, level 2 gives each at least one, level 3 gives each an
    individual minimum, level 4 a maximum, level 5 both, with some items left over.
    """
    people, least, most = randint(rng, 3, 5), randint(rng, 2, 3), randint(rng, 5, 9)
    low = (0, 1, least, 0, 1)[level - 1]
    top = most if level > 3 else None
    n = people * low + randint(rng, 4, 14)
    if top is not None:
        n = randint(rng, people * low + top - low + 1, people * top - 2)
    who = people + 1 if level == 5 else people  # one more for the rest
    spare = n - people * low
    value = comb(spare + who - 1, who - 1)
    if top is not None:
        span = top - low + 1
        value = sum(
            (-1) ** i * comb(people, i) * comb(spare - i * span + who - 1, who - 1)
            for i in range(people + 1)
            if spare >= i * span
        )
    rules = [f"at least ${low}$"] if low else []
    rules += [f"at most ${top}$"] if top else []
    condition = f" if everyone gets {' and '.join(rules)}" if rules else ""
    left = ", where some or all may be left over," if level == 5 else ""
    ask = choice(
        rng,
        (
            "In how many ways can ${}$ equal {} be given to ${}$ children{}{}?",
            "Count the ways to share ${}$ identical {} among ${}$ people{}{}.",
        ),
    )
    thing = choice(rng, _THINGS)
    return Problem(ask.format(n, thing, people, left, condition), str(value))


def multiples(rng: random.Random, level: int) -> Problem:
    """Count the numbers with given divisors.

    Level 1 has one divisor, level 2 one of two, level 3 neither of two, level 4 exactly one of two,
    level 5 none of three.
    """
    low, high = 1, randint(rng, 80, 999)
    if level == 1:
        low = randint(rng, 20, high - 50)
    a, b, c = sample(rng, range(3, 13), 3)

    def count(*numbers: int) -> int:
        n = lcm(*numbers)
        return high // n - (low - 1) // n

    either = count(a) + count(b) - count(a, b)
    any_ = either + count(c) - count(a, c) - count(b, c) + count(a, b, c)
    what, value = (
        (f"divisible by ${a}$", count(a)),
        (f"divisible by ${a}$ or by ${b}$ (or by both)", either),
        (f"divisible by neither ${a}$ nor ${b}$", high - either),
        (f"divisible by exactly one of ${a}$ and ${b}$", either - count(a, b)),
        (f"divisible by none of ${a}$, ${b}$ and ${c}$", high - any_),
    )[level - 1]
    ask = choice(
        rng,
        (
            "How many whole numbers from ${}$ to ${}$ are {}?",
            "Count the whole numbers from ${}$ to ${}$ that are {}.",
        ),
    )
    return Problem(ask.format(low, high, what), str(value))


_CHANCE = (
    "{} What is the probability that {}?",
    "{} Find the probability that {}.",
    "{} How likely is it, as an exact fraction, that {}?",
)


def dice(rng: random.Random, level: int) -> Problem:
    """Throw dice with faces numbered from 1.

    Level 1 throws one, level 2 two for a sum, level 3 two different ones for at least a sum, level
    4 three for a sum, level 5 several for their largest number.
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

    Level 1 draws one, level 2 two of the same colour, level 3 one of each of three colours, level 4
    at least a number of a colour, level 5 asks for the colour of the second ball, given partial
    information on the first.
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

    Level 1 has a die, level 2 a game with two outcomes, level 3 the larger of two dice, level 4 the
    number of throws until a success, level 5 the number of throws until each of several faces has
    come up.
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
