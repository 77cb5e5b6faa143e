"""Asking a policy or a callable for one text, from threads that may wait.

What always holds: everything runs on the background loop, at most `concurrency` requests at once;
whatever goes wrong is a `JudgeFailure`; a forked process makes again what a spec named.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import os
import threading
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Any

from textgym.errors import ContextFullError, JudgeFailure
from textgym.messages import Message, text_of
from textgym.policies.base import Policy

__all__ = ["Asker", "Replies"]

Replies = Callable[[list[Message]], Any]
"""What answers messages with a text, or with an awaitable of one."""


class Asker:
    """Asks one policy or callable.

    Args:
        name: What errors call it.
        make: Returns the policy or callable; called again in a forked process.
        concurrency: The most requests under way at once; None for no limit.
        timeout: How many seconds one may take.
    """

    def __init__(
        self,
        name: str,
        make: Callable[[], Policy | Replies],
        concurrency: int | None,
        timeout: float,
    ) -> None:
        self.name = name
        self._make = make
        self._made = os.getpid(), make()
        self._concurrency = concurrency
        self._timeout = timeout
        self._slots: tuple[object, AbstractAsyncContextManager[None]] = (None, nullcontext())

    async def ask(self, messages: list[Message], seed: int) -> str:
        """Return the reply, "" for one that was cut by length; called on the background loop.

        Raises:
            JudgeFailure: There is none.
            ContextFullError: The messages do not fit the model.
        """
        async with self._slot():
            try:
                async with asyncio.timeout(self._timeout) as limit:
                    return await self._reply(messages, seed)
            except (JudgeFailure, ContextFullError):
                raise
            except (Exception, asyncio.CancelledError, SystemExit, KeyboardInterrupt) as error:
                task = asyncio.current_task()
                if isinstance(error, asyncio.CancelledError) and task and task.cancelling():
                    raise
                problem = _problem(error)
                if limit.expired():
                    problem = f"gave no reply within {self._timeout:g} s"
        raise JudgeFailure(f"the judge {self.name} {problem}")

    def _slot(self) -> AbstractAsyncContextManager[None]:
        loop = asyncio.get_running_loop()
        if self._slots[0] is not loop:
            limit = self._concurrency
            self._slots = loop, nullcontext() if limit is None else asyncio.Semaphore(limit)
        return self._slots[1]

    async def _reply(self, messages: list[Message], seed: int) -> str:
        asked = self._asked()
        if isinstance(asked, Policy):
            action = await asked.act(messages, [], seed=seed)
            return "" if action.finish_reason == "length" else text_of(action.message)
        if _is_async(asked):
            reply = await asked(messages)
        else:
            reply = await _in_thread(asked, messages)
            if inspect.isawaitable(reply):
                reply = await reply
        if not isinstance(reply, str):
            raise JudgeFailure(f"the judge {self.name} gave no text but {type(reply).__name__}")
        return reply

    def _asked(self) -> Policy | Replies:
        process = os.getpid()
        if self._made[0] != process:
            self._made = process, self._make()
        return self._made[1]


def _is_async(function: Any) -> bool:
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
        getattr(function, "__call__", None)  # noqa: B004  the method, not whether there is one
    )


def _problem(error: BaseException) -> str:
    first = str(error).strip().partition("\n")[0]
    return f"failed: {type(error).__name__}: {first}".rstrip(": ")


async def _in_thread(function: Replies, messages: list[Message]) -> Any:
    """Call a function in a thread of its own, which keeps neither the loop nor the process."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[tuple[Any, BaseException | None]] = loop.create_future()

    def settle(outcome: Any, error: BaseException | None) -> None:
        if not done.done():
            done.set_result((outcome, error))

    def call() -> None:
        outcome, problem = None, None
        try:
            outcome = function(messages)
        except BaseException as error:
            problem = error
        with contextlib.suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(settle, outcome, problem)

    threading.Thread(target=call, name="textgym-judge", daemon=True).start()
    outcome, problem = await done
    if isinstance(problem, StopIteration | StopAsyncIteration):
        raise RuntimeError(_problem(problem))  # a coroutine cannot raise those
    if problem is not None:
        raise problem
    return outcome
