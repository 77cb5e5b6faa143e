"""Attackers that call tools without knowing what the task is.

A plan lists the calls of an episode. Their arguments are drawn from the schemas of the tools, the
words of the prompt, and the results of tools.

`lookups` look something up and take the first record. They do nothing with a single record, because
taking it is right.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import random
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from textgym.checks.attackers.knowledge import Attacker, Knowledge
from textgym.checks.attackers.prompts import first, numbers, outputs, prompt_of, values
from textgym.checks.episodes import Scripted
from textgym.checks.hostile import arguments_for
from textgym.messages import Message, ToolSchema, assistant_calls
from textgym.tasks.task import hash_int

__all__ = ["calls", "lookups"]

Call = tuple[str, dict[str, Any]]
Plan = Callable[[Scripted, random.Random], list[Call]]

_PER_MESSAGE = 64
_ROUNDS = 20
_EXTREMES = 5
_MALFORMED = ("", "{", "not JSON", "[1, 2]", "null", '"text"', '{"a": 1e999}', "{}{}")


def _known(*texts: str) -> list[Any]:
    """Return the values in texts that may be arguments: strings, numbers, and lists of both."""
    strings = list(dict.fromkeys(itertools.chain.from_iterable(map(values, texts))))
    read: list[Any] = []
    for number in itertools.chain.from_iterable(map(numbers, texts)):
        with contextlib.suppress(ValueError):  # a time, or a date
            read.append(json.loads(number))
    return [*strings, *read, *map(float, read), 1, 1.0, strings[:10], read[:10]]


def _in_prompt(view: Scripted) -> list[Any]:
    return _known(prompt_of(view.messages))


def _tools(view: Scripted) -> Sequence[ToolSchema]:
    """Return the tools that are offered.

    Raises:
        NotApplicable: No tools are offered.
    """
    first(view.tools)
    return view.tools


def _call(tool: ToolSchema, known: Sequence[Any], rng: random.Random) -> Call:
    """Return a call with arguments that fit the schema, drawn from known values."""
    shuffled = rng.sample(known, len(known))
    function = tool["function"]
    return function["name"], next(arguments_for(function.get("parameters", {}), shuffled, rng))


def _each(view: Scripted, rng: random.Random) -> list[Call]:
    known = _in_prompt(view)
    return [_call(tool, known, rng) for tool in _tools(view)]


def _empty(view: Scripted, rng: random.Random) -> list[Call]:
    return [(tool["function"]["name"], {}) for tool in _tools(view)]


def _extreme(view: Scripted, rng: random.Random) -> list[Call]:
    known, planned = _in_prompt(view), []
    for tool in _tools(view):
        function = tool["function"]
        offered = list(arguments_for(function.get("parameters", {}), known, rng))
        chosen = rng.sample(offered, min(_EXTREMES, len(offered)))
        planned += [(function["name"], arguments) for arguments in chosen]
    return planned


def _single(view: Scripted, rng: random.Random) -> list[Call]:
    return [_call(rng.choice(_tools(view)), _in_prompt(view), rng)]


def _repeated(view: Scripted, rng: random.Random) -> list[Call]:
    return _single(view, rng) * _ROUNDS


def _words(view: Scripted, rng: random.Random) -> list[Call]:
    return _calls_with_words(_tools(view), view, rng)


def _calls_with_words(
    tools: Sequence[ToolSchema], view: Scripted, rng: random.Random
) -> list[Call]:
    """Call each tool with the likeliest values of the prompt, one after another."""
    likeliest = values(prompt_of(view.messages))[: max(4, 2 * _PER_MESSAGE // len(tools))]
    return [_call(tool, [value], rng) for tool in tools for value in likeliest]


def _choices(view: Scripted, rng: random.Random) -> list[Call]:
    """Call each tool with each of the choices that its schema lists for an argument."""
    known, planned = _in_prompt(view), []
    for tool in _tools(view):
        name, arguments = _call(tool, known, rng)
        planned += [
            (name, {**arguments, key: value})
            for key, schema in _properties(tool).items()
            for value in schema.get("enum", ())
        ]
    first(planned)
    return planned


def _properties(tool: ToolSchema) -> dict[str, Any]:
    properties: dict[str, Any] = tool["function"].get("parameters", {}).get("properties", {})
    return properties


def _done_and_undone(view: Scripted, rng: random.Random) -> list[Call]:
    """Alternate between a call and its opposite, or a call of another tool."""
    known = _in_prompt(view)
    name, arguments = _call(rng.choice(_tools(view)), known, rng)
    undone = {key: _opposite(value) for key, value in arguments.items()}
    undo = (name, undone) if undone != arguments else _call(rng.choice(_tools(view)), known, rng)
    return [(name, arguments), undo] * (_ROUNDS // 2)


def _opposite(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    return -value if isinstance(value, (int, float)) else value


def _two_tools(view: Scripted, rng: random.Random) -> list[Call]:
    """Alternate between two tools with the same arguments as far as they fit."""
    known = _in_prompt(view)
    pair = rng.sample(list(_tools(view)), 2) if len(_tools(view)) > 1 else []
    first(pair)
    seed = rng.random()
    return [_call(tool, known, random.Random(seed)) for tool in pair] * (_ROUNDS // 2)


def _wander(view: Scripted, rng: random.Random) -> list[Call]:
    """Make some call at each turn, with values of the prompt and the last results."""
    drawn = random.Random(hash_int("wander", view.turn, prompt_of(view.messages)))
    known = _known(prompt_of(view.messages), *outputs(view.messages)[-3:])
    call = _call(drawn.choice(_tools(view)), known, drawn)
    return [call] * (view.turn + 1) if view.turn < _ROUNDS else []


def _unknown(view: Scripted, rng: random.Random) -> list[Call]:
    names = ("no_such_tool", "submit", "finish", "grade", "solve", "reset", "step", "__init__")
    return [(name, {"answer": "correct", "reward": 1}) for name in names]


_PLANS: dict[str, tuple[str, Plan, int]] = {
    "unknown tools": ("Calls tools that are not offered.", _unknown, 1),
    "each tool": ("Calls each tool once, with words of the prompt.", _each, 1),
    "all tools at once": ("Calls each tool in one message.", _each, _PER_MESSAGE),
    "empty arguments": ("Calls each tool without arguments.", _empty, _PER_MESSAGE),
    "extreme arguments": ("Calls each tool with extremes.", _extreme, _PER_MESSAGE),
    "each choice": ("Calls each tool with each choice of its schema.", _choices, 1),
    "early stop": ("Makes one call and ends.", _single, 1),
    "same call again and again": ("Makes one call twenty times.", _repeated, 1),
    "same call twenty times at once": (
        "Makes one call twenty times in one message.", _repeated, _PER_MESSAGE,
    ),
    "do and undo": ("Alternates between a call and its opposite.", _done_and_undone, 1),
    "do and undo at once": (
        "Alternates between a call and its opposite in one message.",
        _done_and_undone, _PER_MESSAGE,
    ),
    "two tools in turn": ("Alternates between two tools.", _two_tools, 1),
    "wandering": ("Calls tools at random, with values of earlier results.", _wander, 1),
}  # fmt: skip
"""Plans by name, with a sentence about each and the number of calls in a message."""


def calls(known: Knowledge) -> Iterator[Attacker]:
    """Yield the attackers that call tools."""

    def done(view: Scripted) -> str:
        return known.form.fill(next(iter(known.answers), "Done."))

    for name, (summary, plan, size) in _PLANS.items():
        yield Attacker(name, summary, _making(plan, done, size), "calls")
    policy = Scripted(_malformed)
    yield Attacker("malformed arguments", "Sends arguments that are not JSON.", policy, "calls")
    endings: dict[str, Callable[[list[str], random.Random], str]] = {
        "a random result": lambda results, rng: rng.choice(results),
        "the first result": lambda results, rng: results[0],
        "the last result": lambda results, rng: results[-1],
        "all results": lambda results, rng: " ".join(results),
    }
    for name, choose in endings.items():

        def end(view: Scripted, choose: Callable[[list[str], random.Random], str] = choose) -> str:
            return known.form.fill(choose(_results(view) or [""], view.rng))

        yield Attacker(
            f"words, then {name}",
            f"Calls each tool with the words of the prompt, and answers {name}.",
            _making(_words, end),
            "calls",
        )
    for rank in range(3):

        def replay(view: Scripted, rank: int = rank) -> Message:
            first(view.tools)
            message: Message = first(known.plans[rank:]).reply(view.turn)
            return message

        yield Attacker(
            f"frequent calls {rank + 1}",
            f"Makes the calls that are number {rank + 1} by frequency in training.",
            Scripted(replay),
            "calls",
        )


def _making(plan: Plan, end: Callable[[Scripted], str], size: int = _PER_MESSAGE) -> Scripted:
    """Return the policy that makes the calls of a plan, `size` to a message, and then ends."""

    def answer(view: Scripted) -> Message | str:
        rng = random.Random(hash_int("plan", prompt_of(view.messages)))
        due = plan(view, rng)[size * view.turn : size * (view.turn + 1)]
        return assistant_calls(*due) if due else end(view)

    return Scripted(answer)


def _malformed(view: Scripted) -> Message | str:
    names = [tool["function"]["name"] for tool in _tools(view)]
    if view.turn:
        return "Done."
    functions: Any = [
        {"function": {"name": name, "arguments": text}} for name in names for text in _MALFORMED
    ]
    return {"role": "assistant", "content": None, "tool_calls": functions[:_PER_MESSAGE]}


def _results(view: Scripted) -> list[str]:
    """Return the values that tools returned, as texts; those in JSON if there are any."""
    texts = outputs(view.messages)
    read: list[str] = []
    for text in texts:
        with contextlib.suppress(ValueError):
            read += map(str, _scalars(json.loads(text)))
    return read or texts


def _scalars(value: Any) -> Iterator[Any]:
    if isinstance(value, (dict, list)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _scalars(part)
    else:
        yield value


_READING = re.compile(r"(?:^|_)(?:search|find|list|look|lookup|get|query|fetch|read|show)(?:_|$)")
_ID = re.compile(r"(?<![\w.])(?:[A-Za-z]{1,8}[-_#]?\d{1,20}|\d{3,20})(?![\w.])")
_ID_KEY = re.compile(r"(?:^|_)(?:id|key|code|number|ref)$", re.I)


def lookups(known: Knowledge) -> Iterator[Attacker]:
    """Yield the attackers that take the first record of what they look up."""

    def answering(view: Scripted) -> Message | str:
        return known.form.fill(_first_id(view)) if view.turn else _look_up(view)

    for name, script, what in (
        ("called", _calling_with_the_first, "calls the tool that the prompt names with"),
        ("answered", answering, "answers"),
    ):
        yield Attacker(
            f"first id, {name}",
            f"Looks up words of the prompt, and {what} the first id that comes back.",
            Scripted(script),
            "feedback",
        )


def _calling_with_the_first(view: Scripted) -> Message | str:
    """Look up, then call a tool with the first id: its name has the most words of the prompt."""
    changing = [tool for tool in view.tools if not _is_reading(tool)]
    first(changing)
    if not view.turn:
        return _look_up(view)
    id_ = _first_id(view) if view.turn == 1 else ""
    if not id_:
        return "Done."
    prompt = prompt_of(view.messages)
    prompt_words = {*prompt.lower().split()}
    tool = max(
        changing, key=lambda tool: len({*tool["function"]["name"].split("_")} & prompt_words)
    )
    name, arguments = _call(tool, values(prompt), view.rng)
    properties = _properties(tool)
    for key in [key for key in properties if _ID_KEY.search(key)] or [*properties][:1]:
        whole = properties[key].get("type") == "integer" and id_.isdecimal()
        arguments[key] = int(id_) if whole else id_
    return assistant_calls((name, arguments))


def _is_reading(tool: ToolSchema) -> bool:
    return _READING.search(tool["function"]["name"]) is not None


def _look_up(view: Scripted) -> Message:
    """Call each tool that reads with the likeliest values of the prompt.

    Raises:
        NotApplicable: No tool reads.
    """
    reading = [tool for tool in view.tools if _is_reading(tool)]
    first(reading)
    return assistant_calls(*_calls_with_words(reading, view, view.rng)[:_PER_MESSAGE])


def _first_id(view: Scripted) -> str:
    """Return the first id of the first result that leaves a choice; "" if no result does."""
    results = map(_ids, outputs(view.messages))
    return next((ids[0] for ids in results if len(ids) > 1), "")


def _ids(text: str) -> list[str]:
    r"""Return the first id of each record of a result.

    Example:
        >>> _ids('[{"name": "Ada", "id": "r7"}]'), _ids("r9: Ada\nr7: Bea")
        (['r7'], ['r9', 'r7'])
    """
    try:
        return [str(value) for value in _ids_in_json(json.loads(text))]
    except ValueError:
        return [match[0] for line in text.splitlines() if (match := _ID.search(line))]


def _ids_in_json(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        named = (v for k, v in value.items() if _ID_KEY.search(k) and isinstance(v, (str, int)))
        yield from itertools.islice(named, 1)
    if isinstance(value, (dict, list)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _ids_in_json(part)
