"""Attacks on partial credit: policies that do everything, anything or the same again and again.

`ATTACKS` holds them for every environment with the argument `partial_credit`, beside the policies
of `blind_policies`. `first_right_step` and `right_step_forever` know the answer, and show what one
right step is worth.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

from blind_policies import BLIND, Blind, prompt_of, say

from textgym.core.text_env import TextEnv
from textgym.messages import Message, assistant_calls

Call = tuple[str, dict[str, Any]]
Plan = Callable[[TextEnv[Any], random.Random, str], list[Call]]


def making(plan: Plan, size: int = 64, end: str = "Done.") -> Blind:
    """Make all calls of a plan that fit into the episode, `size` to a message, then end."""
    calls: list[Call] = []

    def act(env: TextEnv[Any], rng: random.Random, conversation: list[Message]) -> Message | str:
        if env.turn == 0:
            calls[:] = plan(env, rng, prompt_of(conversation))
        left = calls[size * env.turn : size * (env.turn + 1)]
        return assistant_calls(*left) if left and env.turn < env.max_turns - 1 else end

    return act


def first_right_step(env: TextEnv[Any], rng: random.Random, conversation: list[Message]) -> Any:
    """Take the oracle's first step, then end."""
    return "Done." if env.turn else env.solve()


def right_step_forever(env: TextEnv[Any], rng: random.Random, conversation: list[Message]) -> Any:
    """Take the oracle's first step until the episode is cut."""
    first = next((item for item in conversation if item["role"] == "assistant"), None)
    return env.solve() if first is None else assistant_calls(*calls_of(first))


def calls_of(message: Message) -> Iterator[Call]:
    """Yield the calls of a message; none if it is an answer."""
    for call in message.get("tool_calls") or ():
        yield call["function"]["name"], json.loads(call["function"]["arguments"])


# Synonyms.


def words_of(prompt: str) -> list[str]:
    return list(dict.fromkeys(word.capitalize() for word in re.findall(r"[A-Za-z]+", prompt)))


def pairs_of(prompt: str) -> list[tuple[str, str]]:
    return re.findall(r"the term '(.+?)' has the synonym '(.+?)'", prompt)


def look_up(words: list[str]) -> list[Call]:
    return [("get_synonym_value", {"synonym": word}) for word in words]


def submit(words: list[str]) -> list[Call]:
    values = [sum(map(ord, word)) for word in words]
    return [("extract_synonym_values", {"synonym_values": values})]


def listed(env: TextEnv[Any], rng: random.Random, prompt: str) -> list[str]:
    return [synonym for _, synonym in pairs_of(prompt)]


def one_group(env: TextEnv[Any], rng: random.Random, prompt: str) -> list[str]:
    pairs = pairs_of(prompt)
    chosen = rng.choice(pairs)[0]
    return [synonym for term, synonym in pairs if term == chosen]


def one_synonym(env: TextEnv[Any], rng: random.Random, prompt: str) -> list[str]:
    return [rng.choice(pairs_of(prompt))[1]]


def named_in_the_question(env: TextEnv[Any], rng: random.Random, prompt: str) -> list[str]:
    question = words_of(prompt.rpartition("\n")[2])
    return [word for word in listed(env, rng, prompt) if word in question]


Words = Callable[[TextEnv[Any], random.Random, str], list[str]]


def looking_up(choose: Words) -> Plan:
    return lambda env, rng, prompt: look_up(choose(env, rng, prompt))


def submitting(choose: Words) -> Plan:
    return lambda env, rng, prompt: submit(choose(env, rng, prompt))


def both(choose: Words, handed_in: Words) -> Plan:
    return lambda env, rng, prompt: [
        *look_up(choose(env, rng, prompt)),
        *submit(handed_in(env, rng, prompt)),
    ]


# The counter.


def numbers_of(prompt: str) -> list[int]:
    return [int(digits) for digits in re.findall(r"\d+", prompt)]


def add(*numbers: int) -> list[Call]:
    return [("increment_counter", {"count": number}) for number in numbers]


def adding(choose: Callable[[list[int]], list[int]]) -> Plan:
    return lambda env, rng, prompt: add(*choose(numbers_of(prompt) or [1]))


