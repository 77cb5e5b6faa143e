"""Episodes on the engine of a TRL trainer, for which a stand-in holds a real engine."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from textgym.errors import UsageError
from textgym.policies.models import load_tokenizer
from textgym.rollouts.player import EpisodePlayer
from textgym.training.logprob_gap import logprob_gap
from textgym.training.trl.policies import policy_of
from textgym.trajectories.task_identity import EpisodeKey
from textgym.trajectories.tokens import token_rows

pytestmark = [
    pytest.mark.vllm,
    pytest.mark.skipif(
        importlib.util.find_spec("vllm") is None, reason="vLLM is not installed: make test-vllm"
    ),
    pytest.mark.filterwarnings("default"),  # vLLM's own
]

GUESS = "textgym/GuessNumber-v0"


@pytest.fixture(scope="module")
def llm(model_folder: Path) -> Iterator[Any]:
    """An engine as TRL makes it, as far as a CPU allows."""
    os.environ["VLLM_ENABLE_V1_MULTIPROCESSING"] = "0"
    os.environ.setdefault("VLLM_CPU_KVCACHE_SPACE", "1")
    from vllm import LLM

    llm = LLM(
        model=str(model_folder),
        max_model_len=512,
        logprobs_mode="processed_logprobs",
        dtype="float32",
        enforce_eager=True,
        enable_chunked_prefill=False,
    )
    yield llm
    llm.llm_engine.engine_core.shutdown()


def trainer_with(llm: Any, model_folder: Path, **settings: Any) -> Any:
    """Return what `policy_of` reads of a trainer."""
    arguments = {
        "max_completion_length": 6,
        "temperature": 1.0,
        "top_p": 1.0,
        "top_k": 0,
        "min_p": None,
        "repetition_penalty": 1.0,
        "generation_kwargs": None,
        "chat_template_kwargs": None,
        "vllm_mode": "colocate",
        "vllm_enable_sleep_mode": False,
        "vllm_tensor_parallel_size": 1,
        "vllm_structured_outputs_regex": None,
        **settings,
    }
    return SimpleNamespace(
        args=SimpleNamespace(**arguments),
        use_vllm=True,
        state=SimpleNamespace(global_step=3),
        vllm_generation=SimpleNamespace(llm=llm),
        processing_class=load_tokenizer(str(model_folder)),
    )


def test_episodes_are_played_on_the_engine_of_the_trainer(llm: Any, model_folder: Path) -> None:
    trainer = trainer_with(llm, model_folder)
    keys = [EpisodeKey(GUESS, task, repeat) for task in range(2) for repeat in range(2)]
    for _ in range(2):  # the engine stays open
        with (
            policy_of(trainer, batch_size=4) as policy,
            EpisodePlayer(GUESS, env_kwargs={"turns": 2}) as player,
        ):
            episodes = player.play(policy, keys, seed=1)
        assert not any(episode["failure"] for episode in episodes)
        for episode in episodes:
            (row,) = token_rows(episode)
            assert 0 < sum(row.completion_mask) <= 2 * 6
            assert all(value <= 0 for value in row.logprobs)
            assert {step["policy_version"] for step in episode["steps"]} == {"step 3"}


@pytest.mark.parametrize("top_k", [0, 3])
def test_log_probabilities_are_of_the_temperature_of_the_trainer(
    llm: Any, model_folder: Path, top_k: int
) -> None:
    import torch
    from transformers import AutoModelForCausalLM

    trainer = trainer_with(llm, model_folder, temperature=0.5, top_k=top_k)
    with (
        policy_of(trainer, batch_size=4, truncated=True) as policy,
        EpisodePlayer(GUESS, env_kwargs={"turns": 1}) as player,
    ):
        (episode,) = player.play(policy, [EpisodeKey(GUESS, 0)], seed=1)
    (row,) = token_rows(episode)
    model = AutoModelForCausalLM.from_pretrained(model_folder, dtype=torch.float32).eval()
    with torch.no_grad():
        logits = model(torch.tensor([row.prompt_ids + row.completion_ids])).logits[0]
    scores = torch.log_softmax(logits[len(row.prompt_ids) - 1 : -1] / 0.5, dim=-1)
    computed = scores.gather(1, torch.tensor(row.completion_ids)[:, None])[:, 0].tolist()
    gap = logprob_gap([(row.logprobs, computed, row.completion_mask)], truncated=bool(top_k))
    gap.check(1e-3)
    if top_k:  # of the tokens that are left
        assert logprob_gap([(row.logprobs, computed, row.completion_mask)]).largest > 0.01


@pytest.mark.parametrize(
    "settings",
    [
        {"vllm_structured_outputs_regex": "a"},
        {"vllm_enable_sleep_mode": True},
        {"vllm_tensor_parallel_size": 2},
    ],
    ids=str,
)
def test_other_engines_are_refused(settings: dict[str, Any], model_folder: Path) -> None:
    trainer = trainer_with(None, model_folder, **settings)
    with (
        pytest.raises(UsageError, match=f"GRPOConfig.{next(iter(settings))} must be"),
        policy_of(trainer, batch_size=4),
    ):
        pass
