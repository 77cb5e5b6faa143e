"""The ways to a guest of Aviary: in a worker process, or in this one for an object.

Invariants: a door is used from one thread at a time; a guest that fails is an `EnvironmentFailure`;
after a call that exceeded its limits the guest is gone, and has to be opened again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from textgym.concurrency import event_loops
from textgym.concurrency.workers import workers_for
from textgym.errors import EnvironmentFailure, UsageError, WorkerFailure

if TYPE_CHECKING:
    from textgym.integrations.aviary.guest import Guest

__all__ = ["Door", "door_to"]

CALL_SECONDS = 10.0  # CPU time of a step
_OPEN_SECONDS = 120.0  # CPU time of a reset
_MEMORY = 2 << 30  # bytes


class Door(Protocol):
    """A way to a guest.

    Attributes:
        losses: How often the guest was lost with all its environments.
    """

    losses: int

    def ask(self, do: str, *arguments: Any) -> dict[str, Any]:
        """Call a method of `Guest` and return its result.

        Returns:
            What the method returned, or `raised`: what the arguments of a call caused.

        Raises:
            UsageError: The guest cannot be made from the arguments.
            EnvironmentFailure: It failed.
        """


def door_to(source: Any, config: Mapping[str, Any], is_strict: bool) -> Door:
    """Return a door: to a worker process for a name, and to an object in this process."""
    if isinstance(source, str):
        return WorkerDoor(source, config, is_strict)
    return ObjectDoor(source, config, is_strict)


class WorkerDoor:
    """A guest in a worker process of its own."""

    def __init__(self, source: str, config: Mapping[str, Any], is_strict: bool) -> None:
        load = "textgym.integrations.aviary.guest:load"
        arguments = {"source": source, "config": dict(config), "is_strict": is_strict}
        self.losses, self._source = 0, source
        self._worker = workers_for(load, arguments, name="Aviary", memory=_MEMORY).own()

    def ask(self, do: str, *arguments: Any) -> dict[str, Any]:
        """Call a method of `Guest` in the worker."""
        seconds = CALL_SECONDS if do == "step" else _OPEN_SECONDS
        if do == "close" and not self._worker.is_running:
            return {}
        try:
            reply = self._worker.call({"do": do, "arguments": arguments}, seconds)
        except WorkerFailure:
            self.losses += 1
            raise
        if reply is None:
            self.losses += 1
            return {"raised": f"it took more than {seconds:g} seconds, or too much memory"}
        return _checked(self._source, reply)


class ObjectDoor:
    """A guest in this process. Its time and memory are not limited."""

    losses = 0

    def __init__(self, source: Any, config: Mapping[str, Any], is_strict: bool) -> None:
        from textgym.integrations.aviary.guest import Guest

        self._name = getattr(source, "__name__", type(source).__name__)
        self._guest: Guest = Guest(source, config, is_strict)

    def ask(self, do: str, *arguments: Any) -> dict[str, Any]:
        """Call a method of `Guest` on the background loop."""
        return _checked(self._name, event_loops.run(self._guest.answer(do, *arguments)))


def _checked(source: str, reply: dict[str, Any]) -> dict[str, Any]:
    if "usage" in reply:
        raise UsageError(reply["usage"])
    if "failed" in reply:
        raise EnvironmentFailure(f"Aviary's {source} failed: {reply['failed']}")
    return reply
