"""Reward functions for TRL.

Invariants: a reward that does not exist is None, never 0: the episode failed, is of another
environment, or does not have the component. A user-defined function that gives such an episode a
reward causes a warning.
"""

from __future__ import annotations

import functools
import inspect
import math
import warnings
from collections.abc import Callable, MutableSequence, Sequence
from typing import Any

from textgym.errors import BoundaryFailure, TrainingError, UsageError
from textgym.messages import text_of
from textgym.training.figures import episode_figures, failure_figures
from textgym.training.trl.samples import Sample
from textgym.trajectories.advantages import rewards_differ
from textgym.trajectories.schema import Trajectory

__all__ = [
    "RewardFunc", "check_has_rewards", "has_signal", "log_episodes", "reward_functions",
    "verifier_reward", "watch_payments",
]  # fmt: skip

_LOGGED_BY_TRL = ("reward", "entropy")

RewardFunc = Callable[..., list[float | None]]


def reward_functions(rewards: str | Sequence[str], env_ids: Sequence[str]) -> list[RewardFunc]:
    """Return the reward functions for the argument `rewards` of `Episodes`.

    Raises:
        UsageError: `rewards` is something else.

    Example:
        >>> [function.__name__ for function in reward_functions("environments", ["a", "b"])]
        ['a', 'b']
    """
    if rewards == "total":
        return [_named("reward", lambda sample: sample.reward)]
    if rewards == "environments":
        return [_named(id, _of_env(id)) for id in env_ids]
    is_list = isinstance(rewards, Sequence) and not isinstance(rewards, str) and bool(rewards)
    if not is_list or not all(isinstance(name, str) for name in rewards):
        raise UsageError(
            "rewards must be 'total', 'environments' or a list with names of components, not "
            f"{rewards!r:.100}"
        )
    return [_named(name, _of_component(name)) for name in rewards]


def _of_env(id: str) -> Callable[[Sample], float | None]:
    return lambda sample: sample.reward if sample.trajectory["env_id"] == id else None


def _of_component(name: str) -> Callable[[Sample], float | None]:
    def value(sample: Sample) -> float | None:
        """Return the component, summed over the steps of the episode."""
        steps = [step["components"] for step in sample.trajectory["steps"]]
        values = [components[name] for components in steps if name in components]
        return None if sample.reward is None or not values else sum(values)

    return value


def _named(name: str, value: Callable[[Sample], float | None]) -> RewardFunc:
    def rewards(*, episode: list[Sample] | None = None, **columns: Any) -> list[float | None]:
        if episode is None:
            raise UsageError(
                f"the reward function {name} got no episodes, because the trainer played none: "
                "pass rollout_func=episodes.rollout_func to GRPOTrainer; with environment_factory, "
                "use ToolEpisodes and its own reward_funcs"
            )
        return [value(sample) for sample in episode]

    rewards.__name__ = name
    return rewards


def has_signal(group: Sequence[Sample], functions: Sequence[RewardFunc], trainer: Any) -> bool:
    """Return whether the rewards of a group differ; user-defined reward functions do not count.

    Args:
        group: The samples.
        functions: The reward functions of the episodes.
        trainer: The trainer, which weights and adds up the rewards.

    Raises:
        UsageError: The trainer has none of these functions.
    """
    weighted = list(zip(trainer.reward_funcs, trainer.reward_weights.tolist(), strict=True))
    counted = [(function, weight) for function, weight in weighted if function in functions]
    if not counted:
        raise UsageError("redraw needs reward functions of the episodes in the trainer")
    graded = [sample for sample in group if sample.reward is not None]
    rewards = [
        [value if value is None else weight * value for value in function(episode=graded)]
        for function, weight in counted
    ]
    if trainer.multi_objective_aggregation == "sum_then_normalize":
        known = [
            [value for value in row if value is not None] for row in zip(*rewards, strict=True)
        ]
        rewards = [[math.fsum(row) for row in known if row]]
    return any(map(rewards_differ, rewards))


def check_has_rewards(samples: Sequence[Sample], functions: Sequence[RewardFunc]) -> None:
    """Check that the graded episodes of a batch have a reward, if there are any.

    Raises:
        TrainingError: All rewards are None, because no episode has one of the components.
    """
    graded = [sample for sample in samples if sample.reward is not None]
    values = [value for function in functions for value in function(episode=graded)]
    if graded and not any(value is not None for value in values):
        steps = [step for sample in graded for step in sample.trajectory["steps"]]
        known = sorted({name for step in steps for name in step["components"]})
        raise TrainingError(
            f"no graded episode has a reward of {', '.join(f.__name__ for f in functions)}; the "
            f"components of this batch are {', '.join(known) or 'none'}"
        )


