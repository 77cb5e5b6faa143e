"""`textgym/Verifiers-v0`: the tasks and rewards of a taskset of verifiers.

Invariants: verifiers is imported only in worker processes; the rewards are the taskset's own.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any, Unpack

from textgym.concurrency.workers import Workers, workers_for
from textgym.core.authoring import TextEnvOptions
from textgym.core.card import Card
from textgym.core.episode import Grade
from textgym.core.text_env import TextEnv
from textgym.errors import EnvironmentFailure, ExtraMissingError, UsageError, install_advice
from textgym.messages import assistant, text_of
from textgym.tasks.task import Task

__all__ = ["Verifiers"]

_SECONDS = 10.0  # CPU time of a score
_MEMORY = 2 << 30  # bytes


class Verifiers(TextEnv[None]):
    """Answer the tasks of a taskset of verifiers, which scores them.

    ## Description
    A taskset fits if its tasks have a prompt, and hooks that read only the task and the trace.
    Others are refused with the reason: those with toolsets, judges, containers or a runtime, or
    with a user who begins.

    ## Reward
    The sum of the taskset's weighted rewards, which are components by their names; its metrics are
    components `metric/NAME`. The hooks read the whole message, with reasoning, as in verifiers.
    `is_success` is a reward of `success_reward`. A hook that raises on an answer, or takes more
    than 10 seconds of CPU time, gives 0, and component `raised` or `over_limit` is 1.

    ## Episode end
    The episode ends with the first message.

    ## Rows
    | field | meaning |
    | --- | --- |
    | `index` | of the task in the taskset |

    Args:
        taskset: A module with one taskset, or `module:Class`.
        config: The taskset's configuration.
        tasks: The number of its tasks; None for all.
        success_reward: The reward from which an episode is a success.
        **kwargs: `split` and `render_mode` of `TextEnv`.

    Example:
        >>> taskset = "my_package.tasks:Sums"
        >>> env = gymnasium.make("textgym/Verifiers-v0", taskset=taskset)  # doctest: +SKIP
        >>> observation, info = env.reset(options={"index": 0})  # doctest: +SKIP

    ## Version history
    - v0: first version.
    """

    card = Card(
        id="textgym/Verifiers-v0",
        summary="The tasks of a taskset of verifiers.",
        structure=("single-step",),
        task_type="any",
        verification=("the taskset's own",),
        data="tasksets of verifiers",
        licence="that of the taskset; verifiers: MIT",
        extra="verifiers",
    )
    blocking = True  # scores come from worker processes

    def __init__(
        self,
        *,
        taskset: str | None = None,
        config: Mapping[str, Any] | None = None,
        tasks: int | None = None,
        success_reward: float = 1.0,
        **kwargs: Unpack[TextEnvOptions],
    ) -> None:
        if find_spec("verifiers") is None:
            raise ExtraMissingError(
                f"{self.card.id} needs the extra 'verifiers': {install_advice('verifiers')}"
            )
        if not isinstance(taskset, str):
            raise UsageError(f"{self.card.id} needs taskset='module' or 'module:Class'")
        self._taskset, self._success_reward = taskset, float(success_reward)
        arguments = {"taskset": taskset, "config": dict(config or {}), "count": tasks}
        self._workers: Workers = workers_for(
            "textgym.integrations.verifiers.taskset:load",
            arguments,
            name="verifiers",
            memory=_MEMORY,
        )
        if kwargs.get("dataset") is None:
            count = self._ask("count")["count"]
            kwargs["dataset"] = [{"index": index} for index in range(count)]
        super().__init__(**kwargs)

    def _ask(self, do: str, **arguments: Any) -> dict[str, Any]:
        reply = self._workers.call({"do": do, **arguments}, _SECONDS)
        if reply is None:
            return {"over_limit": True}
        if "usage" in reply:
            raise UsageError(reply["usage"])
        if "failed" in reply:
            raise EnvironmentFailure(f"the taskset {self._taskset} failed: {reply['failed']}")
        return reply

    @property
    def reward_range(self) -> tuple[float, float]:
        """Unbounded, because the taskset decides."""
        return float("-inf"), float("inf")

    def read_row(self, row: dict[str, Any]) -> Task:
        """Return a task of the taskset."""
        task = self._ask("task", index=row["index"])
        return Task(str(task["id"]), tuple(task["messages"]), task["answer"], (), row)

    def grade(self) -> Grade:
        """Have the taskset score the answer."""
        text = "".join(text_of(message) for message in self.replies)
        reply = self._ask("score", index=self.task.row["index"], text=text)
        components = {"over_limit": float("over_limit" in reply)}
        components["raised"] = float("raised" in reply)
        components |= {
            name: float(value)
            for name, value in reply.get("components", {}).items()
            if value is not None and math.isfinite(value)
        }
        reward = float(reply.get("reward", 0.0))
        return Grade(reward, reward >= self._success_reward, components, extracted_answer=None)

    def solve(self) -> Any:
        """Give the answer that the task names."""
        return super().solve() if self.task.answer is None else assistant(self.task.answer)
