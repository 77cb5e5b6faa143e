"""Families of mathematical problems, each with five levels; `stated` is the one of level 0.

Invariants: the same state of the random generator gives the same problem; the answer is exact
LaTeX; no formula in the question equals the answer.
"""

from textgym.envs.generation import Families
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
from textgym.envs.math.families.numbers import (
    exponents,
    fractions,
    percentages,
    roots,
    stated,
    steps,
)
from textgym.envs.math.families.sequences import arithmetic_series, geometric_series, recurrences
from textgym.envs.math.families.shapes import circles, coordinates, solids, triangles

__all__ = ["FAMILIES", "FIRST_RUNG", "LEVELS"]

LEVELS = (1, 2, 3, 4, 5)

FAMILIES = Families(
    steps, fractions, percentages, roots, exponents, linear_equations, systems, quadratics, vieta,
    inequalities, coefficients, values, logarithms, complex_numbers, derivatives, integrals, limits,
    extrema, tangents, divisors, remainders, congruences, bases, factorials, groups, words, paths,
    sharing, multiples, dice, urns, expectations, triangles, circles, coordinates, solids,
    arithmetic_series, geometric_series, recurrences, determinants, matrices, eigenvalues, vectors,
)  # fmt: skip

FIRST_RUNG = Families(stated)
