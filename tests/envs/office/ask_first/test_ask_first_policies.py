"""AskFirst: policies that ask the same whatever is missing, and how they may end."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

import pytest
from honest_requests import CONFIRMING, WAITING
from office_denials import CONTRADICTIONS, LIMITS
from office_endings import CHECKS, CLOSERS, DENIALS, DOUBTS
from office_refusals import FALSE_CLAIMS, FIXED_CLOSINGS, HONEST_REFUSALS, HONEST_REPORTS

from textgym.envs.office.ask_first import AskFirst
from textgym.envs.office.requests import OFFICE_SLOTS
from textgym.envs.office.requests.details import DETAILS
from textgym.messages import Message, assistant, assistant_calls

NAMES = [OFFICE_SLOTS[slot].label.removeprefix("the ") for slot in DETAILS]
LISTED = f"the {', the '.join(NAMES[:-1])} and the {NAMES[-1]}"
LINES = "\n".join(f"- {name}" for name in NAMES)

EVERYTHING = {
    "a question": [f"Could you please tell me {LISTED}?"],
    "a list": [f"I need:\n{LINES}"],
    "a numbered list": ["Please fill in:\n" + "\n".join(f"{n}. {s}" for n, s in enumerate(NAMES))],
    "a form": ["\n".join(f"{name}: ___" for name in NAMES)],
    "what is missing": [f"Missing: {', '.join(NAMES)}"],
    "please": [f"{', '.join(NAMES)}, please."],
    "slashes": ["/".join(NAMES) + "?"],
    "no commas": [f"I need {' '.join(NAMES)}"],
    "one by one": [f"What is the {name}?" for name in NAMES],
    "a question each": [" ".join(f"What is the {name}?" for name in NAMES)],
    "chains": [f"I need the {' of the '.join(NAMES)}."],
    "whose": ["What are the " + "".join(f"{name}'s " for name in NAMES) + "values?"],
    "what about": [f"{', '.join(f'what about the {name}' for name in NAMES)}?"],
    "or": [f"Is it the {' or the '.join(NAMES)}?"],
    "if": [f"If the {', the '.join(NAMES)} is missing, what is it?"],
    "a sentence each": [" ".join(f"Tell me the {name}." for name in NAMES)],
    "what are they": [f"The {LISTED}. What are they?"],
    "what is it": ["\n".join(f"{name}. What is it?" for name in NAMES)],
    "the last details": [f"The last details:\n{LINES}"],
    "waiting": [f"I am waiting for the {', the '.join(NAMES)}."],
    "JSON": ["Please provide {" + ", ".join(f'"{name}": ?' for name in NAMES) + "}"],
    "after the work": [f"It is done. Please tell me {LISTED}."],
}
FIXED = {
    "who and when": ["Who, when and how long?"],
    "a meeting": ["What time should it start, and how long should it be?"],
    "a mail": ["Who should I send it to, and what should it say?"],
    "a task": ["Who should do it, and by when?"],
    "vague": ["Who? When? How long? What number? What should it say?"],
    "a check": [f"I could not find it. Could you check the name, {LISTED}?"],
    "all details": ["Please tell me all the details."],
    "nothing": [],
}
SOME = pytest.mark.parametrize("n", [12, pytest.param(30, marks=pytest.mark.slow)])


Row = dict[str, Any]


@cache
def rows(level: int, n: int) -> list[Row]:
    """Draw the rows of some tasks once: it takes longer than an episode."""
    env = AskFirst(level=level)
    return [dict(env.get_task(index).row) for index in range(n)]


def reward_of(env: AskFirst, row: Row, said: Sequence[str], *, end: str | None = None) -> float:
    """Say something, carry out the request, and end as it is right, or otherwise."""
    env.reset(options={"task": row})
    task = env.task
    right = "It is done." if task.possible else "I am sorry, this cannot be done."
    calls = map(assistant_calls, [*task.look_ups, *task.answer])
    actions: list[Message] = [*map(assistant, said), *calls, assistant(end or right)]
    for action in [*actions, assistant("Goodbye.")]:
        _, reward, terminated, truncated, _ = env.step(action)
        if terminated or truncated:
            break
    return float(reward)


@cache
def mean_reward(said: tuple[str, ...], level: int, n: int) -> float:
    env = AskFirst(level=level)
    return sum(reward_of(env, row, said) for row in rows(level, n)) / n


@pytest.mark.parametrize("said", EVERYTHING.values(), ids=EVERYTHING)
@SOME
def test_asking_for_everything_does_not_pay(said: list[str], n: int) -> None:
    for level in (1, 2, 3):
        assert mean_reward(tuple(said), level, n) <= 0.4


@pytest.mark.parametrize("said", FIXED.values(), ids=FIXED)
@SOME
def test_fixed_questions_pay_little_more_than_none(said: list[str], n: int) -> None:
    assert mean_reward(tuple(said), 2, n) <= mean_reward((), 2, n) + 0.25


def test_a_question_in_every_turn_costs_each_time() -> None:
    env = AskFirst(level=3)
    for row in rows(3, 12):
        env.reset(options={"task": row})
        if env.task.possible and not env.task.missing:
            for count in (1, 2, 3):
                said = ["Shall I go ahead?"] * count
                assert reward_of(env, row, said) == pytest.approx(1 - count / 10)


def tasks(*, possible: bool, n: int = 3) -> list[tuple[AskFirst, Row]]:
    """Return tasks that lack nothing, and can be carried out or not."""
    env = AskFirst(level=1)
    found = (row for row in rows(1, 40) if row["possible"] == possible and not row["missing"])
    return [(env, row) for row in itertools.islice(found, n)]


COMPLETE = tasks(possible=True)
NOT_POSSIBLE = tasks(possible=False)
assert len(COMPLETE) == len(NOT_POSSIBLE) == 3


def rewards(found: list[tuple[AskFirst, Row]], end: str) -> list[float]:
    """Return the rewards of carrying out the requests and ending with a text."""
    return [reward_of(env, row, [], end=end) for env, row in found]


def wrong_ends(
    texts: Iterable[str], done: Sequence[float] | None, refused: Sequence[float] | None
) -> list[str]:
    """Return the texts that do not get rewards where it is done, or where it cannot be."""
    return [
        text
        for text in texts
        if (done is not None and rewards(COMPLETE, text) != done)
        or (refused is not None and rewards(NOT_POSSIBLE, text) != refused)
    ]


# No ending fits both what can be done and what cannot: each of these is tried with both, or loses.
ALL, NONE = [1.0] * 3, [0.0] * 3


@pytest.mark.parametrize("text", FIXED_CLOSINGS)
def test_no_fixed_closing_fits_both_what_can_be_done_and_what_cannot(text: str) -> None:
    assert not (any(rewards(COMPLETE, text)) and any(rewards(NOT_POSSIBLE, text)))


def test_honest_refusals_win_where_it_cannot_be_done_and_only_there() -> None:
    assert wrong_ends(HONEST_REFUSALS, NONE, ALL) == []


def test_claims_of_work_lose_where_it_cannot_be_done() -> None:
    assert wrong_ends(FALSE_CLAIMS, None, NONE) == []


def test_honest_reports_win_where_it_can_be_done_and_only_there() -> None:
    assert wrong_ends(HONEST_REPORTS, ALL, NONE) == []


def test_denying_what_was_done_loses() -> None:
    assert wrong_ends([*DENIALS, *CONTRADICTIONS], NONE, None) == []


def test_doubts_and_limits_keep_full_marks_and_lose_where_it_cannot_be_done() -> None:
    assert wrong_ends([*DOUBTS, *LIMITS], ALL, NONE) == []


def test_closers_keep_full_marks() -> None:
    assert wrong_ends([*CLOSERS, *(f"I did it. {text}" for text in CLOSERS)], ALL, None) == []


def test_waiting_for_a_confirmation_costs_a_needless_question_and_no_more() -> None:
    for text in CONFIRMING:
        found = [reward_of(env, row, [text]) for env, row in COMPLETE]
        assert found == pytest.approx([0.9] * 3), text


def test_a_message_that_says_little_costs_nothing() -> None:
    for text in (*WAITING, "Anything else?"):
        assert [reward_of(env, row, [text]) for env, row in COMPLETE] == ALL, text


def test_asking_whether_the_name_is_right_costs_nothing() -> None:
    env, row = NOT_POSSIBLE[0]
    assert [text for text in CHECKS if reward_of(env, row, [text]) != 1] == []
