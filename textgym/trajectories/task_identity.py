"""What identifies a task, a group, an episode, a run, and the data that tasks are read from.

A task is the same in every run and data set if its environment, its id and its prompt are. An id is
not enough: in every data set, rows without an id are called `row-0`, `row-1`.

A group is the episodes of one task that are compared with each other: environment, keyword
arguments, seed and index are equal. The seed counts because an environment may draw its task, or
what happens in the episode, from it. An episode is one of the repeats of its group.

An environment reports the digests of the data that its tasks were read from. A run records them, so
that it is not resumed after the data have changed, and rescoring can warn about it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium as gym

from textgym.errors import DatasetError, RunError
from textgym.json_values import encode_line
from textgym.messages import Message
from textgym.tasks.task import hash_bytes
from textgym.trajectories.schema import Trajectory

__all__ = [
    "DataDigests", "EpisodeKey", "GroupKey", "changed_data", "check_same_run", "digests_of",
    "prompt_of", "task_identity", "with_unchanged_data",
]  # fmt: skip


class GroupKey(NamedTuple):
    """What identifies a group of episodes.

    Attributes:
        env_id: The environment's id.
        env_kwargs: Its keyword arguments, as JSON with sorted keys.
        seed: The run's seed.
        task_index: The task's index.
    """

    env_id: str
    env_kwargs: str
    seed: int
    task_index: int

    @classmethod
    def of(cls, trajectory: Trajectory) -> GroupKey:
        """Return the group of an episode.

        Example:
            >>> episode = {"env_id": "demo/A-v0", "env_kwargs": {"level": 2, "hints": False},
            ...            "seed": 0, "task_index": 5}
            >>> GroupKey.of(episode).env_kwargs
            '{"hints": false, "level": 2}'
        """
        return cls(
            trajectory["env_id"],
            _as_json(trajectory),
            trajectory["seed"],
            trajectory["task_index"],
        )


class EpisodeKey(NamedTuple):
    """What identifies an episode of a run or of a player.

    Attributes:
        env_id: The environment's id.
        task_index: The task's index.
        repeat: The number of the episode among the task's episodes, from 0.
        env_kwargs: The environment's keyword arguments, as JSON with sorted keys; None for the
            arguments of the player that plays the episode.
    """

    env_id: str
    task_index: int
    repeat: int = 0
    env_kwargs: str | None = None

    @classmethod
    def of(cls, trajectory: Trajectory) -> EpisodeKey:
        """Return the key of a trajectory, with its keyword arguments.

        Example:
            >>> episode = {"env_id": "demo/A-v0", "env_kwargs": {"level": 2}, "task_index": 5,
            ...            "repeat": 1}
            >>> EpisodeKey.of(episode)
            EpisodeKey(env_id='demo/A-v0', task_index=5, repeat=1, env_kwargs='{"level": 2}')
        """
        return cls(
            trajectory["env_id"],
            trajectory["task_index"],
            trajectory["repeat"],
            _as_json(trajectory),
        )


def _as_json(trajectory: Trajectory) -> str:
    return json.dumps(trajectory["env_kwargs"], sort_keys=True)


def prompt_of(trajectory: Trajectory) -> list[Message]:
    """Return the messages before the policy's first one."""
    steps, messages = trajectory["steps"], trajectory["messages"]
    return messages[: steps[0]["message_index"]] if steps else messages


def task_identity(trajectory: Trajectory) -> int:
    """Return a hash of what identifies the task of an episode: environment, id and prompt.

    The index of the task replaces an id that is missing.

    Example:
        >>> import textgym
        >>> runs = [textgym.rollout("textgym/MCQA-v0", name, tasks=[3]) for name in ("oracle",
        ...         "random")]
        >>> first, second = (task_identity(next(run.trajectories())) for run in runs)
        >>> first == second
        True
    """
    task_id = trajectory["task_id"]
    name = f"index {trajectory['task_index']}" if task_id is None else f"id {task_id}"
    return hash_bytes(encode_line((trajectory["env_id"], name, prompt_of(trajectory))))


DataDigests = Mapping[str, Mapping[str, str]]
"""The digests of each environment's data sets, by environment id and name."""

EnvFn = Callable[[], gym.Env[Any, Any]]


def digests_of(envs: Mapping[str, gym.Env[Any, Any]]) -> dict[str, dict[str, str]]:
    """Return the digests of the data of those environments that read some.

    Args:
        envs: One environment of each id.
    """
    digests = {id: getattr(env.unwrapped, "data_digests", None) for id, env in envs.items()}
    return {id: dict(env_digests) for id, env_digests in digests.items() if env_digests}


def changed_data(before: Any, now: Any) -> list[str]:
    """Return the names of the data sets whose content has changed.

    Args:
        before: Earlier digests, as read from a file; values that are not mappings are ignored.
        now: The present digests, or digests from another file.

    Example:
        >>> changed_data({"demo/A-v0": {"rows.jsonl": "e3"}}, {"demo/A-v0": {"rows.jsonl": "9f"}})
        ['rows.jsonl']
        >>> changed_data(None, {"demo/A-v0": {"rows.jsonl": "9f"}})
        []
    """
    known, changed = _mapping(before), []
    for id, digests in _mapping(now).items():
        old = _mapping(known.get(id))
        changed += [
            name for name, digest in _mapping(digests).items() if old.get(name, digest) != digest
        ]
    return list(dict.fromkeys(changed))


def check_same_run(path: Path, stored: Any, config: Mapping[str, Any]) -> None:
    """Refuse to add episodes to a run with another configuration.

    Args:
        path: The run's folder.
        stored: Its `run.json`.
        config: The configuration of the episodes, as JSON values.

    Raises:
        RunError: They differ; the error names the first key that does.
    """
    if not isinstance(stored, dict):
        raise RunError(f"{str(path / 'run.json')!r} is not a JSON object")
    for key in dict.fromkeys([*config, *stored]):
        old, new = stored.get(key), config.get(key)
        if old == new:
            continue
        if key == "data":
            raise _data_error(path, old, new)
        if key in ("version", "textgym"):
            what = "the schema" if key == "version" else "textgym"
            raise RunError(
                f"{str(path)!r} was written by version {json.dumps(old)} of {what}, and "
                f"this is {json.dumps(new)}: resume it with that version, or name another "
                "folder"
            )
        raise RunError(
            f"{str(path)!r} holds another run: its {key} is {json.dumps(old)}, "
            f"not {json.dumps(new)}"
        )


def _data_error(path: Path, old: Any, new: Any) -> RunError:
    """Return the error for a run whose data sets have changed."""
    changed = changed_data(old, new)
    if not changed:
        return RunError(
            f"{str(path / 'run.json')!r} has no digests of the run's data sets, so "
            "changes cannot be detected: name another folder"
        )
    return RunError(
        f"{str(path)!r} was played with another content of {changed[0]!r} than it has "
        "now: restore it, or name another folder"
    )


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def with_unchanged_data(env_fns: Mapping[str, EnvFn], digests: DataDigests) -> dict[str, EnvFn]:
    """Return functions that refuse to make an environment once its data have changed.

    Args:
        env_fns: The function that makes each environment, by id.
        digests: The digests when the run began.
    """

    def checked(id: str) -> EnvFn:
        def make() -> gym.Env[Any, Any]:
            env = env_fns[id]()
            changed = changed_data(digests, digests_of({id: env}))
            if changed:
                env.close()
                raise DatasetError(f"data set {changed[0]!r} has changed since the run began")
            return env

        return make

    return {id: checked(id) for id in env_fns}
