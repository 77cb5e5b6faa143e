"""An option that is written with its letter: the letter and the text must agree."""

from __future__ import annotations

import pytest

from textgym.verifiers import choice, match

METALS = {"A": "iron", "B": "zinc", "C": "vitamin C", "D": "12"}
PRICES = {"A": "$1.95", "B": "-3", "C": ".5", "D": "$2.95"}
SIGNS = {"A": "-3", "B": "3"}
ARTICLES = {"A": "metallurgy", "B": "A metal"}
COLON, LINE = "lenient_answer_colon", "lenient_answer_colon_md"
BOX = "strict_single_letter_boxed"


@pytest.mark.parametrize(
    ("text", "options", "mode", "letter"),
    [
        pytest.param("Answer: A: iron", METALS, LINE, "A", id="A is no article"),
        pytest.param("Answer: A iron", METALS, LINE, "A", id="A without a mark"),
        pytest.param("Answer: B: zinc", METALS, LINE, "B", id="B"),
        pytest.param("Answer: A zinc", METALS, COLON, "", id="another option's text, first line"),
        pytest.param("Answer: A. zinc", METALS, COLON, "", id="another option's text, with a stop"),
        pytest.param("Answer: A) iron", METALS, COLON, "A", id="bracket"),
        pytest.param("Answer: D) $2.95", PRICES, COLON, "D", id="dollars"),
        pytest.param("Answer: B) -3", PRICES, COLON, "B", id="minus"),
        pytest.param("Answer: C) .5", PRICES, COLON, "C", id="decimal point"),
        pytest.param("Answer: B) -3", SIGNS, COLON, "", id="the sign is another option's"),
        pytest.param("Answer: B - 3", SIGNS, COLON, "B", id="a dash with blanks separates"),
        pytest.param("\\boxed{A: metallurgy}", ARTICLES, BOX, "A", id="A before a similar text"),
        pytest.param("\\boxed{A metal}", ARTICLES, "lenient_boxed", "B", id="a whole option"),
    ],
)
def test_a_letter_with_a_text(text: str, options: dict[str, str], mode: str, letter: str) -> None:
    assert choice(text, options, mode) == letter


@pytest.mark.parametrize(
    ("gold", "answer", "equal"),
    [
        ("sin(x)", "- sin(x)", False), ("cos x", "- cos x", False), ("Paris", "- Paris", True),
        ("n!", "n", False), ("(n+1)!", "n+1", False), ("Paris", "Paris!", True), ("5!", "5", False),
        ("x-y", "x y", False), ("Port-au-Prince", "Port au Prince", True), ("X-ray", "x ray", True),
    ],
)  # fmt: skip
def test_a_short_answer_with_signs(gold: str, answer: str, equal: bool) -> None:
    assert match(gold, answer) is equal
