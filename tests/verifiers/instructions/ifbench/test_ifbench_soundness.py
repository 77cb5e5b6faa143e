"""No text makes a check of IFBench's instructions raise or slow, and none gets two verdicts."""

from __future__ import annotations

import linear_time
import pytest
from hypothesis import given
from hypothesis import strategies as st
from instruction_checks import (
    ARGUMENTS,
    IFBENCH_IDS,
    IFBENCH_PIECES,
    arguments_of,
    checks,
    followed,
)

from textgym.errors import UsageError
from textgym.verifiers.instructions import INSTRUCTIONS
from textgym.verifiers.instructions.ifbench.layout import _is_uncapitalised
from textgym.verifiers.instructions.ifbench.words import _split_contractions
from textgym.verifiers.instructions.sentences import without_emphasis, word_tokens

for library in ("nltk", "textblob", "syllapy", "emoji"):
    pytest.importorskip(library)

MARKS = (
    "a", "A", "Ǆ", "ǅ", "İ", "ß", "ſ", "а", "Ａ", "é", "e\u0301", "1", "٣", "²", "½", " ", "\n",
    "\r", "\r\n", "\t", "\v", "\x1c", "\x00", "\u00a0", "\u200b", "\u2028", "\ud800", "\udc00",
    "😀", "👨‍👩‍👧", "🇫🇷", "\ufe0f", "日", "の", ".", "?", "!", "...", "…", "‽", "?!", ",", ";",
    ":", "-", "—", "*", "/", "\\", "(", "[", "{", ")", "]", "}", '"', "'", "“", "”", "<i>",
    "</i>", "<em>", "</em>", "can't", "e.g.", "Dr. ", "A. ", "One. ", "or", "and ", "Question 1: ",
    "\nA) x", "Zimbabwe\n", "ID,Country,City,Year,Count\n",
    "ProductID,Category,Brand,Price,Stock\n", "1,2,3,4,5\n",
    '"StudentID"\t"Subject"\t"Grade"\t"Semester"\t"Score"\n', "1800-01-01,",
    "9999-99-99", "My Answer:", "sea ",
)  # fmt: skip


def test_all_58_instructions_are_there() -> None:
    assert len(IFBENCH_IDS) == 58


@given(st.one_of(st.lists(st.sampled_from(MARKS), max_size=25).map("".join), st.text()))
def test_every_check_gives_one_verdict_on_any_text(text: str) -> None:
    verdicts = {id: followed(id, text) for id in IFBENCH_IDS}
    assert {type(verdict) for verdict in verdicts.values()} == {bool}
    assert {id: followed(id, text) for id in IFBENCH_IDS} == verdicts


@given(st.one_of(st.lists(st.sampled_from(MARKS), max_size=25).map("".join), st.text()))
def test_short_cuts_never_change_a_verdict(text: str) -> None:
    title_case = not any(map(_is_uncapitalised, word_tokens(without_emphasis(text))))
    assert INSTRUCTIONS["format:title_case"].check(text) is title_case
    words = _split_contractions(text)
    for keyword in words:
        both = words[1:2] == words[-2:-1] == [keyword]
        assert INSTRUCTIONS["words:words_position"].check(text, keyword=keyword) is both


@pytest.mark.soak
def test_long_text_of_anything_is_checked_in_linear_time() -> None:
    assert linear_time.growing_times(checks(IFBENCH_IDS), IFBENCH_PIECES) is None


def test_text_of_anything_is_checked_with_a_linear_number_of_calls() -> None:
    assert linear_time.growing_calls(checks(IFBENCH_IDS), IFBENCH_PIECES[::6]) is None


@pytest.mark.parametrize("id", IFBENCH_IDS)
def test_wording_tells_its_arguments(id: str) -> None:
    arguments = arguments_of(id)
    told = INSTRUCTIONS[id].describe(arguments)
    for value in arguments.values():
        assert str(value) in told


@pytest.mark.parametrize("id", sorted(id for id in IFBENCH_IDS if arguments_of(id)))
def test_missing_argument_is_named(id: str) -> None:
    for name in ARGUMENTS[id]:
        others = {key: value for key, value in arguments_of(id).items() if key != name}
        with pytest.raises(UsageError, match=f"^{id}: {name}: "):
            INSTRUCTIONS[id].read_arguments(others)


@pytest.mark.parametrize(
    ("id", "name", "value"),
    [
        ("count:words_japanese", "N", 0),
        ("sentence:keyword", "N", 0),
        ("sentence:keyword", "word", " "),
        ("count:numbers", "N", -1),
        ("count:numbers", "N", 1.5),
        ("format:list", "sep", ""),
        ("repeat:repeat_span", "n_start", -1),
        ("words:keywords_specific_position", "m", 0),
    ],
)
def test_argument_out_of_range_is_named(id: str, name: str, value: object) -> None:
    with pytest.raises(UsageError, match=f"^{id}: {name}: "):
        INSTRUCTIONS[id].read_arguments(arguments_of(id) | {name: value})
