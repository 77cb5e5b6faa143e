"""OpenRLHF learns from textgym's environments (OpenRLHF 0.11).

`--train.agent_func_path` names a file of one line:

    from textgym.training.openrlhf import AgentExecutor

Invariants: sampled ids are recorded as the engine returned them; an episode that failed raises, and
is never a reward.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from copy import deepcopy
from itertools import groupby
from pathlib import Path
from typing import Any

from openrlhf.utils.agent import AgentExecutorBase

from textgym.errors import PolicyFailure, TrainingError
from textgym.policies.base import Sampling
from textgym.policies.token_policy import SampledTokens, TokenPolicy
from textgym.training.task_rows import key_of, player_of, task_rows
from textgym.trajectories.tokens import token_rows

__all__ = ["AgentExecutor", "write_dataset"]


class AgentExecutor(AgentExecutorBase):  # type: ignore[misc]  # openrlhf is not typed here
    """Plays the task that a row of `write_dataset` stands for, with OpenRLHF's engine."""

    async def execute(
        self,
        prompt: str,
        label: str,
        sampling_params: Any,
        max_length: int,
        hf_tokenizer: Any,
        llm_engine: Any,
        images: Any = None,
    ) -> dict[str, Any]:
        """Play an episode.

        Args:
            prompt: The text of the row, which is only shown.
            label: The task, as JSON.
            sampling_params: vLLM's parameters.
            max_length: The most tokens of an episode.
            hf_tokenizer: The tokenizer.
            llm_engine: OpenRLHF's engine.
            images: The row has none.

        Raises:
            TrainingError: The episode failed, or has several token sequences.
        """
        row = json.loads(label)

        async def sample(
            prompt_ids: list[int], sampling: Sampling, seed: int | None
        ) -> SampledTokens:
            params = deepcopy(sampling_params)
            params.max_tokens = min(sampling.max_tokens, params.max_tokens or sampling.max_tokens)
            output = (await llm_engine.generate(prompt_ids, params)).outputs[0]
            if output.finish_reason not in ("stop", "length"):
                raise PolicyFailure(f"the engine stopped with {output.finish_reason!r}")
            ids = list(output.token_ids)
            logprobs = output.logprobs and [
                found[token].logprob for found, token in zip(output.logprobs, ids, strict=True)
            ]
            return SampledTokens(ids, logprobs or None, output.finish_reason == "stop")

        policy = TokenPolicy(
            sample,
            hf_tokenizer,
            Sampling(max_tokens=max_length),
            name="openrlhf",
            context_length=max_length,
        )
        (episode,) = await player_of(row).aplay(policy, [key_of(row)])
        if episode["failure"]:
            raise TrainingError(f"an episode has no reward: {episode['failure']['message']}")
        rows = token_rows(episode)
        if len(rows) != 1:
            raise TrainingError(f"an episode has {len(rows)} token sequences: OpenRLHF trains on 1")
        ids = rows[0].prompt_ids + rows[0].completion_ids
        mask = [0] * len(rows[0].prompt_ids) + rows[0].completion_mask
        has_logprobs = sampling_params.logprobs is not None
        return {
            "prompt": prompt,
            "label": label,
            "images": None,
            "mm_train_inputs": None,
            "reward": episode["reward"],
            "scores": float(bool(episode["is_success"])),
            "observation_tokens": ids,
            "action_ranges": _ranges(mask),
            "rollout_log_probs": (
                [0.0] * len(rows[0].prompt_ids) + rows[0].logprobs if has_logprobs else None
            ),
            "truncated": any(step["finish_reason"] == "length" for step in episode["steps"]),
            "extra_logs": {},
        }


def _ranges(mask: list[int]) -> list[tuple[int, int]]:
    """Return where the ones of a mask begin and end."""
    ranges, place = [], 0
    for sampled, tokens in groupby(mask):
        end = place + len(list(tokens))
        if sampled:
            ranges.append((place, end))
        place = end
    return ranges


def write_dataset(
    path: str | Path, envs: str | Mapping[str, float], n: int | None = None, **options: Any
) -> Path:
    """Write a file of JSON lines for `--data.prompt_dataset`, with the keys `prompt` and `label`.

    Args:
        path: The file.
        envs: As in `task_rows`.
        n: As in `task_rows`.
        **options: As in `task_rows`.

    Returns:
        The path.
    """
    lines = (
        json.dumps({"prompt": row["prompt"], "label": json.dumps(row)})
        for row in task_rows(envs, n, **options)
    )
    place = Path(path)
    place.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return place