def watch_payments(functions: MutableSequence[Any], own: Sequence[RewardFunc]) -> None:
    """Make user-defined reward functions warn if they reward an episode that has no reward.

    Such an episode would count in the baseline of its group.

    Args:
        functions: The reward functions of the trainer. Functions that are not `own` are replaced. A
            reward model cannot be replaced. It scores every completion, so the warning comes now.
        own: The reward functions of the episodes.
    """
    for position, function in enumerate(functions):
        if function in own or hasattr(function, "warns_of_payments"):
            continue
        if hasattr(function, "forward"):
            _warn(function)
        else:
            functions[position] = _watched(function)


def _watched(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a reward function with a warning."""

    def check(values: Sequence[float | None], episode: Sequence[Sample]) -> Sequence[float | None]:
        is_paid = [value is not None and not math.isnan(value) for value in values]
        pairs = zip(is_paid, episode, strict=False)
        if any(paid and sample.reward is None for paid, sample in pairs):
            _warn(function)
        return values

    @functools.wraps(function)
    def rewards(**columns: Any) -> Sequence[float | None]:
        return check(function(**columns), columns.get("episode", ()))

    @functools.wraps(function)
    async def awaited_rewards(**columns: Any) -> Sequence[float | None]:
        return check(await function(**columns), columns.get("episode", ()))

    callables = (function, getattr(function, "__call__", None))  # noqa: B004
    is_async = any(map(inspect.iscoroutinefunction, callables))
    watched: Any = awaited_rewards if is_async else rewards
    watched.warns_of_payments = True
    return watched  # type: ignore[no-any-return]


def _warn(function: Any) -> None:
    name = getattr(function, "__name__", type(function).__name__)
    warnings.warn(
        f"the reward function {name} pays episodes that failed or were dropped, so that they count "
        "in the baselines of their groups: return None where episode[i].reward is None",
        RuntimeWarning,
        stacklevel=2,
    )


def log_episodes(
    samples: Sequence[Sample],
    log: Callable[[str, float], None],
    replaced: Sequence[Trajectory] = (),
) -> None:
    """Log the figures of a batch of episodes.

    Args:
        samples: The episodes.
        log: Logs a figure by name.
        replaced: Episodes that were replaced by others; only their failures count.
    """
    trained = [sample.trajectory for sample in samples if not sample.is_dropped]
    figures = episode_figures(trained) | failure_figures([*trained, *replaced])
    for name in _LOGGED_BY_TRL:
        figures.pop(name, None)
    for name, value in figures.items():
        log(name, value)
    split = sum(sample.is_dropped or bool(sample.more_rows) for sample in samples)
    log("episodes/split", float(split))


def verifier_reward(
    verify: Callable[[str, Any], float], answer: str = "answer", name: str | None = None
) -> RewardFunc:
    """Return a reward function that compares each completion with a column of the data set.

    Args:
        verify: Called with the text of the completion and the value of the column. It returns a
            reward, or whether the text is right, as `textgym.verifiers.math.equal_math` does.
        answer: The name of the column.
        name: The name in logs; by default the name of `verify`.

    Returns:
        A function for the `reward_funcs` of a trainer. If the verifier itself fails, or the episode
        has no reward, the reward is None, so that TRL leaves the completion out.

    Example:
        >>> from textgym.verifiers import equal_text
        >>> reward = verifier_reward(lambda text, answer: equal_text(answer, text))
        >>> reward(completions=["Paris", "Rome"], answer=["Paris", "Paris"])
        [1.0, 0.0]
    """

    def rewards(*, completions: list[Any], **columns: Any) -> list[float | None]:
        if answer not in columns:
            raise UsageError(f"the data set has no column {answer!r} with the answers")
        samples: Sequence[Sample | None] = columns.get("episode") or [None] * len(completions)
        return [
            None if sample and sample.reward is None else _verified(verify, completion, gold)
            for completion, gold, sample in zip(completions, columns[answer], samples, strict=True)
        ]

    rewards.__name__ = name or str(getattr(verify, "__name__", "verifier"))
    return rewards


def _verified(verify: Callable[[str, Any], float], completion: Any, gold: Any) -> float | None:
    text = completion if isinstance(completion, str) else text_of(completion[-1])
    try:
        return float(verify(text, gold))
    except BoundaryFailure:
        return None
