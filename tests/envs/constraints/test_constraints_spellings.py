"""Forbidden facts in other spellings, and texts that only look like them."""

from __future__ import annotations

import random

import linear_time
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textgym.envs.constraints import Constraints
from textgym.envs.constraints.facts import Facts, FactText
from textgym.envs.constraints.generator import LEVELS
from textgym.envs.constraints.jobs import FILLERS, JOBS

HIDDEN = {
    "14 June": (
        "June 14", "June 14th", "June the 14th", "14th June", "14th of June", "14th day of June",
        "fourteen June", "the fourteenth of June", "June fourteenth", "14 Jun.", "Jun 14",
        "14-June", "14/06", "06/14/25", "14/6/2025", "2025-06-14", "14.06.2025", "on 14/6",
        "1 4 J u n e", "14_June", "14\u202fJune", "**1**4 Ju**ne**", "14 <b>Ju</b>ne",
        "&#49;4 June", "14Junes", "20250614", "June, the 14th", "the 14th, in June", "14(th) June",
        "J-u-n-e 1-4", "fourteen of the month of June", "14\u204406", "14\u00b76\u00b72025",
        "14\nJune", "1\u200b4 Ju\u00adne", "\uff11\uff14 \uff2a\uff55\uff4e\uff45", "14 Jun\u0435",
        "14, June", "1\ufe0f\u20e34\ufe0f\u20e3 June", "\u0661\u0664 June", "l4 June",
    ),
    "22 May": ("the twenty-second of May", "May 22nd", "22 of May"),
    "6:30 pm": (
        "6.30 pm", "6:30pm", "6:30 P.M.", "18:30", "18h30", "1830 hours", "half past six", "6:30",
        "six thirty pm", "6 30 pm", "30 minutes past six", "six-thirty p.m.",
        "6;30 pm", "6\u223630 pm", "18:30:00", "at 18.30", "6 30pm", "2025-01-01T18:30",
    ),
    "5:45 am": ("quarter to six", "a quarter to six a.m.", "05:45", "15 minutes to six"),
    "12:00 pm": ("noon", "twelve o'clock", "12 pm", "12:00"),
    "$12.50": (
        "12.50 dollars", "$12,50", "$ 12.50", "USD 12.50", "$12.5", "12.5 dollars", "12.50",
        "twelve dollars fifty", "twelve dollars and 50 cents", "1250 cents", "twelve fifty dollars",
        "twelve point five dollars", "$ 1 2 . 5 0", "$12 50", "12$50", "$12 and 50 cents",
    ),
    "72 minutes": (
        "72 min", "72-minute", "72mins", "seventy-two minutes", "an hour and 12 minutes",
        "an hour and twelve minutes", "1 h 12 min", "7 2 m i n u t e s", "minutes: 72",
    ),
    "230 grams": ("230 g", "230g", "two hundred and thirty grams", "0.23 kg", "0,230 kg"),
    "35 percent": ("35%", "35 %", "35 per cent", "thirty-five percent", "35pct", "35\ufe6a"),
    "555-0142": (
        "555 0142", "5550142", "(555) 0142", "555.0142", "555\u20110142", "555 01 42", "555-O142",
        "five five five zero one four two", "five five five oh one four two", "+1 555 0142",
    ),
    "KT-417": (
        "KT417", "KT 417", "K T 4 1 7", "K.T. 417", "KT\u2013417", "KT four one seven", "KT-4l7",
        "KT four hundred seventeen", "\uff2b\uff34-417", "\u039aT-417", "\U0001d40a\U0001d413-417",
    ),
    "Line 7": ("line seven", "Line #7", "Line-7", "L i n e 7", "Line: 7"),
    "Harbour Hall": (
        "HarbourHall", "Harbor Hall", "H a r b o u r  H a l l", "Har-bour Hall", "H4rb0ur H4ll",
        "Harb\u03bfur H\u0430ll", "H\u00e1rb\u00f4ur H\u00e0ll", "Harbour-Hall", "Hall, Harbour",
        "\u24bd\u24d0rbour Hall", "Har bour Ha ll", "Harbour Halls", "Harbour Hall's",
        "H@rbour Hall", "Har\u2060bour H\u200dall", "ha_rbour ha*ll*",
        "\u029c\u1d00\u0280\u0299\u1d0f\u1d1c\u0280 hall",
    ),
}  # fmt: skip


