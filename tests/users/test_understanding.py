"""What a user understands: questions about each slot, and messages that ask nothing."""

from __future__ import annotations

import pytest
import slot_questions as dev
from held_out_questions import HELD_OUT
from hypothesis import given
from hypothesis import strategies as st

from textgym.users import SLOTS, Heard, Kind, slot_of, understand
from textgym.users.understanding import MAX_READ

MEETING, MAIL, TASK = (
    [SLOTS[name] for name in dev.REQUESTS[request]] for request in ("meeting", "mail", "task")
)
EVERY = list(SLOTS.values())


def asked(text: str, slots: list = MEETING) -> tuple[str, ...]:
    return understand(text, slots).slots


@pytest.mark.parametrize("slot", SLOTS)
def test_held_out_questions_are_understood(slot: str) -> None:
    questions = HELD_OUT[slot]
    assert len(set(questions)) >= 30
    for request, names in dev.REQUESTS.items():
        if slot in names:
            slots = [SLOTS[name] for name in names]
            right = sum(asked(question, slots) == (slot,) for question in questions)
            assert right >= 0.9 * len(questions), request


def test_95_percent_of_all_held_out_questions_are_understood() -> None:
    results = [
        asked(question, [SLOTS[name] for name in names]) == (slot,)
        for slot, questions in HELD_OUT.items()
        for names in dev.REQUESTS.values()
        if slot in names
        for question in questions
    ]
    assert sum(results) >= 0.95 * len(results)


def test_held_out_questions_are_not_those_of_the_development() -> None:
    for slot, questions in dev.QUESTIONS.items():
        assert not set(questions) & set(HELD_OUT[slot])


@pytest.mark.parametrize("slot", dev.QUESTIONS)
def test_every_question_of_the_development_is_understood(slot: str) -> None:
    for names in dev.REQUESTS.values():
        if slot in names:
            slots = [SLOTS[name] for name in names]
            wrong = [text for text in dev.QUESTIONS[slot] if asked(text, slots) != (slot,)]
            assert wrong == []


@pytest.mark.parametrize(
    ("kind", "texts"),
    [
        (Kind.STATEMENT, dev.STATEMENTS),
        (Kind.ANYTHING_ELSE, dev.ANYTHING_ELSE),
        (Kind.DETAILS, dev.DETAILS),
        (Kind.UNCLEAR, dev.UNCLEAR),
        (Kind.GO_AHEAD, dev.GO_AHEAD),
        (Kind.CANNOT, dev.CANNOT),
    ],
    ids=lambda value: value.name if isinstance(value, Kind) else "",
)
@pytest.mark.parametrize("request_kind", dev.REQUESTS)
def test_messages_without_questions_about_slots(
    kind: Kind, texts: tuple[str, ...], request_kind: str
) -> None:
    slots = [SLOTS[name] for name in dev.REQUESTS[request_kind]]
    assert [text for text in texts if understand(text, slots).kind is not kind] == []


@pytest.mark.parametrize(
    ("text", "slots"),
    [
        ("Which day and what time?", ("day", "time")),
        ("Which day and time would you like?", ("day", "time")),
        ("What time should it start, and how long should it be?", ("time", "duration")),
        ("Who should come? And how long will it take?", ("duration", "participant")),
        ("Please tell me the title, the day and the duration.", ("title", "day", "duration")),
        ("I need:\n- the day\n- the time\n- the participant", ("day", "time", "participant")),
        ("What are the day, time and duration of the meeting?", ("day", "time", "duration")),
        ("So that's Monday at 10:00 for 30 minutes, right?", ("day", "time", "duration")),
    ],
)
def test_several_slots_at_once(text: str, slots: tuple[str, ...]) -> None:
    assert asked(text) == slots


@pytest.mark.parametrize(
    "text",
    [
        "I've put the meeting with Anna on Thursday at 10:00. How long should it be?",
        "How long should the meeting on Thursday with Anna be?",
        "The day and the time are clear. How long should it be?",
        "HOW LONG SHOULD IT BE?",
        "**How long** should it be?",
        "So that I can book the room for that day: how long should it be?",
    ],
)
def test_context_of_a_question_is_not_asked_for(text: str) -> None:
    assert asked(text) == ("duration",)


def test_a_due_date_is_no_date() -> None:
    slots = [SLOTS["day"], SLOTS["due_date"]]
    assert asked("What is the due date?", slots) == ("due_date",)
    assert asked("What is the date of the meeting?", [SLOTS["day"]]) == ("day",)


