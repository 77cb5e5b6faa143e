"""Workers: coroutines that take episodes from one schedule and play them.

An environment that failed, or whose episode was cancelled, is replaced by a new one, because its
state is unknown. While episodes run, Python collects garbage less often: it would look through all
their objects again and again, and find none, because they are freed with their last reference.

Invariants: the thresholds of the collector are restored when the last block ends, in any thread;
thresholds that the program changes meanwhile, and a disabled collector, are left as they are.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import threading
from collections.abc import Awaitable, Callable, Iterator

from textgym.concurrency.calls import CallThreads
from textgym.policies import Policy
from textgym.rollouts.env_pool import EnvFns, EnvPool, PooledEnv
from textgym.rollouts.episode import Job, PromptCheck, play, unplayed_trajectory
from textgym.rollouts.group_rewards import GroupRewards
from textgym.rollouts.recorder import RunLog
from textgym.rollouts.schedule import Schedule
from textgym.trajectories.schema import Trajectory

__all__ = ["EPISODES_PER_YIELD", "THRESHOLDS", "play_all", "rare_collections"]

EPISODES_PER_YIELD = 16
"""How many episodes a worker plays before it lets the others run, if nothing else does."""


async def play_all(
    schedule: Schedule,
    pool: EnvPool,
    env_fns: EnvFns,
    policy: Policy,
    workers: int,
    retries: int,
    on_episode: Callable[[Trajectory], bool],
    log: RunLog,
    check_prompt: PromptCheck | None = None,
    groups: GroupRewards | None = None,
) -> None:
    """Play all jobs of a schedule.

    Args:
        schedule: What to play.
        pool: Lends the environments, and keeps them open.
        env_fns: The function that makes each environment, by id.
        policy: The policy that plays.
        workers: How many episodes run at once.
        retries: How often a failed call is retried.
        on_episode: Called with each trajectory; if it returns False, the run stops.
        log: Logs the first failure of each class.
        check_prompt: As in `play`.
        groups: Rewards the episodes of a task together; None leaves their rewards as they are.
    """
    stage = _Stage(pool, env_fns, policy, retries, log, check_prompt)

    async def finished(job: Job) -> list[Trajectory]:
        """Play an episode, and return what can be recorded now."""
        trajectory = await stage.play(job, threads)
        return [trajectory] if groups is None else await groups.add(trajectory, threads)

    try:
        with rare_collections():
            try:
                # The calls in threads end before any environment is closed.
                async with CallThreads(max(workers, 1)) as threads, asyncio.TaskGroup() as group:
                    for _ in range(workers):
                        group.create_task(_work(schedule, finished, on_episode))
            finally:
                await stage.clear()
    except BaseExceptionGroup as errors:
        for error in errors.exceptions:
            if not isinstance(error, _Stopped):
                raise error from None


class _Stage:
    """Plays episodes in environments of a pool; the arguments are as in `play_all`."""

    def __init__(
        self,
        pool: EnvPool,
        env_fns: EnvFns,
        policy: Policy,
        retries: int,
        log: RunLog,
        check_prompt: PromptCheck | None,
    ) -> None:
        self._pool, self._env_fns, self._policy = pool, env_fns, policy
        self._retries, self._log, self._check_prompt = retries, log, check_prompt
        self._in_use = set[PooledEnv]()

    async def play(self, job: Job, threads: CallThreads) -> Trajectory:
        """Play an episode; blocking calls run in the threads."""
        try:
            pooled = self._pool.acquire(job.env_id, self._env_fns[job.env_id])
        except Exception as error:
            return self._unplayed(job, error)
        self._in_use.add(pooled)
        try:
            player = pooled.bound(self._policy)
        except Exception as error:
            await self._discard(pooled)
            return self._unplayed(job, error)
        trajectory = await play(
            pooled, player, job, self._retries, threads, self._check_prompt, self._log.add_failure
        )
        failure = trajectory["failure"]
        if failure is None or failure["boundary"] == "policy":
            self._in_use.remove(pooled)
            self._pool.release(pooled)
        else:
            await self._discard(pooled)
        return trajectory

    async def clear(self) -> None:
        """Close the environments whose episodes were cancelled."""
        for pooled in list(self._in_use):
            await self._discard(pooled)

    async def _discard(self, pooled: PooledEnv) -> None:
        """Close an environment, in a thread if that may wait."""
        self._in_use.remove(pooled)
        if pooled.step_may_block:
            try:
                return await asyncio.to_thread(self._pool.discard, pooled)
            except RuntimeError:  # the process exits, and starts no thread any more
                pass
        self._pool.discard(pooled)

    def _unplayed(self, job: Job, error: Exception) -> Trajectory:
        self._log.add_failure(job.env_id, error)
        return unplayed_trajectory(job, self._policy.name, error)


class _Stopped(Exception):
    """Cancels the other workers: the remaining episodes are not played."""


async def _work(
    schedule: Schedule,
    finished: Callable[[Job], Awaitable[list[Trajectory]]],
    on_episode: Callable[[Trajectory], bool],
) -> None:
    job, count, task = schedule.next_job(), 0, asyncio.current_task()
    while job:
        for trajectory in await finished(job):
            if not on_episode(trajectory):
                schedule.stop()  # for workers that run once more before they are cancelled
                raise _Stopped
        if task is not None and task.cancelling():  # a policy suppressed the cancellation
            raise asyncio.CancelledError
        if count % EPISODES_PER_YIELD == 0:
            await asyncio.sleep(0)  # a policy that never waits must not block the loop
        job, count = schedule.next_job(finished=job), count + 1


THRESHOLDS = (20_000, 5, 5)
"""With these, at most 500,000 objects in cycles, or a quarter of all objects, are not freed."""

_lock = threading.Lock()
_blocks = 0
_before = THRESHOLDS


@contextlib.contextmanager
def rare_collections() -> Iterator[None]:
    """Collect garbage less often while the block runs.

    Example:
        >>> before = gc.get_threshold()
        >>> with rare_collections():
        ...     gc.get_threshold() == THRESHOLDS
        True
        >>> gc.get_threshold() == before
        True
    """
    global _blocks, _before
    with _lock:
        _blocks += 1
        if _blocks == 1:
            _before = gc.get_threshold()
            if 0 < _before[0] < THRESHOLDS[0]:
                gc.set_threshold(*THRESHOLDS)
    try:
        yield
    finally:
        with _lock:
            _blocks -= 1
            if not _blocks and gc.get_threshold() == THRESHOLDS:
                gc.set_threshold(*_before)
