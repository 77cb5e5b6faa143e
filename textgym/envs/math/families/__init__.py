"""Families of mathematical problems, each drawn at one of five levels.

A family is a function of a random generator and a level. Invariants: the same generator state gives
the same problem; the answer is exact LaTeX; no formula in the question equals the answer.
"""

import random
from collections.abc import Callable

from .algebra import coefficients, inequalities, linear_equations, quadratics, systems, vieta
from .calculus import derivatives, extrema, integrals, limits, tangents
from .chance import dice, expectations, urns
from .counting import groups, multiples, paths, sharing, words
from .functions import complex_numbers, logarithms, values
from .integers import bases, congruences, divisors, factorials, remainders
from .matrices import determinants, eigenvalues, matrices, vectors
from .numbers import exponents, fractions, percentages, roots, steps
from .problem import Problem
from .sequences import arithmetic_series, geometric_series, recurrences
from .shapes import circles, coordinates, solids, triangles

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
