"""The figures of some episodes, by name, as `metrics.json` holds them.

An episode that failed has no reward: it is counted, and enters no other figure. A figure that
there are too few episodes for is None.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from textgym.metrics.episode_table import NO_ANSWER, Array, Episodes
from textgym.metrics.repeats import TaskValues
from textgym.metrics.statistics import (
    Estimate,
    clustered_error,
    mean,
    spread,
    standard_error,
    variance,
)

__all__ = ["estimate", "figures"]

_TOKENS = ("prompt_tokens", "completion_tokens")
_LENGTHS = ("steps", "completion_chars", "completion_tokens", "conversation_chars", "seconds")


def figures(episodes: Episodes, values: TaskValues) -> dict[str, Any]:
    """Return the figures by name.

    Counts:

    - `episodes`: all; `failures`: those that failed; `failure_rate`: their share;
      `failures_by_boundary`: where they failed. What follows is of the graded ones, the others.
    - `tasks`: how many tasks they are of; `repeats`: the most that any task has.
    - `stop_reasons`: how many ended in which way; `truncated_rate`: the share that a limit cut.

    Rewards:

    - `mean_reward`, and `reward_error`, its standard error clustered by task (`clustered_error`).
    - `reward_variance`: the sample's variance over episodes. `reward_variance_within`: the variance
      between the repeats of a task, averaged over tasks with two and more. `equal_reward_rate`: the
      share of those tasks all of whose rewards are the same; where advantages are taken within a
      group, as in GRPO, they teach nothing.
    - `success_rate`, and `success_error`, clustered as well: the share with `is_success`.
    - `at_k`: what k repeats are worth, by the names of `repeat_values`: the `mean` over tasks, its
      standard `error`, and the number of `tasks` that it rests on. A task with fewer than k graded
      episodes is left out. So where episodes failed, figures of a large k rest on fewer tasks than
      those of a small one, and on those that fail less: compare `tasks`.
    - `components`: the mean of each reward component of the last step, over episodes that have it.
    - `no_answer_rate`: the share in which no answer was found, of the episodes whose environment
      says what it found.

    Lengths:

    - `mean_steps`: assistant messages an episode. `mean_seconds`: how long it took.
    - `prompt_tokens`, `completion_tokens`: sums of what the policy said that it read and wrote.
      `mean_prompt_tokens`, `mean_completion_tokens`: an episode.
    - `splits`: how many turns after an episode's first began a new token sequence.
    - `lengths`: for `steps`, `completion_chars` (what the policy wrote in an episode, reasoning and
      calls included), `completion_tokens` (None where the policy counts none),
      `conversation_chars` (all messages at the end) and `seconds`, the `mean`, `median`, `p95` (the
      95th percentile) and `max`.

    Args:
        episodes: Any of a tally.
        values: What `task_values` says of the tally's tasks.
    """
    graded = episodes.graded()
    count, failed = len(episodes), len(episodes) - len(graded)
    tasks, sizes = graded.distinct_tasks()
    reward, success = estimate(graded, "reward"), estimate(graded, "success")
    answers = _known(graded.column("answer"))
    tokens = {name: np.nansum(graded.column(name)) for name in _TOKENS}
    return {
        "episodes": count,
        "failures": failed,
        "failure_rate": failed / count if count else None,
        "failures_by_boundary": episodes.counts("failure"),
        "tasks": len(tasks),
        "repeats": int(sizes.max(initial=0)),
        "mean_reward": reward.mean if reward else None,
        "reward_error": reward.error if reward else None,
        "reward_variance": variance(graded.column("reward")),
        "reward_variance_within": mean(_known(values.rewards["variance"][tasks])),
        "equal_reward_rate": mean(_known(values.rewards["equal"][tasks])),
        "success_rate": success.mean if success else None,
        "success_error": success.error if success else None,
        "at_k": _repeat_figures(values.repeats, tasks),
        "components": graded.component_means(),
        "no_answer_rate": mean(answers == NO_ANSWER),
        "truncated_rate": mean(graded.column("truncated")),
        "mean_steps": mean(graded.column("steps")),
        "mean_seconds": mean(graded.column("seconds")),
        **{name: int(total) for name, total in tokens.items()},
        **{f"mean_{name}": _ratio(total, len(graded)) for name, total in tokens.items()},
        "splits": int(np.nansum(graded.column("splits"))),
        "lengths": {name: spread(_known(graded.column(name))) for name in _LENGTHS},
        "stop_reasons": graded.counts("stop"),
    }


def estimate(graded: Episodes, name: str) -> Estimate | None:
    """Return the mean of a column with its error clustered by task; None of no episodes."""
    if not len(graded):
        return None
    values = graded.column(name)
    tasks, _ = graded.distinct_tasks()
    return Estimate(float(values.mean()), clustered_error(values, graded.tasks), len(tasks))


def _repeat_figures(values: dict[str, Array], tasks: Array) -> dict[str, dict[str, Any]]:
    """Return the mean over some tasks of each value that any of them has."""
    found = {}
    for name, of_all in values.items():
        known = _known(of_all[tasks])
        if len(known):
            error = standard_error(known)
            found[name] = {"mean": mean(known), "error": error, "tasks": len(known)}
    return found


def _known(values: Array) -> Array:
    return values[~np.isnan(values)]


def _ratio(total: float, count: int) -> float | None:
    return float(total) / count if count else None
