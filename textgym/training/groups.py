"""Groups of episodes of one task; groups from which nothing is learned are replaced.

A group whose episodes have the same return has no advantages. Playing other tasks instead is called
dynamic sampling (Yu et al. 2025, DAPO, https://arxiv.org/abs/2503.14476).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from textgym.concurrency.event_loops import synchronous
from textgym.errors import UsageError
from textgym.policies import Policy
from textgym.rollouts.env_pool import check_minimum
from textgym.rollouts.plan import bind_pool
from textgym.rollouts.player import EpisodePlayer
from textgym.task_pool import TaskPool
from textgym.training.tasks import TaskRef
from textgym.trajectories.advantages import rewards_differ
from textgym.trajectories.schema import Trajectory
from textgym.trajectories.task_identity import EpisodeKey

__all__ = ["PlayedGroups", "aplay_groups", "drawn_tasks", "play_groups"]


@dataclass(frozen=True, slots=True)
class PlayedGroups:
    """The groups that were played.

    Attributes:
        groups: The episodes of each group, in the order of the tasks; a replacement is at the
            position of the group that it replaced.
        discarded: The groups that were replaced: those with equal returns, and those whose episodes
            all failed. Their failures are not in the figures of `groups`; see `failure_figures`.
    """

    groups: list[list[Trajectory]]
    discarded: list[list[Trajectory]]

    @property
    def trajectories(self) -> list[Trajectory]:
        """The episodes of all groups that were kept."""
        return [episode for group in self.groups for episode in group]


async def aplay_groups(
    player: EpisodePlayer,
    policy: str | Policy,
    tasks: Iterable[TaskRef] | TaskPool,
    *,
    count: int,
    size: int,
    redraws: int = 0,
    seed: int = 0,
) -> PlayedGroups:
    """Play groups, and replace groups with equal returns by groups of the next tasks.

    `play_groups` blocks, even in a running event loop; `aplay_groups` is awaited.

    Args:
        player: The player of the environments.
        policy: The policy, or the spec of one.
        tasks: The tasks. The first `count` are played, and the next ones only as replacements. The
            next call continues an iterator where this call left it. A pool draws tasks of the
            player with the seed, each once in a call, and gets the results of all groups.
        count: The number of groups.
        size: The number of episodes of a group.
        redraws: The maximum number of times that groups are replaced. The last replacements are
            kept, so that there are always `count` groups if there are as many tasks.
        seed: As in `rollout`. With a pool, pass another seed in each call.

    Raises:
        UsageError: An argument is invalid, the split of a task is not the player's, or the pool's
            results are for tasks that are not the player's.

    Example:
        >>> tasks = iter([TaskRef("textgym/MCQA-v0", "train", index) for index in range(100)])
        >>> with EpisodePlayer("textgym/MCQA-v0") as player:
        ...     played = play_groups(player, "random", tasks, count=4, size=4, redraws=3)
        >>> len(played.groups), len(played.trajectories)
        (4, 16)
    """
    check_minimum(1, count=count, size=size)
    check_minimum(0, redraws=redraws)
    pool = tasks if isinstance(tasks, TaskPool) else None
    next_tasks = drawn_tasks(tasks, player, seed) if isinstance(tasks, TaskPool) else iter(tasks)
    groups = await _play(player, policy, next_tasks, count, size, seed, pool)
    discarded: list[list[Trajectory]] = []
    for _ in range(redraws):
        equal = [
            position
            for position, group in enumerate(groups)
            if not rewards_differ(episode["reward"] for episode in group)
        ]
        replacements = await _play(player, policy, next_tasks, len(equal), size, seed, pool)
        for position, group in zip(equal, replacements, strict=False):  # there may be fewer tasks
            discarded.append(groups[position])
            groups[position] = group
    return PlayedGroups(groups, discarded)


play_groups = synchronous(aplay_groups)


def drawn_tasks(pool: TaskPool, player: EpisodePlayer, seed: int) -> Iterator[TaskRef]:
    """Yield the tasks that a pool draws, each once; a task is drawn when it is requested.

    Args:
        pool: The pool.
        player: The player of the environments.
        seed: The seed of the draws.

    Raises:
        UsageError: The pool's results are for tasks that are not the player's.
    """
    ranges, taken = bind_pool(pool, player.samples), dict[tuple[str, int], None]()
    splits = {
        env_id: str(getattr(env.unwrapped, "split", "train"))
        for env_id, env in player.samples.items()
    }
    while drawn := pool.draw(ranges, player.weights, taken.keys(), seed=seed, number=len(taken)):
        taken[drawn] = None
        yield TaskRef(drawn[0], splits[drawn[0]], drawn[1])


async def _play(
    player: EpisodePlayer,
    policy: str | Policy,
    next_tasks: Iterator[TaskRef],
    count: int,
    size: int,
    seed: int,
    pool: TaskPool | None,
) -> list[list[Trajectory]]:
    """Play groups of the next tasks, and add their results to the pool."""
    tasks = list(islice(next_tasks, count))
    for task in tasks:
        _check_split(player, task)
    keys = [
        EpisodeKey(task.env_id, task.task_index, repeat) for task in tasks for repeat in range(size)
    ]
    played = await player.aplay(policy, keys, seed=seed) if keys else []
    if pool is not None:
        for trajectory in played:
            pool.add_episode(trajectory)
    return [played[start : start + size] for start in range(0, len(played), size)]


def _check_split(player: EpisodePlayer, task: TaskRef) -> None:
    """Check that a player plays the split of a task.

    Raises:
        UsageError: It plays the task with this index of another split.
    """
    sample: Any = player.samples.get(task.env_id)
    is_text_env = sample is not None and hasattr(sample.unwrapped, "num_tasks")
    played = sample.unwrapped.split if is_text_env else task.split
    if played != task.split:
        raise UsageError(
            f"the player plays the split {played} of {task.env_id}, but a task is from "
            f"{task.split}: "
            "make the player with the same split"
        )
