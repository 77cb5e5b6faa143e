"""The tokens of an episode: the sequences that a trainer learns from, and their rows.

They are read from the recorded steps, which `rollouts.episode` writes. A turn whose prompt begins
with all tokens so far extends their sequence; any other turn starts a new sequence, which is called
a split. Only tokens that the policy sampled have a loss mask of 1; prompts, solved examples and
assistant messages from the environment have 0.

A token row is a sequence as trainers take it: a prompt, which is never trained on, and a completion
with a mask.

Invariants: a row's completion begins with a sampled token; prompt and completion together are the
ids that the engine saw and sampled, in order; an episode has one row, and one more for each split.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from textgym.errors import UsageError
from textgym.messages import Message, text_of
from textgym.policies import Action, PictureSpan, Tokens
from textgym.policies.base import one_id_each
from textgym.trajectories.schema import Trajectory

__all__ = [
    "TokenRecord", "TokenRow", "check_has_tokens", "token_rows", "token_sequences",
    "turns_of_tokens",
]  # fmt: skip


def check_has_tokens(trajectory: Trajectory) -> None:
    """Check that every step of an episode has tokens.

    Raises:
        UsageError: The policy reported none.
    """
    steps = trajectory["steps"]
    if any(step["prompt_ids"] is None or step["token_ids"] is None for step in steps):
        raise UsageError(
            f"training needs tokens, and {trajectory['policy']} reports none: use a policy that "
            "does, such as hf:MODEL or vllm:MODEL"
        )


def token_sequences(steps: Sequence[Mapping[str, Any]]) -> list[Tokens]:
    """Return the token sequences of a trajectory's steps: one, and one more for each split.

    Steps without tokens are skipped.

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
        if step["prompt_ids"] is None or step["token_ids"] is None:
            continue
        ids = step["prompt_ids"], step["token_ids"], step["logprobs"]
        turn = (*ids, step["message_index"] + 1, tuple(step.get("pictures", ())))
        extended = sequences[-1].extended(*turn) if sequences else None
        if extended:
            sequences[-1] = extended
        else:
            sequences.append(Tokens.of_turn(*turn))
    return sequences


def turns_of_tokens(steps: Sequence[Mapping[str, Any]]) -> list[list[int]]:
    """Return the number of each token's turn, for each of the steps' token sequences.

    It is -1 for tokens that were not sampled, and for turns of another sequence.

    Example:
        >>> step = {"message_index": 1, "prompt_ids": [1, 2], "token_ids": [3], "logprobs": [-0.5]}
        >>> next_step = {**step, "message_index": 3, "prompt_ids": [1, 2, 3, 4]}
        >>> turns_of_tokens([step, next_step])
        [[-1, -1, 0, -1, 1]]
        >>> turns_of_tokens([step, {**step, "message_index": 3}])
        [[-1, -1, 0], [-1, -1, 1]]
    """
    sequences, start = list[list[int]](), 0
    for tokens in token_sequences(steps):
        turns = [-1] * len(tokens.ids)
        for turn, step in enumerate(steps):
            if start <= step["message_index"] < tokens.message_count and step["token_ids"]:
                first = len(step["prompt_ids"])
                turns[first : first + len(step["token_ids"])] = [turn] * len(step["token_ids"])
        sequences.append(turns)
        start = tokens.message_count
    return sequences


