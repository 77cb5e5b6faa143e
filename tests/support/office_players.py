"""Plays AskFirst and MultiIntent with what `office_reader` reads, as a person would."""

from __future__ import annotations

import re
from typing import Any

from office_reader import VALUES, Office, amendments_in, requests_in

from textgym.core.text_env import TextEnv
from textgym.messages import Message, assistant_calls, text_of

__all__ = ["play_ask_first", "play_first_mail", "play_multi_intent"]

QUESTIONS = {
    "participant": "Who will you meet?",
    "recipient": "Who is it for?",
    "assignee": "Who should do it?",
    "owner": "Who will be in charge?",
    "day": "On which day?",
    "due_date": "When is it due?",
    "follow_up": "What is the new follow-up date?",
    "time": "When does it start?",
    "duration": "How long will it take?",
    "phone": "What is the phone number?",
    "title": "What is it called?",
    "subject": "What is the subject?",
    "body": "What should it say?",
}


class Desk:
    """An episode, played with tools and texts."""

    def __init__(self, env: TextEnv[Any], index: int) -> None:
        self.env = env
        self.conversation, _ = env.reset(options={"index": index})
        now = re.search(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", text_of(self.conversation[0]))
        assert now
        self.office = Office(self.call, now[0])
        self.reward, self.ended = 0.0, False

    def call(self, name: str, arguments: dict[str, Any]) -> str:
        """Call a tool, and return what it says."""
        return self.say(assistant_calls((name, arguments)))

    def say(self, message: Message | str) -> str:
        """Send a message, and return the last message after it."""
        self.conversation, self.reward, terminated, truncated, _ = self.env.step(message)
        self.ended = terminated or truncated
        return text_of(self.conversation[-1])


_ADDRESS = r"\w+@\w+\.(?:com|net|org)"
_MAIL = re.compile(
    rf'Send an email(?: to ({_ADDRESS}))? with the subject "(.+)" and the text "(.+)"\.'
    r"(?: Ask me for the recipient\.)?"
)


def play_first_mail(env: TextEnv[Any], index: int) -> float:
    """Play a task of level 0, and return the last reward."""
    desk = Desk(env, index)
    asked = _MAIL.fullmatch(text_of(desk.conversation[-1]))
    assert asked
    address, subject, body = asked.groups()
    if address is None:
        (address,) = re.findall(_ADDRESS, desk.say("Who is it for?"))
    desk.call("email_send_email", {"recipient": address, "subject": subject, "body": body})
    desk.say("It is done.")
    return desk.reward


def play_multi_intent(env: TextEnv[Any], index: int) -> float:
    """Play a task of MultiIntent, and return the last reward."""
    desk = Desk(env, index)
    said = text_of(desk.conversation[-1])
    while not desk.ended:
        rest, amendments = amendments_in(said)
        requests = requests_in(rest)
        assert requests, said
        assert not any(request.missing for request in requests), said
        assert all(map(desk.office.find, requests)), said
        for amendment in amendments:
            desk.office.amend(*amendment)
        for request in requests:
            if request in desk.office.requests:
                desk.office.carry_out(request)
        said = desk.say("It is done.")
    return desk.reward


def play_ask_first(env: TextEnv[Any], index: int) -> float:
    """Play a task of AskFirst, and return the last reward."""
    desk = Desk(env, index)
    requests = requests_in(text_of(desk.conversation[-1]))
    assert requests
    if not all(map(desk.office.find, requests)):
        desk.say("That cannot be done: there is nothing like that here.")
        return desk.reward
    for request in requests:
        for slot in request.missing:
            answer = desk.say(QUESTIONS[slot])
            request.values[slot] = _value_in(answer, slot, desk.office)
    for request in requests:
        desk.office.carry_out(request)
    desk.say("All of that is in place now.")
    return desk.reward


def _value_in(answer: str, slot: str, office: Office) -> str:
    """Return the value of a slot in an answer."""
    if slot in ("participant", "recipient", "assignee", "owner"):
        names = re.findall(r"\b[A-Z][a-z]+\b", answer)
        return next(name for name in reversed(names) if office.address(name))
    found = re.findall(VALUES[slot], answer)
    assert len(found) == 1, (slot, answer)
    return str(found[0])
