"""The policy over the model of a TRL trainer, and the log probabilities that the trainer computes.

The model is in the trainer's process, or on a vLLM server. The log probabilities are compared with
the recorded ones.

Invariants: all processes of a training run compute the same number of rows, because a sharded model
(ZeRO-3, FSDP) needs all of them in each forward pass; the result is the same in all of them.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from textgym.concurrency.event_loops import run_sync
from textgym.errors import UsageError
from textgym.policies import Policy, Sampling
from textgym.policies.chat.templates import with_template_arguments
from textgym.policies.hf import HFPolicy
from textgym.policies.models import eos_token_ids, evaluation_mode
from textgym.training.logprob_gap import LogprobGap, default_bound, logprob_gap
from textgym.training.trl.samples import filler_row
from textgym.trajectories.tokens import TokenRow

if TYPE_CHECKING:
    from textgym.policies.openai.policy import OpenAIPolicy

__all__ = [
    "bound_of", "check_plays_itself", "compare_logprobs", "policy_of", "sampling_of",
    "server_policy", "tokenizer_of", "trainer_logprobs",
]  # fmt: skip


def tokenizer_of(trainer: Any) -> Any:
    """Return a trainer's tokenizer, with `chat_template_kwargs` in its chat template.

    If the trainer has a processor, which also reads images, it is the processor's tokenizer.

    Args:
        trainer: A `GRPOTrainer`.
    """
    return with_template_arguments(
        trainer.processing_class, trainer.args.chat_template_kwargs or {}
    )


@contextlib.contextmanager
def policy_of(trainer: Any, batch_size: int, *, truncated: bool = False) -> Iterator[Policy]:
    """Return the policy of a trainer, for one batch of episodes.

    Its log probabilities are of the trainer's temperature, as those that the trainer computes. The
    vLLM of TRL reports processed log probabilities, which are.

    Args:
        trainer: A `GRPOTrainer`.
        batch_size: The maximum number of messages that are sampled at once.
        truncated: As in `sampling_of`.

    Raises:
        UsageError: The trainer's settings change the distribution that is sampled from.
    """
    sampling = sampling_of(trainer.args, tempered=True, truncated=truncated)
    version, tokenizer = f"step {trainer.state.global_step}", tokenizer_of(trainer)
    if trainer.use_vllm and trainer.args.vllm_mode == "colocate":
        yield _engine_policy(trainer, tokenizer, sampling, version)  # the trainer keeps the engine
        return
    with contextlib.ExitStack() as stack:
        if trainer.use_vllm:
            _check_vllm(trainer, vllm_structured_outputs_regex=None)
            url, model = _served_model(trainer)
            ends = eos_token_ids(trainer.model.generation_config.eos_token_id, tokenizer)
            policy: Any = server_policy(url, model, tokenizer, sampling, ends)
        else:
            model = stack.enter_context(_generating(trainer))
            policy = HFPolicy.of(model, tokenizer, sampling, batch_size, name="trl")
            policy.logprob_temperature = sampling.temperature
        stack.callback(lambda: run_sync(policy.close))
        policy.version = version
        yield policy


def server_policy(
    url: str, model: str, tokenizer: Any, sampling: Sampling, end_ids: Collection[int] = ()
) -> OpenAIPolicy:
    """Return the policy over a vLLM server, which is called with token ids.

    It samples as `sampling` says, not with the defaults of the server.

    Args:
        url: The address of the server, without `/v1`.
        model: The server's name of the model.
        tokenizer: The model's tokenizer.
        sampling: How tokens are sampled.
        end_ids: The ids at which the model ends a message besides the tokenizer's end token.
    """
    from textgym.policies.openai.policy import OpenAIPolicy  # needs aiohttp

    return OpenAIPolicy(
        model,
        f"{url.rstrip('/')}/v1",
        sampling,
        api_key="",
        extra_body={
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "top_k": sampling.top_k,
            "min_p": sampling.min_p,
            "repetition_penalty": 1.0,
        },
        tokens=True,
        tokenizer=tokenizer,
        end_ids=sorted(end_ids),
    )


def _generating(trainer: Any) -> Any:
    """Return a context with the trainer's model, ready to generate."""
    from trl.models.utils import unwrap_model_for_generation

    return unwrap_model_for_generation(
        trainer.model_wrapped,
        trainer.accelerator,
        gather_deepspeed3_params=trainer.args.ds3_gather_for_generation,
    )


def _served_model(trainer: Any) -> tuple[str, str]:
    """Return the address of a trainer's server and its name of the model, in every process.

    The main process has them after it has sent the weights, so the other processes wait for it.
    """
    client = trainer.vllm_generation.vllm_client if trainer.accelerator.is_main_process else None
    served = [client and (client.base_url, client.model)]
    if trainer.accelerator.num_processes > 1:
        from accelerate.utils import broadcast_object_list

        broadcast_object_list(served, from_process=0)
    return served[0]  # type: ignore[return-value]


def _engine_policy(trainer: Any, tokenizer: Any, sampling: Sampling, version: str) -> Policy:
    """Return a policy over a trainer's engine, which has the weights of the last step.

    Raises:
        UsageError: The engine sleeps between batches, or is sharded.
    """
    _check_vllm(
        trainer,
        vllm_enable_sleep_mode=False,
        vllm_tensor_parallel_size=1,
        vllm_structured_outputs_regex=None,
    )
    from textgym.policies.vllm import VLLMPolicy

    policy = VLLMPolicy.of(trainer.vllm_generation.llm, sampling, name="trl", tokenizer=tokenizer)
    policy.version = version
    return policy


