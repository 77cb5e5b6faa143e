"""open-instruct's instructions on hyphens, brackets, paragraphs and marks: one edge case each."""

from __future__ import annotations

import pytest
from instruction_checks import followed
from tables import in_one_test

pytest.importorskip("nltk")

HYPHENS = "detectable_format:sentence_hyphens"
BRACKETS = "detectable_format:square_brackets"
BIGRAMS = "detectable_format:bigram_wrapping"


@in_one_test(
    ("id", "text", "expected"),
    [
        pytest.param(HYPHENS, "We sail.-You stay!-Why?", True, id="three sentences"),
        pytest.param(HYPHENS, 'She said "Go."-We went.', True, id="a quotation mark before"),
        pytest.param(HYPHENS, "A well-known ship.-It sank.", True, id="a hyphen within a word"),
        pytest.param(HYPHENS, "We sail?!-Why?!", True, id="two marks at the end"),
        pytest.param(HYPHENS, "We sail.", True, id="one sentence"),
        pytest.param(HYPHENS, "We sail. You stay.", False, id="no hyphen"),
        pytest.param(HYPHENS, "We sail. -You stay.", False, id="a blank before the hyphen"),
        pytest.param(HYPHENS, "We sail.- You stay.", False, id="a blank after the hyphen"),
        pytest.param(HYPHENS, "We sail.-\nYou stay.", False, id="a line break after the hyphen"),
        pytest.param(HYPHENS, "We sail.--You stay.", False, id="two hyphens"),
        pytest.param(HYPHENS, "We sail.-You stay. Why?", False, id="one of two missing"),
        pytest.param(HYPHENS, "We sail.—You stay. Why?", False, id="a dash"),
        pytest.param(HYPHENS, "We sail.-", False, id="a hyphen at the end"),
        pytest.param(HYPHENS, "", False, id="hyphens in empty text"),
        pytest.param(BRACKETS, "[We] [sail]\n[on]", True, id="each word"),
        pytest.param(BRACKETS, '"[We] [sail]," — [yes]!', True, id="marks outside"),
        pytest.param(BRACKETS, "[We][sail]", True, id="no blank between"),
        pytest.param(BRACKETS, "[Don't.]", True, id="marks inside"),
        pytest.param(BRACKETS, "[We] sail", False, id="a word outside"),
        pytest.param(BRACKETS, "[We]s[ail]", False, id="a letter outside"),
        pytest.param(BRACKETS, "[We sail]", False, id="two words in one pair"),
        pytest.param(BRACKETS, "[[We]]", False, id="double brackets"),
        pytest.param(BRACKETS, "[] [We]", False, id="an empty pair"),
        pytest.param(BRACKETS, "[We", False, id="not closed"),
        pytest.param(BRACKETS, "...", False, id="no brackets"),
        pytest.param(BRACKETS, "", False, id="brackets in empty text"),
        pytest.param(BIGRAMS, "<<We sail>> <<at dawn>>", True, id="two pairs"),
        pytest.param(BIGRAMS, "**<<We sail>>,** <<at dawn>>.", True, id="marks around pairs"),
        pytest.param(BIGRAMS, "<<We sail>> alone", True, id="a last word alone"),
        pytest.param(BIGRAMS, "<<We sail>> <<alone>>", True, id="a last word in brackets"),
        pytest.param(BIGRAMS, "Yes", True, id="a single word"),
        pytest.param(BIGRAMS, "We <<sail at>> dawn", False, id="pairs from the second word"),
        pytest.param(BIGRAMS, "<<We sail>> at dawn", False, id="a pair without brackets"),
        pytest.param(BIGRAMS, "<<We>> <<sail>>", False, id="single words in brackets"),
        pytest.param(BIGRAMS, "<<We sail at dawn>>", False, id="four words in one pair"),
        pytest.param(BIGRAMS, "<We sail>", False, id="single brackets"),
        pytest.param(BIGRAMS, "...", False, id="no words for pairs"),
        pytest.param(BIGRAMS, "", False, id="pairs in empty text"),
        pytest.param("paragraphs:paragraphs", "One\n***\nTwo", True, id="two paragraphs"),
        pytest.param("paragraphs:paragraphs", "***One***Two***", True, id="dividers around"),
        pytest.param("paragraphs:paragraphs", "One\n\nTwo", False, id="blank line as divider"),
        pytest.param("paragraphs:paragraphs", "One***Two***Three", False, id="three paragraphs"),
        pytest.param("paragraphs:paragraphs", "One****Two", False, id="four asterisks"),
        pytest.param("paragraphs:paragraphs", "One***", False, id="second paragraph empty"),
        pytest.param("paragraphs:paragraphs", "", False, id="paragraphs in empty text"),
        pytest.param("paragraphs:paragraphs2", "One\nline\n\nTwo", True, id="two with a line"),
        pytest.param("paragraphs:paragraphs2", "\n\nOne\n\nTwo\n\n", True, id="breaks around"),
        pytest.param("paragraphs:paragraphs2", "One\n\n\nTwo", True, id="three line breaks"),
        pytest.param("paragraphs:paragraphs2", "One\n\n\n\nTwo", False, id="four line breaks"),
        pytest.param("paragraphs:paragraphs2", "One\nTwo", False, id="one line break"),
        pytest.param("paragraphs:paragraphs2", "1\n\n2\n\n3", False, id="three by line breaks"),
        pytest.param("paragraphs:paragraphs2", "", False, id="line breaks in empty text"),
        pytest.param("punctuation:punctuation_dot", "Yes!", True, id="no dot"),
        pytest.param("punctuation:punctuation_dot", "好。…", True, id="dots of other kinds"),
        pytest.param("punctuation:punctuation_dot", "3.5", False, id="a dot in a number"),
        pytest.param("punctuation:punctuation_dot", "Yes.", False, id="a full stop"),
        pytest.param("punctuation:punctuation_exclamation", "Yes.", True, id="no exclamation"),
        pytest.param("punctuation:punctuation_exclamation", "¡好！", True, id="of other scripts"),
        pytest.param("punctuation:punctuation_exclamation", "a != b", False, id="in a formula"),
        pytest.param("punctuation:punctuation_exclamation", "Yes!", False, id="at the end"),
    ],
)
def test_format(id: str, text: str, expected: bool) -> None:
    assert followed(id, text) is expected
