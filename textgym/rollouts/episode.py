"""One episode, played and recorded.

`play` drives any Gymnasium environment with message spaces and any policy, and returns a trajectory
in the schema of `trajectories.jsonl`.

Invariants: a failed step is retried with the same message; the policy is called again only if the
policy failed; an episode that still fails is recorded with reward None, the boundary that failed
and the traceback, and keeps the message of the failed step.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from types import NoneType
from typing import Any, NamedTuple, NoReturn

from textgym.concurrency.calls import CallThreads, is_boundary_failure, retry_pause
from textgym.errors import ContextFullError, EnvironmentFailure, InvalidActionError, UsageError
from textgym.json_values import copy_json, encode_line
from textgym.layers import graded_cut
from textgym.messages import Message, copy_messages
from textgym.policies import Action, Policy
from textgym.rollouts.env_pool import PooledEnv
from textgym.tasks.task import hash_int
from textgym.trajectories.episode_record import EpisodeRecord, as_message, failure_of
from textgym.trajectories.schema import Failure, Trajectory
from textgym.trajectories.task_identity import prompt_of

__all__ = [
    "Job", "OnFailure", "PromptCheck", "SamePromptCheck", "play", "unplayed_trajectory",
]  # fmt: skip

PromptCheck = Callable[["Job", list[Message], list[Any]], None]
OnFailure = Callable[[object, BaseException], None]


class Job(NamedTuple):
    """An episode to play.

    Attributes:
        env_id: The environment's id.
        env_kwargs: The keyword arguments that the environment was made with.
        task_index: The task's index.
        repeat: The number of the episode among the task's episodes, from 0.
        seed: The run's seed.
        row: The task's row, if the task was given as one.
        on_step: Called with the reward of each step.
        max_tokens: The number of sampled tokens at which the episode ends.
    """

    env_id: str
    env_kwargs: dict[str, Any]
    task_index: int
    repeat: int
    seed: int
    row: Mapping[str, Any] | None = None
    on_step: Callable[[float], None] | None = None
    max_tokens: int | None = None


class _Failed(Exception):
    """Ends an episode: an error, and the boundary that it came from."""

    def __init__(self, boundary: str, error: BaseException) -> None:
        super().__init__(boundary)
        self.boundary = boundary
        self.error = error


async def play(
    env: PooledEnv,
    policy: Policy,
    job: Job,
    retries: int,
    threads: CallThreads,
    check_prompt: PromptCheck | None = None,
    on_failure: OnFailure | None = None,
) -> Trajectory:
    """Play one episode and return its trajectory, which also records a failure.

    Args:
        env: An environment with message spaces.
        policy: The policy that acts.
        job: The episode.
        retries: How often a failed reset, step or policy call is retried.
        threads: Run the calls of the environment that may block.
        check_prompt: Called with the job, its prompt and its tools before the policy acts; an error
            fails the episode.
        on_failure: Called with the environment or the policy and its error, if the episode fails.
    """
    started, clock = time.time(), time.perf_counter()
    record = EpisodeRecord()
    failure = None
    try:
        await _play(env, policy, job, retries, threads, check_prompt, record)
    except BaseException as error:
        _raise_if_run_ends(error)
        cause = error if isinstance(error, _Failed) else _Failed("unknown", error)
        failure = failure_of(cause.error, cause.boundary)
        if on_failure:
            on_failure(
                policy if failure["boundary"] == "policy" else env.env.unwrapped, cause.error
            )
    return _trajectory(record, job, policy.name, failure, started, time.perf_counter() - clock)


def unplayed_trajectory(job: Job, policy_name: str, error: Exception) -> Trajectory:
    """Return the trajectory of an episode whose environment could not be made."""
    failure = failure_of(error, "environment")
    return _trajectory(EpisodeRecord(), job, policy_name, failure, time.time(), 0.0)


def _raise_if_run_ends(error: BaseException) -> None:
    """Raise an error that ends the run, not only the episode.

    Libraries may raise errors that are not an `Exception` (a panic of Rust code), cancel
    themselves, or turn the cancellation of the run into another error; only a real cancellation
    ends the run.
    """
    if isinstance(error, (KeyboardInterrupt, SystemExit, GeneratorExit)):
        raise error
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError from error


def _trajectory(
    record: EpisodeRecord,
    job: Job,
    policy_name: str,
    failure: Failure | None,
    started: float,
    seconds: float,
) -> Trajectory:
    return record.trajectory(
        env_id=job.env_id,
        env_kwargs=job.env_kwargs,
        task_index=job.task_index,
        repeat=job.repeat,
        seed=job.seed,
        policy=policy_name,
        failure=failure,
        started_at=started,
        seconds=seconds,
    )


async def _play(
    env: PooledEnv,
    policy: Policy,
    job: Job,
    retries: int,
    threads: CallThreads,
    check_prompt: PromptCheck | None,
    record: EpisodeRecord,
) -> None:
    await _reset(env, job, retries, threads, record)
    if check_prompt:
        check_prompt(job, record.observation, record.tools)
    sampling_seed = hash_int("sampling", job.seed, job.env_id, job.task_index, job.repeat)
    turn = sampled = 0
    while not (record.terminated or record.truncated):
        started = time.perf_counter()
        turn_seed = (sampling_seed + turn) % 2**63
        try:
            action = await _act(policy, record, turn_seed, retries)
        except ContextFullError:
            record.cut("context")
            return
        if action.token_ids is not None:
            record.tokens.add(action, record.observation, as_message(action.message))
        try:
            if job.max_tokens is not None:
                sampled += _count_sampled(action, policy)
            if job.max_tokens is None or sampled < job.max_tokens:
                result = await _step(env, action, record, retries, threads)
            else:
                with graded_cut(env.env):
                    last = await _step(env, action, record, retries, threads)
                result = _cut_by_tokens(last)
        except _Failed:
            record.add_failed_step(action, time.perf_counter() - started)
            raise
        try:
            record.add_step(action, result, time.perf_counter() - started)
        except Exception as error:  # step returned something invalid
            record.add_failed_step(action, time.perf_counter() - started)
            raise _Failed("environment", error) from error
        if job.on_step:
            job.on_step(float(result[1]))
        turn += 1


def _count_sampled(action: Action, policy: Policy) -> int:
    """Return how many tokens an action has."""
    if action.token_ids is not None:
        return len(action.token_ids)
    if "completion_tokens" not in action.usage:
        error = UsageError(f"a limit of tokens needs a policy that counts them, not {policy.name}")
        raise _Failed("policy", error) from error
    return action.usage["completion_tokens"]


def _cut_by_tokens(result: Any) -> Any:
    """Return the result of the step with which the tokens of an episode are used up."""
    observation, reward, terminated, _, info = result
    if terminated:
        return result
    return observation, reward, False, True, {**info, "stop_reason": "max_tokens"}


async def _reset(
    env: PooledEnv, job: Job, retries: int, threads: CallThreads, record: EpisodeRecord
) -> None:
    options: dict[str, Any] | None = None
    if job.row is not None:
        options = {"task": job.row}
    elif env.has_tasks:
        options = {"index": job.task_index}
    seed = hash_int("environment", job.seed, job.env_id, job.task_index)
    call = partial(env.env.reset, seed=seed, options=options)
    for attempt in range(retries + 1):
        try:
            result = await threads.run(call) if env.reset_may_block else call()
            break
        except BaseException as error:
            await _pause_or_fail("environment", error, attempt, retries, record)
    try:
        observation, info = result
        record.begin(env.env, observation, info)
    except Exception as error:  # reset returned something invalid
        raise _Failed("environment", error) from error


async def _pause_or_fail(
    boundary: str,
    error: BaseException,
    attempt: int,
    retries: int,
    record: EpisodeRecord,
    is_retryable: Callable[[BaseException], bool] = is_boundary_failure,
) -> None:
    """Pause before a failed call is retried, or end the episode."""
    _raise_if_run_ends(error)
    pause = retry_pause(error, attempt, retries, is_retryable)
    if pause is None:
        raise _Failed(boundary, error) from error
    record.attempts += 1
    await asyncio.sleep(pause)


async def _act(policy: Policy, record: EpisodeRecord, seed: int, retries: int) -> Action:
    for attempt in range(retries + 1):
        try:
            messages, tools = copy_messages(record.observation), copy_json(record.tools)
            prior = record.tokens.prior(record.observation)
            action = await policy.act(messages, tools, prior=prior, seed=seed)
            if not isinstance(action, Action):
                raise UsageError(f"act must return an Action, not {type(action).__name__}")
            _check(action)
            return action
        except ContextFullError:
            raise
        except BaseException as error:
            await _pause_or_fail("policy", error, attempt, retries, record, _is_not_misuse)
    _unreachable()


def _is_not_misuse(error: BaseException) -> bool:
    """Return whether a policy's error may pass; a `UsageError` would be raised again."""
    return not isinstance(error, UsageError)


