"""Reasoning: orders of people, syllogisms with invented words, truth of formulas.

Invariants: the clues determine an order completely; a wrong conclusion of a syllogism fails in at
least one situation that the statements allow, if every kind has a member; exactly one of the
offered formulas has the required truth value.
"""

import random
from collections.abc import Callable
from itertools import pairwise

from textgym.envs.generation import choice, randbelow, randint, sample
from textgym.envs.mcqa.families.question import Item, offer
from textgym.envs.mcqa.families.words import PEOPLE

_SCALES = (
    ("taller", "shorter", "tallest", "shortest"),
    ("older", "younger", "oldest", "youngest"),
    ("faster", "slower", "fastest", "slowest"),
    ("richer", "poorer", "richest", "poorest"),
    ("stronger", "weaker", "strongest", "weakest"),
)
_NTH = ("", "second ", "third ")
_KINDS = (
    "blick", "dorm", "flep", "grun", "harl", "jolk", "kemp", "lorf", "mip", "nald", "plon",
    "quib", "rask", "snod", "trell", "vunt", "wimp", "yarb", "zeck", "brool", "cramp", "drint",
)  # fmt: skip
_MUST = (
    "Which conclusion must be true?",
    "Which of these follows?",
    "What can be concluded for certain?",
)
_EVERY, _NO = "Every {} is a {}.", "No {} is a {}."
_SOME, _NOT = "Some {}s are {}s.", "Some {}s are not {}s."
# the first and last statement of a chain, with 'every' in between, and the conclusion
_MOODS = (
    (_EVERY, _EVERY, _EVERY), (_EVERY, _NO, _NO), (_SOME, _EVERY, _SOME), (_SOME, _NO, _NOT),
)  # fmt: skip


def orderings(rng: random.Random, level: int) -> Item:
    """Find a person's place in an order given by comparisons.

    Level 1 orders four people, with clues in cyclic order, and asks for an end, level 2 shuffles
    the clues, level 3 has five people, level 4 asks for the second place, level 5 has six people
    and asks for the second or third. Both directions of comparison occur, and each person is in two
    clues.
    """
    size = (4, 4, 5, 5, 6)[level - 1]
    names = sample(rng, PEOPLE, size)
    more, less, most, least = choice(rng, _SCALES)
    clues = []
    for first, second in (*pairwise(names), (names[0], names[-1])):
        if randbelow(rng, 2):
            clues.append(f"{second} is {less} than {first}.")
        else:
            clues.append(f"{first} is {more} than {second}.")
    start = randbelow(rng, size)
    clues = clues[start:] + clues[:start] if level == 1 else sample(rng, clues, size)
    place = 0 if level < 4 else 1 if level == 4 else randint(rng, 1, 2)
    if randbelow(rng, 2):
        right, asked = names[place], _NTH[place] + most
    else:
        right, asked = names[-1 - place], _NTH[place] + least
    ask = choice(rng, ("Who is the {}?", "Which person is the {}?", "Who of them is the {}?"))
    question = " ".join(clues) + " " + ask.format(asked)
    others = sample(rng, [name for name in names if name != right], 3)
    return Item(question, right, others)


def syllogisms(rng: random.Random, level: int) -> Item:
    """Draw a conclusion about invented kinds of things.

    There are two chains of statements, each from one kind to another. One of them is broken: its
    halves have no kind in common. The options connect each start with each end, so only the links
    in between determine which of them follows.

    Level 1 has one link and only 'every', level 2 adds 'no' and 'some', level 3 shuffles the
    statements and adds 'not', level 4 has two links, level 5 three.
    """
    first, last, form = choice(rng, _MOODS[: (1, 3, 4, 4, 4)[level - 1]])
    links = max(1, level - 2)
    one, two, three, four, *others = sample(rng, _KINDS, 2 * links + 5)
    starts, ends, whole, broken = (one, two), (three, four), others[:links], others[links:]
    gap = randbelow(rng, links)
    begun = [first.format(starts[0], whole[0]), first.format(starts[1], broken[0])]
    rest = [_EVERY.format(*kinds) for kinds in pairwise(whole)]
    rest += [_EVERY.format(*kinds) for i, kinds in enumerate(pairwise(broken)) if i != gap]
    rest += [last.format(whole[-1], ends[0]), last.format(broken[-1], ends[1])]
    premises = sample(rng, begun, 2) + sample(rng, rest, len(rest))
    if level > 2:
        premises = sample(rng, premises, len(premises))
    question = (
        f"{' '.join(premises)} There is at least one thing of every kind. {choice(rng, _MUST)}"
    )
    conclusions = [form.format(start, end) for end in ends for start in starts]
    return offer(question, conclusions)


