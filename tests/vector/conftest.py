"""What the tests of vectors share."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from vector_envs import Count

from textgym.vector import TextVectorEnv


@pytest.fixture
def make() -> Iterator[Callable[..., TextVectorEnv]]:
    """Make vectors of `Count`, or of another class, that are closed at the end."""
    made: list[TextVectorEnv] = []

    def make_one(count: int = 3, cls: Any = Count, **kwargs: Any) -> TextVectorEnv:
        names = ("autoreset_mode", "failures", "retries")
        own = {name: kwargs.pop(name) for name in names if name in kwargs}
        made.append(TextVectorEnv([functools.partial(cls, **kwargs)] * count, **own))
        return made[-1]

    yield make_one
    for vector in made:
        vector.close()
