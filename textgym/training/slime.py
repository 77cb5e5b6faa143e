"""slime learns from textgym's environments: a generate function and a filter of groups.

    --custom-generate-function-path textgym.training.slime.custom_generate
    --dynamic-sampling-filter-path textgym.training.slime.keep_played

Invariants: sampled ids are recorded as SGLang returned them; an episode that failed, and one whose
request slime aborted, has no reward, so that it is never trained on.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from slime.rollout.filter_hub.base_types import DynamicFilterOutput
from slime.rollout.sglang_rollout import GenerateState
from slime.utils.http_utils import post
from slime.utils.types import Sample

from textgym.errors import UsageError
from textgym.policies.base import Sampling
from textgym.policies.models import load_eos_token_ids
from textgym.policies.token_policy import SampledTokens
from textgym.training.playing import PlayedRow, play_row
from textgym.training.tasks import write_json_lines, write_tasks
from textgym.trajectories.tokens import TokenRow

__all__ = ["custom_generate", "keep_played", "write_dataset"]


async def custom_generate(
    args: Namespace, sample: Sample, sampling_params: Mapping[str, Any], evaluation: bool = False
) -> Sample:
    """Play the task in a sample of `write_dataset` with slime's servers.

    Args:
        args: slime's arguments.
        sample: The sample, which is filled in.
        sampling_params: How tokens are sampled; `max_new_tokens` limits everything after the first
            prompt.
        evaluation: Whether slime evaluates.

    Raises:
        TrainingError: The episode has several token sequences; or it failed, and slime evaluates or
            has no filter that would drop its group.
        UsageError: slime needs what SGLang returns for `--rollout-top-p` or for routing replay.
    """
    if not evaluation and (args.rollout_top_p != 1 or args.use_rollout_routing_replay):
        raise UsageError("textgym needs --rollout-top-p 1, without --use-rollout-routing-replay")
    tokenizer = GenerateState(args).tokenizer
    url = f"http://{args.sglang_router_ip}:{args.sglang_router_port}/generate"
    headers = {"X-SMG-Routing-Key": sample.session_id} if sample.session_id else None
    sample.status, sample.weight_versions = Sample.Status.PENDING, []

    async def generate(
        prompt_ids: list[int], sampling: Sampling, seed: int | None
    ) -> SampledTokens:
        params = {**sampling_params, "max_new_tokens": sampling.max_tokens}
        request = {"input_ids": prompt_ids, "sampling_params": params, "return_logprob": True}
        meta = (await post(url, request, headers=headers))["meta_info"]
        if meta["finish_reason"]["type"] == "abort":
            sample.status = Sample.Status.ABORTED
            raise UsageError("slime aborted the request")  # is not retried: slime plays it again
        sample.weight_versions.append(meta.get("weight_version"))
        pairs = [(token, logprob) for logprob, token, *_ in meta.get("output_token_logprobs", ())]
        ids, logprobs = zip(*pairs, strict=True) if pairs else ((), ())
        return SampledTokens(ids, logprobs, meta["finish_reason"]["type"] == "stop")

    stops, phase = sampling_params.get("stop_token_ids") or (), "eval" if evaluation else "rollout"
    played = await play_row(
        sample.metadata["textgym"],
        generate,
        tokenizer,
        max_prompt=getattr(args, f"{phase}_max_prompt_len"),
        max_response=sampling_params["max_new_tokens"],
        name="slime",
        context_length=getattr(args, f"{phase}_max_context_len"),
        end_ids=_end_ids(args.hf_checkpoint, tokenizer).union(stops),
    )
    can_leave_out = args.dynamic_sampling_filter_path is not None and not evaluation
    if played.trajectory["failure"] and (can_leave_out or sample.status == Sample.Status.ABORTED):
        sample.status, sample.reward, sample.remove_sample = Sample.Status.ABORTED, None, True
    else:
        _fill(sample, played, tokenizer)
    return sample


def _fill(sample: Sample, played: PlayedRow, tokenizer: Any) -> None:
    """Fill in a sample. One without sampled tokens has a reward, and no token is trained on."""
    sample.reward = played.reward
    is_empty = not played.sequences
    filler = TokenRow([tokenizer.eos_token_id], [tokenizer.eos_token_id], [0], [0.0])
    row = filler if is_empty else TokenRow.of(played.sequence("slime"))
    sample.tokens = row.prompt_ids + row.completion_ids
    sample.response_length = len(row.completion_ids)
    sample.response = tokenizer.decode(row.completion_ids)
    sample.loss_mask, sample.rollout_log_probs = row.completion_mask, row.logprobs
    sample.remove_sample = is_empty
    is_cut = played.is_cut or played.trajectory["truncated"]
    sample.status = Sample.Status.TRUNCATED if is_cut else Sample.Status.COMPLETED
    sample.metadata = {**sample.metadata, "figures": played.figures()}


def keep_played(args: Namespace, samples: Sequence[Sample], **others: Any) -> DynamicFilterOutput:
    """Drop a group with an episode that has no reward; slime plays another group."""
    keep = all(sample.status != Sample.Status.ABORTED for sample in samples)
    return DynamicFilterOutput(keep=keep, reason=None if keep else "failed")


@cache
def _end_ids(checkpoint: str, tokenizer: Any) -> set[int]:
    """Return the ids at which SGLang ends a message, from the model's files."""
    return load_eos_token_ids(checkpoint, tokenizer)


def write_dataset(
    path: str | Path, envs: str | Mapping[str, float], n: int | None = None, **options: Any
) -> Path:
    """Write a file of JSON lines for `--prompt-data` or `--eval-prompt-data`; see `write_tasks`.

    The keys are `prompt`, which is only displayed, and `metadata`, which has the task.
    """

    def make_record(row: Mapping[str, Any]) -> dict[str, Any]:
        return {"prompt": row["prompt"], "metadata": {"textgym": dict(row)}}

    return write_tasks(path, envs, n, make_record, write_json_lines, **options)
