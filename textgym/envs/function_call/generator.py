"""Requests with the tools that are offered and the calls that are right.

A request has parts. A part is an action on a thing with the values of its arguments. It has a tool
that fits, and tools that nearly fit: for another thing, for another action, without an argument
that the request states, or with a limit below its value. Where no tool fits, the ones that do are
left out.

Invariants: only the tool of a part fits it, by its description and its schema; the names of tools
do not show which fit; an optional argument that a part does not state is accepted only as omitted
or as its default.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import Any

from textgym.envs.function_call.actions import ACTIONS, NESTED, Action, Argument
from textgym.envs.function_call.values import Value, draws, referring_day
from textgym.envs.generation import Unfit, choice, randint, redrawn, sample
from textgym.json_values import copy_json

__all__ = ["NONE_SHARE", "REFUSAL", "RULES", "draw_row"]

TOOLS = {1: 2, 2: 4, 3: 5, 4: 7, 5: 9}  # by level
PARTS = {1: 1, 2: 1, 3: 2, 4: 3, 5: 4}
NONE_SHARE = 0.12  # of the tasks of levels 2 to 5
RULES = """\
You have tools. Answer the request with all calls that it needs, in one message. Use a tool only \
if it does what is asked with all values that are stated. Do not give optional arguments that the \
request does not state. If no tool can do what is asked, answer `no tool fits` without a call."""
REFUSAL = "no tool fits"
_ORDINALS = ("First", "Second", "Third", "Fourth")
_ENDINGS = ("", "", "_v2", "_service", "_now", "_direct", "_request")
_SCHEMAS: dict[str, dict[str, Any]] = {
    **{kind: {"type": "integer"} for kind in ("few", "many")},
    **{kind: {"type": "number"} for kind in ("money", "degrees", "kilometres", "kilograms")},
    "goods": {"type": "array", "items": {"type": "string"}},
    "address": {
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "street": {"type": "string"},
            "number": {"type": "integer"},
            "city": {"type": "string"},
        },
        "required": ["name", "street", "number", "city"],
    },
}
_SEND = next(action for action in ACTIONS if action.verb == "send")
_FIRST_RULE = "Answer with one tool call."
_LIMITED = ("few", "many")  # kinds of arguments that tools can limit


@dataclass(frozen=True)
class Part:
    """A part of a request.

    Attributes:
        action: The action.
        thing: The thing.
        stated: The values that the part states, by argument.
    """

    action: Action
    thing: str
    stated: dict[str, Value]


@redrawn
def draw_row(rng: random.Random, level: int) -> dict[str, Any]:
    """Return a row of a level: the request, the tools and the calls."""
    if level == 0:
        return _first_row(rng)
    parts = _draw_parts(rng, level)
    fits = level == 1 or rng.random() >= NONE_SHARE
    tools, names = _draw_tools(rng, parts, TOOLS[level], fits)
    calls = [{names[_key(part)]: _accepted(part)} for part in parts] if fits else []
    return {
        "question": [
            {"role": "system", "content": RULES},
            {"role": "user", "content": _request(rng, parts)},
        ],
        "function": tools,
        "ground_truth": calls,
        "refusal": REFUSAL,
    }


def _first_row(rng: random.Random) -> dict[str, Any]:
    """Return a row of level 0: all tasks have the same tools, which need only a recipient."""
    action = replace(_SEND, arguments=_SEND.arguments[:1])
    (argument,) = action.arguments
    part = Part(action, choice(rng, action.things), {argument.name: draws[argument.kind](rng)})
    tools = {
        thing: {**_tool(rng, action.verb, thing, (argument,), {}, set()), "name": f"send_{thing}"}
        for thing in action.things
    }
    return {
        "question": [{"role": "user", "content": f"{_request(rng, [part])} {_FIRST_RULE}"}],
        "function": sample(rng, tools.values(), len(tools)),
        "ground_truth": [{tools[part.thing]["name"]: _accepted(part)}],
    }


def _draw_parts(rng: random.Random, level: int) -> list[Part]:
    nested = randint(rng, 0, PARTS[level] - 1) if level >= 4 else -1
    parts: list[Part] = []
    for place in range(PARTS[level]):
        if place != nested and parts and rng.random() < 0.5:
            action, thing = parts[-1].action, parts[-1].thing
        else:
            action = choice(rng, NESTED if place == nested else ACTIONS)
            thing = choice(rng, action.things)
        parts.append(Part(action, thing, _draw_values(rng, level, action, parts)))
    if level == 5 and not any(value.refers for part in parts for value in part.stated.values()):
        raise Unfit
    written = [(part.action.verb, part.thing, _accepted(part)) for part in parts]
    if any(one in written[:place] for place, one in enumerate(written)):
        raise Unfit  # the same call twice
    return parts


def _draw_values(
    rng: random.Random, level: int, action: Action, earlier: list[Part]
) -> dict[str, Value]:
    stated = {}
    for argument in action.arguments:
        if argument.default is None:
            value = draws[argument.kind](rng)
            if level == 5 and earlier and rng.random() < 0.8:
                value = _referring(rng, argument, earlier) or value
            stated[argument.name] = value
        elif level > 1 and rng.random() < 0.4:
            others = [option for option in argument.options if option != argument.default]
            stated[argument.name] = _optional(choice(rng, others) if others else True)
    cities = [value.text for name, value in stated.items() if name in ("origin", "destination")]
    if len(set(cities)) < len(cities):
        raise Unfit
    return stated


def _optional(value: Any) -> Value:
    return Value("" if value is True else str(value), (value,))


def _referring(rng: random.Random, argument: Argument, earlier: list[Part]) -> Value | None:
    """Return a value that refers to a date of an earlier part; None if there is none."""
    places = [place for place, part in enumerate(earlier) if "date" in part.stated]
    if argument.kind != "day" or not places:
        return None
    place = choice(rng, places)
    part = f"the {_ORDINALS[place].lower()} part"
    return referring_day(rng, earlier[place].stated["date"], part)


def _accepted(part: Part) -> dict[str, list[Any]]:
    """Return the accepted values of the arguments of a part's tool."""
    return {
        argument.name: list(part.stated[argument.name].accepted)
        if argument.name in part.stated
        else ["", argument.default]
        for argument in part.action.arguments
    }


