"""One episode, played and recorded.

`play` drives any Gymnasium environment with message spaces and any policy, and returns a trajectory
in the schema of `trajectories.jsonl`.

Invariants: a step that failed is retried with the message that the policy gave; the policy is asked
again only if the policy failed; an episode that still fails is recorded with reward None, the
boundary that failed and the traceback, and keeps the message that could not be stepped.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from numbers import Real
from types import NoneType
from typing import Any, NoReturn

import gymnasium as gym

from textgym.concurrency.blocking import EnvCaller
from textgym.concurrency.retry import is_boundary_failure, retry_pause
from textgym.errors import ContextFullError, InvalidActionError, RewardError, UsageError
from textgym.messages import Message, assistant, copy_json, copy_messages
from textgym.policies import Action, Policy
from textgym.tasks.hashing import hash_int
from textgym.trajectories.failures import failure_of
from textgym.trajectories.schema import SCHEMA_VERSION, Failure, Step, Trajectory
from textgym.trajectories.tokens import TokenRecord

__all__ = ["Job", "OnFailure", "PromptCheck", "play", "unplayed_trajectory"]

PromptCheck = Callable[["Job", list[Message], list[Any]], None]
OnFailure = Callable[[object, BaseException], None]


@dataclass(frozen=True, slots=True)
class Job:
    """An episode to play.

    Attributes:
        env_id: The environment's id.
        env_kwargs: The keyword arguments that the environment was made with.
        task_index: The task's index.
        repeat: Which of the task's episodes, from 0.
        seed: The run's seed.
        row: The task's row, if the task was given as one.
    """

    env_id: str
    env_kwargs: dict[str, Any]
    task_index: int
    repeat: int
    seed: int
    row: Mapping[str, Any] | None = None


@dataclass(slots=True)
class _Progress:
    """What an episode has recorded so far."""

    messages: list[Message] = field(default_factory=list)
    info: dict[str, Any] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    tools: list[Any] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    tokens: TokenRecord = field(default_factory=TokenRecord)
    usage: dict[str, int] = field(default_factory=dict)
    reward: float = 0.0
    terminated: bool = False
    truncated: bool = False
    stop_reason: str = ""
    is_success: bool = False
    attempts: int = 1


class _Failed(Exception):
    """Ends an episode: an error, and the boundary that it came from."""

    def __init__(self, boundary: str, error: BaseException) -> None:
        super().__init__(boundary)
        self.boundary = boundary
        self.error = error


async def play(
    env: gym.Env[Any, Any],
    policy: Policy,
    job: Job,
    retries: int,
    caller: EnvCaller,
    check_prompt: PromptCheck | None = None,
    on_failure: OnFailure | None = None,
) -> Trajectory:
    """Play one episode and return its trajectory, which also records a failure.

    Args:
        env: A Gymnasium environment with message spaces.
        policy: The policy that acts.
        job: The episode.
        retries: How often a failed reset, step or policy call is retried.
        caller: Resets and steps the environment.
        check_prompt: Called with the job, its prompt and its tools before the policy is asked; what
            it raises fails the episode.
        on_failure: Called with the environment or the policy, and what it raised, if the episode
            fails.
    """
    started, clock = time.time(), time.perf_counter()
    progress = _Progress()
    failure = None
    try:
        await _play(env, policy, job, retries, caller, check_prompt, progress)
    except BaseException as error:
        _raise_if_run_ends(error)
        cause = error if isinstance(error, _Failed) else _Failed("unknown", error)
        failure = failure_of(cause.error, cause.boundary)
        if on_failure:
            on_failure(policy if failure["boundary"] == "policy" else env.unwrapped, cause.error)
    return _trajectory(progress, job, policy.name, failure, started, time.perf_counter() - clock)


def unplayed_trajectory(job: Job, policy_name: str, error: Exception) -> Trajectory:
    """Return the trajectory of an episode whose environment could not be made."""
    failure = failure_of(error, "environment")
    return _trajectory(_Progress(), job, policy_name, failure, time.time(), 0.0)


def _raise_if_run_ends(error: BaseException) -> None:
    """Raise an error that ends the run, and not only an episode.

    Libraries may raise what is not an Exception (a panic of Rust code), cancel themselves, or turn
    the cancellation of the run into another error; only a real cancellation ends the run.
    """
    if isinstance(error, (KeyboardInterrupt, SystemExit, GeneratorExit)):
        raise error
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError from error


def _trajectory(
    progress: _Progress,
    job: Job,
    policy_name: str,
    failure: Failure | None,
    started: float,
    seconds: float,
) -> Trajectory:
    info = {**progress.labels, **progress.info}
    info.pop("tools", None)
    return {
        "version": SCHEMA_VERSION,
        "env_id": job.env_id,
        "env_kwargs": job.env_kwargs,
        "task_id": progress.info.get("task_id"),
        "task_index": job.task_index,
        "repeat": job.repeat,
        "seed": job.seed,
        "policy": policy_name,
        "tools": progress.tools,
        "messages": list(progress.messages),
        "steps": progress.steps,
        "terminated": progress.terminated,
        "truncated": progress.truncated,
        "stop_reason": progress.stop_reason,
        "is_success": None if failure else progress.is_success,
        "reward": None if failure else progress.reward,
        "info": info,
        "splits": progress.tokens.splits,
        "usage": progress.usage,
        "started_at": started,
        "seconds": seconds,
        "attempts": progress.attempts,
        "failure": failure,
    }


async def _play(
    env: gym.Env[Any, Any],
    policy: Policy,
    job: Job,
    retries: int,
    caller: EnvCaller,
    check_prompt: PromptCheck | None,
    progress: _Progress,
) -> None:
    await _reset(env, job, retries, caller, progress)
    if check_prompt:
        check_prompt(job, progress.messages, progress.tools)
    sampling_seed = hash_int("sampling", job.seed, job.env_id, job.task_index, job.repeat)
    turn = 0
    while not (progress.terminated or progress.truncated):
        started = time.perf_counter()
        turn_seed = (sampling_seed + turn) % 2**63
        try:
            action = await _act(policy, progress, turn_seed, retries)
        except ContextFullError:
            progress.truncated, progress.stop_reason = True, "context"
            return
        index = len(progress.messages)
        progress.tokens.add(action, progress.messages, _as_message(action.message))
        try:
            reward, components = await _step(env, action, progress, retries, caller)
        except _Failed:
            _add_step(progress, action, index, None, {}, time.perf_counter() - started)
            progress.messages = [*progress.messages, _as_message(action.message)]
            raise
        _add_step(progress, action, index, reward, components, time.perf_counter() - started)
        turn += 1


def _as_message(message: Any) -> Any:
    return assistant(message) if isinstance(message, str) else message


async def _reset(
    env: gym.Env[Any, Any], job: Job, retries: int, caller: EnvCaller, progress: _Progress
) -> None:
    options = _options(env, job)
    seed = hash_int("environment", job.seed, job.env_id, job.task_index)
    for attempt in range(retries + 1):
        try:
            result = await caller.reset(env, seed=seed, options=options)
            break
        except BaseException as error:
            await _pause_or_fail("environment", error, attempt, retries, progress)
    try:
        observation, info = result
        _check_and_take(progress, observation, info)
        progress.tools = info.get("tools", [])
        progress.labels = _labels(env)
    except Exception as error:  # reset returned something invalid
        raise _Failed("environment", error) from error


def _options(env: gym.Env[Any, Any], job: Job) -> dict[str, Any] | None:
    """Return the options of `reset` that select the task of an episode."""
    if job.row is not None:
        return {"task": job.row}
    return {"index": job.task_index} if hasattr(env.unwrapped, "num_tasks") else None


def _labels(env: gym.Env[Any, Any]) -> dict[str, str]:
    """Return the level and the category in the task's row, by which metrics are grouped."""
    row = getattr(getattr(env.unwrapped, "task", None), "row", None) or {}
    labels = {}
    for name in ("level", "category"):
        value = row.get(name)
        if isinstance(value, (str, int)):
            labels[name] = str(value)
    return labels


