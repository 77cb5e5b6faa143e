"""Attackers that try something and go by what comes back, without reading the question.

An environment that tells how far a wrong answer is from the right one, or lets every candidate be
tried, gives its answer away. Those that use numbers begin with 1, and so owe to the environment
alone whatever they find.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

from textgym.checks.attackers.answers import candidates
from textgym.checks.attackers.base import Attacker, NotApplicable
from textgym.checks.attackers.knowledge import Knowledge
from textgym.checks.attackers.prompts import (
    first,
    numbers,
    outputs,
    prompt_of,
    question_of,
    values,
)
from textgym.checks.episodes import Act, Sight
from textgym.checks.soundness.solved import arguments_in
from textgym.messages import Message, assistant_calls, text_of

__all__ = ["feedback"]

_FOLLOWED = 6  # numbers of replies that are tried
_HALVINGS = 60
_GROWTH = 4
_USUAL = 20  # answers of training that are tried
_DIGITS = 4  # of a fraction that is searched for
_TOO = re.compile(
    r"\btoo (?:(small|low|little|few|short|early)|(?:large|high|big|great|much|many|long|late))\b",
    re.I,
)
_COMPARATIVE = re.compile(
    r"\b(?:(more|higher|larger|greater|bigger|increase)|(?:less|lower|smaller|fewer|decrease))\b",
    re.I,
)
_GAME = re.compile(r"\bguess", re.I)  # to search by comparisons is what is asked


class Try(NamedTuple):
    """A number that was tried, and what came back."""

    value: float
    reply: str


class Slot(NamedTuple):
    """Where values go: an argument of a call that the oracle makes last in training."""

    tool: str
    arguments: dict[str, Any]
    argument: str

    def call(self, value: str) -> Message | None:
        """Return the call with a value; None if it has another type."""
        usual = self.arguments[self.argument]
        with suppress(ValueError):
            typed: Any = type(usual)(value) if isinstance(usual, (int, float)) else value
            return assistant_calls((self.tool, {**self.arguments, self.argument: typed}))
        return None


def _slot(known: Knowledge, sight: Sight) -> Slot | None:
    """Return the last argument of the call that episodes of training end with; None for a text."""
    offered = {tool["function"]["name"] for tool in sight.tools}
    for message in reversed(known.plans[0].replies if known.plans else ()):
        for call in reversed(message.get("tool_calls") or ()):
            name, arguments = call["function"]["name"], arguments_in(call)
            simple = [key for key, value in arguments.items() if type(value) in (str, int, float)]
            if name in offered and simple:
                return Slot(name, arguments, simple[-1])
    return None


def _send(slot: Slot | None, known: Knowledge, value: str) -> Message | str | None:
    """Return the message with a value, as a call or as an answer; None if it is no argument."""
    return slot.call(value) if slot else known.form.fill(value)


def _tries(slot: Slot | None, known: Knowledge, messages: Sequence[Message]) -> list[Try]:
    """Return the numbers that were tried; none if anything else was sent."""
    found: list[Try] = []
    for message in itertools.dropwhile(lambda item: item["role"] != "assistant", messages):
        if message["role"] != "assistant":
            found[-1] = Try(found[-1].value, f"{found[-1].reply}\n{text_of(message)}")
            continue
        sent = known.form.core(text_of(message))
        if slot:
            calls: Any = message.get("tool_calls") or ()
            sent = str(arguments_in(calls[0]).get(slot.argument)) if calls else ""
        value = _numbers(sent)
        if not value:
            return []
        found.append(Try(value[-1], ""))
    return found


def _numbers(text: str) -> list[float]:
    found = []
    for number in numbers(text):
        with suppress(ValueError):  # a time, or a date
            found.append(float(number.replace(",", "")))
    return found


Next = Callable[[Sequence[Try]], float | None]
"""Chooses the number to try next; None if nothing is left to try."""


def _following(combine: Callable[[float, float], float], tries: Sequence[Try]) -> float | None:
    """Combine the last number of the reply with the number that was tried."""
    value, reply = tries[-1]
    told = [number for number in _numbers(reply) if number != value]
    return combine(value, told[-1]) if told and len(tries) <= _FOLLOWED else None


def _halving(sign: int, tries: Sequence[Try]) -> float | None:
    """Search by words of comparison; `sign` is -1 if they say what the number that was tried is."""
    low, high = -math.inf, math.inf
    for value, reply in tries:
        more = _wants_more(reply, sign)
        if more is None:
            return None
        low, high = (max(low, value), high) if more else (low, min(high, value))
    if len(tries) > _HALVINGS or low >= high:
        return None
    step = float(_GROWTH ** len(tries))
    if math.isinf(high):
        return low + step
    if math.isinf(low):
        return high - step
    middle = (low + high) / 2
    return float(math.floor(middle)) if high - low > 1 else round(middle, _DIGITS)


def _wants_more(reply: str, sign: int) -> bool | None:
    """Return whether a reply says that more is wanted; None if it does not say so or the contrary.

    Example:
        >>> _wants_more("too small", 1), _wants_more("It is larger.", 1), _wants_more("No.", 1)
        (True, True, None)
    """
    for pattern, turned in ((_TOO, 1), (_COMPARATIVE, sign)):
        said = {bool(match[1]) for match in pattern.finditer(reply)}
        if said:
            return None if len(said) > 1 else said.pop() == (turned > 0)
    return None


def _guided(known: Knowledge, choose: Next) -> Act:
    """Return the policy that tries the number 1, and then those that are chosen."""

    def act(sight: Sight) -> Message | str:
        slot, value = _slot(known, sight), 1.0
        if sight.turn:
            tries = _tries(slot, known, sight.messages)
            chosen = choose(tries) if tries else None
            if chosen is None or not math.isfinite(chosen):
                return _end(slot)
            value = chosen
        return _send(slot, known, _written(value)) or _end(slot)

    return act


def _end(slot: Slot | None) -> str:
    return "Done." if slot else ""


def _written(value: float) -> str:
    return str(int(value)) if value == int(value) else str(value)


def _unless_a_game(act: Act) -> Act:
    def played(sight: Sight) -> Message | str:
        if _GAME.search(prompt_of(sight.messages)):
            raise NotApplicable
        return act(sight)

    return played


def _candidate(known: Knowledge, sight: Sight) -> Message | str:
    """Send one candidate a turn; no numbers in calls, which may add up to what is asked.

    Answers of training come first, because to copy the first value of a prompt may be the task.

    Raises:
        NotApplicable: The argument of the call is a number, or nothing is known of training.
    """
    usual = known.answers[:_USUAL]
    first(usual)
    slot = _slot(known, sight)
    if slot and not isinstance(slot.arguments[slot.argument], str):
        raise NotApplicable
    found = dict.fromkeys([*usual, *candidates(known, question_of(sight.messages))])
    sent = [message for text in found if (message := _send(slot, known, text))]
    return sent[sight.turn] if sight.turn < len(sent) else _end(slot)


def _question(known: Knowledge, sight: Sight) -> str:
    """Send a question mark, and then answer with the last number or the likeliest word told."""
    if not sight.turn:
        return "?"
    told = (outputs(sight.messages) or [""])[-1]
    found = numbers(told)[-1:] or values(told)[:1]
    return known.form.fill(found[0]) if found else ""


def feedback(known: Knowledge) -> Iterator[Attacker]:
    """Yield the attackers that go by what comes back."""
    for name, summary, combine in (
        ("number of the reply", "the last number of the reply", lambda value, told: told),
        ("reply added", "its sum with a number of the reply", lambda a, b: a + b),
        ("reply subtracted", "it less a number of the reply", lambda a, b: a - b),
    ):
        act = _guided(known, partial(_following, combine))
        yield Attacker(name, f"Tries a number, and then {summary}.", act, "feedback")
    for name, summary, sign in (
        ("halving", "replies such as `too small` or `larger`", 1),
        ("halving, the other way", "replies such as `yours is larger`", -1),
    ):
        act = _unless_a_game(_guided(known, partial(_halving, sign)))
        yield Attacker(name, f"Searches for a number by {summary}.", act, "feedback")
    for name, summary, play in (
        (
            "one candidate a turn",
            "Tries the values of question and training, one a turn.",
            _candidate,
        ),
        (
            "question mark, then the reply",
            "Sends a question mark, and answers the last number of the reply, or its first value.",
            _question,
        ),
    ):
        yield Attacker(name, summary, partial(play, known), "feedback")
