"""One episode, played and recorded.

`play` drives any Gymnasium environment with message spaces and any policy, and gives a trajectory:
a dict in the schema of `trajectories.jsonl`. A failed step is tried again with the message that
the policy gave; only a failed policy is asked again. What cannot be mended is recorded with reward
None and the boundary that failed; the message that could not be stepped is kept.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from numbers import Real
from types import NoneType
from typing import Any

import gymnasium as gym

from textgym.concurrency.blocking import pause_seconds
from textgym.errors import (
    BoundaryFailure,
    ContextFullError,
    InvalidActionError,
    RewardError,
    UsageError,
)
from textgym.messages import Message, assistant, copy_json, copy_messages
from textgym.policies import Action, Policy
from textgym.rollouts.calls import Calls
from textgym.tasks.task import hash_int
from textgym.trajectories.schema import SCHEMA_VERSION, Failure, Step, Trajectory
from textgym.trajectories.tokens import TokenRecord

__all__ = ["Job", "play", "unplayed"]

PromptCheck = Callable[["Job", list[Message], list[Any]], None]


@dataclass(frozen=True, slots=True)
class Job:
    """Which episode to play.

    Attributes:
        env_id: The environment's id.
        env_kwargs: The arguments that it was made with.
        task_index: Which task.
        repeat: Which of the task's episodes.
        seed: The run's seed.
    """

    env_id: str
    env_kwargs: dict[str, Any]
    task_index: int
    repeat: int
    seed: int


@dataclass(slots=True)
class _Episode:
    """What is known of an episode while it is played."""

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


async def play(
    env: gym.Env[Any, Any],
    policy: Policy,
    job: Job,
    retries: int,
    calls: Calls,
    check: PromptCheck | None = None,
) -> Trajectory:
    """Play one episode and return its trajectory; what fails is in it, never raised.

    Args:
        env: A Gymnasium environment with message spaces.
        policy: What answers.
        job: Which episode.
        retries: How often a failed reset, step or policy call is tried again.
        calls: How the environment is reset and stepped.
        check: Called with the job, its prompt and its tools before the policy is asked; the
            failure that it raises is the episode's.
    """
    started, clock = time.time(), time.perf_counter()
    episode = _Episode()
    failure = None
    try:
        await _play(env, policy, job, retries, calls, check, episode)
    except BaseException as error:
        _let_pass(error)
        failure = _failure(error)
    return _trajectory(episode, job, policy.name, failure, started, time.perf_counter() - clock)


def unplayed(job: Job, policy_name: str, error: Exception) -> Trajectory:
    """Return the trajectory of an episode whose environment could not be made."""
    failure = _failure(_AtBoundary("environment", error))
    return _trajectory(_Episode(), job, policy_name, failure, time.time(), 0.0)


def _let_pass(error: BaseException) -> None:
    """Raise what ends the run, and not only an episode.

    A library may raise what is no Exception (a panic of Rust's), cancel itself, or make something
    else of it that the run is cancelled.
    """
    if isinstance(error, (KeyboardInterrupt, SystemExit, GeneratorExit)):
        raise error
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError from error


def _trajectory(
    episode: _Episode,
    job: Job,
    policy_name: str,
    failure: Failure | None,
    started: float,
    seconds: float,
) -> Trajectory:
    info = {**episode.labels, **episode.info}
    info.pop("tools", None)
    return {
        "version": SCHEMA_VERSION,
        "env_id": job.env_id,
        "env_kwargs": job.env_kwargs,
        "task_id": episode.info.get("task_id"),
        "task_index": job.task_index,
        "repeat": job.repeat,
        "seed": job.seed,
        "policy": policy_name,
        "tools": episode.tools,
        "messages": list(episode.messages),
        "steps": episode.steps,
        "terminated": episode.terminated,
        "truncated": episode.truncated,
        "stop_reason": episode.stop_reason,
        "is_success": None if failure else episode.is_success,
        "reward": None if failure else episode.reward,
        "info": info,
        "splits": episode.tokens.splits,
        "usage": episode.usage,
        "started_at": started,
        "seconds": seconds,
        "attempts": episode.attempts,
        "failure": failure,
    }


class _AtBoundary(Exception):
    """Carries an error with the boundary that it came from."""

    def __init__(self, boundary: str, error: BaseException) -> None:
        super().__init__(boundary)
        self.boundary = boundary
        self.error = error


async def _play(
    env: gym.Env[Any, Any],
    policy: Policy,
    job: Job,
    retries: int,
    calls: Calls,
    check: PromptCheck | None,
    episode: _Episode,
) -> None:
    await _begin(env, job, retries, calls, episode)
    if check:
        check(job, episode.messages, episode.tools)
    sampling_seed = hash_int("sampling", job.seed, job.env_id, job.task_index, job.repeat)
    turn = 0
    while not (episode.terminated or episode.truncated):
        begun = time.perf_counter()
        turn_seed = (sampling_seed + turn) % 2**63
        try:
            action = await _ask(policy, episode, turn_seed, retries)
        except ContextFullError:
            episode.truncated, episode.stop_reason = True, "context"
            return
        index = len(episode.messages)
        episode.tokens.add(action, episode.messages, _as_message(action.message))
        try:
            reward, components = await _step(env, action, episode, retries, calls)
        except _AtBoundary:
            _record(episode, action, index, None, {}, time.perf_counter() - begun)
            episode.messages = [*episode.messages, _as_message(action.message)]
            raise
        _record(episode, action, index, reward, components, time.perf_counter() - begun)
        turn += 1


async def _begin(
    env: gym.Env[Any, Any], job: Job, retries: int, calls: Calls, episode: _Episode
) -> None:
    options = {"index": job.task_index} if hasattr(env.unwrapped, "num_tasks") else None
    seed = hash_int("environment", job.seed, job.env_id, job.task_index)
    for attempt in range(retries + 1):
        try:
            result = await calls.reset(env, seed=seed, options=options)
            break
        except BaseException as error:
            await _try_again(error, attempt, retries, episode)
    try:
        observation, info = result
        _take(episode, observation, info)
        episode.tools = info.get("tools", [])
        episode.labels = _labels(env)
    except Exception as error:  # it returned what cannot be read
        raise _AtBoundary("environment", error) from error


def _as_message(message: Any) -> Any:
    return assistant(message) if isinstance(message, str) else message


def _labels(env: gym.Env[Any, Any]) -> dict[str, str]:
    """Return what the task's row says of its level and category, for the figures of each."""
    row = getattr(getattr(env.unwrapped, "task", None), "row", None) or {}
    labels = {}
    for name in ("level", "category"):
        value = row.get(name)
        if isinstance(value, (str, int)):
            labels[name] = str(value)
    return labels


async def _try_again(error: BaseException, attempt: int, retries: int, episode: _Episode) -> None:
    """Pause where an environment's failure may be tried again; raise it otherwise."""
    _let_pass(error)
    if attempt == retries or not isinstance(error, BoundaryFailure):
        raise _AtBoundary("environment", error) from error
    await _pause(attempt, episode)


async def _pause(attempt: int, episode: _Episode) -> None:
    """Wait longer after each attempt, and not all episodes equally long."""
    episode.attempts += 1
    await asyncio.sleep(pause_seconds(attempt))


async def _ask(policy: Policy, episode: _Episode, seed: int, retries: int) -> Action:
    for attempt in range(retries + 1):
        try:
            messages, tools = copy_messages(episode.messages), copy_json(episode.tools)
            prior = episode.tokens.prior(episode.messages)
            action = await policy.act(messages, tools, prior=prior, seed=seed)
            if not isinstance(action, Action):
                raise UsageError(f"a policy returns an Action, not {type(action).__name__}")
            _check(action)
            return action
        except ContextFullError:
            raise
        except BaseException as error:
            _let_pass(error)
            if attempt == retries or isinstance(error, UsageError):
                raise _AtBoundary("policy", error) from error
            await _pause(attempt, episode)
    raise AssertionError("a range of one or more has a last element")


def _check(action: Action) -> None:
    """Refuse an action whose tokens cannot be counted or recorded."""
    counts = action.usage or {}
    if not isinstance(counts, dict) or not all(isinstance(n, int) for n in counts.values()):
        raise UsageError("the usage of an action is a dict of whole numbers, such as prompt_tokens")
    for name in ("prompt_ids", "token_ids", "logprobs"):
        if not isinstance(getattr(action, name), (list, NoneType)):
            raise UsageError(f"the {name} of an action are a list")
    ids, logprobs = action.token_ids, action.logprobs
    if ids is not None and logprobs is not None and len(ids) != len(logprobs):
        raise UsageError("an action has one log probability for each sampled id")


async def _step(
    env: gym.Env[Any, Any], action: Action, episode: _Episode, retries: int, calls: Calls
) -> tuple[float, dict[str, float]]:
    for attempt in range(retries + 1):
        try:
            result = await calls.step(env, action.message)
            break
        except InvalidActionError as error:
            raise _AtBoundary("policy", error) from error
        except BaseException as error:
            await _try_again(error, attempt, retries, episode)
    try:
        observation, reward, terminated, truncated, info = result
        if not isinstance(reward, Real) or not math.isfinite(reward):
            raise RewardError(f"the reward is {reward!r}, which is no finite number")
        reward, ended, cut = float(reward), bool(terminated), bool(truncated)
        reason = info.get("stop_reason") or ("time" if cut else "")
        components, success = info.get("reward_components") or {}, bool(info.get("is_success"))
        if not isinstance(reason, str) or not isinstance(components, dict):
            raise TypeError("a stop reason is a text, and reward components are a dict")
        _take(episode, observation, info)
    except Exception as error:  # it returned what cannot be read
        raise _AtBoundary("environment", error) from error
    episode.reward, episode.is_success = episode.reward + reward, success
    episode.terminated, episode.truncated, episode.stop_reason = ended, cut, reason
    if (ended or cut) and action.finish_reason == "length":
        episode.stop_reason = "max_tokens"
    return reward, components


def _take(episode: _Episode, observation: Any, info: Any) -> None:
    """Take an observation and an info that can be recorded and counted."""
    if not isinstance(observation, list):
        raise TypeError(f"the observation is no list of messages, but {type(observation).__name__}")
    for message in observation:
        if not isinstance(message, dict) or "role" not in message:
            raise TypeError("the observation is no list of messages: one of them has no role")
    if not isinstance(info, dict):
        raise TypeError(f"the info is no dict, but {type(info).__name__}")
    episode.messages, episode.info = observation, info


def _record(
    episode: _Episode,
    action: Action,
    index: int,
    reward: float | None,
    components: dict[str, float],
    seconds: float,
) -> None:
    for name, count in (action.usage or {}).items():
        episode.usage[name] = episode.usage.get(name, 0) + count
    episode.steps.append(
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


def _failure(error: BaseException) -> Failure:
    boundary = "unknown"
    if isinstance(error, _AtBoundary):
        boundary, error = error.boundary, error.error
    if isinstance(error, BoundaryFailure):
        boundary = error.boundary
    return {"boundary": boundary, "type": type(error).__name__, "message": _message_of(error)}


def _message_of(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # someone's error that cannot even say what it is
        return ""
