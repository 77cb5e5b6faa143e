"""The `vector_entry_point` of every id, such as `textgym.vector.entry_points:textgym/MCQA-v0`.

Gymnasium does not pass the id to a vector entry point, so the id is the name of an attribute of
this module. The entry point remains a string, without which a spec could not be saved.
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
