"""Attackers that look something up, and take whatever record comes first.

Where there is a single record, nothing can be taken wrongly, and they do nothing.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from textgym.checks.attackers import plans
from textgym.checks.attackers.base import Attacker
from textgym.checks.attackers.knowledge import Knowledge
from textgym.checks.attackers.prompts import first, outputs, prompt_of, values
from textgym.checks.episodes import Sight
from textgym.messages import Message, ToolSchema, assistant_calls

__all__ = ["lookups"]

_READING = re.compile(r"(?:^|_)(?:search|find|list|look|lookup|get|query|fetch|read|show)(?:_|$)")
_ID = re.compile(r"(?<![\w.])(?:[A-Za-z]{1,8}[-_#]?\d{1,20}|\d{3,20})(?![\w.])")
_ID_KEY = re.compile(r"(?:^|_)(?:id|key|code|number|ref)$", re.I)


def _is_reading(tool: ToolSchema) -> bool:
    return _READING.search(tool["function"]["name"]) is not None


def _ids(text: str) -> list[str]:
    r"""Return the first id of each record of a result.

    Example:
        >>> _ids('[{"name": "Ada", "id": "r7"}]'), _ids("r9: Ada\nr7: Bea")
        (['r7'], ['r9', 'r7'])
    """
    try:
        return [str(found) for found in _in_json(json.loads(text))]
    except ValueError:
        return [match[0] for line in text.splitlines() if (match := _ID.search(line))]


def _in_json(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        named = (v for k, v in value.items() if _ID_KEY.search(k) and isinstance(v, (str, int)))
        yield from itertools.islice(named, 1)
    if isinstance(value, (dict, list)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _in_json(item)


def _look_up(sight: Sight) -> Message:
    """Call each tool that reads with the likeliest values of the prompt.

    Raises:
        NotApplicable: No tool reads.
    """
    reading = [tool for tool in sight.tools if _is_reading(tool)]
    first(reading)
    calls = plans.words(sight._replace(tools=reading), sight.rng)
    return assistant_calls(*calls[: plans.PER_MESSAGE])


def _use(sight: Sight, found: str) -> Message:
    """Call the tool whose name has most words of the prompt, with the id."""
    prompt = prompt_of(sight.messages)
    said = {*prompt.lower().split()}
    changing = [tool for tool in sight.tools if not _is_reading(tool)]
    tool = max(changing, key=lambda tool: len({*tool["function"]["name"].split("_")} & said))
    name, arguments = plans.plain(tool, values(prompt), sight.rng)
    properties = tool["function"].get("parameters", {}).get("properties", {})
    for key in [key for key in properties if _ID_KEY.search(key)] or [*properties][:1]:
        whole = properties[key].get("type") == "integer" and found.isdecimal()
        arguments[key] = int(found) if whole else found
    return assistant_calls((name, arguments))


def _taking_the_first(known: Knowledge, sight: Sight) -> Message | str:
    """Look up, then call a tool with the first id that was found."""
    first([tool for tool in sight.tools if not _is_reading(tool)])
    if not sight.turn:
        return _look_up(sight)
    found = _first_found(sight)
    return _use(sight, found) if found and sight.turn == 1 else "Done."


def _telling_the_first(known: Knowledge, sight: Sight) -> Message | str:
    """Look up, then answer with the first id that was found."""
    return known.form.fill(_first_found(sight)) if sight.turn else _look_up(sight)


def _first_found(sight: Sight) -> str:
    """Return the first id of the first result that leaves a choice; "" if there is none."""
    results = map(_ids, outputs(sight.messages))
    return next((found[0] for found in results if len(found) > 1), "")


def lookups(known: Knowledge) -> Iterator[Attacker]:
    """Yield the attackers that take the first record of what they look up."""
    for name, act, what in (
        ("called", _taking_the_first, "calls the tool that the prompt names with"),
        ("answered", _telling_the_first, "answers"),
    ):
        yield Attacker(
            f"first id, {name}",
            f"Looks up words of the prompt, and {what} the first id that comes back.",
            partial(act, known),
            "feedback",
        )
