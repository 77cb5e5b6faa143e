"""No text makes a check of open-instruct's types raise or slow, and none gets two verdicts."""

from __future__ import annotations

import linear_time
import pytest
from hypothesis import given
from hypothesis import strategies as st
from instruction_checks import (
    OPEN_INSTRUCT_IDS,
    OPEN_INSTRUCT_PIECES,
    arguments_of,
    checks,
)

from textgym.errors import UsageError
from textgym.verifiers.instructions import INSTRUCTIONS, Mode, follows

pytest.importorskip("nltk")

MARKS = (
    "İ", "ß", "ǅ", "é", "e\u0301", "1", "\r\n", "\t", "\x00", "\u2028", "\udc00", "😀", "日", "?",
    ",", "'", '"', "”", "(", ")", "…", "—", "don't ", "Dr. ", "Sea ", "Actions a b c words\n",
)  # fmt: skip
PARTS = st.lists(st.sampled_from(MARKS + OPEN_INSTRUCT_PIECES), max_size=25)
TEXTS = st.one_of(PARTS.map("".join), st.text())


def test_all_29_instructions_are_there() -> None:
    assert len(OPEN_INSTRUCT_IDS) == 29


def verdicts(text: str, mode: Mode = "strict") -> dict[str, bool]:
    """Return the verdict of every instruction on a text."""
    asked = [(id, arguments_of(id)) for id in OPEN_INSTRUCT_IDS]
    return dict(zip(OPEN_INSTRUCT_IDS, follows(text, asked, mode), strict=True))


@given(TEXTS)
def test_every_check_gives_one_verdict_on_any_text(text: str) -> None:
    strict, loose = verdicts(text), verdicts(text, "loose")
    assert {type(verdict) for verdict in strict.values()} == {bool}
    assert verdicts(text) == strict
    assert {id for id in OPEN_INSTRUCT_IDS if strict[id] and not loose[id]} == set()


@pytest.mark.parametrize("mode", ["strict", "loose"])
@pytest.mark.parametrize("text", ["", " \n"])
def test_blank_text_follows_none_of_them(text: str, mode: Mode) -> None:
    assert set(verdicts(text, mode).values()) == {False}


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
    assert not verdicts(text)[id]
    assert verdicts(text, "loose")[id]


@pytest.mark.soak
def test_long_text_of_anything_is_checked_in_linear_time() -> None:
    assert linear_time.growing_times(checks(OPEN_INSTRUCT_IDS), OPEN_INSTRUCT_PIECES) is None


def test_text_of_anything_is_checked_with_a_linear_number_of_calls() -> None:
    assert linear_time.growing_calls(checks(OPEN_INSTRUCT_IDS), OPEN_INSTRUCT_PIECES[::6]) is None


@pytest.mark.parametrize("id", OPEN_INSTRUCT_IDS)
def test_wording_tells_every_argument(id: str) -> None:
    told = INSTRUCTIONS[id].describe(arguments_of(id))
    assert "{" not in told
    assert all(str(value) in told for value in arguments_of(id).values())


@pytest.mark.parametrize("id", sorted(id for id in OPEN_INSTRUCT_IDS if arguments_of(id)))
def test_missing_argument_of_a_type_is_named(id: str) -> None:
    for name in arguments_of(id):
        with pytest.raises(UsageError, match=f"^{id}: {name}: "):
            INSTRUCTIONS[id].read_arguments(arguments_of(id) | {name: None})


@pytest.mark.parametrize(
    ("id", "name", "value"),
    [
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
def test_argument_of_a_type_out_of_range_is_named(id: str, name: str, value: object) -> None:
    with pytest.raises(UsageError, match=f"^{id}: {name}: "):
        INSTRUCTIONS[id].read_arguments(arguments_of(id) | {name: value})
