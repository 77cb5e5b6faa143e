"""An episode as a person reads it: the tools, one block a message, and how it ended.

`render`, `textgym play`, `textgym view` and `textgym show` all use it. What always holds: no value,
however odd, raises; what is returned holds no control character but line feeds, tabs and, where
they are asked for, colours; and with the colours taken away it is the same text.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

from textgym.display.schema_text import argument_lines
from textgym.display.terminal import Paint
from textgym.messages import split_reasoning

__all__ = ["format_episode", "format_messages", "format_outcome", "format_tools"]

_HEADS = {
    "system": ("bold", "magenta"),
    "developer": ("bold", "magenta"),
    "user": ("bold", "cyan"),
    "assistant": ("bold", "green"),
    "tool": ("bold", "yellow"),
}
_WIDE = 100  # longer arguments of a call stand on lines of their own


def format_episode(
    messages: Sequence[Any],
    tools: Any = (),
    outcome: tuple[float | None, Mapping[str, Any]] | None = None,
    *,
    colour: bool = False,
) -> str:
    """Return a whole episode, or a stretch of one.

    Args:
        messages: The conversation.
        tools: Schemas of the tools that are offered.
        outcome: The reward and the last step's info, where the episode has ended.
        colour: Whether to colour it for a terminal.
    """
    blocks = [
        format_tools(tools, colour=colour) if tools else "",
        format_messages(messages, colour=colour),
        format_outcome(*outcome, colour=colour) if outcome else "",
    ]
    return "\n\n".join(filter(None, blocks))


def format_messages(messages: Sequence[Any], *, colour: bool = False) -> str:
    """Return a conversation.

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
    several = False  # whether more than one call is under way, so that they need their ids
    for item in messages:
        message = item if isinstance(item, Mapping) else {"role": "?", "content": item}
        role = _text(message.get("role", "?"))
        if role != "tool":
            several = len(_list(message.get("tool_calls"))) > 1
        head = paint(f"[{role}]", *_HEADS.get(role, ("bold",)))
        if role == "tool" and several:
            head += paint(f" {_text(message.get('tool_call_id'))}", "dim")
        blocks.append("\n".join([head, *_body(paint, message, role, several)]))
    return "\n\n".join(blocks)


def format_tools(tools: Any, *, colour: bool = False) -> str:
    """Return the tools that are offered, with their arguments.

    Example:
        >>> city = {"type": "string", "description": "Where."}
        >>> parameters = {"properties": {"city": city}, "required": ["city"]}
        >>> weather = {"name": "weather", "description": "Tell it.", "parameters": parameters}
        >>> print(format_tools([{"type": "function", "function": weather}]))
        [tools]
        weather: Tell it.
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
        for name, kind, told in argument_lines(function.get("parameters")):
            told = f": {told}" if told else ""
            lines.append("  " + paint(name) + paint(f" ({kind})", "dim") + paint(told))
    return "\n".join(lines)


def format_outcome(reward: float | None, info: Mapping[str, Any], *, colour: bool = False) -> str:
    """Return how an episode ended.

    Args:
        reward: The episode's reward; None where it failed.
        info: The last step's info; what it lacks is left out.
        colour: Whether to colour it for a terminal.

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
    lines = [paint("[end]", "bold"), paint("reward: ") + paint(_number(reward), "bold", *styles)]
    components = _mapping(info.get("reward_components"))
    if components:
        parts = (f"{_text(name)} {_number(value)}" for name, value in components.items())
        lines.append(paint(f"components: {', '.join(parts)}"))
    if success is not None:
        lines.append(paint("success: ") + paint("yes" if success else "no", *styles))
    for key in ("stop_reason", "extracted_answer"):
        if text := _text(info.get(key)):
            lines.append(paint(f"{key.replace('_', ' ')}: {text}"))
    return "\n".join(lines)


def _body(paint: Paint, message: Mapping[str, Any], role: str, several: bool) -> list[str]:
    lines = []
    for key, said in (("reasoning_content", "thinks"), ("refusal", "refuses")):
        if text := _text(message.get(key)):
            lines.append(paint(f"({said}) {text}", "dim"))
    lines += [_content(paint, part, role) for part in _parts(message.get("content"))]
    for call in _list(message.get("tool_calls")):
        lines += _call(paint, _mapping(call), several)
    return lines


def _parts(content: Any) -> list[str | Mapping[str, Any]]:
    """Return a message's content as texts, neighbours joined, and what is no text."""
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
        return paint(f"({_about(part)})", "dim")
    reasoning, answer = split_reasoning(part) if role == "assistant" else ("", part)
    return paint(reasoning, "dim") + paint(answer)


def _about(part: Mapping[str, Any]) -> str:
    """Say what a part without text is; an image with its address, unless that is the image."""
    kind = _text(part.get("type")) or "?"
    if "image" not in kind:
        return kind
    place = part.get("image_url")
    url = _text(place.get("url") if isinstance(place, Mapping) else place)
    if url.startswith("data:"):
        return f"image: {url[5:].split(';')[0].split(',')[0]}"
    return f"image: {url}" if url else "image"


def _call(paint: Paint, call: Mapping[str, Any], several: bool) -> list[str]:
    function = _mapping(call.get("function"))
    name, given = _text(function.get("name", "?")), function.get("arguments")
    shown = given if isinstance(given, str) else "{}" if given is None else _text(given)
    arguments, broken = _read(shown or "{}")
    id = _text(call.get("id"))
    mark = f"  {id}" if several and id else ""
    if arguments and (len(shown) > _WIDE or _has_lines(arguments)):
        lines = [paint(f"-> {name}", "yellow") + paint(mark, "dim")]
        for key, value in arguments.items():
            text = _text(value)
            fits = len(text) <= _WIDE and "\n" not in text
            lines.append(paint(f"   {_text(key)}: " if fits else f"   {_text(key)}:", "yellow"))
            if fits:
                lines[-1] += paint(text)
            else:
                lines += [paint(f"     {line}") for line in text.split("\n")]
        return lines
    note = " (not JSON)" if broken else ""
    return [paint(f"-> {name}({shown or '{}'})", "yellow") + paint(note + mark, "dim")]


def _read(text: str) -> tuple[Mapping[str, Any], bool]:
    """Return a call's arguments, and whether they are no JSON."""
    try:
        return _mapping(json.loads(text)), False
    except (ValueError, RecursionError):
        return {}, True


def _has_lines(arguments: Mapping[str, Any]) -> bool:
    return any(isinstance(value, str) and "\n" in value for value in arguments.values())


def _number(value: Any) -> str:
    try:
        return f"{float(value):g}" if isinstance(value, Real) else _text(value) or "none"
    except OverflowError:
        return _text(value)


def _text(value: Any) -> str:
    """Return a text as it is, None as nothing, and anything else as JSON, or as Python sees it."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    try:
        return json.dumps(value, ensure_ascii=False)
    except Exception:  # an odd key, a circle, what JSON does not know
        pass
    try:
        return repr(value)
    except Exception:
        return f"({type(value).__name__})"


def _list(value: Any) -> Sequence[Any]:
    return value if isinstance(value, (list, tuple)) else ()


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
