"""NeMo Gym's `example_multi_turn_gymnasium`, as an environment of Aviary.

`textgym/Aviary-v0` plays its rows:

    gymnasium.make(
        "textgym/Aviary-v0",
        env="textgym.integrations.aviary.follow_ups:FollowUps",
        dataset="rows.jsonl",
    )
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from aviary.core import Environment, Message, Tool

from textgym.messages import text_of
from textgym.tasks import nemo_rows

__all__ = ["FollowUps"]


class FollowUps(Environment[list[str]]):
    """Asks a question and then its follow-ups, and grades the last answer.

    The reward is 1 if the last answer contains `expected_answer`, ignoring case, as in NeMo Gym. So
    an answer that lists many values can earn it: use it to play NeMo Gym's rows, not to train.

    Args:
        responses_create_params: NeMo Gym's prompt.
        follow_ups: The user's further messages.
        expected_answer: A text that the last answer must contain.

    Example:
        >>> import asyncio
        >>> prompt = {"input": [{"role": "user", "content": "What is 6 times 7?"}]}
        >>> env = FollowUps(prompt, follow_ups=["Add 1."], expected_answer="43")
        >>> async def play():
        ...     await env.reset()
        ...     return [await env.step(Message(role="assistant", content=t)) for t in ("42", "43")]
        >>> [(reward, done) for _, reward, done, _ in asyncio.run(play())]
        [(0.0, False), (1.0, True)]
    """

    def __init__(
        self,
        responses_create_params: Mapping[str, Any],
        follow_ups: Sequence[str] = (),
        expected_answer: str = "",
    ) -> None:
        row = {"responses_create_params": responses_create_params}
        self._prompt = nemo_rows.prompt_of(row)
        self._follow_ups, self._expected = tuple(follow_ups), expected_answer
        self.tools: list[Tool] = []

    async def reset(self) -> tuple[list[Message], list[Tool]]:
        """Return the prompt."""
        self.state = list(self._follow_ups)
        prompt = [
            Message(role=message["role"], content=text_of(message)) for message in self._prompt
        ]
        return prompt, self.tools

    async def step(self, action: Message) -> tuple[list[Message], float, bool, bool]:
        """Return the next follow-up, or the reward of the last answer."""
        if self.state:
            return [Message(content=self.state.pop(0))], 0.0, False, False
        text, expected = (action.content or "").lower(), self._expected.lower()
        return [], float(bool(expected) and expected in text), True, False
