r"""A policy that writes a generated problem as one formula and computes nothing."""

from __future__ import annotations

import re
from collections.abc import Callable

_F = r"\$([^$]+)\$"
_STEP = re.compile(
    rf"(?P<kind>Start with|Add|Subtract|Multiply by|Divide by|Square the result)(?: {_F})?\."
)


def _chain(question: str) -> str:
    formula = ""
    for step in _STEP.finditer(question):
        number = step[2]
        formula = {
            "Start with": f"{number}",
            "Add": f"{formula} + {number}",
            "Subtract": f"{formula} - {number}",
            "Multiply by": f"({formula}) \\cdot {number}",
            "Divide by": f"\\frac{{{formula}}}{{{number}}}",
            "Square the result": f"({formula})^2",
        }[step["kind"]]
    return formula


def _template(pattern: str, formula: str) -> Callable[[str], str]:
    compiled = re.compile(pattern)

    def translate(question: str) -> str:
        found = compiled.search(question)
        return formula.format(*found.groups()) if found else ""

    return translate


_TEMPLATES = (
    _chain,
    _template(rf"(?:What is|Find) \$(\d+)\\%\$ of {_F}", "\\frac{{{0}}}{{100}} \\cdot {1}"),
    _template(rf"raised by \$(\d+)\\%\$ and is now {_F}", "\\frac{{100 \\cdot {1}}}{{100 + {0}}}"),
    _template(rf"whose square is {_F}", "\\sqrt{{{0}}}"),
    _template(rf"A square has area {_F}", "\\sqrt{{{0}}}"),
    _template(r"\$(\d+) \\times (\d+)\$. How long|\$(\d+) \\times (\d+)\$. Find the length",
              "\\sqrt{{{0}^2 + {1}^2}}"),
    _template(r"\$(\d+) \\times (\d+) \\times (\d+)\$", "\\sqrt{{{0}^2 + {1}^2 + {2}^2}}"),
    _template(rf"square roots of {_F} and {_F}, and subtract that of {_F}",
              "\\sqrt{{{0}}} + \\sqrt{{{1}}} - \\sqrt{{{2}}}"),
    _template(rf"reciprocal of {_F}", "\\frac{{1}}{{{0}}}"),
    _template(rf"must {_F} be multiplied to give", "\\frac{{1}}{{{0}}}"),
    _template(rf"remainder of {_F} on division by {_F}", "{0} \\bmod {1}"),
    _template(rf"number {_F} is divided by {_F} with remainder", "{0} \\mod {1}"),
    _template(r"z = ([^$]+)\$ and \$w = ([^$]+)\$. Find the sum", "({0}) + ({1})"),
    _template(r"z = ([^$]+)\$ and \$w = ([^$]+)\$. Find the difference", "({0}) - ({1})"),
    _template(r"z = ([^$]+)\$ and \$w = ([^$]+)\$. Find the product", "({0})({1})"),
    _template(r"z = ([^$]+)\$ and \$w = ([^$]+)\$. Find the quotient of \$z\$ by",
              "\\frac{{{0}}}{{{1}}}"),
    _template(r"z = ([^$]+)\$ and \$w = ([^$]+)\$. Find the quotient of \$z\^3\$ by",
              "\\frac{{({0})^3}}{{{1}}}"),
    _template(r"f\(x\) = ([^$]+)\$ over \$x\$ from \$(-?\d+)\$ to \$(-?\d+)",
              "\\int_{{{1}}}^{{{2}}} {0} dx"),
    _template(r"derivative of \$f\(x\) = ([^$]+)", "\\frac{{d}}{{dx}} ({0})"),
    _template(r"limit of \$([^$]+)\$ for \$x \\to ([^$]+)", "\\lim_{{x \\to {1}}} {0}"),
    _template(r"A = (\\begin\{pmatrix\}.+?\\end\{pmatrix\})\$.*determinant", "\\det {0}"),
    _template(r"determinant of \$A\$, where \$A = (\\begin\{pmatrix\}.+?\\end\{pmatrix\})",
              "\\det {0}"),
    _template(r"A = (\\begin\{pmatrix\}.+?\\end\{pmatrix\})\$ and \$v = (\\begin\{pmatrix\}.+?"
              r"\\end\{pmatrix\})", "{0} {1}"),
    _template(r"A = (\\begin\{pmatrix\}.+?\\end\{pmatrix\})\$. Find the power \$A\^(\d)",
              "{0}^{1}"),
    _template(rf"divides both {_F} and {_F}", "\\gcd({0}, {1})"),
    _template(rf"has {_F} members.*teams of {_F} members", "\\binom{{{0}}}{{{1}}}"),
    _template(rf"radius {_F}\?.*", "2 \\cdot {0} \\pi"),
    _template(rf"ball has radius {_F}", "\\frac{{4}}{{3}} \\pi ({0})^3"),
    _template(rf"legs of a right triangle are {_F} and {_F}", "\\frac{{{0} \\cdot {1}}}{{2}}"),
    _template(r"from \$\((-?\d+), (-?\d+)\)\$ to \$\((-?\d+), (-?\d+)\)",
              "(\\frac{{{0} + {2}}}{{2}}, \\frac{{{1} + {3}}}{{2}})"),
    _template(r"\$\\log_\{(\d+)\} x = (\d+)", "{0}^{{{1}}}"),
    _template(rf"first term {_F} and ratio {_F}. Find its (\d+)", "{0} \\cdot {1}^{{{2} - 1}}"),
    _template(rf"numbered {_F} to {_F} is thrown. Find the expected", "\\frac{{{0} + {1}}}{{2}}"),
    _template(r"u = \((-?\d+), (-?\d+), (-?\d+)\)\$ and \$v = \((-?\d+), (-?\d+), (-?\d+)\)\$."
              " Find the dot", "{0} \\cdot {3} + {1} \\cdot {4} + {2} \\cdot {5}"),
    _template(r"Solve ([^$]*)\$([^$]*[<>][^$]*)\$|Solve \$([^$]*\\[lg]e [^$]*)\$", "{1}"),
    _template(rf"balls among {_F} people", "\\binom{{{0}}}{{2}}"),
    _template(r"Solve \$([^$]*x[^$]*=[^$]*)\$", "{0}"),
)  # fmt: skip


def translate(question: str) -> str:
    """Return a formula with the value of the answer, or "" if no template fits."""
    return next(filter(None, (template(question) for template in _TEMPLATES)), "")
