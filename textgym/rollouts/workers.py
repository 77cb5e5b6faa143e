"""Workers: coroutines that take episodes from one schedule and play them.

An environment that failed, or whose episode was cancelled, is replaced by a new one, because its
state is unknown.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable

from textgym.concurrency.blocking import CallThreads
from textgym.concurrency.garbage import rare_collections
from textgym.policies import Policy
from textgym.rollouts.env_pool import EnvPool, PooledEnv
from textgym.rollouts.episode import Job, PromptCheck, play, unplayed_trajectory
from textgym.rollouts.plan import EnvFns
from textgym.rollouts.recorder import RunLog
from textgym.rollouts.schedule import Schedule
from textgym.trajectories.schema import Trajectory

__all__ = ["EPISODES_PER_YIELD", "play_all"]

EPISODES_PER_YIELD = 16
"""How many episodes a worker plays before it lets the others run, if nothing else does."""


async def play_all(
    schedule: Schedule,
    env_fns: EnvFns,
    policy: Policy,
    workers: int,
    retries: int,
    on_episode: Callable[[Trajectory], bool],
    log: RunLog,
    check_prompt: PromptCheck | None = None,
    kept_pool: EnvPool | None = None,
) -> None:
    """Play all jobs of a schedule.

    Args:
        schedule: What to play.
        env_fns: The function that makes each environment, by id.
        policy: The policy that plays.
        workers: How many episodes run at once.
        retries: How often a failed call is retried.
        on_episode: Called with each trajectory; if it returns False, the rest is not played.
        log: Logs the first failure of each class.
        check_prompt: As in `play`.
        kept_pool: Lends the environments, and keeps them open; by default they are closed.
    """

    async def episode(job: Job) -> Trajectory:
        try:
            pooled = pool.acquire(job.env_id, env_fns[job.env_id])
        except Exception as error:
            return unplayed(job, error)
        in_use.add(pooled)
        try:
            player = pooled.bound(policy)
        except Exception as error:
            await discard(pooled)
            return unplayed(job, error)
        trajectory = await play(
            pooled, player, job, retries, threads, check_prompt, log.add_failure
        )
        failure = trajectory["failure"]
        if failure is None or failure["boundary"] == "policy":
            in_use.remove(pooled)
            pool.release(pooled)
        else:
            await discard(pooled)
        return trajectory

    async def discard(pooled: PooledEnv) -> None:
        """Close an environment, in a thread if that may wait."""
        in_use.remove(pooled)
        if pooled.step_may_block:
            try:
                return await asyncio.to_thread(pool.discard, pooled)
            except RuntimeError:  # the process exits, and starts no thread any more
                pass
        pool.discard(pooled)

    def unplayed(job: Job, error: Exception) -> Trajectory:
        log.add_failure(job.env_id, error)
        return unplayed_trajectory(job, policy.name, error)

    in_use = set[PooledEnv]()
    try:
        # The calls in threads end before any environment is closed.
        kept = contextlib.nullcontext(kept_pool) if kept_pool else None
        with rare_collections(), kept or EnvPool(log) as pool:
            try:
                async with CallThreads(max(workers, 1)) as threads, asyncio.TaskGroup() as group:
                    for _ in range(workers):
                        group.create_task(_work(schedule, episode, on_episode))
            finally:
                for pooled in list(in_use):  # their episodes were cancelled
                    await discard(pooled)
    except BaseExceptionGroup as errors:
        for error in errors.exceptions:
            if not isinstance(error, _Stopped):
                raise error from None


class _Stopped(Exception):
    """Cancels the other workers: the rest of the episodes is not played."""


async def _work(
    schedule: Schedule,
    episode: Callable[[Job], Awaitable[Trajectory]],
    on_episode: Callable[[Trajectory], bool],
) -> None:
    job, count, task = schedule.next_job(), 0, asyncio.current_task()
    while job:
        if not on_episode(await episode(job)):
            schedule.stop()  # for workers that run once more before they are cancelled
            raise _Stopped
        if task is not None and task.cancelling():  # and the policy suppressed the cancellation
            raise asyncio.CancelledError
        if count % EPISODES_PER_YIELD == 0:
            await asyncio.sleep(0)  # a policy that never waits must not block the loop
        job, count = schedule.next_job(finished=job), count + 1
