"""A scripted user: what it tells, how often, when it corrects itself and when it ends."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import pytest
import slot_questions as dev
from hypothesis import given
from hypothesis import strategies as st
from tables import in_one_test

from textgym.errors import UsageError
from textgym.users import SLOTS, Correction, Fact, Kind, Memory, ScriptedUser
from textgym.users.scripted_user import memory_problem

VALUES = {
    "title": "Quarterly numbers",
    "day": "Thursday",
    "time": "11:40",
    "duration": "95 minutes",
    "participant": "Ines Vane",
}
QUESTIONS = {
    "title": "What should it be called?",
    "day": "Which day?",
    "time": "At what time?",
    "duration": "How long should it be?",
    "participant": "Who should attend?",
}


def person(**arguments: Any) -> ScriptedUser:
    facts = [Fact(name, value) for name, value in VALUES.items()]
    return ScriptedUser(facts, **{"patience": 3, **arguments})


def says(text: str) -> set[str]:
    """Return the slots whose values are in a text."""
    return {name for name, value in VALUES.items() if value in text}


@pytest.mark.parametrize("slot", VALUES)
def test_a_question_gets_its_value_and_no_other(slot: str) -> None:
    for seed in range(30):
        user = person(seed=seed)
        memory = user.begin()
        reply = user.reply(QUESTIONS[slot], memory)
        assert says(reply.text) == {slot}
        assert (reply.answered, reply.needless, reply.is_last) == ((slot,), 0, False)
        assert (memory.told, memory.asked) == ([slot], {slot: 1})


def test_several_questions_get_all_values_in_the_order_of_the_facts() -> None:
    user = person()
    reply = user.reply("How long is it, and which day?", user.begin())
    assert reply.answered == ("day", "duration")
    assert reply.text.index("Thursday") < reply.text.index("95 minutes")


def test_a_user_who_tells_one_value_at_once_tells_them_in_the_order_of_the_facts() -> None:
    user = person(at_once=1)
    memory = user.begin()
    question = "How long is it, who should attend, and which day?"
    for slot in ("day", "duration", "participant"):
        reply = user.reply(question, memory)
        assert says(reply.text) - {*memory.told[:-1]} == {slot}
        assert reply.answered == (slot,)
        question = {"day": "And how long is it?", "duration": "Who should attend?"}.get(slot, "")
    assert memory.needless == 0


def test_what_the_request_tells_is_told_again_and_is_needless() -> None:
    user = person(told=["day"])
    memory = user.begin()
    reply = user.reply("Which day and what time?", memory)
    assert (reply.answered, reply.repeated, reply.needless) == (("time",), ("day",), 1)
    assert says(reply.text) == {"day", "time"}
    assert (memory.needless, memory.patience) == (1, 3)


def test_when_asks_for_what_is_open() -> None:
    user = person(told=["time"])
    reply = user.reply("When?", user.begin())
    assert (reply.answered, reply.needless) == (("day",), 0)
    user = person(told=["time", "day"])
    assert user.reply("When?", user.begin()).repeated == ("day", "time")


def test_many_vague_words_are_no_way_to_ask_for_whatever_is_open() -> None:
    user = person(told=["title", "day", "time", "duration"])
    reply = user.reply("When? Who?", user.begin())
    assert (reply.answered, reply.needless) == (("participant",), 2)


@in_one_test("text", [*dev.DETAILS, *dev.UNCLEAR, *dev.GO_AHEAD, "Hello!"])
def test_what_is_about_no_slot_gets_no_value(text: str) -> None:
    user = person()
    memory = user.begin()
    reply = user.reply(text, memory)
    assert says(reply.text) == set()
    assert (reply.needless, reply.is_last, memory.patience) == (1, False, 2)


def test_an_unclear_question_is_answered_with_a_question() -> None:
    user = person()
    assert user.reply("Could you clarify?", user.begin()).text.endswith("?")


def test_a_slot_without_a_fact_does_not_matter() -> None:
    user = person()
    memory = user.begin()
    reply = user.reply("Which board should it go on?", memory)
    assert (reply.unknown, reply.answered, reply.needless) == (("board",), (), 1)
    assert "board" in reply.text
    assert says(reply.text) == set()


@in_one_test("text", [*dev.STATEMENTS, *dev.CANNOT, "", "<think>Which day?</think>"])
def test_a_message_that_asks_nothing_ends_the_conversation(text: str) -> None:
    user = person()
    memory = user.begin()
    reply = user.reply(text, memory)
    assert (reply.is_last, memory.has_ended, reply.needless) == (True, True, 0)
    assert says(reply.text) == set()


def test_reasoning_is_not_read() -> None:
    user = person()
    reply = user.reply("<think>At what time? How long?</think>Which day?", user.begin())
    assert reply.answered == ("day",)


def test_a_user_who_waits_for_more_does_not_end() -> None:
    user = person()
    reply = user.reply("I'll look that up.", user.begin(), is_done=False)
    assert (reply.is_last, says(reply.text)) == (False, set())


def test_a_user_who_has_what_it_wants_ends_unless_asked() -> None:
    user = person()
    assert user.reply("Shall I go ahead?", user.begin(), is_done=True).is_last
    assert not user.reply("Which day?", user.begin(), is_done=True).is_last


@pytest.mark.parametrize(
    ("text", "needless"),
    [
        ("Which day?", 3),
        ("Any other details?", 3),
        ("Hm, what?", 3),
        ("Which board?", 3),
        ("Anything else?", 0),
        ("Just a moment.", 0),
        ("I can't find it. Could you check the name?", 0),
    ],
)
def test_patience_ends(text: str, needless: int) -> None:
    user = person(told=["day"], patience=2)
    memory = user.begin()
    ends = [user.reply(text, memory).is_last for _ in range(3)]
    assert ends == [False, False, True]
    assert memory.needless == needless


@pytest.mark.parametrize(
    ("text", "unknown"),
    [
        ("Which day, and which board?", ("board",)),
        ("I need the day, the subject and the due date.", ("subject", "due_date")),
        ("Which day? What is the customer's name? Which status?", ("status",)),
        ("Who should come, what is the text, and what is the subject?", ("body", "subject")),
        ("I need day subject body board phone status.", ("subject", "body", "board", "status")),
        ("The day of the subject, body, board and status?", ("subject", "body", "board", "status")),
        ("- day: ___\n- subject: ___", ("subject",)),
    ],
)
def test_slots_without_a_fact_count_beside_others(text: str, unknown: tuple[str, ...]) -> None:
    reply = person().reply(text, person().begin())
    assert reply.answered
    assert set(reply.unknown) == set(unknown)
    assert reply.needless == len(unknown)


@pytest.mark.parametrize(
    "text",
    [
        "What is the name of the person whom you want to meet?",
        "How long should the meeting with the customer be?",
        "What should I enter as the title?",
        "What do you want as the title of the meeting?",
        "Which day is good for the people of the project?",
    ],
)
def test_words_for_other_slots_beside_a_fact_are_no_questions(text: str) -> None:
    reply = person().reply(text, person().begin())
    assert reply.answered
    assert reply.unknown == ()


def test_patience_is_not_lost_by_needed_questions() -> None:
    user = person(patience=0)
    memory = user.begin()
    assert not any(user.reply(QUESTIONS[slot], memory).is_last for slot in VALUES)
    assert user.reply("Which day?", memory).is_last


def test_the_impatient_end_tells_nothing() -> None:
    user = person(told=["day"], patience=0)
    reply = user.reply("Which day?", user.begin())
    assert (reply.is_last, says(reply.text)) == (True, set())


# Corrections


def corrected(**arguments: Any) -> ScriptedUser:
    return person(corrections=[Correction("day", "Friday", **arguments)])


def test_a_correction_comes_after_its_number_of_replies() -> None:
    user = corrected(after=2)
    memory = user.begin()
    assert "Thursday" in user.reply("Which day?", memory).text
    assert "Friday" not in user.reply("At what time?", memory).text
    reply = user.reply("How long?", memory)
    assert (reply.corrected, reply.answered) == (("day",), ("duration",))
    assert "Friday" in reply.text
    again = user.reply("Which day was it?", memory)
    assert "Friday" in again.text
    assert "Thursday" not in again.text
    assert again.corrected == ()


def test_a_correction_comes_at_the_latest_when_the_work_is_done() -> None:
    user = corrected(after=50)
    memory = user.begin()
    user.reply("Which day?", memory)
    reply = user.reply("Done.", memory)
    assert (reply.is_last, reply.corrected) == (False, ("day",))
    assert "Friday" in reply.text
    assert user.reply("Done again.", memory).is_last


def test_what_was_never_told_is_not_corrected() -> None:
    user = corrected(after=0)
    memory = user.begin()
    assert user.reply("At what time?", memory).corrected == ()
    assert user.reply("Done.", memory).is_last


def test_a_value_of_the_request_can_be_corrected() -> None:
    user = person(told=["day"], corrections=[Correction("day", "Friday", after=0)])
    reply = user.reply("At what time?", user.begin())
    assert reply.corrected == ("day",)


# Words


def test_every_kind_of_reply_has_dozens_of_wordings() -> None:
    texts = {
        "answer": "Which day?", "repeat": "At what time?", "unclear": "Hm, what?",
        "anything_else": "Anything else?", "go_ahead": "Shall I go ahead?", "greeting": "Hello!",
        "unknown": "Which board?", "statement": "Done.", "cannot": "I can't do that.",
    }  # fmt: skip
    for kind, text in texts.items():
        said = set()
        for seed in range(300):
            user = person(seed=seed, told=["time"])
            said.add(user.reply(text, user.begin()).text)
        assert len(said) >= 36, kind


def test_a_value_is_said_in_one_of_its_wordings() -> None:
    fact = Fact("duration", "30", ("half an hour", "30 minutes"))
    said = []
    for seed in range(40):
        user = ScriptedUser([fact], seed=seed)
        said.append(user.reply("How long?", user.begin()).text)
    assert all(("half an hour" in text) != ("30 minutes" in text) for text in said)
    assert len({"half an hour" in text for text in said}) == 2


@pytest.mark.parametrize("value", ['"Ready?"', "{label}", "{}", "a@b.org", "It is done.", "\\1"])
def test_a_value_is_never_changed(value: str) -> None:
    for seed in range(60):
        user = ScriptedUser([Fact("body", value), Fact("subject", "x")], seed=seed)
        for text in ("What should it say?", "What are the subject and the body?"):
            said = user.reply(text, user.begin()).text
            assert value in said
            assert not said.endswith(('.".', '?".', ".."))


# Memory, determinism, mistakes


def test_the_same_seed_says_the_same_and_others_do_not() -> None:
    def played(seed: object) -> list[str]:
        user = person(seed=seed)
        memory = user.begin()
        return [user.reply(text, memory).text for text in QUESTIONS.values()]

    assert played("task-1") == played("task-1")
    assert len({tuple(played(seed)) for seed in range(20)}) == 20


def test_words_are_the_same_in_every_process() -> None:
    user = person(seed="fixed")
    assert user.reply("Which day?", user.begin()).text == FIXED


FIXED = "Ah, right. I'd like Thursday."


@given(
    st.lists(st.sampled_from([*QUESTIONS.values(), "Anything else?", "Done.", "Hm?"])), st.data()
)
def test_a_restored_memory_goes_on_as_the_first(texts: list[str], data: Any) -> None:
    user = person(corrections=[Correction("day", "Friday", after=2)], told=["time"])
    memory = user.begin()
    cut = data.draw(st.integers(0, len(texts)))
    for text in texts[:cut]:
        user.reply(text, memory)
    restored = Memory(**json.loads(json.dumps(asdict(memory))))
    assert memory_problem(asdict(memory)) == ""
    for text in texts[cut:]:
        assert user.reply(text, memory) == user.reply(text, restored)
    assert memory == restored


@given(st.lists(st.text(max_size=80), max_size=8))
def test_nothing_that_is_said_raises_or_makes_a_user_tell_what_was_not_asked(
    texts: list[str],
) -> None:
    user = person(seed=1)
    memory = user.begin()
    for text in texts:
        reply = user.reply(text, memory)
        assert says(reply.text) <= {*reply.answered, *reply.repeated}
    assert sum(memory.asked.values()) <= memory.needless + len(memory.told)


def test_a_user_ends_after_bounded_needless_messages() -> None:
    user = person(patience=3)
    memory = user.begin()
    ends = [user.reply("Anything else?", memory).is_last for _ in range(4)]
    assert ends == [False, False, False, True]


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"told": "day"}, "memory.told must be a list"),
        ({"told": [1]}, "memory.told must have names"),
        ({"asked": {"day": "x"}}, "memory.asked must have counts"),
        ({"patience": 1.5}, "memory.patience must be a int"),
        ({"more": 1}, "memory must have"),
    ],
)
def test_a_memory_that_is_not_valid_is_named(changes: dict[str, Any], problem: str) -> None:
    assert problem in memory_problem({**asdict(Memory()), **changes})


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"facts": [Fact("day", "x"), Fact(SLOTS["day"], "y")]}, "two facts about 'day'"),
        ({"facts": [Fact("day", "x")], "told": ["time"]}, "no fact about 'time'"),
        (
            {"facts": [Fact("day", "x")], "corrections": [Correction("time", "x")]},
            "no fact about 'time'",
        ),
        ({"facts": [Fact("day", "x")], "at_once": 0}, "at_once must be at least 1"),
    ],
)
def test_facts_that_do_not_fit_are_refused(arguments: dict[str, Any], problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        ScriptedUser(**arguments)


def test_kinds_of_messages_are_texts() -> None:
    assert json.dumps(Kind.QUESTION) == '"question"'
