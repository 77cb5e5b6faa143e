"""AReaL learns from textgym's environments: a `RolloutWorkflow` (AReaL 1.0).

    trainer.train(
        workflow="textgym.training.areal.TextgymWorkflow",
        workflow_kwargs={"gconfig": config.gconfig, "tokenizer": config.tokenizer_path},
    )

Invariants: sampled ids are recorded as the engine returned them; an episode without a reward
raises, so that AReaL drops its group. (AReaL divides a batch into groups of a fixed size, so a
group with an episode less would mix up the groups after it.)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import uuid4

import torch
from areal import workflow_context
from areal.api import InferenceEngine, ModelRequest, RolloutWorkflow
from areal.api.cli_args import GenerationHyperparameters
from areal.utils import stats_tracker
from areal.utils.hf_utils import load_hf_tokenizer

from textgym.errors import PolicyFailure
from textgym.policies.base import Sampling
from textgym.policies.token_policy import SampledTokens
from textgym.training.playing import play_row

__all__ = ["TextgymWorkflow"]


class TextgymWorkflow(RolloutWorkflow):  # type: ignore[misc]  # areal is not typed here
    """Plays the task in a row of `textgym.training.tasks.task_rows` with AReaL's engine.

    Args:
        gconfig: How tokens are sampled. `max_new_tokens` limits a message, `max_tokens` the whole
            conversation. A message ends at `stop_token_ids`, and at the tokenizer's end token.
        tokenizer: The model's tokenizer, with a chat template, or its path.
        **settings: Further arguments of `play_row`.
    """

    def __init__(self, gconfig: GenerationHyperparameters, tokenizer: Any, **settings: Any) -> None:
        is_path = isinstance(tokenizer, str)
        self._tokenizer = load_hf_tokenizer(tokenizer) if is_path else tokenizer
        self._gconfig = gconfig.new_with_stop_and_pad_token_ids(self._tokenizer)
        self._settings = {"end_ids": self._gconfig.stop_token_ids, **settings}

    async def arun_episode(
        self, engine: InferenceEngine, data: Mapping[str, Any]
    ) -> dict[str, torch.Tensor]:
        """Play an episode, and return its tensors for a batch of one.

        Raises:
            TrainingError: The episode failed, or has no or several token sequences.
        """
        request_id, versions = uuid4().hex, list[int]()

        async def sample(
            prompt_ids: list[int], sampling: Sampling, seed: int | None
        ) -> SampledTokens:
            gconfig = self._gconfig.new(n_samples=1, max_new_tokens=sampling.max_tokens)
            ids = list(prompt_ids)
            request = ModelRequest(request_id, ids, gconfig, tokenizer=self._tokenizer)
            answer = await engine.agenerate(request)
            if answer.stop_reason == "abort":
                raise PolicyFailure("AReaL aborted the request")
            versions[len(ids) :] = []  # of an answer that could not be used
            versions.extend([-1] * (len(ids) - len(versions)) + answer.output_versions)
            is_finished = answer.stop_reason != "length"
            return SampledTokens(answer.output_tokens, answer.output_logprobs, is_finished)

        played = await play_row(
            data,
            sample,
            self._tokenizer,
            sampling={"max_tokens": self._gconfig.max_new_tokens},
            name="areal",
            context_length=self._gconfig.max_tokens,
            **self._settings,
        )
        tokens = played.sequence("AReaL")
        scope = stats_tracker.get(workflow_context.stat_scope())
        scope.scalar(reward=played.reward, **played.figures("reward/"))
        sampled_with = [
            version if is_sampled else -1
            for version, is_sampled in zip(versions, tokens.loss_mask, strict=False)
        ]
        values = {
            "input_ids": torch.tensor(tokens.ids, dtype=torch.int32),
            "loss_mask": torch.tensor(tokens.loss_mask, dtype=torch.int32),
            "logprobs": torch.tensor(tokens.logprobs, dtype=torch.float32),
            "versions": torch.tensor(sampled_with, dtype=torch.int32),
            "attention_mask": torch.ones(len(tokens.ids), dtype=torch.bool),
            "rewards": torch.tensor(played.reward, dtype=torch.float32),
        }
        return {name: value.unsqueeze(0) for name, value in values.items()}
