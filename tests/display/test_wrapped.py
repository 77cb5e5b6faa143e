"""Long lines in a terminal: they are broken at spaces, and keep their words and styles."""

from __future__ import annotations

import io
import re

import pytest

from textgym.display.terminal import Paint, wrapped

WIDTH = 20


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(WIDTH))


def plain(text: str) -> list[str]:
    return re.sub(r"\x1b\[[\d;]*m", "", text).split("\n")


def test_lines_are_broken_at_spaces_and_keep_their_indentation() -> None:
    text = "short\n  time_min (string): The first day.\n\nend"
    shown = wrapped(text, Terminal())
    assert plain(shown) == ["short", "  time_min (string):", "  The first day.", "", "end"]


@pytest.mark.parametrize("word", ["x" * 50, "http://127.0.0.1:8000/v1/chat/completions"])
def test_a_word_is_never_broken(word: str) -> None:
    assert plain(wrapped(f"see {word} there", Terminal())) == ["see", word, "there"]
    assert wrapped(f"  {word}", Terminal()) == f"  {word}"


def test_nothing_is_added_without_a_terminal() -> None:
    text = "a line with many words " * 10
    assert wrapped(text, io.StringIO()) == text


def test_each_part_has_the_style_of_its_line() -> None:
    painted = Paint(True)("one two\x07 three four five six", "bold", "cyan")
    parts = wrapped(painted, Terminal()).split("\n")
    assert len(parts) == 2
    assert all(part.startswith("\x1b[1;36m") and part.endswith("\x1b[0m") for part in parts)
    assert all(len(line) <= WIDTH for line in plain("\n".join(parts)))
    assert " ".join(plain("\n".join(parts))) == "one two\\x07 three four five six"


def test_words_and_the_spaces_between_them_on_a_line_are_kept() -> None:
    text = "a  b   c " * 8
    shown = wrapped(text, Terminal())
    assert shown.split() == text.split()
    assert shown.startswith("a  b   c a  b   c a\n")
