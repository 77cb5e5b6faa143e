"""`RayBackend`: actors of a Ray cluster, each with environments and a policy of its own.

`ray_run` leases the episodes of a rollout to them. An actor plays its leases with the same engine
as one process.

Invariants: each call of an actor brings what it needs: the rollout, the policy, and the version of
the weights. So an actor that was restarted, on any node, is as good as the one that died.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
import os
import sys
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import gymnasium as gym

from textgym.errors import (
    ExtraMissingError,
    RunError,
    UnknownNameError,
    UsageError,
    did_you_mean,
    in_one_line,
    install_advice,
)
from textgym.json_values import json_round_trip
from textgym.policies import Policy, make_policy
from textgym.rollouts.env_pool import check_minimum
from textgym.rollouts.episode import Job
from textgym.rollouts.plan import PlannedTasks
from textgym.rollouts.prepared import PreparedRollout
from textgym.rollouts.schedule import Schedule
from textgym.trajectories.schema import Trajectory

__all__ = ["RayActor", "RayBackend"]

_SECONDS_TO_CLOSE = 10.0


class RayBackend:
    """Actors of a Ray cluster that play rollouts.

    The actors start with the first rollout, and live until the backend is closed, so that several
    rollouts can use their policies. Use it as a context manager, or close it. It takes part in the
    cluster that this process has joined. Otherwise it joins one, or starts one on this machine.

    Args:
        actors: The number of actors; by default as many as the cluster has resources for.
        num_cpus: The CPUs of an actor.
        num_gpus: The GPUs of an actor.
        address: The address of a cluster, or `local` for a new one on this machine. None does as
            `ray.init`: it joins the cluster of `RAY_ADDRESS` or of this machine, or starts one.
        runtime_env: Ray's runtime environment of the actors. By default, they import modules from
            where this process does.
        patience: After how many seconds an actor is given up that died and that Ray cannot restart.

    Raises:
        UsageError: An argument is invalid.

    Attributes:
        patience: The argument.

    Example:
        >>> import textgym
        >>> with textgym.RayBackend(actors=2) as backend:  # doctest: +SKIP
        ...     run = textgym.rollout("textgym/MCQA-v0", "oracle", episodes=20, backend=backend)
    """

    def __init__(
        self,
        actors: int | None = None,
        *,
        num_cpus: float = 1,
        num_gpus: float = 0,
        address: str | None = None,
        runtime_env: Mapping[str, Any] | None = None,
        patience: float = 120,
    ) -> None:
        check_minimum(1, actors=1 if actors is None else actors)
        numbers = {"num_cpus": num_cpus, "num_gpus": num_gpus, "patience": patience}
        for name, number in numbers.items():
            if not isinstance(number, (int, float)) or number < 0:
                raise UsageError(f"{name} must be a number, 0 or more, not {number!r}")
        self._count, self._needs = actors, {"CPU": num_cpus, "GPU": num_gpus}
        self._address, self._runtime_env = address, runtime_env
        self.patience = patience
        self._actors: list[RayActor] | None = None
        self._owns_cluster = False
        self._weights: tuple[list[Any], str] | None = None

    @classmethod
    def read(
        cls, backend: str | RayBackend, arguments: Mapping[str, Any] | None = None
    ) -> RayBackend:
        """Return a backend, or make one from `ray` or `ray:ADDRESS` and other arguments.

        Raises:
            UnknownNameError: There is no such argument.
            UsageError: There is no such backend, or an argument is invalid.
        """
        if isinstance(backend, RayBackend):
            return backend
        kind, _, address = str(backend).partition(":")
        if kind != "ray":
            raise UsageError(
                f"backend must be 'ray', 'ray:ADDRESS' or a RayBackend, not {backend!r}"
            )
        known = inspect.signature(cls).parameters.keys() - {"address"}
        for name in arguments or {}:
            if name not in known:
                hint = did_you_mean(name, known)
                raise UnknownNameError(f"backend 'ray' has no argument {name!r}{hint}")
        return cls(address=address or None, **(arguments or {}))

    def update_weights(self, weights: Any, version: str) -> None:
        """Load weights into the policy of each actor before its next episode.

        An actor that is restarted loads them again.

        Args:
            weights: Names and tensors, as `VLLMPolicy.load_weights` takes them, in a dict or a
                list; or the `ray.ObjectRef` of it. A node gets them once.
            version: The version of the weights, which actions carry from then on.
        """
        ray = self._start()
        ref = weights if isinstance(weights, ray.ObjectRef) else ray.put(weights)
        self._weights = [ref], version

    def close(self) -> None:
        """Close the policies, end the actors, and leave the cluster if this backend joined it."""
        if self._actors is None and not self._owns_cluster:
            return
        import ray

        actors, self._actors = self._actors or [], None
        closing = [actor.handle.close.remote() for actor in actors if actor.is_ready]
        if closing:
            ray.wait(closing, num_returns=len(closing), timeout=_SECONDS_TO_CLOSE)
        for actor in actors:
            ray.kill(actor.handle)
        if self._owns_cluster:
            ray.shutdown()
            self._owns_cluster = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def actors(self) -> list[RayActor]:
        """Return the actors that are not given up, after starting them if there are none."""
        if self._actors is None:
            ray = self._start()
            paths = os.pathsep.join(_import_paths())
            env_vars = {"PYTHONPATH": f"{paths}{os.pathsep}${{PYTHONPATH}}"}
            remote = ray.remote(_Player).options(
                num_cpus=self._needs["CPU"],
                num_gpus=self._needs["GPU"],
                max_restarts=-1,
                runtime_env=dict(self._runtime_env or {"env_vars": env_vars}),
            )
            count = self._count or _most(self._needs, ray.cluster_resources())
            self._actors = [RayActor(remote.remote()) for _ in range(count)]
        return self._actors

    @property
    def weights(self) -> tuple[list[Any], str] | None:
        """The reference to the weights of `update_weights`, in a list, and their version."""
        return self._weights

    def give_up(self, actor: RayActor) -> None:
        """End an actor that fails again and again."""
        import ray

        self.actors().remove(actor)
        ray.kill(actor.handle)

    def _start(self) -> Any:
        """Join a cluster or start one, and return the package."""
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        try:
            import ray
        except ImportError as error:
            raise ExtraMissingError(
                f"backend 'ray' needs the extra 'ray': {install_advice('ray')}"
            ) from error
        if not ray.is_initialized():
            try:
                ray.init(self._address, include_dashboard=False, logging_level=logging.WARNING)
            except (ConnectionError, ValueError) as error:
                where = self._address or os.environ.get("RAY_ADDRESS", "")
                raise RunError(f"cannot join Ray at {where!r}: {in_one_line(error)}") from error
            self._owns_cluster = True
        return ray


@dataclass(eq=False)
class RayActor:
    """An actor, as the driver sees it.

    Attributes:
        handle: Ray's handle.
        is_ready: Whether it has loaded what it needs, and has not failed since.
        load: How many leases it has; one that needs all of it counts for as many as it can have.
        failures: How often it failed in a row.
        lost_at: When it was last lost, in seconds of the monotonic clock.
    """

    handle: Any
    is_ready: bool = False
    load: int = 0
    failures: int = 0
    lost_at: float = 0.0


def _import_paths() -> list[str]:
    """Return where this process finds modules that are not installed."""
    paths = [os.path.abspath(path) for path in sys.path]
    return [path for path in paths if not path.startswith((sys.prefix, sys.base_prefix))]


def _most(needs: Mapping[str, float], resources: Mapping[str, float]) -> int:
    """Return how many actors find room, 1 or more.

    Example:
        >>> _most({"CPU": 1, "GPU": 0.5}, {"CPU": 16.0, "GPU": 2.0})
        4
    """
    counts = [int(resources.get(name, 0) // need) for name, need in needs.items() if need]
    return max(min(counts, default=1), 1)


class _Player:
    """The actor. What a call needs comes with it, so a restarted actor is as good as an old one."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()  # of what follows
        self._setup: Any = None
        self._rollout: PreparedRollout | None = None
        self._policy: Policy | None = None
        self._made_from: bytes | None = None
        self._version: str | None = None
        self._playing: set[asyncio.Task[Any]] = set()

    async def config(self, setup: list[Any], weights: Any) -> dict[str, Any]:
        """Return the configuration of the run, after everything has been loaded."""
        rollout, policy = await self._ready(setup, weights)
        config: dict[str, Any] = json_round_trip(rollout.config(policy))
        return config

    async def play(
        self, setup: list[Any], weights: Any, jobs: list[Job], workers: int, check: Any
    ) -> list[Trajectory]:
        """Play the episodes of a lease."""
        rollout, policy = await self._ready(setup, weights)
        by_env: defaultdict[str, list[Job]] = defaultdict(list)
        for job in jobs:
            by_env[job.env_id].append(job)
        tasks = {
            env_id: PlannedTasks(list(dict.fromkeys(job.task_index for job in mine)))
            for env_id, mine in by_env.items()
        }
        schedule = Schedule({env_id: iter(mine) for env_id, mine in by_env.items()}, tasks, {})
        played: list[Trajectory] = []

        def take(trajectory: Trajectory) -> bool:
            played.append(trajectory)
            return True

        workers = min(workers, len(jobs))
        playing = asyncio.create_task(rollout.play_jobs(policy, schedule, workers, take, check))
        self._playing.add(playing)
        try:
            await playing
        finally:
            self._playing.remove(playing)
        return played

    async def close(self) -> None:
        """Close the environments and the policy."""
        await self._end_rollout()
        if self._policy:
            await self._policy.close()
        self._policy = self._made_from = None

    async def _end_rollout(self) -> None:
        """Cancel the leases of the last rollout that nobody waits for, and close it."""
        for playing in self._playing:
            playing.cancel()
        await asyncio.gather(*self._playing, return_exceptions=True)
        if self._rollout:
            self._rollout.close()
        self._setup = self._rollout = None

    async def _ready(self, setup: list[Any], weights: Any) -> tuple[PreparedRollout, Policy]:
        """Make the environments and the policy, unless they are as needed."""
        from ray import cloudpickle

        async with self._lock:
            if self._setup != setup[0]:
                specs, arguments, made_from = cloudpickle.loads(await setup[0])
                for env_id, spec in specs.items():  # of programs that register environments
                    gym.registry.setdefault(env_id, spec)
                await self._end_rollout()
                if self._made_from != made_from:
                    await self.close()
                    self._policy = make_policy(*cloudpickle.loads(made_from))
                    self._made_from, self._version = made_from, None
                self._rollout = PreparedRollout(**arguments)
                self._setup = setup[0]
            assert self._rollout
            assert self._policy
            if weights and weights[1] != self._version:
                await self._load(*weights)
            return self._rollout, self._policy

    async def _load(self, weights: list[Any], version: str) -> None:
        load = getattr(self._policy, "load_weights", None)
        if load is None:
            raise UsageError(f"{self._policy.name if self._policy else ''} loads no weights")
        values = await weights[0]
        await load(values.items() if isinstance(values, Mapping) else values, version)
        self._version = version
