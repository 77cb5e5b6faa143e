"""textgym's environments in Aviary: `as_environment` and `as_task_dataset`.

Invariants: messages, tools and rewards are the environment's; a failure raises, so that Aviary's
loops record an error and no reward.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any, cast

from aviary.core import (
    Environment,
    Frame,
    Message,
    TaskDataset,
    Tool,
    ToolRequestMessage,
    ToolResponseMessage,
    ToolsAdapter,
)

from textgym.concurrency.calls import reset_may_block, step_may_block
from textgym.errors import UsageError
from textgym.messages import Message as PlainMessage
from textgym.messages import ToolSchema, text_of
from textgym.registry import make

__all__ = ["as_environment", "as_task_dataset"]


def as_environment(
    env: str, *, index: int | None = None, seed: int = 0, **kwargs: Any
) -> TextgymEnvironment:
    """Return an environment of textgym as one of Aviary, such as for LDP's `RolloutManager`.

    Args:
        env: An id, or `module:Class`.
        index: The index of the task; None draws one at each reset.
        seed: Seeds the first reset.
        **kwargs: The keyword arguments of the environment, and `wrappers`.

    Raises:
        UsageError: There is no such environment or argument.

    Example:
        >>> environment = as_environment("textgym/SessionState-v0", index=0, split="test")
        >>> messages, tools = asyncio.run(environment.reset())
        >>> [tool.info.name for tool in tools]
        ['get_counter_value', 'increment_counter']
    """
    return TextgymEnvironment(make(env, **kwargs), index, seed)


def as_task_dataset(env: str, **kwargs: Any) -> TextgymTaskDataset:
    """Return the tasks of an environment as a task data set of Aviary.

    Args:
        env: An id, or `module:Class`.
        **kwargs: The keyword arguments of the environment, such as `split`, and `wrappers`.

    Raises:
        UsageError: There is no such environment or argument.

    Example:
        >>> tasks = as_task_dataset("textgym/MCQA-v0", split="test")
        >>> len(tasks), asyncio.run(tasks.get_new_env_by_idx(3).get_id())
        (500, 'test-mixed-3')
    """
    return TextgymTaskDataset(env, kwargs)


class TextgymEnvironment(Environment[dict[str, Any]]):
    """An environment of textgym in Aviary.

    Attributes:
        state: The info of the last step.
    """

    def __init__(self, env: Any, index: int | None, seed: int) -> None:
        self.env, self._index, self._seed = env, index, seed
        self._drawn = False
        self._seen: list[PlainMessage] = []
        self.tools: list[Tool] = []
        self.state: dict[str, Any] = {}

    async def get_id(self) -> str:
        """Return the id of the task.

        Raises:
            ValueError: The task is drawn at each reset, and there was none.
        """
        if self._index is not None:
            return str(self.env.unwrapped.get_task(self._index).id)
        if "task_id" not in self.state:
            raise ValueError("reset draws the task, so it has no id before the first reset")
        return str(self.state["task_id"])

    async def reset(self) -> tuple[list[Message], list[Tool]]:
        """Begin an episode."""
        options = None if self._index is None else {"index": self._index}
        seed = None if self._drawn else self._seed
        self._drawn = True
        call = self.env.reset
        if reset_may_block(self.env):
            self._seen, self.state = await asyncio.to_thread(call, seed=seed, options=options)
        else:
            self._seen, self.state = call(seed=seed, options=options)
        self.tools = ToolsAdapter.validate_python([*map(_with_parameters, self.state["tools"])])
        return _as_messages(self._seen, {}), self.tools

    async def step(self, action: Message) -> tuple[list[Message], float, bool, bool]:
        """Take the assistant's next message."""
        message = _as_plain(action)
        if step_may_block(self.env):
            result = await asyncio.to_thread(self.env.step, message)
        else:
            result = self.env.step(message)
        observation, reward, terminated, truncated, self.state = result
        length = len(self._seen)
        if len(observation) <= length or observation[length]["role"] != "assistant":
            raise UsageError(
                "Aviary only appends to a conversation, and a wrapper of the environment rewrites "
                "it"
            )
        names = {
            call["id"]: call["function"]["name"]
            for call in observation[length].get("tool_calls") or ()
        }
        self._seen = observation
        return _as_messages(observation[length + 1 :], names), reward, terminated, truncated

    def export_frame(self) -> Frame:
        """Return the conversation and the info of the last step."""
        return Frame(state={"messages": self._seen}, info=self.state)

    async def close(self) -> None:
        """Close the environment."""
        self.env.close()


class TextgymTaskDataset(TaskDataset[TextgymEnvironment]):
    """The tasks of an environment of textgym in Aviary."""

    def __init__(self, env: str, kwargs: Mapping[str, Any]) -> None:
        self._env, self._kwargs = env, dict(kwargs)
        first = make(env, **kwargs)
        self._count: int | None = first.unwrapped.num_tasks  # type: ignore[attr-defined]
        first.close()
        self._drawn = 0

    def __len__(self) -> int:
        if self._count is None:
            raise TypeError(f"{self._env} has unlimited training tasks")
        return self._count

    def get_new_env_by_idx(self, idx: int) -> TextgymEnvironment:
        """Return the environment of a task."""
        return as_environment(self._env, index=idx, **self._kwargs)

    def get_new_env(self) -> TextgymEnvironment:
        """Return the environment of the next task."""
        self._drawn += 1
        return self.get_new_env_by_idx((self._drawn - 1) % (self._count or self._drawn))


def _with_parameters(tool: ToolSchema) -> ToolSchema:
    """Return a tool with the fields of its parameters that Aviary requires."""
    function = tool["function"]
    given = function.get("parameters") or {}
    parameters = {"type": "object", "properties": {}, "required": [], **given}
    description = function.get("description") or ""
    return {**tool, "function": {**function, "description": description, "parameters": parameters}}


def _as_messages(messages: list[PlainMessage], names: Mapping[str, str]) -> list[Message]:
    """Return messages as Aviary's; `names` has the names of called tools by the ids of calls."""
    made: list[Message] = []
    for message in messages:
        role = "system" if message["role"] == "developer" else message["role"]
        if role == "tool":
            id = message["tool_call_id"]
            text = text_of(message)
            made.append(ToolResponseMessage(content=text, name=names.get(id, ""), tool_call_id=id))
        elif message.get("tool_calls"):
            made.append(ToolRequestMessage(**_called(message)))
        else:
            content: Any = message.get("content")  # a list of parts becomes JSON
            made.append(Message(role=role, content=content))
    return made


def _called(message: PlainMessage) -> dict[str, Any]:
    """Return a message with calls, for example from a prompt, with arguments as JSON."""
    calls = [
        {"id": call.get("id") or "", "function": {
            "name": call["function"]["name"],
            "arguments": _as_json(call["function"].get("arguments")),
        }}
        for call in message["tool_calls"] or ()
    ]  # fmt: skip
    return {"content": text_of(message) or None, "tool_calls": calls}


def _as_json(arguments: Any) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments or {})


def _as_plain(action: Message) -> PlainMessage:
    """Return one of Aviary's assistant messages as a plain one."""
    plain = action.model_dump(exclude_none=True)
    plain.pop("function_call", None)
    if not plain.get("tool_calls"):
        plain.pop("tool_calls", None)
    return cast("PlainMessage", {"content": None, **plain, "role": "assistant"})
