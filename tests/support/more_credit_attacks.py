"""More attacks on partial credit: documents, offices and archives. See `credit_attacks`."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator
from typing import Any

from blind_policies import BLIND, Blind, prompt_of, say
from credit_attacks import (
    any_calls,
    deleting,
    every_plot,
    every_update,
    first_right_step,
    making,
    right_step_forever,
)

from textgym.envs.office.requests import OFFICE_SLOTS
from textgym.envs.office.requests.details import DETAILS
from textgym.envs.structured_output.answers import invent
from textgym.messages import Message, assistant_calls, text_of

KNOWING: dict[str, Blind] = {
    "the oracle's first step": first_right_step,
    "the oracle's first step forever": right_step_forever,
}

# Documents.

Fill = Callable[[random.Random, dict[str, Any], list[str]], Any]


def filled(fill: Fill, items: int = 2) -> Blind:
    """Write a document with all properties of the schema, whose values a function chooses."""

    def write(env: Any, rng: random.Random, conversation: list[Message]) -> Message:
        schema, text = env.task.schema, env.task.row["text"]

        def value_of(part: dict[str, Any]) -> Any:
            if "$ref" in part:
                part = schema["$defs"][part["$ref"].rpartition("/")[2]]
            if "oneOf" in part:
                part = part["oneOf"][0]
            if "properties" in part:
                return {name: value_of(inner) for name, inner in part["properties"].items()}
            if part.get("type") == "array":
                return [value_of(part["items"]) for _ in range(items)]
            return fill(rng, part, words_in(text, part))

        return env._message(value_of(schema))

    return write


def words_in(text: str, schema: dict[str, Any]) -> list[str]:
    """Return what a value may be, as the text has it: names and codes, or numbers."""
    if schema.get("type") in ("integer", "number"):
        return re.findall(r"\d+(?:\.\d+)?", text) or ["1"]
    pattern = r"[A-Z]+-\d+|\d{3,}|[A-Z]\w+(?: [A-Z]\w+)*"
    return list(dict.fromkeys(re.findall(pattern, text))) or ["unknown"]


def first_choice(rng: random.Random, schema: dict[str, Any], words: list[str]) -> Any:
    """Return what the schema itself suggests: a constant, the first of an enum, null, or zero."""
    kind = schema.get("type", "string")
    if "const" in schema or "enum" in schema:
        return schema.get("const", *schema.get("enum", ())[:1])
    if isinstance(kind, list):
        return None
    simple = {"integer": schema.get("minimum", 0), "number": schema.get("minimum", 0)}
    return {**simple, "boolean": False, "string": ""}[kind]


def any_choice(rng: random.Random, schema: dict[str, Any], words: list[str]) -> Any:
    """Return a random value that fits the schema."""
    return invent(rng, schema)


def some_words(choose: Callable[[random.Random, list[str]], str]) -> Fill:
    """Return the function that fills strings and numbers with words of the text."""

    def fill(rng: random.Random, schema: dict[str, Any], words: list[str]) -> Any:
        kind = schema.get("type", "string")
        if kind == "string" and "enum" not in schema:
            return choose(rng, words)
        if kind in ("integer", "number"):
            number = float(choose(rng, words))
            return int(number) if kind == "integer" else number
        return first_choice(rng, schema, words)

    return fill


def taken_in_order() -> Blind:
    """Fill the document with the words of the text, in their order."""
    seen: dict[str, Iterator[str]] = {}

    def choose(rng: random.Random, words: list[str]) -> str:
        rest = seen.setdefault(" ".join(words), iter(words))
        return next(rest, words[-1])

    write = filled(some_words(choose))

    def act(env: Any, rng: random.Random, conversation: list[Message]) -> Message | str:
        seen.clear()
        return write(env, rng, conversation)

    return act


def one_word(env: Any, rng: random.Random, conversation: list[Message]) -> Message:
    """Write only the first property that is a string, with the first name in the text."""
    properties = env.task.schema.get("properties") or env.task.schema["items"]["properties"]
    name = next((n for n, part in properties.items() if part.get("type") == "string"), "name")
    value = {name: words_in(env.task.row["text"], {})[0]}
    return env._message(value if "properties" in env.task.schema else [value])


# Archives.

_OPENED = re.compile(r"^(D-\d{4}): ", re.MULTILINE)
_NAME = re.compile(r"[A-Z]\w+(?: [A-Z]\w+)+|(?<=[a-z,] )[A-Z]\w+")


def names_in(text: str) -> list[str]:
    """Return the names in a question or a document."""
    return list(dict.fromkeys(_NAME.findall(text)))


def wandering(
    hops: int,
    follow: Callable[[random.Random, list[str]], list[str]],
    answer: Callable[[random.Random, list[str]], str],
) -> Blind:
    """Open the first result for a name in the question, then some names in what was opened."""

    def act(env: Any, rng: random.Random, said: list[Message]) -> Message | str:
        question = str(said[1]["content"])
        results = [str(item["content"]) for item in said if item["role"] == "tool"]
        opened = [text for text in results if _OPENED.match(text)]
        known = [text for text in names_in("\n".join(opened)) if text not in question]
        if env.turn == 2 * hops:
            name = answer(rng, known or ["unknown"])
            ids = sorted({_OPENED.findall(text)[0] for text in opened})
            return f"Answer: {name}\nSources: {', '.join(ids)}"
        if env.turn % 2:  # open the first result of each search
            count = len(next(m for m in reversed(said) if m["role"] == "assistant")["tool_calls"])
            hits = [_OPENED.findall(text)[:1] for text in results[-count:]]
            ids = list(dict.fromkeys(hit[0] for hit in hits if hit))
            return assistant_calls(*(("open", {"id": id}) for id in ids or ["D-0001"]))
        names = follow(rng, known) if env.turn else names_in(question)[:1] or [question]
        return assistant_calls(*(("search", {"query": name}) for name in names[:64] or ["town"]))

    return act


def one_of(rng: random.Random, names: list[str]) -> list[str]:
    """Choose one of the names."""
    return [rng.choice(names)] if names else []


def open_ids(first: int, last: int) -> Blind:
    """Open all documents with some numbers, 64 at a time."""
    return making(
        lambda env, rng, prompt: [("open", {"id": f"D-{n:04d}"}) for n in range(first, last)],
        end="Answer: unknown\nSources: D-0001",
    )


def open_all(env: Any, rng: random.Random, prompt: str) -> list[Any]:
    """Open the documents of the archive, as if their ids were known."""
    return [("open", {"id": id}) for id in env.archive.documents]


def unread(rng: random.Random, names: list[str]) -> str:
    """Answer that no document states it."""
    return "unknown"


WANDERING: dict[str, Blind] = {
    f"opens {hops}, follows {follow}, answers {answer}": wandering(hops, choose, state)
    for hops in (1, 2, 3)
    for follow, choose in (("one name", one_of), ("all names", lambda rng, names: names))
    for answer, state in (("unknown", unread), ("a name", random.Random.choice))
    if hops > 1 or follow == "one name"
}


# Offices.

_DETAILS = [OFFICE_SLOTS[slot].label for slot in DETAILS]
CANNOT = "I am sorry, this cannot be done. Nothing was changed."


def asks_first(*questions: str, end: str = "It is done.", then: Blind | None = None) -> Blind:
    """Ask some questions, one a message, then act like another policy, or end."""

    def act(env: Any, rng: random.Random, said: list[Message]) -> Message | str:
        if env.turn < len(questions):
            return questions[env.turn]
        return end if then is None else then(_Later(env, len(questions)), rng, said)

    return act


class _Later:
    """An environment whose turns are counted from a later one on."""

    def __init__(self, env: Any, turns: int) -> None:
        self._env, self.turn, self.max_turns = env, env.turn - turns, env.max_turns - turns

    def __getattr__(self, name: str) -> Any:
        return getattr(self._env, name)


DOING: dict[str, Blind] = {
    "any call": making(any_calls(1)),
    "five calls": making(any_calls(5)),
    "fifty calls": making(any_calls(50)),
    "fifty calls, and denies them": making(any_calls(50), end=CANNOT),
    "deletes the likeliest row of each table": making(deleting(1)),
    "deletes all likely rows": making(deleting(10**6)),
    "every plot": making(every_plot),
    "every update": making(every_update),
}
ASKING: dict[str, Blind] = {
    **{f"asks for {label}": asks_first(f"What is {label}?") for label in _DETAILS},
    "asks for everything": asks_first(f"Could you please tell me {', '.join(_DETAILS)}?"),
    "asks for everything, one by one": asks_first(*(f"What is {label}?" for label in _DETAILS)),
    "asks who and when": asks_first("Who, and when?"),
    "asks forever": asks_first(*["When?"] * 30),
    "asks, acts": asks_first("When is it?", then=making(any_calls(1))),
    "asks, denies": asks_first("When is it?", end=CANNOT),
}


# A desk.

_CUSTOMER = re.compile(r'"customer_id": "(\d+)"')
_BOOKING = re.compile(r'"booking_id": "(\d+)", "customer_id"')


def exploring(
    depth: int, most: int, end: Callable[[list[Message]], list[Any]] | None = None
) -> Blind:
    """Look up the people that the request names, all that they have, and all about it."""

    def act(env: Any, rng: random.Random, said: list[Message]) -> Message | str:
        text = "\n".join(str(item["content"]) for item in said)
        calls: list[Any] = []
        if env.turn == 0:
            names = re.findall(r"\b[A-Z][a-z]+ [A-Z][a-z]+", prompt_of(said).rpartition("\n\n")[2])
            calls = [("find_customers", {"name": name}) for name in names]
        elif env.turn == 1 and depth > 1:
            ids = list(dict.fromkeys(_CUSTOMER.findall(text)))
            tools = ("list_bookings", "list_orders")
            calls = [(tool, {"customer_id": id}) for id in ids for tool in tools]
        elif env.turn == 2 and depth > 2:
            ids = list(dict.fromkeys(_BOOKING.findall(text)))
            calls = [("get_booking", {"booking_id": id}) for id in ids]
        elif env.turn == depth and end is not None:
            calls = end(said)
        return assistant_calls(*calls[:most]) if calls else "It is done."

    return act


def cancel_something(said: list[Message]) -> list[Any]:
    """Cancel a booking that was seen, with a full refund."""
    seen = [json.loads(text_of(item)) for item in said if text_of(item).startswith('{"booking_id"')]
    return [
        ("cancel_booking", {k: row[k] for k in ("booking_id", "version")} | {"refund": row["paid"]})
        for row in seen[-1:]
    ]


MORE_ATTACKS: dict[str, dict[str, Blind]] = {
    "textgym/AskFirst-v0": {
        "silence": say(""),
        **KNOWING,
        **BLIND["textgym/AskFirst-v0"],
        **ASKING,
        **DOING,
    },
    "textgym/Contingency-v0": {
        "silence": say(""),
        **KNOWING,
        **BLIND["textgym/Contingency-v0"],
        "looks up people": exploring(1, 64),
        "looks up people, and what one of them has": exploring(2, 1),
        "looks up people, and what they have": exploring(2, 64),
        "looks up a person, and the bookings": exploring(3, 2),
        "looks up everything": exploring(3, 64),
        "looks up everything, and cancels the last booking": exploring(3, 64, cancel_something),
    },
    "textgym/MultiIntent-v0": {
        "silence": say(""),
        **KNOWING,
        **BLIND["textgym/MultiIntent-v0"],
        "asks forever": say("Which of these comes first?"),
        **DOING,
    },
    "textgym/Search-v0": {
        "silence": say(""),
        **KNOWING,
        **BLIND["textgym/Search-v0"],
        "opens numbers in order": open_ids(1, 1280),
        "opens everything": making(open_all, end="Answer: unknown\nSources: D-0001"),
        **WANDERING,
    },
    "textgym/StructuredOutput-v0": {
        "silence": say(""),
        **KNOWING,
        **BLIND["textgym/StructuredOutput-v0"],
        "the schema's own values": filled(first_choice),
        "no items": filled(first_choice, items=0),
        "random values of the schema": filled(any_choice),
        "random words of the text": filled(some_words(lambda rng, words: rng.choice(words))),
        "the first word of the text": filled(some_words(lambda rng, words: words[0])),
        "the words of the text in order": taken_in_order(),
        "one word": one_word,
        "the prompt as a document": lambda env, rng, said: env._message({"text": prompt_of(said)}),
    },
}
