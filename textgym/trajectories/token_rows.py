"""Token rows: the token sequences of an episode in the form that trainers take.

Trainers split a sequence into a prompt, which is never trained on, and a completion with a mask.

Invariants: a row's completion begins with a sampled token; prompt and completion together are the
ids that the engine saw and sampled, in order; an episode has one row, and one more for each split.
"""

from __future__ import annotations

from dataclasses import dataclass

from textgym.policies import Tokens
from textgym.trajectories.schema import Trajectory
from textgym.trajectories.tokens import check_has_tokens, token_sequences

__all__ = ["TokenRow", "token_rows"]


@dataclass(frozen=True, slots=True)
class TokenRow:
    """A token sequence.

    Attributes:
        prompt_ids: The ids before the first sampled token.
        completion_ids: All ids from the first sampled token on, also those of later prompts.
        completion_mask: 1 for each sampled id of the completion, 0 for the others.
        logprobs: The log probability of each sampled id of the completion, 0 for the others; NaN
            where the policy reported none.

    Example:
        >>> TokenRow.of(Tokens([1, 2, 3, 4, 5], [0, 0, 1, 0, 1], [0.0, 0.0, -0.5, 0.0, -0.2], 4))
        TokenRow(prompt_ids=[1, 2], completion_ids=[3, 4, 5], completion_mask=[1, 0, 1], \
logprobs=[-0.5, 0.0, -0.2])
    """

    prompt_ids: list[int]
    completion_ids: list[int]
    completion_mask: list[int]
    logprobs: list[float]

    @classmethod
    def of(cls, tokens: Tokens) -> TokenRow:
        """Return a token sequence as a row."""
        mask = tokens.loss_mask
        start = mask.index(1) if 1 in mask else len(mask)
        return cls(tokens.ids[:start], tokens.ids[start:], mask[start:], tokens.logprobs[start:])


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
