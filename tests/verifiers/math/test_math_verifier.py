"""Mathematics: verdicts, against math-verify itself, recorded ones and real golds."""

from __future__ import annotations

import json
import logging
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textgym.errors import UsageError
from textgym.verifiers.math import MathVerdict, verify

BOXES = ("\\boxed{%s}", "The result: $\\boxed{%s}$.", "\\[ x = \\boxed{%s} \\]")
SENTENCES = ("$%s$", "Final answer is $%s$. I hope it is correct.", "We get $%s$")


def library(gold: str, answer: str) -> bool:
    """Return math-verify's own verdict, in this process, without time limits."""
    logging.getLogger("math_verify").setLevel(logging.CRITICAL)
    from math_verify import parse
    from math_verify import verify as compare
    from math_verify.parser import ExprExtractionConfig, LatexExtractionConfig

    latex = LatexExtractionConfig()
    golds = parse(f"\\boxed{{{gold}}}", (latex,), parsing_timeout=None)
    found = parse(answer, (ExprExtractionConfig(), latex), parsing_timeout=None)
    return bool(golds and found) and compare(golds, found, 6, timeout_seconds=None)


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize(
    ("gold", "answer", "extracted"),
    [
        ("42", "\\boxed{42}", "42"),
        ("42", "It is $\\boxed{42}$.", "42"),
        ("42", "\\[ \\boxed{42} \\]", "42"),
        ("42", "\\boxed{6 \\cdot 7 = 42}", "Eq(6*7, 42)"),
        ("42", "\\boxed{41} at first, but then \\boxed{42}", "42"),
        ("42", "Final answer is $7$. I hope it is correct. \\boxed{42}", "42"),
        ("\\{1, 2\\}", "$\\boxed{1}$ and $\\boxed{2}$", "{1, 2}"),
        ("12i", "\\boxed{12\\,i}", "12*i"),
        ("$42$", "42 it is", "42"),
        ("\\(\\frac{1}{2}\\)", "\\boxed{0.5}", "1/2"),
        (" \\( $x$ \\) ", "\\boxed{x}", "x"),
        ("x + 1", "\\boxed{1 + x}", "x + 1"),
        ("(x+1)^2", "\\boxed{x^2 + 2x + 1}", "x**2 + 2*x + 1"),
        ("\\sqrt{8}", "$2\\sqrt{2}$", "2*sqrt(2)"),
        ("\\{1, 2, 3\\}", "\\boxed{3, 2, 1}", "{1, 2, 3}"),
        ("x > 3", "\\boxed{(3, \\infty)}", "Interval.open(3, oo)"),
        ("\\frac{1}{3}", "\\boxed{0.333333}", "0.333333000000000"),
        ("???", "\\boxed{???}", "???"),
    ],
)
def test_equal(gold: str, answer: str, extracted: str) -> None:
    assert verify(gold, answer) == MathVerdict(True, False, extracted)


@pytest.mark.parametrize(
    ("gold", "answer"),
    [
        ("42", ""),
        ("42", "\\boxed{}"),
        ("42", "\\boxed{43}"),
        ("42", "\\boxed{-42}"),
        ("42", "\\boxed{42} or \\boxed{43}"),
        ("42", "\\boxed{42}, \\boxed{43}"),
        ("42", "\\boxed{42} or rather \\boxed{43}"),
        ("42", "\\boxed{42}\n\\boxed{43}"),
        ("42", "\\boxed{42, 43}"),
        ("42", "no number at all"),
        ("", "\\boxed{}"),
        ("", "42"),
        ("$", "\\boxed{42}"),
        ("\\text{}", "\\boxed{\\text{}}"),
        ("x + 1", "\\boxed{x - 1}"),
        ("\\sqrt{2}", "\\boxed{\\sqrt{3}}"),
        ("[0, 1]", "\\boxed{[0, 1)}"),
        ("42", "\\boxed{\ud800}"),
        ("42", "\0"),
    ],
)
def test_not_equal(gold: str, answer: str) -> None:
    verdict = verify(gold, answer)
    assert (verdict.equal, verdict.timed_out) == (False, False)


def test_a_gold_decides_which_side_is_which() -> None:
    assert verify("3", "\\boxed{x = 3}").equal
    assert verify("x = 3", "\\boxed{3}").equal
    assert not verify("x = 3", "\\boxed{y = 3}").equal


def test_only_what_stands_at_the_end_of_a_very_long_text_counts() -> None:
    filler = "and so on\n" * 1_000_000
    assert verify("\\frac{1}{2}", f"{filler}\\boxed{{0.5}}").equal
    assert not verify("\\frac{1}{2}", f"\\boxed{{0.5}}\n{filler}").equal


@pytest.mark.parametrize(
    ("base", "exponent", "value"),
    [("2", "3", 8), ("1/2", "-2", 4), ("-1", "1000000001", -1), ("0", "2", 0), ("2", "10**9", None),
     ("0", "-1", None), ("0", "0", None), ("2", "1/2", None), ("x", "2", None)],
)  # fmt: skip
def test_rational_powers_have_exact_values_unless_they_are_huge(
    base: str, exponent: str, value: int | None
) -> None:
    import sympy

    from textgym.verifiers.math.values import exact

    power = sympy.Pow(sympy.sympify(base), sympy.sympify(exponent), evaluate=False)
    assert exact(power) == value


