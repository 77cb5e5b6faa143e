r"""The computations that are left in a formula: steps of arithmetic, operations, and padding.

A step combines two numbers, two like terms or two powers of one base, or divides numbers. Padding
is a part that has no effect on the value, such as `+0`, `^1` or `\frac{\pi}{\pi}`. There is nothing
left to compute in a fraction in lowest terms, a mixed number, scientific notation, and the product
of a number with a root or a variable.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache, reduce
from math import gcd, isqrt, prod
from typing import NamedTuple

from textgym.verifiers.math.written import Node

__all__ = ["Left", "is_closed", "is_simplified_root", "leaves_in", "left_in"]

_MAX_FACTOR = 1000  # whose square is searched for in a radicand
_CONSTANTS = frozenset(["e", "i", "\\pi", "\\infty", "\\emptyset"])


@dataclass
class Left:
    """The computations that are left in a formula.

    Attributes:
        steps: For each step, the numbers that it combines, without signs.
        kinds: The kinds of operators, and of functions, roots and powers of numbers.
        padding: The number of parts that have no effect.
        ratios: The fractions of two integers, without signs.
        radicands: The numbers under roots, without signs.
        irrational_denominators: The number of fractions with a root or another irrational number in
            the denominator.
    """

    steps: list[frozenset[Fraction]] = field(default_factory=list)
    kinds: set[str] = field(default_factory=set)
    padding: int = 0
    ratios: list[tuple[int, int]] = field(default_factory=list)
    radicands: list[Fraction] = field(default_factory=list)
    irrational_denominators: int = 0

    @property
    def reducible(self) -> list[tuple[int, int]]:
        """The ratios that are not in lowest terms."""
        return [ratio for ratio in self.ratios if ratio[1] and gcd(*ratio) > 1]

    def step(self, *nodes: Node, times: int = 1) -> None:
        """Record a step that combines the numbers of some nodes."""
        self.steps += [frozenset().union(*map(_numbers_in, nodes)) - {0, 1}] * times


@lru_cache(4096)
def left_in(node: Node) -> Left:
    r"""Return the computations that are left in a formula.

    Example:
        >>> from textgym.verifiers.math.written import read_written
        >>> len(left_in(read_written("34 + 12")).steps), left_in(read_written("x^1 + 0")).padding
        (1, 2)
        >>> left_in(read_written(r"\frac{3\sqrt{2}}{7}")).steps
        []
    """
    left = Left()
    _visit(node, left)
    return left


class _Term(NamedTuple):
    """Numbers and other factors in a term's numerator and denominator, and its minus signs."""

    above: list[Node]
    below: list[Node]
    others: list[Node]
    others_below: list[Node]
    signs: int


def _visit(node: Node, left: Left) -> None:
    if node.kind == "sum":
        _visit_sum(node, left)
    elif node.kind in ("product", "quotient", "negative"):
        _visit_term(node, left)
    elif node.kind == "power":
        _visit_power(node, left)
    elif node.kind == "root":
        _visit_root(node, left)
    elif node.kind == "function":
        operators = ("factorial", "binomial")
        if node.text in operators or all(map(is_closed, node.parts)):
            left.kinds.add(node.text)
        for part in node.parts:
            _visit(part, left)
    else:
        for part in node.parts:
            _visit(part, left)


def _visit_sum(node: Node, left: Left) -> None:
    like: dict[object, list[Node]] = {}
    for term in node.parts:
        parts = _taken_apart(term)
        kinds = [part.kind for part in parts.others]
        if term.kind == "sum" or (not parts.above and kinds == ["sum"]):
            left.step(term)  # brackets that could be removed
        is_number = not parts.others and not parts.others_below
        if is_number and [number.value for number in parts.above] == [0]:
            left.padding += 1
        like.setdefault(_likeness(parts), []).append(term)
        _visit(term, left)
    for terms in like.values():
        left.step(*terms, times=len(terms) - 1)


def _likeness(term: _Term) -> object:
    """Return a key that is the same for like terms."""
    others = (part for part in term.others if not _is_power_of_ten(part))
    return frozenset(Counter(others).items()), frozenset(Counter(term.others_below).items())


def _visit_term(node: Node, left: Left) -> None:
    term = _taken_apart(node)
    above, below = term.above, term.below
    factors = len(above) + len(below) + len(term.others) + len(term.others_below)
    scientific = [part for part in term.others if _is_power_of_ten(part)]
    left.padding += max(0, term.signs - 1)
    left.padding += sum(part.value in (0, 1) for part in below)
    ones = sum(part.value == 1 for part in above)
    is_needed = scientific or below or term.others_below or factors == 1
    left.padding += max(0, ones - 1) if is_needed else ones
    if len(above) > 1:
        left.step(*above, times=len(above) - 1)
    if len(below) > 1:
        left.step(*below, times=len(below) - 1)
    if above and below:
        _visit_ratio(above, below, left)
    if below and not _is_whole(below[0].value):
        left.step(*above, *below)
    others = term.others + term.others_below
    left.padding += len({*term.others} & {*term.others_below})
    left.padding += max(0, sum(part.text == "i" for part in others) - 1)
    bases = [
        part.parts[0] if part.kind == "power" else part for part in others if part not in scientific
    ]
    left.step(*others, times=len(bases) - len({*bases}))
    left.step(*scientific, times=max(0, len(scientific) - 1))
    roots = [part for part in others if part.kind == "root" and is_closed(part)]
    left.step(*roots, times=max(0, len(roots) - 1))
    sums = [part for part in others if part.kind == "sum"]
    closed = [part for part in sums if is_closed(part)]
    left.step(*closed, times=max(0, len(closed) - 1))
    if below and not (term.others_below or term.above) and len(sums) == 1:
        _visit_ratio_of_sum(sums[0], below[0], left)
    left.irrational_denominators += any(
        is_closed(part) and part.text != "i" for part in term.others_below
    )
    is_applied = term.others and term.others[0].kind == "name" and not (above or below)
    has_list = any(part.kind == "list" for part in others)
    if (has_list and not is_applied) or [part.kind for part in others].count("matrix") > 1:
        left.kinds.add("operation on a list")
    for part in others:
        _visit(part, left)


