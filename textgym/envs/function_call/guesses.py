"""What a policy without the answer calls: a tool of the task with arguments of the right types."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any, TypeGuard

from textgym.envs.generation import choice, randint
from textgym.tasks.task import Task
from textgym.verifiers.function_calls import Call

__all__ = ["guessed_call", "offered_names"]

_MAX_DEPTH = 6
_WORDS = ("Oslo", "Bergen", "Anna", "red", "large", "2025-05-01", "09:30", "coffee")


def offered_names(task: Task) -> frozenset[str]:
    """Return the names of the tools of a task."""
    return frozenset(tool["function"]["name"] for tool in task.tools or ())


def guessed_call(rng: random.Random, task: Task) -> Call:
    """Return a call of one of the task's tools, with a value for each required argument."""
    function: Any = choice(rng, task.tools or ())["function"]
    return function["name"], _guessed(rng, function["parameters"], 0)


def _guessed(rng: random.Random, schema: Mapping[str, Any], depth: int) -> Any:
    """Return a value of a schema's type."""
    kind, options = schema.get("type"), schema.get("enum")
    if isinstance(options, list) and options:
        return choice(rng, options)
    if kind == "integer":
        return randint(rng, 1, 20)
    if kind == "number":
        return randint(rng, 1, 200) / 10
    if kind == "boolean":
        return rng.random() < 0.5
    if kind == "array":
        items = schema.get("items")
        return [_guessed(rng, items, depth + 1)] if _is_open(items, depth) else []
    if kind == "object":
        properties = schema.get("properties") or {}
        required = schema.get("required", list(properties))
        return {
            name: _guessed(rng, properties[name], depth + 1)
            for name in required
            if _is_open(properties.get(name), depth)
        }
    return choice(rng, _WORDS)


def _is_open(schema: Any, depth: int) -> TypeGuard[Mapping[str, Any]]:
    return isinstance(schema, Mapping) and depth < _MAX_DEPTH
