"""The transcript of an episode for people: the tools, one block per message, and the outcome.

`TextEnv.render`, `textgym play`, `textgym view` and `textgym show` use it.

Invariants: no value raises, however malformed; the text contains no control characters except line
feeds, tabs and requested colours; without the colours, the coloured text equals the plain one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

from textgym.display.terminal import Paint
from textgym.json_values import json_text
from textgym.messages import split_reasoning

__all__ = [
    "argument_lines", "call_arguments", "content_parts", "describe_part", "format_answer",
    "format_episode", "format_messages", "format_number", "format_outcome", "format_tools",
    "format_turn_reward", "format_turn_rewards", "type_name",
]  # fmt: skip


_ROLE_STYLES = {
    "system": ("bold", "magenta"),
    "developer": ("bold", "magenta"),
    "user": ("bold", "cyan"),
    "assistant": ("bold", "green"),
    "tool": ("bold", "yellow"),
}
_MAX_SCHEMA_DEPTH = 5  # of references and nested types
MAX_CALL_WIDTH = 100  # characters of arguments that are shown on one line


def format_episode(
    messages: Sequence[Any],
    tools: Any = (),
    outcome: tuple[float | None, Mapping[str, Any]] | None = None,
    notes: Mapping[int, str] | None = None,
    *,
    colour: bool = False,
) -> str:
    """Return the transcript of an episode, or of a part of one.

    Args:
        messages: The conversation.
        tools: The schemas of the available tools.
        outcome: The reward and the info of the last step, if the episode has ended.
        notes: Lines that follow messages, by the index of the message.
        colour: Whether to add colours for a terminal.
    """
    blocks = [
        format_tools(tools, colour=colour) if tools else "",
        format_messages(messages, notes, colour=colour),
        format_outcome(*outcome, colour=colour) if outcome else "",
    ]
    return "\n\n".join(filter(None, blocks))


def format_messages(
    messages: Sequence[Any], notes: Mapping[int, str] | None = None, *, colour: bool = False
) -> str:
    """Return the transcript of a conversation.

    Args:
        messages: The conversation.
        notes: Lines that follow messages, by the index of the message.
        colour: Whether to add colours for a terminal.

    Example:
        >>> print(format_messages([{"role": "user", "content": "2 + 2?"},
        ...                        {"role": "assistant", "content": "4"}]))
        [user]
        2 + 2?
        <BLANKLINE>
        [assistant]
        4
    """
    paint = Paint(colour)
    blocks = []
    several = False  # whether the last message has several calls, so that their ids are shown
    for index, item in enumerate(messages):
        message = item if isinstance(item, Mapping) else {"role": "?", "content": item}
        role = _text(message.get("role", "?"))
        if role != "tool":
            several = len(_list(message.get("tool_calls"))) > 1
        header = paint(f"[{role}]", *_ROLE_STYLES.get(role, ("bold",)))
        if role == "tool" and several:
            header += paint(f" {_text(message.get('tool_call_id'))}", "dim")
        blocks.append("\n".join([header, *_body(paint, message, role, several)]))
        if notes and index in notes:
            blocks.append(paint(notes[index], "bold"))
    return "\n\n".join(blocks)


def format_tools(tools: Any, *, colour: bool = False, brief: bool = False) -> str:
    """Return the available tools with their arguments.

    Args:
        tools: The schemas of the tools.
        colour: Whether to add colours for a terminal.
        brief: Whether to leave out the arguments.

    Example:
        >>> city = {"type": "string", "description": "Where."}
        >>> parameters = {"properties": {"city": city}, "required": ["city"]}
        >>> weather = {"name": "weather", "description": "Get it.", "parameters": parameters}
        >>> print(format_tools([{"type": "function", "function": weather}]))
        [tools]
        weather: Get it.
          city (string, required): Where.
    """
    paint = Paint(colour)
    lines = [paint("[tools]", "bold", "yellow")]
    for tool in _list(tools):
        function = _mapping(_mapping(tool).get("function")) or _mapping(tool)
        about = _text(function.get("description"))
        lines.append(
            paint(_text(function.get("name", "?")), "bold") + paint(about and f": {about}")
        )
        arguments = () if brief else argument_lines(function.get("parameters"))
        for name, kind, description in arguments:
            description = f": {description}" if description else ""
            lines.append("  " + paint(name) + paint(f" ({kind})", "dim") + paint(description))
    return "\n".join(lines)


def format_outcome(reward: float | None, info: Mapping[str, Any], *, colour: bool = False) -> str:
    """Return the outcome of an episode.

    Args:
        reward: The reward of the episode; None if it failed.
        info: The info of the last step; keys that it lacks are omitted.
        colour: Whether to add colours for a terminal.

    Example:
        >>> info = {"reward_components": {"correct": 0.0, "answered": 1.0}, "is_success": False,
        ...         "stop_reason": "answer", "extracted_answer": "C"}
        >>> print(format_outcome(0.0, info))
        [end]
        reward: 0
        components: correct 0, answered 1
        success: no
        stop reason: answer
        extracted answer: C
    """
    paint = Paint(colour)
    success = info.get("is_success")
    styles = () if success is None else ("green",) if success else ("red",)
    lines = [
        paint("[end]", "bold"),
        paint("reward: ") + paint(format_number(reward), "bold", *styles),
    ]
    components = _mapping(info.get("reward_components"))
    if components:
        parts = (f"{_text(name)} {format_number(value)}" for name, value in components.items())
        lines.append(paint(f"components: {', '.join(parts)}"))
    if success is not None:
        lines.append(paint("success: ") + paint("yes" if success else "no", *styles))
    for key in ("stop_reason", "extracted_answer"):
        if text := _text(info.get(key)):
            lines.append(paint(f"{key.replace('_', ' ')}: {text}"))
    return "\n".join(lines)


def format_turn_reward(reward: float | None, components: Mapping[str, Any]) -> str:
    """Return a line with the reward of a turn and its components.

    Example:
        >>> print(format_turn_reward(0.2, {"found": 0.25, "step_penalty": -0.05}))
        reward 0.2: found 0.25, step_penalty -0.05
    """
    parts = ", ".join(f"{_text(name)} {format_number(value)}" for name, value in components.items())
    return f"reward {format_number(reward)}" + (f": {parts}" if parts else "")


def format_turn_rewards(steps: Sequence[Mapping[str, Any]], num_messages: int) -> dict[int, str]:
    """Return the line with the reward of each turn, by the index of the turn's last message.

    Empty if only the last turn has a reward, which the outcome shows.

    Args:
        steps: The steps of a trajectory.
        num_messages: How many messages its conversation has.
    """
    if not any(step["reward"] or step["components"] for step in steps[:-1]):
        return {}
    ends = [*(step["message_index"] for step in steps[1:]), num_messages]
    return {
        end - 1: format_turn_reward(step["reward"], step["components"])
        for step, end in zip(steps, ends, strict=True)
        if step["reward"] or step["components"]
    }


def format_answer(answer: Any, *, colour: bool = False) -> str:
    """Return the line with the right answer of a task.

    Example:
        >>> print(format_answer("B"))
        right answer: B
    """
    try:
        text = str(answer)
    except Exception:  # the answer's own __str__ failed
        text = _text(answer)
    return Paint(colour)(f"right answer: {text}")


def _body(paint: Paint, message: Mapping[str, Any], role: str, several: bool) -> list[str]:
    lines = []
    for key, label in (("reasoning_content", "thinks"), ("refusal", "refuses")):
        if text := _text(message.get(key)):
            lines.append(paint(f"({label}) {text}", "dim"))
    lines += [_content(paint, part, role) for part in content_parts(message.get("content"))]
    for call in _list(message.get("tool_calls")):
        lines += _call(paint, _mapping(call), several)
    return lines


def content_parts(content: Any) -> list[str | Mapping[str, Any]]:
    """Return the parts of a message's content, with adjacent texts joined."""
    if not isinstance(content, (list, tuple)):
        text = _text(content)
        return [text] if text else []
    parts: list[str | Mapping[str, Any]] = []
    for item in content:
        if isinstance(item, Mapping) and not isinstance(item.get("text"), str):
            parts.append(item)
            continue
        text = _text(item["text"] if isinstance(item, Mapping) else item)
        if parts and isinstance(parts[-1], str):
            parts[-1] += text
        elif text:
            parts.append(text)
    return parts


