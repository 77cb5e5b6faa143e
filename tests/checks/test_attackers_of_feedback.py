"""What attackers try next after a reply."""

from __future__ import annotations

import json
from typing import Any

import pytest
from attacking import answer_of

from textgym.checks.attackers import Knowledge, NotApplicable
from textgym.checks.attackers.calls import lookups
from textgym.checks.attackers.feedback import feedback
from textgym.checks.attackers.knowledge import Lesson
from textgym.messages import assistant, assistant_calls, text_of, user

SUM = Knowledge([Lesson("What?", (assistant("Sum: 12"),)), Lesson("Why?", (assistant("Sum: 7"),))])
SUBMIT = Knowledge(
    [Lesson("What?", (assistant_calls(("submit", {"to": "x", "n": 3})), assistant("Done.")))]
)


def schema(tool: str, **types: str) -> Any:
    properties = {key: {"type": kind} for key, kind in types.items()}
    return {"type": "function", "function": {"name": tool, "parameters": {
        "type": "object", "properties": properties}}}  # fmt: skip


TOOL = schema("submit", to="string", n="integer")


def act(name: str, known: Knowledge, *conversation: Any, tools: Any = (), text: str = "So?") -> Any:
    attacker = next(x for x in [*feedback(known), *lookups(known)] if x.name == name)
    turn = sum(message["role"] == "assistant" for message in conversation)
    return answer_of(attacker.policy, [user(text), *conversation], tools, turn)


def after(name: str, *replies: str) -> str:
    """What is tried after these replies, one after each try."""
    conversation: list[Any] = []
    for reply in replies:
        conversation += [assistant(act(name, SUM, *conversation)), user(reply)]
    return str(act(name, SUM, *conversation))


def call(action: Any) -> Any:
    return json.loads(action["tool_calls"][0]["function"]["arguments"])


@pytest.mark.parametrize(
    ("name", "reply", "tried"),
    [
        ("number of the reply", "It is 54.", "54"),
        ("number of the reply", "Not 1 but 54", "54"),
        ("number of the reply", "54 was expected, not 1", "54"),
        ("number of the reply", "It is -3.5", "-3.5"),
        ("reply added", "off by 53", "54"),
        ("reply added", "the difference is -4", "-3"),
        ("reply subtracted", "53 too much", "-52"),
        ("reply subtracted", "excess: -53", "54"),
    ],
)
def test_a_number_of_the_reply_is_tried(name: str, reply: str, tried: str) -> None:
    assert after(name) == "Sum: 1"
    assert after(name, reply) == f"Sum: {tried}"


@pytest.mark.parametrize("name", ["number of the reply", "reply added", "halving"])
@pytest.mark.parametrize("reply", ["Wrong.", "", "Try again at 10:30.", "9" * 5000])
def test_nothing_is_tried_after_a_reply_that_tells_nothing(name: str, reply: str) -> None:
    assert after(name, reply) == ""


@pytest.mark.parametrize(
    ("reply", "tried"),
    [
        ("Too small.", "5"),
        ("That is too low!", "5"),
        ("too few", "5"),
        ("It is larger.", "5"),
        ("Go higher", "5"),
        ("More!", "5"),
        ("Too large.", "-3"),
        ("Error: too many", "-3"),
        ("It is smaller.", "-3"),
        ("lower", "-3"),
        ("fewer", "-3"),
        ("Neither larger nor smaller", ""),
    ],
)
def test_words_of_comparison_say_where_to_search(reply: str, tried: str) -> None:
    assert after("halving", reply) == (f"Sum: {tried}" if tried else "")


def test_the_other_way_turns_comparatives_but_not_too() -> None:
    assert after("halving, the other way", "Yours is larger.") == "Sum: -3"
    assert after("halving, the other way", "Too small.") == "Sum: 5"


@pytest.mark.parametrize("wanted", [0, 1, 2, 17, 8000, -450, 123456, 2.5])
def test_halving_finds_a_number(wanted: float) -> None:
    replies: list[str] = []
    for _ in range(60):
        tried = float(after("halving", *replies).removeprefix("Sum: "))
        if tried == wanted:
            return
        replies.append("too small" if tried < wanted else "too large")
    raise AssertionError(f"{wanted} was not found")


