"""Episodes as what verl's agent loops return.

Invariants: a sample never has more tokens than verl has room for; only episodes with a reward
become samples that are trained on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from textgym.errors import TrainingError
from textgym.trajectories.schema import Trajectory
from textgym.trajectories.tokens import TokenRow, token_rows

__all__ = ["VerlSample", "left_out", "make_samples"]


@dataclass(frozen=True, slots=True)
class VerlSample:
    """The values of an `AgentLoopOutput`.

    Attributes:
        prompt_ids: The ids before the first sampled token.
        response_ids: The ids from there on.
        response_mask: 1 for each sampled id.
        response_logprobs: The log probability of each id, 0 for those that were not sampled; None
            if the server reported none.
        reward_score: The return of the episode.
        num_turns: The number of messages of the episode.
        figures: What verl logs of the episode.
    """

    prompt_ids: list[int]
    response_ids: list[int]
    response_mask: list[int]
    response_logprobs: list[float] | None
    reward_score: float
    num_turns: int
    figures: dict[str, Any]


def make_samples(
    trajectory: Trajectory, *, response_length: int, has_logprobs: bool
) -> list[VerlSample]:
    """Return an episode as samples: one for each token sequence.

    Args:
        trajectory: The episode.
        response_length: How many tokens a response may have.
        has_logprobs: Whether the server reported log probabilities.

    Raises:
        TrainingError: The episode has no reward, or nothing that verl has room for.
    """
    if trajectory["failure"]:
        raise TrainingError(f"the episode failed: {trajectory['failure']['message']}")
    rows = token_rows(trajectory)
    if not rows:
        raise TrainingError("nothing was sampled: the prompt does not fit into prompt_length")
    # The policy leaves room for each message; only what the environment said last may be too long.
    if any(sum(row.completion_mask[response_length:]) for row in rows):
        raise TrainingError("a message does not fit into response_length")
    figures = _figures(trajectory, is_split=len(rows) > 1)
    return [
        VerlSample(
            prompt_ids=row.prompt_ids,
            response_ids=row.completion_ids[:response_length],
            response_mask=row.completion_mask[:response_length],
            response_logprobs=row.logprobs[:response_length] if has_logprobs else None,
            reward_score=trajectory["reward"] or 0.0,
            num_turns=len(trajectory["messages"]),
            figures=figures,
        )
        for row in rows
    ]


def left_out(trajectory: Trajectory, *, filler_id: int, has_logprobs: bool) -> VerlSample:
    """Return an episode as a sample that nothing is learned from: its mask and its score are 0.

    Args:
        trajectory: The episode.
        filler_id: The only token of the sample.
        has_logprobs: Whether the server reported log probabilities.
    """
    is_split = not trajectory["failure"] and len(token_rows(trajectory)) > 1
    row = TokenRow([filler_id], [filler_id], [0], [0.0])
    return VerlSample(
        prompt_ids=row.prompt_ids,
        response_ids=row.completion_ids,
        response_mask=row.completion_mask,
        response_logprobs=row.logprobs if has_logprobs else None,
        reward_score=0.0,
        num_turns=len(trajectory["messages"]),
        figures=_figures(trajectory, is_split=is_split),
    )


def _figures(trajectory: Trajectory, *, is_split: bool) -> dict[str, Any]:
    return {
        "success": float(bool(trajectory["is_success"])),
        "failed": float(trajectory["failure"] is not None),
        "split": float(is_split),
        "truncated": float(trajectory["truncated"]),
    }
