"""Trajectories made by hand, and folders that hold them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

MCQA = "textgym/MCQA-v0"


def step(index: int, reward: float | None = 0.0, **changes: Any) -> dict[str, Any]:
    """Return a step as it is stored, without tokens."""
    names = ("prompt_ids", "token_ids", "logprobs", "loss_mask", "policy_version")
    return {
        "message_index": index, "reward": reward, "components": {}, "finish_reason": "stop",
        **dict.fromkeys(names), "seconds": 0.0, **changes,
    }  # fmt: skip


def episode(index: int, reward: float | None = 1.0, **changes: Any) -> dict[str, Any]:
    """Return a trajectory as it is stored; one without a reward has failed."""
    failure = {"boundary": "policy", "type": "PolicyFailure", "message": "no server\x1b[2J"}
    return {
        "version": 2,
        "env_id": MCQA,
        "env_kwargs": {},
        "task_id": f"test-1-{index}",
        "task_index": index,
        "repeat": 0,
        "seed": 0,
        "policy": "p",
        "tools": [],
        "messages": [{"role": "user", "content": f"Question {index}"}],
        "steps": [step(1, reward, components={"correct": reward})],
        "terminated": True,
        "truncated": False,
        "stop_reason": "answer" if reward is not None else "",
        "is_success": None if reward is None else reward == 1,
        "reward": reward,
        "info": {"level": "1", "category": "words", "extracted_answer": "B"},
        "usage": {"prompt_tokens": 20, "completion_tokens": 3},
        "started_at": 0.0,
        "seconds": 1.25,
        "attempts": 1,
        "failure": failure if reward is None else None,
        **changes,
    }


def stored(folder: Path, *episodes: dict[str, Any]) -> Path:
    """Store trajectories as a run, without its `run.json`."""
    folder.mkdir()
    text = "".join(json.dumps(item) + "\n" for item in episodes)
    (folder / "trajectories.jsonl").write_text(text)
    return folder
