"""Families of mathematical problems, each drawn at one of five levels.

A family is a function of a random generator and a level. Invariants: the same generator state gives
the same problem; the answer is exact LaTeX; no formula in the question equals the answer.
"""

import random
from collections.abc import Callable

from textgym.envs.math.families.algebra import (
    coefficients,
    complex_numbers,
    inequalities,
    linear_equations,
    logarithms,
    quadratics,
    systems,
    values,
    vieta,
)
from textgym.envs.math.families.calculus import derivatives, extrema, integrals, limits, tangents
from textgym.envs.math.families.counting import (
    dice,
    expectations,
    groups,
    multiples,
    paths,
    sharing,
    urns,
    words,
)
from textgym.envs.math.families.integers import bases, congruences, divisors, factorials, remainders
from textgym.envs.math.families.matrices import determinants, eigenvalues, matrices, vectors
from textgym.envs.math.families.numbers import exponents, fractions, percentages, roots, steps
from textgym.envs.math.families.problem import Problem
from textgym.envs.math.families.sequences import arithmetic_series, geometric_series, recurrences
from textgym.envs.math.families.shapes import circles, coordinates, solids, triangles

__all__ = ["FAMILIES", "LEVELS", "Problem", "draw"]

LEVELS = (1, 2, 3, 4, 5)

FAMILIES: dict[str, Callable[[random.Random, int], Problem]] = {
    family.__name__: family
    for family in (
        steps, fractions, percentages, roots, exponents, linear_equations, systems, quadratics,
        vieta, inequalities, coefficients, values, logarithms, complex_numbers, derivatives,
        integrals, limits, extrema, tangents, divisors, remainders, congruences, bases, factorials,
        groups, words, paths, sharing, multiples, dice, urns, expectations, triangles, circles,
        coordinates, solids, arithmetic_series, geometric_series, recurrences, determinants,
        matrices, eigenvalues, vectors,
    )
}  # fmt: skip
_NAMES = tuple(FAMILIES)


def draw(rng: random.Random, level: int) -> tuple[str, Problem]:
    """Draw a family, with equal probabilities, and a problem of it."""
    name = _NAMES[int(rng.random() * len(_NAMES))]
    return name, FAMILIES[name](rng, level)