def test_a_word_that_may_mean_two_slots_is_vague() -> None:
    heard = understand("When?", MEETING)
    assert (heard.slots, heard.is_vague) == (("day", "time"), True)


def test_a_question_after_a_request_to_check_is_heard() -> None:
    text = "I cannot find that meeting. Could you check the name again? Which day is it?"
    assert asked(text) == ("day",)


def test_a_question_with_a_problem_says_cannot_too() -> None:
    text = "I can't find a participant with that name. Who should come?"
    heard = understand(text, MEETING)
    assert (heard.kind, heard.slots, heard.says_cannot) == (
        Kind.QUESTION,
        ("participant",),
        True,
    )


@pytest.mark.parametrize("text", ["", " \n", "...", "?!", "\u200b"])
def test_a_message_without_words_is_empty(text: str) -> None:
    assert understand(text, EVERY) == Heard(Kind.EMPTY)


@pytest.mark.parametrize(
    "text", ["Hello! How can I help you today?", "Hi.", "What can I do for you?"]
)
def test_a_greeting_asks_for_nothing(text: str) -> None:
    assert understand(text, MEETING).kind is Kind.GREETING


def test_a_slot_made_from_a_name_is_asked_for_by_its_name() -> None:
    slots = [slot_of("seat_number"), slot_of("C++ (level)")]
    assert asked("Which seat number?", slots) == ("seat_number",)
    assert asked("What is your C++ (level)?", slots) == ("C++ (level)",)


@given(st.text(max_size=300))
def test_any_text_is_understood_somehow(text: str) -> None:
    heard = understand(text, EVERY)
    assert set(heard.slots) <= set(SLOTS)
    assert (heard.kind is Kind.QUESTION) == bool(heard.slots)


WORDS = (
    "what when who which day time the a is or and ? . : ; , \" ' \n - 10:00 tell me not anything"
)


@given(st.lists(st.sampled_from(WORDS.split(" ")), max_size=60).map(" ".join))
def test_any_words_of_questions_are_understood_somehow(text: str) -> None:
    heard = understand(text, EVERY)
    assert (heard.kind is Kind.QUESTION) == bool(heard.slots)


@pytest.mark.parametrize(
    "part", ["day ", "what ", "who is ", "? ", '"', "not ", "no a ", "the the, ", "let me know if "]
)
def test_a_megabyte_is_read_from_its_end(part: str) -> None:
    text = part * (10**6 // len(part))
    assert understand(text, EVERY) == understand(text[-MAX_READ:], EVERY)
    assert asked(f"{'x' * 10**6}. How long should it be?") == ("duration",)


@pytest.mark.parametrize(
    "text",
    [
        "No customer with this name is on file. I changed nothing.",
        "The meeting you mentioned does not appear in your calendar, so I left it as it is.",
        "Neither the task nor a similar one exists, so nothing was reassigned.",
        "There doesn't seem to be any task named 'X'. I've left everything unchanged.",
        "I couldn't locate that customer.", "I was unable to locate the meeting.",
        "No mail from Omar on 16 April was found.", "No results were returned for Declan Caldwell.",
        "The customer could not be located.", "I failed to locate the customer.",
        "I cannot retrieve this mail.", "The meeting can't be identified.",
    ],
)  # fmt: skip
def test_what_is_not_there_cannot_be_done(text: str) -> None:
    heard = understand(text, MEETING)
    assert (heard.kind, heard.says_cannot) == (Kind.CANNOT, True)


@pytest.mark.parametrize(
    "text",
    [
        "I located the customer and sent the mail.", "I could locate the customer.",
        "Let me locate that customer.", "The meeting is located in Room 2.",
        "I had no trouble locating it.", "I will identify the customer.",
    ],
)  # fmt: skip
def test_what_is_found_is_no_report_that_it_is_not(text: str) -> None:
    assert not understand(text, MEETING).says_cannot


def test_a_question_what_to_change_something_to_is_no_go_ahead() -> None:
    for text in ("What should I change it to?", "To what should I change it?"):
        assert understand(text, MAIL).kind is Kind.UNCLEAR
    assert understand("Shall I change it?", MAIL).kind is Kind.GO_AHEAD


@pytest.mark.parametrize(
    "text",
    [
        "If something does not exist, it cannot be done.",
        "Let me know if something is not there.",
        "If you need anything that is not in the calendar, I can look again.",
    ],
)
def test_an_offer_of_help_is_no_report(text: str) -> None:
    heard = understand(text, list(SLOTS.values()))
    assert not heard.says_cannot
