"""No text makes a check of an instruction raise or slow, and none gets two verdicts."""

from __future__ import annotations

from typing import Any

import linear_time
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from instruction_checks import (
    IFBENCH_IDS,
    IFBENCH_PIECES,
    IFEVAL_IDS,
    IFEVAL_PIECES,
    OPEN_INSTRUCT_IDS,
    OPEN_INSTRUCT_PIECES,
    arguments_of,
    checks,
)
from tables import in_one_test

from textgym.errors import UsageError
from textgym.verifiers.instructions import INSTRUCTIONS, Mode, follows
from textgym.verifiers.instructions.ifbench.layout import _is_uncapitalised
from textgym.verifiers.instructions.ifbench.words import _split_contractions
from textgym.verifiers.instructions.sentences import without_emphasis, word_tokens

for library in ("nltk", "langdetect", "textblob", "syllapy", "emoji"):
    pytest.importorskip(library)

FAMILIES = {
    "ifeval": (IFEVAL_IDS, IFEVAL_PIECES, IFEVAL_PIECES[:3]),
    "ifbench": (IFBENCH_IDS, IFBENCH_PIECES, IFBENCH_PIECES[::6]),
    "open_instruct": (OPEN_INSTRUCT_IDS, OPEN_INSTRUCT_PIECES, OPEN_INSTRUCT_PIECES[::6]),
}
"""The ids, pieces of texts that could make a check slow, and those for which calls are counted."""
MARKS = (
    "A", "b", "É", "ǅ", "ſ", "а", "Ａ", "٣", "²", "\n", "\r\n", "\t", "\x1c", "\x00", "\u00a0",
    "\u200b", "\u2028", "\udc00", "😀", "👨‍👩‍👧", "\ufe0f", "日", ".", "?", ",", "'", '"', "”", "(",
    ")", "]", "}", ">>", "<<x>>", "`", "{", ":", "null", "My answer is no.", "Name a river.",
    "river", "Any questions?", "DON'T", "U.S.", "Das ist gut. ", "that is good. ", "a", "Ǆ", "İ",
    "ß", "é", "e\u0301", "1", "½", " ", "\r", "\v", "\ud800", "🇫🇷", "の", "!", "...", "…", "‽",
    "?!", ";", "-", "—", "*", "/", "\\", "[", "“", "<i>", "</i>", "<em>", "</em>", "can't",
    "e.g.", "Dr. ", "A. ", "One. ", "or", "and ", "Question 1: ", "\nA) x", "Zimbabwe\n",
    "ID,Country,City,Year,Count\n", "ProductID,Category,Brand,Price,Stock\n", "1,2,3,4,5\n",
    '"StudentID"\t"Subject"\t"Grade"\t"Semester"\t"Score"\n', "1800-01-01,", "9999-99-99",
    "My Answer:", "sea ", "don't ", "Sea ", "Actions a b c words\n",
)  # fmt: skip
PIECES = MARKS + IFEVAL_PIECES + OPEN_INSTRUCT_PIECES
TEXTS = st.one_of(st.lists(st.sampled_from(PIECES), max_size=25).map("".join), st.text())
each_family = pytest.mark.parametrize("family", FAMILIES)


def verdicts(family: str, text: str, mode: Mode = "strict") -> dict[str, bool]:
    """Return the verdict of every instruction of a family on a text."""
    ids = FAMILIES[family][0]
    requests = [(id, arguments_of(id)) for id in ids]
    return dict(zip(ids, follows(text, requests, mode), strict=True))


def test_all_instructions_are_there() -> None:
    assert [len(ids) for ids, _, _ in FAMILIES.values()] == [25, 58, 29]
    assert len(INSTRUCTIONS) == 112


@each_family
@settings(max_examples=40)  # each is for all instructions of the family
@given(text=TEXTS)
def test_every_check_gives_one_verdict_on_any_text(family: str, text: str) -> None:
    strict, loose = verdicts(family, text), verdicts(family, text, "loose")
    assert {type(verdict) for verdict in strict.values()} == {bool}
    assert verdicts(family, text) == strict
    assert {id for id in strict if strict[id] and not loose[id]} == set()


@each_family
@pytest.mark.parametrize("mode", ["strict", "loose"])
@pytest.mark.parametrize("text", ["", " \n"])
def test_a_blank_text_follows_nothing(family: str, text: str, mode: Mode) -> None:
    assert set(verdicts(family, text, mode).values()) == {False}


@given(TEXTS)
def test_short_cuts_never_change_a_verdict(text: str) -> None:
    title_case = not any(map(_is_uncapitalised, word_tokens(without_emphasis(text))))
    assert INSTRUCTIONS["format:title_case"].check(text) is title_case
    words = _split_contractions(text)
    for keyword in words:
        both = words[1:2] == words[-2:-1] == [keyword]
        assert INSTRUCTIONS["words:words_position"].check(text, keyword=keyword) is both


