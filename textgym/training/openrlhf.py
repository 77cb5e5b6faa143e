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

from textgym.errors import PolicyFailure
from textgym.policies.base import Sampling
from textgym.policies.token_policy import SampledTokens
from textgym.training.playing import play_row
from textgym.training.tasks import write_json_lines, write_tasks

__all__ = ["AgentExecutor", "write_dataset"]


class AgentExecutor(AgentExecutorBase):  # type: ignore[misc]  # openrlhf is not typed here
    """Plays the task in a row of `write_dataset`, with OpenRLHF's engine."""

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
        """Play an episode. The label is the task as JSON; the prompt is only displayed.

        Raises:
            TrainingError: The episode failed, or has several token sequences.
        """

        async def sample(
            prompt_ids: list[int], sampling: Sampling, seed: int | None
        ) -> SampledTokens:
            params = deepcopy(sampling_params)
            params.max_tokens = sampling.max_tokens
            output = (await llm_engine.generate(prompt_ids, params)).outputs[0]
            if output.finish_reason not in ("stop", "length"):
                raise PolicyFailure(f"the engine stopped with {output.finish_reason!r}")
            ids = list(output.token_ids)
            logprobs = output.logprobs and [
                by_token[token].logprob
                for by_token, token in zip(output.logprobs, ids, strict=True)
            ]
            return SampledTokens(ids, logprobs or None, output.finish_reason == "stop")

        length = min(max_length, sampling_params.max_tokens or max_length)
        played = await play_row(
            json.loads(label),
            sample,
            hf_tokenizer,
            sampling={"max_tokens": length},
            name="openrlhf",
            context_length=max_length,
        )
        tokens = played.sequence("OpenRLHF")
        has_logprobs = sampling_params.logprobs is not None
        return {
            "prompt": prompt,
            "label": label,
            "images": None,
            "mm_train_inputs": None,
            "reward": played.reward,
            "scores": played.figures()["success"],
            "observation_tokens": tokens.ids,
            "action_ranges": _ranges(tokens.loss_mask),
            "rollout_log_probs": tokens.logprobs if has_logprobs else None,
            "truncated": played.is_cut,
            "extra_logs": {},
        }


def _ranges(mask: list[int]) -> list[tuple[int, int]]:
    """Return the start and the end of each range of ones in a mask."""
    ranges, start = [], 0
    for is_sampled, tokens in groupby(mask):
        end = start + len(list(tokens))
        if is_sampled:
            ranges.append((start, end))
        start = end
    return ranges


def write_dataset(
    path: str | Path, envs: str | Mapping[str, float], n: int | None = None, **options: Any
) -> Path:
    """Write a file of JSON lines for `--data.prompt_dataset`; see `write_tasks`.

    The keys are `prompt` and `label`.
    """

    def make_record(row: Mapping[str, Any]) -> dict[str, str]:
        return {"prompt": row["prompt"], "label": json.dumps(row)}

    return write_tasks(path, envs, n, make_record, write_json_lines, **options)