_Truth = Callable[[bool, bool, bool], bool]
_Plane = tuple[int, ...]


def _planes(text: str, truth_of: _Truth) -> tuple[list[_Plane], list[_Plane]]:
    """Return quadruples of rows by the truth value that only their first row gives a formula.

    A row is a number whose bits are the truth values of the letters. The rows of a quadruple differ
    by flipping some letters. So for each of the four formulas there are facts that make it the one
    that the question asks for.
    """
    rows = range(8 if "{2}" in text else 4)
    flips = [(one, other) for one in rows for other in rows if 0 < one < other]
    planes = {
        tuple(sorted((row, row ^ one, row ^ other, row ^ one ^ other)))
        for row in rows
        for one, other in flips
    }
    found: tuple[list[_Plane], list[_Plane]] = ([], [])
    for plane in sorted(planes):
        truths = [bool(truth_of(*(bool(row >> i & 1) for i in range(3)))) for row in plane]
        for wanted in (False, True):
            if truths.count(wanted) == 1:
                alone = plane[truths.index(wanted)]
                found[wanted].append((alone, *(row for row in plane if row != alone)))
    return found


_FORMULAS: tuple[tuple[tuple[str, _Truth], ...], ...] = (
    (
        ("{0} and {1}", lambda p, q, r: p and q),
        ("{0} or {1}", lambda p, q, r: p or q),
    ),
    (
        ("{0} and {1}", lambda p, q, r: p and q),
        ("{0} or {1}", lambda p, q, r: p or q),
        ("if {0} then {1}", lambda p, q, r: not p or q),
        ("not ({0} and {1})", lambda p, q, r: not (p and q)),
        ("not ({0} or {1})", lambda p, q, r: not (p or q)),
    ),
    (
        ("{0} and ({1} or {2})", lambda p, q, r: p and (q or r)),
        ("{0} or ({1} and {2})", lambda p, q, r: p or (q and r)),
        ("({0} or {1}) and {2}", lambda p, q, r: (p or q) and r),
        ("({0} and {1}) or {2}", lambda p, q, r: (p and q) or r),
    ),
    (
        ("if {0} then ({1} and {2})", lambda p, q, r: not p or (q and r)),
        ("not ({0} or {1}) and {2}", lambda p, q, r: not (p or q) and r),
        ("not ({0} and {1}) or {2}", lambda p, q, r: not (p and q) or r),
        ("if ({0} or {1}) then {2}", lambda p, q, r: not (p or q) or r),
    ),
    (
        ("if {0} then (if {1} then {2})", lambda p, q, r: not p or not q or r),
        ("if (if {0} then {1}) then {2}", lambda p, q, r: not (not p or q) or r),
        ("(if {0} then {1}) and ({2} or {0})", lambda p, q, r: (not p or q) and (r or p)),
        ("exactly one of {0}, {1} and {2}", lambda p, q, r: p + q + r == 1),
        ("not (if {0} then ({1} or {2}))", lambda p, q, r: p and not q and not r),
    ),
)
_SHAPES = tuple(
    tuple(
        tuple(
            (text, planes)
            for text, truth_of in formulas
            if (planes := _planes(text, truth_of)[wanted])
        )
        for wanted in (False, True)
    )
    for formulas in _FORMULAS
)
_TIES = " 'Not' binds tightest, and 'or' is inclusive."
_NOTES = ("", " 'If A then B' is false only when A is true and B is false.")


def truth(rng: random.Random, level: int) -> Item:
    """Find the formula that is true, or the one that is false.

    The four formulas have the same form and the same letters, and differ in their negations. Level
    1 joins two of three letters by 'and' or 'or', 2 adds 'if' and negated pairs, 3 joins three of
    four letters, 4 nests negation and 'if', 5 nests deeper with five letters.
    """
    letters = sorted(sample(rng, "FGHJKLMPQRSTUVWXYZ", (3, 3, 4, 4, 5)[level - 1]))
    facts = [rng.random() < 0.5 for _ in letters]
    wanted = rng.random() < 0.5
    shape, planes = choice(rng, _SHAPES[level - 1][wanted])
    places = sample(rng, range(len(letters)), 3)

    def say(row: int) -> str:
        return shape.format(
            *(
                letters[place] if facts[place] == row >> i & 1 else f"not {letters[place]}"
                for i, place in enumerate(places)
            )
        )

    states = [
        f"{letter} is {'true' if fact else 'false'}"
        for letter, fact in zip(letters, facts, strict=True)
    ]
    given = ", ".join(states[:-1]) + " and " + states[-1]
    question = f"{given}. Which of these is {'true' if wanted else 'false'}?"
    rows = choice(rng, planes)
    return offer(question + _TIES + _NOTES[level in (2, 4, 5)], rows, say)