def test_a_game_of_guessing_is_not_searched() -> None:
    with pytest.raises(NotApplicable):
        act("halving", SUM, text="Guess my number.")


def test_numbers_go_where_the_oracle_puts_them() -> None:
    first = act("number of the reply", SUBMIT, tools=[TOOL])
    assert call(first) == {"to": "x", "n": 1}
    told: Any = {"role": "tool", "content": "Error: 8 is right", "tool_call_id": "1"}
    then = act("number of the reply", SUBMIT, first, told, tools=[TOOL])
    assert call(then) == {"to": "x", "n": 8}
    assert act("number of the reply", SUBMIT, first, told, then, tools=[TOOL]) == "Done."


def test_a_tool_that_is_not_offered_is_not_called() -> None:
    assert act("number of the reply", SUBMIT) == "1"


def test_candidates_are_sent_one_a_turn() -> None:
    text = "Which?\nA: 3\nB: 'zinc'"
    sent: list[Any] = []
    for _ in range(5):
        message = assistant(act("one candidate a turn", SUM, *sent, text=text))
        sent += [message, user("No.")]
    assert [text_of(message) for message in sent[::2]] == [
        "Sum: 12", "Sum: 7", "Sum: A", "Sum: B", "Sum: zinc",
    ]  # fmt: skip


def test_without_answers_of_training_no_candidate_is_sent() -> None:
    with pytest.raises(NotApplicable):
        act("one candidate a turn", Knowledge(), text="Say 'zinc'.")


def test_numbers_that_may_add_up_are_no_candidates_of_calls() -> None:
    with pytest.raises(NotApplicable):
        act("one candidate a turn", SUBMIT, tools=[TOOL])


@pytest.mark.parametrize(
    ("reply", "answer"),
    [("It is 512.", "Sum: 512"), ("On 3 May, 4 pm", "Sum: 4"), ("'teal', please", "Sum: teal")],
)
def test_a_question_mark_is_followed_by_what_was_told(reply: str, answer: str) -> None:
    name = "question mark, then the reply"
    assert act(name, SUM) == "?"
    assert act(name, SUM, assistant("?"), user(reply)) == answer


DESK = [
    schema("search_orders", name="string"),
    schema("cancel_order", order_id="string"),
    schema("pay_order", order_id="string"),
]


@pytest.mark.parametrize(
    ("result", "found"),
    [
        ('[{"id": "r7", "day": 3}, {"id": "r8", "day": 4}]', "r7"),
        ('{"orders": [{"day": 3, "order_id": 71}, {"day": 4, "order_id": 72}]}', "71"),
        ("r7: Ada, 3 May\nr8: Ada, 4 May", "r7"),
        ("- A-12 of Monday\n- A-13 of Tuesday", "A-12"),
        ("3 orders\n10234, Monday\n10235, Tuesday", "10234"),
        ('[{"id": "r7", "day": 3}]', None),
        ("r7: Ada, 3 May", None),
        ("nothing was found", None),
        ("[]", None),
    ],
)
def test_the_first_of_several_records_is_taken(result: str, found: str | None) -> None:
    text = "Please cancel the order of Ada Bell."
    first = act("first id, called", SUM, tools=DESK, text=text)
    assert {item["function"]["name"] for item in first["tool_calls"]} == {"search_orders"}
    told: Any = {"role": "tool", "content": result, "tool_call_id": "1"}
    then = act("first id, called", SUM, first, told, tools=DESK, text=text)
    if found is None:
        assert then == "Done."
    else:
        assert then["tool_calls"][0]["function"]["name"] == "cancel_order"
        assert call(then) == {"order_id": found}
    told_of = act("first id, answered", SUM, first, told, tools=DESK, text=text)
    assert told_of == f"Sum: {found or ''}"


@pytest.mark.parametrize("tools", [[], DESK[1:]])
def test_without_a_tool_that_reads_nothing_is_looked_up(tools: Any) -> None:
    for name in ("first id, called", "first id, answered"):
        with pytest.raises(NotApplicable):
            act(name, SUM, tools=tools)