# The weather.


def ask(*cities: str) -> list[Call]:
    return [("get_weather", {"city": city}) for city in cities]


def capitalised(prompt: str) -> list[str]:
    return re.findall(r"\b[A-Z][a-z]+(?: [A-Z][a-z]+)*", prompt)


# Databases.

CHANGING = (
    "email_send_email", "email_delete_email", "email_forward_email", "email_reply_email",
    "calendar_create_event", "calendar_delete_event", "calendar_update_event",
    "analytics_create_plot", "project_management_create_task", "project_management_delete_task",
    "project_management_update_task", "customer_relationship_manager_update_customer",
    "customer_relationship_manager_add_customer", "customer_relationship_manager_delete_customer",
)  # fmt: skip
IDS = {"emails": "email_id", "calendar_events": "event_id", "project_tasks": "task_id",
       "customers": "customer_id"}  # fmt: skip
DELETING = {
    "emails": "email_delete_email",
    "calendar_events": "calendar_delete_event",
    "project_tasks": "project_management_delete_task",
    "customers": "customer_relationship_manager_delete_customer",
}
SOME_VALUES = (
    "Completed", "In Review", "In Progress", "Backlog", "Won", "Lost", "Lead", "Qualified",
    "status", "list_name", "board", "due_date", "assigned_to_email", "event_start", "duration",
    "participant_email", "total_visits", "bar", "line", "pie", "30", "60",
)  # fmt: skip


def candidates_of(prompt: str) -> list[str]:
    """Return what is quoted, capitalised, a number, a date or an address in the prompt."""
    found = re.findall(r"'([^']+)'|(\S+@\S+\w)|(\d[\d:-]*)", prompt)
    return [text for group in found for text in group if text] + capitalised(prompt)


def related(env: Any, prompt: str, table: str) -> list[str]:
    """Return the ids of rows that contain a word of the prompt, first those with most of them."""
    words = {word.lower() for word in candidates_of(prompt) if len(word) > 3}
    rows = [(" ".join(filter(None, row.values())).lower(), row) for row in env.table(table)]
    ranked = sorted(rows, key=lambda pair: -sum(word in pair[0] for word in words))
    hits = [row for text, row in ranked if any(word in text for word in words)]
    return [str(row[IDS[table]]) for row in hits]


def any_calls(count: int) -> Plan:
    """Call changing tools with values of the prompt, and ids of rows that it may be about."""

    def plan(env: TextEnv[Any], rng: random.Random, prompt: str) -> list[Call]:
        ids = {id: related(env, prompt, table)[:3] for table, id in IDS.items()}
        values = [*candidates_of(prompt), *SOME_VALUES]
        return [
            (name, {each: rng.choice(ids.get(each) or values) for each in arguments_of(env, name)})
            for name in rng.choices(CHANGING, k=count)
        ]

    return plan


def arguments_of(env: TextEnv[Any], name: str) -> list[str]:
    schemas = {item["function"]["name"]: item["function"] for item in env.toolbox().schemas()}
    return list(schemas[name]["parameters"]["properties"])


def deleting(most: int) -> Plan:
    """Delete rows that the prompt may be about, or all."""

    def plan(env: Any, rng: random.Random, prompt: str) -> list[Call]:
        return [
            (tool, {IDS[table]: id})
            for table, tool in DELETING.items()
            for id in related(env, prompt, table)[:most]
        ]

    return plan


def every_plot(env: TextEnv[Any], rng: random.Random, prompt: str) -> list[Call]:
    dates = re.findall(r"\d{4}-\d\d-\d\d", prompt) or ["2023-11-01"]
    kinds = ("total_visits", "session_duration_seconds", "user_engaged", "direct", "referral",
             "search engine", "social media")  # fmt: skip
    return [
        ("analytics_create_plot",
         {"time_min": one, "time_max": two, "value_to_plot": kind, "plot_type": shape})
        for one, two, kind, shape in product(
            dates, dates, kinds, ("bar", "line", "scatter", "histogram")
        )
    ]  # fmt: skip


