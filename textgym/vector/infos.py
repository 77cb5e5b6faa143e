"""The infos of many environments as one dict of arrays, in Gymnasium's layout.

Each key holds an array with one entry per environment, and `_key` a mask of the environments that
have the key; nested dicts are laid out in the same way. Gymnasium adds infos one by one, so the
first value fixes an array's type. Here an array gets a type that holds all of its values unchanged,
or is an object array if there is none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

__all__ = ["stack_infos", "stack_results"]

_ALWAYS_OBJECTS = "final_obs"  # as in Gymnasium
_TEXTS = {str}
_NUMBERS = (int, float, np.number)  # bools are handled apart
_MAX_INT64 = 2**63 - 1
_MAX_EXACT_FLOAT = 2**53


def stack_infos(infos: Sequence[Mapping[str, Any] | None]) -> dict[str, Any]:
    """Return infos as one dict.

    Args:
        infos: One for each environment; None for an environment without an info.

    Example:
        >>> infos = stack_infos([{"task_id": "a", "components": {"right": 1}},
        ...                      {"task_id": "b"}, {"components": {"right": 0.5}}])
        >>> infos["task_id"], infos["_task_id"]
        (array(['a', 'b', None], dtype=object), array([ True,  True, False]))
        >>> infos["components"]["right"]
        array([1. , 0. , 0.5])
    """
    columns: dict[str, dict[int, Any]] = {}
    for index, info in enumerate(infos):
        for key, value in info.items() if info else ():
            try:
                columns[key][index] = value
            except KeyError:
                columns[key] = {index: value}
    stacked: dict[str, Any] = {}
    for key, column in columns.items():
        mask = np.zeros(len(infos), dtype=np.bool_)
        mask[list(column)] = True
        stacked[key], stacked[f"_{key}"] = _stack(key, column, len(infos)), mask
    return stacked


def stack_results(
    results: Sequence[Any],
) -> tuple[tuple[Any, ...], np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
    """Return what a vector returns for the results of steps, one for each environment."""
    return (
        tuple(result[0] for result in results),
        np.array([result[1] for result in results], dtype=np.float64),
        np.array([result[2] for result in results], dtype=np.bool_),
        np.array([result[3] for result in results], dtype=np.bool_),
        stack_infos([result[4] for result in results]),
    )


def _stack(key: str, column: Mapping[int, Any], size: int) -> Any:
    """Return the values of one key, given by environment, as an array or a dict."""
    kinds = set(map(type, column.values()))
    if kinds == _TEXTS:
        return np.fromiter(map(column.get, range(size)), dtype=object, count=size)
    if all(issubclass(kind, dict) for kind in kinds) and key != _ALWAYS_OBJECTS:
        return stack_infos([*map(column.get, range(size))])
    values = list(column.values())
    dtype, shape = _common_type(kinds, values)
    if dtype is object:
        return np.fromiter(map(column.get, range(size)), dtype=object, count=size)
    array = np.zeros((size, *shape), dtype=dtype)
    array[list(column)] = values
    return array


def _common_type(kinds: set[type], values: list[Any]) -> tuple[Any, tuple[int, ...]]:
    """Return the dtype that holds all values unchanged, and their shape."""
    if kinds == {bool}:
        return np.bool_, ()
    if kinds == {np.ndarray} and len({(value.shape, value.dtype) for value in values}) == 1:
        return values[0].dtype, values[0].shape
    if bool in kinds or not all(issubclass(kind, _NUMBERS) for kind in kinds):
        return object, ()
    dtype = np.result_type(*kinds)
    largest = _MAX_INT64 if dtype.kind in "iu" else _MAX_EXACT_FLOAT
    ints = (value for value in values if isinstance(value, (int, np.integer)))
    return (dtype if all(-largest <= value <= largest for value in ints) else object), ()
