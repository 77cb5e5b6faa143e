"""IFEval's instructions that need the language of a text, and telling it."""

from __future__ import annotations

import sys

import pytest
from instruction_checks import followed

from textgym.errors import ExtraMissingError, UsageError
from textgym.verifiers.instructions import INSTRUCTIONS, sentences
from textgym.verifiers.instructions.sentences import LANGUAGES, detect_language

pytest.importorskip("langdetect")

ENGLISH = "The weather is very nice today, and we are going to walk in the park."
GERMAN = "Das Wetter ist heute sehr schön, und wir gehen im Park spazieren."


@pytest.mark.parametrize(
    ("text", "code"),
    [
        pytest.param(ENGLISH, "en", id="English"),
        pytest.param(GERMAN, "de", id="German"),
        pytest.param("आज मौसम बहुत अच्छा है और हम घूमने जा रहे हैं।", "hi", id="Hindi"),
        pytest.param("今天天气很好，我们去公园散步。", "zh", id="Chinese, of any region"),
        pytest.param(f"See https://a.example/{'the' * 20}. {GERMAN}", "de", id="a link in it"),
        pytest.param("", None, id="nothing"),
        pytest.param("1 + 1 = 2!", None, id="no letters"),
        pytest.param("\ud800", None, id="half a character"),
    ],
)
def test_language(text: str, code: str | None) -> None:
    assert detect_language(text) == code


def test_language_depends_on_the_text_alone() -> None:
    texts = [ENGLISH[:n] for n in range(1, 40, 3)]
    first = [detect_language(text) for text in texts]
    detect_language.cache_clear()
    assert [detect_language(text) for text in reversed(texts)] == first[::-1]


def test_every_language_that_can_be_detected_has_a_name() -> None:
    detected = {code.partition("-")[0] for code in sentences._detectors().get_lang_list()}
    assert detected == LANGUAGES.keys()


def test_library_that_is_missing_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    sentences._detectors.cache_clear()
    monkeypatch.setitem(sys.modules, "langdetect.detector_factory", None)
    with pytest.raises(ExtraMissingError, match=r"needs pip install 'textgym\[constraints\]'"):
        detect_language("Not asked before.")


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        pytest.param(GERMAN, "de", True, id="as asked"),
        pytest.param(ENGLISH, "de", False, id="another language"),
        pytest.param(f"**{GERMAN}**", "de", True, id="in bold"),
        pytest.param(f"{GERMAN} OK, bye! {GERMAN}", "de", True, id="some words of another"),
        pytest.param("...", "de", False, id="punctuation alone"),
    ],
)
def test_response_language(text: str, language: str, expected: bool) -> None:
    assert followed("language:response_language", text, language=language) is expected


def test_unknown_language_is_refused() -> None:
    with pytest.raises(UsageError, match="language: Value error, 'xx' is not one of af, ar"):
        INSTRUCTIONS["language:response_language"].read_arguments({"language": "xx"})


def test_wording_names_the_language() -> None:
    wording = INSTRUCTIONS["language:response_language"].describe({"language": "sw"})
    assert "in Swahili;" in wording


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        pytest.param(ENGLISH.upper(), "english_capital", True, id="capitals"),
        pytest.param(ENGLISH.upper() + " 24!", "english_capital", True, id="digits"),
        pytest.param(ENGLISH.upper() + " a", "english_capital", False, id="one small letter"),
        pytest.param(GERMAN.upper(), "english_capital", False, id="German capitals"),
        pytest.param("123", "english_capital", False, id="no letters"),
        pytest.param(ENGLISH.lower(), "english_lowercase", True, id="small letters"),
        pytest.param(ENGLISH, "english_lowercase", False, id="one capital"),
        pytest.param(GERMAN.lower(), "english_lowercase", False, id="German small letters"),
        pytest.param("123", "english_lowercase", False, id="no letters, small"),
    ],
)
def test_case(text: str, name: str, expected: bool) -> None:
    assert followed(f"change_case:{name}", text) is expected
