"""What attackers read in the sentences of a prompt, and what they leave alone."""

from __future__ import annotations

import pytest
from attacking import answer_of
from hypothesis import given, settings
from hypothesis import strategies as st

from textgym.checks.attackers import Knowledge, NotApplicable
from textgym.checks.attackers.excerpts import excerpts
from textgym.checks.attackers.knowledge import Lesson
from textgym.checks.attackers.prompts import inline_options, items, named_expressions, pairs
from textgym.checks.soundness.mutations import asks_for_order, reorder
from textgym.messages import assistant, user


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Sort 5, 3, 9.", "5 3 9"),
        ("Sort 5, 3 and 9.", "5 3 9"),
        ("Sort the list [5, 3, 9] upwards.", "5 3 9"),
        ("Sort (5; 3; 9), please.", None),
        ("Sort these: 5, 3, 9", "5 3 9"),
        ("Sort these numbers: -5, 3.5, 9", "-5 3.5 9"),
        ("Order 'fig', 'nut' and 'pea'.", "fig nut pea"),
        ('Order "fig", "nut", "pea".', "fig nut pea"),
        ("Order by length:\n- fig\n- walnut\n- pea\n", "fig walnut pea"),
        ("Order:\n1. fig\n2. walnut\n3. pea", "fig walnut pea"),
        ("Sort 5 3 9 in your head", "5 3 9"),
        ("Is it yes/no/maybe?", "yes no maybe"),
        ("First 1, 2, 3, then sort 6, 5, 4.", "6 5 4"),
        ("Add 5 and 3.", None),
        ("Well, it is late.", None),
        ("What is 5,300 plus 9?", None),
        ("", None),
    ],
)
def test_the_items_of_a_list_are_read(text: str, found: str | None) -> None:
    if found is None:
        with pytest.raises(NotApplicable):
            items(text)
    else:
        assert items(text) == found.split()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Which? (a) 5 (b) 9 (c) 2", ["a", "b", "c"]),
        ("Which? A) 5, B) 9, C) 2", ["A", "B", "C"]),
        ("Which? a. red, b. blue or c. green?", ["a", "b", "c"]),
        ("Is it red, green or blue?", ["red", "green", "blue"]),
        ("Choose from 12, 15 and 18.", ["12", "15", "18"]),
        ("Pick one of [x, y, z].", ["x", "y", "z"]),
        ("Answer with one of: true, false, unknown", ["true", "false", "unknown"]),
        ("Which? (b) 5 (c) 9 (d) 2", None),
        ("Sort 5, 3, 9.", None),
        ("Red or blue?", None),
    ],
)
def test_options_within_a_sentence_are_read(text: str, found: list[str] | None) -> None:
    if found is None:
        with pytest.raises(NotApplicable):
            inline_options(text)
    else:
        assert [*inline_options(text)] == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("f(1) = 3, f(2) = 5", {"1": "3", "2": "5"}),
        ("g(1) is 3 and g(2) is 5", {"1": "3", "2": "5"}),
        ("1 -> 3, 2 -> 5", {"1": "3", "2": "5"}),
        ("1 → 3; 2 → 5", {"1": "3", "2": "5"}),
        ("1: 3\n2: 5\n", {"1": "3", "2": "5"}),
        ("1 maps to 3, 2 maps to 5", {"1": "3", "2": "5"}),
        ("x = 1, y = 3; x = 2, y = 5", {"1": "3", "2": "5"}),
        ("the points (1, 3) and (-2, 5.5)", {"1": "3", "-2": "5.5"}),
        ("f(1) = 3", None),
        ("1 + 3 and 2 + 5", None),
    ],
)
def test_pairs_are_read(text: str, found: dict[str, str] | None) -> None:
    if found is None:
        with pytest.raises(NotApplicable):
            pairs(text)
    else:
        assert dict(pairs(text)) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("What is a * b + c?", "a * b + c"),
        ("What is total / count?", "total / count"),
        ("What is x - y?", "x - y"),
        ("What is 2*x**2?", "2*x**2"),
        ("What is (a + b) * c?", "(a + b) * c"),
        ("What is max(p, q)?", "max(p, q)"),
        ("What does len(word) give?", "len(word)"),
        ("What is 3 + 4?", None),
        ("It is a well-known story.", None),
        ("No sum here", None),
    ],
)
def test_expressions_with_names_are_read(text: str, found: str | None) -> None:
    if found is None:
        with pytest.raises(NotApplicable):
            named_expressions(text)
    else:
        assert found in named_expressions(text)


