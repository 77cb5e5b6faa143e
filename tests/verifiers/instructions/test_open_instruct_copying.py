"""open-instruct's instructions to copy the request or to vary a phrase: one edge case each."""

from __future__ import annotations

from typing import Any

import pytest
from instruction_checks import followed

ONE, TWO = "Actions speak softer than words", "Actions shout louder than words"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(f"{ONE}\n{TWO}", True, id="two changed phrases"),
        pytest.param(f"1. **{ONE}**, “{TWO}”!", True, id="marks around them"),
        pytest.param(f"{ONE} and {ONE}", True, id="the same change twice"),
        pytest.param(ONE, False, id="one too few"),
        pytest.param(f"{ONE} {TWO} {ONE}", False, id="one too many"),
        pytest.param(f"{ONE} Actions speak louder than words", False, id="last one not changed"),
        pytest.param(f"Actions speak louder than words {ONE}", False, id="first one not changed"),
        pytest.param(f"{ONE} Actions shout softer than words", False, id="two words replaced"),
        pytest.param(f"{ONE} Actions speak than words", False, id="a word left out"),
        pytest.param(f"{ONE} Actions may speak louder than words", False, id="a word added"),
        pytest.param(f"{ONE} Actions speak, louder than words", False, id="only a comma added"),
        pytest.param(f"{ONE} Deeds speak louder than words", False, id="the first word replaced"),
        pytest.param(f"{ONE} {TWO}y", False, id="last word within a longer one"),
        pytest.param(f"{ONE} Re{TWO}", False, id="first word within a longer one"),
        pytest.param(f"{ONE} {TWO.lower()}", False, id="first word in lower case"),
        pytest.param(ONE + "\nActions shout louder\nthan words", False, id="over two lines"),
        pytest.param("", False, id="empty text"),
    ],
)
def test_repeat_phrase(text: str, expected: bool) -> None:
    assert followed("copy:repeat_phrase", text) is expected


def test_first_word_that_is_also_the_last_is_used_once() -> None:
    arguments = {"phrase": "Home sweet home", "small_n": 1}
    assert followed("copy:repeat_phrase", "Home dear home", **arguments)
    arguments["phrase"] = "home sweet home"
    assert followed("copy:repeat_phrase", "home dear home sweet", **arguments)
    assert not followed("copy:repeat_phrase", "home home", **arguments)


@pytest.mark.parametrize("id", ["copy:copy", "copy:copying_simple"])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("Name a river.", True, id="the request"),
        pytest.param(" name A river.\n", True, id="case and whitespace around"),
        pytest.param("Name a river", False, id="full stop missing"),
        pytest.param("Name  a river.", False, id="another blank within"),
        pytest.param("Name a river.\nThe Rhine", False, id="an answer after it"),
        pytest.param("", False, id="empty text"),
    ],
)
def test_copying(id: str, text: str, expected: bool) -> None:
    assert followed(id, text) is expected


REQUEST = "Name a river."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(f"{REQUEST}\n******\n{REQUEST}", True, id="two copies"),
        pytest.param(f"{REQUEST}******{REQUEST.upper()}", True, id="no blanks, any case"),
        pytest.param(REQUEST, False, id="one copy"),
        pytest.param("******".join([REQUEST] * 3), False, id="three copies"),
        pytest.param(f"{REQUEST}*****{REQUEST}", False, id="five asterisks"),
        pytest.param(f"{REQUEST}*******{REQUEST}", False, id="seven asterisks"),
        pytest.param(f"******{REQUEST}******{REQUEST}", False, id="a separator before"),
        pytest.param(f"{REQUEST}******The Rhine", False, id="an answer as the second"),
        pytest.param("******", False, id="a separator alone"),
        pytest.param("", False, id="empty text"),
    ],
)
def test_copying_multiple(text: str, expected: bool) -> None:
    assert followed("copy:copying_multiple", text) is expected


def test_copies_of_a_request_with_six_asterisks() -> None:
    request = "Two answers, with ****** between."
    arguments: dict[str, Any] = {"prompt_to_repeat": request, "N": 2}
    assert followed("copy:copying_multiple", f"{request}******{request}", **arguments)
    assert not followed("copy:copying_multiple", request, **arguments)


@pytest.mark.parametrize(
    ("start", "end", "text", "expected"),
    [
        pytest.param(5, 11, "a river", True, id="last index included"),
        pytest.param(5, 11, "a rive", False, id="last index left out"),
        pytest.param(0, 3, "name", True, id="from the first character, in any case"),
        pytest.param(4, 6, "a", True, id="whitespace around it"),
        pytest.param(5, 99, "a river.", True, id="an end behind the text"),
        pytest.param(5, 11, "", False, id="empty text"),
    ],
)
def test_copy_span_idx(start: int, end: int, text: str, expected: bool) -> None:
    arguments = {"prompt_to_repeat": REQUEST, "n_start": start, "n_end": end}
    assert followed("new:copy_span_idx", text, **arguments) is expected
