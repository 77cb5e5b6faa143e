"""The example that trains SmolLM2, with a tiny model in its place.

The tests with vLLM run where it is installed, which `make test-vllm` sees to.
"""

from __future__ import annotations

import importlib.util
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from repository import EXAMPLES

import textgym
from textgym.errors import TrainingError
from textgym.training import read_history

pytestmark = [
    pytest.mark.vllm,
    pytest.mark.skipif(
        importlib.util.find_spec("vllm") is None, reason="vLLM is not installed: make test-vllm"
    ),
    pytest.mark.filterwarnings("default"),  # vLLM's own
]
sys.path.append(str(EXAMPLES))


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("VLLM_CPU_KVCACHE_SPACE", "1")
    import grpo_smollm2

    return grpo_smollm2


@pytest.fixture
def tiny_model(example: Any, tmp_path: Path) -> Path:
    """A model that gives random answers in the games of the example."""
    import small_model
    import torch

    torch.manual_seed(0)
    games = [
        example.game(size, number)
        for size in [*example.PLAYED, example.HELD_OUT]
        for number in range(1, size[0] + 1)
    ]
    run = textgym.rollout(example.ID, "random", tasks=games, repeats=8)
    conversations = [trajectory["messages"] for trajectory in run.trajectories()]
    tokenizer = small_model.make_tokenizer(conversations)
    model = small_model.make_model(tokenizer)
    small_model.imitate(model, tokenizer, conversations)
    small_model.save(model, tokenizer, tmp_path / "model")
    return tmp_path / "model"


def arguments(model: Path, history: Path, *more: str) -> list[str]:
    short = ["--steps", "2", "--repeats", "4", "--learning-rate", "1e-3"]
    return ["--model", str(model), "--out", str(history), *short, *more]


def test_tree_has_the_log_probabilities_of_separate_rows(example: Any) -> None:
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=20,
        hidden_size=32,
        intermediate_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
    )
    model = LlamaForCausalLM(config).eval()
    rows = [[1, 2, 3, 4, 5], [1, 2, 3, 6, 5, 7], [1, 2, 8], [1, 2, 3, 4, 5]]
    tree = example.Tree(rows)
    assert len(tree.ids) == 9
    with torch.no_grad():
        for row, path in zip(rows, tree.paths, strict=True):
            found = tree.logprobs(model, list(pairwise(path)))
            scores = model(input_ids=torch.tensor([row])).logits[0, :-1].log_softmax(dim=-1)
            expected = scores.gather(1, torch.tensor(row)[1:, None]).squeeze(1)
            torch.testing.assert_close(found, expected, atol=1e-6, rtol=0)


def test_rollout_and_training_agree_after_every_sync(
    example: Any, tiny_model: Path, tmp_path: Path
) -> None:
    assert example.main(arguments(tiny_model, tmp_path / "history.jsonl", "--imitate", "2")) == 0
    before, first, last = read_history(tmp_path / "history.jsonl")
    for figures in (first, last):
        assert 0 < figures["logprob_gap/largest"] <= 1e-4
        assert figures["episodes/failed"] == 0
    for figures in (before, last):
        low, high = figures["held_out/success_low"], figures["held_out/success_high"]
        assert low <= figures["held_out/success"] <= high


def test_control_with_weights_that_vllm_did_not_load_is_stopped(
    example: Any, tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from textgym.policies.vllm import VLLMPolicy

    async def forgotten(self: Any, weights: Any, version: str) -> None:
        """Load nothing."""

    monkeypatch.setattr(VLLMPolicy, "load_weights", forgotten)
    with pytest.raises(TrainingError, match="rollout and training differ"):
        example.main(arguments(tiny_model, tmp_path / "history.jsonl", "--without-feedback"))
    assert [line["step"] for line in read_history(tmp_path / "history.jsonl")] == [0, 1]
