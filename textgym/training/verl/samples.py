"""Episodes as what verl's agent loops return.

Invariants: a sample never has more tokens than verl has room for; an episode without a reward, or
one that was split, has a mask of zeros, so that nothing is learned from it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from textgym.trajectories.schema import Trajectory
from textgym.trajectories.token_rows import TokenRow, token_rows

__all__ = ["VerlSample", "make_sample"]


@dataclass(frozen=True, slots=True)
class VerlSample:
    """The values of an `AgentLoopOutput`.

    Attributes:
        prompt_ids: The ids before the first sampled token.
        response_ids: The ids from there on.
        response_mask: 1 for each sampled id.
        response_logprobs: The log probability of each id, 0 for those that were not sampled; None
            if the server reported none.
        reward_score: The return; 0 for an episode that is not trained on, whose mask is 0.
        num_turns: The number of messages after the system message.
        figures: What verl logs of the episode.
    """

    prompt_ids: list[int]
    response_ids: list[int]
    response_mask: list[int]
    response_logprobs: list[float] | None
    reward_score: float
    num_turns: int
    figures: dict[str, Any]


def make_sample(
    trajectory: Trajectory, *, filler_id: int, response_length: int, has_logprobs: bool
) -> VerlSample:
    """Return an episode as a sample.

    Args:
        trajectory: The episode.
        filler_id: The token of a sample that is not trained on.
        response_length: How many tokens a response may have.
        has_logprobs: Whether the server reported log probabilities.
    """
    failure = trajectory["failure"]
    rows = [] if failure else token_rows(trajectory)
    is_split = len(rows) > 1
    # The policy leaves room for each message; only what the environment said last may be too long.
    fits = all(sum(row.completion_mask[response_length:]) == 0 for row in rows)
    is_trained = len(rows) == 1 and fits
    row = rows[0] if is_trained else TokenRow([filler_id], [filler_id], [0], [0.0])
    ids, mask = row.completion_ids[:response_length], row.completion_mask[:response_length]
    return VerlSample(
        prompt_ids=row.prompt_ids,
        response_ids=ids,
        response_mask=mask,
        response_logprobs=row.logprobs[:response_length] if has_logprobs else None,
        reward_score=(trajectory["reward"] or 0.0) if is_trained else 0.0,
        num_turns=len(trajectory["messages"]),
        figures={
            "success": float(bool(trajectory["is_success"])),
            "failed": float(failure is not None),
            "split": float(is_split),
            "truncated": float(trajectory["truncated"]),
        },
    )
