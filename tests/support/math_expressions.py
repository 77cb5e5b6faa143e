"""A grammar that generates mathematical expressions of every kind, valid and invalid."""

from __future__ import annotations

import random

GOLDS = (
    "0", "1", "5", "-3", "\\frac{1}{2}", "0.75", "\\sqrt{2}", "2\\sqrt{3}", "\\pi", "e^2", "3+4i",
    "\\infty", "-\\infty", "x", "x+1", "x^2-4", "(1,2)", "\\{1,2,3\\}", "[0,1)", "(-\\infty,3]",
    "(-\\infty,2)\\cup(14,\\infty)", "\\begin{pmatrix}1&2\\\\3&4\\end{pmatrix}", "x=7", "y=2x+3",
    "x>8", "x^2+y^2=9", "x^2+y^2=-1", "\\text{even}", "\\emptyset", "\\mathbb{R}", "10\\%",
    "12\\text{ cm}", "\\frac{n(n+1)}{2}", "\\sin x", "\\{x,-x\\}", "(4,\\pi,6)",
)  # fmt: skip
"""Correct answers of every type, no two of which are equal."""

_ATOMS = (
    "0", "1", "2", "3", "5", "7", "-1", "-3", "0.5", "0.75", "0.0", "1.5", "0.333333", "10", "100",
    "1000000", "\\infty", "-\\infty", "\\pi", "e", "i", "x", "y", "n", "\\emptyset", "\\mathbb{R}",
    "\\text{even}", "\\text{odd}", "\\text{True}", "even", "x^2", "\\sqrt{2}", "\\frac{1}{2}",
    "\\frac{0}{0}", "\\frac{1}{0}", "0^0", "\\log{0}", "\\ln{0}", "\\tan{\\frac{\\pi}{2}}",
    "1^{\\infty}", "\\infty-\\infty", "\\frac{\\infty}{\\infty}", "0\\cdot\\infty", "\\sqrt{-1}",
    "0^{-1}", "\\zeta", "\\alpha", "\\{\\}", "()", "[]", "\\ldots", "\\text{undefined}", "\\bot",
    "\\%", "5\\%", "90^\\circ", "\\theta", "\\Gamma", "\\gamma", "\\phi",
)  # fmt: skip
_UNARY = (
    "-{}", "\\sqrt{{{}}}", "\\sqrt[3]{{{}}}", "|{}|", "\\ln{{{}}}", "\\log{{{}}}", "\\log_2{{{}}}",
    "\\sin{{{}}}", "\\cos{{{}}}", "\\tan{{{}}}", "\\arctan{{{}}}", "\\arcsin{{{}}}", "e^{{{}}}",
    "\\lfloor {} \\rfloor", "\\lceil {} \\rceil", "({})!", "({})^2", "({})^{{-1}}", "\\exp({})",
    "\\frac{{d}}{{dx}} {}", "\\int {} dx", "\\int_0^1 {} dx", "\\lim_{{x \\to 0}} {}",
    "\\lim_{{x \\to \\infty}} {}", "\\sum_{{n=1}}^{{\\infty}} {}", "\\sum_{{n=1}}^{{5}} {}",
    "\\prod_{{n=1}}^{{\\infty}} {}", "\\{{{}\\}}", "({})", "[{}]", "\\pm {}", "{}\\%", "{}^\\circ",
    "{} \\text{{ cm}}", "\\text{{{}}}", "\\mathrm{{{}}}", "x = {}", "{} = x", "x > {}", "x \\in {}",
    "x \\ne {}", "\\overline{{{}}}", "\\vec{{{}}}", "{}_2", "f({})", "\\operatorname{{rank}}({})",
    "\\operatorname{{Re}}({})", "\\begin{{cases}} {} & x > 0 \\\\ 1 & x \\le 0 \\end{{cases}}",
    "\\det\\begin{{pmatrix}} {} & 1 \\\\ 0 & 1 \\end{{pmatrix}}", "\\neg {}", "{}'", "{}^T",
    "\\left. {} \\right|_{{x=1}}", "\\binom{{{}}}{{2}}", "\\hat{{{}}}", "\\sup {}", "\\Gamma({})",
    "\\mathbb{{R}} \\setminus {}", "\\begin{{pmatrix}} {} \\\\ 1 \\end{{pmatrix}}", "\\boxed{{{}}}",
)  # fmt: skip
_BINARY = (
    "{} + {}", "{} - {}", "{} \\cdot {}", "{}{}", "({})({})", "\\frac{{{}}}{{{}}}", "{}/{}",
    "{} : {}", "({})^{{{}}}", "{}^{}", "\\max({}, {})", "\\min({}, {})", "\\gcd({}, {})",
    "{} \\mod {}", "\\binom{{{}}}{{{}}}", "\\log_{{{}}}{{{}}}", "({}, {})", "[{}, {}]", "[{}, {})",
    "({}, {}]", "\\{{{}, {}\\}}", "{}, {}", "{} \\text{{ or }} {}", "{} \\text{{ and }} {}",
    "{} = {}", "{} < {}", "{} \\le {}", "{} < x < {}", "{} \\ge x > {}", "{} \\ne {}",
    "{} \\approx {}", "{} \\cup {}", "{} \\cap {}", "{} \\setminus {}", "{} \\subset {}",
    "{} \\in {}", "{} \\equiv {}", "{} \\pm {}", "\\sum_{{n={}}}^{{{}}} n",
    "\\int_{{{}}}^{{{}}} x dx", "\\lim_{{x \\to {}}} {}", "\\begin{{pmatrix}} {} & {} \\\\ 3 & 4 "
    "\\end{{pmatrix}}", "{} \\land {}", "{} \\lor {}", "{} \\to {}", "{}; {}", "x = {}, y = {}",
    "{} \\times {}", "{} \\div {}", "\\sqrt[{}]{{{}}}", "{} \\mid {}", "\\langle {}, {} \\rangle",
    "{} = x = {}", "{} = {} = 5", "\\operatorname{{lcm}}({}, {})", "{} \\text{{ if }} {}",
)  # fmt: skip
_NOISE = tuple("\\{}()[]$^_|!,;=<>%&'\"~ \u221e\u200b\u00b0.-+0i")


def expression(rng: random.Random, depth: int = 4) -> str:
    """Generate an expression. Most are well-formed."""
    text = _expression(rng, depth)
    while rng.random() < 0.15:
        at = rng.randrange(len(text) + 1)
        text = text[:at] + rng.choice((*_NOISE, rng.choice(GOLDS))) + text[at + rng.randrange(2) :]
    return text


def _expression(rng: random.Random, depth: int) -> str:
    kind = rng.random()
    if depth == 0 or kind < 0.2:
        return rng.choice(GOLDS) if rng.random() < 0.15 else rng.choice(_ATOMS)
    if kind < 0.55:
        return rng.choice(_UNARY).format(_expression(rng, depth - 1))
    return rng.choice(_BINARY).format(_expression(rng, depth - 1), _expression(rng, depth - 1))
