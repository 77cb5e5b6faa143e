"""open-instruct's instructions on words and counts: one named edge case each."""

from __future__ import annotations

import pytest
from instruction_checks import followed
from tables import in_one_test

pytest.importorskip("nltk")

NEIGHBOURS = "keywords:no_adjacent_consecutive"
ONCE = "keywords:word_once"
TIMES = "keywords:word_count_different_numbers"
WITHOUT = "keywords:exclude_word_harder"
PALINDROME = "keywords:palindrome"
POSITION = "keywords:keyword_specific_position"
BOTH_ENDS = "keywords:start_end"
FIRST_SENT, FIRST = "first_word:first_word_sent", "first_word:first_word_answer"
LAST_SENT, LAST = "last_word:last_word_sent", "last_word:last_word_answer"


@in_one_test(
    ("id", "text", "expected"),
    [
        pytest.param(NEIGHBOURS, "All dogs bark", True, id="letters further apart"),
        pytest.param(NEIGHBOURS, "Big apes", True, id="letters in descending order"),
        pytest.param(NEIGHBOURS, "Zoo ants", True, id="a does not follow z"),
        pytest.param(NEIGHBOURS, "1 2 [ \\", True, id="digits and marks are no letters"),
        pytest.param(NEIGHBOURS, "All bark", False, id="a and b"),
        pytest.param(NEIGHBOURS, "ALL. 'bark'", False, id="marks and case between a and b"),
        pytest.param(ONCE, "The Sea.", True, id="once in any case"),
        pytest.param(ONCE, "The sea, seas", True, id="longer words do not count"),
        pytest.param(ONCE, "sea-sea", False, id="twice"),
        pytest.param(ONCE, "season", False, id="within a longer word"),
        pytest.param(ONCE, "", False, id="once in empty text"),
        pytest.param(TIMES, "Sea, sea", True, id="as often as told"),
        pytest.param(TIMES, "sea", False, id="more seldom than told"),
        pytest.param(TIMES, "sea sea sea", False, id="more often than told"),
        pytest.param(TIMES, "", False, id="told number in empty text"),
        pytest.param(WITHOUT, "The lake", True, id="without the word"),
        pytest.param(WITHOUT, "The season", True, id="only within a longer word"),
        pytest.param(WITHOUT, "To the sea.", False, id="at the end"),
        pytest.param(WITHOUT, "Sea and land", False, id="at the beginning, capitalised"),
        pytest.param(PALINDROME, "A level road", True, id="a word"),
        pytest.param(PALINDROME, "(Noon)!", True, id="case and marks"),
        pytest.param(PALINDROME, "So: 1001 nights", True, id="a number"),
        pytest.param(PALINDROME, "See: A man, a plan, a canal: Panama.", False, id="two colons"),
        pytest.param(PALINDROME, 'I said "A man, a plan, a canal: Panama!"', True, id="quoted"),
        pytest.param(PALINDROME, "Try: Was it a car or a cat I saw?", True, id="a sentence"),
        pytest.param(PALINDROME, "I have a cat, - 22", False, id="too short for one"),
        pytest.param(PALINDROME, "A canal", False, id="no palindrome"),
        pytest.param(PALINDROME, "", False, id="palindrome in empty text"),
        pytest.param(POSITION, "Go. To the Sea!", True, id="third word of the second sentence"),
        pytest.param(POSITION, "Go. To, the sea", True, id="a comma is no word"),
        pytest.param(POSITION, "Go. The sea", False, id="second word"),
        pytest.param(POSITION, "To the sea", False, id="no second sentence"),
        pytest.param(POSITION, "", False, id="position in empty text"),
        pytest.param(BOTH_ENDS, "Sea, my sea", True, id="same word in any case"),
        pytest.param(BOTH_ENDS, '"Sea" and (sea', True, id="marks before the last word"),
        pytest.param(BOTH_ENDS, "Sea, my sea.", False, id="a full stop after it"),
        pytest.param(BOTH_ENDS, "! Sea !", False, id="marks at both ends"),
        pytest.param(BOTH_ENDS, "Sea and land", False, id="other words"),
        pytest.param(BOTH_ENDS, "sea", False, id="a single word"),
        pytest.param(BOTH_ENDS, "", False, id="both ends of empty text"),
        pytest.param(FIRST_SENT, "Sea is blue. SEA, I say!", True, id="each sentence, any case"),
        pytest.param(FIRST_SENT, "“Sea.” Sea!", True, id="marks before the first word"),
        pytest.param(FIRST_SENT, "Sea is blue. The sea!", False, id="not the second sentence"),
        pytest.param(FIRST_SENT, "Seas.", False, id="begins with a longer word"),
        pytest.param(FIRST_SENT, "...", False, id="a sentence without a first word"),
        pytest.param(FIRST_SENT, "", False, id="first words of empty text"),
        pytest.param(FIRST, "SEA, I say. Go!", True, id="first word in any case"),
        pytest.param(FIRST, "**Sea** I say", True, id="marks around the first word"),
        pytest.param(FIRST, "The sea", False, id="second word as first"),
        pytest.param(FIRST, "Seaside", False, id="part of the first word"),
        pytest.param(FIRST, "", False, id="first word of empty text"),
        pytest.param(LAST_SENT, "My sea. Your Sea?!", True, id="each sentence ends so"),
        pytest.param(LAST_SENT, "The “sea.”", True, id="quotation marks after the last word"),
        pytest.param(LAST_SENT, "My sea. Sea, yes!", False, id="not the last sentence"),
        pytest.param(LAST_SENT, "Undersea.", False, id="ends with a longer word"),
        pytest.param(LAST_SENT, "...", False, id="a sentence without a last word"),
        pytest.param(LAST_SENT, "", False, id="last words of empty text"),
        pytest.param(LAST, "Land. My SEA!", True, id="last word before a mark"),
        pytest.param(LAST, "My sea. Land", False, id="another last word"),
        pytest.param(LAST, "Under-sea", False, id="part of a word with a hyphen"),
        pytest.param(LAST, "", False, id="last word of empty text"),
    ],
)
def test_words(id: str, text: str, expected: bool) -> None:
    assert followed(id, text) is expected