def _content(paint: Paint, part: str | Mapping[str, Any], role: str) -> str:
    if not isinstance(part, str):
        return paint(f"({describe_part(part)})", "dim")
    reasoning, answer = split_reasoning(part) if role == "assistant" else ("", part)
    return paint(reasoning, "dim") + paint(answer)


def describe_part(part: Mapping[str, Any]) -> str:
    """Describe a part that is not text; an image with its URL, unless the URL holds the image."""
    kind = _text(part.get("type")) or "?"
    if "image" not in kind:
        return kind
    image = part.get("image_url")
    url = _text(image.get("url") if isinstance(image, Mapping) else image)
    if url.startswith("data:"):
        return f"image: {url[5:].split(';')[0].split(',')[0]}"
    return f"image: {url}" if url else "image"


def _call(paint: Paint, call: Mapping[str, Any], several: bool) -> list[str]:
    name, shown, arguments = call_arguments(call)
    note = " (not JSON)" if arguments is None else ""
    id = _text(call.get("id"))
    mark = f"  {id}" if several and id else ""
    values = arguments.values() if arguments else ()
    has_lines = any(isinstance(value, str) and "\n" in value for value in values)
    if arguments and (len(shown) > MAX_CALL_WIDTH or has_lines):
        lines = [paint(f"-> {name}", "yellow") + paint(mark, "dim")]
        for key, value in arguments.items():
            text = _text(value)
            fits = len(text) <= MAX_CALL_WIDTH and "\n" not in text
            lines.append(paint(f"   {_text(key)}: " if fits else f"   {_text(key)}:", "yellow"))
            if fits:
                lines[-1] += paint(text)
            else:
                lines += [paint(f"     {line}") for line in text.split("\n")]
        return lines
    return [paint(f"-> {name}({shown})", "yellow") + paint(note + mark, "dim")]


