"""`Validation`: evaluates a policy on held-out tasks while it is trained.

Invariants: the same tasks are played with the same seeds each time, so a difference comes from the
policy; none of them is in the train split.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from textgym.concurrency.event_loops import synchronous
from textgym.errors import UsageError
from textgym.metrics.statistics import Estimate, clustered_error, rate_interval
from textgym.mixtures import weights_of
from textgym.policies import Policy
from textgym.registry import registered_envs
from textgym.rollouts.env_pool import check_minimum
from textgym.rollouts.player import EpisodePlayer
from textgym.training.figures import episode_figures
from textgym.training.tasks import check_no_split, list_tasks
from textgym.trajectories.advantages import number_groups
from textgym.trajectories.task_identity import EpisodeKey, GroupKey
from textgym.wrappers.specs import WrapperSpec

__all__ = ["Validation"]


class Validation:
    """Plays the same held-out tasks in each run; use it as a context manager, or close it.

    Args:
        envs: An id, or ids with weights.
        n: The number of tasks.
        split: The split; not `train`.
        repeats: The number of episodes of each task.
        env_kwargs: As in `rollout`. The tasks of a file, passed as `dataset`, have no splits, so it
            must be a file that is not trained on.
        wrappers: As in `rollout`.
        concurrency: The maximum number of episodes that run at once.

    Raises:
        UsageError: An argument is invalid.

    Example:
        >>> with Validation("textgym/MCQA-v0", 20) as validation:
        ...     figures = validation.run("oracle")
        >>> figures["validation/episodes/success"], round(figures["validation/success_low"], 2)
        (1.0, 0.84)
    """

    def __init__(
        self,
        envs: str | Mapping[str, float],
        n: int,
        *,
        split: str = "validation",
        repeats: int = 1,
        env_kwargs: Mapping[str, Any] | None = None,
        wrappers: Sequence[WrapperSpec] = (),
        concurrency: int = 64,
    ) -> None:
        if split == "train":
            raise UsageError("split must be validation or test: the train split is not held out")
        check_minimum(1, repeats=repeats)
        check_no_split(env_kwargs)
        envs = registered_envs(envs)
        weights = weights_of(envs) if isinstance(envs, Mapping) else {envs: 1.0}
        kwargs = {**(env_kwargs or {}), "split": split}
        self._player = EpisodePlayer(
            dict(weights), env_kwargs=kwargs, wrappers=wrappers, concurrency=concurrency
        )
        self._episodes = [
            EpisodeKey(task.env_id, task.task_index, repeat)
            for task in list_tasks(self._player, weights, n, split=split)
            for repeat in range(repeats)
        ]

    async def arun(self, policy: str | Policy) -> dict[str, float]:
        """Play the tasks and return the figures of `episode_figures`, as `validation/NAME`.

        `run` blocks, even in a running event loop; `arun` is awaited.

        `validation/success_low` and `validation/success_high` are the bounds of the 95 % confidence
        interval of `validation/episodes/success`, clustered by task.

        Args:
            policy: The policy, or the spec of one.
        """
        played = await self._player.aplay(policy, self._episodes)
        figures = {f"validation/{name}": value for name, value in episode_figures(played).items()}
        graded = [episode for episode in played if not episode["failure"]]
        if graded:
            successes = [float(bool(episode["is_success"])) for episode in graded]
            groups = number_groups(map(GroupKey.of, graded))
            error = clustered_error(successes, groups)
            low, high = rate_interval(Estimate(fmean(successes), error, len(set(groups))))
            figures |= {"validation/success_low": low, "validation/success_high": high}
        return figures

    run = synchronous(arun)

    def close(self) -> None:
        """Close all environments."""
        self._player.close()

    def __enter__(self) -> Validation:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
