"""Which content of its data sets a run is played on.

An environment tells the digests of the data that its tasks were read from. A run records them, so
that it is not gone on with, and not rescored without a word, after the data have changed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import gymnasium as gym

from textgym.errors import DatasetError

__all__ = ["Data", "changed_data", "data_of", "with_same_data"]

Data = Mapping[str, Mapping[str, str]]
"""For each environment's id, the digests of its data sets by name."""

EnvMaker = Callable[[], gym.Env[Any, Any]]


def data_of(envs: Mapping[str, gym.Env[Any, Any]]) -> dict[str, dict[str, str]]:
    """Return the digests of the data that environments were made with; none where they have none.

    Args:
        envs: An environment of each id.
    """
    known = {id: _digests(env) for id, env in envs.items()}
    return {id: digests for id, digests in known.items() if digests}


def changed_data(was: Any, now: Any) -> list[str]:
    """Return the names of the data sets whose content is not what it was.

    Args:
        was: What `data_of` gave once, as a file holds it; what is of another form is unknown.
        now: What it gives today, or what another file holds.

    Example:
        >>> changed_data({"demo/A-v0": {"rows.jsonl": "e3"}}, {"demo/A-v0": {"rows.jsonl": "9f"}})
        ['rows.jsonl']
        >>> changed_data(None, {"demo/A-v0": {"rows.jsonl": "9f"}})
        []
    """
    known, changed = _mapping(was), []
    for id, digests in _mapping(now).items():
        before = _mapping(known.get(id))
        changed += [
            name for name, digest in _mapping(digests).items() if before.get(name, digest) != digest
        ]
    return list(dict.fromkeys(changed))


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def with_same_data(makers: Mapping[str, EnvMaker], data: Data) -> dict[str, EnvMaker]:
    """Return makers that refuse to make an environment once its data have changed.

    Args:
        makers: What makes the environment of each id.
        data: What `data_of` gave when the run began.
    """

    def maker(id: str) -> EnvMaker:
        def make() -> gym.Env[Any, Any]:
            env = makers[id]()
            changed = changed_data(data, data_of({id: env}))
            if changed:
                env.close()
                raise DatasetError(f"data set {changed[0]!r} has changed since the run began")
            return env

        return make

    return {id: maker(id) for id in makers}


def _digests(env: gym.Env[Any, Any]) -> dict[str, str]:
    return dict(getattr(env.unwrapped, "data_digests", None) or {})
