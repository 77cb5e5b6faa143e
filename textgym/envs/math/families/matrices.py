"""Linear algebra: determinants, products and inverses of matrices, eigenvalues, vectors.

Invariants: entries are integers, and answers are exact.
"""

import random
from collections.abc import Sequence
from fractions import Fraction

from textgym.envs.generation import choice, randint
from textgym.envs.math.families.problem import Number, Problem, nonzero, number, point, surd

Matrix = list[list[int]]


def _matrix(rng: random.Random, rows: int, columns: int, most: int = 9) -> Matrix:
    return [[randint(rng, -most, most) for _ in range(columns)] for _ in range(rows)]


def _latex(rows: Sequence[Sequence[Number]]) -> str:
    body = " \\\\ ".join(" & ".join(map(number, row)) for row in rows)
    return f"\\begin{{pmatrix}} {body} \\end{{pmatrix}}"


def _times(a: Matrix, b: Matrix) -> Matrix:
    return [
        [sum(x * y for x, y in zip(r, c, strict=True)) for c in zip(*b, strict=True)] for r in a
    ]


def determinant(a: Matrix) -> int:
    """Return the determinant of a matrix, expanded along the first row."""
    if len(a) == 1:
        return a[0][0]
    minors = ([row[:i] + row[i + 1 :] for row in a[1:]] for i in range(len(a)))
    return sum((-1) ** i * a[0][i] * determinant(minor) for i, minor in enumerate(minors))


def determinants(rng: random.Random, level: int) -> Problem:
    """Find a determinant.

    Level 1 has two rows, level 2 three rows and one of them has a single entry, level 3 three full
    rows, level 4 a product, level 5 four rows.
    """
    a = _matrix(rng, (2, 3, 3, 2, 4)[level - 1], (2, 3, 3, 2, 4)[level - 1], 9 - level)
    if level == 2:
        a[0][randint(rng, 1, 2)] = a[0][0] = 0
    value, given = determinant(a), f"$A = {_latex(a)}$"
    asked = "the determinant of $A$"
    if level == 4:
        b, k = _matrix(rng, 2, 2, 5), randint(rng, 2, 3)
        given += f" and $B = {_latex(b)}$"
        asked, value = f"the determinant of $A^{k} B$", value**k * determinant(b)
    ask = choice(rng, ("Let {}. What is {}?", "Find {1}, where {0}.", "If {}, what is {}?"))
    return Problem(ask.format(given, asked), str(value))


def matrices(rng: random.Random, level: int) -> Problem:
    """Calculate with matrices.

    Level 1 multiplies by a vector, level 2 multiplies two, level 3 takes a power, level 4 inverts,
    level 5 solves an equation of matrices.
    """
    a, b = _matrix(rng, 2, 2, 7), _matrix(rng, 2, 2, 7)
    if level >= 4 and not determinant(a):
        return matrices(rng, level)
    given, asked = f"$A = {_latex(a)}$ and $B = {_latex(b)}$", "the product $AB$"
    value: Sequence[Sequence[Number]] = _times(a, b)
    if level == 1:
        vector = _matrix(rng, 2, 1)
        given = f"$A = {_latex(a)}$ and $v = {_latex(vector)}$"
        asked, value = "the product $Av$", _times(a, vector)
    elif level == 3:
        n = choice(rng, (3, 4))
        given, asked, value = f"$A = {_latex(a)}$", f"the power $A^{n}$", _times(a, _times(a, a))
        if n == 4:
            value = _times(_times(a, a), _times(a, a))
    elif level >= 4:
        (p, q), (r, s) = a
        size = determinant(a)
        adjoint = [[s, -q], [-r, p]]
        product = adjoint if level == 4 else _times(adjoint, b)
        value = [[Fraction(entry, size) for entry in row] for row in product]
        given = given if level == 5 else f"$A = {_latex(a)}$"
        asked = "the matrix $X$ with $AX = B$" if level == 5 else "the inverse of $A$"
    answer = _latex(value)
    if answer in given:
        return matrices(rng, level)
    ask = choice(rng, ("Let {}. Find {}.", "If {}, what is {}?"))
    return Problem(ask.format(given, asked), answer)


