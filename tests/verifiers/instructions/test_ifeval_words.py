"""IFEval's instructions on keywords, letters and capitals: one named edge case each."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from instruction_checks import followed

from textgym.verifiers.instructions.sentences import word_tokens

THRICE = {"frequency": 3, "relation": "at least"}
RARELY = {"frequency": 3, "relation": "less than"}


@pytest.mark.parametrize(
    ("text", "keywords", "expected"),
    [
        pytest.param("The sea, the salt.", ["sea", "salt"], True, id="both"),
        pytest.param("The sea.", ["sea", "salt"], False, id="one missing"),
        pytest.param("SEA", ["sea"], True, id="other case of the text"),
        pytest.param("sea", ["SEA"], True, id="other case of the keyword"),
        pytest.param("overseas", ["sea"], True, id="within a word"),
        pytest.param("the sea.", [" sea "], True, id="spaces around the keyword"),
        pytest.param("ice\ncream", ["ice cream"], False, id="a line break for a space"),
        pytest.param("cafe", ["café"], False, id="a missing accent"),
        pytest.param("cost", ["c.st"], False, id="a period is no wildcard"),
        pytest.param("C++ (new)", ["c++", "("], True, id="signs of regular expressions"),
        pytest.param("sеa", ["sea"], False, id="a Cyrillic look-alike"),
    ],
)
def test_existence(text: str, keywords: list[str], expected: bool) -> None:
    assert followed("keywords:existence", text, keywords=keywords) is expected


@pytest.mark.parametrize(
    ("text", "keyword", "bound", "expected"),
    [
        pytest.param("sea sea", "sea", THRICE, False, id="one too few"),
        pytest.param("sea sea", "sea", RARELY, True, id="one below the bound"),
        pytest.param("sea sea sea", "sea", THRICE, True, id="exactly the bound"),
        pytest.param("sea sea sea", "sea", RARELY, False, id="exactly the bound, less than"),
        pytest.param("overseas Seaside SEA", "sea", THRICE, True, id="within words, any case"),
        pytest.param("aaaaa", "aa", THRICE, False, id="overlaps count once"),
        pytest.param("ab a.b a.b", "a.b", THRICE, False, id="a period is no wildcard"),
        pytest.param("none", "sea", RARELY, True, id="never"),
    ],
)
def test_frequency(text: str, keyword: str, bound: dict[str, Any], expected: bool) -> None:
    assert followed("keywords:frequency", text, keyword=keyword, **bound) is expected


@pytest.mark.parametrize(
    ("text", "words", "expected"),
    [
        pytest.param("A dog swam.", ["cat", "sea"], True, id="none"),
        pytest.param("A cat swam.", ["cat", "sea"], False, id="one of them"),
        pytest.param("A CAT swam.", ["cat"], False, id="other case"),
        pytest.param("Concatenate.", ["cat"], True, id="within a word"),
        pytest.param("cat-like", ["cat"], False, id="before a hyphen"),
        pytest.param("_cat_", ["cat"], False, id="in italics"),
        pytest.param("**cat**", ["cat"], False, id="in bold"),
        pytest.param("café", ["caf"], True, id="before an accented letter"),
        pytest.param("I write C++ code", ["C++"], False, id="a word that ends in signs"),
        pytest.param("See #tag.", ["#tag"], False, id="a word that starts with a sign"),
        pytest.param("a cot", ["c.t"], True, id="a period is no wildcard"),
        pytest.param("c(t", ["c(t"], False, id="an open bracket"),
    ],
)
def test_forbidden_words(text: str, words: list[str], expected: bool) -> None:
    assert followed("keywords:forbidden_words", text, forbidden_words=words) is expected


@pytest.mark.parametrize(
    ("text", "letter", "relation", "expected"),
    [
        pytest.param("q", "q", "at least", False, id="one too few"),
        pytest.param("q", "q", "less than", True, id="one below the bound"),
        pytest.param("qQ", "q", "at least", True, id="both cases"),
        pytest.param("qQ", "Q", "less than", False, id="capital asked for"),
        pytest.param("#a #b", "#", "at least", True, id="a sign that is no letter"),
        pytest.param("İİ", "i", "at least", True, id="a capital i with a dot"),
        pytest.param("ａａ", "a", "at least", False, id="full-width letters"),
    ],
)
def test_letter_frequency(text: str, letter: str, relation: str, expected: bool) -> None:
    bound = {"letter": letter, "let_frequency": 2, "let_relation": relation}
    assert followed("keywords:letter_frequency", text, **bound) is expected


CAPITALS = [
    pytest.param("nothing here", 0, id="none"),
    pytest.param("The Cat and McX", 0, id="capitals at the start or within"),
    pytest.param("HELLO and WORLD", 2, id="two words"),
    pytest.param("HELLO,WORLD", 2, id="a comma without a space"),
    pytest.param("WELL-KNOWN", 1, id="a hyphen joins"),
    pytest.param("I think I'm A", 3, id="single letters"),
    pytest.param("In the U.S. today.", 1, id="an abbreviation"),
    pytest.param("STOP. (GO.)", 2, id="before a period"),
    pytest.param("3D and 5PM on 7", 2, id="digits among capitals"),
    pytest.param("We CAN'T. HE'S.", 4, id="parts of contractions"),
    pytest.param("CANNOT", 2, id="can and not"),
    pytest.param('"YES", **NO**', 2, id="quoted and bold"),
    pytest.param("ÉTÉ ЖУК", 2, id="other alphabets"),
    pytest.param("东京 123 ---", 0, id="what has no case"),
]


@pytest.mark.parametrize(("text", "number"), CAPITALS)
def test_capital_word_frequency(text: str, number: int) -> None:
    pytest.importorskip("nltk")
    for bound, relation in ((number, "at least"), (number + 1, "less than")):
        arguments = {"capital_frequency": bound, "capital_relation": relation}
        assert followed("change_case:capital_word_frequency", text, **arguments)
    above = {"capital_frequency": number + 1, "capital_relation": "at least"}
    assert not followed("change_case:capital_word_frequency", text, **above)


PIECES = (
    "the", "The", "THE", "I", "I'm", "can't", "CAN'T", "Ann's", "ANN'S.", "U.S.", "U.S.A.", "A/B",
    "WELL-KNOWN", "CANNOT", "'TIS", '"YES"', "(NO)", "NO.", "(NO.)", '"GO."', "HI!", "Why?", "X,",
    "Y;", "HI:5", "3D", "...", "--", "—", "*", "**B**", "B&B", "Dr.", "ÉTÉ",
)  # fmt: skip


@given(
    st.lists(
        st.sampled_from(PIECES),
        max_size=12,
    )
)
def test_capital_words_are_those_of_the_reference(pieces: list[str]) -> None:
    pytest.importorskip("nltk")
    text = " ".join(pieces)
    number = sum(word.isupper() for word in word_tokens(text))
    bound = {"capital_frequency": number, "capital_relation": "at least"}
    assert followed("change_case:capital_word_frequency", text, **bound)
    bound = {"capital_frequency": number + 1, "capital_relation": "less than"}
    assert followed("change_case:capital_word_frequency", text, **bound)
