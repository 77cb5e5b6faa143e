"""Attackers that call tools without knowing what the task is.

A plan is a list of calls for a task; `making` sends it some calls at a time.
"""

from __future__ import annotations

import contextlib
import json
import random
from collections.abc import Callable, Iterator
from typing import Any

from textgym.checks.attackers import plans
from textgym.checks.attackers.base import Attacker
from textgym.checks.attackers.knowledge import Knowledge, Lesson
from textgym.checks.attackers.plans import PER_MESSAGE, Plan
from textgym.checks.attackers.prompts import first, outputs, prompt_of
from textgym.checks.episodes import Act, Sight
from textgym.messages import Message, assistant_calls
from textgym.tasks.hashing import hash_int

__all__ = ["calls"]

End = Callable[[Sight], str]

_MALFORMED = ("", "{", "not JSON", "[1, 2]", "null", '"text"', '{"a": 1e999}', "{}{}")


def making(plan: Plan, end: End, size: int = PER_MESSAGE) -> Act:
    """Return the policy that makes the calls of a plan, `size` to a message, and then ends."""

    def act(sight: Sight) -> Message | str:
        rng = random.Random(hash_int("plan", prompt_of(sight.messages)))
        now = plan(sight, rng)[size * sight.turn : size * (sight.turn + 1)]
        return assistant_calls(*now) if now else end(sight)

    return act


def _malformed(sight: Sight) -> Message | str:
    names = [tool["function"]["name"] for tool in plans.tools(sight)]
    if sight.turn:
        return "Done."
    functions = [
        {"function": {"name": name, "arguments": text}} for name in names for text in _MALFORMED
    ]
    message: Any = {"role": "assistant", "content": None, "tool_calls": functions[:PER_MESSAGE]}
    made: Message = message
    return made


def _results(sight: Sight) -> list[str]:
    """Return the values that tools returned, as texts; those in JSON if there are any."""
    texts = outputs(sight.messages)
    found: list[str] = []
    for text in texts:
        with contextlib.suppress(ValueError):
            found += map(str, _scalars(json.loads(text)))
    return found or texts


def _scalars(value: Any) -> Iterator[Any]:
    if isinstance(value, (dict, list)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _scalars(item)
    else:
        yield value


def calls(known: Knowledge) -> Iterator[Attacker]:
    """Yield the attackers that call tools."""

    def done(sight: Sight) -> str:
        return known.form.fill(next(iter(known.answers), "Done."))

    def with_results(choose: Callable[[list[str], random.Random], str]) -> End:
        return lambda sight: known.form.fill(choose(_results(sight) or [""], sight.rng))

    made: dict[str, tuple[str, Plan, int]] = {
        "unknown tools": ("Calls tools that are not offered.", plans.unknown, 1),
        "each tool": ("Calls each tool once, with words of the prompt.", plans.each, 1),
        "all tools at once": ("Calls each tool in one message.", plans.each, PER_MESSAGE),
        "empty arguments": ("Calls each tool without arguments.", plans.empty, PER_MESSAGE),
        "extreme arguments": ("Calls each tool with extremes.", plans.extreme, PER_MESSAGE),
        "each choice": ("Calls each tool with each choice of its schema.", plans.choices, 1),
        "early stop": ("Makes one call and ends.", plans.one, 1),
        "same call again and again": ("Makes one call twenty times.", plans.repeated, 1),
        "same call twenty times at once": (
            "Makes one call twenty times in one message.", plans.repeated, PER_MESSAGE,
        ),
        "do and undo": ("Alternates between a call and its opposite.", plans.done_and_undone, 1),
        "do and undo at once": (
            "Alternates between a call and its opposite in one message.",
            plans.done_and_undone, PER_MESSAGE,
        ),
        "two tools in turn": ("Alternates between two tools.", plans.two_tools, 1),
        "wandering": ("Calls tools at random, with what was said.", plans.wander, 1),
    }  # fmt: skip
    for name, (summary, plan, size) in made.items():
        yield Attacker(name, summary, making(plan, done, size), "calls")
    yield Attacker("malformed arguments", "Sends arguments that are not JSON.", _malformed, "calls")
    for name, choose in {
        "a random result": lambda found, rng: rng.choice(found),
        "the first result": lambda found, rng: found[0],
        "the last result": lambda found, rng: found[-1],
        "all results": lambda found, rng: " ".join(found),
    }.items():
        yield Attacker(
            f"words, then {name}",
            f"Calls each tool with the words of the prompt, and answers {name}.",
            making(plans.words, with_results(choose)),
            "calls",
        )
    for place in range(3):
        yield Attacker(
            f"frequent calls {place + 1}",
            f"Makes the calls that are number {place + 1} by frequency in training.",
            _replaying(known, place),
            "calls",
        )


def _replaying(known: Knowledge, place: int) -> Act:
    def act(sight: Sight) -> Message:
        plans.tools(sight)
        plan: Lesson = first(known.plans[place:])
        return plan.reply(sight.turn)

    return act
