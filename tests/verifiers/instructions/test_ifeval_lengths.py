"""IFEval's instructions on words, sentences and paragraphs: one named edge case each."""

from __future__ import annotations

import pytest
from instruction_checks import followed
from tables import in_one_test


@pytest.mark.parametrize(
    ("text", "number"),
    [
        pytest.param("!!! -- **", 0, id="marks alone"),
        pytest.param("one two", 2, id="two words"),
        pytest.param("don't", 2, id="a contraction"),
        pytest.param("well-known", 2, id="a hyphen"),
        pytest.param("snake_case", 1, id="an underscore"),
        pytest.param("3.14 1,000", 4, id="numbers with marks"),
        pytest.param("हिन्दी भाषा", 2, id="vowel signs"),
        pytest.param("re\u0301sume\u0301", 1, id="accents on their own"),
        pytest.param("⚠️ stop ☀️", 1, id="emoji with a variation selector"),
        pytest.param("東京は大きい", 1, id="a script without spaces"),
    ],
)
def test_number_words(text: str, number: int) -> None:
    assert followed("length_constraints:number_words", text, num_words=number, relation="at least")
    for relation, expected in (("at least", False), ("less than", True)):
        given = {"num_words": number + 1, "relation": relation}
        assert followed("length_constraints:number_words", text, **given) is expected


@pytest.mark.parametrize(
    ("text", "number"),
    [
        pytest.param("no mark", 1, id="no mark"),
        pytest.param("One. Two! Three?", 3, id="three marks"),
        pytest.param("He met Dr. Lee in the U.S. Senate.", 1, id="abbreviations"),
        pytest.param("It costs 3.50 today.", 1, id="a decimal point"),
        pytest.param("Hi!Bye!", 1, id="no space"),
        pytest.param("One line\nTwo lines", 1, id="a line break"),
        pytest.param("यह है। वह है।", 2, id="dandas"),
        pytest.param("你好。再见！", 2, id="full-width marks"),
        pytest.param("“你好。”", 1, id="a quotation mark after the mark"),
        pytest.param("کیا؟ ہاں۔", 2, id="Urdu"),
        pytest.param("。。。", 1, id="marks alone"),
    ],
)
def test_number_sentences(text: str, number: int) -> None:
    pytest.importorskip("nltk")
    name = "length_constraints:number_sentences"
    assert followed(name, text, num_sentences=number, relation="at least")
    assert followed(name, text, num_sentences=number + 1, relation="less than")
    assert not followed(name, text, num_sentences=number + 1, relation="at least")
    assert not followed(name, text, num_sentences=number, relation="less than")


@pytest.mark.parametrize(
    ("text", "number", "expected"),
    [
        pytest.param("A\n***\nB", 2, True, id="two paragraphs"),
        pytest.param("A\n***\nB", 3, False, id="one too few"),
        pytest.param("A\n***\nB", 1, False, id="one too many"),
        pytest.param("A", 1, True, id="no divider"),
        pytest.param("A *** B", 2, True, id="within a line"),
        pytest.param("***\nA\n***\nB\n***", 2, True, id="dividers around"),
        pytest.param("A\n***\n \n***\nB", 2, False, id="a blank paragraph"),
        pytest.param("A\n\nB", 2, False, id="blank lines do not divide"),
        pytest.param("A\n****\nB", 2, False, id="four asterisks"),
        pytest.param("A\n* * *\nB", 2, False, id="spaces between asterisks"),
        pytest.param("***", 1, False, id="a divider alone"),
    ],
)
def test_number_paragraphs(text: str, number: int, expected: bool) -> None:
    given = {"num_paragraphs": number}
    assert followed("length_constraints:number_paragraphs", text, **given) is expected


@in_one_test(
    ("text", "expected"),
    [
        pytest.param("One.\n\nRiver water.", True, id="as asked"),
        pytest.param("One.\n\nThe river.", False, id="another word"),
        pytest.param("River.\n\nOne.", False, id="in another paragraph"),
        pytest.param("One.\n\nRiver.\n\nTwo.", False, id="one paragraph too many"),
        pytest.param("One.\nRiver.", False, id="one line break"),
        pytest.param("One.\n \nRiver.", False, id="a blank line with a space"),
        pytest.param("One.\n\n\nRiver.", True, id="three line breaks"),
        pytest.param("One.\n\n\n\nRiver.", True, id="a blank part between"),
        pytest.param("One.\n\nRiver.\n\n", True, id="a blank paragraph after"),
        pytest.param("One.\n\nRivers flow.", False, id="a longer word"),
        pytest.param("One.\n\nriver-bank", False, id="a hyphenated word"),
        pytest.param("One.\n\nRiver", True, id="the word alone"),
        pytest.param("One.\n\nRiver's end.", True, id="before an apostrophe"),
        pytest.param("One.\n\nRiver: cold. ", True, id="before a colon"),
        pytest.param("One.\n\nRiver—cold.", True, id="before a dash"),
        pytest.param("One.\n\nRiver\tcold.", True, id="before a tab"),
        pytest.param("One.\n\n“'River' is cold.”", True, id="after quotation marks"),
        pytest.param("One.\n\n**River** is cold.", True, id="in bold"),
        pytest.param("One.\n\n*River*, cold.", True, id="in italics"),
        pytest.param("One.\n\n“**River**” is cold.", True, id="bold and quoted"),
        pytest.param("One.\n\n*Rivers* are cold.", False, id="a longer word in italics"),
        pytest.param("One.\n\n# River", False, id="a heading's mark"),
        pytest.param("One.\n\nThe **river** is cold.", False, id="bold further on"),
        pytest.param("\n\nOne.\n\nRiver.", True, id="blank before"),
        pytest.param("\n\n\n\n\n\nOne.\n\n \n\nRiver.", True, id="blank everywhere"),
        pytest.param("\n\nRiver.\n\nOne.", False, id="blank before, first"),
        pytest.param("\n\nRiver.", False, id="blank before one"),
        pytest.param("One.\n\n\n\nRiver.\n\n\n\nTwo.", False, id="one more after"),
        pytest.param("River.\n\n\n\nOne.", False, id="blank between, first"),
        pytest.param("One.\n\n\n\nTwo. River.", False, id="blank between, later"),
    ],
)
def test_nth_paragraph_first_word(text: str, expected: bool) -> None:
    given = {"num_paragraphs": 2, "nth_paragraph": 2, "first_word": "river"}
    assert followed("length_constraints:nth_paragraph_first_word", text, **given) is expected


def test_first_word_of_a_paragraph_that_cannot_be() -> None:
    given = {"num_paragraphs": 1, "nth_paragraph": 2, "first_word": "river"}
    assert not followed("length_constraints:nth_paragraph_first_word", "River.", **given)


def test_first_word_may_have_an_apostrophe_or_capitals() -> None:
    given = {"num_paragraphs": 1, "nth_paragraph": 1, "first_word": "Don't"}
    assert followed("length_constraints:nth_paragraph_first_word", "DON'T go.", **given)