@pytest.mark.parametrize("timeout", [0, -1.0, float("nan"), float("inf")])
def test_a_timeout_is_a_number_of_seconds(timeout: float) -> None:
    with pytest.raises(UsageError, match="timeout must be over 0"):
        verify("42", "\\boxed{42}", timeout=timeout)


def test_real_golds_equal_others_only_where_they_are_equal(shared: Path) -> None:
    golds = sorted({row["answer"] for row in read(shared / "data" / "math" / "math-500-a.jsonl")})
    rng = random.Random(4)
    pairs = [rng.sample(golds, 2) for _ in range(400)]
    pairs += [["75", "75^\\circ"], ["\\text{even}", "\\text{neither}"], ["\\$6", "6"]]
    equal = {(one, other) for one, other in pairs if verify(one, f"\\boxed{{{other}}}").equal}
    assert equal == {("75", "75^\\circ"), ("\\$6", "6")}


integers = st.integers(-(10**6), 10**6).map(str)
fractions = st.builds("\\frac{{{}}}{{{}}}".format, integers, st.integers(1, 12).map(str))
symbols = st.sampled_from(["x", "y", "\\pi", "e", "\\sqrt{2}", "i", "\\infty", "\\text{odd}"])
decimals = st.builds("{}.{}".format, st.integers(-99, 99), st.integers(0, 999))
atoms = st.one_of(integers, integers, fractions, symbols, decimals)
expressions = st.recursive(
    atoms,
    lambda inner: st.one_of(
        st.builds("{} + {}".format, inner, inner),
        st.builds("{} - {}".format, inner, inner),
        st.builds("{} \\cdot {}".format, inner, inner),
        st.builds("({})^{{2}}".format, inner),
        st.builds("({}, {})".format, inner, inner),
        st.builds("{} = {}".format, inner, inner),
        st.builds("{}\\%".format, inner),
    ),
    max_leaves=3,
)


def is_read_in_the_same_way(pair: tuple[str, str]) -> bool:
    """Tell whether a pair has nothing that math-verify reads or compares in another way."""
    return not any(
        mark in text for text in pair for mark in ("\\%", "\\infty", "i", "\\text", ", ")
    )


@settings(max_examples=80, deadline=None)
@given(
    pair=st.one_of(st.tuples(expressions, expressions), expressions.map(lambda it: (it, it))),
    form=st.sampled_from(BOXES),
)
def test_verdicts_are_those_of_math_verify(pair: tuple[str, str], form: str) -> None:
    gold, other = pair
    verdict = verify(gold, form % other)
    assert not verdict.timed_out
    if is_read_in_the_same_way(pair):
        equal = library(gold, form % other)
        assert verdict.equal <= equal
        if "=" not in gold + other:  # where it takes 0 = 1 for 0 = 0
            assert verdict.equal == equal or verdict.unevaluated


@settings(max_examples=60, deadline=None)
@given(gold=expressions, other=expressions, form=st.sampled_from(SENTENCES))
def test_a_sentence_gets_the_verdict_of_a_box(gold: str, other: str, form: str) -> None:
    for answer in (gold, other):
        assert verify(gold, form % answer).equal == verify(gold, f"\\boxed{{{answer}}}").equal


@settings(max_examples=200, deadline=None)
@given(
    gold=st.sampled_from(["0", "7", "-7", "42"]),
    before=st.text(alphabet="a $\\[](){}=,.%7-\n") | st.sampled_from(["final answer", "Answer: 7"]),
    inside=st.sampled_from(["0", "7", "-7", "42", "042", "-0", "+7", "7.0"]),
    after=st.text(alphabet=" $.\\])7}\n", max_size=4),
)
def test_the_last_box_decides_whatever_stands_before_its_sentence(
    gold: str, before: str, inside: str, after: str
) -> None:
    answer = f"{before} gives \\boxed{{{inside}}} here{after}"
    assert verify(gold, answer).equal == (float(gold) == float(inside))


LATEX = st.lists(
    st.sampled_from(
        ["\\boxed{", "}", "{", "\\frac", "^", "_", "$", "\\(", "\\)", "1", "2", "x", "=", ",",
         "\\sqrt", "[", "]", "(", ")", "\\cup", "\\infty", "\\%", "!", "\\pm", "&", "\\\\", " ",
         "\\begin{pmatrix}", "\\end{pmatrix}", "\\text{", "-", "<", "\\sum", "\\log", "i", "e"]
    ),
    max_size=25,
).map("".join)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.text(), LATEX, LATEX.map(lambda text: f"\\boxed{{{text}}}")))
def test_no_text_raises(answer: str) -> None:
    assert isinstance(verify("x^2", answer, timeout=2.0).extracted, str)
