"""IFBench's instructions on sentences and on shares: one named edge case each."""

from __future__ import annotations

import pytest
from instruction_checks import followed

pytest.importorskip("nltk")


@pytest.mark.parametrize(
    ("id", "text", "expected"),
    [
        pytest.param("ratio:stop_words", "The cat", True, id="exactly the share"),
        pytest.param("ratio:stop_words", "The cat and", False, id="above the share"),
        pytest.param("ratio:stop_words", "Don't stop cats running", True, id="parts of don't"),
        pytest.param("ratio:stop_words", "...", False, id="no words"),
        pytest.param("ratio:sentence_type", "One. Two? Three.", True, id="two to one"),
        pytest.param("ratio:sentence_type", "One. Two? Three! Four.", True, id="shouts aside"),
        pytest.param("ratio:sentence_type", "One. Two?", False, id="one to one"),
        pytest.param("ratio:sentence_type", "One!", False, id="none to none"),
        pytest.param("ratio:sentence_balance", "One. Two? Three!", True, id="one of each"),
        pytest.param("ratio:sentence_balance", "One. Two?", False, id="a kind is missing"),
        pytest.param("ratio:sentence_balance", "no mark", False, id="none of any kind"),
        *(
            pytest.param("ratio:sentence_balance", f"One. Two? {last}", True, id=f"ends in {last}")
            for last in (
                '"Go!"',
                "“Go!”",
                "‘Go!’",
                "«Go!»",
                "(Go!)",
                "[Go!]",
                "**Go!**",
                "*Go!*",
                "_Go!_",
                "Go (now!)",
                "(“Go!”)",
                "**“Go!”**",
                "`Go!`",
            )
        ),
        *(
            pytest.param("ratio:sentence_balance", f"One. Two? {last}", False, id=f"not {last}")
            for last in (
                'One more: "Go! Stay!"',
                '"Go!" Three!',
                "Go",
                '"Go"',
                "(Go.)",
                '"Go?"',
                "Go!x",
                "Go:",
                "(go)",
                "!",
            )
        ),
        pytest.param("ratio:sentence_type", 'One "go." Two? (Three.)', True, id="two closed"),
        pytest.param("ratio:sentence_type", 'One "go" Two? (Three.)', False, id="one closed"),
        pytest.param(
            "ratio:sentence_words",
            "The cat ran. A dog slept. My cow sat.",
            False,
            id="other lengths",
        ),
        pytest.param(
            "ratio:sentence_words", "The cat ran. Our dog sat. We all sang.", True, id="one length"
        ),
        pytest.param("ratio:sentence_words", "The cat ran. The dog sat.", False, id="two only"),
        pytest.param("ratio:sentence_words", "One ran. Two ran. Three ran.", False, id="longer"),
        pytest.param("ratio:sentence_words", "A cat. A cat. A cat.", False, id="same sentence"),
        pytest.param("ratio:sentence_words", "A cat. A cat! A Cat?", False, id="other marks only"),
        pytest.param("ratio:overlap", "red sky at night", False, id="all of it"),
        pytest.param("ratio:overlap", "red skxyz!", True, id="half of it"),
        pytest.param("ratio:overlap", "no", False, id="too short for trigrams"),
        pytest.param("sentence:alliteration_increment", "Go. Big bad cat.", True, id="none, two"),
        pytest.param(
            "sentence:alliteration_increment", "Red cat. Big dog.", False, id="none, none"
        ),
        pytest.param(
            "sentence:alliteration_increment", "Big bad cat. Six sad seals.", True, id="two, three"
        ),
        pytest.param(
            "sentence:alliteration_increment",
            "Six sad seals. Ann and Bob bow.",
            True,
            id="two runs",
        ),
        pytest.param(
            "sentence:alliteration_increment", 'Go. "Big" BAD cat.', True, id="quotes, case"
        ),
        pytest.param("sentence:increment", "One. One two. One two three.", True, id="by one"),
        pytest.param("sentence:increment", "One. One two three.", False, id="by two"),
        pytest.param("sentence:increment", "One two. One.", False, id="falling"),
        pytest.param("sentence:increment", "One. One - two.", True, id="a dash is no word"),
        pytest.param("sentence:increment", "One.", True, id="a single sentence"),
        pytest.param("sentence:keyword", "Go. To the SEA!", True, id="any case"),
        pytest.param("sentence:keyword", "The sea. Go.", False, id="in another sentence"),
        pytest.param("sentence:keyword", "Go. A seal.", False, id="within a word"),
        pytest.param("sentence:keyword", "The sea.", False, id="too few sentences"),
    ],
)
def test_sentences_and_shares(id: str, text: str, expected: bool) -> None:
    assert followed(id, text) is expected


@pytest.mark.parametrize(("percentage", "expected"), [(47, False), (48, True), (52, True)])
def test_overlap_may_differ_by_two_points(percentage: int, expected: bool) -> None:
    reference = "abcd"
    text = "abcdef"  # abc and bcd of four trigrams
    done = followed("ratio:overlap", text, percentage=percentage, reference_text=reference)
    assert done is expected
