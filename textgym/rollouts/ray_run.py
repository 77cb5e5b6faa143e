"""A rollout on the actors of a Ray cluster: `rollout(..., backend="ray")`.

The driver, which is the process that called `rollout`, leases the episodes to actors, a block at a
time, and writes the run's folder as ever.

Invariants: only the driver writes; the episodes of a lease are recorded when its actor has returned
all of them, so a lease whose actor or node died is played again, and nothing is recorded twice; a
failure of an actor never becomes a reward; the episodes of a task are in one lease.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from itertools import chain, groupby, islice
from typing import Any, NamedTuple

import gymnasium as gym

from textgym.errors import RunError, TextgymError, UsageError, WorkerFailure, in_one_line
from textgym.json_values import json_round_trip
from textgym.policies import Policy, Sampling
from textgym.rollouts.episode import Job, SamePromptCheck, unplayed_trajectory
from textgym.rollouts.prepared import PreparedRollout
from textgym.rollouts.ray_backend import RayActor, RayBackend
from textgym.rollouts.schedule import Schedule
from textgym.trajectories.schema import Trajectory

__all__ = ["RayRun"]

LEASE = 64  # episodes, at most, if a group or half the concurrency is not larger
_LEASES_PER_ACTOR = 8  # at least, so that all actors end at about the same time
_AT_ONCE = 2  # leases that an actor has at the same time, so that it never waits for the next one
_MAX_FAILURES = 10  # of an actor, in a row
_MAX_DEATHS = 5  # of actors that played the same task
_SILENCE = 30.0  # seconds without an actor after which the log says so

_log = logging.getLogger(__name__)


class _Lease(NamedTuple):
    """Episodes for one actor.

    Attributes:
        groups: The episodes of each task.
        deaths: How many actors have died while they played it.
    """

    groups: list[list[Job]]
    deaths: int = 0


class _Call(NamedTuple):
    """A call of an actor: a lease that it plays, or None while it loads what it needs."""

    actor: RayActor
    lease: _Lease | None
    ref: Any


class _RemotePolicy(Policy):
    """Stands for the policies of the actors."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        self.name = config["policy"]
        self.sampling = Sampling.read(config["sampling"]) if config["sampling"] else None


