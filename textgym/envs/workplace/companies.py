"""The generated companies of a split, and their databases, which episodes share."""

from __future__ import annotations

from functools import lru_cache

from textgym.envs.workplace.database import Database
from textgym.envs.workplace.world import world

__all__ = ["database_of"]

MAX_CACHED = 64  # databases, in addition to those of running episodes


@lru_cache(MAX_CACHED)
def database_of(seed: int) -> Database:
    """Return the databases of a seed's company. The latest ones are cached."""
    return Database(world(seed))
