"""The Parquet file of tasks that verl reads."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from textgym.training.task_rows import task_rows, write_parquet

__all__ = ["AGENT_NAME", "write_dataset"]

AGENT_NAME = "textgym"


def write_dataset(
    path: str | Path, envs: str | Mapping[str, float], n: int | None = None, **options: Any
) -> Path:
    """Write a data set for `data.train_files` or `data.val_files`.

    Its columns are those of verl's own data sets: `data_source` is the environment's id, and
    `extra_info` names the task and says how its environment is made. The text of `prompt` is only
    shown: the environment gives the prompt when an episode begins.

    Args:
        path: The file.
        envs: As in `task_rows`.
        n: As in `task_rows`.
        **options: As in `task_rows`.

    Returns:
        The path.

    Raises:
        UsageError: An argument is invalid, or cannot be written to a file.
        ExtraMissingError: The extra `data` is not installed.
    """
    rows = [
        {
            "data_source": row["env_id"],
            "agent_name": AGENT_NAME,
            "prompt": [{"role": "user", "content": row["prompt"]}],
            "ability": "agent",
            "reward_model": {"style": "rule", "ground_truth": ""},
            "extra_info": {
                "index": number,
                "split": row["split"],
                "environment": row["environment"],
                "task_index": row["task_index"],
                "made_with": row["made_with"],
            },
        }
        for number, row in enumerate(task_rows(envs, n, **options))
    ]
    return write_parquet(path, rows)