class RayRun:
    """A rollout on actors, which `PreparedRollout.play` plays.

    Args:
        backend: The actors.
        prepared: The rollout, as the driver has it.
        setup: The reference to what the actors make: the rollout and the policy, pickled.

    Attributes:
        policy: Stands for the policies of the actors.
    """

    policy: Policy

    def __init__(self, backend: RayBackend, prepared: PreparedRollout, setup: Any) -> None:
        self._backend, self._prepared, self._setup = backend, prepared, setup
        self._calls: dict[asyncio.Future[Any], _Call] = {}
        self._waiting: deque[_Lease] = deque()
        self._at_once = 1
        self._last_error: Exception = RunError("there is no actor")
        for actor in backend.actors():
            actor.is_ready, actor.load, actor.failures = False, 0, 0
            actor.lost_at = time.monotonic()
            self._call(actor, None, "config")

    @classmethod
    @contextlib.asynccontextmanager
    async def on(
        cls,
        backend: str | RayBackend,
        prepared: PreparedRollout,
        arguments: Mapping[str, Any],
        policy: str | Policy,
        sampling: Mapping[str, Any] | None,
        policy_options: Mapping[str, Any] | None,
    ) -> AsyncIterator[RayRun]:
        """Enter a rollout, when at least one actor has loaded what it needs.

        Args:
            backend: As in `rollout`. One that is made from a spec is closed at the end.
            prepared: The rollout.
            arguments: Its arguments, without a folder.
            policy: As in `rollout`.
            sampling: As in `rollout`.
            policy_options: As in `rollout`.

        Raises:
            UsageError: An argument is invalid, or the policy cannot play an environment.
            RunError: The cluster cannot be used, or an actor has another version or other data.
        """
        if arguments.get("curriculum") or arguments.get("env_concurrency"):
            raise UsageError("backend 'ray' cannot be used with a curriculum or env_concurrency")
        used = RayBackend.read(backend)
        try:
            used.actors()
            setup = _setup(arguments, prepared, policy, sampling, policy_options)
            run = cls(used, prepared, setup)
            try:
                while not any(actor.is_ready for actor in used.actors()):
                    await run._results()
                yield run
            finally:
                run._cancel()
        finally:
            if used is not backend:
                used.close()

    async def play_jobs(
        self,
        schedule: Schedule,
        workers: int,
        on_episode: Callable[[Trajectory], bool],
        check_prompt: SamePromptCheck | None,
    ) -> None:
        """Play the jobs of a schedule; the arguments are as in `play_all`.

        Raises:
            RunError: All actors were given up.
        """
        self._at_once = min(_AT_ONCE, workers)
        workers = -(-workers // self._at_once)
        leases = _leases(schedule, self._lease_size(workers))
        while True:
            if not self._waiting:
                self._waiting.extend(islice(leases, 1))
            if not self._waiting and not any(call.lease for call in self._calls.values()):
                return
            actor = self._actor_for(self._waiting[0]) if self._waiting else None
            if actor:
                lease = self._waiting.popleft()
                jobs = list(chain(*lease.groups))
                tasks = {(job.env_id, job.task_index) for job in jobs}
                check = check_prompt.part(tasks) if check_prompt else None
                self._call(actor, lease, "play", jobs, workers, check)
                continue
            for trajectory in await self._results():
                if not on_episode(trajectory):
                    return

    def _lease_size(self, workers: int) -> int:
        """Return how many episodes a lease has, if an actor plays so many of a lease at once."""
        share = self._prepared.num_episodes // (_LEASES_PER_ACTOR * len(self._backend.actors()))
        return max(workers, min(LEASE, share))

    def _actor_for(self, lease: _Lease) -> RayActor | None:
        """Return the actor with the most room for a lease; None if none has room."""
        actors = [actor for actor in self._backend.actors() if actor.is_ready]
        actor = min(actors, key=lambda it: it.load, default=None)
        return actor if actor and actor.load + self._load(lease) <= self._at_once else None

    def _load(self, lease: _Lease | None) -> int:
        """Return how much of an actor a lease takes: all, if actors died while they played it."""
        return 0 if lease is None else self._at_once if lease.deaths else 1

    def _call(self, actor: RayActor, lease: _Lease | None, method: str, *arguments: Any) -> None:
        remote = getattr(actor.handle, method).remote
        ref = remote([self._setup], self._backend.weights, *arguments)
        self._calls[asyncio.wrap_future(ref.future())] = _Call(actor, lease, ref)
        actor.load += self._load(lease)

    async def _results(self) -> list[Trajectory]:
        """Wait until a call ends, and return what can be recorded."""
        if not self._backend.actors():
            last = self._last_error
            if isinstance(last, TextgymError):
                raise last
            raise RunError(f"all actors failed, the last one with {in_one_line(last)}") from last
        done, _ = await asyncio.wait(
            self._calls, timeout=_SILENCE, return_when=asyncio.FIRST_COMPLETED
        )
        if not any(actor.is_ready for actor in self._backend.actors()) and not done:
            _log.warning("no actor is running: they wait for resources, or load the policy")
        found: list[Trajectory] = []
        for future in done:
            actor, lease, _ = self._calls.pop(future)
            actor.load -= self._load(lease)
            error = future.exception()
            if error:
                found += self._after_failure(actor, lease, error)
            elif lease:
                found += future.result()
                actor.failures = 0 if actor.is_ready else actor.failures
            else:
                self._check(future.result())
                actor.is_ready = True
            if not (actor.is_ready or actor.load):
                self._bring_back(actor)
        return found

    def _check(self, config: dict[str, Any]) -> None:
        """Check that an actor has the same run as the driver.

        Raises:
            RunError: It has another version, other data or other settings.
        """
        if not hasattr(self, "policy"):
            self.policy = _RemotePolicy(config)
        own = json_round_trip(self._prepared.config(self.policy))
        for key in dict.fromkeys([*own, *config]):
            here, there = (json.dumps(it.get(key)) for it in (own, config))
            if here != there:
                raise RunError(
                    f"an actor has another {key} than this process: {there:.200}, not {here:.200}"
                )

    def _after_failure(
        self, actor: RayActor, lease: _Lease | None, error: BaseException
    ) -> list[Trajectory]:
        """Put the lease of a call that failed back.

        Returns:
            The failed episodes of a task that is not played again.
        """
        from ray.exceptions import RayError, RayTaskError

        if not isinstance(error, RayError):
            raise error
        cause = error.cause if isinstance(error, RayTaskError) else None
        if isinstance(cause, UsageError):
            raise cause
        self._last_error = cause or error
        if cause:
            actor.failures = _MAX_FAILURES
        if actor.is_ready:
            actor.is_ready, actor.lost_at = False, time.monotonic()
            actor.failures += 1
            _log.warning("an actor failed: %s", in_one_line(self._last_error))
        return self._put_back(lease) if lease else []

    def _bring_back(self, actor: RayActor) -> None:
        """Make an actor ready again that failed, or give it up.

        While Ray finds no room to restart it, this fails about every 2 seconds.
        """
        is_gone = time.monotonic() - actor.lost_at > self._backend.patience
        if is_gone or actor.failures >= _MAX_FAILURES:
            _log.warning("an actor is given up: %s", in_one_line(self._last_error))
            self._backend.give_up(actor)
        else:
            self._call(actor, None, "config")

    def _put_back(self, lease: _Lease) -> list[Trajectory]:
        """Put back a lease whose actor died; return failed episodes if they are not played again.

        It is divided, and an actor plays its parts one at a time, so that an episode that ends the
        process of its actor is found, and fails without the others.
        """
        if len(lease.groups) > 1:
            middle = len(lease.groups) // 2
            self._waiting += _Lease(lease.groups[:middle], 1), _Lease(lease.groups[middle:], 1)
        elif lease.deaths + 1 < _MAX_DEATHS:
            self._waiting.append(_Lease(lease.groups, lease.deaths + 1))
        else:
            error = WorkerFailure(f"{_MAX_DEATHS} actors died while they played this task")
            return [unplayed_trajectory(job, self.policy.name, error) for job in lease.groups[0]]
        return []

    def _cancel(self) -> None:
        """Cancel the calls that have not ended."""
        import ray

        for future, call in self._calls.items():
            future.cancel()
            ray.cancel(call.ref)
        self._calls.clear()


def _setup(
    arguments: Mapping[str, Any],
    prepared: PreparedRollout,
    policy: str | Policy,
    sampling: Mapping[str, Any] | None,
    policy_options: Mapping[str, Any] | None,
) -> Any:
    """Return the reference to a rollout and its policy, pickled.

    Raises:
        UsageError: They cannot be pickled.
    """
    import ray

    specs = {env_id: gym.registry.get(env_id) for env_id in prepared.env_ids}
    try:
        made_from = ray.cloudpickle.dumps((policy, sampling, policy_options))
        return ray.put(ray.cloudpickle.dumps((specs, dict(arguments), made_from)))
    except Exception as error:
        raise UsageError(
            f"an argument cannot be sent to actors: {in_one_line(error)}; name the policy by its "
            "spec, such as module:Class, and environments by their ids"
        ) from error


def _leases(schedule: Schedule, size: int) -> Iterator[_Lease]:
    """Yield the jobs of a schedule in leases of whole groups, of at least this size."""
    groups: list[list[Job]] = []
    jobs = iter(schedule.next_job, None)
    for _, group in groupby(jobs, key=lambda job: (job.env_id, job.task_index)):
        groups.append(list(group))
        if sum(map(len, groups)) >= size:
            yield _Lease(groups)
            groups = []
    if groups:
        yield _Lease(groups)