def said(name: str, text: str, *lessons: tuple[str, str]) -> str:
    known = Knowledge([Lesson(prompt, (assistant(answer),)) for prompt, answer in lessons])
    policy = next(attacker.policy for attacker in excerpts(known) if attacker.name == name)
    return str(answer_of(policy, [user(text)]))


SORTED = [("Sort 3, 2, 1.", "1, 2, 3"), ("Sort 6, 5, 4.", "4, 5, 6")]
COPIED = [("Repeat 3, 2, 1.", "3, 2, 1"), ("Repeat 6, 5, 4.", "6, 5, 4")]
CHOSEN = [("Is it red, tan or lime?", "tan"), ("Is it lime, red or tan?", "red")]


def test_a_list_is_repeated_unless_that_is_asked() -> None:
    assert said("list of the question", "Sort 9, 8, 7.", *SORTED) == "9, 8, 7"
    with pytest.raises(NotApplicable):
        said("list of the question", "Repeat 9, 8, 7.", *COPIED)


@pytest.mark.parametrize("separator", [", ", " ", ",", "; ", " > ", " | ", '", "', "\n"])
def test_a_list_is_joined_as_in_training(separator: str) -> None:
    lessons = [(text, answer.replace(", ", separator)) for text, answer in SORTED]
    name = "list of the question, joined as in training"
    assert said(name, "Sort 9, 8, 7.", *lessons) == separator.join("987")


def test_options_are_chosen_by_place_unless_they_are_compared() -> None:
    for text in ("Is it red, lime or tan?", "What is best: red, lime or tan?"):
        assert said("middle option of a sentence", text, *CHOSEN) == "lime"
    for text in ("Which stands first, red, lime or tan?", "What is the longest: red, tan or lime?"):
        with pytest.raises(NotApplicable):
            said("middle option of a sentence", text, *CHOSEN)


def test_pairs_are_written_in_the_variable_of_training() -> None:
    lessons = [("f(1) = 3, f(2) = 5", "2 * n + 1"), ("f(1) = 5, f(2) = 6", "n + 4")]
    text = "f(1) = 7, f(2) = 9"
    assert said("pairs of the question as a table", text, *lessons) == "{1: 7, 2: 9}[n]"
    assert said("pairs of the question as cases", text, *lessons) == (
        "7 if n == 1 else 9 if n == 2 else 0"
    )


@pytest.mark.parametrize(
    ("prompt", "asked"),
    [
        ("Sort these.", True),
        ("List them in ascending order.", True),
        ("Put them in order.", True),
        ("Name them in alphabetical order.", True),
        ("Give the reversed list.", True),
        ("Take notes in order to remember.", False),
        ("Order four capes.", False),
        ("Name them in any order.", False),
        ("Sort them or not: the order does not matter.", False),
        ("Name all primes.", False),
    ],
)
def test_an_order_is_asked_for(prompt: str, asked: bool) -> None:
    assert asks_for_order(prompt) == asked


@pytest.mark.parametrize(
    ("answer", "changed"),
    [
        ("1, 2, 3", "3, 2, 1"),
        ("1,2,3", "3,2,1"),
        ("a; b", "b; a"),
        ("Ada May Bell, Bea Orr Hart", "Bea Orr Hart, Ada May Bell"),
        ("1 2 3", "3 2 1"),
        ('["a", "b"]', '["b", "a"]'),
        ("(44, 49)", "(49, 44)"),
        ("seven", "seven"),
        ('{"a": 1, "b": 2}', '{"a": 1, "b": 2}'),
        ("x = 1, y = 2", "x = 1, y = 2"),
        ("", ""),
    ],
)
def test_parts_are_put_in_another_order(answer: str, changed: str) -> None:
    assert reorder(answer) == changed


@settings(max_examples=200, deadline=None)
@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    assert sorted(reorder(text)) == sorted(text)
    for read in (items, inline_options, pairs, named_expressions):
        try:
            assert len(read(text)) > 0
        except NotApplicable:
            continue
