"""Requests to the policy or callable behind a judge, or behind a simulated user.

Nothing is retried here: `judges` asks again after a reply without a verdict, policies retry their
HTTP requests, and rollouts and vectors retry the step that raised a `JudgeFailure`.

Invariants: requests run on the background event loop, at most `concurrency` at once; every error
becomes a failure of one type, except a `ContextFullError`; after a fork, the child process makes
its own policy.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import os
import threading
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Any, NamedTuple

from textgym.errors import BoundaryFailure, ContextFullError, JudgeFailure
from textgym.messages import Message, text_of
from textgym.policies.base import Policy

__all__ = ["ReplyClient", "ReplyFunction", "TextAndUsage"]

ReplyFunction = Callable[[list[Message]], Any]
"""A callable that returns the reply to messages: a text, or an awaitable of a text."""


class TextAndUsage(NamedTuple):
    """A reply.

    Attributes:
        text: Its text.
        usage: The token counts of a policy, such as `completion_tokens`; empty for a callable.
    """

    text: str
    usage: dict[str, int]


class ReplyClient:
    """Sends messages to one policy or callable.

    Args:
        name: The name in error messages.
        make: Returns the policy or callable. It is called once per process.
        concurrency: The maximum number of concurrent requests; None for no limit.
        timeout: The time limit for one reply, in seconds.
        role: What the policy or callable is, for error messages.
        failure: What is raised if there is no reply.
        keeps_cut_replies: Whether a reply that was cut at the token limit is a reply. Otherwise it
            counts as an empty one.
    """

    def __init__(
        self,
        name: str,
        make: Callable[[], Policy | ReplyFunction],
        concurrency: int | None,
        timeout: float,
        role: str = "judge",
        failure: type[BoundaryFailure] = JudgeFailure,
        keeps_cut_replies: bool = False,
    ) -> None:
        self.name = name
        self._role, self._failure = role, failure
        self._keeps_cut_replies = keeps_cut_replies
        self._make = make
        self._made = os.getpid(), make()
        self._concurrency = concurrency
        self._timeout = timeout
        self._limits: tuple[object, AbstractAsyncContextManager[None]] = (None, nullcontext())

    async def ask(self, messages: list[Message], seed: int) -> str:
        """Return the text of `reply`."""
        return (await self.reply(messages, seed)).text

    async def reply(self, messages: list[Message], seed: int) -> TextAndUsage:
        """Return the reply to messages; "" for a policy's reply that was cut at the token limit.

        Call this on the background loop.

        Args:
            messages: The messages.
            seed: The sampling seed, for a policy.

        Raises:
            BoundaryFailure: There is no reply.
            ContextFullError: The messages do not fit the model's context.
        """
        async with self._limit():
            try:
                async with asyncio.timeout(self._timeout) as limit:
                    return await self._reply(messages, seed)
            except (self._failure, ContextFullError):
                raise
            except (Exception, asyncio.CancelledError, SystemExit, KeyboardInterrupt) as error:
                task = asyncio.current_task()
                if isinstance(error, asyncio.CancelledError) and task and task.cancelling():
                    raise
                problem = _describe(error)
                if limit.expired():
                    problem = f"gave no reply within {self._timeout:g} s"
        raise self._failure(f"the {self._role} {self.name} {problem}")

    def _limit(self) -> AbstractAsyncContextManager[None]:
        """Return the limit of concurrent requests, which belongs to the running event loop."""
        loop = asyncio.get_running_loop()
        if self._limits[0] is not loop:
            most = self._concurrency
            self._limits = loop, nullcontext() if most is None else asyncio.Semaphore(most)
        return self._limits[1]

    async def _reply(self, messages: list[Message], seed: int) -> TextAndUsage:
        asked = self._policy_or_function()
        if isinstance(asked, Policy):
            action = await asked.act(messages, [], seed=seed)
            is_cut = action.finish_reason == "length" and not self._keeps_cut_replies
            return TextAndUsage("" if is_cut else text_of(action.message), dict(action.usage or {}))
        if _is_async(asked):
            reply = await asked(messages)
        else:
            reply = await _call_in_thread(asked, messages)
            if inspect.isawaitable(reply):
                reply = await reply
        if not isinstance(reply, str):
            raise self._failure(
                f"the {self._role} {self.name} returned {type(reply).__name__} instead of text"
            )
        return TextAndUsage(reply, {})

    def _policy_or_function(self) -> Policy | ReplyFunction:
        process = os.getpid()
        if self._made[0] != process:
            self._made = process, self._make()
        return self._made[1]


def _is_async(function: Any) -> bool:
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
        getattr(function, "__call__", None)  # noqa: B004  the method, not whether there is one
    )


def _describe(error: BaseException) -> str:
    first = str(error).strip().partition("\n")[0]
    return f"failed: {type(error).__name__}: {first}".rstrip(": ")


async def _call_in_thread(function: ReplyFunction, messages: list[Message]) -> Any:
    """Call a function in a new daemon thread, so that one that never returns blocks nothing."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[tuple[Any, BaseException | None]] = loop.create_future()

    def settle(result: Any, error: BaseException | None) -> None:
        if not done.done():
            done.set_result((result, error))

    def call() -> None:
        result, error = None, None
        try:
            result = function(messages)
        except BaseException as raised:
            error = raised
        with contextlib.suppress(RuntimeError):  # the event loop has ended
            loop.call_soon_threadsafe(settle, result, error)

    threading.Thread(target=call, name="textgym-reply", daemon=True).start()
    result, error = await done
    if isinstance(error, StopIteration | StopAsyncIteration):
        raise RuntimeError(_describe(error))  # a coroutine cannot raise these
    if error is not None:
        raise error
    return result