def test_word_with_a_hyphen_or_blank_may_stand_last() -> None:
    assert followed(LAST, "It is well-known.", last_word="well-known")
    assert followed(LAST_SENT, "Eat ice cream!", last_word="ice cream")
    assert not followed(LAST_SENT, "Eat cream!", last_word="ice cream")


def test_relation_does_not_change_the_given_number() -> None:
    arguments = {"keyword": "sea", "frequency": 2, "relation": "less than"}
    assert followed(TIMES, "sea sea", **arguments)
    assert not followed(TIMES, "sea", **arguments)


def test_word_in_a_list_of_one_is_read() -> None:
    assert followed(FIRST_SENT, "Sea.", first_word=["sea"])


LOWER, UNIQUE = "count:lowercase_counting", "count:count_unique"
COMPOSITION, INCREMENT = "count:counting_composition", "count:count_increment_word"
LETTERS, LETTER = "letters:letter_counting", "letters:letter_counting2"
PART = "The sea rose. We went home."


def parts(divider: str, count: int = 3) -> str:
    return divider.join([PART] * count)


@in_one_test(
    ("id", "text", "expected"),
    [
        pytest.param(LOWER, "The sea IS blue", True, id="as many as allowed"),
        pytest.param(LOWER, "the sea is", False, id="one word too many in lower case"),
        pytest.param(LOWER, "THE SEA iPhone a1 B2", True, id="mixed words do not count"),
        pytest.param(LOWER, "un été bleu", False, id="letters with accents"),
        pytest.param(LOWER, "well-known sea", False, id="a hyphen parts words"),
        pytest.param(COMPOSITION, parts("\n* * *\n"), True, id="all as told"),
        pytest.param(COMPOSITION, parts("\n***\n"), True, id="divider without blanks"),
        pytest.param(COMPOSITION, parts("\n\n"), False, id="no divider"),
        pytest.param(COMPOSITION, parts("***", 2), False, id="two of three paragraphs"),
        pytest.param(COMPOSITION, parts("***", 4), False, id="four of three paragraphs"),
        pytest.param(COMPOSITION, parts("***") + " Oh my god.", False, id="a third sentence"),
        pytest.param(COMPOSITION, parts("***")[:-1] + " now.", False, id="a fourth word"),
        pytest.param(COMPOSITION, parts("***")[4:], False, id="a word missing"),
        pytest.param(
            COMPOSITION, parts("***").replace("rose", "- don't"), True, id="marks in sentences"
        ),
        pytest.param(COMPOSITION, "", False, id="composition of empty text"),
        pytest.param(UNIQUE, "We sail, you stay, they go.", True, id="commas may repeat"),
        pytest.param(UNIQUE, "Don't, can't", True, id="ends of contractions may repeat"),
        pytest.param(UNIQUE, "The sea, the land", False, id="repeated in another case"),
        pytest.param(UNIQUE, "sea “sea.”", False, id="repeated with marks"),
        pytest.param(UNIQUE, "...", False, id="no words to repeat"),
        pytest.param(UNIQUE, "", False, id="unique words of empty text"),
        pytest.param(INCREMENT, "Sea, salt, SALT", True, id="one and two"),
        pytest.param(INCREMENT, "sea salt salty", False, id="second within a longer word"),
        pytest.param(INCREMENT, "sea sea salt salt", False, id="first one twice"),
        pytest.param(INCREMENT, "sea salt salt salt", False, id="second one three times"),
        pytest.param(INCREMENT, "", False, id="keywords in empty text"),
        pytest.param(LETTERS, "a, b - 1!", True, id="two letters"),
        pytest.param(LETTERS, "abc", False, id="as many as the bound"),
        pytest.param(LETTERS, "éщあ", False, id="letters of other scripts"),
        pytest.param(LETTER, "A map", True, id="as often as the bound"),
        pytest.param(LETTER, "map", False, id="once too seldom"),
        pytest.param(LETTER, "", False, id="letter in empty text"),
    ],
)
def test_counts(id: str, text: str, expected: bool) -> None:
    assert followed(id, text) is expected


def test_number_of_letters_may_have_a_lower_bound() -> None:
    assert followed(LETTERS, "abc", N=3, relation="at least")
    assert not followed(LETTERS, "a-b", N=3, relation="at least")