def _visit_ratio(above: list[Node], below: list[Node], left: Left) -> None:
    values = [prod((part.value for part in parts), start=Fraction(1)) for parts in (above, below)]
    if all(map(_is_whole, values)):
        left.ratios.append((abs(int(values[0])), abs(int(values[1]))))
    else:
        left.step(above[0], below[0])


def _visit_ratio_of_sum(total: Node, below: Node, left: Left) -> None:
    """Record a fraction of a sum: its value, or else the common factor of its terms."""
    if not _is_whole(below.value):
        return
    value = _value(total)
    if value is None:
        numbers = [_taken_apart(term).above for term in total.parts]
        values = [factors[0].value if factors else Fraction(1) for factors in numbers]
        if not all(map(_is_whole, values)):
            return
        value = Fraction(reduce(gcd, (abs(int(value)) for value in values)))
    if _is_whole(value) and gcd(int(value), int(below.value)) > 1:
        left.ratios.append((abs(int(value)), int(below.value)))


def _visit_power(node: Node, left: Left) -> None:
    base, exponent = node.parts
    if exponent.kind == "number" and exponent.value in (0, 1) and not _is_power_of_ten(node):
        left.padding += 1
    if base.kind == "power" or (base.kind == "name" and base.text == "i"):
        left.step(base, exponent)
    elif base.kind == "matrix":
        left.kinds.add("power of a matrix")
    elif is_closed(node) and not _is_power_of_ten(node):
        if base.text == "e":
            left.kinds.add("exponential")
        elif _is_whole_number(exponent):
            left.kinds.add("power")
        else:
            left.kinds.add("root")
            left.radicands += [abs(base.value)] if base.kind == "number" else []
    _visit(base, left)
    _visit(exponent, left)


def _visit_root(node: Node, left: Left) -> None:
    radicand = node.parts[0]
    if is_closed(node):
        left.kinds.add("root")
        value, term = _value(radicand), _taken_apart(radicand)
        if value is not None:
            left.radicands.append(abs(value))
        is_written_out = len(term.above) == 1 and not term.above[0].text.isdigit()
        has_factors = bool(term.others) and {part.kind for part in term.others} != {"sum"}
        if has_factors or (is_written_out and not term.below):
            left.step(radicand)
    for part in node.parts:
        _visit(part, left)


def _value(node: Node) -> Fraction | None:
    """Return the value of arithmetic with rational numbers; None for any other formula."""
    if node.kind == "number":
        return node.value
    parts = [_value(part) for part in node.parts]
    numbers = [part for part in parts if part is not None]
    if len(numbers) < len(parts) or not numbers:
        return None
    if node.kind == "negative":
        return -numbers[0]
    if node.kind == "sum":
        return sum(numbers, Fraction())
    if node.kind == "product":
        return prod(numbers, start=Fraction(1))
    return numbers[0] / numbers[1] if node.kind == "quotient" and numbers[1] else None


def _taken_apart(node: Node) -> _Term:
    term = _Term([], [], [], [], 0)
    signs = _take_apart(node, term, is_below=False)
    return term._replace(signs=signs)


def _take_apart(node: Node, term: _Term, is_below: bool) -> int:
    """Add the factors of a node to a term, and return the number of minus signs."""
    if node.kind == "negative":
        return 1 + _take_apart(node.parts[0], term, is_below)
    if node.kind == "product":
        return sum([_take_apart(part, term, is_below) for part in node.parts])
    if node.kind == "quotient":
        over, under = node.parts
        return _take_apart(over, term, is_below) + _take_apart(under, term, not is_below)
    if node.kind == "number":
        (term.below if is_below else term.above).append(node)
    else:
        (term.others_below if is_below else term.others).append(node)
    return 0


def _is_power_of_ten(node: Node) -> bool:
    if node.kind != "power":
        return False
    base, exponent = node.parts
    return base.kind == "number" and base.value == 10 and _is_whole_number(exponent)


def _is_whole_number(node: Node) -> bool:
    node = node.parts[0] if node.kind == "negative" else node
    return node.kind == "number" and _is_whole(node.value)


def _is_whole(value: Fraction) -> bool:
    return value.denominator == 1


def is_closed(node: Node) -> bool:
    """Return whether a formula contains no variable."""
    return all(part.kind != "name" or part.text in _CONSTANTS for part in node.walk())


def leaves_in(node: Node) -> int:
    """Return the number of leaves of a formula: numbers, names and words."""
    return sum(not part.parts for part in node.walk())


def _numbers_in(node: Node) -> frozenset[Fraction]:
    return frozenset(abs(part.value) for part in node.walk() if part.kind == "number")


def is_simplified_root(radicand: Fraction) -> bool:
    """Return whether a radicand is an integer of 2 or more without a square factor.

    Example:
        >>> is_simplified_root(Fraction(30)), is_simplified_root(Fraction(180))
        (True, False)
    """
    whole = radicand.numerator
    if radicand.denominator != 1 or whole < 2:
        return False
    root = isqrt(whole)
    largest = min(root, _MAX_FACTOR)
    return root * root != whole and all(whole % (n * n) for n in range(2, largest + 1))
