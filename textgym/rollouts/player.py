"""`EpisodePlayer`: plays exactly the episodes that a trainer requests, step after step.

Invariants: trajectories have the order of the requested episodes, and every episode has one, even
if it failed; environments are kept between calls, and never shared by two episodes, even if several
calls play at once.
"""

from __future__ import annotations

import contextlib
import json
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import starmap
from operator import index
from typing import Any

from textgym.concurrency.event_loops import synchronous
from textgym.errors import UsageError
from textgym.policies import Policy, make_policy
from textgym.registry import registered_envs, with_registered_ids
from textgym.rollouts.env_pool import EnvPool, Envs, EnvSet, check_minimum
from textgym.rollouts.episode import Job
from textgym.rollouts.plan import PlannedTasks
from textgym.rollouts.recorder import RunLog
from textgym.rollouts.schedule import Schedule
from textgym.rollouts.workers import play_all
from textgym.trajectories.schema import Trajectory
from textgym.trajectories.task_identity import EpisodeKey
from textgym.wrappers.specs import WrapperSpec

__all__ = ["EpisodePlayer"]


class EpisodePlayer:
    """Plays requested episodes; use it as a context manager, or close it.

    Args:
        envs: An id, a mixture, or a function that makes an environment, as in `rollout`.
        env_kwargs: As in `rollout`.
        wrappers: As in `rollout`.
        concurrency: The maximum number of episodes that run at once.
        env_concurrency: The maximum for single environments, by id.
        retries: How often a failed step or policy call is retried.
        max_episode_tokens: The number of sampled tokens at which an episode ends; None for no
            limit. The message that reaches it is the last one: the environment grades, and the
            episode is truncated with the stop reason `max_tokens`.

    Raises:
        UsageError: An argument is invalid.

    Attributes:
        samples: One environment of each id, for inspection. They are never played.
        weights: The weight of each environment, by id.

    Example:
        >>> with EpisodePlayer("textgym/MCQA-v0") as player:
        ...     asked = [EpisodeKey("textgym/MCQA-v0", task, repeat) for task, repeat in
        ...              [(7, 0), (7, 1), (3, 0)]]
        ...     played = player.play("oracle", asked)
        >>> [(item["task_index"], item["repeat"], item["reward"]) for item in played]
        [(7, 0, 1.0), (7, 1, 1.0), (3, 0, 1.0)]
    """

    def __init__(
        self,
        envs: Envs,
        *,
        env_kwargs: Mapping[str, Any] | None = None,
        wrappers: Sequence[WrapperSpec] = (),
        concurrency: int = 64,
        env_concurrency: Mapping[str, int] | None = None,
        retries: int = 2,
        max_episode_tokens: int | None = None,
    ) -> None:
        check_minimum(1, concurrency=concurrency)
        if max_episode_tokens is not None:
            check_minimum(1, max_episode_tokens=max_episode_tokens)
        check_minimum(0, retries=retries)
        self._log = RunLog()
        self._envs = EnvSet(
            registered_envs(envs),
            with_registered_ids(env_kwargs or {}),
            wrappers,
            with_registered_ids(env_concurrency or {}),
            self._log,
        )
        self.samples, self.weights = self._envs.samples, self._envs.weights
        self._concurrency, self._retries = concurrency, retries
        self._max_tokens = max_episode_tokens
        self._pool, self._is_closed = EnvPool(self._log), False
        self._key_kwargs = {
            env_id: json.dumps(kwargs, sort_keys=True)
            for env_id, kwargs in self._envs.kwargs.items()
        }

    @property
    def env_ids(self) -> tuple[str, ...]:
        """The ids of the environments."""
        return tuple(self.samples)

    async def aplay(
        self,
        policy: str | Policy,
        episodes: Iterable[EpisodeKey],
        *,
        seed: int = 0,
        on_step: Callable[[EpisodeKey, float], None] | None = None,
    ) -> list[Trajectory]:
        """Play episodes and return their trajectories.

        `play` blocks, and may be called from any thread, even in a running event loop; `aplay` is
        awaited.

        Args:
            policy: A policy, or the spec of one. A policy made from a spec is closed at the end.
            episodes: The episodes, in any order.
            seed: As in `rollout`. With the same seed, an episode that is played again samples with
                the same random numbers.
            on_step: Called with the episode and the reward of each step that it has played.

        Raises:
            UsageError: There is no such environment, it has other keyword arguments than the key of
                an episode, the policy cannot play it, or the player is closed.
        """
        if self._is_closed:
            raise UsageError("the player is closed")
        asked = [self._full_key(key) for key in starmap(EpisodeKey, episodes)]
        tasks = defaultdict(list)
        for key in asked:
            tasks[key.env_id].append(key)
        planned = {id: PlannedTasks([key.task_index for key in mine]) for id, mine in tasks.items()}

        def job(key: EpisodeKey) -> Job:
            report = partial(on_step, key) if on_step else None
            kwargs = self._envs.kwargs[key.env_id]
            own = key.env_id, kwargs, key.task_index, key.repeat, seed
            return Job(*own, on_step=report, max_tokens=self._max_tokens)

        jobs = {id: iter([job(key) for key in mine]) for id, mine in tasks.items()}
        played: defaultdict[EpisodeKey, deque[Trajectory]] = defaultdict(deque)

        def take(trajectory: Trajectory) -> bool:
            played[EpisodeKey.of(trajectory)].append(trajectory)
            return True

        async with contextlib.AsyncExitStack() as stack:
            player = make_policy(policy)
            if player is not policy:
                stack.push_async_callback(self._log.close_policy, player)
            for sample in (self.samples[id] for id in tasks):
                player.for_env(sample)
            await play_all(
                Schedule(jobs, planned, self._envs.limits),
                self._pool,
                self._envs.env_fns,
                player,
                min(self._concurrency, len(asked)),
                self._retries,
                take,
                self._log,
            )
        return [played[key].popleft() for key in asked]

    play = synchronous(aplay)

    def _full_key(self, key: EpisodeKey) -> EpisodeKey:
        """Return a key with Python's own integers, for records, and with keyword arguments.

        Raises:
            UsageError: Its numbers are not integers, or it does not belong to this player.
        """
        try:
            task_index, repeat = index(key.task_index), index(key.repeat)
        except TypeError:
            raise UsageError(f"the numbers of an episode must be integers, not {key}") from None
        if key.env_id not in self.samples:
            raise UsageError(f"there is no environment {key.env_id!r} among {self.env_ids}")
        kwargs = self._key_kwargs[key.env_id]
        if key.env_kwargs not in (None, kwargs):
            raise UsageError(
                f"the player makes {key.env_id} with {kwargs}, but the episode has {key.env_kwargs}"
            )
        return EpisodeKey(key.env_id, task_index, repeat, kwargs)

    def close(self) -> None:
        """Close all environments; a closed player can no longer play."""
        self._is_closed = True
        self._pool.close()
        self._envs.close()

    def __enter__(self) -> EpisodePlayer:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
