"""The infos of many environments as one dict of arrays, in Gymnasium's layout.

Under each key stands an array with a place for each environment, under `_key` which of them have
it; a dict is laid out so key by key. Unlike Gymnasium's own way of adding infos one by one, what
one environment says never changes or refuses what another says: an array has the type of all its
values, and where they have none in common it holds them as they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

__all__ = ["stack_infos"]

_AS_IT_IS = "final_obs"  # Gymnasium never lays this one out
_NUMBERS = (int, float, np.number)  # a bool is a kind of its own
_LARGEST_INT = 2**63 - 1
_LARGEST_INT_OF_FLOATS = 2**53


def stack_infos(infos: Sequence[Mapping[str, Any] | None]) -> dict[str, Any]:
    """Return the infos, one for each environment and None where there is none, as one dict.

    Example:
        >>> infos = stack_infos([{"task_id": "a", "components": {"right": 1}},
        ...                      {"task_id": "b"}, {"components": {"right": 0.5}}])
        >>> infos["task_id"], infos["_task_id"]
        (array(['a', 'b', None], dtype=object), array([ True,  True, False]))
        >>> infos["components"]["right"]
        array([1. , 0. , 0.5])
    """
    columns: dict[str, dict[int, Any]] = {}
    for place, info in enumerate(infos):
        for key, value in info.items() if info else ():
            try:
                columns[key][place] = value
            except KeyError:
                columns[key] = {place: value}
    stacked: dict[str, Any] = {}
    for key, column in columns.items():
        mask = np.zeros(len(infos), dtype=np.bool_)
        mask[list(column)] = True
        stacked[key], stacked[f"_{key}"] = _stack(key, column, len(infos)), mask
    return stacked


def _stack(key: str, column: Mapping[int, Any], size: int) -> Any:
    """Return one key's values, by the places of those that have it, in an array or a dict."""
    kinds = set(map(type, column.values()))
    if all(issubclass(kind, dict) for kind in kinds) and key != _AS_IT_IS:
        return stack_infos([*map(column.get, range(size))])
    values = list(column.values())
    dtype, shape = _type_of_all(kinds, values)
    if dtype is object:
        return np.fromiter(map(column.get, range(size)), dtype=object, count=size)
    array = np.zeros((size, *shape), dtype=dtype)
    array[list(column)] = values
    return array


def _type_of_all(kinds: set[type], values: list[Any]) -> tuple[Any, tuple[int, ...]]:
    """Return the type that holds all values unchanged, and their shape."""
    if kinds == {bool}:
        return np.bool_, ()
    if kinds == {np.ndarray} and len({(value.shape, value.dtype) for value in values}) == 1:
        return values[0].dtype, values[0].shape
    if bool in kinds or not all(issubclass(kind, _NUMBERS) for kind in kinds):
        return object, ()
    dtype = np.result_type(*kinds)
    largest = _LARGEST_INT if dtype.kind in "iu" else _LARGEST_INT_OF_FLOATS
    whole = (value for value in values if isinstance(value, (int, np.integer)))
    return (dtype if all(-largest <= value <= largest for value in whole) else object), ()
