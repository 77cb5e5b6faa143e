"""AskFirst: rows, what counts as asked and as done, and a model as the user."""

from __future__ import annotations

from typing import Any

import pytest

import textgym
from textgym.envs.office.ask_first import AskFirst
from textgym.errors import RowError, UserFailure
from textgym.messages import Message, assistant_calls

MAIL = {"recipient": "kim@home.org", "subject": "Lunch", "body": "At noon?"}
SEND = ("email_send_email", MAIL)
ROW: dict[str, Any] = {
    "query": "Write to kim@home.org: 'At noon?'",
    "now": "2025-03-04 08:30:00",
    "world": 7,
    "ground_truth": [{"name": "email_send_email", "arguments": MAIL}],
    "facts": {"recipient": "kim@home.org", "subject": "Lunch", "body": "At noon?"},
    "missing": ["subject"],
}
COMPLETE = {**ROW, "missing": []}
IMPOSSIBLE = {**ROW, "missing": [], "possible": False, "ground_truth": []}
ASK = "What is the subject?"
DONE = "I have sent it."


def played(row: dict[str, Any], *actions: Message | str | tuple[str, Any]) -> dict[str, Any]:
    """Play an episode; return its last info with `reward` and `said`, the last observation."""
    env = AskFirst()
    env.reset(options={"task": row})
    for place, action in enumerate(actions):
        message = assistant_calls(action) if isinstance(action, tuple) else action
        said, reward, terminated, truncated, info = env.step(message)
        assert (terminated or truncated) == (place == len(actions) - 1)
    return {**info, "reward": reward, "said": said}


def delete_of(id: str) -> tuple[str, Any]:
    return ("email_delete_email", {"email_id": id})


NEW = "364"  # the id of the next mail of company 7


def test_asking_and_acting_wins() -> None:
    info = played(ROW, ASK, SEND, DONE)
    assert (info["reward"], info["is_success"]) == (1.0, True)
    assert info["reward_components"] == {"state": 1.0, "asked_needed": 1.0, "asked_needless": 0.0}


def test_the_right_value_without_asking_loses() -> None:
    info = played(ROW, SEND, DONE)
    assert info["reward"] == 0
    assert info["reward_components"]["asked_needed"] == 0


def test_acting_before_asking_loses() -> None:
    assert played(ROW, SEND, ASK, DONE)["reward"] == 0


def test_acting_before_asking_loses_even_if_it_is_undone_afterwards() -> None:
    wrong = ("email_send_email", {**MAIL, "subject": "Dinner"})
    assert played(ROW, wrong, ASK, delete_of(NEW), SEND, DONE)["reward"] == 0


def test_what_was_undone_before_asking_does_not_count() -> None:
    assert played(ROW, SEND, delete_of(NEW), ASK, SEND, DONE)["reward"] == 1


def test_looking_up_before_asking_does_not_count() -> None:
    look = ("company_directory_find_email_address", {"name": "a"})
    assert played(ROW, look, ASK, SEND, DONE)["reward"] == 1


@pytest.mark.parametrize(
    ("row", "questions", "needless"),
    [
        (COMPLETE, ["What is the text of the mail?"], 1),
        (ROW, ["Who is the recipient?", ASK, ASK], 2),
        (ROW, ["What is the recipient, the text and the subject?"], 2),
        (ROW, [ASK, "Shall I go ahead?"], 1),
        (ROW, [ASK, "Is there anything else that I should know?"], 1),
        (ROW, [ASK, "Which board is it on?"], 1),
        (ROW, [ASK, "Hm?"], 1),
    ],
)
def test_needless_questions_cost_a_tenth_each(
    row: dict[str, Any], questions: list[str], needless: int
) -> None:
    info = played(row, *questions, SEND, DONE)
    assert info["reward_components"]["asked_needless"] == needless
    assert info["reward"] == pytest.approx(1 - needless / 10)
    assert not info["is_success"]


def test_offering_more_help_is_no_question() -> None:
    info = played(ROW, ASK, SEND, "It is sent. Is there anything else I can do for you?")
    assert info["reward"] == 1


def test_the_user_leaves_after_too_many_needless_questions() -> None:
    info = played(COMPLETE, *["Who is the recipient?"] * 4)
    assert info["reward"] == 0
    assert info["reward_components"]["asked_needless"] == 4


def test_reward_is_never_negative() -> None:
    every = "What are the recipient, the subject and the text?"
    info = played(COMPLETE, every, every, every, SEND, DONE)
    assert info["reward_components"]["asked_needless"] == 9
    assert info["reward"] == pytest.approx(0.1)


def test_asking_for_all_details_at_once_tells_nothing() -> None:
    env = AskFirst()
    env.reset(options={"task": ROW})
    for text in ("Please tell me all the details.", "Tell me everything that you know."):
        observation, *_ = env.step(text)
        assert "Lunch" not in observation[-1]["content"]


def test_silence_loses() -> None:
    for row in (ROW, COMPLETE, IMPOSSIBLE):
        assert played(row, "")["reward"] == 0


def test_saying_that_it_cannot_be_done_wins_where_it_cannot() -> None:
    assert played(IMPOSSIBLE, "I am sorry, this cannot be done.")["reward"] == 1
    assert played(IMPOSSIBLE, "There is no such colleague.")["reward"] == 1
    assert played(IMPOSSIBLE, "I couldn't locate that colleague.")["reward"] == 1
    assert played(IMPOSSIBLE, "I located that colleague.")["reward"] == 0