def _check_vllm(trainer: Any, **required: Any) -> None:
    """Raise unless the trainer's settings of vLLM have these values."""
    for name, value in required.items():
        if getattr(trainer.args, name) != value:
            raise UsageError(
                f"GRPOConfig.{name} must be {value!r} for episodes with use_vllm=True and "
                f"vllm_mode={trainer.args.vllm_mode!r}, not {getattr(trainer.args, name)!r}"
            )


def check_plays_itself(trainer: Any) -> None:
    """Check that a trainer leaves tools to the environments.

    Raises:
        UsageError: It calls tools itself, and would train on their results.
    """
    if trainer.tools or trainer.environment_factories:
        raise UsageError(
            "rollout_func plays the tools of its environments: pass neither tools nor "
            "environment_factory to the trainer, or use ToolEpisodes without rollout_func"
        )


_TRUNCATIONS = ("top_p", "top_k", "min_p")


def sampling_of(arguments: Any, *, tempered: bool = False, truncated: bool = False) -> Sampling:
    """Return how a trainer samples; by default from the model's own distribution.

    Args:
        arguments: A `GRPOConfig` or `AsyncGRPOConfig`.
        tempered: Whether the temperature may differ from 1, because the recorded log probabilities
            are of the same temperature.
        truncated: Whether `top_p`, `top_k` and `min_p` may leave out tokens, although the trainer
            computes the log probabilities of the whole distribution.

    Raises:
        UsageError: It samples from another distribution.
    """
    temperature = getattr(arguments, "temperature", 1.0)
    if tempered and not temperature > 0:
        raise UsageError(f"GRPOConfig.temperature must be above 0, not {temperature!r}")
    neutral: dict[str, tuple[Any, ...]] = {
        "temperature": (temperature,) if tempered else (1.0,),
        "top_p": (1.0,),
        "top_k": (0, None),
        "min_p": (0.0, None),
        "repetition_penalty": (1.0,),
        "generation_kwargs": ({}, None),
    }
    for name, allowed in neutral.items():
        value = getattr(arguments, name, allowed[0])
        if value in allowed or (truncated and name in _TRUNCATIONS):
            continue
        remedy = ""
        if tempered and name in _TRUNCATIONS:
            remedy = "; Episodes(truncated_sampling=True) trains in spite of it"
        raise UsageError(
            f"{type(arguments).__name__}.{name} must be {allowed[0]!r} for episodes, not "
            f"{value!r}: the trainer computes log probabilities of another distribution{remedy}"
        )
    return Sampling(
        temperature=temperature,
        top_p=getattr(arguments, "top_p", 1.0),
        top_k=getattr(arguments, "top_k", 0) or 0,
        min_p=getattr(arguments, "min_p", 0.0) or 0.0,
        max_tokens=arguments.max_completion_length,
    )


COMPARED_ROWS = 8  # of a batch


def bound_of(trainer: Any) -> float:
    """Return the largest difference of log probabilities with the precision of a trainer."""
    arguments = trainer.args  # under autocast, a model in float32 is computed in these
    mixed = "bfloat16" if arguments.bf16 else "float16" if arguments.fp16 else None
    return default_bound(mixed or trainer.model.dtype)


def compare_logprobs(
    rows: Sequence[TokenRow], trainer: Any, *, truncated: bool = False
) -> LogprobGap:
    """Compare recorded log probabilities with those that a trainer computes, and log the gap.

    Every process of the training must call it, even without rows. It compares up to 8 of its rows.

    Args:
        rows: The rows of this process in a batch.
        trainer: The `GRPOTrainer`.
        truncated: As in `logprob_gap`.

    Returns:
        The gap over the rows of all processes.
    """
    from accelerate.utils import gather_object

    chosen = [row for row in rows if any(row.completion_mask)][:COMPARED_ROWS]
    with evaluation_mode(trainer.model):  # as while the policy sampled
        computed = trainer_logprobs(chosen, trainer)
    compared = [
        (row.logprobs, logprobs, row.completion_mask)
        for row, logprobs in zip(chosen, computed, strict=True)
    ]
    gap = logprob_gap(gather_object(compared), truncated=truncated)
    trainer._log_metric("logprob_gap/largest", gap.largest)
    trainer._log_metric("logprob_gap/mean", gap.mean)
    return gap


def trainer_logprobs(rows: Sequence[TokenRow], trainer: Any) -> list[list[float]]:
    """Return the log probabilities of completions as the trainer computes them.

    Every process of the training must call it, even without rows.
    """
    import torch
    from accelerate.utils import gather_object
    from trl.trainer.utils import pad

    device, pad_id = trainer.accelerator.device, tokenizer_of(trainer).pad_token_id
    count = max(gather_object([len(rows)]))
    if not count:
        return []
    computed = [*rows, *[filler_row(pad_id)] * (count - len(rows))]

    def padded(values: Sequence[Sequence[int]], fill: int, side: str) -> Any:
        tensors = [torch.tensor(row) for row in values]
        return pad(tensors, padding_value=fill, padding_side=side).to(device)

    prompts = [row.prompt_ids for row in computed]
    completions = [row.completion_ids for row in computed]
    ids = [padded(prompts, pad_id, "left"), padded(completions, pad_id, "right")]
    ones = [[[1] * len(row) for row in part] for part in (prompts, completions)]
    masks = [padded(ones[0], 0, "left"), padded(ones[1], 0, "right")]
    with torch.no_grad():
        logprobs, _, _ = trainer._get_per_token_logps_and_entropies(
            trainer.model,
            torch.cat(ids, dim=1),
            torch.cat(masks, dim=1),
            ids[1].size(1),
            batch_size=trainer.args.per_device_train_batch_size,
        )
    return [
        values[: len(row.completion_ids)]
        for values, row in zip(logprobs.tolist()[: len(rows)], rows, strict=True)
    ]
