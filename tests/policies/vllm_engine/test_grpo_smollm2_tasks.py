"""The example that trains SmolLM2 on tools and questions, with a tiny model in its place."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from repository import EXAMPLES

import textgym
from textgym.policies.models import load_tokenizer
from textgym.policies.token_policy import TokenPolicy
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
    import grpo_smollm2_tasks

    return grpo_smollm2_tasks


def test_rows_of_an_episode_continue_each_other(example: Any, model_folder: Path) -> None:
    from grpo_smollm2 import rows_of

    tokenizer = load_tokenizer(str(model_folder))
    policy = TokenPolicy(None, tokenizer)  # type: ignore[arg-type]  # nothing is sampled
    run = textgym.rollout("textgym/SingleToolCall-v0", "random", episodes=3)
    for episode in run.trajectories():
        (called, called_at), (answered, answered_at) = rows_of(policy, episode)
        said = tokenizer.decode(called[called_at:])
        assert re.fullmatch(r"<tool_call>\n\{.*\}\n</tool_call><\|im_end\|>", said)
        assert answered[: len(called)] == called
        assert tokenizer.decode(answered[answered_at:]).startswith("Answer: ")


def test_the_model_imitates_and_then_learns(
    example: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    import small_model
    import torch

    for name, value in {"HELD_OUT": 4, "TASKS": 2, "REPEATS": 4, "CONTEXT": 256}.items():
        monkeypatch.setattr(example, name, value)
    monkeypatch.setattr("grpo_smollm2.IMITATION_RATE", 1e-2)
    torch.manual_seed(0)
    run = textgym.rollout("textgym/MCQA-v0", "random", episodes=40)
    tokenizer = small_model.make_tokenizer([episode["messages"] for episode in run.trajectories()])
    small_model.save(small_model.make_model(tokenizer), tokenizer, tmp_path / "model")
    history = tmp_path / "history.jsonl"
    options = ["--env", "questions", "--steps", "2", "--imitate", "5", "--every", "1"]
    folders = ["--model", str(tmp_path / "model"), "--out", str(history)]
    assert example.main([*options, *folders]) == 0
    losses = [float(loss) for loss in re.findall(r"loss ([\d.]+)", capsys.readouterr().out)]
    assert len(losses) == 5
    assert losses[-1] < losses[0]
    lines = read_history(history)
    assert [line["step"] for line in lines] == [0, 1, 2]
    assert "untrained/success" in lines[0]
    assert all(0 <= line["held_out/success"] <= 1 for line in lines)
    assert all(line["episodes/failed"] == 0 for line in lines[1:])