async def _pause_or_fail(
    boundary: str,
    error: BaseException,
    attempt: int,
    retries: int,
    progress: _Progress,
    is_retryable: Callable[[BaseException], bool] = is_boundary_failure,
) -> None:
    """Pause before a failed call is retried, or end the episode."""
    _raise_if_run_ends(error)
    pause = retry_pause(error, attempt, retries, is_retryable)
    if pause is None:
        raise _Failed(boundary, error) from error
    progress.attempts += 1
    await asyncio.sleep(pause)


async def _act(policy: Policy, progress: _Progress, seed: int, retries: int) -> Action:
    for attempt in range(retries + 1):
        try:
            messages, tools = copy_messages(progress.messages), copy_json(progress.tools)
            prior = progress.tokens.prior(progress.messages)
            action = await policy.act(messages, tools, prior=prior, seed=seed)
            if not isinstance(action, Action):
                raise UsageError(f"act must return an Action, not {type(action).__name__}")
            _check(action)
            return action
        except ContextFullError:
            raise
        except BaseException as error:
            await _pause_or_fail("policy", error, attempt, retries, progress, _is_not_misuse)
    _unreachable()


def _is_not_misuse(error: BaseException) -> bool:
    """Return whether a policy's error may pass; a `UsageError` would be raised again."""
    return not isinstance(error, UsageError)


