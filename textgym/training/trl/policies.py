"""The policy over the model that a TRL trainer trains."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from textgym.concurrency.run_sync import run_sync
from textgym.errors import UsageError
from textgym.policies import Policy, Sampling
from textgym.policies.hf import HFPolicy

__all__ = ["policy_of"]


@contextlib.contextmanager
def policy_of(trainer: Any, batch_size: int) -> Iterator[Policy]:
    """Return the policy of a trainer, for one batch of episodes.

    Args:
        trainer: A `GRPOTrainer`.
        batch_size: The maximum number of messages that are sampled at once.

    Raises:
        UsageError: The trainer's settings change the distribution that is sampled from.
    """
    sampling = _sampling(trainer)
    version = f"step {trainer.state.global_step}"
    if trainer.use_vllm:
        yield _vllm_policy(trainer, sampling, version)  # the trainer keeps the engine
        return
    from trl.models.utils import unwrap_model_for_generation

    with unwrap_model_for_generation(
        trainer.model_wrapped,
        trainer.accelerator,
        gather_deepspeed3_params=trainer.args.ds3_gather_for_generation,
    ) as model:
        policy = HFPolicy.of(model, trainer.processing_class, sampling, batch_size, name="trl")
        policy.version = version
        try:
            yield policy
        finally:
            run_sync(policy.close)


def _vllm_policy(trainer: Any, sampling: Sampling, version: str) -> Policy:
    """Return a policy over the engine of a trainer, which has the weights of the last step.

    Raises:
        UsageError: The engine is in another process, sleeps between batches, or is sharded.
    """
    fitting = {
        "vllm_mode": "colocate",
        "vllm_enable_sleep_mode": False,
        "vllm_tensor_parallel_size": 1,
        "vllm_structured_outputs_regex": None,
    }
    for name, value in fitting.items():
        if getattr(trainer.args, name) != value:
            raise UsageError(
                f"GRPOConfig.{name} must be {value!r} for episodes with use_vllm=True, not "
                f"{getattr(trainer.args, name)!r}: they are sampled on the trainer's own engine"
            )
    from textgym.policies.vllm import VLLMPolicy

    policy = VLLMPolicy.of(trainer.vllm_generation.llm, sampling, name="trl")
    policy.version = version
    return policy


def _sampling(trainer: Any) -> Sampling:
    """Return how a trainer samples, if that is from the model's own distribution."""
    neutral: dict[str, tuple[Any, ...]] = {
        "temperature": (1.0,),
        "top_p": (1.0,),
        "top_k": (0, None),
        "min_p": (0.0, None),
        "repetition_penalty": (1.0,),
        "generation_kwargs": ({}, None),
        "chat_template_kwargs": ({}, None),
    }
    for name, allowed in neutral.items():
        value = getattr(trainer.args, name)
        if value not in allowed:
            raise UsageError(
                f"GRPOConfig.{name} must be {allowed[0]!r} for episodes, not {value!r}: they are "
                "sampled from the model's own distribution, and trained on that"
            )
    return Sampling(max_tokens=trainer.max_completion_length)
