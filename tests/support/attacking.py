"""Asking an attacker for its message at any turn of an episode."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from textgym.checks.episodes import NotApplicable, next_message


def answer_of(
    policy: Any, messages: Sequence[Any], tools: Sequence[Any] = (), turn: int = 0
) -> Any:
    """Return the message that a scripted policy sends, or its text if it has nothing else.

    Raises:
        NotApplicable: The policy is not applicable at this turn.
    """
    playing = policy.for_env(None)
    playing.turn, playing.rng = turn - 1, random.Random(0)
    message: Any = next_message(playing, list(messages), list(tools), 0)
    if playing.gave_up:
        raise NotApplicable
    return message["content"] if message.keys() == {"role", "content"} else message
