"""The tokens of an episode: the sequences that a trainer learns from.

A turn whose prompt begins with all tokens so far goes on with their sequence; any other begins a
new one, which is a split. Only what a policy sampled has a loss mask of 1: prompts, solved examples
and whatever an environment says in the assistant's name have 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from textgym.messages import Message, text_of
from textgym.policies import Action, Tokens

__all__ = ["TokenRecord", "token_sequences"]


def token_sequences(steps: Sequence[Mapping[str, Any]]) -> list[Tokens]:
    """Return the token sequences of a trajectory's steps: one, and one more for each split.

    Steps without tokens give none.

    Example:
        >>> step = {"message_index": 1, "prompt_ids": [1, 2], "token_ids": [3], "logprobs": [-0.5]}
        >>> next_step = {**step, "message_index": 3, "prompt_ids": [1, 2, 3, 4]}
        >>> [tokens.loss_mask for tokens in token_sequences([step, next_step])]
        [[0, 0, 1, 0, 1]]
        >>> [tokens.ids for tokens in token_sequences([step, step])]
        [[1, 2, 3], [1, 2, 3]]
    """
    sequences: list[Tokens] = []
    for step in steps:
        turn = (step["prompt_ids"], step["token_ids"], step["logprobs"], step["message_index"] + 1)
        if step["prompt_ids"] is None or step["token_ids"] is None:
            continue
        longer = sequences[-1].extended(*turn) if sequences else None
        if longer:
            sequences[-1] = longer
        else:
            sequences.append(Tokens.of_turn(*turn))
    return sequences


class TokenRecord:
    """An episode's tokens while it is played.

    Attributes:
        splits: How many turns after the first began a new sequence; None without tokens.
    """

    def __init__(self) -> None:
        self.splits: int | None = None
        self._tokens: Tokens | None = None
        self._messages: list[Message] = []

    def prior(self, messages: Sequence[Message]) -> Tokens | None:
        """Return the tokens that a conversation begins with, as a copy; None where there are none.

        There are none either where the environment changed what was said before.
        """
        tokens = self._tokens
        if tokens is None or not self._begins(messages):
            return None
        return Tokens(
            list(tokens.ids), list(tokens.loss_mask), list(tokens.logprobs), tokens.message_count
        )

    def add(self, action: Action, messages: Sequence[Message], said: Message) -> None:
        """Record an action, the conversation that it answered, and its message."""
        if action.prompt_ids is None or action.token_ids is None:
            return
        turn = (action.prompt_ids, action.token_ids, action.logprobs, len(messages) + 1)
        longer = self._tokens.extended(*turn) if self._tokens else None
        if longer is None:
            self.splits = 0 if self.splits is None else self.splits + 1
        self._tokens = longer or Tokens.of_turn(*turn)
        self._messages = [*messages, said]

    def _begins(self, messages: Sequence[Message]) -> bool:
        """Tell whether a conversation begins with the one that was recorded.

        Of the sampled message the text counts: environments give its tool calls ids.
        """
        count = len(self._messages)
        if len(messages) < count or list(messages[: count - 1]) != self._messages[:-1]:
            return False
        said, held = self._messages[-1], messages[count - 1]
        return held["role"] == "assistant" and text_of(held) == text_of(said)
