"""MultiIntent: rows, what counts as done and in time, questions, and a model as the user."""

from __future__ import annotations

from typing import Any

import pytest

import textgym
from textgym.envs.office.company.world import world
from textgym.envs.office.multi_intent import MultiIntent
from textgym.errors import RowError, UserFailure
from textgym.messages import Message, assistant_calls

MAIL = {"recipient": "kim@home.org", "subject": "Lunch", "body": "At noon?"}
EVENT = {
    "event_name": "Tea",
    "participant_email": "kim@home.org",
    "event_start": "2025-03-05 10:00:00",
    "duration": "45",
}
SEND, BOOK = ("email_send_email", MAIL), ("calendar_create_event", EVENT)
NEW = "00000134"  # the id of the next event of company 7
DROP = ("calendar_delete_event", {"event_id": NEW})
LATER = ("calendar_update_event", {"event_id": NEW, "field": "duration", "new_value": "60"})


def call(tool: tuple[str, dict[str, str]]) -> dict[str, Any]:
    return {"name": tool[0], "arguments": tool[1]}


BASE: dict[str, Any] = {"now": "2025-03-04 08:30:00", "world": 7}
ONCE = {
    **BASE,
    "turns": [{"text": "Send it and book it.", "calls": [call(SEND), call(BOOK)]}],
    "intents": [{"calls": [call(SEND)]}, {"calls": [call(BOOK)]}],
}
CANCELLED = {
    **BASE,
    "turns": [
        {"text": "Send it and book it.", "calls": [call(SEND), call(BOOK)]},
        {"text": "Forget about the tea.", "calls": [call(DROP)]},
    ],
    "intents": [{"calls": [call(SEND)]}, {"undone": [call(BOOK)]}],
}
CORRECTED = {
    **BASE,
    "turns": [
        {"text": "Book it.", "calls": [call(BOOK)]},
        {"text": "Make it an hour.", "calls": [call(LATER)]},
    ],
    "intents": [{"calls": [call((BOOK[0], {**EVENT, "duration": "60"}))]}],
}


def played(row: dict[str, Any], *actions: str | tuple[str, Any]) -> dict[str, Any]:
    """Play an episode; return the components of its grade, with the reward."""
    env = MultiIntent()
    env.reset(options={"task": row})
    for place, action in enumerate(actions):
        message = assistant_calls(action) if isinstance(action, tuple) else action
        _, reward, terminated, truncated, info = env.step(message)
        assert (terminated or truncated) == (place == len(actions) - 1)
    return {**info["reward_components"], "reward": reward}


def test_all_requests_in_one_turn_win() -> None:
    graded = played(ONCE, BOOK, SEND, "Done.")
    assert graded == {"intents": 1.0, "crosstalk": 0.0, "in_time": 1.0, "reward": 1.0}


def test_one_of_two_requests_loses_and_is_half_of_them() -> None:
    assert played(ONCE, SEND, "Done.") == {
        "intents": 0.5,
        "crosstalk": 0.0,
        "in_time": 1.0,
        "reward": 0.0,
    }


def test_a_change_that_nobody_asked_for_is_crosstalk() -> None:
    graded = played(ONCE, BOOK, SEND, SEND, "Done.")
    assert (graded["intents"], graded["crosstalk"], graded["reward"]) == (1.0, 1.0, 0.0)


def test_a_cancelled_request_is_undone() -> None:
    assert played(CANCELLED, BOOK, SEND, "Done.", DROP, "Done.")["reward"] == 1


def test_a_cancelled_request_that_stands_loses() -> None:
    graded = played(CANCELLED, BOOK, SEND, "Done.", "Done.")
    assert (graded["intents"], graded["reward"]) == (0.5, 0.0)


def test_waiting_for_the_last_message_is_too_late() -> None:
    graded = played(CANCELLED, "All right.", SEND, "Done.")
    assert (graded["intents"], graded["in_time"], graded["reward"]) == (1.0, 0.0, 0.0)


def test_a_correction_may_be_an_update_or_a_new_row() -> None:
    again = (BOOK[0], {**EVENT, "duration": "60"})
    assert played(CORRECTED, BOOK, "Done.", LATER, "Done.")["reward"] == 1
    assert played(CORRECTED, BOOK, "Done.", DROP, again, "Done.")["reward"] == 1


