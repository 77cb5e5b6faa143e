"""Runs as TOML files: reading, writing, and the arguments of `rollout` that they stand for.

A file has the data among the arguments of `rollout`, by their names:

    envs = ["textgym/MCQA-v0", "textgym/Math-v0"]
    policy = "openai:Qwen/Qwen3-8B@http://127.0.0.1:8000/v1"
    episodes = 100
    repeats = 4

    [env_kwargs]
    level = 2

    [sampling]
    temperature = 0.7

`envs` is an id, a list of ids, or a table of weights. Each environment of a list is played
`episodes` times; weights divide `episodes` between the environments.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from textgym.errors import UnknownNameError, UsageError, did_you_mean
from textgym.policies import Sampling
from textgym.registry import with_registered_ids

__all__ = ["load_config", "read_run_file", "rollout_arguments", "write_run_file"]

_KEYS: dict[str, tuple[type, ...]] = {
    "envs": (str, list, dict),
    "policy": (str,),
    "policy_options": (dict,),
    "episodes": (int,),
    "tasks": (list, dict),
    "repeats": (int,),
    "start": (int,),
    "seed": (int,),
    "concurrency": (int,),
    "env_concurrency": (dict,),
    "retries": (int,),
    "group_reward": (str,),
    "env_kwargs": (dict,),
    "wrappers": (list,),
    "curriculum": (bool, dict),
    "sampling": (dict,),
    "out": (str,),
}
"""The keys of a file and the types of their values."""

_WORDS = {str: "a string", list: "a list", dict: "a table", int: "an integer", bool: "true"}


def load_config(path: str | Path) -> dict[str, Any]:
    """Read a run from a TOML file, as the arguments of `rollout`.

    `textgym eval --config` plays the same files, and `--save-config` writes them. Keys that a file
    lacks are left out, and a relative path in it starts at the working directory.

    Args:
        path: The file.

    Raises:
        UsageError: The file cannot be read, or a value has another type.
        UnknownNameError: A key or an environment does not exist.

    Example:
        >>> import tempfile, textgym
        >>> text = '''
        ... envs = ["textgym/MCQA-v0", "textgym/Math-v0"]
        ... policy = "oracle"
        ... episodes = 5
        ... '''
        >>> with tempfile.NamedTemporaryFile("w") as file:
        ...     print(text, file=file, flush=True)
        ...     config = load_config(file.name)
        >>> config["episodes"]
        10
        >>> textgym.rollout(**config).mean_reward
        1.0
    """
    return rollout_arguments(read_run_file(path))


def read_run_file(path: str | Path) -> dict[str, Any]:
    """Read a run from a TOML file, and check its keys and types.

    Raises:
        UsageError: The file cannot be read, or a value has another type.
        UnknownNameError: A key does not exist.
    """
    try:
        run = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"cannot read {str(path)!r}: {error.strerror}") from error
    except ValueError as error:  # not TOML, or not UTF-8
        raise UsageError(f"{path} is not a TOML file: {error}") from error
    for name, value in run.items():
        if name not in _KEYS:
            raise UnknownNameError(f"{path}: there is no key {name!r}{did_you_mean(name, _KEYS)}")
        if type(value) not in _KEYS[name]:
            right = " or ".join(_WORDS[kind] for kind in _KEYS[name])
            raise UsageError(f"{path}: {name} must be {right}, not {value!r:.100}")
    try:
        Sampling.read(run.get("sampling"))
    except UsageError as error:
        raise type(error)(f"{path}: {error}") from None
    return run


def write_run_file(path: str | Path, run: Mapping[str, Any]) -> None:
    """Write a run that `read_run_file` reads again.

    Raises:
        UsageError: The file cannot be written, or a value has no form in TOML, such as None.
    """
    import tomli_w

    try:
        text = tomli_w.dumps(run)
    except TypeError as error:
        raise UsageError(f"{path} cannot be written as TOML, which has no null: {error}") from error
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {str(path)!r}: {error.strerror}") from error


def rollout_arguments(run: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of `rollout` for a run.

    Raises:
        UnknownNameError: There is no such environment.
        UsageError: An environment is listed twice.

    Example:
        >>> rollout_arguments({"envs": ["textgym.envs.mcqa:MCQA"], "episodes": 3})
        {'envs': 'textgym/MCQA-v0', 'episodes': 3}
    """
    arguments = dict(run)
    envs = run.get("envs")
    if isinstance(envs, list):
        ids = list(with_registered_ids(dict.fromkeys(envs), only_envs=True))
        arguments["envs"] = ids[0] if len(ids) == 1 else dict.fromkeys(ids, 1.0)
        if "episodes" in run:
            arguments["episodes"] = run["episodes"] * len(ids)
    elif isinstance(envs, dict):
        arguments["envs"] = with_registered_ids(envs, only_envs=True)
    return arguments
