"""Attackers that try something and follow the replies, without reading the question.

An environment gives its answer away if its replies say how far a wrong answer is from the right
one, or if every candidate can be tried. Attackers that use numbers begin with 1, so that they can
learn an answer only from the replies.
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
from textgym.checks.attackers.knowledge import Attacker, Knowledge
from textgym.checks.attackers.prompts import (
    first,
    numbers,
    outputs,
    prompt_of,
    question_of,
    values,
)
from textgym.checks.episodes import NotApplicable, Scripted
from textgym.checks.soundness.variants import arguments_in
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
_GAME = re.compile(r"\bguess", re.I)  # the task is to search by comparisons


class Try(NamedTuple):
    """A number that was tried, and the reply to it."""

    value: float
    reply: str


class Slot(NamedTuple):
    """Where values go: an argument of the call that the oracle makes last in training."""

    tool: str
    arguments: dict[str, Any]
    argument: str

    def call(self, value: str) -> Message | None:
        """Return the call with a value, or None if the value has another type."""
        usual = self.arguments[self.argument]
        with suppress(ValueError):
            typed: Any = type(usual)(value) if isinstance(usual, (int, float)) else value
            return assistant_calls((self.tool, {**self.arguments, self.argument: typed}))
        return None


def _slot(known: Knowledge, view: Scripted) -> Slot | None:
    """Return the last argument of the last call of training episodes, or None for a text."""
    offered = {tool["function"]["name"] for tool in view.tools}
    for message in reversed(known.plans[0].replies if known.plans else ()):
        for call in reversed(message.get("tool_calls") or ()):
            name, arguments = call["function"]["name"], arguments_in(call)
            simple = [key for key, value in arguments.items() if type(value) in (str, int, float)]
            if name in offered and simple:
                return Slot(name, arguments, simple[-1])
    return None


def _send(slot: Slot | None, known: Knowledge, value: str) -> Message | str | None:
    """Return a message with a value as a call or an answer; None if it is not an argument."""
    return slot.call(value) if slot else known.form.fill(value)


def _tries(slot: Slot | None, known: Knowledge, messages: Sequence[Message]) -> list[Try]:
    """Return the numbers that were tried, or an empty list if anything else was sent."""
    tries: list[Try] = []
    for message in itertools.dropwhile(lambda sent: sent["role"] != "assistant", messages):
        if message["role"] != "assistant":
            tries[-1] = Try(tries[-1].value, f"{tries[-1].reply}\n{text_of(message)}")
            continue
        sent = known.form.core(text_of(message))
        if slot:
            calls: Any = message.get("tool_calls") or ()
            sent = str(arguments_in(calls[0]).get(slot.argument)) if calls else ""
        value = _numbers(sent)
        if not value:
            return []
        tries.append(Try(value[-1], ""))
    return tries


def _numbers(text: str) -> list[float]:
    read = []
    for number in numbers(text):
        with suppress(ValueError):  # a time, or a date
            read.append(float(number.replace(",", "")))
    return read


def _following(combine: Callable[[float, float], float], tries: Sequence[Try]) -> float | None:
    """Combine the last number of the reply with the number that was tried."""
    value, reply = tries[-1]
    others = [number for number in _numbers(reply) if number != value]
    return combine(value, others[-1]) if others and len(tries) <= _FOLLOWED else None


def _halving(sign: int, tries: Sequence[Try]) -> float | None:
    """Search by words of comparison; `sign` is -1 if they describe the number that was tried."""
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
    """Return whether a reply asks for a larger number, or None if it does not say which.

    Example:
        >>> _wants_more("too small", 1), _wants_more("It is larger.", 1), _wants_more("No.", 1)
        (True, True, None)
    """
    for pattern, turned in ((_TOO, 1), (_COMPARATIVE, sign)):
        directions = {bool(match[1]) for match in pattern.finditer(reply)}
        if directions:
            return None if len(directions) > 1 else directions.pop() == (turned > 0)
    return None


def _guided(
    known: Knowledge, choose: Callable[[Sequence[Try]], float | None], unless_a_game: bool
) -> Scripted:
    """Return the policy that tries the number 1, and then those that are chosen, until None."""

    def answer(view: Scripted) -> Message | str:
        if unless_a_game and _GAME.search(prompt_of(view.messages)):
            raise NotApplicable
        slot, value = _slot(known, view), 1.0
        if view.turn:
            tries = _tries(slot, known, view.messages)
            chosen = choose(tries) if tries else None
            if chosen is None or not math.isfinite(chosen):
                return _end(slot)
            value = chosen
        written = str(int(value)) if value == int(value) else str(value)
        return _send(slot, known, written) or _end(slot)

    return Scripted(answer)


def _end(slot: Slot | None) -> str:
    return "Done." if slot else ""


def _candidate(known: Knowledge, view: Scripted) -> Message | str:
    """Send one candidate per turn, but no numbers in calls, because they may add up to the answer.

    Training answers come first, because copying the first value of a prompt may be the task.

    Raises:
        NotApplicable: The argument of the call is a number, or no answers of training are known.
    """
    usual = known.answers[:_USUAL]
    first(usual)
    slot = _slot(known, view)
    if slot and not isinstance(slot.arguments[slot.argument], str):
        raise NotApplicable
    texts = dict.fromkeys([*usual, *candidates(known, question_of(view.messages))])
    messages = [message for text in texts if (message := _send(slot, known, text))]
    return messages[view.turn] if view.turn < len(messages) else _end(slot)


def _question(known: Knowledge, view: Scripted) -> str:
    """Send a question mark, then answer with the last number or the likeliest word of the reply."""
    if not view.turn:
        return "?"
    reply = (outputs(view.messages) or [""])[-1]
    likeliest = numbers(reply)[-1:] or values(reply)[:1]
    return known.form.fill(likeliest[0]) if likeliest else ""


def feedback(known: Knowledge) -> Iterator[Attacker]:
    """Yield the attackers that follow the replies."""
    for name, summary, combine in (
        ("number of the reply", "the last number of the reply", lambda a, b: b),
        ("reply added", "its sum with a number of the reply", lambda a, b: a + b),
        ("reply subtracted", "it less a number of the reply", lambda a, b: a - b),
    ):
        policy = _guided(known, partial(_following, combine), unless_a_game=False)
        yield Attacker(name, f"Tries a number, and then {summary}.", policy, "feedback")
    for name, summary, sign in (
        ("halving", "replies such as `too small` or `larger`", 1),
        ("halving, the other way", "replies such as `yours is larger`", -1),
    ):
        policy = _guided(known, partial(_halving, sign), unless_a_game=True)
        yield Attacker(name, f"Searches for a number by {summary}.", policy, "feedback")
    for name, summary, script in (
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
        yield Attacker(name, summary, Scripted(partial(script, known)), "feedback")
