"""The `vector_entry_point` of every id: `textgym.vector.entry_points:textgym/MCQA-v0`.

A vector's entry point is not told for which id it is called. So the id is the attribute's name
here: that leaves the entry point a text, without which no spec could be saved.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

from textgym.registry import is_registered
from textgym.vector.make import make_vec
from textgym.vector.text_vector_env import TextVectorEnv


def __getattr__(name: str) -> Callable[..., TextVectorEnv]:
    if not is_registered(name):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return functools.partial(make_vec, name)
