"""No text makes a check of IFEval's instructions raise or slow, and none gets two verdicts."""

from __future__ import annotations

from typing import Any

import linear_time
import pytest
from hypothesis import given
from hypothesis import strategies as st
from instruction_checks import IFEVAL_IDS, IFEVAL_PIECES, arguments_of, checks

from textgym.errors import UsageError
from textgym.verifiers.instructions import INSTRUCTIONS, Mode, follows

for library in ("nltk", "langdetect"):
    pytest.importorskip(library)

MARKS = (
    "A", "b", "É", "ǅ", "ſ", "а", "Ａ", "٣", "²", "\n", "\r\n", "\t", "\x1c", "\x00", "\u00a0",
    "\u200b", "\u2028", "\udc00", "😀", "👨‍👩‍👧", "\ufe0f", "日", ".", "?", ",", "'", '"', "”",
    "(", ")", "]", "}", ">>", "<<x>>", "`", "{", ":", "null", "My answer is no.", "Name a river.",
    "river", "Any questions?", "DON'T", "U.S.", "Das ist gut. ", "that is good. ",
)  # fmt: skip
TEXTS = st.one_of(
    st.lists(st.sampled_from(MARKS + IFEVAL_PIECES), max_size=25).map("".join), st.text()
)


def test_all_25_instructions_are_there() -> None:
    assert len(IFEVAL_IDS) == 25


def verdicts(text: str, mode: Mode = "strict") -> dict[str, bool]:
    """Return the verdict of every instruction on a text."""
    asked = [(id, arguments_of(id)) for id in IFEVAL_IDS]
    return dict(zip(IFEVAL_IDS, follows(text, asked, mode), strict=True))


@given(TEXTS)
def test_every_check_gives_one_verdict_on_any_text(text: str) -> None:
    strict, loose = verdicts(text), verdicts(text, "loose")
    assert {type(verdict) for verdict in strict.values()} == {bool}
    assert verdicts(text) == strict
    assert {id for id in IFEVAL_IDS if strict[id] and not loose[id]} == set()


@pytest.mark.soak
def test_long_text_of_anything_is_checked_in_linear_time() -> None:
    assert linear_time.growing_times(checks(IFEVAL_IDS), IFEVAL_PIECES) is None


def test_text_of_anything_is_checked_with_a_linear_number_of_calls() -> None:
    assert linear_time.growing_calls(checks(IFEVAL_IDS), IFEVAL_PIECES[:3]) is None


@pytest.mark.parametrize("id", sorted(IFEVAL_IDS))
def test_wording_has_the_arguments(id: str) -> None:
    told = INSTRUCTIONS[id].describe(arguments_of(id))
    assert "{" not in told
    for name, value in arguments_of(id).items():
        parts = value if isinstance(value, list) else ["German" if name == "language" else value]
        assert all(str(part) in told for part in parts)


@pytest.mark.parametrize("id", sorted(id for id in IFEVAL_IDS if arguments_of(id)))
def test_missing_argument_is_named(id: str) -> None:
    for name in arguments_of(id):
        with pytest.raises(UsageError, match=f"^{id}: {name}: "):
            INSTRUCTIONS[id].read_arguments(arguments_of(id) | {name: None})


@pytest.mark.parametrize("id", sorted(IFEVAL_IDS))
def test_arguments_are_read_as_rows_have_them(id: str) -> None:
    row: dict[str, Any] = {"unused": None, "other": 1} | {
        name: float(value) if isinstance(value, int) else value
        for name, value in arguments_of(id).items()
    }
    read = INSTRUCTIONS[id].read_arguments(row)
    assert read == arguments_of(id)
    assert float not in map(type, read.values())


@pytest.mark.parametrize(
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
    ],
)
def test_argument_out_of_range_is_named(id: str, name: str, value: object) -> None:
    with pytest.raises(UsageError, match=f"^{id}: {name}"):
        INSTRUCTIONS[id].read_arguments(arguments_of(id) | {name: value})