class TokenRecord:
    """The tokens of an episode while it is played.

    Attributes:
        splits: How many turns after the first started a new sequence; None without tokens.
    """

    def __init__(self) -> None:
        self.splits: int | None = None
        self._tokens: Tokens | None = None
        self._messages: list[Message] = []

    def prior(self, messages: Sequence[Message]) -> Tokens | None:
        """Return a copy of the tokens that a conversation begins with.

        None before the first turn with tokens, and if the environment has changed an earlier
        message.
        """
        tokens = self._tokens
        if tokens is None or not self._is_prefix_of(messages):
            return None
        return Tokens(
            list(tokens.ids),
            list(tokens.loss_mask),
            list(tokens.logprobs),
            tokens.message_count,
            tokens.pictures,
        )

    def add(self, action: Action, messages: Sequence[Message], message: Message) -> None:
        """Add a turn.

        Args:
            action: The action, with its tokens.
            messages: The conversation that the policy saw.
            message: The action's message.
        """
        if action.prompt_ids is None or action.token_ids is None:
            return
        ids = action.prompt_ids, action.token_ids, action.logprobs
        turn = (*ids, len(messages) + 1, tuple(action.pictures or ()))
        extended = self._tokens.extended(*turn) if self._tokens else None
        if extended is None:
            self.splits = 0 if self.splits is None else self.splits + 1
        self._tokens = extended or Tokens.of_turn(*turn)
        self._messages = [*messages, message]

    def _is_prefix_of(self, messages: Sequence[Message]) -> bool:
        """Return whether a conversation begins with the recorded one.

        Only the text of the last recorded message is compared, because environments add ids to its
        tool calls.
        """
        count = len(self._messages)
        if len(messages) < count or list(messages[: count - 1]) != self._messages[:-1]:
            return False
        sampled, observed = self._messages[-1], messages[count - 1]
        return observed["role"] == "assistant" and text_of(observed) == text_of(sampled)


@dataclass(frozen=True, slots=True)
class TokenRow:
    """A token sequence.

    Attributes:
        prompt_ids: The ids before the first sampled token.
        completion_ids: All ids from the first sampled token on, with later prompts.
        completion_mask: 1 for each sampled id of the completion, 0 for the others.
        logprobs: The log probability of each sampled id of the completion, 0 for the others; NaN
            where the policy reported none.
        pictures: Where pictures are in prompt and completion together, in order.

    Example:
        >>> row = TokenRow.of(Tokens([1, 2, 3, 4, 5], [0, 0, 1, 0, 1], [0, 0, -0.5, 0, -0.2], 4))
        >>> row.prompt_ids, row.completion_ids, row.completion_mask, row.logprobs
        ([1, 2], [3, 4, 5], [1, 0, 1], [-0.5, 0, -0.2])
    """

    prompt_ids: list[int]
    completion_ids: list[int]
    completion_mask: list[int]
    logprobs: list[float]
    pictures: tuple[PictureSpan, ...] = ()

    @classmethod
    def of(cls, tokens: Tokens) -> TokenRow:
        """Return a token sequence as a row."""
        mask = tokens.loss_mask
        start = mask.index(1) if 1 in mask else len(mask)
        ids, logprobs = tokens.ids, tokens.logprobs[start:]
        return cls(ids[:start], ids[start:], mask[start:], logprobs, tokens.pictures)

    @property
    def placeholder_ids(self) -> list[int]:
        """All ids, with one placeholder for each picture, as engines take them that expand it.

        Example:
            >>> picture = {"sha256": "", "start": 1, "length": 3, "grid_thw": [1, 2, 6]}
            >>> TokenRow([7, 9, 9, 9], [5], [1], [-0.5], (picture,)).placeholder_ids
            [7, 9, 5]
        """
        return one_id_each([*self.prompt_ids, *self.completion_ids], self.pictures)


def token_rows(trajectory: Trajectory) -> list[TokenRow]:
    """Return the rows of an episode: none if nothing was sampled, several if it was split.

    An episode that failed has the rows of the turns before the failure, and no reward.

    Raises:
        UsageError: The policy reported no tokens.

    Example:
        >>> step = {"message_index": 1, "prompt_ids": [1, 2], "token_ids": [3], "logprobs": [-0.5]}
        >>> [row.completion_ids for row in token_rows({"policy": "mine", "steps": [step, step]})]
        [[3], [3]]
    """
    check_has_tokens(trajectory)
    return [TokenRow.of(tokens) for tokens in token_sequences(trajectory["steps"])]
