"""The Parquet file of tasks that verl reads."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from textgym.errors import UsageError
from textgym.mixtures import kwargs_for_env, weights_of
from textgym.registry import registered_id, with_registered_ids
from textgym.rollouts.player import EpisodePlayer
from textgym.training.tasks import list_tasks, shown_prompt
from textgym.wrappers.specs import WrapperSpec

__all__ = ["AGENT_NAME", "write_dataset"]

AGENT_NAME = "textgym"


def write_dataset(
    path: str | Path,
    envs: str | Mapping[str, float],
    n: int | None = None,
    *,
    split: str = "train",
    start: int = 0,
    env_kwargs: Mapping[str, Any] | None = None,
    wrappers: Sequence[WrapperSpec] = (),
) -> Path:
    """Write a data set for `data.train_files` or `data.val_files`.

    Its columns are those of verl's own data sets: `data_source` is the environment's id, and
    `extra_info` names the task and says how its environment is made. The text of `prompt` is only
    shown: the environment gives the prompt when an episode begins.

    Args:
        path: The file.
        envs: An id or `module:Class`, or several with weights. verl's processes import the module,
            so an environment of your own needs it.
        n: The number of tasks, which the environments share by weight; None for all tasks of a
            split that has an end.
        split: The split of the environments.
        start: The index of each environment's first task.
        env_kwargs: As in `rollout`, of values that JSON has.
        wrappers: As in `rollout`, as texts.

    Returns:
        The path.

    Raises:
        UsageError: An argument is invalid, or cannot be written to a file.
        ExtraMissingError: The extra `data` is not installed.
    """
    import datasets

    kwargs = {**with_registered_ids(env_kwargs or {}), "split": split}
    named = weights_of(envs) if isinstance(envs, Mapping) else {envs: 1.0}
    names = {registered_id(name): name for name in named}
    weights = with_registered_ids(named)
    with EpisodePlayer(dict(weights), env_kwargs=kwargs, wrappers=wrappers) as player:
        tasks = list_tasks(player, weights, n, split=split, start=start)
        made_with = {id: _made_with(kwargs_for_env(id, kwargs), wrappers) for id in weights}
        rows = [
            {
                "data_source": task.env_id,
                "agent_name": AGENT_NAME,
                "prompt": [{"role": "user", "content": shown_prompt(player, task)}],
                "ability": "agent",
                "reward_model": {"style": "rule", "ground_truth": ""},
                "extra_info": {
                    "index": number,
                    "split": split,
                    "environment": names[task.env_id],
                    "task_index": task.task_index,
                    "made_with": made_with[task.env_id],
                },
            }
            for number, task in enumerate(tasks)
        ]
    datasets.Dataset.from_list(rows).to_parquet(str(path))
    return Path(path)


def _made_with(kwargs: Mapping[str, Any], wrappers: Sequence[WrapperSpec]) -> str:
    """Return the arguments of a player of one environment, as JSON."""
    try:
        return json.dumps({"env_kwargs": kwargs, "wrappers": list(wrappers)}, sort_keys=True)
    except TypeError as error:
        raise UsageError(f"env_kwargs and wrappers must be values of JSON: {error}") from None
