"""Rows of a data set that stand for tasks, for trainers that read data sets from files.

Invariants: a row has only values of JSON; whoever has it can play the task, in any process that
can import the environment.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypedDict

from textgym.errors import UsageError
from textgym.mixtures import kwargs_for_env, weights_of
from textgym.registry import registered_id, with_registered_ids
from textgym.rollouts.episode import EpisodeKey
from textgym.rollouts.player import EpisodePlayer
from textgym.tasks.rows import data_library
from textgym.training.tasks import check_no_split, list_tasks, shown_prompt
from textgym.wrappers.specs import WrapperSpec

__all__ = ["TaskRow", "key_of", "player_of", "task_rows", "write_parquet"]

_players: dict[tuple[str, str], EpisodePlayer] = {}
"""The players of this process, by environment and by what it is made with."""


class TaskRow(TypedDict):
    """A task.

    Attributes:
        environment: The environment's id or `module:Class`.
        env_id: Its registered id.
        split: The split.
        task_index: The index of the task.
        made_with: The environment's arguments and wrappers, as JSON.
        prompt: The last message of the prompt, to be shown.
    """

    environment: str
    env_id: str
    split: str
    task_index: int
    made_with: str
    prompt: str


def task_rows(
    envs: str | Mapping[str, float],
    n: int | None = None,
    *,
    split: str = "train",
    start: int = 0,
    env_kwargs: Mapping[str, Any] | None = None,
    wrappers: Sequence[WrapperSpec] = (),
) -> list[TaskRow]:
    """Return a row for each task of a data set; those of all environments advance in proportion.

    Args:
        envs: An id or `module:Class`, or several with weights. Other processes import the module,
            so an environment of your own needs it.
        n: The number of tasks, which the environments share by weight; None for all tasks of a
            split that has an end.
        split: The split of the environments.
        start: The index of each environment's first task.
        env_kwargs: As in `rollout`, of values that JSON has.
        wrappers: As in `rollout`, as texts.

    Raises:
        UsageError: An argument is invalid, or cannot be written to a file.

    Example:
        >>> rows = task_rows("textgym/MCQA-v0", 2, start=5)
        >>> [row["task_index"] for row in rows]
        [5, 6]
        >>> key_of(rows[0], repeat=3)
        EpisodeKey(env_id='textgym/MCQA-v0', task_index=5, repeat=3)
    """
    check_no_split(env_kwargs)
    kwargs = {**with_registered_ids(env_kwargs or {}), "split": split}
    named = weights_of(envs) if isinstance(envs, Mapping) else {envs: 1.0}
    names = {registered_id(name): name for name in named}
    weights = with_registered_ids(named)
    with EpisodePlayer(dict(weights), env_kwargs=kwargs, wrappers=wrappers) as player:
        tasks = list_tasks(player, weights, n, split=split, start=start)
        made_with = {id: _made_with(kwargs_for_env(id, kwargs), wrappers) for id in weights}
        return [
            {
                "environment": names[task.env_id],
                "env_id": task.env_id,
                "split": split,
                "task_index": task.task_index,
                "made_with": made_with[task.env_id],
                "prompt": shown_prompt(player, task),
            }
            for task in tasks
        ]


def player_of(row: Mapping[str, Any]) -> EpisodePlayer:
    """Return the player of a row's environment, which this process keeps."""
    key = row["environment"], row["made_with"]
    if key not in _players:
        _players[key] = EpisodePlayer(row["environment"], **json.loads(row["made_with"]))
    return _players[key]


def key_of(row: Mapping[str, Any], repeat: int = 0) -> EpisodeKey:
    """Return an episode of a row's task."""
    return EpisodeKey(registered_id(row["environment"]), int(row["task_index"]), repeat)


def write_parquet(path: str | Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    """Write rows to a Parquet file, and return its path.

    Raises:
        ExtraMissingError: The extra `data` is not installed.
    """
    data_library("datasets").Dataset.from_list(list(rows)).to_parquet(str(path))
    return Path(path)


def _made_with(kwargs: Mapping[str, Any], wrappers: Sequence[WrapperSpec]) -> str:
    """Return the arguments of a player of one environment, as JSON.

    The path of a file is absolute, because trainers' workers run in other folders.
    """
    dataset = kwargs.get("dataset")
    if isinstance(dataset, str) and Path(dataset).is_file():
        kwargs = {**kwargs, "dataset": str(Path(dataset).absolute())}
    try:
        return json.dumps({"env_kwargs": kwargs, "wrappers": list(wrappers)}, sort_keys=True)
    except TypeError as error:
        raise UsageError(f"env_kwargs and wrappers must be values of JSON: {error}") from None
