"""The content of a run's folder, without times: what two equal runs have in common."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

TIMES = ("started_at", "seconds", "mean_seconds")


def without_times(value: Any) -> Any:
    """Return JSON without times."""
    if isinstance(value, dict):
        return {key: without_times(item) for key, item in value.items() if key not in TIMES}
    return [without_times(item) for item in value] if isinstance(value, list) else value


def content(folder: Path) -> dict[str, Any]:
    """Return the files of a run by name: JSON without times, and the bytes of pictures."""
    found: dict[str, Any] = {
        name: without_times(json.loads((folder / name).read_bytes()))
        for name in ("run.json", "metrics.json")
    }
    lines = (folder / "trajectories.jsonl").read_bytes().splitlines()
    found["trajectories.jsonl"] = [without_times(json.loads(line)) for line in lines]
    return found | {path.name: path.read_bytes() for path in folder.glob("image/*")}


def in_order(folder: Path) -> dict[str, Any]:
    """Return the content of a run whose episodes are in the order in which they finished."""
    found = content(folder)
    found["trajectories.jsonl"].sort(key=lambda it: (it["env_id"], it["task_index"], it["repeat"]))
    return found
