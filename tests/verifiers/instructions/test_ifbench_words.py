"""IFBench's instructions on words and counts: one named edge case each."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest
from instruction_checks import followed
from tables import in_one_test

from textgym.errors import ExtraMissingError
from textgym.verifiers.instructions.ifbench import layout, words

for library in ("nltk", "textblob", "syllapy"):
    pytest.importorskip(library)

TEN = "level radar civic madam refer kayak rotor tenet solos stats"


@in_one_test(
    ("id", "text", "expected"),
    [
        pytest.param("words:alphabet", "Yaks zoom around.", True, id="A follows Z"),
        pytest.param("words:alphabet", "A b, - (C) 'd'", True, id="marks are left out"),
        pytest.param("words:alphabet", "A c", False, id="a letter left out"),
        pytest.param("words:alphabet", "1 a", False, id="begins with a digit"),
        pytest.param("words:alphabet", "İ j", False, id="a letter that is two in lower case"),
        pytest.param("words:alphabet", "...", False, id="no words for the alphabet"),
        pytest.param("words:vowel", "See a mint", True, id="three vowels"),
        pytest.param("words:vowel", "SEE A MINT, O", False, id="four vowels"),
        pytest.param("words:vowel", "See\na", False, id="two lines"),
        pytest.param("words:vowel", "\nSee a\n", True, id="line breaks around"),
        pytest.param("words:consonants", "Fast sky trips!", True, id="y is a consonant"),
        pytest.param("words:consonants", "fast - black", True, id="a dash is no word"),
        pytest.param("words:consonants", "fast cat", False, id="single consonants"),
        pytest.param("words:consonants", "bad-dog", False, id="a hyphen parts consonants"),
        pytest.param("words:consonants", "fast 12", False, id="a number has no consonants"),
        pytest.param("words:consonants", "--", False, id="no words for consonants"),
        pytest.param("words:palindrome", TEN, True, id="ten palindromes"),
        pytest.param("words:palindrome", TEN[6:], False, id="nine palindromes"),
        pytest.param("words:palindrome", TEN[6:] + " noon", False, id="one of four letters"),
        pytest.param("words:palindrome", TEN.title() + "!", True, id="case and marks"),
        pytest.param("words:palindrome", "abcba " * 10, True, id="one palindrome ten times"),
        pytest.param(
            "words:prime_lengths", "It's two words", True, id="an apostrophe is no letter"
        ),
        pytest.param("words:prime_lengths", "a word", False, id="one and four"),
        pytest.param("words:prime_lengths", "x" * 101, True, id="a long prime"),
        pytest.param("words:prime_lengths", "x" * 121, False, id="a square of a prime"),
        pytest.param("words:repeats", "Go, go", True, id="as often as allowed"),
        pytest.param("words:repeats", "Go, go! GO", False, id="too often in any case"),
        pytest.param("words:repeats", "well-known wellknown well", True, id="hyphens are dropped"),
        pytest.param("words:no_consecutive", "Big cats bite.", True, id="letters differ"),
        pytest.param("words:no_consecutive", "Big (bad)", False, id="marks between letters"),
        pytest.param("words:no_consecutive", "A cat. Can", False, id="across sentences"),
        pytest.param("words:odd_even_syllables", "The water runs over.", True, id="odd, even"),
        pytest.param("words:odd_even_syllables", "Water the", True, id="even, odd"),
        pytest.param("words:odd_even_syllables", "The cat", False, id="odd, odd"),
        pytest.param("words:odd_even_syllables", "One", True, id="one word alternates"),
        pytest.param("words:last_first", "I like cats. Cats run.", True, id="any case of the word"),
        pytest.param("words:last_first", 'I like "cats." Cats, too.', True, id="marks at the word"),
        pytest.param("words:last_first", "I like cats. Dogs run.", False, id="another word"),
        pytest.param("words:last_first", "Run. ! Run.", False, id="a sentence without words"),
        pytest.param("words:paragraph_last_first", "Go on, go!\n\nStop", True, id="two paragraphs"),
        pytest.param("words:paragraph_last_first", "Go, then go", True, id="a comma at the first"),
        pytest.param("words:paragraph_last_first", "Go on\nand go", False, id="over two lines"),
        pytest.param("words:paragraph_last_first", "---\nGo", True, id="a line without words"),
        pytest.param("words:start_verb", "Write the letter.", True, id="an imperative"),
        pytest.param("words:start_verb", "Running is fun.", True, id="a gerund"),
        pytest.param("words:start_verb", "Is it here?", True, id="a question"),
        pytest.param("words:start_verb", "Run!", True, id="a verb alone"),
        pytest.param("words:start_verb", "\n  Go home.", True, id="after whitespace"),
        pytest.param("words:start_verb", "The cat ran.", False, id="an article"),
        pytest.param("words:start_verb", "Dogs bark.", False, id="a noun"),
        pytest.param("words:start_verb", "**Go** home.", True, id="a mark before the verb"),
        pytest.param("words:start_verb", "1. Go", False, id="a number before the verb"),
        pytest.param("words:keywords_specific_position", "Go. To the sea!", True, id="third word"),
        pytest.param(
            "words:keywords_specific_position", "Go. See, the SEA", True, id="marks aside"
        ),
        pytest.param("words:keywords_specific_position", "Go. The sea", False, id="second word"),
        pytest.param("words:keywords_specific_position", "To the sea", False, id="one sentence"),
        pytest.param("words:words_position", "The sea is a sea here.", True, id="both places"),
        pytest.param("words:words_position", "A Sea, here", True, id="one word is both"),
        pytest.param("words:words_position", "The sea is here.", False, id="one place only"),
        pytest.param("words:words_position", "sea", False, id="a single word"),
    ],
)
def test_words_of_a_text(id: str, text: str, expected: bool) -> None:
    assert followed(id, text) is expected


@pytest.mark.parametrize(
    ("id", "library", "load"),
    [
        ("words:odd_even_syllables", "syllapy", words._syllable_counter),
        ("words:start_verb", "textblob.en", words._tagger),
        ("format:emoji", "emoji", layout._emoji_test),
    ],
)
def test_missing_library_of_a_check_names_the_extra(
    id: str, library: str, load: Callable[[], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    load.cache_clear()  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ExtraMissingError, match=r"needs pip install 'textgym\[constraints\]'"):
        followed(id, "Go where nobody went before.")


KEYWORDS = "one two two three three three five five five five five" + 7 * " seven"


@in_one_test(
    ("id", "text", "expected"),
    [
        pytest.param("count:word_count_range", "a b", True, id="least words"),
        pytest.param("count:word_count_range", "a", False, id="one word too few"),
        pytest.param("count:word_count_range", "a b c d", True, id="most words"),
        pytest.param("count:word_count_range", "a b c d e", False, id="one word too many"),
        pytest.param("count:word_count_range", "it's well-known", True, id="parts are words"),
        pytest.param("count:word_count_range", "- a -", False, id="marks are no words"),
        pytest.param("count:unique_word_count", "a b c", True, id="three different words"),
        pytest.param("count:unique_word_count", "a b A", False, id="case makes no other word"),
        pytest.param("count:unique_word_count", "a b b, (b)", False, id="nor does punctuation"),
        pytest.param("count:unique_word_count", "a b -", False, id="a dash is no word"),
        pytest.param("count:conjunctions", "cats and dogs, or", True, id="two conjunctions"),
        pytest.param("count:conjunctions", "and AND 'and' and,", False, id="one, spelt variously"),
        pytest.param("count:conjunctions", "band order", False, id="parts of words"),
        pytest.param("count:person_names", "Emma met Liam's dog", True, id="two names"),
        pytest.param("count:person_names", "Emma, Emma", False, id="one name twice"),
        pytest.param("count:person_names", "emma LIAM", False, id="names in other case"),
        pytest.param("count:person_names", "Miami Leonard", False, id="names within words"),
        pytest.param("count:person_names", "Emma and Otto", False, id="a name not in the list"),
        pytest.param("count:numbers", "3.14 and 100,000", True, id="point and comma in a number"),
        pytest.param("count:numbers", "1. 2", True, id="a full stop after a number"),
        pytest.param("count:numbers", "1 2 3", False, id="too many numbers"),
        pytest.param("count:numbers", "one two", False, id="numbers in words"),
        pytest.param("count:punctuation", ". , ; : ? ! ?!", True, id="all marks"),
        pytest.param("count:punctuation", ". , ; : ? ! !?", True, id="other order of interrobang"),
        pytest.param("count:punctuation", ". , ; : ? ! ‽", True, id="interrobang of one sign"),
        pytest.param("count:punctuation", ". , ; : ?!", False, id="interrobang in place of both"),
        pytest.param("count:punctuation", ". , ; : ? !", False, id="no interrobang"),
        pytest.param("count:words_japanese", "a 猫 b いぬ c カメ", True, id="all three scripts"),
        pytest.param("count:words_japanese", "猫 a", False, id="at the wrong place"),
        pytest.param("count:words_japanese", "a 7 b - c 猫", True, id="numbers and dashes pass"),
        pytest.param("count:words_japanese", "a", True, id="too short for a second word"),
        pytest.param("count:pronouns", "She saw him.", True, id="two pronouns"),
        pytest.param("count:pronouns", "SHE/HER", True, id="a slash parts pronouns"),
        pytest.param("count:pronouns", "I'm late.", False, id="one pronoun in a contraction"),
        pytest.param("count:pronouns", "It rains, it pours.", True, id="a pronoun counts twice"),
        pytest.param("count:keywords_multiple", KEYWORDS, True, id="each as often as asked"),
        pytest.param("count:keywords_multiple", KEYWORDS.upper(), True, id="in upper case"),
        pytest.param("count:keywords_multiple", KEYWORDS + " one", False, id="one too often"),
        pytest.param("count:keywords_multiple", KEYWORDS[:-6], False, id="one too seldom"),
        pytest.param("count:keywords_multiple", KEYWORDS + " ones", True, id="other words do not"),
        pytest.param(
            "count:keywords_multiple", KEYWORDS[1:], False, id="part of the first missing"
        ),
    ],
)
def test_count(id: str, text: str, expected: bool) -> None:
    assert followed(id, text) is expected


def test_keyword_of_marks_is_found() -> None:
    keywords = {"keyword1": "c++", "keyword2": "#a", "keyword3": "b", "keyword4": "d"}
    text = "c++, #a #a b b b d d d d d" + 7 * " e"
    assert followed("count:keywords_multiple", text, keyword5="e", **keywords)
