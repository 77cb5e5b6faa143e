"""textgym's environments as tasks of Inspect.

The data set has the tasks, the solver plays the episode with Inspect's model, and the scorer gives
the return, the success and the components.

Invariants: rewards are the environment's; a failure raises, so that Inspect records an error and no
score; the environment runs its tools, and Inspect does not; each sample has an environment of its
own, which is closed with it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import anyio
import anyio.to_thread
from inspect_ai import Task
from inspect_ai import task as inspect_task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import get_model
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver

from textgym.concurrency.calls import reset_may_block, step_may_block
from textgym.errors import PolicyFailure, UsageError
from textgym.policies.inspect_messages import as_chat, as_message, as_tools
from textgym.registry import make
from textgym.wrappers.specs import WrapperSpec

__all__ = ["environment", "task"]

_ENDED = "textgym"  # the key of the ended episode in a sample's store


def task(
    env: str,
    *,
    tasks: int | None = None,
    split: str = "test",
    level: int | None = None,
    env_kwargs: Mapping[str, Any] | None = None,
    wrappers: Sequence[WrapperSpec] = (),
    epochs: int = 1,
) -> Task:
    """Return an environment as a task of Inspect.

    Args:
        env: An id, or `module:Class`.
        tasks: How many of the environment's tasks are samples, from the first one; None for all.
        split: The split.
        level: The level; None for all levels.
        env_kwargs: Other keyword arguments of the environment.
        wrappers: As in `rollout`.
        epochs: How often each task is played.

    Raises:
        UsageError: There is no such environment or argument, or its tasks are unlimited and `tasks`
            is None.

    Example:
        >>> made = task("textgym/MCQA-v0", tasks=3)
        >>> [sample.id for sample in made.dataset]
        ['test-mixed-0', 'test-mixed-1', 'test-mixed-2']
    """
    kwargs = {**(env_kwargs or {}), "split": split, "level": level}
    if wrappers:
        kwargs["wrappers"] = list(wrappers)
    with contextlib.closing(make(env, **kwargs)) as made:
        inner: Any = made.unwrapped
        count = inner.num_tasks if tasks is None else tasks
        if count is None:
            raise UsageError(f"{env} has unlimited {split} tasks: pass tasks=")
        samples = [_sample(inner.get_task(index), index) for index in range(count)]
    return Task(
        dataset=MemoryDataset(samples, name=env),
        solver=play(partial(make, env, **kwargs)),
        scorer=episode_scorer(),
        epochs=epochs,
        name=env.replace("/", "_").replace(":", "_"),
        metadata={"env": env, "env_kwargs": kwargs},
    )


def _sample(task: Any, index: int) -> Sample:
    chat = as_chat(task.messages)
    return Sample(id=task.id, input=chat, metadata={"index": index, "task": task.id})


@inspect_task(name="environment")
def environment(
    env: str = "textgym/MCQA-v0",
    tasks: int | None = None,
    split: str = "test",
    level: int | None = None,
    epochs: int = 1,
) -> Task:
    """Return the task of the command `inspect eval textgym/environment -T env=ID`."""
    return task(env, tasks=tasks, split=split, level=level, epochs=epochs)


@solver
def play(make_env: Callable[[], Any]) -> Solver:
    """Play episodes with Inspect's model.

    Args:
        make_env: Makes an environment.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        env = make_env()
        try:
            await _episode(env, state)
        finally:
            with anyio.CancelScope(shield=True):  # a cancelled sample closes its environment, too
                await anyio.to_thread.run_sync(env.close)
        return state

    return solve


async def _episode(env: Any, state: TaskState) -> None:
    model, total = get_model(), 0.0
    options = {"index": state.metadata["index"]}
    reset = partial(env.reset, seed=0, options=options)
    observation, info = await _called(reset, reset_may_block(env))
    tools, may_block = as_tools(info["tools"]), step_may_block(env)
    state.messages = as_chat(observation)
    ended: dict[str, Any] = {}
    while not ended:
        state.output = await model.generate(state.messages, tools)
        if not state.output.choices:
            raise PolicyFailure(f"{model}: {state.output.error or 'the output has no choices'}")
        state.messages.append(state.output.message)
        if state.output.stop_reason == "model_length":
            ended = {"is_success": False, "stop_reason": "context", "reward_components": {}}
            break
        action = as_message(state.output.message)
        length = len(observation)
        result = await _called(partial(env.step, action), may_block)
        observation, reward, terminated, truncated, info = result
        total += float(reward)
        state.messages += as_chat(observation[length + 1 :])
        if terminated or truncated:
            ended = info
    state.store.set(_ENDED, {**ended, "return": total})


async def _called(call: Callable[[], Any], may_block: bool) -> Any:
    return await anyio.to_thread.run_sync(call) if may_block else call()


@scorer(metrics={"*": [mean(), stderr()]}, name="textgym")
def episode_scorer() -> Scorer:
    """Score the return and the success; the components and the info are metadata."""

    async def score(state: TaskState, target: Target) -> Score:
        info = state.store.get(_ENDED)
        if info is None:  # a limit of Inspect ended the sample
            info = {"is_success": False, "stop_reason": "inspect", "return": 0.0}
        return Score(
            value={"reward": info["return"], "success": float(info["is_success"])},
            answer=info.get("extracted_answer") or None,
            explanation=info.get("verdict_reason") or info["stop_reason"],
            metadata={"reward_components": info.get("reward_components", {}), "info": info},
        )

    return score
