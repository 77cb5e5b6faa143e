"""What a run records about its environments: names, arguments, splits, and what to import.

Rollouts, rescoring and `textgym.wrappers.RecordTrajectories` use it, so their files agree.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import gymnasium as gym

from textgym.core.card import owns_id
from textgym.json_values import json_round_trip
from textgym.layers import wrappers_around
from textgym.names import importable, name_of
from textgym.tasks.files import has_splits
from textgym.tasks.table_rows import is_table

__all__ = [
    "env_name", "import_source", "kwargs_from_spec", "provenance", "recorded",
    "recorded_kwargs", "wrappers_of",
]  # fmt: skip


def env_name(env: gym.Env[Any, Any]) -> str:
    """Return the id of an environment, from its spec or its card, or else the name of its class."""
    if env.spec:
        return env.spec.id
    cls: Any = type(env.unwrapped)
    return str(cls.card.id) if owns_id(cls) else cls.__name__


def kwargs_from_spec(env: gym.Env[Any, Any]) -> dict[str, Any]:
    """Return the keyword arguments that an environment was made with, as far as it reports them.

    The wrappers that `textgym.wrappers.specs` can apply again are among them.

    Example:
        >>> from textgym.wrappers import StepPenalty
        >>> kwargs_from_spec(StepPenalty(gym.make("textgym/MCQA-v0", level=1), amount=0.5))
        {'level': 1, 'wrappers': ['StepPenalty:name="step_penalty",amount=0.5']}
    """
    known = env.spec.kwargs if env.spec else getattr(env.unwrapped, "arguments", None)
    wrappers = wrappers_of(env)
    return {**(known or {}), **({"wrappers": wrappers} if wrappers else {})}


def wrappers_of(env: gym.Env[Any, Any]) -> list[str]:
    """Return the specs of the wrappers that save their own state, the innermost first."""
    specs = []
    for layer in wrappers_around(env):
        cls = type(layer)
        if isinstance(layer, gym.utils.RecordConstructorArgs) and hasattr(cls, "get_state"):
            name = cls.__name__ if cls.__module__.startswith("textgym.") else name_of(cls)
            arguments = ",".join(
                f"{key}={_as_argument(value)}" for key, value in layer._saved_kwargs.items()
            )
            specs.append(f"{name}:{arguments}" if arguments else name)
    return specs[::-1]


def _as_argument(value: Any) -> str:
    """Return a value as JSON without a `=`, which would look like the next argument."""
    return json.dumps(value, default=recorded).replace("=", "\\u003d")


def recorded_kwargs(kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """Return keyword arguments in the form that is recorded: JSON, the same in every process.

    A function is recorded by its name, and a table by its type and length.

    Args:
        kwargs: Keyword arguments, as `kwargs_for_env` takes them.

    Example:
        >>> from pathlib import PurePath
        >>> recorded_kwargs({"judge": len, "dataset": PurePath("rows.jsonl"), "levels": (1, 2)})
        {'judge': 'builtins:len', 'dataset': 'rows.jsonl', 'levels': [1, 2]}
    """
    return {
        name: recorded(value) if name.isidentifier() else recorded_kwargs(value)
        for name, value in kwargs.items()
    }


def recorded(value: Any) -> Any:
    """Return a value as JSON; a function as its name."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if is_table(value):
        return {"table": f"{type(value).__name__} of {len(value)} rows"}
    if isinstance(value, list):  # which may have functions, such as wrappers
        return [recorded(item) for item in value]
    if hasattr(value, "__qualname__"):
        owner = getattr(value, "__objclass__", value)  # of a method such as str.split
        return f"{owner.__module__}:{value.__qualname__}"
    return json_round_trip(value)


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
        `sandboxes`, the kind of sandbox of each environment that runs programs.
        `imports`, what another process imports for an environment that is not of textgym, so that
        the run can be rescored.

    Example:
        >>> from textgym.envs.mcqa import MCQA
        >>> provenance({"textgym/MCQA-v0": MCQA(split="test")})
        {'splits': {'textgym/MCQA-v0': 'test'}}
    """
    entries = {
        "splits": {id: _split(env.unwrapped) for id, env in samples.items()},
        "sandboxes": {id: _sandbox(env) for id, env in samples.items()},
        "imports": {id: import_source(env) for id, env in samples.items() if id not in named},
    }
    known = {
        name: {id: value for id, value in values.items() if value}
        for name, values in entries.items()
    }
    return {name: values for name, values in known.items() if values}


def _split(env: Any) -> str | None:
    split = getattr(env, "split", None)
    known = isinstance(split, str) and has_splits(getattr(env, "dataset", None))
    return split if known else None


def _sandbox(env: gym.Env[Any, Any]) -> str | None:
    """Return the kind of sandbox of an environment or a wrapper; None if neither has one."""
    kinds = (getattr(layer, "sandbox", None) for layer in (*wrappers_around(env), env.unwrapped))
    return next((kind for kind in kinds if isinstance(kind, str)), None)


def import_source(env: gym.Env[Any, Any]) -> str | None:
    """Return what another process has to import for an environment, as `module:Class`.

    None for environments of textgym and Gymnasium, for a class that no module holds, because it is
    defined in a function or a notebook, and for a wrapped environment that was made without an id.
    """
    entry: Any = env.spec.entry_point if env.spec else None
    if entry is None and env is not env.unwrapped:
        return None
    entry = entry or type(env.unwrapped)
    source = entry if isinstance(entry, str) else importable(entry)
    if not isinstance(source, str):
        main = _main_module()
        in_script = main and entry.__module__ == "__main__" and "<" not in name_of(entry)
        source = f"{main}:{entry.__qualname__}" if in_script else ""
    return None if source.startswith(("textgym.", "gymnasium.")) else source or None


def _main_module() -> str:
    """Return the name under which the running script can be imported; "" if it has no file."""
    main: Any = sys.modules["__main__"]
    spec, file = getattr(main, "__spec__", None), getattr(main, "__file__", None)
    return spec.name if spec else Path(file).stem if file else ""
