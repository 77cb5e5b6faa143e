"""Mathematics is verified beside trainers, whose packages need an older antlr4."""

from __future__ import annotations

from importlib.metadata import version

import pytest

from textgym.verifiers.math import verify

pytestmark = pytest.mark.trainers


def test_trainers_bring_an_older_antlr4() -> None:
    pytest.importorskip("omegaconf", reason="no trainer is installed: make test-trainers")
    assert version("antlr4-python3-runtime").startswith("4.9.")


@pytest.mark.parametrize(
    ("gold", "answer", "is_right"),
    [
        (r"\frac{1}{10}", r"10\%", True),
        (r"\frac{1}{10}", r"11\%", False),
        (r"\sqrt{2}", r"\frac{2}{\sqrt{2}}", True),
        ("3!", "6", True),
        (r"\begin{pmatrix} 1 \\ 2 \end{pmatrix}", r"\begin{pmatrix} 1 \\ 3 \end{pmatrix}", False),
    ],
)
def test_formulas_are_read_by_the_older_parser(gold: str, answer: str, is_right: bool) -> None:
    assert verify(gold, rf"\boxed{{{answer}}}").equal is is_right
