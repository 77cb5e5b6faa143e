"""A stored run whose every text tries to become markup, or to run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from stored_episodes import episode, step, stored

ATTACK = (
    "</pre></script></title><!--<script>window.hacked = 1</script>"
    "<img src=x onerror='window.hacked=2'>\"><svg onload=window.hacked=3>\u202e\x1b[2J&lt;{{7*7}}"
)
URL = "javascript:window.hacked=4//"


def hostile_run(folder: Path, reward: float = 0.5) -> Path:
    """Store a run with an attack in every field that holds a text."""
    call = {"id": ATTACK, "function": {"name": ATTACK, "arguments": json.dumps({ATTACK: ATTACK})}}
    raw = {"id": URL, "function": {"name": "__proto__", "arguments": ATTACK}}
    parts: list[Any] = [
        {"type": "text", "text": ATTACK},
        {"type": "image_url", "image_url": {"url": URL}},
        {"type": "image_url", "image_url": {"url": "https://example.org/x.png"}},
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{ATTACK}"}},
        {"type": ATTACK},
    ]
    messages = [
        {"role": ATTACK, "content": parts},
        {"role": "assistant", "content": ATTACK, "reasoning_content": ATTACK, "refusal": ATTACK,
         "tool_calls": [call, raw]},
        {"role": "tool", "tool_call_id": ATTACK, "content": ATTACK},
        {"role": "assistant", "content": f"<think>{ATTACK}</think>{ATTACK}"},
    ]  # fmt: skip
    tokens = {"prompt_ids": [1, 2], "token_ids": [3], "logprobs": [-0.5], "loss_mask": [1]}
    named = {"finish_reason": ATTACK, "policy_version": ATTACK}
    components = {ATTACK: 1.0, "__proto__": 2.0}
    steps = [step(n, reward, components=components, **tokens, **named) for n in (1, 3)]
    tool = {"type": "function", "function": {"name": ATTACK, "description": ATTACK, "parameters": {
        "properties": {ATTACK: {"type": ATTACK, "description": ATTACK}}}}}  # fmt: skip
    info = {
        "level": ATTACK, "category": ATTACK, "verdict_reason": ATTACK, "extracted_answer": ATTACK,
        ATTACK: ATTACK,
    }  # fmt: skip
    failure = {"boundary": ATTACK, "type": ATTACK, "message": ATTACK, "traceback": ATTACK}
    common: dict[str, Any] = {
        "env_id": ATTACK, "env_kwargs": {ATTACK: ATTACK}, "task_id": ATTACK, "policy": ATTACK,
        "tools": [tool], "messages": messages, "steps": steps, "info": info, "stop_reason": ATTACK,
    }  # fmt: skip
    stored(
        folder,
        episode(0, 2 * reward, **common),
        episode(0, 2 * reward, **{**common, "repeat": 1}),
        episode(1, 0.0, **{**common, "info": {**info, "level": "1", "category": "a"}}),
        episode(2, None, **{**common, "failure": failure}),
        episode(3, 0.0, **{**common, "env_id": "demo/B-v0", "stop_reason": "answer"}),
    )
    config = {"textgym": ATTACK, "splits": {ATTACK: ATTACK}, "sampling": {ATTACK: ATTACK}}
    (folder / "run.json").write_text(json.dumps({**config, "env_kwargs": {ATTACK: [ATTACK]}}))
    return folder
