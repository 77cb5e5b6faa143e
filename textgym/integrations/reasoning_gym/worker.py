"""The part that imports reasoning-gym. It runs in worker processes, see `load`.

The package's scorers run the text of an answer as code, so a worker first gives up what it can:
files, network, other programs, and root. Invariants: what goes in and out is JSON data, with tuples
and keys that are not strings marked (`packed`); a scorer that raises gives 0 and says so.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
import sys
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from textgym.errors import SandboxFailure, UsageError, in_one_line

__all__ = ["load", "packed", "unpacked"]

_TUPLE, _DICT = "__tuple__", "__dict__"


def load() -> Callable[..., dict[str, Any]]:
    """Import reasoning-gym, and return the function that a worker calls."""
    import reasoning_gym  # noqa: F401

    confined: list[bool] = []

    def answer(do: str, **arguments: Any) -> dict[str, Any]:
        try:
            if not confined:  # in the worker, not in the process that forks it
                confine()
                confined.append(True)
            with contextlib.redirect_stdout(io.StringIO()):
                return entry(**arguments) if do == "entry" else score(**arguments)
        except SandboxFailure as error:
            return {"sandbox": str(error)}
        except UsageError as error:
            return {"usage": str(error)}
        except Exception as error:  # a generator may raise anything
            return {"failed": in_one_line(error)}

    return answer


def confine() -> None:
    """Permanently give up root, the network, and all files except those that Python reads.

    The environment variable `TEXTGYM_SANDBOX=none` disables this, for systems without Landlock.

    Raises:
        SandboxFailure: The system cannot do it.
    """
    from textgym.sandbox.confine import confine_process

    if os.environ.get("TEXTGYM_SANDBOX") == "none":
        return
    readable = [sys.prefix, sys.base_prefix, *filter(os.path.isdir, sys.path)]
    confine_process(readable)


def _dataset(name: str, level: int | None, config: dict[str, Any], seed: int) -> Any:
    """Return a data set of one task.

    Args:
        name: The generator.
        level: A level of its curriculum, from 0; None for its default configuration.
        config: Changes of the configuration.
        seed: The seed.

    Raises:
        UsageError: The generator does not accept the configuration.
    """
    from reasoning_gym.factory import DATASETS, create_curriculum, create_dataset

    values: dict[str, Any] = {"size": 1, "seed": seed}
    if level is not None:
        curriculum = create_curriculum(name)
        curriculum.set_global_level(level)
        values = vars(curriculum.generate_configuration(values))
    try:
        return create_dataset(name, **{**values, **config})
    except (AssertionError, TypeError, ValueError) as error:
        kind = DATASETS[name][1].__name__
        raise UsageError(f"{name} does not accept this {kind}: {in_one_line(error)}") from None


@lru_cache(maxsize=256)
def _scorer(name: str, level: int | None, config: str) -> Any:
    """Return a data set for its scorer; `config` is JSON."""
    return _dataset(name, level, json.loads(config), 0)


def entry(name: str, level: int | None, config: dict[str, Any], seed: int) -> dict[str, Any]:
    """Return the `question`, `answer` and `metadata` of a task; `raised` if there is none."""
    import numpy

    random.seed(seed)  # a few generators draw from the generators that all share
    numpy.random.seed(seed % 2**32)
    dataset = _dataset(name, level, config, seed)
    try:
        made = dataset[0]
    except Exception as error:  # a generator may raise anything for some seeds
        return {"raised": in_one_line(error)}
    return {
        "question": made["question"],
        "answer": made["answer"],
        "metadata": packed(made["metadata"]),
    }


def score(
    name: str, level: int | None, config: dict[str, Any], entry: dict[str, Any], answer: str | None
) -> dict[str, Any]:
    """Return the package's score of an answer, 0 with `raised` if its scorer raises."""
    scorer = _scorer(name, level, json.dumps(config, sort_keys=True))
    whole = {**entry, "metadata": unpacked(entry["metadata"])}
    try:
        value = float(scorer.score_answer(answer, whole))
    except Exception as error:  # a scorer may raise anything on an answer
        return {"score": 0.0, "raised": in_one_line(error)}
    return {"score": min(max(value, 0.0), 1.0) if value == value else 0.0}


def packed(value: Any) -> Any:
    """Return a value as JSON data; tuples, and dicts whose keys are not strings, are marked.

    Example:
        >>> packed({"move": (1, 2), "board": {3: "x"}})
        {'move': {'__tuple__': [1, 2]}, 'board': {'__dict__': [[3, 'x']]}}
    """
    if isinstance(value, tuple):
        return {_TUPLE: [*map(packed, value)]}
    if isinstance(value, list):
        return [*map(packed, value)]
    if isinstance(value, dict):
        if all(isinstance(key, str) for key in value):
            return {key: packed(item) for key, item in value.items()}
        return {_DICT: [[packed(key), packed(item)] for key, item in value.items()]}
    if isinstance(value, set | frozenset):
        return sorted(map(packed, value), key=repr)
    return value if isinstance(value, (str, int, float, bool, type(None))) else str(value)


def unpacked(value: Any) -> Any:
    """Return what was packed.

    Example:
        >>> unpacked(packed({"move": (1, 2), "board": {3: "x"}}))
        {'move': (1, 2), 'board': {3: 'x'}}
    """
    if isinstance(value, list):
        return [*map(unpacked, value)]
    if isinstance(value, dict):
        if value.keys() == {_TUPLE}:
            return tuple(map(unpacked, value[_TUPLE]))
        if value.keys() == {_DICT}:
            return {unpacked(key): unpacked(item) for key, item in value[_DICT]}
        return {key: unpacked(item) for key, item in value.items()}
    return value