def eigenvalues(rng: random.Random, level: int) -> Problem:
    """Find eigenvalues.

    Level 1 asks for the sum or product for a triangular matrix, level 2 for an integer eigenvalue,
    level 3 for the sum of squares, level 4 for one with a square root, level 5 for the largest of
    three.
    """
    p, q = randint(rng, -9, 9), randint(rng, -9, 9)
    a, k = randint(rng, -6, 6), nonzero(rng, 4)
    matrix = [[p, k], [0, q]]
    asked, answer = "its larger eigenvalue", str(max(p, q))
    if level == 1:
        asked, answer = choice(
            rng,
            (
                ("the sum of its two eigenvalues", str(p + q)),
                ("the product of its two eigenvalues", str(p * q)),
            ),
        )
    elif level == 2:  # a change of basis by [[1, 0], [k, 1]] keeps the eigenvalues
        matrix = [[p - k * k, k], [k * (p - q) - k**3, q + k * k]]
        if not matrix[1][0]:
            return eigenvalues(rng, level)
    elif level == 3:
        matrix = _matrix(rng, 2, 2)
        (p, q), (r, s) = matrix
        asked = "the sum of the squares of its eigenvalues, repeated and complex ones included"
        answer = str(p * p + s * s + 2 * q * r)
    elif level == 4:
        matrix = [[p + a, k], [randint(rng, 1, 9) * (1 if k > 0 else -1), p - a]]
        inside = a * a + k * matrix[1][0]
        root = surd(1, inside)
        if "sqrt" not in root:
            return eigenvalues(rng, level)
        asked, answer = "its larger eigenvalue, exactly", root if not p else f"{p} + {root}"
    elif level == 5:
        r, b = randint(rng, -9, 9), randint(rng, 1, 3)
        lower, upper = [[1, 0, 0], [k, 1, 0], [a, b, 1]], [[p, 0, 0], [0, q, 0], [0, 0, r]]
        inverse = [[1, 0, 0], [-k, 1, 0], [k * b - a, -b, 1]]
        mixed = _times(_times(lower, upper), inverse)
        turn, back = [[1, 1, 0], [0, 1, 1], [0, 0, 1]], [[1, -1, 1], [0, 1, -1], [0, 0, 1]]
        matrix, answer = _times(_times(turn, mixed), back), str(max(p, q, r))
        asked = "its largest eigenvalue"
    ask = choice(
        rng, ("Consider the matrix $A = {}$. Find {}.", "For the matrix $A = {}$, what is {}?")
    )
    return Problem(ask.format(_latex(matrix), asked), answer)


def vectors(rng: random.Random, level: int) -> Problem:
    """Calculate with vectors in space.

    Level 1 asks for a dot product, level 2 a length, level 3 a cross product, level 4 a triangle's
    area, level 5 a parallelepiped's volume.
    """
    u, v, w = ((randint(rng, -9, 9), randint(rng, -9, 9), randint(rng, -9, 9)) for _ in range(3))
    cross = (
        u[1] * v[2] - u[2] * v[1],
        u[2] * v[0] - u[0] * v[2],
        u[0] * v[1] - u[1] * v[0],
    )
    volume = abs(sum(x * y for x, y in zip(cross, w, strict=True)))
    if not volume:
        return vectors(rng, level)
    given = f"$u = {point(*u)}$ and $v = {point(*v)}$"
    asked, answer = (
        ("the dot product of $u$ and $v$", str(sum(x * y for x, y in zip(u, v, strict=True)))),
        (
            "the exact length of $u - v$",
            surd(1, sum((x - y) ** 2 for x, y in zip(u, v, strict=True))),
        ),
        ("the cross product $u \\times v$", point(*cross)),
        (
            "the exact area of the triangle that $u$ and $v$ span",
            surd(Fraction(1, 2), sum(x * x for x in cross)),
        ),
        ("the volume of the parallelepiped that $u$, $v$ and $w$ span", str(volume)),
    )[level - 1]
    if level == 5:
        given = f"$u = {point(*u)}$, $v = {point(*v)}$ and $w = {point(*w)}$"
    ask = choice(rng, ("Let {}. Find {}.", "If {}, what is {}?"))
    return Problem(ask.format(given, asked), answer)
