"""Finding environments whose calls wait on an event loop, where all other episodes wait with them.

A call that takes long because it computes is not reported: a thread would not make it faster.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter, thread_time
from typing import Any, TypeVar

import gymnasium as gym

__all__ = ["MAX_CALL_SECONDS", "WaitWatch"]

T = TypeVar("T")
MAX_CALL_SECONDS = 0.02
"""A call that takes longer may be waiting."""

_MIN_WAITS = 3  # a single wait may come from an import, or from other programs
_MIN_SHARE = 0.05  # of the calls since the first long one

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Calls:
    """The calls of a class since its first long one, and those of them that waited."""

    count: int = 0
    waits: int = 0
    seconds: float = 0.0


class WaitWatch:
    """Times the calls of environments, and logs once for each class that they wait.

    The processor time is only measured after a first long call, because that is slow itself.

    Example:
        >>> import gymnasium, textgym
        >>> env = gymnasium.make("textgym/MCQA-v0")
        >>> observation, info = WaitWatch().run(env, env.reset)
    """

    def __init__(self) -> None:
        self._suspects: dict[type, _Calls | None] = {}  # None: the class was logged

    def run(self, env: gym.Env[Any, Any], call: Callable[[], T]) -> T:
        """Return what a call of an environment returns."""
        busy = thread_time() if self._suspects else 0.0
        started = perf_counter()
        result = call()
        seconds = perf_counter() - started
        if self._suspects:
            self._count(type(env.unwrapped), seconds, seconds - (thread_time() - busy))
        elif seconds > MAX_CALL_SECONDS:
            self._suspects[type(env.unwrapped)] = _Calls()
        return result

    def _count(self, kind: type, seconds: float, waited: float) -> None:
        calls = self._suspects.get(kind)
        if calls is None:
            if seconds > MAX_CALL_SECONDS and kind not in self._suspects:
                self._suspects[kind] = _Calls()
            return
        calls.count += 1
        if seconds <= MAX_CALL_SECONDS or waited < seconds / 2:
            return
        calls.waits += 1
        calls.seconds += waited
        if calls.waits >= _MIN_WAITS and calls.waits >= _MIN_SHARE * calls.count:
            self._suspects[kind] = None
            _log.warning(
                "%s.%s waits in reset or step (%.0f ms in each of %d calls), and all other "
                "episodes wait with it: set `blocking = True` in the class, so that its calls run "
                "in threads",
                kind.__module__,
                kind.__qualname__,
                1000 * calls.seconds / calls.waits,
                calls.waits,
            )