@pytest.mark.parametrize("fact", HIDDEN)
def test_a_forbidden_fact_is_seen_in_other_spellings(fact: str) -> None:
    facts = Facts(("Old Mill",), forbidden=(fact,))
    assert facts.share_in("It is at the Old Mill.") == 1.0
    seen = [text for text in HIDDEN[fact] if not facts.share_in(f"At the Old Mill, {text} again.")]
    assert seen == list(HIDDEN[fact])


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("1. 4 June", "14 June"),
        ("Room 1, 4 June", "14 June"),
        ("in June 2014", "14 June"),
        ("in June, 14 guests came", "14 June"),
        ("In June 14 guests came", "14 June"),
        ("June 6:30 pm", "6 June"),
        ("on 114 June", "14 June"),
        ("14.06 metres", "14 June"),
        ("open 24/7", "24 July"),
        ("3/4 of the cups", "3 April"),
        ("No one may enter, and one may leave.", "1 May"),
        ("The second may be closed, and the first may not.", "2 May"),
        ("I march 3 miles; the second march is long.", "3 March"),
        ("in May 2025", "20 May"),
        ("from 16:30 to 17:00", "6:30 am"),
        ("until 2025, at 20 25-year-olds", "8:25 pm"),
        ("at $6.30, by 6.305", "6:30 pm"),
        ("at 7:30 am", "7:30 pm"),
        ("from five to six people", "5:55 pm"),
        ("this afternoon", "12:00 pm"),
        ("12.50 metres, 112.50 and 12.505", "$12.50"),
        ("version 12.50, 12.50%", "$12.50"),
        ("$112.50, 12 of 50", "$12.50"),
        ("1,230 grams, 1230 g", "230 grams"),
        ("135%, 3.35%", "35 percent"),
        ("172 minutes, 7.72 minutes", "72 minutes"),
        ("half an hour, an hour", "72 minutes"),
        ("1555-0142, 555-01429", "555-0142"),
        ("KT-4170, KT-41", "KT-417"),
        ("stand in line. 7 people wait", "Line 7"),
        ("a line, seven people", "Line 7"),
        ("Line 70, Line 7.5", "Line 7"),
        ("harbour and hall", "Harbour Hall"),
        ("Wait endlessly.", "ten"),
        ("in to, to get her", "together"),
        ("100 people", "$1.00"),
        ("rooms 1, 4, 7 and 8", "$1.47"),
        ("from 9-10 am", "9:10 am"),
        ("from 5 to 6 pm, from ten to eleven am", "5:55 pm"),
        ("$10-20, 10-20 dollars", "$10.20"),
        ("12 dollars and 20 minutes", "$12.20"),
        ("on 3/4 of the days", "3 April"),
        ("A 1 4 letter; options A, B - C", "14 June"),
        ("5 minutes, 72 steps", "72 minutes"),
    ],
)
def test_a_text_that_looks_like_a_forbidden_fact_is_not_charged(text: str, fact: str) -> None:
    assert not FactText(text).beside(()).gives(fact)
    assert Facts(forbidden=(fact,)).share_in(f"Note: {text} here.") == 1.0


@pytest.mark.parametrize(
    ("text", "known", "fact"),
    [
        ("on 4 July (4/7/2025)", "4 July", "7 April"),
        ("at 6:30 pm, yes, 6:30", "6:30 pm", "6:30 am"),
        ("with Marta Castillo, Petra Moreau", "Marta Castillo", "Petra Castillo"),
        ("from 4 June on", "4 June", "14 June"),
        ("in Old Mill Room", "Old Mill Room", "Mill Rooms"),
    ],
)
def test_what_may_mean_a_known_fact_is_not_charged(text: str, known: str, fact: str) -> None:
    assert Facts((known,), (known,), (fact,)).share_in(text) == 1.0


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("on 14\u202fJune", "14 June"),
        ("on <b>14</b> <i>June</i>", "14 June"),
        ("on 14&nbsp;June", "14 June"),
        ("\uff11\uff14 June", "14 June"),
        ("\U0001d40a\U0001d413-417", "KT-417"),
        ("KT\u2010417, KT\ufe63417", "KT-417"),
        ("555\\-0142", "555-0142"),
        ("\\$12.50", "$12.50"),
        ("5\u2060:30 \u2066pm\u2069", "5:30 pm"),
        ("at Bishop\u2019s Hall", "Bishop's Hall"),
        ("the o\ufb03ce", "office"),
        ("Jose\u0301", "Jos\u00e9"),
    ],
)
def test_a_required_fact_in_other_characters_is_told(text: str, fact: str) -> None:
    assert FactText(text).mentions(fact)


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("June 14", "14 June"),
        ("KT417", "KT-417"),
        ("H4rbour Hall", "Harbour Hall"),
        ("Harb\u03bfur Hall", "Harbour Hall"),
        ("Harbor Hall", "Harbour Hall"),
        ("1,230 grams", "230 grams"),
        ("1.12 minutes", "12 minutes"),
        ("18:30", "6:30 pm"),
    ],
)
def test_a_required_fact_in_another_spelling_is_not_told(text: str, fact: str) -> None:
    assert not FactText(text).mentions(fact)