def _request(rng: random.Random, parts: list[Part]) -> str:
    sentences = []
    for part in parts:
        clauses = [
            choice(rng, argument.phrases).format(part.stated[argument.name].text)
            for argument in part.action.arguments
            if argument.name in part.stated
        ]
        opening = choice(rng, part.action.openings).format(part.thing)
        opening = _with_article(opening, part.thing)
        sentences.append(" ".join([opening, *sample(rng, clauses, len(clauses))]) + ".")
    if len(parts) == 1:
        return sentences[0]
    return "\n".join(f"{_ORDINALS[place]} part: {text}" for place, text in enumerate(sentences))


def _with_article(text: str, thing: str) -> str:
    return text.replace(f" a {thing}", f" an {thing}") if thing[0] in "aeiou" else text


def _key(part: Part) -> tuple[str, str]:
    return part.action.verb, part.thing


def _draw_tools(
    rng: random.Random, parts: list[Part], count: int, fits: bool
) -> tuple[list[dict[str, Any]], dict[tuple[str, str], str]]:
    """Return the tools in random order, and the names of those that fit, by part.

    Raises:
        Unfit: More tools would be needed.
    """
    names: dict[tuple[str, str], str] = {}
    tools: list[dict[str, Any]] = []
    taken: set[str] = set()
    for part in parts:
        if fits and _key(part) not in names:
            together = [other for other in parts if _key(other) == _key(part)]
            tool = _fitting(rng, part, together, taken)
            names[_key(part)] = tool["name"]
            tools.append(tool)
    if len(tools) >= count:
        raise Unfit
    while len(tools) < count:
        tools.append(_nearly_fitting(rng, choice(rng, parts), parts, taken))
    return sample(rng, tools, len(tools)), names


def _fitting(
    rng: random.Random, part: Part, together: list[Part], taken: set[str]
) -> dict[str, Any]:
    """Return the tool of a part, sometimes with a limit that its values do not reach."""
    limits = {}
    argument = _limited(rng, part.action)
    if argument is not None and rng.random() < 0.4:
        highest = max(int(other.stated[argument.name].accepted[0]) for other in together)
        limits[argument.name] = highest + randint(rng, 0, 5)
    return _tool(rng, part.action.verb, part.thing, part.action.arguments, limits, taken)


def _nearly_fitting(
    rng: random.Random, part: Part, parts: list[Part], taken: set[str]
) -> dict[str, Any]:
    """Return a tool that fits no part."""
    action, thing, verb = part.action, part.thing, part.action.verb
    arguments, limits = action.arguments, dict[str, int]()
    reason = choice(rng, ("thing", "verb", "missing", "limit"))
    argument = _limited(rng, action)
    if reason == "limit" and argument is not None:
        together = [other for other in parts if _key(other) == _key(part)]
        lowest = min(int(other.stated[argument.name].accepted[0]) for other in together)
        limits[argument.name] = lowest - randint(rng, 1, max(1, min(lowest - 1, 9)))
    elif reason == "missing":
        required = [argument for argument in arguments if argument.default is None]
        left_out = choice(rng, required)
        arguments = tuple(argument for argument in arguments if argument is not left_out)
    elif reason == "verb":
        verb = choice(rng, action.others)
    else:
        wanted = {_key(other) for other in parts}
        others = [other for other in action.things if (verb, other) not in wanted]
        if not others:
            raise Unfit
        thing = choice(rng, others)
    return _tool(rng, verb, thing, arguments, limits, taken)


def _limited(rng: random.Random, action: Action) -> Argument | None:
    limited = [argument for argument in action.arguments if argument.kind in _LIMITED]
    return choice(rng, limited) if limited else None


def _tool(
    rng: random.Random,
    verb: str,
    thing: str,
    arguments: tuple[Argument, ...],
    limits: dict[str, int],
    taken: set[str],
) -> dict[str, Any]:
    """Return a tool with a name that no other tool has."""
    words = thing.replace(" ", "_")
    names = [
        name
        for ending in _ENDINGS
        for name in (f"{verb}_{words}{ending}", f"{words}_{verb}{ending}")
        if name not in taken
    ]
    if not names:
        raise Unfit
    name = choice(rng, names)
    taken.add(name)
    properties = {argument.name: _schema(argument, limits) for argument in arguments}
    needed = [argument.name for argument in arguments if argument.default is None]
    parameters = {"type": "object", "properties": properties, "required": needed}
    about = _with_article(f"{verb.capitalize()} a {thing}.", thing)
    return {"name": name, "description": about, "parameters": parameters}


def _schema(argument: Argument, limits: dict[str, int]) -> dict[str, Any]:
    about = argument.about
    if argument.name in limits:
        limit = limits[argument.name]
        about = f"{about} At most {limit}."
        return {**copy_json(_SCHEMAS[argument.kind]), "description": about, "maximum": limit}
    if argument.default is None:
        schema = copy_json(_SCHEMAS.get(argument.kind, {"type": "string"}))
        return {**schema, "description": about}
    if argument.options:
        choices = {"type": "string", "enum": list(argument.options)}
        return {**choices, "description": about, "default": argument.default}
    return {"type": "boolean", "description": about, "default": argument.default}
