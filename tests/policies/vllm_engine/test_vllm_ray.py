"""An actor of Ray with an engine of vLLM: it plays, and gets weights through the object store."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import textgym

ray = pytest.importorskip("ray")
pytestmark = [
    pytest.mark.vllm,
    pytest.mark.trainers,  # whose requirements have Ray
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # of Ray's own files
]
ENGINE = {"max_model_len": 512, "enforce_eager": True, "gpu_memory_utilization": 0.1}


def test_weights_reach_the_engine_of_an_actor(model_folder: Path) -> None:
    from safetensors.torch import load_file

    weights = load_file(model_folder / "model.safetensors")
    weights.setdefault("lm_head.weight", weights["model.embed_tokens.weight"])

    def replies() -> dict[str, Any]:
        run = textgym.rollout(
            "textgym/MCQA-v0", f"vllm:{model_folder}", episodes=4, backend=backend,
            sampling={"max_tokens": 8, "temperature": 0}, policy_options={"engine": ENGINE},
        )  # fmt: skip
        assert run.metrics["overall"]["failures"] == 0
        played = {it["task_index"]: it for it in run.trajectories()}
        versions = {it["steps"][0]["policy_version"] for it in played.values()}
        texts = [played[index]["messages"][-1]["content"] for index in range(4)]
        return {"versions": versions, "texts": texts}

    with textgym.RayBackend(actors=1, address="local") as backend:
        before = replies()
        backend.update_weights({name: it * 0.5 for name, it in weights.items()}, "halved")
        other = replies()
        backend.update_weights(ray.put(weights), "again")
        after = replies()
    assert before["versions"] == {None}
    assert other["versions"] == {"halved"}
    assert other["texts"] != before["texts"]
    assert after == {"versions": {"again"}, "texts": before["texts"]}
