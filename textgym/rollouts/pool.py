"""Workers: coroutines that take episodes from one schedule and play them.

There are as many environments of an id as it had episodes under way at once. One that failed is
replaced, since its state is unknown.
"""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import gymnasium as gym

from textgym.concurrency.thread_pool import Threads
from textgym.policies import Policy
from textgym.rollouts.calls import Calls
from textgym.rollouts.episode import Job, PromptCheck, play, unplayed
from textgym.rollouts.plan import Makers
from textgym.rollouts.schedule import Schedule
from textgym.trajectories.schema import Trajectory

__all__ = ["play_all"]

_TURNS_OF_THE_LOOP = 16  # episodes after which a worker lets the others go on
_log = logging.getLogger(__name__)


async def play_all(
    schedule: Schedule,
    makers: Makers,
    policy: Policy,
    workers: int,
    retries: int,
    done: Callable[[Trajectory], bool],
    check: PromptCheck | None = None,
) -> None:
    """Play all jobs.

    Args:
        schedule: What to play.
        makers: What makes the environment of each id.
        policy: What answers.
        workers: How many episodes are under way at once.
        retries: How often a failed call is tried again.
        done: Takes each trajectory; where it returns False, the rest is not played.
        check: As in `play`.
    """
    seats = _Seats(makers, policy)

    async def episode(job: Job) -> Trajectory:
        try:
            seat = seats.take(job.env_id)
        except Exception as error:
            return unplayed(job, policy.name, error)
        trajectory = await play(seat.env, seat.policy, job, retries, calls, check)
        failure = trajectory["failure"]
        seats.put(seat, broken=failure is not None and failure["boundary"] != "policy")
        return trajectory

    try:
        with Threads(workers) as threads:  # left before any environment is closed
            calls = Calls(threads)
            async with asyncio.TaskGroup() as group:
                for _ in range(workers):
                    group.create_task(_work(schedule, episode, done))
    except BaseExceptionGroup as errors:
        for error in errors.exceptions:
            if not isinstance(error, _Enough):
                raise error from None
    finally:
        seats.close()


class _Enough(Exception):
    """The rest is not played."""


async def _work(
    schedule: Schedule,
    episode: Callable[[Job], Awaitable[Trajectory]],
    done: Callable[[Trajectory], bool],
) -> None:
    job, count = schedule.take(), 0
    while job:
        if not done(await episode(job)):
            schedule.end()  # for those that go on before they are cancelled
            raise _Enough
        task = asyncio.current_task()
        if task is not None and task.cancelling():  # and the policy has made nothing of it
            raise asyncio.CancelledError
        if count % _TURNS_OF_THE_LOOP == 0:
            await asyncio.sleep(0)  # a policy that never waits must not keep the loop
        job, count = schedule.take(after=job), count + 1


@dataclass(frozen=True, eq=False, slots=True)
class _Seat:
    """An environment, and the policy that was bound to it."""

    id: str
    env: gym.Env[Any, Any]
    policy: Policy


class _Seats:
    """Environments: those that are idle, by id, and all, to be closed."""

    def __init__(self, makers: Makers, policy: Policy) -> None:
        self._makers, self._policy = makers, policy
        self._idle: dict[str, list[_Seat]] = defaultdict(list)
        self._all: set[_Seat] = set()

    def take(self, id: str) -> _Seat:
        """Return an environment that is idle, or a new one."""
        if self._idle[id]:
            return self._idle[id].pop()
        env = self._makers[id]()
        seat = _Seat(id, env, self._policy.for_env(env))
        self._all.add(seat)
        return seat

    def put(self, seat: _Seat, broken: bool) -> None:
        """Take an environment back; one that is broken is closed."""
        if broken:
            self._all.remove(seat)
            _close(seat)
        else:
            self._idle[seat.id].append(seat)

    def close(self) -> None:
        """Close all environments."""
        for seat in self._all:
            _close(seat)


def _close(seat: _Seat) -> None:
    try:
        seat.env.close()
    except Exception as error:
        _log.warning("%s could not be closed: %s: %s", seat.id, type(error).__name__, error)
