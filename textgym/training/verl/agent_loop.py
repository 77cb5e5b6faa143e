"""The agent loop `textgym`: one episode of an environment, with the tokens of verl's servers.

verl imports this module as a plugin, which registers the loop and the advantage estimator
`textgym_grpo`.

Invariants: sampled ids are recorded as the server returned them; whatever fails in an environment,
`run` returns a sample, so that the other samples of the batch are not lost.
"""

from __future__ import annotations

import logging
from typing import Any
from uuid import uuid4

from verl.experimental.agent_loop.agent_loop import (
    AgentLoopBase,
    AgentLoopMetrics,
    AgentLoopOutput,
    register,
)
from verl.trainer.ppo.core_algos import register_adv_est

from textgym.errors import ContextFullError, PolicyFailure
from textgym.policies.base import Sampling
from textgym.policies.token_policy import SampledTokens, TokenPolicy
from textgym.training.task_rows import key_of, player_of
from textgym.training.verl.advantages import textgym_grpo
from textgym.training.verl.dataset import AGENT_NAME
from textgym.training.verl.samples import make_sample

__all__ = ["TextgymAgentLoop"]

register_adv_est("textgym_grpo")(textgym_grpo)

_log = logging.getLogger(__name__)


@register(AGENT_NAME)
class TextgymAgentLoop(AgentLoopBase):  # type: ignore[misc]  # verl is not typed here
    """Plays the task that a row of `write_dataset` stands for."""

    async def run(self, sampling_params: dict[str, Any], **row: Any) -> AgentLoopOutput:
        """Play an episode.

        Args:
            sampling_params: How tokens are sampled.
            **row: The row of the data set.
        """
        task = row["extra_info"]
        response_length = self.rollout_config.response_length
        policy = TokenPolicy(
            self._sampler(sampling_params),
            self.tokenizer,
            Sampling(max_tokens=response_length),
            name="verl",
        )
        (trajectory,) = await player_of(task).aplay(policy, [key_of(task)])
        if trajectory["failure"]:
            _log.warning("an episode failed and is left out: %s", trajectory["failure"]["message"])
        sample = make_sample(
            trajectory,
            filler_id=self.tokenizer.eos_token_id,
            response_length=response_length,
            has_logprobs=bool(sampling_params.get("logprobs")),
        )
        return AgentLoopOutput(
            prompt_ids=sample.prompt_ids,
            response_ids=sample.response_ids,
            response_mask=sample.response_mask,
            response_logprobs=sample.response_logprobs,
            reward_score=sample.reward_score,
            num_turns=sample.num_turns,
            metrics=AgentLoopMetrics(),
            extra_fields={"reward_extra_info": sample.figures},
        )

    def _sampler(self, sampling_params: dict[str, Any]) -> Any:
        """Return the function that samples the messages of one episode.

        All of its requests have one id, so that verl sends them to one server, which keeps their
        prefix. Its tokens fit verl's `prompt_length` and `response_length`.
        """
        request_id, first_length = uuid4().hex, 0

        async def sample(
            prompt_ids: list[int], sampling: Sampling, seed: int | None
        ) -> SampledTokens:
            nonlocal first_length
            first_length = first_length or len(prompt_ids)
            if first_length > self.rollout_config.prompt_length:
                raise ContextFullError(
                    f"the prompt has {first_length} tokens, and prompt_length is "
                    f"{self.rollout_config.prompt_length}"
                )
            room = first_length + self.rollout_config.response_length - len(prompt_ids)
            if room < 1:
                raise ContextFullError("the episode has no room left in response_length")
            output = await self.server_manager.generate(
                request_id=request_id,
                prompt_ids=prompt_ids,
                sampling_params={**sampling_params, "max_tokens": room},
            )
            if output.stop_reason == "aborted":
                raise PolicyFailure("verl's server aborted the request")
            return SampledTokens(list(output.token_ids), output.log_probs or None)

        return sample
