"""Arithmetic with redefined signs and another order of operations.

An expression is a list of numbers and a list of the signs between them. The contents of rules are
`("sign", sign, meaning, k, condition)` and `("order", direction, ranks)`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from itertools import islice, permutations
from typing import NamedTuple

from textgym.envs.generation import choice, listing, randint, sample
from textgym.envs.redefined_rules.families.puzzle import Content, Puzzle, Rule, changed, worded

__all__ = [
    "CONDITIONS", "MEANINGS", "SIGNS", "USUAL_ORDER", "evaluate", "operators", "precedence",
    "written",
]  # fmt: skip


PLUS, MINUS, TIMES = SIGNS = ("+", "−", "×")
USUAL_ORDER: Content = ("order", "left", ((TIMES,), (PLUS, MINUS)))


class Meaning(NamedTuple):
    """What a sign may do with the number on its left, the one on its right, and a third one."""

    phrase: str
    apply: Callable[[int, int, int], int]
    usual_of: str = ""


MEANINGS = {
    "sum": Meaning("adds the two numbers beside it", lambda a, b, k: a + b, PLUS),
    "difference": Meaning(
        "takes the number on its right away from the number on its left",
        lambda a, b, k: a - b,
        MINUS,
    ),
    "product": Meaning("multiplies the two numbers beside it", lambda a, b, k: a * b, TIMES),
    "turned difference": Meaning(
        "takes the number on its left away from the number on its right", lambda a, b, k: b - a
    ),
    "left heavy": Meaning(
        "adds {k} times the number on its left to the number on its right",
        lambda a, b, k: k * a + b,
    ),
    "right heavy": Meaning(
        "adds {k} times the number on its right to the number on its left",
        lambda a, b, k: a + k * b,
    ),
    "sum and more": Meaning(
        "adds the two numbers beside it, and then {k} more", lambda a, b, k: a + b + k
    ),
    "product and more": Meaning(
        "multiplies the two numbers beside it and adds {k} to their product",
        lambda a, b, k: a * b + k,
    ),
    "product and less": Meaning(
        "multiplies the two numbers beside it and takes {k} away from their product",
        lambda a, b, k: a * b - k,
    ),
    "sum, times": Meaning(
        "adds the two numbers beside it and multiplies their sum by {k}",
        lambda a, b, k: (a + b) * k,
    ),
    "gap, times": Meaning(
        "takes the smaller of the two numbers beside it away from the larger and multiplies the "
        "difference by {k}",
        lambda a, b, k: abs(a - b) * k,
    ),
    "larger, times": Meaning(
        "multiplies the larger of the two numbers beside it by {k}, and the smaller does not count",
        lambda a, b, k: max(a, b) * k,
    ),
    "smaller, times": Meaning(
        "multiplies the smaller of the two numbers beside it by {k}, and the larger does not count",
        lambda a, b, k: min(a, b) * k,
    ),
}
_USUAL = {meaning.usual_of: meaning.apply for meaning in MEANINGS.values() if meaning.usual_of}

CONDITIONS: dict[str, Callable[[int, int], bool]] = {
    "the number on its left is odd": lambda a, b: a % 2 == 1,
    "the number on its left is even": lambda a, b: a % 2 == 0,
    "the number on its right is odd": lambda a, b: b % 2 == 1,
    "the number on its right is even": lambda a, b: b % 2 == 0,
    "the number on its left is larger than the one on its right": lambda a, b: a > b,
    "the number on its left is smaller than the one on its right": lambda a, b: a < b,
}


def written(numbers: Sequence[int], signs: Sequence[str]) -> str:
    """Return an expression as text.

    Example:
        >>> written([2, 3, 4], "+×")
        '2 + 3 × 4'
    """
    rest = (f" {sign} {number}" for sign, number in zip(signs, numbers[1:], strict=True))
    return f"{numbers[0]}{''.join(rest)}"


def evaluate(numbers: Sequence[int], signs: Sequence[str], contents: Sequence[Content]) -> int:
    """Return the value of an expression under the given rules; a later rule wins.

    Example:
        >>> evaluate([2, 3, 4], "+×", ())
        14
        >>> evaluate([2, 3, 4], "+×", [("order", "left", (("+", "−", "×"),))])
        20
        >>> evaluate([2, 3, 4], "+×", [("sign", "+", "sum, times", 5, "")])
        70
    """
    order = USUAL_ORDER
    rules: dict[str, Content] = {}
    for content in contents:
        if content[0] == "order":
            order = content
        else:
            rules[content[1]] = content
    _, direction, ranks = order
    values, left = list(numbers), list(signs)
    for rank in ranks:
        while True:
            places = [place for place, sign in enumerate(left) if sign in rank]
            if not places:
                break
            place = places[0 if direction == "left" else -1]
            sign = left.pop(place)
            right = values.pop(place + 1)
            values[place] = _apply(sign, values[place], right, rules.get(sign))
    return values[0]


def _apply(sign: str, a: int, b: int, rule: Content | None) -> int:
    if rule is None:
        return _USUAL[sign](a, b, 0)
    _, _, meaning, k, condition = rule
    if condition and not CONDITIONS[condition](a, b):
        return _USUAL[sign](a, b, 0)
    return MEANINGS[meaning].apply(a, b, k)


_SIGN_FRAMES = (
    "the sign {sign} has a meaning of its own here: it {does}.",
    "in this exercise, the sign {sign} {does}.",
    "let us agree that the sign {sign} {does}.",
    "on this sheet, the sign {sign} {does}.",
)
_CONDITION_FRAMES = (
    "where {condition}, the sign {sign} {does}; otherwise it has its usual meaning.",
    "the sign {sign} keeps its usual meaning, except where {condition}: there it {does}.",
    "if {condition}, the sign {sign} {does}, and if not, it has its usual meaning.",
)
_ORDER_FRAMES = (
    "in this exercise, {order}.",
    "the order of operations is another one here: {order}.",
    "we work in another order than usual: {order}.",
)
_USUAL_ORDER = (
    "The order of operations stays as it is: × before + and −, and signs of the same rank from "
    "left to right."
)
_RESULTS = "What stands beside a sign may be the result of another sign."
_MOST_ORDERS = 2  # of the 26 that there are, with the same result
_QUESTIONS = ("What is {}?", "How much is {}?", "Calculate {}.", "Work out {}.")
_WAYS = ("left", "right")
_SIZES = ((3,), (1, 2), (2, 1), *3 * ((1, 1, 1),))  # of groups of signs with the same rank
_FORM = "the result as a number"


def operators(rng: random.Random, level: int) -> Puzzle:
    """Calculate with signs that have other meanings."""
    one, other, _ = sample(rng, SIGNS, 3)
    rules = [_sign_rule(rng, one, replaced=level == 5)]
    if level >= 3:
        rules.append(_sign_rule(rng, other, conditional=level >= 4))
    if level == 5:
        rules.append(changed(rng, "the sign " + one, _sign_rule(rng, one)))
    count = (0, 2, 4, 4, 5, 5)[level]
    return _draft(rng, rules, [one, other] if level >= 3 else [one], count)


def precedence(rng: random.Random, level: int) -> Puzzle:
    """Calculate in another order, on higher levels also with signs that have other meanings."""
    one, other, _ = sample(rng, SIGNS, 3)
    rules = [_order_rule(rng, replaced=level == 5)]
    if level >= 3:
        rules.append(_sign_rule(rng, one, conditional=level >= 4))
    if level == 5:
        rules.append(_sign_rule(rng, other))
        rules.append(changed(rng, "the order of operations", _order_rule(rng)))
    while True:
        draft = _draft(rng, rules, SIGNS, (0, 6, 7, 5, 6, 6)[level])
        if level > 2 or not _is_common(draft):
            return draft


def _is_common(draft: Puzzle) -> bool:
    """Tell whether many orders give the answer, so that it is known without reading which holds."""
    answer = draft.solve([draft.rules[0].content])
    same = (order for order in _orders() if draft.solve([order]) == answer)
    return len(list(islice(same, _MOST_ORDERS + 1))) > _MOST_ORDERS


def _sign_rule(
    rng: random.Random, sign: str, conditional: bool = False, replaced: bool = False
) -> Rule:
    names = [name for name, meaning in MEANINGS.items() if meaning.usual_of != sign]
    name = choice(rng, names)
    phrase = MEANINGS[name].phrase
    k = randint(rng, 2, 9) if "{k}" in phrase else 0
    condition = choice(rng, tuple(CONDITIONS)) if conditional else ""
    frames = _CONDITION_FRAMES if conditional else _SIGN_FRAMES
    text = worded(rng, frames, sign=sign, does=phrase.format(k=k), condition=condition)
    return Rule(("sign", sign, name, k, condition), text, not replaced)


def _order_rule(rng: random.Random, replaced: bool = False) -> Rule:
    content = USUAL_ORDER
    while content == USUAL_ORDER:
        ranks = _ranks(sample(rng, SIGNS, 3), choice(rng, _SIZES))
        content = ("order", choice(rng, _WAYS), tuple(ranks))
    return Rule(content, worded(rng, _ORDER_FRAMES, order=_order_text(content)), not replaced)


def _ranks(signs: Sequence[str], sizes: Sequence[int]) -> Iterator[tuple[str, ...]]:
    """Yield groups of signs with the same rank, the one that is worked out first before others."""
    for size in sizes:
        yield tuple(sign for sign in SIGNS if sign in signs[:size])
        signs = signs[size:]


@cache
def _orders() -> set[Content]:
    """Return all orders of operations."""
    return {
        ("order", way, tuple(_ranks(signs, sizes)))
        for way in _WAYS
        for signs in permutations(SIGNS)
        for sizes in _SIZES
    }


def _order_text(content: Content) -> str:
    _, direction, ranks = content
    way = "from left to right" if direction == "left" else "from right to left, the last one first"
    groups = [listing(rank) for rank in ranks]
    if len(groups) == 1:
        return f"all signs have the same rank, and they are worked out strictly {way}"
    if len(groups) == 2:
        verb = "come" if len(ranks[0]) > 1 else "comes"
        return f"{groups[0]} {verb} before {groups[1]}, and signs of the same rank go {way}"
    first, second, third = groups
    ranks_text = f"{first} comes first, then {second}, and {third} last"
    return f"{ranks_text}, and signs of the same kind go {way}"


def _draft(rng: random.Random, rules: list[Rule], needed: Sequence[str], count: int) -> Puzzle:
    signs = [*needed][: count - 1]
    signs += [choice(rng, SIGNS) for _ in range(count - 1 - len(signs))]
    signs = sample(rng, signs, len(signs))
    numbers = [randint(rng, 2, 9 if count > 2 else 30) for _ in range(count)]
    expression = written(numbers, signs)
    question = worded(rng, _QUESTIONS, expression)
    if any(rule.content[0] == "sign" for rule in rules) and count > 2:
        question = f"{_RESULTS}\n\n{question}"
        if rules[0].content[0] == "sign":
            question = f"{_USUAL_ORDER} {question}"
    return Puzzle(rules, question, expression, _FORM, partial(evaluate, numbers, signs))
