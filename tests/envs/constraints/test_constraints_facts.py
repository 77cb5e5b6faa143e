"""Facts in texts: what counts as mentioned, and which figures a text has."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textgym.envs.constraints.facts import Facts, FactText


@pytest.mark.parametrize(
    ("text", "fact", "expected"),
    [
        pytest.param("It is on 14 June.", "14 June", True, id="as it stands"),
        pytest.param("IT IS ON 14 JUNE", "14 June", True, id="any case"),
        pytest.param("on 14\nJune", "14 June", True, id="a line break"),
        pytest.param("on 14\u00a0June", "14 June", True, id="a hard blank"),
        pytest.param("on **14** _June_", "14 June", True, id="emphasis"),
        pytest.param("on 14\u200b June", "14 June", True, id="a blank without width"),
        pytest.param("call 555\u20110142", "555-0142", True, id="a hard hyphen"),
        pytest.param("on 14 June", "4 June", False, id="a part of a number"),
        pytest.param("on 14 Juneau", "14 June", False, id="a part of a word"),
        pytest.param("June 14", "14 June", False, id="another order"),
        pytest.param("costs $12.505", "$12.50", False, id="more digits"),
        pytest.param("costs $12.50.", "$12.50", True, id="a full stop after it"),
        pytest.param("Line 3.5", "Line 3", False, id="a decimal after it"),
        pytest.param("at 6:30 pm, or 16:30 pm", "6:30 pm", True, id="a whole one beside a part"),
        pytest.param("at 16:30 pm", "6:30 pm", False, id="a part alone"),
        pytest.param("On14JuneatHarbourHall.", "Harbour Hall", True, id="no blanks at all"),
        pytest.param("On14JuneatHarbourHall.", "4 June", False, id="no blanks, part of a number"),
        pytest.param("", "14 June", False, id="an empty text"),
        pytest.param("14 June", "", False, id="an empty fact"),
    ],
)
def test_a_fact_is_mentioned_as_whole_words(text: str, fact: str, expected: bool) -> None:
    assert FactText(text).mentions(fact) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("$5, $7.50 and 1.200 percent", {"$5", "$7.50", "200percent"}),
        ("6:30 pm or 16:45", {"6:30", "16:45"}),
        ("555-0142, 1555-01429", {"555-0142"}),
        ("KT-417 and skt-417", {"kt-417"}),
        ("14 June, 14june, 3 mayors", {"14june"}),
        ("12 minutes, 40 Grams, 7%", {"12minutes", "40grams"}),
        ("Section 1: 2 things in 2024", set()),
        ("formKT-417on9Septemberthen", {"kt-417", "9september"}),
    ],
)
def test_figures_are_details_with_digits(text: str, expected: set[str]) -> None:
    assert FactText(text).figures() == expected


@pytest.mark.parametrize(
    ("text", "fact", "expected"),
    [
        pytest.param("on 14 June", "14 June", True, id="as it stands"),
        pytest.param("so on14Juneagain", "14 June", True, id="without blanks"),
        pytest.param("receiptFN-397xyz or", "FN-397", True, id="within a longer word"),
        pytest.param("on 114June", "14 June", False, id="within a longer number"),
        pytest.param("on 14 Juneau", "14 June", False, id="another word"),
    ],
)
def test_a_fact_may_be_hidden_in_longer_words(text: str, fact: str, expected: bool) -> None:
    assert FactText(text).hides(fact) is expected
    assert Facts(forbidden=(fact,)).share_in(text) == float(not expected)


def test_a_forbidden_fact_or_a_figure_that_is_made_up_costs_all() -> None:
    facts = Facts(("3 May", "Old Mill"), ("3 May", "Old Mill", "6:30 pm"), ("Tea Room",))
    assert facts.share_in("3 May at the Old Mill") == 1.0
    assert facts.share_in("3 May at the Old Mill, 6:30 pm") == 1.0
    assert facts.share_in("3 May") == 0.5
    assert facts.share_in("3 May at the Old Mill, not in the tea room") == 0.0
    assert facts.share_in("3 May at the Old Mill, for $4.00") == 0.0
    assert Facts().share_in("") == 1.0
    assert Facts(forbidden=("Tea Room",)).share_in("Hello!") == 1.0


@given(st.text(max_size=300), st.lists(st.text(max_size=8), max_size=4))
def test_no_text_raises(text: str, facts: list[str]) -> None:
    share = Facts(tuple(facts), tuple(facts), ()).share_in(text)
    assert 0.0 <= share <= 1.0


@pytest.mark.parametrize("size", [100_000, pytest.param(1_000_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("piece", ["14 Jun", "$1", "555-01", "1", " ", "\u200b", "a-", "ﷺ"])
def test_long_texts_are_read(piece: str, size: int) -> None:
    said = FactText(piece * (size // len(piece)))
    assert not said.mentions("14 June")
    assert not any("june" in figure for figure in said.figures())