def _unreachable() -> NoReturn:
    raise AssertionError("the last attempt returns or raises")


def _check(action: Action) -> None:
    """Check that the tokens of an action can be counted and recorded."""
    counts = action.usage
    if counts and not (
        isinstance(counts, dict) and all(isinstance(counts[n], int) for n in counts)
    ):
        raise UsageError("an action's usage must be a dict of ints, such as prompt_tokens")
    ids, logprobs = action.token_ids, action.logprobs
    if action.prompt_ids is None and ids is None and logprobs is None:
        return
    for name in ("prompt_ids", "token_ids", "logprobs"):
        if not isinstance(getattr(action, name), (list, NoneType)):
            raise UsageError(f"an action's {name} must be a list or None")
    if ids is not None and logprobs is not None and len(ids) != len(logprobs):
        raise UsageError("an action must have one log probability for each sampled token")


async def _step(
    env: PooledEnv, action: Action, record: EpisodeRecord, retries: int, threads: CallThreads
) -> Any:
    call = partial(env.env.step, action.message)
    for attempt in range(retries + 1):
        try:
            return await threads.run(call) if env.step_may_block else call()
        except InvalidActionError as error:
            raise _Failed("policy", error) from error
        except BaseException as error:
            await _pause_or_fail("environment", error, attempt, retries, record)
    _unreachable()


