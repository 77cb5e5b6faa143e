"""Conversations in the format of OpenAI's Responses API, as NeMo Gym exchanges them.

`textgym.tasks.nemo_rows` reads this format; this module writes it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from textgym.json_values import copy_json
from textgym.messages import Message, split_reasoning, text_of

__all__ = ["flat_tools", "input_items", "output_items", "response_of"]


def input_items(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Return a prompt as the `input` of a request.

    Example:
        >>> input_items([{"role": "user", "content": "What is 2 + 2?"}])
        [{'role': 'user', 'content': 'What is 2 + 2?', 'type': 'message'}]
    """
    items: list[dict[str, Any]] = []
    for message in messages:
        if message["role"] in ("assistant", "tool") and (
            message["role"] == "tool" or message.get("tool_calls")
        ):
            items += output_items([message])
        else:
            content: Any = message.get("content")
            if isinstance(content, list):
                content = [_input_part(part) for part in content]
            items.append({"role": message["role"], "content": content, "type": "message"})
    return items


def _input_part(part: Mapping[str, Any]) -> dict[str, Any]:
    if part["type"] == "text":
        return {"type": "input_text", "text": part["text"]}
    if part["type"] == "image_url":
        url = part["image_url"]["url"]
        return {"type": "input_image", "image_url": url, "detail": "auto"}
    return dict(part)


def output_items(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Return what an assistant wrote, with the results of its calls, as the items of a response.

    Reasoning becomes an item of its own.

    Example:
        >>> from textgym.messages import assistant, tool_result
        >>> [item["type"] for item in output_items([assistant("<think>2</think>It is 2.")])]
        ['reasoning', 'message']
        >>> output_items([tool_result("4", "call_0")])
        [{'type': 'function_call_output', 'call_id': 'call_0', 'output': '4'}]
    """
    items: list[dict[str, Any]] = []
    for message in messages:
        if message["role"] == "tool":
            call_id = message.get("tool_call_id") or ""
            output = text_of(message)
            items.append({"type": "function_call_output", "call_id": call_id, "output": output})
            continue
        reasoning, text = split_reasoning(text_of(message))
        reasoning = message.get("reasoning_content") or reasoning
        number = len(items)
        if reasoning:
            summary = [{"type": "summary_text", "text": reasoning}]
            items.append({"type": "reasoning", "id": f"rs_{number}", "summary": summary})
        calls = message.get("tool_calls") or ()
        if text or not calls:
            part = {"type": "output_text", "text": text, "annotations": []}
            items.append(
                {
                    "type": "message",
                    "id": f"msg_{number}",
                    "role": "assistant",
                    "status": "completed",
                    "content": [part],
                }
            )
        for call in calls:
            arguments = call["function"].get("arguments") or "{}"
            if not isinstance(arguments, str):
                arguments = json.dumps(arguments)
            items.append(
                {
                    "type": "function_call",
                    "id": f"fc_{call.get('id') or number}",
                    "call_id": call.get("id") or f"call_{number}",
                    "name": call["function"]["name"],
                    "arguments": arguments,
                    "status": "completed",
                }
            )
    return items


def response_of(items: Sequence[Mapping[str, Any]], tools: Sequence[Any] = ()) -> dict[str, Any]:
    """Return items as a complete response.

    Args:
        items: The items.
        tools: The tools that were offered, flat.

    Example:
        >>> response_of([])["object"]
        'response'
    """
    return {
        "id": "resp_textgym",
        "created_at": 0.0,
        "model": "textgym",
        "object": "response",
        "output": list(items),
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": list(tools),
    }


def flat_tools(tools: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return tools in the flat form of the Responses API.

    Example:
        >>> flat_tools([{"type": "function", "function": {"name": "add", "parameters": {}}}])
        [{'type': 'function', 'name': 'add', 'description': '', 'parameters': {}, 'strict': False}]
    """
    return [
        {
            "type": "function",
            "name": tool["function"]["name"],
            "description": tool["function"].get("description", ""),
            "parameters": copy_json(tool["function"].get("parameters", {})),
            "strict": False,
        }
        for tool in tools
    ]