def call_arguments(call: Mapping[str, Any]) -> tuple[str, str, Mapping[str, Any] | None]:
    """Return the name of a tool call, its arguments as a text, and as a dict.

    The dict is None if the text is not JSON, and empty if it is not an object.

    Example:
        >>> call_arguments({"function": {"name": "add", "arguments": '{"a": 1}'}})
        ('add', '{"a": 1}', {'a': 1})
    """
    function = _mapping(call.get("function"))
    text = _text(function.get("arguments")) or "{}"
    try:
        arguments = _mapping(json.loads(text))
    except (ValueError, RecursionError):
        arguments = None
    return _text(function.get("name", "?")), text, arguments


def format_number(value: Any) -> str:
    """Return a number in a few digits, and "none" for no number."""
    try:
        return f"{float(value):g}" if isinstance(value, Real) else _text(value) or "none"
    except OverflowError:
        return _text(value)


def _text(value: Any) -> str:
    """Return a text unchanged, None as "", and anything else as JSON or its `repr`."""
    if isinstance(value, str):
        return value
    return "" if value is None else json_text(value)


def _list(value: Any) -> Sequence[Any]:
    return value if isinstance(value, (list, tuple)) else ()


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def argument_lines(parameters: Any) -> list[tuple[str, str, str]]:
    """Return the name, the type and the description of each argument.

    Args:
        parameters: The `parameters` of a function.

    Example:
        >>> days = {"type": "integer", "default": 1}
        >>> argument_lines({"properties": {"city": {"type": "string"}, "days": days},
        ...                 "required": ["city"]})
        [('city', 'string, required', ''), ('days', 'integer, default 1', '')]
    """
    schema = _mapping(parameters)
    lines = []
    for name, argument in _mapping(schema.get("properties")).items():
        argument = _mapping(argument)
        if name in _list(schema.get("required")):
            need = "required"
        else:
            is_set = "default" in argument
            need = f"default {json_text(argument['default'])}" if is_set else "optional"
        kind = ", ".join(filter(None, (type_name(argument, schema.get("$defs")), need)))
        description = argument.get("description")
        description = " ".join(description.split()) if isinstance(description, str) else ""
        lines.append((name if isinstance(name, str) else json_text(name), kind, description))
    return lines


def type_name(schema: Any, definitions: Any = None, depth: int = 0) -> str:
    """Return the type of a value in words; "" if the schema does not say.

    Args:
        schema: A JSON schema.
        definitions: The schemas that its references name.
        depth: How deeply it is nested in another schema.

    Example:
        >>> type_name({"anyOf": [{"type": "array", "items": {"type": "string"}},
        ...                      {"type": "null"}]})
        'array of string or null'
        >>> type_name({"enum": ["north", "south"]})
        '"north" or "south"'
    """
    if not isinstance(schema, Mapping) or depth > _MAX_SCHEMA_DEPTH:
        return ""
    reference = schema.get("$ref")
    if isinstance(reference, str):
        target = _mapping(definitions).get(reference.rpartition("/")[2])
        return type_name(target, definitions, depth + 1)
    if isinstance(schema.get("enum"), (list, tuple)):
        return " or ".join(map(json_text, schema["enum"]))
    if "const" in schema:
        return json_text(schema["const"])
    for key in ("anyOf", "oneOf"):
        if isinstance(schema.get(key), (list, tuple)):
            names = (type_name(item, definitions, depth + 1) for item in schema[key])
            return " or ".join(dict.fromkeys(filter(None, names)))
    kind = schema.get("type")
    if isinstance(kind, (list, tuple)):
        return " or ".join(item for item in kind if isinstance(item, str))
    if kind == "array":
        inner = type_name(schema.get("items"), definitions, depth + 1)
        return f"array of {inner}" if inner else "array"
    return kind if isinstance(kind, str) else ""
