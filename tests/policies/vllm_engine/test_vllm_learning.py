"""Learning on vLLM's rollouts: weights are synced after every step, and a missing sync is detected.

They run where vLLM is installed, which `make test-vllm` sees to.
"""

from __future__ import annotations

import asyncio
import importlib.util
import sys
from typing import Any

import pytest
from repository import EXAMPLES

pytestmark = [
    pytest.mark.vllm,
    pytest.mark.skipif(
        importlib.util.find_spec("vllm") is None, reason="vLLM is not installed: make test-vllm"
    ),
    pytest.mark.filterwarnings("default"),  # vLLM's own
]
sys.path.append(str(EXAMPLES))


@pytest.fixture
def reinforce(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("VLLM_CPU_KVCACHE_SPACE", "1")
    import reinforce

    return reinforce


@pytest.fixture
def game(reinforce: Any) -> Any:
    return reinforce.GAMES["guess"](True)


def test_rollout_and_training_agree_after_every_sync(reinforce: Any, game: Any) -> None:
    trained = asyncio.run(reinforce.train(game, "vllm", 4, 0, "vllm"))
    assert len(trained["rewards"]) == 4
    assert trained["gap"] < 1e-3


def test_missing_sync_is_detected(
    reinforce: Any, game: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from textgym.policies.vllm import VLLMPolicy

    async def forgotten(self: Any, weights: Any, version: str) -> None:
        """Load nothing."""

    monkeypatch.setattr(VLLMPolicy, "load_weights", forgotten)
    with pytest.raises(RuntimeError, match="rollout and training differ"):
        asyncio.run(reinforce.train(game, "vllm", 4, 0, "vllm"))


def test_missing_tied_head_is_detected(
    reinforce: Any, game: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from textgym.policies.vllm import VLLMPolicy

    load = VLLMPolicy.load_weights

    async def headless(self: Any, weights: Any, version: str) -> None:
        kept = [(name, weight) for name, weight in weights if name != "lm_head.weight"]
        await load(self, kept, version)

    monkeypatch.setattr(VLLMPolicy, "load_weights", headless)
    with pytest.raises(RuntimeError, match="rollout and training differ"):
        asyncio.run(reinforce.train(game, "vllm", 4, 0, "vllm"))
