"""The data set that verl reads, episodes as what its agent loops return, and their advantages.

Invariants: a sample never has more tokens than verl has room for; only episodes with a reward
become samples that are trained on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from textgym.errors import TrainingError
from textgym.training.tasks import TaskRow, write_tasks
from textgym.trajectories.advantages import dr_grpo, group_advantages, grpo, number_groups
from textgym.trajectories.episode_record import check_graded
from textgym.trajectories.schema import Trajectory
from textgym.trajectories.tokens import TokenRow, token_rows

__all__ = [
    "AGENT_NAME", "VerlSample", "left_out", "make_samples", "textgym_grpo", "trained_advantages",
    "verl_record", "write_dataset",
]  # fmt: skip

AGENT_NAME = "textgym"


def write_dataset(
    path: str | Path, envs: str | Mapping[str, float], n: int | None = None, **options: Any
) -> Path:
    """Write a Parquet file for `data.train_files` or `data.val_files`, and return its path.

    The columns are the same as in verl's own data sets: `data_source` is the environment's id, and
    `extra_info` has the task and how its environment is made. The text of `prompt` is only
    displayed: the environment gives the prompt when an episode begins.

    Args:
        path: The file.
        envs: As in `task_rows`.
        n: As in `task_rows`.
        **options: Further arguments of `task_rows`.

    Raises:
        UsageError: An argument is invalid, or cannot be written to a file.
        ExtraMissingError: The extra `data` is not installed.
    """
    numbers = count()

    def make_record(row: TaskRow) -> dict[str, Any]:
        return verl_record(row, next(numbers), [{"role": "user", "content": row["prompt"]}])

    return write_tasks(path, envs, n, make_record, **options)


def verl_record(
    row: TaskRow, index: int, prompt: list[dict[str, str]], answer: str = ""
) -> dict[str, Any]:
    """Return a task with the columns of verl's own data sets.

    Args:
        row: The task.
        index: The number of the record in its file.
        prompt: The messages that are displayed.
        answer: The answer, which is displayed, too; the environment grades without it.
    """
    return {
        "data_source": row["env_id"],
        "agent_name": AGENT_NAME,
        "prompt": prompt,
        "ability": "agent",
        "reward_model": {"style": "rule", "ground_truth": answer},
        "extra_info": {
            "index": index,
            "split": row["split"],
            "environment": row["environment"],
            "task_index": row["task_index"],
            "made_with": row["made_with"],
        },
    }


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
        figures: The figures of the episode that verl logs.
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
        response_length: The maximum number of tokens of a response.
        has_logprobs: Whether the server reported log probabilities.

    Raises:
        TrainingError: The episode has no reward, or nothing that verl has room for.
    """
    check_graded(trajectory, TrainingError)
    rows = token_rows(trajectory)
    if not rows:
        raise TrainingError("nothing was sampled: the prompt does not fit into prompt_length")
    # The policy leaves room for each message; only the environment's last one may be too long.
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
    """Return an episode as a sample that is not trained on: its mask and its score are 0.

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


def trained_advantages(
    scores: Sequence[float], groups: Sequence[Any], trained: Sequence[bool], *, by_std: bool
) -> np.ndarray[Any, np.dtype[Any]]:
    """Return the advantage of each sample in its group; 0 for samples that are not trained on.

    Args:
        scores: The return of each sample.
        groups: The group of each sample.
        trained: Whether the sample has trained tokens.
        by_std: Whether advantages are divided by the standard deviation of the group.

    Example:
        >>> trained_advantages([1, 0, 0], "aaa", [True, True, False], by_std=False).tolist()
        [0.5, -0.5, 0.0]
    """
    chosen = np.array(trained, bool)
    values, advantages = np.array(scores, float), np.zeros(len(scores))
    advantage = grpo if by_std else dr_grpo
    advantages[chosen] = group_advantages(number_groups(groups)[chosen], values[chosen], advantage)
    return advantages


def textgym_grpo(
    token_level_rewards: Any,
    response_mask: Any,
    index: Any,
    norm_adv_by_std_in_grpo: bool = True,
    config: Mapping[str, Any] | None = None,
    **kwargs: Any,
) -> tuple[Any, Any]:
    """Return GRPO's advantages without the episodes that failed, as advantages and as returns.

    verl's legacy trainer needs a score for every sample. A sample whose mask is 0 everywhere, as
    `left_out` makes it, is left out of its group, so that its score does not count in the mean.
    See `register_adv_est` of verl.

    Args:
        token_level_rewards: The rewards by sample and token.
        response_mask: 1 for each sampled token.
        index: The group of each sample.
        norm_adv_by_std_in_grpo: Whether advantages are divided by the standard deviation.
        config: verl's configuration of the algorithm, which is not used.
        **kwargs: What verl passes to other estimators.
    """
    import torch

    with torch.no_grad():
        values = trained_advantages(
            token_level_rewards.sum(dim=-1).tolist(),
            list(index),
            response_mask.any(dim=-1).tolist(),
            by_std=norm_adv_by_std_in_grpo,
        )
        advantages = token_level_rewards.new_tensor(values).unsqueeze(-1) * response_mask
    return advantages, advantages