def test_a_cancelled_change_of_a_row_is_restored_by_hand() -> None:
    number = "555-123-4567"
    old = next(one for one in world(7)["customers"] if one["customer_phone"])
    change = {"customer_id": old["customer_id"], "field": "customer_phone"}
    tool = "customer_relationship_manager_update_customer"
    new = (tool, {**change, "new_value": number})
    back = (tool, {**change, "new_value": old["customer_phone"]})
    row = {
        **BASE,
        "turns": [
            {"text": "Change the number.", "calls": [call(new)]},
            {"text": "Put it back as it was.", "calls": [call(back)]},
        ],
        "intents": [{"undone": [call(new)]}],
    }
    assert played(row, new, "Done.", back, "Done.")["reward"] == 1
    assert played(row, new, "Done.", "Done.")["reward"] == 0
    assert played(row, "Done.", "Done.")["reward"] == 0  # the first message was ignored


def test_a_change_ahead_of_its_message_loses() -> None:
    early = (BOOK[0], {**EVENT, "duration": "60"})
    graded = played(CORRECTED, early, "Done.", "Done.")
    assert (graded["intents"], graded["in_time"], graded["reward"]) == (1.0, 0.0, 0.0)


def test_what_was_done_and_undone_in_a_turn_does_not_count() -> None:
    assert played(CANCELLED, BOOK, DROP, BOOK, SEND, "Done.", "Done.")["reward"] == 0
    assert played(ONCE, SEND, BOOK, DROP, BOOK, "Done.")["reward"] == 1


def test_quoting_the_user_is_no_question() -> None:
    env = MultiIntent()
    turns = [{**turn, "text": f"Say 'At noon?'. {turn['text']}"} for turn in CANCELLED["turns"]]
    env.reset(options={"task": {**CANCELLED, "turns": turns}})
    observation, *_ = env.step("I wrote 'At noon?' to Kim.")
    assert "Forget" in observation[-1]["content"]
    assert env.state.questions == 0


def test_ending_early_by_too_many_questions_loses() -> None:
    graded = played(CANCELLED, BOOK, SEND, *["Which room?"] * 4)
    assert graded["reward"] == 0


def test_a_question_does_not_go_on_with_the_next_message() -> None:
    env = MultiIntent()
    env.reset(options={"task": CANCELLED})
    for question in ("Shall I go ahead?", "For how long?", "Which room would you like?"):
        observation, *_ = env.step(question)
        assert "tea" not in observation[-1]["content"]
    observation, *_ = env.step("Done. Is there anything else that I can do for you?")
    assert observation[-1]["content"] == "Forget about the tea."


def test_silence_gets_nothing() -> None:
    assert played(ONCE, "")["reward"] == 0
    assert played(CANCELLED, "", "")["reward"] == 0


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"turns": []}, "turns"),
        ({"turns": [{"text": ""}]}, "turns.0.text"),
        ({"turns": ["Book it."]}, "turns.0.text"),
        ({"turns": [{"text": "Book it.", "calls": [{"name": "book"}]}]}, "turns.0.calls.0.name"),
        ({"intents": None}, "intents"),
        ({"intents": [7]}, "intents.0"),
        ({"intents": [{"undone": "all"}]}, "intents.0.undone"),
        ({"world": 1.5}, "world"),
        ({"now": ""}, "now"),
        ({"tools": []}, "tools"),
        ({"tools": "email_send_email"}, "tools"),
        ({"tools": ["email_send_email", "sned"]}, "tools"),
        ({"tools": [7]}, "tools"),
    ],
)
def test_errors_of_rows_name_the_field(changes: dict[str, Any], field: str) -> None:
    with pytest.raises(RowError) as caught:
        MultiIntent().reset(options={"task": {**ONCE, **changes}})
    assert caught.value.field == field


# A model as the user.


def test_a_model_says_the_later_messages_in_its_own_words() -> None:
    def person(messages: list[Message]) -> str:
        assert "Forget about the tea." in str(messages[0]["content"])
        return "No tea, please."

    env = MultiIntent(user=person)
    env.reset(options={"task": CANCELLED})
    for tool in (BOOK, SEND):
        env.step(assistant_calls(tool))
    observation, *_ = env.step("Done.")
    assert observation[-1]["content"] == "No tea, please."
    env.step(assistant_calls(DROP))
    _, reward, *_, info = env.step("Done.")
    assert reward == 1
    assert info["user_usage"] == {"completion_tokens": 0, "prompt_tokens": 0}


@pytest.mark.parametrize("said", ["", "[END]"])
def test_a_model_that_says_nothing_is_a_failure_and_no_reward(said: str) -> None:
    env = MultiIntent(user=lambda messages: said)
    env.reset(options={"task": CANCELLED})
    before = textgym.get_state(env)
    with pytest.raises(UserFailure):
        env.step("Done.")
    assert textgym.get_state(env) == before
