"""Arithmetic: chains of steps, fractions, percentages, square roots, powers.

Invariants: the calculation is given in words or as an equation, so no formula of the question
equals the answer.
"""

import random
from fractions import Fraction

from textgym.envs.generation import choice, randbelow, randint
from textgym.envs.math.families.problem import Number, Problem, number, scaled, sum_of, surd

_RESULT = (
    "{} What is the result?",
    "{} Which number do you get?",
    "Carry out these steps. {} What number do you end with?",
)
_CHAINS = ("~~", "*~", "~*/", "*~s~*", "/*s~*/s")
_LOWEST = (
    "{} Give the answer in lowest terms.",
    "{} Write the result as a fraction in lowest terms.",
    "{} What is the result, fully reduced?",
)
_EXPONENT = (
    "Find $n$ if ${}$.",
    "For which value of $n$ is ${}$?",
    "The number $n$ satisfies ${}$. What is $n$?",
)


def steps(rng: random.Random, level: int) -> Problem:
    """Follow a chain of steps with integers.

    Level 1 adds and subtracts twice, level 2 multiplies too, level 3 has four steps with an exact
    division, level 4 six steps with a square, level 5 eleven steps with two squares.
    """
    value = randint(rng, 12, 99)
    given = [f"Start with ${value}$."]
    for kind in _CHAINS[level - 1]:
        if kind == "*":
            n = randint(rng, 3, 9)
            value *= n
            given.append(f"Multiply by ${n}$.")
        elif kind == "/":
            n = randint(rng, 3, 9)
            value = _moved(given, value, value + n - value % n + n * randint(rng, 1, 9)) // n
            given.append(f"Divide by ${n}$.")
        elif kind == "s":
            value = _moved(given, value, choice(rng, (-1, 1)) * randint(rng, 2, 15)) ** 2
            given.append("Square the result.")
        else:
            value = _moved(
                given, value, value + choice(rng, (-1, 1)) * randint(rng, 11, 20 * level)
            )
    return Problem(choice(rng, _RESULT).format(" ".join(given)), number(value))


def _moved(given: list[str], value: int, target: int) -> int:
    """Return the step that leads to a number, by addition or subtraction."""
    if target > value:
        given.append(f"Add ${target - value}$.")
    elif target < value:
        given.append(f"Subtract ${value - target}$.")
    return target


def fractions(rng: random.Random, level: int) -> Problem:
    """Calculate with fractions, step by step.

    Level 1 adds two with the same denominator, level 2 adds or subtracts with different ones, level
    3 has two steps with a product or quotient, level 4 three steps, level 5 five steps.
    """
    bottom = randint(rng, 5, 24)
    value = Fraction(randint(rng, 1, bottom - 1), bottom)
    given = [f"Start with ${number(value)}$."]
    for step in range((1, 1, 2, 3, 5)[level - 1]):
        n = Fraction(randint(rng, 1, 11), randint(rng, 2, 12))
        while level == 2 and value.denominator % n.denominator == 0:
            n = Fraction(randint(rng, 1, 11), randint(rng, 2, 12))
        if level == 1:
            n = Fraction(randint(rng, 1, 2 * value.denominator), value.denominator)
        kinds = (0, 0) if level == 1 else (randbelow(rng, 2), 2 + randbelow(rng, 2))
        kind = kinds[level > 2 and step % 2 == 0]
        shown = number(n)
        value, sentence = (
            (value + n, f"Add ${shown}$."),
            (value - n, f"Subtract ${shown}$."),
            (value * n, f"Multiply by ${shown}$."),
            (value / n, f"Divide by ${shown}$."),
        )[kind]
        given.append(sentence)
    return Problem(choice(rng, _LOWEST).format(" ".join(given)), number(value), "simplified")


