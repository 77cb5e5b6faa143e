"""The option that a text chooses: four modes, patterns, other scripts, negations and lists."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import in_one_test

from textgym.verifiers.boxed import chosen_boxes
from textgym.verifiers.choices import GRADING_MODES, choice, format_choice
from textgym.verifiers.choices.modes import _boxes_in
from textgym.verifiers.exact import normalize_text

STRICT, BOXED, COLON, LAST = GRADING_MODES
METALS = {"A": "iron", "B": "zinc", "C": "Carbon  Dioxide", "D": "not lead"}


@cache
def hostile(n: int) -> dict[str, str]:
    """Return texts of about n characters that make careless readers slow."""
    return {
        "letters": "A" * n,
        "letters and spaces": "Answer: " + "A " * (n // 2),
        "letters and slashes": "Answer: " + "A/B/" * (n // 4),
        "article and spaces": "Answer: A" + " " * n + "1",
        "list and spaces": "Answer: A" + " " * n + "or" + " " * 1_000 + "1",
        "labels": "Answer:" * (n // 7),
        "answer lines": "Answer: ?\n" * (n // 10),
        "quoted labels": '"Answer: A"\n' * (n // 12),
        "open boxes": "\\boxed{" * (n // 7),
        "box of braces": "\\boxed{" + "{" * (n // 2) + "}" * (n // 2) + "}",
        "box of stars": "\\boxed{" + "*" * (n // 2) + "A" + "*" * (n // 2) + "b}",
        "box of spaces": "\\boxed{A" + " " * n + "b}",
        "negations": "\\boxed{" + "not " * (n // 4) + "zinc}",
        "markup": "Answer: " + "*_`" * (n // 3) + "b",
        "surrogates": "Answer: " + "\ud800" * n,
        "alefs": "Answer: " + "أ" * n,
        "nested text": "\\boxed{" + "\\text{" * 2_000 + "A" + "}" * 2_001,
    }


# Boxes.

BOTH_BOXED = {
    r"\boxed{B}": "B",
    r"\boxed{ B }": "B",
    r"\boxed{(B)}": "B",
    r"\boxed{[B]}": "B",
    r"\boxed{**B**}": "B",
    r'\boxed{"B"}': "B",
    r"\boxed{B.}": "B",
    r"\boxed{$B$}": "B",
    r"\boxed{\text{B}}": "B",
    r"\boxed{\textbf{(B)}}": "B",
    r"\boxed{\mathrm{\text{B}}}": "B",
    r"\boxed{B: zinc}": "B",
    r"\boxed{B) zinc}": "B",
    r"\boxed{B. zinc}": "B",
    r"\boxed{B - zinc}": "B",
    r"\boxed{B: iron}": "B",
    r"\boxed{A} no, \boxed{B}": "B",
    r"\boxed{B} and \boxed{A": "B",
    r"\boxed{E}": "",
    r"\boxed{b}": "",
    r"\boxed{}": "",
    r"\boxed{AB}": "",
    r"\boxed{A or B}": "",
    r"\boxed{A, B}": "",
    r"\boxed{1}": "",
    r"\boxed{B": "",
    "B": "",
    "Answer: B": "",
    "": "",
}


@pytest.mark.parametrize("mode", [STRICT, BOXED])
@in_one_test(("text", "letter"), BOTH_BOXED.items())
def test_letter_in_a_box(mode: Any, text: str, letter: str) -> None:
    assert choice(text, METALS, mode) == letter


LENIENT = {
    r"\boxed{zinc}": "B",
    r"\boxed{ZINC }": "B",
    r"\boxed{\text{zinc}}": "B",
    r"\boxed{It is zinc.}": "B",
    "\\boxed{carbon\n dioxide}": "C",
    r"\boxed{iron or zinc}": "",
    r"\boxed{not zinc}": "",
    r"\boxed{never zinc}": "",
    r"\boxed{It isn't zinc}": "",
    r"\boxed{neither zinc}": "",
    r"\boxed{zinc, not lead}": "",
    r"\boxed{zinc, not tin}": "B",
    r"\boxed{knot of zinc}": "B",
    r"\boxed{tin}": "",
}


@in_one_test(("text", "letter"), LENIENT.items())
def test_option_text_in_a_box_counts_in_the_lenient_mode_only(text: str, letter: str) -> None:
    assert choice(text, METALS, BOXED) == letter
    assert choice(text, METALS, STRICT) == ""


@pytest.mark.parametrize("option", ["E. coli", "A: the first", "C-14", "D) x"])
@pytest.mark.parametrize(("mode", "letter"), [(STRICT, ""), (BOXED, "B")])
def test_box_with_an_option_text_is_not_read_as_a_letter(
    option: str, mode: Any, letter: str
) -> None:
    options = dict.fromkeys("ACDE", "?") | {"B": option}
    assert choice(f"\\boxed{{{option}}}", options, mode) == letter


def test_empty_option_is_not_found_in_a_box() -> None:
    assert choice(r"\boxed{zinc}", {"A": "", "B": "zinc"}, BOXED) == "B"
    assert choice(r"\boxed{}", {"A": "", "B": "zinc"}, BOXED) == ""


# The first answer line.

FIRST = {
    "Answer: B": "B",
    "answer: b": "B",
    "ANSWER:B": "B",
    "**Answer:** B": "B",
    "**Answer: B**": "B",
    "**Answer**: B": "B",
    "Answer: (B).": "B",
    "Answer: \\text{B}": "B",
    "Answer: $B$": "B",
    "Answer:\nB": "B",
    "Answer:\nAnswer: B": "B",
    "Answer: zinc": "B",
    "Answer: ZINC": "B",
    "Answer: **zinc**": "B",
    "Answer: carbon dioxide": "C",
    "Answer: not lead": "D",
    "The final answer: B": "B",
    "Answer: A\nAnswer: B": "A",
    "Answer: B\nso not A": "B",
    'Write "Answer: A" at the end.\nAnswer: B': "B",
    "'Answer: A'\nAnswer: B": "B",
    "`Answer: A`\nAnswer: B": "B",
    "“Answer: A”\nAnswer: B": "B",
    '"Answer: B"': "B",  # the only answer line, so it is not a quotation
    "Answer: E": "",
    "Answer: B zinc": "B",
    "Answer: B iron": "",
    "Answer: not B": "",
    "Answer: A or B": "",
    "Answer: A/B": "",
    "Answer: the zinc one": "",
    "Answer:": "",
    "B": "",
    r"\boxed{B}": "",
}


@in_one_test(("text", "letter"), FIRST.items())
def test_first_answer_line(text: str, letter: str) -> None:
    assert choice(text, METALS, COLON) == letter


# The last answer line.

ANY = {
    "Answer: B": "B",
    "**Answer:** B": "B",
    "**Answer: B**": "B",
    "Answer: b": "B",
    "Answer: (B)": "B",
    "Answer: B zinc": "B",
    "Answer: B because it rusts not": "B",
    "Answer: Option B": "B",
    "Answer: the option is B.": "B",
    "Answer: A\nAnswer: B": "B",
    "Answer: B\nAnswer: ?": "B",
    "Answer: B\nAnswer: unclear": "B",
    # lists
    "Answer: A/B": "",
    "Answer: A or B": "",
    "Answer: A and B": "",
    "Answer: A, B": "",
    "Answer: A|B": "",
    "Answer: A & B": "",
    "Answer: A B": "",
    "Answer: a or b": "",
    "Answer: B\nAnswer: A/B/C/D": "B",
    "Answer: B/B": "B",
    # article and pronoun
    "Answer: A metal": "",
    "Answer: A metal, namely B": "B",
    "Answer: a metal": "",
    "Answer: A because it rusts": "A",
    "Answer: A is right": "A",
    "Answer: A": "A",
    "Answer: A.": "A",
    "Answer: I think B": "B",
    "Answer: I'd say B": "B",
    # other scripts
    "Answer: ب": "B",
    "Answer: أ": "A",
    "Answer: ج": "C",
    "Answer: د": "D",
    "Answer: অ": "A",
    "Answer: ব": "B",
    "Answer: ড": "C",
    "Answer: ঢ": "D",
    "Answer: Ｂ": "B",
    "Answer: Ｄ": "D",
    "Answer: (ب)": "B",
    # words that begin with a letter
    "Answer: Because": "",
    "Answer: Bélgica": "",
    "Answer: Düsseldorf": "",
    "Answer: B2": "",
    "Answer: جيد": "",
    "Answer: بيت": "",
    # nothing
    "Answer: E": "",
    "Answer: ?": "",
    "B": "",
    r"\boxed{B}": "",
}


@in_one_test(("text", "letter"), ANY.items())
def test_last_answer_line(text: str, letter: str) -> None:
    assert choice(text, METALS, LAST) == letter


@pytest.mark.parametrize("mode", [COLON, LAST])
def test_pronoun_i_is_an_option_only_alone(mode: Any) -> None:
    options = dict(zip("ABCDEFGHI", "abcdefghi", strict=True))
    assert choice("Answer: I", options, mode) == "I"
    assert choice("Answer: I'm not sure", options, mode) == ""


@pytest.mark.parametrize("mode", [STRICT, BOXED, COLON])
def test_letters_of_other_scripts_count_in_the_last_mode_only(mode: Any) -> None:
    assert choice("Answer: ب \\boxed{ب}", METALS, mode) == ""


# Patterns.


@in_one_test(
    ("text", "patterns", "letter"),
    [
        pytest.param("choose (b)", [r"choose \((.)\)"], "B", id="group"),
        pytest.param("CHOOSE B", ["choose (.)"], "B", id="any case"),
        pytest.param("pick A, pick B", ["pick (.)"], "B", id="last match"),
        pytest.param("x A y B", ["y (.)", "x (.)"], "B", id="first pattern wins"),
        pytest.param("x A y B", ["x (.)", "y (.)"], "A", id="order of patterns"),
        pytest.param("y B", ["x (.)", "y (.)"], "B", id="second if the first has no match"),
        pytest.param("x ? y B", ["x (.)", "y (.)"], "B", id="second if the first is not a letter"),
        pytest.param("B", ["[A-D]"], "B", id="no group: all of it"),
        pytest.param("pick B", ["(?:x (.))|(?:pick (.))"], "B", id="first group with text"),
        pytest.param("pick zinc", ["pick (.+)"], "B", id="an option's text"),
        pytest.param("pick  CARBON dioxide ", ["pick (.+)"], "C", id="text, spaces and case"),
        pytest.param("pick Z", ["pick (.)"], "Z", id="letters are trusted"),
        pytest.param("pick ب", ["pick (.)"], "B", id="Arabic"),
        pytest.param("pick ব", ["pick (.)"], "B", id="Bengali"),
        pytest.param("pick Ｂ", ["pick (.)"], "B", id="full-width"),
        pytest.param("pick ﬀ", ["pick (.)"], "", id="not a letter after normalising"),
        pytest.param("pick 5", ["pick (.)"], "", id="digit"),
        pytest.param("pick tin", ["pick (.+)"], "", id="not an option's text"),
        pytest.param("pick B", ["pick (", "pick (.)"], "B", id="broken pattern is ignored"),
        pytest.param("pick B", ["(", "*", "[", "(?P<", "x{99999999999}"], "", id="all broken"),
        pytest.param("pick B", ["pick ([[A-D])"], "B", id="pattern that Python warns about"),
        pytest.param("", [""], "", id="empty"),
        pytest.param(r"\boxed{A}", ["pick (.)"], "A", id="mode if no pattern matches"),
        pytest.param(r"\boxed{A} pick B", ["pick (.)"], "B", id="pattern before mode"),
    ],
)
def test_patterns_choose_before_the_mode(text: str, patterns: list[str], letter: str) -> None:
    assert choice(text, METALS, STRICT, patterns) == letter


@pytest.mark.parametrize(
    "option", ["x²", "بيت", "H₂O", "５ ｋｇ", "ﬁn"], ids=ascii
)  # fmt: skip
def test_pattern_can_capture_an_option_text_in_any_script(option: str) -> None:
    options = {"A": "something else", "B": option}
    assert choice(f"pick {option}", options, STRICT, ["pick (.+)"]) == "B"


@pytest.mark.parametrize("mode", GRADING_MODES)
def test_without_options_only_patterns_choose(mode: Any) -> None:
    text = "\\boxed{A}\nAnswer: A\npick C"
    assert choice(text, {}, mode) == ""
    assert choice(text, {}, mode, ["pick (.)"]) == "C"


@pytest.mark.parametrize("mode", GRADING_MODES)
@pytest.mark.parametrize("letter", "ABCD")
def test_formatted_choice_is_read_back(mode: Any, letter: str) -> None:
    assert choice(format_choice(letter, mode), METALS, mode) == letter


@pytest.mark.parametrize(
    ("text", "plain"),
    [(" Carbon\n\tDIOXIDE ", "carbon dioxide"), ("", ""), ("É", "é"), ("a\u00a0b", "a b")],
    ids=ascii,
)
def test_normalized_text_has_lower_case_and_single_spaces(text: str, plain: str) -> None:
    assert normalize_text(text) == plain


@pytest.mark.parametrize("length", [10_000, pytest.param(300_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("mode", GRADING_MODES)
@pytest.mark.parametrize("name", hostile(0))
def test_hostile_text_chooses_an_option_or_none(name: str, mode: Any, length: int) -> None:
    letter = choice(hostile(length)[name], METALS, mode, ["pick (.)", "([A-D])$"])
    assert letter in ("", *METALS)


def test_a_word_before_the_letter_may_be_an_option_itself() -> None:
    options = {"A": "Option B", "B": "Option A"}
    assert choice(r"\boxed{Option B}", options) == ""
    assert choice(r"\boxed{Option B}", options, "lenient_boxed") == "A"


PIECES = (
    *"AB.?$,;{}", "\\boxed{A}", "\\boxed{B}", "\\boxed{C", "\\boxed{}", "or", "(or B)", "(wrong)",
    "not", "wrong", "Wrong:", "no", "doubt", "I", "it is", "the answer", "hardly", "**", "to",
    "else", "otherwise", "vs.", "\\neq", "isn't", "rather than", "far from", "except", "so", "and",
    "maybe", "~~", "is ruled out",
    "A vs.", "vs. B", "B otherwise", "otherwise A", "\\cancel{", "anyone but", "\n",
    "a few more words to fill the line",
)  # fmt: skip


BESIDE = st.lists(st.sampled_from(PIECES), max_size=3)


@given(BESIDE, BESIDE)
@settings(deadline=None, max_examples=500)
def test_what_does_not_matter_beside_a_box_is_left_out_rightly(
    before: list[str], behind: list[str]
) -> None:
    text = " ".join([*before, "\\boxed{A}", *behind])
    assert _boxes_in(text) == chosen_boxes(text)