@pytest.mark.parametrize(
    ("id", "text"),
    [
        ("copy:copy", "Sure:\nName a river."),
        ("first_word:first_word_answer", "Sure:\nSea."),
        ("last_word:last_word_answer", "My sea.\nBye"),
        ("paragraphs:paragraphs2", "Sure:\n\nOne.\n\nTwo."),
        ("keywords:start_end", "*Sea and sea*"),
        ("punctuation:punctuation_dot", "Sure.\nYes"),
        ("letters:letter_counting", "Sure:\nab"),
        ("detectable_format:square_brackets", "Sure:\n[Yes]"),
    ],
)
def test_loose_forgives_a_line_or_asterisks(id: str, text: str) -> None:
    assert not verdicts("open_instruct", text)[id]
    assert verdicts("open_instruct", text, "loose")[id]


@pytest.mark.soak
@each_family
def test_long_text_of_anything_is_checked_in_linear_time(family: str) -> None:
    ids, pieces, _ = FAMILIES[family]
    assert linear_time.growing_times(checks(ids), pieces) is None


@each_family
def test_text_of_anything_is_checked_with_a_linear_number_of_calls(family: str) -> None:
    ids, _, pieces = FAMILIES[family]
    assert linear_time.growing_calls(checks(ids), pieces) is None


@in_one_test("id", INSTRUCTIONS)
def test_wording_has_the_arguments(id: str) -> None:
    wording = INSTRUCTIONS[id].describe(arguments_of(id))
    if id != "format:parentheses":
        assert "{" not in wording
    for name, value in arguments_of(id).items():
        parts = value if isinstance(value, list) else ["German" if name == "language" else value]
        assert all(str(part) in wording for part in parts)


@in_one_test("id", [id for id in INSTRUCTIONS if arguments_of(id)])
def test_missing_argument_is_named(id: str) -> None:
    arguments = arguments_of(id)
    for name in arguments.keys() - {"unit"}:
        rest = {key: value for key, value in arguments.items() if key != name}
        for row in (rest, rest | {name: None}):
            with pytest.raises(UsageError, match=f"^{id}: {name}: "):
                INSTRUCTIONS[id].read_arguments(row)


@in_one_test("id", INSTRUCTIONS)
def test_arguments_are_read_as_rows_have_them(id: str) -> None:
    row: dict[str, Any] = {"unused": None, "other": 1} | {
        name: float(value) if isinstance(value, int) else value
        for name, value in arguments_of(id).items()
    }
    arguments = INSTRUCTIONS[id].read_arguments(row)
    assert arguments == arguments_of(id)
    assert float not in map(type, arguments.values())


@in_one_test(
    ("id", "name", "value"),
    [
        ("length_constraints:number_words", "num_words", -1),
        ("length_constraints:number_words", "num_words", 1.5),
        ("length_constraints:number_words", "relation", "at most"),
        ("length_constraints:nth_paragraph_first_word", "nth_paragraph", 0),
        ("length_constraints:nth_paragraph_first_word", "first_word", " "),
        ("keywords:existence", "keywords", []),
        ("keywords:existence", "keywords", "sea"),
        ("keywords:forbidden_words", "forbidden_words", ["sea", ""]),
        ("keywords:letter_frequency", "letter", "ab"),
        ("detectable_format:multiple_sections", "section_spliter", ""),
        ("startend:end_checker", "end_phrase", "\n"),
        ("count:words_japanese", "N", 0),
        ("sentence:keyword", "N", 0),
        ("sentence:keyword", "word", " "),
        ("count:numbers", "N", -1),
        ("count:numbers", "N", 1.5),
        ("format:list", "sep", ""),
        ("repeat:repeat_span", "n_start", -1),
        ("words:keywords_specific_position", "m", 0),
        ("copy:repeat_phrase", "phrase", "two words"),
        ("copy:repeat_phrase", "small_n", 0),
        ("copy:copy", "prompt_to_repeat", " "),
        ("copy:copying_multiple", "N", 0),
        ("new:copy_span_idx", "n_start", -1),
        ("keywords:word_once", "keyword", "_"),
        ("keywords:word_count_different_numbers", "frequency", -1),
        ("keywords:keyword_specific_position", "n", 0),
        ("first_word:first_word_sent", "first_word", []),
        ("last_word:last_word_sent", "last_word", ["my", "sea"]),
        ("last_word:last_word_answer", "last_word", "..."),
        ("count:lowercase_counting", "N", 1.5),
        ("count:counting_composition", "n_sent", 0),
        ("letters:letter_counting", "relation", "at most"),
        ("letters:letter_counting2", "letter", "ab"),
    ],
)
def test_argument_out_of_range_is_named(id: str, name: str, value: object) -> None:
    with pytest.raises(UsageError, match=f"^{id}: {name}"):
        INSTRUCTIONS[id].read_arguments(arguments_of(id) | {name: value})
