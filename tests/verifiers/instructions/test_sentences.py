"""Splitting text into sentences and words, without models that would have to be downloaded."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textgym.errors import ExtraMissingError
from textgym.verifiers.instructions import sentences
from textgym.verifiers.instructions.sentences import split_sentences, word_tokens

pytest.importorskip("nltk")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n", []),
        ("No end mark", ["No end mark"]),
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("One.\n\nTwo.", ["One.", "Two."]),
        ("A heading\n\nA line", ["A heading\n\nA line"]),
        ("one.two", ["one.two"]),
        ("It costs 3.50 today. Fine.", ["It costs 3.50 today.", "Fine."]),
        ("Dr. Lee met Mrs. Ray.", ["Dr. Lee met Mrs. Ray."]),
        ("J. S. Bach wrote it.", ["J. S. Bach wrote it."]),
        ("In the U.S. Senate. The end.", ["In the U.S. Senate.", "The end."]),
        ("She lives in the U.S. The man left.", ["She lives in the U.S.", "The man left."]),
        ("Use fruit, e.g. apples. Eat.", ["Use fruit, e.g. apples.", "Eat."]),
        ("Wait... what? Yes.", ["Wait... what?", "Yes."]),
        ("Wait... The end.", ["Wait...", "The end."]),
        ('He said "Go." Then he left.', ['He said "Go."', "Then he left."]),
        ("(One.) Two.", ["(One.)", "Two."]),
        ("Really?! Yes.", ["Really?!", "Yes."]),
        ("1. First\n2. Second", ["1.", "First\n2.", "Second"]),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    assert split_sentences(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("Don't! I cannot.", ["Do", "n't", "!", "I", "can", "not", "."]),
        ("Ann's well-known dog", ["Ann", "'s", "well-known", "dog"]),
        ("3.5 (or $4)", ["3.5", "(", "or", "$", "4", ")"]),
        ("**Bold** words", ["*", "*", "Bold", "*", "*", "words"]),
        ("One. Two.", ["One", ".", "Two", "."]),
        ("(One.) Two...", ["(", "One", ".", ")", "Two", "..."]),
        ('"One." "Two', ["``", "One", ".", "''", "``", "Two"]),
        ("At 5 p.m. he left", ["At", "5", "p.m.", "he", "left"]),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert word_tokens(text) == expected


@given(st.text(st.sampled_from(" \n\t.?!…。'\"”’“()[]*-–—,:;aAI1é\ud800😀"), max_size=60))
def test_sentences_keep_all_but_whitespace_and_lone_emphasis(text: str) -> None:
    kept = "".join("".join(split_sentences(text)).split())
    assert kept.replace("*", "") == "".join(text.split()).replace("*", "")
    assert all(sentence == sentence.strip() for sentence in split_sentences(text)[1:])


def test_slow_machine_still_splits_a_long_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nltk.redos.DEFAULT_TIMEOUT", 0.01)  # seconds
    assert split_sentences("Go" + "!" * 200_000 + " One") == ["Go" + "!" * 200_000, "One"]


def test_missing_library_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    for split in (sentences._sentence_splitter, sentences._word_splitter):
        split.cache_clear()
    monkeypatch.setitem(sys.modules, "nltk.tokenize.punkt", None)
    with pytest.raises(ExtraMissingError, match=r"needs pip install 'textgym\[constraints\]'"):
        split_sentences("A text that was not split before.")
    monkeypatch.setitem(sys.modules, "nltk.tokenize.destructive", None)
    with pytest.raises(ExtraMissingError, match=r"textgym\[constraints\]"):
        sentences._word_splitter()
