"""Groups of episodes of one task, and other tasks in place of those from which nothing is learned.

A group whose episodes have the same return has no advantages. Playing other tasks instead is known
as dynamic sampling (Yu et al. 2025, DAPO, https://arxiv.org/abs/2503.14476).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from textgym.concurrency.event_loops import synchronous
from textgym.errors import UsageError
from textgym.policies import Policy
from textgym.rollouts.env_set import check_minimum
from textgym.rollouts.episode import EpisodeKey
from textgym.rollouts.player import EpisodePlayer
from textgym.training.tasks import TaskRef
from textgym.trajectories.schema import Trajectory

__all__ = ["PlayedGroups", "aplay_groups", "has_variance", "play_groups"]


@dataclass(frozen=True, slots=True)
class PlayedGroups:
    """What was played.

    Attributes:
        groups: The episodes of each group, in the order of the tasks; a group that replaced another
            has its place.
        discarded: The groups without variance that were replaced, also those whose episodes all
            failed. Their failures are not in the figures of `groups`; see `failure_figures`.
    """

    groups: list[list[Trajectory]]
    discarded: list[list[Trajectory]]

    @property
    def trajectories(self) -> list[Trajectory]:
        """The episodes of all groups that were kept."""
        return [episode for group in self.groups for episode in group]


def has_variance(group: Iterable[Trajectory]) -> bool:
    """Return whether the graded episodes of a group have different returns.

    Example:
        >>> has_variance([{"reward": 1.0}, {"reward": None}, {"reward": 0.0}])
        True
    """
    return len({episode["reward"] for episode in group if episode["reward"] is not None}) > 1


async def aplay_groups(
    player: EpisodePlayer,
    policy: str | Policy,
    tasks: Iterable[TaskRef],
    *,
    count: int,
    size: int,
    redraws: int = 0,
    seed: int = 0,
) -> PlayedGroups:
    """Play groups, and replace those without variance by groups of the tasks that come next.

    `play_groups` blocks, also in a running event loop; `aplay_groups` is awaited.

    Args:
        player: The player of the environments.
        policy: The policy, or the spec of one.
        tasks: The tasks. The first `count` are played, and more only as replacements; an iterator
            goes on where it was, in the next call.
        count: The number of groups.
        size: The number of episodes of a group.
        redraws: How many times groups without variance are replaced at most. Those of the last
            time are kept, so that there are always `count` groups if there are as many tasks.
        seed: As in `rollout`.

    Raises:
        UsageError: An argument is invalid, or a task is of another split than the player's.

    Example:
        >>> tasks = iter([TaskRef("textgym/MCQA-v0", "train", index) for index in range(100)])
        >>> with EpisodePlayer("textgym/MCQA-v0") as player:
        ...     played = play_groups(player, "random", tasks, count=4, size=4, redraws=3)
        >>> len(played.groups), len(played.trajectories)
        (4, 16)
    """
    check_minimum(1, count=count, size=size)
    check_minimum(0, redraws=redraws)
    coming = iter(tasks)
    groups = await _play(player, policy, coming, count, size, seed)
    discarded: list[list[Trajectory]] = []
    for _ in range(redraws):
        equal = [place for place, group in enumerate(groups) if not has_variance(group)]
        drawn = await _play(player, policy, coming, len(equal), size, seed)
        for place, group in zip(equal, drawn, strict=False):  # tasks may have come to an end
            discarded.append(groups[place])
            groups[place] = group
    return PlayedGroups(groups, discarded)


play_groups = synchronous(aplay_groups)


async def _play(
    player: EpisodePlayer,
    policy: str | Policy,
    coming: Iterator[TaskRef],
    count: int,
    size: int,
    seed: int,
) -> list[list[Trajectory]]:
    """Play groups of the next tasks."""
    drawn = list(islice(coming, count))
    for task in drawn:
        _check_split(player, task)
    keys = [EpisodeKey(t.env_id, t.task_index, repeat) for t in drawn for repeat in range(size)]
    played = await player.aplay(policy, keys, seed=seed) if keys else []
    return [played[start : start + size] for start in range(0, len(played), size)]


def _check_split(player: EpisodePlayer, task: TaskRef) -> None:
    """Check that a player plays the split that a task is of.

    Raises:
        UsageError: It plays the task with this index of another split.
    """
    sample: Any = player.samples.get(task.env_id)
    is_text_env = sample is not None and hasattr(sample.unwrapped, "num_tasks")
    played = sample.unwrapped.split if is_text_env else task.split
    if played != task.split:
        raise UsageError(
            f"the player plays the split {played} of {task.env_id}, and a task is of {task.split}: "
            "make the player with the same split"
        )
