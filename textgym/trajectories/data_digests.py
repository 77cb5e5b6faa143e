"""Digests of the data sets that a run is played on.

An environment reports the digests of the data that its tasks were read from. A run records them, so
that it is not resumed after the data have changed, and rescoring can warn about it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import gymnasium as gym

from textgym.errors import DatasetError

__all__ = ["DataDigests", "changed_data", "digests_of", "with_unchanged_data"]

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
