"""How near a text is to a preferred one and not to a rejected one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textgym.verifiers import nearness

CHOSEN = "Boris ordered 54 clocks, which arrive in Cork on Monday."
REJECTED = "Boris ordered 54 baskets, which arrive in Bergen on Monday."
WORDS = st.lists(st.sampled_from(f"{CHOSEN} {REJECTED} the of so".split()), max_size=30)


@pytest.mark.parametrize(
    "text",
    [CHOSEN, CHOSEN.upper(), f"**{CHOSEN}**", f'"{CHOSEN}"', CHOSEN.rstrip("."), f"\n{CHOSEN}\n"],
)
def test_case_and_punctuation_do_not_count(text: str) -> None:
    assert nearness(text, CHOSEN, REJECTED) == 1.0


@pytest.mark.parametrize(
    "text",
    [
        "", "!?", REJECTED, f"{CHOSEN} {REJECTED}", f"{REJECTED} {CHOSEN}",
        "Boris ordered 54", "which arrive in", "I do not know.",
    ],
)  # fmt: skip
def test_what_does_not_tell_them_apart_is_worth_nothing(text: str) -> None:
    assert nearness(text, CHOSEN, REJECTED) == pytest.approx(0.0, abs=0.03)


@pytest.mark.parametrize(
    "text",
    [
        f"{CHOSEN} {CHOSEN}", f"{CHOSEN} That is what he wanted, as far as I can tell.",
        " ".join(reversed(CHOSEN.split())), "clocks Cork", "clocks clocks clocks Cork Cork Cork",
        CHOSEN.replace("Cork", "Bergen"), CHOSEN.replace("54", "45"),
    ],
)  # fmt: skip
def test_more_less_and_another_order_are_worth_less(text: str) -> None:
    assert nearness(text, CHOSEN, REJECTED) < 0.85


@given(words=WORDS)
def test_only_the_chosen_words_in_their_order_are_worth_everything(words: list[str]) -> None:
    near = nearness(" ".join(words), CHOSEN, REJECTED)
    assert 0 <= near <= 1
    assert (near == 1) == (words == CHOSEN.split())


@given(words=WORDS, times=st.integers(2, 5))
def test_repetition_does_not_pay(words: list[str], times: int) -> None:
    once = nearness(" ".join(words), CHOSEN)
    assert nearness(" ".join(words * times), CHOSEN) <= max(once, 0.5)


def test_without_a_rejected_text_the_overlap_counts() -> None:
    assert nearness(CHOSEN, CHOSEN) == 1.0
    assert 0.6 < nearness(REJECTED, CHOSEN) < 0.8
