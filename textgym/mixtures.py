"""Mixtures: environments with weights, division by weight, and keyword arguments.

A mixture maps ids to weights. Instead of a weight, an entry may have a function that makes the
environment, or a pair of a weight and a function; its key is then only a name.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping
from numbers import Real
from typing import Any, cast

import gymnasium as gym

from textgym.errors import UnknownNameError, UsageError, did_you_mean

__all__ = [
    "EnvFn", "Source", "check_env_ids", "check_env_kwargs", "functions_of", "kwargs_for_env",
    "split_by_weight", "weights_of",
]  # fmt: skip

EnvFn = Callable[[], gym.Env[Any, Any]]
Source = float | EnvFn | tuple[float, EnvFn]
"""An entry of a mixture: a weight, a function that makes the environment, or a pair of both."""


def weights_of(mixture: Mapping[str, Source]) -> dict[str, float]:
    """Return the weights of a mixture; a function without a weight has the weight 1.

    Raises:
        UsageError: A weight is not a finite number greater than 0, or an entry is something else.

    Example:
        >>> weights_of({"demo/A-v0": 0.5, "mine": dict, "other": (2, dict)})
        {'demo/A-v0': 0.5, 'mine': 1.0, 'other': 2}
    """
    weights = {}
    for name, source in mixture.items():
        weight: Any = 1.0 if callable(source) else source
        if isinstance(source, (tuple, list)):
            weight = source[0] if len(source) == 2 and callable(source[1]) else None
        if not isinstance(weight, Real) or isinstance(weight, bool):
            raise UsageError(
                f"{name!r} must have a weight, a function that makes an environment, or a pair of "
                f"both, not {source!r:.100}"
            )
        weights[name] = cast(float, weight)
    if not all(0 < weight < math.inf for weight in weights.values()):
        raise UsageError("the weights of environments must be finite numbers greater than 0")
    return weights


def functions_of(mixture: Mapping[str, Any]) -> dict[str, EnvFn]:
    """Return the functions of a mixture by name, without the environments that have only an id."""
    pairs = {
        name: source[-1] if isinstance(source, (tuple, list)) and source else source
        for name, source in mixture.items()
    }
    return {name: function for name, function in pairs.items() if callable(function)}


def split_by_weight(weights: Mapping[str, float], total: int) -> dict[str, int]:
    """Divide a total in proportion to weights; the rounding rest goes to the largest remainders.

    Example:
        >>> split_by_weight({"a": 0.6, "b": 0.4}, 256)
        {'a': 154, 'b': 102}
    """
    sum_of_weights = sum(weights.values())
    exact = {id: total * weight / sum_of_weights for id, weight in weights.items()}
    shares = {id: int(share) for id, share in exact.items()}
    by_remainder = sorted(exact, key=lambda id: shares[id] - exact[id])
    for id in by_remainder[: total - sum(shares.values())]:
        shares[id] += 1
    return shares


def kwargs_for_env(id: str, kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keyword arguments of one environment; they override the ones for all.

    Args:
        id: The environment's id.
        kwargs: Keyword arguments for all environments by name, and for one environment as a dict
            under its id.

    Example:
        >>> kwargs = {"level": 1, "demo/A-v0": {"shots": 4}, "demo/B-v0": {"level": 2}}
        >>> kwargs_for_env("demo/A-v0", kwargs), kwargs_for_env("demo/B-v0", kwargs)
        ({'level': 1, 'shots': 4}, {'level': 2})
    """
    own = {} if id.isidentifier() else kwargs.get(id, {})
    if not isinstance(own, Mapping):
        raise UsageError(f"env_kwargs[{id!r}] must be a dict of keyword arguments, not {own!r}")
    return {name: value for name, value in kwargs.items() if name.isidentifier()} | dict(own)


def check_env_ids(what: str, names: Iterable[str], ids: Collection[str]) -> None:
    """Check that names are ids of environments that are played.

    Args:
        what: What the names belong to, for the error.
        names: The names.
        ids: The ids of the environments that are played.

    Raises:
        UnknownNameError: A name is not such an id.
    """
    for id in names:
        if id not in ids:
            raise UnknownNameError(f"{what}: {id!r} is not played{did_you_mean(id, ids)}")


def check_env_kwargs(
    what: str, kwargs: Collection[str], ids: Collection[str], functions: Collection[str] = ()
) -> None:
    """Check that keyword arguments belong to environments that are played and take arguments.

    Args:
        what: What the keyword arguments are called, for errors.
        kwargs: The names of arguments, and ids.
        ids: The ids of the environments that are played.
        functions: The ids among them whose environments are made by functions.

    Raises:
        UnknownNameError: A name is neither an argument's nor the id of an environment.
        UsageError: An argument is for an environment that is made by a function.
    """
    check_env_ids(what, [name for name in kwargs if not name.isidentifier()], ids)
    for name in kwargs if functions else ():
        if name in functions:
            raise UsageError(
                f"{what}: {name!r} is made by a function, so it takes no keyword arguments: put "
                "them into the function"
            )
        if name.isidentifier():
            raise UsageError(
                f"{what}: {name!r} cannot apply to all, because {next(iter(functions))!r} is made "
                "by a function: put it under the ids that it is for"
            )
