"""What `run.json` records about environments: the splits that are played, and what to import."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import gymnasium as gym

from textgym.registry import import_source
from textgym.tasks.files import is_file_name

__all__ = ["provenance"]


def provenance(
    samples: Mapping[str, gym.Env[Any, Any]], named: Collection[str] = ()
) -> dict[str, dict[str, str]]:
    """Return what there is to record, without empty entries.

    Args:
        samples: One environment of each id.
        named: The ids that are only names, given to functions of a mixture. Importing a class would
            not make their environments.

    Returns:
        `splits`, the split of each environment that has one; the rows of a file have none.
        `imports`, what another process imports for an environment that is not of textgym, so that
        the run can be rescored.

    Example:
        >>> from textgym.envs.mcqa import MCQA
        >>> provenance({"textgym/MCQA-v0": MCQA(split="test")})
        {'splits': {'textgym/MCQA-v0': 'test'}}
    """
    found = {
        "splits": {id: _split(env.unwrapped) for id, env in samples.items()},
        "imports": {id: import_source(env) for id, env in samples.items() if id not in named},
    }
    known = {
        name: {id: value for id, value in values.items() if value} for name, values in found.items()
    }
    return {name: values for name, values in known.items() if values}


def _split(env: Any) -> str | None:
    split, dataset = getattr(env, "split", None), getattr(env, "dataset", None)
    return split if isinstance(split, str) and not (dataset and is_file_name(dataset)) else None
