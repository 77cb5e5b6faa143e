"""Changes of the oracle's episodes that must not lose.

Some hold for every environment. They change what no verifier may depend on, such as white space
around a text, reasoning, the ids of calls, and the layout of their arguments as JSON. `FORMS` are
others, which a card can claim.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from textgym.checks.soundness.solved import Solved, arguments_in, calls_in
from textgym.messages import Message, text_of

__all__ = ["FORMS", "Variant", "variants"]

FORMS: Mapping[str, tuple[Callable[[str], str], ...]] = {
    "markdown": ("**{}**".format, "`{}`".format, "```\n{}\n```".format),
    "quotes": ('"{}"'.format, "'{}'".format),
    "sentences": (
        "I have thought about it, and this is what I found.\n\n{}".format,
        "{}\n\nThat is all.".format,
    ),
    "full stop": ("{}.".format,),
    "any case": (str.lower, str.upper),
}
"""Forms of a final text, by name. A card claims the forms that its verifier always accepts."""

_THOUGHT = "Let me think.\n\nThat may be wrong: {}. I try something else."


class Variant(NamedTuple):
    """A changed episode.

    Attributes:
        name: The name of the change.
        actions: The messages.
        claimed: Whether the environment must accept it.
    """

    name: str
    actions: list[Message]
    claimed: bool


def variants(
    task: Solved, wrong: str, claims: tuple[str, ...], all_hold: bool
) -> Iterator[Variant]:
    """Yield episodes of a task that differ from the oracle's.

    Args:
        task: The task.
        wrong: A wrong answer, which the reasoning mentions.
        claims: The names of the forms that the environment claims to accept.
        all_hold: Whether the environment keeps textgym's contracts for reasoning and messages.
    """
    thought = _THOUGHT.format(wrong)
    for name, change, required in (
        ("white space around the text", _text_change(lambda text: f"\n  {text} \n\n"), True),
        ("reasoning_content", lambda action: {**action, "reasoning_content": thought}, all_hold),
        (
            "a closed <think>",
            _text_change(lambda text: f"<think>\n{thought}\n</think>\n\n{text}"),
            all_hold,
        ),
        ("text parts", _in_parts, all_hold),
        ("spaces in arguments", _argument_change(lambda given: json.dumps(given, indent=2)), True),
        (
            "order of arguments",
            _argument_change(
                lambda given: json.dumps(dict(reversed(given.items())), ensure_ascii=False)
            ),
            True,
        ),
        ("arguments as an object", _argument_change(lambda given: given), all_hold),
        ("escapes in arguments", _argument_change(_escaped), True),
        ("other call ids", _with_ids, True),
    ):
        changed: list[Any] = [change(action) for action in task.actions]
        if changed != task.actions:
            yield Variant(name, changed, required)
    if not task.text_turns:
        return
    turn = task.text_turns[-1]
    text = text_of(task.actions[turn])
    for name, forms in FORMS.items():
        for content in {form(text): None for form in forms if form(text) != text}:
            action: Any = {**task.actions[turn], "content": content}
            actions = [*task.actions[:turn], action, *task.actions[turn + 1 :]]
            yield Variant(name, actions, name in claims)


def _text_change(change: Callable[[str], str]) -> Callable[[Message], Any]:
    def changed(action: Message) -> Any:
        text = text_of(action)
        return {**action, "content": change(text)} if text else action

    return changed


def _in_parts(action: Message) -> Any:
    text = text_of(action)
    middle = len(text) // 2
    parts = [{"type": "text", "text": part} for part in (text[:middle], text[middle:])]
    return {**action, "content": parts} if text else action


def _argument_change(change: Callable[[dict[str, Any]], Any]) -> Callable[[Message], Any]:
    def changed(action: Message) -> Any:
        if not calls_in(action):
            return action
        calls = [
            {**call, "function": {**call["function"], "arguments": change(arguments_in(call))}}
            for call in calls_in(action)
        ]
        return {**action, "tool_calls": calls}

    return changed


def _escaped(given: dict[str, Any]) -> str:
    return json.dumps(given, separators=(",", ":"), ensure_ascii=True)


def _with_ids(action: Message) -> Any:
    if not calls_in(action):
        return action
    calls = [{**call, "id": f"chatcmpl-tool-{n}f"} for n, call in enumerate(calls_in(action))]
    return {**action, "tool_calls": calls}
