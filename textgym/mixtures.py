"""Mixtures: what is divided among several environments by weight, and the arguments of each."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from textgym.errors import UnknownNameError, UsageError, did_you_mean

__all__ = [
    "check_env_ids",
    "check_env_kwargs",
    "check_weights",
    "kwargs_for_env",
    "split_by_weight",
]


def check_weights(weights: Mapping[str, float]) -> None:
    """Check that weights are finite numbers greater than 0.

    Raises:
        UsageError: One of them is not.
    """
    if not all(0 < weight < math.inf for weight in weights.values()):
        raise UsageError("the weights of environments must be finite numbers greater than 0")


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
    """Return the keyword arguments of one environment; its own override those for all.

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


def check_env_ids(what: str, given: Iterable[str], ids: Collection[str]) -> None:
    """Check that names are ids of environments that are played.

    Args:
        what: What the names belong to, for the error.
        given: The names.
        ids: The ids of the environments that are played.

    Raises:
        UnknownNameError: A name is not such an id.
    """
    for id in given:
        if id not in ids:
            raise UnknownNameError(f"{what}: {id!r} is not played{did_you_mean(id, ids)}")


def check_env_kwargs(what: str, kwargs: Iterable[str], ids: Collection[str]) -> None:
    """Check that keyword arguments under an id belong to an environment that is played.

    Raises:
        UnknownNameError: A name is neither that of an argument nor the id of such an environment.
    """
    check_env_ids(what, [name for name in kwargs if not name.isidentifier()], ids)
