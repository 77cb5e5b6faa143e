"""What exports of tasks share: the environment, and how many tasks it has."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from textgym.core.text_env import TextEnv
from textgym.errors import UsageError
from textgym.registry import make

__all__ = ["exported"]


@contextlib.contextmanager
def exported(
    env_id: str, count: int | None, refusal: Callable[[TextEnv[Any]], str], **kwargs: Any
) -> Iterator[tuple[TextEnv[Any], int]]:
    """Make an environment whose tasks are exported, and close it afterwards.

    Args:
        env_id: The environment.
        count: The number of tasks; None for all of a finite split or data set.
        refusal: Returns why the other suite cannot play the environment; "" if it can.
        **kwargs: The keyword arguments of the environment.

    Yields:
        The environment and the number of tasks.

    Raises:
        UsageError: The environment is refused, or its tasks are unlimited and `count` is None.
    """
    with contextlib.closing(make(env_id, **kwargs)) as env:
        inner = env.unwrapped
        if not isinstance(inner, TextEnv):
            raise UsageError(f"{env_id} is not a text environment")
        if why := refusal(inner):
            raise UsageError(why)
        total = inner.num_tasks if count is None else count
        if total is None:
            raise UsageError(f"{env_id} has unlimited tasks: state how many to take")
        yield inner, total
