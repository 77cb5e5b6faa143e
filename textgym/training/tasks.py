"""Tasks as rows of a data set, for trainers that read data sets.

A trainer has a data set with a row for each prompt. Each row stands for a task of an environment,
which gives the prompt when the episode begins; the text in the row is only displayed.

Invariants: a `TaskRow` has only JSON values; any process that can import the environment can play
its task.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypedDict

from textgym.errors import UsageError
from textgym.messages import Message, ToolSchema, text_of
from textgym.mixtures import kwargs_for_env, weights_of
from textgym.registry import registered_id, with_registered_ids
from textgym.rollouts.env_pool import check_minimum
from textgym.rollouts.plan import task_ranges
from textgym.rollouts.player import EpisodePlayer
from textgym.tasks.rows import data_library
from textgym.trajectories.task_identity import EpisodeKey
from textgym.wrappers.specs import WrapperSpec

__all__ = [
    "TaskRef", "TaskRow", "check_no_split", "key_of", "list_tasks", "player_of", "prompt_messages",
    "shown_prompt", "skyrl_record", "task_rows", "write_json_lines", "write_parquet", "write_tasks",
]  # fmt: skip

MAX_SHOWN = 2000  # characters of a prompt

_players: dict[tuple[str, str], EpisodePlayer] = {}
"""The players of this process, by environment and by what it is made with."""


class TaskRef(NamedTuple):
    """A task: the environment's id, the split, and the index."""

    env_id: str
    split: str
    task_index: int


class TaskRow(TypedDict):
    """A task as a row of a data set.

    Attributes:
        environment: The environment's id or `module:Class`.
        env_id: Its registered id.
        split: The split.
        task_index: The index of the task.
        made_with: The environment's arguments and wrappers, as JSON.
        prompt: The last message of the prompt, to be displayed.
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
    """Return a row for each task of a data set; all environments advance in proportion.

    Args:
        envs: An id or `module:Class`, or several with weights. Other processes import the module,
            so a user-defined environment needs it.
        n: The number of tasks, which the environments share by weight; None for all tasks of a
            finite split.
        split: The split of the environments.
        start: The index of each environment's first task.
        env_kwargs: As in `rollout`, with JSON values.
        wrappers: As in `rollout`, as texts.

    Raises:
        UsageError: An argument is invalid, or cannot be written to a file.

    Example:
        >>> rows = task_rows("textgym/MCQA-v0", 2, start=5)
        >>> [row["task_index"] for row in rows]
        [5, 6]
        >>> key_of(rows[0], repeat=3)
        EpisodeKey(env_id='textgym/MCQA-v0', task_index=5, repeat=3, env_kwargs=None)
    """
    check_no_split(env_kwargs)
    kwargs = {**with_registered_ids(env_kwargs or {}), "split": split}
    by_name = weights_of(envs) if isinstance(envs, Mapping) else {envs: 1.0}
    names = {registered_id(name): name for name in by_name}
    weights = with_registered_ids(by_name)
    with EpisodePlayer(dict(weights), env_kwargs=kwargs, wrappers=wrappers) as player:
        tasks = list_tasks(player, weights, n, split=split, start=start)
        made_with = {
            env_id: _made_with(kwargs_for_env(env_id, kwargs), wrappers) for env_id in weights
        }
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


def write_json_lines(path: str | Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    r"""Write rows to a file of JSON lines, and return its path.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     write_json_lines(f"{folder}/rows.jsonl", [{"a": 1}, {"a": 2}]).read_text()
        '{"a": 1}\n{"a": 2}\n'
    """
    target = Path(path)
    target.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return target


def write_tasks(
    path: str | Path,
    envs: str | Mapping[str, float],
    n: int | None,
    make_record: Callable[[TaskRow], Mapping[str, Any]],
    write: Callable[[str | Path, Sequence[Mapping[str, Any]]], Path] = write_parquet,
    **options: Any,
) -> Path:
    """Write a data set of tasks with the columns that a trainer reads, and return its path.

    Args:
        path: The file.
        envs: As in `task_rows`.
        n: As in `task_rows`.
        make_record: Returns the columns of a task.
        write: Writes the file.
        **options: Further arguments of `task_rows`.

    Raises:
        UsageError: An argument is invalid, or cannot be written to a file.
        ExtraMissingError: A Parquet file is written, and the extra `data` is not installed.
    """
    return write(path, [make_record(row) for row in task_rows(envs, n, **options)])


def skyrl_record(row: TaskRow, prompt: list[dict[str, str]]) -> dict[str, Any]:
    """Return a task with the columns of SkyRL's data sets.

    Args:
        row: The task.
        prompt: The messages that are displayed.
    """
    return {
        "prompt": prompt,
        "env_class": "textgym",
        "data_source": row["env_id"],
        "textgym": dict(row),
    }


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
        raise UsageError(f"env_kwargs and wrappers must be JSON values: {error}") from None


def check_no_split(env_kwargs: Mapping[str, Any] | None) -> None:
    """Check that the arguments of environments leave the split to the data set.

    Raises:
        UsageError: They have a `split`, for all environments or for a single one.
    """
    kwargs = env_kwargs or {}
    of_single_envs = [value for key, value in kwargs.items() if "/" in key or ":" in key]
    if any("split" in arguments for arguments in (kwargs, *of_single_envs)):
        raise UsageError("env_kwargs must not have split: pass it as the argument split")


def list_tasks(
    player: EpisodePlayer,
    weights: Mapping[str, float],
    n: int | None,
    *,
    split: str,
    start: int = 0,
) -> list[TaskRef]:
    """Return the tasks of a data set; all environments advance in proportion.

    Args:
        player: The player of the split.
        weights: The weight of each environment.
        n: The number of tasks, which the environments share by weight; None for all tasks of a
            finite split.
        split: The split.
        start: The index of each environment's first task.

    Raises:
        UsageError: An environment has fewer tasks than its share, or a share of none; or `n` is
            None and the tasks have no end or the weights differ.

    Example:
        >>> from textgym.rollouts.player import EpisodePlayer
        >>> with EpisodePlayer("textgym/MCQA-v0") as player:
        ...     tasks = list_tasks(player, {"textgym/MCQA-v0": 1.0}, 2, split="train", start=5)
        >>> [task.task_index for task in tasks]
        [5, 6]
    """
    check_minimum(0, start=start)
    ranges = task_ranges(player.samples, weights, n, start, count_name="n")
    positions = [
        ((number + 0.5) / len(indices), TaskRef(env_id, split, index))
        for env_id, indices in ranges.items()
        for number, index in enumerate(indices)
    ]
    return [task for _, task in sorted(positions)]


def shown_prompt(player: EpisodePlayer, task: TaskRef) -> str:
    """Return the text that a data set shows of a task: the last message of its prompt."""
    text = text_of(prompt_messages(player, task)[0][-1])
    return text if len(text) <= MAX_SHOWN else text[:MAX_SHOWN] + "…"


def prompt_messages(player: EpisodePlayer, task: TaskRef) -> tuple[list[Message], list[ToolSchema]]:
    """Return the prompt of a task and its tools."""
    env = player.samples[task.env_id]
    options = {"index": task.task_index} if hasattr(env.unwrapped, "num_tasks") else None
    observation, info = env.reset(seed=task.task_index, options=options)
    return list(observation), list(info.get("tools", ()))