def test_saying_so_loses_where_it_can() -> None:
    assert played(COMPLETE, "I am sorry, this cannot be done.")["reward"] == 0
    assert played(COMPLETE, "I couldn't locate that colleague.")["reward"] == 0


def test_a_doubt_does_not_spoil_what_was_carried_out() -> None:
    assert played(COMPLETE, SEND, "Kim has it now. I could not find a phone number.")["reward"] == 1


def test_a_doubt_beside_what_was_done_is_no_refusal() -> None:
    assert played(COMPLETE, SEND, "I have sent it. It cannot be taken back.")["reward"] == 1


@pytest.mark.parametrize("closing", ["I wrote 'At noon?' to Kim.", 'I wrote "At noon?" to Kim.'])
def test_quoting_the_user_asks_nothing(closing: str) -> None:
    assert played(COMPLETE, SEND, closing)["reward"] == 1


def test_a_question_in_the_reasoning_asks_nothing() -> None:
    assert played(COMPLETE, SEND, "<think>Which day? Cannot be done.</think>Sent.")["reward"] == 1


def test_the_first_of_two_details_told_while_a_change_stands_loses() -> None:
    row = {**ROW, "missing": ["subject", "body"]}
    text = "What is the text?"
    assert played(row, ASK, text, SEND, DONE)["reward"] == 1
    assert played(row, SEND, ASK, delete_of(NEW), text, SEND, DONE)["reward"] == 0
    assert played(row, ASK, SEND, text, delete_of(NEW), SEND, DONE)["reward"] == 0


def test_claiming_both_loses() -> None:
    assert played(IMPOSSIBLE, "It cannot be done. It is done.")["reward"] == 0


def test_changing_something_loses_where_it_cannot_be_done() -> None:
    assert played(IMPOSSIBLE, SEND, "It cannot be done.")["reward"] == 0


def test_the_last_message_must_say_that_it_cannot_be_done() -> None:
    assert played(IMPOSSIBLE, "I cannot find Kim. Who is that?", "All right.")["reward"] == 0


def test_text_beside_calls_is_not_heard() -> None:
    env = AskFirst()
    env.reset(options={"task": ROW})
    message = {**assistant_calls(("company_directory_find_email_address", {"name": "a"}))}
    message["content"] = ASK
    env.step(message)
    assert env.state.user.told == ["recipient", "body"]


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"query": " "}, "query"),
        ({"world": "7"}, "world"),
        ({"possible": "no"}, "possible"),
        ({"now": "soon"}, "now"),
        ({"facts": ["Lunch"]}, "facts"),
        ({"facts": {"subjekt": "Lunch"}}, "facts"),
        ({"facts": {"subject": ""}}, "facts.subject"),
        ({"missing": "subject"}, "missing"),
        ({"missing": ["day"]}, "missing"),
        ({"possible": False}, "ground_truth"),
        ({"ground_truth": [{"name": "send"}]}, "ground_truth.0.name"),
        ({"ground_truth": None}, "ground_truth"),
        ({"look_ups": [{}]}, "look_ups.0.name"),
        ({"tools": []}, "tools"),
        ({"tools": "email_send_email"}, "tools"),
        ({"tools": ["email_send_email", "sned"]}, "tools"),
        ({"tools": [7]}, "tools"),
    ],
)
def test_errors_of_rows_name_the_field(changes: dict[str, Any], field: str) -> None:
    with pytest.raises(RowError) as caught:
        AskFirst().reset(options={"task": {**ROW, **changes}})
    assert caught.value.field == field


# A model as the user.


def test_a_model_answers_in_its_own_words_and_what_was_asked_still_counts() -> None:
    seen: list[list[Message]] = []

    def person(messages: list[Message]) -> str:
        seen.append(messages)
        return "Well... 'Lunch', I think."

    env = AskFirst(user=person)
    assert env.blocking
    env.reset(options={"task": ROW})
    observation, *_ = env.step(ASK)
    assert observation[-1]["content"] == "Well... 'Lunch', I think."
    assert "The subject: Lunch" in str(seen[0][0]["content"])
    env.step(assistant_calls(SEND))
    *_, info = env.step(DONE)
    assert info["is_success"]
    assert info["user_usage"] == {"completion_tokens": 0, "prompt_tokens": 0}


def test_a_failure_of_the_model_is_no_reward_and_the_step_can_be_taken_again() -> None:
    replies = iter([RuntimeError("down"), "Lunch."])

    def person(messages: list[Message]) -> str:
        reply = next(replies)
        if isinstance(reply, Exception):
            raise reply
        return reply

    env = AskFirst(user=person)
    env.reset(options={"task": ROW})
    with pytest.raises(UserFailure):
        env.step(ASK)
    observation, reward, *_ = env.step(ASK)
    assert (observation[-1]["content"], reward) == ("Lunch.", 0.0)
    env.step(assistant_calls(SEND))
    assert env.step(DONE)[1] == 1


def test_the_model_can_end_the_conversation() -> None:
    env = AskFirst(user=lambda messages: "[END]")
    env.reset(options={"task": ROW})
    _, reward, terminated, *_ = env.step(ASK)
    assert (reward, terminated) == (0.0, True)


def test_a_snapshot_holds_what_the_user_remembers() -> None:
    env, other = AskFirst(), AskFirst()
    env.reset(options={"task": ROW})
    env.step(ASK)
    other.reset(options={"task": COMPLETE})
    textgym.set_state(other, textgym.get_state(env))
    other.step(assistant_calls(SEND))
    assert other.step(DONE)[1] == 1
