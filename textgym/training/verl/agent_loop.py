"""The agent loop `textgym`: one episode of an environment, with the tokens of verl's servers.

verl imports this module as a plugin, which registers the loop, the advantage estimator
`textgym_grpo`, and, if verl's present trainer can run, the trainer `textgym_sync`.

Invariants: sampled ids are recorded as the server returned them; an episode without a reward is
never trained on, and removes no other sample of its batch.
"""

from __future__ import annotations

import importlib.util
import logging
from functools import cache
from typing import Any
from uuid import uuid4

from verl.experimental.agent_loop.agent_loop import (
    AgentLoopBase,
    AgentLoopMetrics,
    AgentLoopOutput,
    register,
)
from verl.trainer.ppo.core_algos import register_adv_est
from verl.utils.fs import copy_to_local
from verl.utils.model import get_generation_config

from textgym.errors import PolicyFailure, TrainingError
from textgym.policies.base import Sampling
from textgym.policies.chat.templates import with_template_arguments
from textgym.policies.token_policy import SampledTokens
from textgym.training.playing import play_row
from textgym.training.verl.samples import (
    AGENT_NAME,
    VerlSample,
    left_out,
    make_samples,
    textgym_grpo,
)
from textgym.trajectories.schema import Trajectory

__all__ = ["TextgymAgentLoop"]

register_adv_est("textgym_grpo")(textgym_grpo)
if importlib.util.find_spec("transfer_queue"):  # without it, verl has its legacy trainer only
    import textgym.training.verl.trainer  # noqa: F401

_log = logging.getLogger(__name__)


class _Server:
    """Samples the messages of an episode with verl's servers.

    All requests have the same id, so that verl sends them to the same server, which caches their
    prefix.

    Attributes:
        versions: The versions of the weights that sampled, by verl's names.
    """

    def __init__(self, manager: Any, sampling_params: dict[str, Any]) -> None:
        self._manager, self._sampling_params = manager, sampling_params
        self._request_id = uuid4().hex
        self.versions: dict[str, Any] = {}

    async def sample(
        self, prompt_ids: list[int], sampling: Sampling, seed: int | None
    ) -> SampledTokens:
        """Continue a prompt."""
        output = await self._manager.generate(
            request_id=self._request_id,
            prompt_ids=prompt_ids,
            sampling_params={**self._sampling_params, "max_tokens": sampling.max_tokens},
        )
        if output.stop_reason in ("aborted", "abort"):  # of vLLM's server, and of SGLang's
            raise PolicyFailure("verl's server aborted the request")
        self.versions.setdefault("min_global_steps", output.extra_fields.get("min_global_steps"))
        self.versions["max_global_steps"] = output.extra_fields.get("max_global_steps")
        return SampledTokens(output.token_ids, output.log_probs or None)


@register(AGENT_NAME)
class TextgymAgentLoop(AgentLoopBase):  # type: ignore[misc]  # verl is not typed here
    """Plays the task in a row of `write_dataset`."""

    async def run(
        self, sampling_params: dict[str, Any], **row: Any
    ) -> AgentLoopOutput | list[AgentLoopOutput]:
        """Play an episode.

        Args:
            sampling_params: How tokens are sampled.
            **row: The row of the data set. The workers of verl's present trainer add a
                `session_id`.

        Returns:
            For verl's present trainer, an output for each token sequence. For its legacy trainer,
            one output; its mask is 0 if the episode is not trained on.

        Raises:
            TrainingError: The episode is left out of the batch of verl's present trainer.
        """
        model = self.config.actor_rollout_ref.model
        server = _Server(self.server_manager, sampling_params)
        played = await play_row(
            row["extra_info"],
            server.sample,
            with_template_arguments(self.tokenizer, self.apply_chat_template_kwargs),
            max_prompt=self.rollout_config.prompt_length,
            max_response=self.rollout_config.response_length,
            name="verl",
            end_ids=_end_ids(model.path, bool(model.get("trust_remote_code"))),
        )
        trajectory = played.trajectory
        has_logprobs = bool(sampling_params.get("logprobs"))
        try:
            samples = self._samples(trajectory, has_logprobs, takes_many="session_id" in row)
        except TrainingError as error:
            if "session_id" in row:
                raise
            _log.warning("an episode is left out: %s", error)
            filler_id = self.tokenizer.eos_token_id
            samples = [left_out(trajectory, filler_id=filler_id, has_logprobs=has_logprobs)]
        outputs = [_output(sample, server.versions) for sample in samples]
        return outputs if "session_id" in row else outputs[0]

    def _samples(
        self, trajectory: Trajectory, has_logprobs: bool, *, takes_many: bool
    ) -> list[VerlSample]:
        """Return the samples of an episode.

        Raises:
            TrainingError: There are none, or the trainer would not count them as one episode.
        """
        response_length = self.rollout_config.response_length
        samples = make_samples(
            trajectory, response_length=response_length, has_logprobs=has_logprobs
        )
        if len(samples) > 1 and not (takes_many and self.config.algorithm.adv_estimator == "grpo"):
            raise TrainingError(
                f"the chat template split the episode into {len(samples)} token sequences, which "
                "verl counts as one episode only with algorithm.adv_estimator=grpo"
            )
        return samples


@cache
def _end_ids(model: str, trust_remote_code: bool) -> Any:
    """Return the ids at which verl's servers end a message, from the model's files."""
    config = get_generation_config(copy_to_local(model), trust_remote_code)
    return getattr(config, "eos_token_id", None)


def _output(sample: VerlSample, versions: dict[str, Any]) -> AgentLoopOutput:
    return AgentLoopOutput(
        prompt_ids=sample.prompt_ids,
        response_ids=sample.response_ids,
        response_mask=sample.response_mask,
        response_logprobs=sample.response_logprobs,
        reward_score=sample.reward_score,
        num_turns=sample.num_turns,
        metrics=AgentLoopMetrics(),
        extra_fields={"reward_extra_info": sample.figures, **versions},
    )