def percentages(rng: random.Random, level: int) -> Problem:
    """Calculate with percentages.

    Level 1 takes a percentage of a number, level 2 changes a number by one, level 3 undoes a
    change, level 4 chains two changes, level 5 mixes two solutions to a required strength.
    """
    p, q, k = 5 * randint(rng, 1, 19), 5 * randint(rng, 1, 19), randint(rng, 2, 60)
    sign, verb = choice(rng, ((1, "raised"), (-1, "lowered")))
    changed = Fraction(100 + sign * p, 100)
    thing = choice(rng, ("price", "rent", "salary", "fee", "budget"))
    if level == 1:
        ask = choice(rng, ("What is ${}\\%$ of ${}$?", "Find ${}\\%$ of ${}$."))
        return Problem(ask.format(p, 20 * k), number(p * k // 5))
    if level == 2:
        ask = choice(
            rng, ("A {} of ${}$ is {} by ${}\\%$. {}", "Take a {} of ${}$, {} by ${}\\%$. {}")
        )
        question = ask.format(thing, 20 * k, verb, p, "What is it now?")
        return Problem(question, number(20 * k * changed))
    if level == 3:
        after = number(20 * k * changed)
        ask = choice(
            rng,
            (
                "After being {1} by ${2}\\%$, a {0} is ${3}$. What was it before?",
                "A {0} was {1} by ${2}\\%$ and is now ${3}$. What was it at first?",
            ),
        )
        return Problem(ask.format(thing, verb, p, after), number(20 * k))
    if level == 4:
        other, word = choice(rng, ((1, "raised"), (-1, "lowered")))
        ask = choice(
            rng,
            (
                "A {0} of ${1}$ is {2} by ${3}\\%$, and the new {0} is {4} by ${5}\\%$. What is it "
                "in the end?",
                "Of two changes, the first had a {0} of ${1}$ {2} by ${3}\\%$, and the second had "
                "the result {4} by ${5}\\%$. What is the {0} now?",
            ),
        )
        question = ask.format(thing, 400 * k, verb, p, word, q)
        return Problem(question, number(400 * k * changed * Fraction(100 + other * q, 100)))
    weak, strong = randint(rng, 5, 40), randint(rng, 60, 95)
    asked = randint(rng, weak + 1, strong - 1)
    what = choice(rng, ("acid", "salt", "alcohol", "sugar"))
    ask = choice(
        rng,
        (
            "How many litres of a ${0}\\%$ {1} solution must be added to ${2}$ litres of a "
            "${3}\\%$ {1} solution to get a ${4}\\%$ one?",
            "A ${0}\\%$ {1} solution is poured into ${2}$ litres of a ${3}\\%$ {1} solution until "
            "the mixture has ${4}\\%$. How many litres are poured in?",
        ),
    )
    question = ask.format(strong, what, k, weak, asked) + " Give an exact number."
    return Problem(question, number(Fraction(k * (asked - weak), strong - asked)))


def roots(rng: random.Random, level: int) -> Problem:
    """Calculate with square roots, simplified.

    Level 1 finds a square's side, level 2 a rectangle's diagonal, level 3 a box's diagonal, level 4
    adds three roots, level 5 inverts a difference.
    """
    end = " Write the answer with square roots simplified."
    if level == 1:
        n = randint(rng, 2, 9) ** 2 * randint(rng, 2, 30)
        ask = choice(
            rng,
            (
                "A square has area ${}$. How long is its side?",
                "Find the positive number whose square is ${}$.",
            ),
        )
        return Problem(ask.format(n) + end, surd(1, n), "simplified")
    if level <= 3:
        k = randint(rng, 2, 6)
        edges = [k * randint(rng, 1, 15) for _ in range(level)]
        what = "A rectangle" if level == 2 else "A box"
        shown = " \\times ".join(map(str, edges))
        ask = choice(
            rng,
            (
                "{} measures ${}$. How long is its diagonal?",
                "{} has edges ${}$. Find the length of its diagonal.",
            ),
        )
        length = surd(1, sum(e * e for e in edges))
        return Problem(ask.format(what, shown) + end, length, "simplified")
    c = choice(rng, (2, 3, 5, 6, 7, 10, 11))
    if level == 4:
        a, b = randint(rng, 2, 12), randint(rng, 2, 12)
        d = randint(rng, 2, a + b - 1)
        ask = choice(
            rng,
            (
                "Add the positive square roots of ${}$ and ${}$, and subtract that of ${}$.",
                "Three squares have the areas ${}$, ${}$ and ${}$. How much longer are the sides "
                "of the first two together than that of the third?",
            ),
        )
        question = ask.format(a * a * c, b * b * c, d * d * c)
        return Problem(question + end, surd(a + b - d, c), "simplified")
    a, b = randint(rng, 1, 12), randint(rng, 1, 6)
    norm = a * a - b * b * c
    shown = sum_of(str(a), scaled(-b, f"\\sqrt{{{c}}}"))
    ask = choice(
        rng,
        (
            "What is the reciprocal of ${}$, with a rational denominator?",
            "By which number must ${}$ be multiplied to give $1$? Rationalise the denominator.",
        ),
    )
    inverse = sum_of(number(Fraction(a, norm)), surd(Fraction(b, norm), c))
    return Problem(ask.format(shown), inverse, "simplified")


def exponents(rng: random.Random, level: int) -> Problem:
    """Find an exponent.

    Level 1 multiplies powers of one base, level 2 divides too, level 3 has powers of the base as
    bases, level 4 a multiple of the exponent on both sides, level 5 roots.
    """
    base = choice(rng, (2, 3, 5, 7))
    a, b, c = (randint(rng, 2, 15) for _ in range(3))
    answer: Number
    if level == 1:
        equation, answer = f"{base}^n = {base}^{{{a}}} \\cdot {base}^{{{b}}}", a + b
    elif level == 2:
        product = f"{base}^{{{a}}} \\cdot {base}^{{{b}}}"
        equation, answer = f"{base}^n = \\frac{{{product}}}{{{base}^{{{c}}}}}", a + b - c
    elif level == 3:
        product = f"{base**2}^{{{a}}} \\cdot {base**3}^{{{b}}}"
        equation, answer = f"{base}^n = \\frac{{{product}}}{{{base}^{{{c}}}}}", 2 * a + 3 * b - c
    elif level == 4:
        left, right = f"{base**2}^{{n + {a}}}", f"{base**3}^{{{b} - n}}"
        equation = f"{left} = {right} \\cdot {base}^{{{c}}}"
        answer = Fraction(3 * b + c - 2 * a, 5)
    else:
        k = randint(rng, 3, 7)
        left = f"{base**2}^n \\cdot \\sqrt[{k}]{{{base}^{{{a}}}}}"
        equation, answer = f"{left} = \\sqrt{{{base}^{{{b}}}}}", Fraction(b * k - 2 * a, 4 * k)
    return Problem(choice(rng, _EXPONENT).format(equation), number(answer))


def stated(rng: random.Random, level: int) -> Problem:
    """Repeat a number that is given, on level 0."""
    value = randint(rng, 2, 9999)
    return Problem(f"Let $x = {value}$. What is $x$?", str(value))