def every_update(env: Any, rng: random.Random, prompt: str) -> list[Call]:
    """Set what the prompt names, or a list or status, in all rows it may be about."""
    values = [*candidates_of(prompt)[:10], "Completed", "In Progress", "Won", "Lost"]
    tables = {
        "project_tasks": ("project_management_update_task", ("list_name", "assigned_to_email")),
        "customers": ("customer_relationship_manager_update_customer", ("status",)),
        "calendar_events": ("calendar_update_event", ("event_start", "duration")),
    }
    return [
        (tool, {IDS[table]: id, "field": field, "new_value": value})
        for table, (tool, fields) in tables.items()
        for id in related(env, prompt, table)[:5]
        for field in fields
        for value in values
    ]


def undone(plan: Plan) -> Plan:
    """Do everything and undo it, for plans of increments."""

    def act(env: TextEnv[Any], rng: random.Random, prompt: str) -> list[Call]:
        calls = plan(env, rng, prompt)
        back = [(name, {"count": -arguments["count"]}) for name, arguments in reversed(calls)]
        return [*calls, *back] * 3

    return act


_KNOWING = {
    "the oracle's first step": first_right_step,
    "the oracle's first step forever": right_step_forever,
}
ATTACKS: dict[str, dict[str, Blind]] = {
    "textgym/FunctionCall-v0": {
        "silence": say(""),
        **_KNOWING,
        **BLIND["textgym/FunctionCall-v0"],
        "every tool without arguments": lambda env, rng, conversation: assistant_calls(
            *((tool["function"]["name"], {}) for tool in env.task.tools)
        ),
    },
    "textgym/MultiStep-v0": {
        "silence": say(""),
        **_KNOWING,
        **BLIND["textgym/MultiStep-v0"],
        "look up the list": making(looking_up(listed)),
        "look up the list, one a step": making(looking_up(listed), size=1),
        "look up all words of the prompt": making(
            looking_up(lambda env, rng, prompt: words_of(prompt))
        ),
        "look up a group": making(looking_up(one_group)),
        "look up a synonym": making(looking_up(one_synonym)),
        "look up the word of the question": making(looking_up(named_in_the_question)),
        "look up and submit the word of the question": making(
            both(named_in_the_question, named_in_the_question)
        ),
        "submit a synonym": making(submitting(one_synonym)),
        "look up and submit the list": making(both(listed, listed)),
        "look up the list, submit a group": making(both(listed, one_group)),
        "look up and submit a group": making(both(one_group, one_group)),
    },
    "textgym/SessionState-v0": {
        "silence": say(""),
        **_KNOWING,
        **BLIND["textgym/SessionState-v0"],
        "add the first number": making(adding(lambda numbers: numbers[:1])),
        "add the first number forever": making(adding(lambda numbers: numbers[:1] * 19), size=1),
        "take the first number away": making(adding(lambda numbers: [-numbers[0]])),
        "add the last number": making(adding(lambda numbers: numbers[-1:])),
        "add all but the last number": making(adding(lambda numbers: numbers[:-1])),
        "add one forever": making(adding(lambda numbers: [1] * 19), size=1),
        "add and undo all numbers": making(undone(adding(lambda numbers: numbers)), size=1),
    },
    "textgym/SingleToolCall-v0": {
        "silence": say(""),
        **_KNOWING,
        **BLIND["textgym/SingleToolCall-v0"],
        "another city": making(lambda env, rng, prompt: ask("Atlantis")),
        "every capitalised word": making(
            lambda env, rng, prompt: ask(*capitalised(prompt.removeprefix("What ")))
        ),
        "every word": making(lambda env, rng, prompt: ask(*words_of(prompt))),
    },
    "textgym/WorkplaceAssistant-v0": {
        "silence": say(""),
        **_KNOWING,
        **BLIND["textgym/WorkplaceAssistant-v0"],
        "any call": making(any_calls(1)),
        "five calls": making(any_calls(5)),
        "fifty calls": making(any_calls(50)),
        "delete the likeliest row of each table": making(deleting(1)),
        "delete all likely rows": making(deleting(10**6)),
        "every plot": making(every_plot),
        "every update": making(every_update),
    },
}