def _unreachable() -> NoReturn:
    raise AssertionError("the last attempt returns or raises")


def _check(action: Action) -> None:
    """Check that the tokens of an action can be counted and recorded."""
    counts = action.usage or {}
    if not isinstance(counts, dict) or not all(isinstance(n, int) for n in counts.values()):
        raise UsageError("an action's usage must be a dict of ints, such as prompt_tokens")
    for name in ("prompt_ids", "token_ids", "logprobs"):
        if not isinstance(getattr(action, name), (list, NoneType)):
            raise UsageError(f"an action's {name} must be a list or None")
    ids, logprobs = action.token_ids, action.logprobs
    if ids is not None and logprobs is not None and len(ids) != len(logprobs):
        raise UsageError("an action must have one log probability for each sampled token")


async def _step(
    env: gym.Env[Any, Any], action: Action, progress: _Progress, retries: int, caller: EnvCaller
) -> tuple[float, dict[str, float]]:
    for attempt in range(retries + 1):
        try:
            result = await caller.step(env, action.message)
            break
        except InvalidActionError as error:
            raise _Failed("policy", error) from error
        except BaseException as error:
            await _pause_or_fail("environment", error, attempt, retries, progress)
    try:
        observation, reward, terminated, truncated, info = result
        if not isinstance(reward, Real) or not math.isfinite(reward):
            raise RewardError(f"the reward must be a finite number, not {reward!r}")
        reward, terminated = float(reward), bool(terminated)
        truncated = bool(truncated) and not terminated  # the limit of a wrapper at the last step
        stop_reason = info.get("stop_reason") or ("time" if truncated else "")
        components, success = info.get("reward_components") or {}, bool(info.get("is_success"))
        if not isinstance(stop_reason, str) or not isinstance(components, dict):
            raise TypeError("stop_reason must be a str, and reward_components a dict")
        _check_and_take(progress, observation, info)
    except Exception as error:  # step returned something invalid
        raise _Failed("environment", error) from error
    progress.reward, progress.is_success = progress.reward + reward, success
    progress.terminated, progress.truncated = terminated, truncated
    progress.stop_reason = stop_reason
    if (terminated or truncated) and action.finish_reason == "length":
        progress.stop_reason = "max_tokens"
    return reward, components


def _check_and_take(progress: _Progress, observation: Any, info: Any) -> None:
    """Take an observation and an info if they can be recorded."""
    if not isinstance(observation, list):
        kind = type(observation).__name__
        raise TypeError(f"the observation must be a list of messages, not {kind}")
    for message in observation:
        if not isinstance(message, dict) or "role" not in message:
            raise TypeError("the observation must be a list of messages; one has no role")
    if not isinstance(info, dict):
        raise TypeError(f"the info must be a dict, not {type(info).__name__}")
    progress.messages, progress.info = observation, info


def _add_step(
    progress: _Progress,
    action: Action,
    index: int,
    reward: float | None,
    components: dict[str, float],
    seconds: float,
) -> None:
    for name, count in (action.usage or {}).items():
        progress.usage[name] = progress.usage.get(name, 0) + count
    progress.steps.append(
        {
            "message_index": index,
            "reward": reward,
            "components": components,
            "finish_reason": action.finish_reason,
            "prompt_ids": action.prompt_ids,
            "token_ids": action.token_ids,
            "logprobs": action.logprobs,
            "loss_mask": None if action.token_ids is None else [1] * len(action.token_ids),
            "policy_version": action.policy_version,
            "seconds": seconds,
        }
    )