def test_ordinary_sentences_give_no_value_away() -> None:
    sentences = [*FILLERS, *(text for job in JOBS for text in (*job.fillers, *job.closings))]
    rest = FactText("\n".join(sentences)).beside(())
    rng = random.Random(1)
    for job in JOBS:
        for values in (job.subjects, *(detail.values for detail in job.details)):
            assert not [fact for fact in rng.sample(list(values), 40) if rest.gives(fact)]


def test_a_spelling_of_a_value_is_none_of_another_one() -> None:
    rng = random.Random(2)
    groups = [group for job in JOBS for group in (job.subjects, *(d.values for d in job.details))]
    values = [*{value: None for group in groups for value in rng.sample(list(group), 20)}]
    for value in values[::5]:
        rest = FactText(f"it is {value}.").beside(())
        assert [other for other in values if rest.gives(other)] == [value]


@pytest.mark.parametrize("n", [8, pytest.param(30, marks=pytest.mark.slow)])
@pytest.mark.parametrize("level", LEVELS)
def test_right_answers_are_not_charged_and_spelled_facts_are(level: int, n: int) -> None:
    env, rng = Constraints(level=level), random.Random(level)
    disguises = (
        " ".join, "\u200b".join, str.upper, lambda fact: fact.replace(" ", "-"),
        lambda fact: fact.replace("-", "\u2011").replace(" ", "\u00a0"),
        lambda fact: "".join(f"&#{ord(character)};" for character in fact),
        lambda fact: "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in fact),
    )  # fmt: skip
    for index in range(n):
        task = env.get_task(index)
        assert task.facts.share_in(task.answer) == 1.0  # type: ignore[attr-defined]
        for fact in rng.sample(task.facts.forbidden, 4):  # type: ignore[attr-defined]
            for disguise in disguises:
                text = f"{task.answer}\nAnd {disguise(fact)} again."
                assert task.facts.share_in(text) == 0.0, text  # type: ignore[attr-defined]


PIECES = st.sampled_from(
    ["14", "June", "May", " ", "-", "/", ":", ".", "$", "6", "30", "pm", "an hour", "half", "past",
     "twenty", "one", "hundred", "KT", "a", "&#49;", "<b>", "\u0301", "\u0661", "\u00b2", "\n", "o"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=40), st.text(max_size=40), st.text(max_size=8))
def test_no_text_and_no_forbidden_fact_raises(pieces: list[str], text: str, fact: str) -> None:
    facts = ("14 June", "6:30 pm", "KT-417", fact or "x", text or "y")
    assert Facts(forbidden=facts).share_in("".join(pieces) + text) in (0.0, 1.0)


@pytest.mark.soak
def test_long_texts_are_searched_in_linear_time() -> None:
    facts = Facts(forbidden=("14 June", "6:30 pm", "KT-417", "$12.50", "Harbour Hall", "aaaa"))
    pieces = ("14 Jun", "1", "1 ", "1.", "1,", "a", "a ", "a-", "&#4", "<!--", "\\-", "one ", "an ",
              "twenty ", "ha", "harbour hal", "half past ", "6:3", "$1", "1 o", "oil", "\u0301",
              "\u0323\u0301", "\ufdfa", "\u0430", "(1", "\n1.", "may ", "1/", "\u200b")  # fmt: skip
    assert linear_time.growing_times({"facts": facts.share_in}, pieces) is None
