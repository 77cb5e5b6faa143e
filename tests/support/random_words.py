"""A policy that says a word."""

from __future__ import annotations

from typing import Any

from textgym.policies.base import Action, Policy


class Words(Policy):
    name = "words"

    async def act(self, messages: Any, tools: Any, **options: Any) -> Action:
        return Action({"role": "assistant", "content": "word"})
