"""Plans of attackers that call tools: which calls to make in a task, without understanding it.

The arguments are drawn from the schemas of the tools, from the words of the prompt, and from what
tools returned.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import random
from collections.abc import Callable, Sequence
from typing import Any

from textgym.checks.attackers.prompts import first, numbers, outputs, prompt_of, values
from textgym.checks.episodes import Sight
from textgym.checks.hostile import arguments_for
from textgym.messages import ToolSchema
from textgym.tasks.hashing import hash_int

__all__ = [
    "PER_MESSAGE", "Plan", "choices", "done_and_undone", "each", "empty", "extreme", "one", "plain",
    "repeated", "tools", "two_tools", "unknown", "wander", "words",
]  # fmt: skip

Call = tuple[str, dict[str, Any]]
Plan = Callable[[Sight, random.Random], list[Call]]

PER_MESSAGE = 64
_ROUNDS = 20
_EXTREMES = 5


def _known(*texts: str) -> list[Any]:
    """Return the values in texts that may be arguments: strings, numbers, and lists of both."""
    strings = list(dict.fromkeys(itertools.chain.from_iterable(map(values, texts))))
    found: list[Any] = []
    for number in itertools.chain.from_iterable(map(numbers, texts)):
        with contextlib.suppress(ValueError):  # a time, or a date
            found.append(json.loads(number))
    return [*strings, *found, *map(float, found), 1, 1.0, strings[:10], found[:10]]


def tools(sight: Sight) -> Sequence[ToolSchema]:
    """Return the tools that are offered.

    Raises:
        NotApplicable: There are none.
    """
    first(sight.tools)
    return sight.tools


def plain(tool: ToolSchema, known: Sequence[Any], rng: random.Random) -> Call:
    """Return a call with arguments that fit the schema, drawn from known values."""
    shuffled = rng.sample(known, len(known))
    function = tool["function"]
    return function["name"], next(arguments_for(function.get("parameters", {}), shuffled, rng))


def each(sight: Sight, rng: random.Random) -> list[Call]:
    """Call each tool once, with words of the prompt."""
    known = _known(prompt_of(sight.messages))
    return [plain(tool, known, rng) for tool in tools(sight)]


def empty(sight: Sight, rng: random.Random) -> list[Call]:
    """Call each tool without arguments."""
    return [(tool["function"]["name"], {}) for tool in tools(sight)]


def extreme(sight: Sight, rng: random.Random) -> list[Call]:
    """Call each tool with some extreme arguments."""
    known, found = _known(prompt_of(sight.messages)), []
    for tool in tools(sight):
        function = tool["function"]
        offered = list(arguments_for(function.get("parameters", {}), known, rng))
        chosen = rng.sample(offered, min(_EXTREMES, len(offered)))
        found += [(function["name"], arguments) for arguments in chosen]
    return found


def one(sight: Sight, rng: random.Random) -> list[Call]:
    """Make one call."""
    return [plain(rng.choice(tools(sight)), _known(prompt_of(sight.messages)), rng)]


def repeated(sight: Sight, rng: random.Random) -> list[Call]:
    """Make one call again and again."""
    return one(sight, rng) * _ROUNDS


def words(sight: Sight, rng: random.Random) -> list[Call]:
    """Call each tool with the likeliest values of the prompt, one after another."""
    found = values(prompt_of(sight.messages))[: max(4, 2 * PER_MESSAGE // len(tools(sight)))]
    return [plain(tool, [value], rng) for tool in tools(sight) for value in found]


def choices(sight: Sight, rng: random.Random) -> list[Call]:
    """Call each tool with each of the choices that its schema lists for an argument."""
    known = _known(prompt_of(sight.messages))
    found = []
    for tool in tools(sight):
        name, arguments = plain(tool, known, rng)
        properties = tool["function"].get("parameters", {}).get("properties", {})
        found += [
            (name, {**arguments, key: value})
            for key, schema in properties.items()
            for value in schema.get("enum", ())
        ]
    first(found)
    return found


def done_and_undone(sight: Sight, rng: random.Random) -> list[Call]:
    """Alternate between a call and its opposite, or a call of another tool."""
    known = _known(prompt_of(sight.messages))
    tool = rng.choice(tools(sight))
    name, arguments = plain(tool, known, rng)
    back = {key: _opposite(value) for key, value in arguments.items()}
    other = (name, back) if back != arguments else plain(rng.choice(tools(sight)), known, rng)
    return [(name, arguments), other] * (_ROUNDS // 2)


def _opposite(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    return -value if isinstance(value, (int, float)) else value


def two_tools(sight: Sight, rng: random.Random) -> list[Call]:
    """Alternate between two tools with the same arguments as far as they fit."""
    known = _known(prompt_of(sight.messages))
    pair = rng.sample(list(tools(sight)), 2) if len(tools(sight)) > 1 else []
    first(pair)
    seed = rng.random()
    return [plain(tool, known, random.Random(seed)) for tool in pair] * (_ROUNDS // 2)


def wander(sight: Sight, rng: random.Random) -> list[Call]:
    """Make some call at each turn, with what the prompt and the tools said."""
    drawn = random.Random(hash_int("wander", sight.turn, prompt_of(sight.messages)))
    known = _known(prompt_of(sight.messages), *outputs(sight.messages)[-3:])
    call = plain(drawn.choice(tools(sight)), known, drawn)
    return [call] * (sight.turn + 1) if sight.turn < _ROUNDS else []


def unknown(sight: Sight, rng: random.Random) -> list[Call]:
    """Call tools that are not offered."""
    names = ("no_such_tool", "submit", "finish", "grade", "solve", "reset", "step", "__init__")
    return [(name, {"answer": "correct", "reward": 1}) for name in names]
