"""Short Python expressions with lists and strings.

Invariants: Python evaluates the expression to get the correct option, and the same expression with
other numbers in the brackets to get the wrong ones.
"""

import random
from collections.abc import Sequence
from operator import add, mul

from textgym.envs.generation import Unfit, choice, randbelow, sample
from textgym.envs.mcqa.families.question import Item, Values, corners, offer, pair
from textgym.envs.mcqa.families.words import WORDS

_ASK = (
    "What does the Python expression {} give?",
    "What is the value of {} in Python?",
    "Evaluate this Python expression: {}",
)

_WORDS = tuple(word for word in WORDS if len(word) > 5)


def _evaluated(rng: random.Random, text: str, values: Sequence[object]) -> Item:
    """Make an item, unless two values are equal, or one is too long or empty."""
    texts = [*map(repr, values)]
    if len({*texts}) < 4 or any(not 2 < len(text) < 60 for text in texts if not text.isdigit()):
        raise Unfit
    return offer(choice(rng, _ASK).format(text), texts)


def lists(rng: random.Random, level: int) -> Item:
    """Evaluate an expression on a list of numbers.

    Level 1 takes an element, level 2 a slice, level 3 a sum of a slice or of elements, level 4 a
    list comprehension, level 5 sorting with a step, division in a comprehension or a conditional
    sum.
    """
    size = (5, 6, 7, 6, 8)[level - 1]
    x = sample(rng, range(1, 31), size)
    k = pair(rng, 2, 6)
    if level == 1:
        places = sample(rng, range(size), 4)
        place = places[0] - size * randbelow(rng, 2)
        expression: Values = f"{x}[{place}]", [x[i] for i in places]
    elif level == 2:
        expression = _slice(rng, x)
    elif level == 3:
        expression = _sum(rng, x)
    elif level == 4:
        expression = _comprehension(rng, x, k)
    else:
        expression = (_sorted, _divided, _chosen)[randbelow(rng, 3)](rng, x, k)
    return _evaluated(rng, *expression)


def _ends(rng: random.Random, size: int, least: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """Draw two starts and two ends of slices with a minimum length."""
    starts = pair(rng, 0, size - least - 1, (1,))
    return starts, pair(rng, max(starts) + least, size, (1,))


def _slice(rng: random.Random, x: list[int]) -> Values:
    """Slice a list from both ends, or its last elements."""
    if randbelow(rng, 2):
        i, j = _ends(rng, len(x), 1)
        return f"{x}[{i[0]}:{j[0]}]", [x[start:end] for start in i for end in j]
    lengths = sample(rng, range(1, len(x)), 4)
    return f"{x}[-{lengths[0]}:]", [x[-length:] for length in lengths]


def _sum(rng: random.Random, x: list[int]) -> Values:
    """Add the elements of a slice, or two elements."""
    i, j = _ends(rng, len(x), 2)
    if randbelow(rng, 2):
        return f"sum({x}[{i[0]}:{j[0]}])", [sum(x[start:end]) for start in i for end in j]
    (sign, by), places = choice(rng, (("+", add), ("*", mul))), sample(rng, range(len(x)), 4)
    i, j = (places[0], places[1]), (places[2], places[3])
    return f"{x}[{i[0]}] {sign} {x}[{j[0]}]", corners(lambda i, j: by(x[i], x[j]), i, j)


def _comprehension(rng: random.Random, x: list[int], k: tuple[int, int]) -> Values:
    """Multiply some elements, or subtract from those over a limit."""
    i = pair(rng, 1, len(x) - 2, (1,))
    if randbelow(rng, 2):
        values = [[n * times for n in x[start:]] for start in i for times in k]
        return f"[n * {k[0]} for n in {x}[{i[0]}:]]", values
    limits = sorted(x)[i[0]], sorted(x)[i[1]]
    values = [[n - less for n in x if n > limit] for limit in limits for less in k]
    return f"[n - {k[0]} for n in {x} if n > {limits[0]}]", values


def _sorted(rng: random.Random, x: list[int], k: tuple[int, int]) -> Values:
    """Take every second element of a sorted list."""
    starts = sample(rng, range(4), 4)
    down = sorted(x, reverse=True)
    text = f"sorted({x}, reverse=True)[{starts[0]}::2]"
    return text, [down[start::2] for start in starts]


def _divided(rng: random.Random, x: list[int], k: tuple[int, int]) -> Values:
    """Divide every second element."""
    starts = pair(rng, 0, 1, (1,))
    values = [[n // by for n in x[start::2]] for start in starts for by in k]
    return f"[n // {k[0]} for n in {x}[{starts[0]}::2]]", values


def _chosen(rng: random.Random, x: list[int], k: tuple[int, int]) -> Values:
    """Add the elements with a certain remainder."""
    rests = pair(rng, 0, min(k) - 1, (1,))
    values = [sum(n for n in x if n % by == rest) for rest in rests for by in k]
    return f"sum(n for n in {x} if n % {k[0]} == {rests[0]})", values


def strings(rng: random.Random, level: int) -> Item:
    """Evaluate an expression on a string.

    Level 1 takes a letter, level 2 a slice, level 3 a slice from the back, level 4 replaces letters
    or takes every second one, level 5 chains a slice, a reversal and a change of case or splits a
    text.
    """
    w = choice(rng, _WORDS)
    size = len(w)
    if level == 1:
        places = sample(rng, range(size), 4)
        place = places[0] - size * randbelow(rng, 2)
        expression: Values = f"{w!r}[{place}]", [w[i] for i in places]
    elif level < 4:
        i, j = _ends(rng, size - 1, 2)
        end = j[0] if level == 2 else j[0] - size
        expression = f"{w!r}[{i[0]}:{end}]", [w[start:stop] for start in i for stop in j]
    elif level == 4:
        expression = (_stepped if randbelow(rng, 2) else _replaced)(rng, w)
    else:
        expression = (_reversed if randbelow(rng, 2) else _joined)(rng, w)
    return _evaluated(rng, *expression)


def _stepped(rng: random.Random, w: str) -> Values:
    """Take every second letter of a part of a word."""
    starts = sample(rng, range(len(w) - 2), 4)
    return f"{w!r}[{starts[0]}::2]", [w[start::2] for start in starts]


def _replaced(rng: random.Random, w: str) -> Values:
    """Replace a letter, and take the first letters."""
    old, new = sample(rng, w, 2), choice(rng, [letter for letter in "kxz" if letter not in w])
    ends = pair(rng, 3, len(w), (1,))
    values = [w.replace(letter, new)[:end] for letter in old for end in ends]
    return f"{w!r}.replace({old[0]!r}, {new!r})[:{ends[0]}]", values


def _reversed(rng: random.Random, w: str) -> Values:
    """Reverse and slice a word, and convert it to upper case."""
    i, j = _ends(rng, len(w), 2)
    values = [w[::-1][start:end].upper() for start in i for end in j]
    return f"{w!r}[::-1][{i[0]}:{j[0]}].upper()", values


def _joined(rng: random.Random, w: str) -> Values:
    """Join parts of three words."""
    words = [w, *sample(rng, WORDS, 2)]
    i, j = pair(rng, 0, 1, (1,)), pair(rng, 2, 3, (1,))
    values = ["-".join(part[start:end] for part in words) for start in i for end in j]
    return f"'-'.join(part[{i[0]}:{j[0]}] for part in {' '.join(words)!r}.split())", values
