"""The part that imports verifiers: the tasks and scores of a taskset, in a worker process.

Invariants: what goes in and out is JSON data; a taskset that needs more than a task and a text is
refused by name; a hook that raises on an answer gives no reward and says so.
"""

from __future__ import annotations

import asyncio
import importlib
import inspect
import itertools
import math
from collections.abc import Callable, Mapping
from typing import Any

import verifiers.v1 as vf
from verifiers.v1.graph import MessageNode
from verifiers.v1.trace import AgentInfo, Trace, TraceTask
from verifiers.v1.types import AssistantMessage, SystemMessage, UserMessage

from textgym.errors import TextgymError, UsageError, in_one_line
from textgym.names import import_object

__all__ = ["load"]

_MOST = 100_000  # tasks that are read from an unlimited taskset
_ANSWERS = (ArithmeticError, AssertionError, AttributeError, LookupError, RecursionError, TypeError,
            ValueError)  # fmt: skip
"""The exceptions that an answer can cause in a hook."""


def load(taskset: str, config: dict[str, Any], count: int | None) -> Callable[..., dict[str, Any]]:
    """Return the function that a worker calls, with `do` and its arguments."""
    try:
        tasks = _Tasks(taskset, config, count)
    except TextgymError as error:
        problem = {"usage": str(error)}
        return lambda **_: problem
    except Exception as error:
        failure = {"failed": in_one_line(error)}
        return lambda **_: failure
    loops: list[asyncio.AbstractEventLoop] = []

    def answer(do: str, **arguments: Any) -> dict[str, Any]:
        if not loops:  # made in the worker, not in the process that forks it
            loops.append(asyncio.new_event_loop())
        try:
            if do == "score":
                return loops[0].run_until_complete(tasks.score(**arguments))
            reply: dict[str, Any] = getattr(tasks, do)(**arguments)
            return reply
        except Exception as error:
            return {"failed": in_one_line(error)}

    return answer


class _Tasks:
    """The tasks of a taskset.

    Args:
        taskset: `module:Class`, or a module that has one.
        config: The taskset's configuration.
        count: The number of tasks; None for all.

    Raises:
        UsageError: There is no such taskset, or it does not fit.
    """

    def __init__(self, taskset: str, config: Mapping[str, Any], count: int | None) -> None:
        cls = _taskset_class(taskset)
        made = cls(_config_of(cls)(**config))
        if made.toolsets(made.config):
            raise UsageError(f"{taskset} has toolsets, which run as servers: it cannot be a guest")
        if count is None and not made.bounded:
            raise UsageError(f"{taskset} has unlimited tasks: pass tasks=")
        self._tasks = list(itertools.islice(made, _MOST if count is None else count))
        if not self._tasks:
            raise UsageError(f"{taskset} has no tasks")
        for task in self._tasks:
            if why := _misfit(task):
                raise UsageError(f"{taskset}: {type(task).__name__} {why}: it cannot be a guest")

    def count(self) -> dict[str, Any]:
        """Return the number of tasks."""
        return {"count": len(self._tasks)}

    def task(self, index: int) -> dict[str, Any]:
        """Return the prompt of a task, and its right answer if it names one."""
        data = self._tasks[index].data
        answer = getattr(data, "answer", None)
        return {
            "id": data.id or data.name or f"task-{index}",
            "messages": _prompt_of(data),
            "answer": answer if isinstance(answer, str) else None,
        }

    async def score(self, index: int, text: str) -> dict[str, Any]:
        """Return the rewards and metrics of an answer."""
        task = self._tasks[index]
        said = [_message(message) for message in _prompt_of(task.data)]
        said.append(AssistantMessage(content=text))
        nodes = [
            MessageNode(message=message, parent=place - 1 if place else None)
            for place, message in enumerate(said)
        ]
        nodes[-1].sampled = True
        about = TraceTask(type=type(task).__name__, data=task.data)
        trace = Trace(task=about, agent=AgentInfo(config=vf.AgentConfig()), nodes=nodes)
        try:
            await task.score(trace, runtime=None)
        except Exception as error:
            cause = error.__cause__ or error
            if isinstance(error, _ANSWERS) or isinstance(cause, _ANSWERS):
                return {"raised": in_one_line(cause)}
            raise
        rewards = {name: reward.value for name, reward in trace.rewards.items() if reward}
        metrics = {f"metric/{name}": value for name, value in trace.metrics.items()}
        reward = float(trace.reward)
        if not math.isfinite(reward):
            return {"raised": f"the reward is {reward}"}
        return {"reward": reward, "components": {**rewards, **metrics}}


def _taskset_class(place: str) -> type[Any]:
    if ":" in place:
        found = import_object(place)
    else:
        try:
            module = importlib.import_module(place)
        except ImportError as error:
            raise UsageError(f"cannot import the taskset {place!r}: {in_one_line(error)}") from None
        names = getattr(module, "__all__", dir(module))
        classes = [getattr(module, name) for name in names]
        kinds = [c for c in classes if isinstance(c, type) and issubclass(c, vf.Taskset)]
        kinds = [c for c in kinds if c is not vf.Taskset]
        if len(kinds) != 1:
            raise UsageError(f"{place} has {len(kinds)} tasksets: name one as {place}:Class")
        found = kinds[0]
    if not (isinstance(found, type) and issubclass(found, vf.Taskset)):
        raise UsageError(f"{place!r} is not a Taskset of verifiers")
    return found


def _config_of(cls: type[Any]) -> Any:
    from verifiers.v1.utils.generic import concrete_type

    return concrete_type(cls, vf.TasksetConfig, origin=vf.Taskset) or vf.TasksetConfig


def _misfit(task: Any) -> str:
    """Return why a task is more than a prompt and hooks that read the answer; "" if it is not."""
    cls = type(task)
    if task.NEEDS_CONTAINER or task.data.image:
        return "needs a container"
    if cls.toolsets(task.config):
        return "has toolsets, which run as servers"
    if cls.setup is not vf.Task.setup or cls.finalize is not vf.Task.finalize:
        return "prepares a runtime"
    if task.data.prompt is None:
        return "has no prompt, so that a user must begin"
    hooks = [*task.hooks("reward"), *task.hooks("metric")]
    for hook in hooks:
        parameter = inspect.signature(hook).parameters.get("runtime")
        if parameter is not None and parameter.default is inspect.Parameter.empty:
            return f"has the hook {hook.__name__}, which needs a runtime"
    if task.config.judges:
        return "has judges, which ask models"
    return "" if task.hooks("reward") else "has no reward"


def _prompt_of(data: Any) -> list[dict[str, Any]]:
    """Return the prompt of a task as plain messages."""
    messages = [{"role": "system", "content": data.system_prompt}] if data.system_prompt else []
    if isinstance(data.prompt, str):
        return [*messages, {"role": "user", "content": data.prompt}]
    return messages + [message.model_dump(exclude_none=True) for message in data.prompt]


def _message(message: Mapping[str, Any]) -> Any:
    kinds = {"system": SystemMessage, "user": UserMessage, "assistant": AssistantMessage}
    return kinds[message["role"]](content=message["content"])