class SamePromptCheck:
    """Remembers the prompt of each task until all of its repeats have started.

    Args:
        repeats: The number of episodes of each task, 2 or more.

    Example:
        >>> check = SamePromptCheck(2)
        >>> check(Job("demo/A-v0", {}, 5, 0, 0), [{"role": "user", "content": "One?"}], [])
        >>> check(Job("demo/A-v0", {}, 5, 1, 0), [{"role": "user", "content": "Two?"}], [])
        Traceback (most recent call last):
        textgym.errors.EnvironmentFailure: repeat 1 of task 5 starts with a different ...
    """

    def __init__(self, repeats: int) -> None:
        self._repeats = repeats
        self._prompts: dict[tuple[str, int], bytes] = {}
        self._left: dict[tuple[str, int], int] = {}  # repeats that have not started

    def __call__(self, job: Job, messages: list[Message], tools: list[Any]) -> None:
        """Check the prompt of an episode that starts.

        Raises:
            EnvironmentFailure: An earlier repeat of the task had a different prompt.
        """
        if not self._is_same((job.env_id, job.task_index), messages, tools):
            raise EnvironmentFailure(
                f"repeat {job.repeat} of task {job.task_index} starts with a different prompt than "
                "an earlier repeat: reset must return the same prompt for the same seed and index"
            )

    def part(self, tasks: Iterable[tuple[str, int]]) -> SamePromptCheck:
        """Return a check that knows the prompts of some tasks, for another process."""
        part = SamePromptCheck(self._repeats)
        known = [key for key in tasks if key in self._prompts]
        part._prompts = {key: self._prompts[key] for key in known}
        part._left = {key: self._left[key] for key in known}
        return part

    def add_completed(self, trajectory: Trajectory) -> None:
        """Add the prompt of an episode that was played before the run was resumed."""
        key = trajectory["env_id"], trajectory["task_index"]
        self._is_same(key, prompt_of(trajectory), trajectory["tools"])

    def _is_same(self, key: tuple[str, int], messages: list[Message], tools: list[Any]) -> bool:
        prompt = encode_line([messages, tools])
        first = self._prompts.setdefault(key, prompt)
        if first is prompt:
            self._left[key] = self._repeats - 1
            return True
        self._left[key] -= 1
        if not self._left[key]:
            del self._prompts[key], self._left[key]
        return first == prompt
