"""The metrics of a run: overall, and for each environment, level and category.

Each of these is a group of episodes, whose metrics `metrics.json` stores by name. A failed episode
has no reward: it is counted as a failure and excluded from all other metrics. A metric that needs
more episodes than there are is None.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from textgym.errors import RunError
from textgym.metrics.episode_table import NO_ANSWER, EpisodeTable, EpisodeView
from textgym.metrics.repeats import TaskValues, task_values
from textgym.metrics.run_index import RunIndex, read_index
from textgym.metrics.statistics import (
    Array,
    Estimate,
    clustered_error,
    mean,
    standard_error,
    summarize,
    variance,
)
from textgym.trajectories.run import Run
from textgym.trajectories.run_folder import read_config
from textgym.trajectories.schema import Trajectory
from textgym.trajectories.shards import Shard

__all__ = [
    "GROUPS", "RunLike", "StoredRun", "as_episode_table", "compute_metrics", "estimate",
    "group_metrics", "label_order", "planned_episodes", "read_episode_table", "run_metrics",
    "splits_of", "table_of",
]  # fmt: skip

RunLike = EpisodeTable | Run | str | os.PathLike[str] | Iterable[Trajectory]
"""The episodes of a run: a `Run`, the path of its folder, its trajectories, or their table."""
_TOKENS = ("prompt_tokens", "completion_tokens")
_LENGTHS = ("steps", "completion_chars", "completion_tokens", "conversation_chars", "seconds")


def group_metrics(episodes: EpisodeView, values: TaskValues) -> dict[str, Any]:
    """Return the metrics of some episodes by name.

    Counts:

    - `episodes`: all episodes. `failures`, `failure_rate`: how many failed, and their share.
      `failures_by_boundary`: how many failed at each boundary. All metrics below are of graded
      episodes, which are those that did not fail.
    - `tasks`: the number of distinct tasks. `repeats`: the most episodes of any task.
    - `stop_reasons`: how many episodes ended for each reason. `truncated_rate`: the share that a
      limit cut.

    Rewards:

    - `mean_reward`; `reward_error`: its standard error, clustered by task (`clustered_error`).
    - `mean_task_reward`, `task_reward_error`: the same for the environments' own rewards, without
      what wrappers added. They equal the two above if no wrapper changed the reward.
    - `reward_variance`: the sample variance over episodes. `reward_variance_within`: the variance
      between the repeats of a task, averaged over the tasks with at least two. `equal_reward_rate`:
      the share of these tasks whose rewards are all equal. With group-relative advantages, as in
      GRPO, such tasks give no gradient.
    - `success_rate`: the share with `is_success`; `success_error`: its standard error, clustered
      too.
    - `at_k`: the values of `repeat_values` by name, each with the `mean` over tasks, its standard
      `error`, and the number of `tasks` behind it. A task with fewer than k graded episodes is left
      out. So if episodes failed, a large k is based on fewer tasks than a small k, and on tasks
      that fail less often: compare `tasks`.
    - `components`: the mean of each reward component, summed over the steps of an episode, over
      episodes that have it.
    - `no_answer_rate`: the share of episodes without an extracted answer, among the episodes whose
      environment reports one.

    Lengths:

    - `mean_steps`: assistant messages per episode. `mean_seconds`: the duration of an episode.
    - `prompt_tokens`, `completion_tokens`: the sums of what the policy reported.
      `mean_prompt_tokens`, `mean_completion_tokens`: per episode.
    - `splits`: how many turns after the first of their episode began a new token sequence.
    - `lengths`: the `mean`, `median`, `p95` (95th percentile) and `max` of `steps`,
      `completion_chars` (all that the policy wrote in an episode, with reasoning and tool calls),
      `completion_tokens` (None if the policy does not report them), `conversation_chars` (all
      messages at the end) and `seconds`.

    Args:
        episodes: Episodes of a table.
        values: The `task_values` of the same table.
    """
    graded = episodes.graded()
    count, failed = len(episodes), len(episodes) - len(graded)
    tasks, sizes = graded.distinct_tasks()
    reward, success = estimate(graded, "reward"), estimate(graded, "success")
    task_reward = estimate(graded, "task_reward")
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
        "mean_task_reward": task_reward.mean if task_reward else None,
        "task_reward_error": task_reward.error if task_reward else None,
        "reward_variance": variance(graded.column("reward")),
        "reward_variance_within": mean(_known(values.rewards["variance"][tasks])),
        "equal_reward_rate": mean(_known(values.rewards["equal"][tasks])),
        "success_rate": success.mean if success else None,
        "success_error": success.error if success else None,
        "at_k": _repeat_metrics(values.repeats, tasks),
        "components": graded.component_means(),
        "no_answer_rate": mean(answers == NO_ANSWER),
        "truncated_rate": mean(graded.column("truncated")),
        "mean_steps": mean(graded.column("steps")),
        "mean_seconds": mean(graded.column("seconds")),
        **{name: int(total) for name, total in tokens.items()},
        **{
            f"mean_{name}": float(total) / len(graded) if len(graded) else None
            for name, total in tokens.items()
        },
        "splits": int(np.nansum(graded.column("splits"))),
        "lengths": {name: summarize(_known(graded.column(name))) for name in _LENGTHS},
        "stop_reasons": graded.counts("stop"),
    }


def estimate(graded: EpisodeView, name: str) -> Estimate | None:
    """Return the mean of a column with its error clustered by task; None for no episodes."""
    if not len(graded):
        return None
    values = graded.column(name)
    tasks, _ = graded.distinct_tasks()
    return Estimate(float(values.mean()), clustered_error(values, graded.tasks), len(tasks))


def _repeat_metrics(values: dict[str, Array], tasks: Array) -> dict[str, dict[str, Any]]:
    """Return the mean over some tasks of each value that at least one of them has."""
    metrics = {}
    for name, of_task in values.items():
        known = _known(of_task[tasks])
        if len(known):
            error = standard_error(known)
            metrics[name] = {"mean": mean(known), "error": error, "tasks": len(known)}
    return metrics


def _known(values: Array) -> Array:
    return values[~np.isnan(values)]


GROUPS = {"levels": "level", "categories": "category"}  # key in the metrics: column of the table


def run_metrics(table: EpisodeTable, planned: int | None = None) -> dict[str, Any]:
    """Return the metrics of a run.

    Args:
        table: The episodes of the run.
        planned: How many episodes the complete run has; None if that is not known.

    Returns:
        `planned_episodes`; `overall`, the metrics of all episodes; and `envs`, the metrics of each
        environment by id. An environment also has `levels` and `categories`, the metrics of each
        level and category of its tasks. `textgym.metrics.run_metrics.group_metrics` lists the
        metrics.
    """
    episodes = table.view()
    values, by_env = task_values(episodes), sorted(episodes.split("env").items())
    return {
        "planned_episodes": planned,
        "overall": group_metrics(episodes, values),
        "envs": {id: _with_groups(env_episodes, values) for id, env_episodes in by_env},
    }


def compute_metrics(run: RunLike) -> dict[str, Any]:
    """Return the metrics of a run: see `run_metrics`.

    Args:
        run: A `Run`, the path of its folder, or trajectories.

    Raises:
        RunError: The folder contains no run, no episodes, or an episode that cannot be read.

    Example:
        >>> import textgym
        >>> run = textgym.rollout("textgym/MCQA-v0", "oracle", episodes=3)
        >>> textgym.compute_metrics(run)["overall"]["mean_reward"]
        1.0
    """
    return run_metrics(as_episode_table(run))


def as_episode_table(run: RunLike) -> EpisodeTable:
    """Return the table of a run's episodes.

    Raises:
        RunError: The folder contains no run, no episodes, or an episode that cannot be read.
    """
    if isinstance(run, EpisodeTable):
        return run
    if isinstance(run, Run):
        run = run.in_memory if run.out is None else run.out
    if isinstance(run, (str, os.PathLike)):
        return read_episode_table(run)
    table = EpisodeTable()
    for trajectory in run:
        table.add(trajectory)
    return table


def planned_episodes(config: Mapping[str, Any]) -> int | None:
    """Return how many episodes a run has according to its `run.json`; None if it is not stated.

    Example:
        >>> planned_episodes({"tasks": {"demo/A-v0": 10, "demo/B-v0": 5}, "repeats": 4})
        60
    """
    tasks, repeats = config.get("tasks"), config.get("repeats")
    if not isinstance(tasks, dict) or not isinstance(repeats, int):
        return None
    has_curriculum = config.get("curriculum") is not None  # which divides the tasks as it goes
    counts: list[Any] = [config.get("episodes")] if has_curriculum else list(tasks.values())
    if not all(type(n) is int for n in counts):
        return None
    shard = Shard.of(config)
    return (shard.share(sum(counts)) if shard else sum(counts)) * repeats


def splits_of(config: Mapping[str, Any]) -> dict[str, str]:
    """Return the split that was played of each environment, as far as `run.json` states it."""
    splits = config.get("splits")
    return splits if isinstance(splits, dict) else {}


def read_episode_table(path: str | os.PathLike[str]) -> EpisodeTable:
    """Return the table of the episodes of a stored run.

    Args:
        path: The folder of the run.

    Raises:
        RunError: The folder contains no run, no episodes, or an episode that cannot be read.
    """
    return table_of(read_index(path), path)


def table_of(index: RunIndex, path: str | os.PathLike[str]) -> EpisodeTable:
    """Return the table of a run's index.

    Raises:
        RunError: The run contains no episodes, or one that is not a valid trajectory.
    """
    if index.problem:
        raise RunError(index.problem)
    if not index.table.num_episodes:
        raise RunError(f"{os.fspath(path)!r} contains no episodes")
    return index.table


@dataclass(frozen=True)
class StoredRun:
    """A run that was read from its folder.

    Attributes:
        path: Its folder.
        config: Its `run.json`; empty if that cannot be read.
        policies: The names of the policies that played it.
        table: Its episodes.
        metrics: Its metrics.
    """

    path: Path
    config: dict[str, Any]
    policies: tuple[str, ...]
    table: EpisodeTable
    metrics: dict[str, Any]

    @classmethod
    def read(
        cls, path: str | os.PathLike[str], on_episode: Callable[[], None] | None = None
    ) -> StoredRun:
        """Read a run.

        Args:
            path: The folder of the run.
            on_episode: Called for each line that is parsed.

        Raises:
            RunError: The folder contains no run, no episodes, or an episode that cannot be read.
        """
        index, config = read_index(path, on_episode), read_config(path)
        table = table_of(index, path)
        metrics = run_metrics(table, planned_episodes(config))
        return cls(Path(path), config, index.policies, table, metrics)

    def headlines(self, name: str = "") -> list[str]:
        """Return a line about the run, and another one if its episodes are not complete.

        Args:
            name: What the lines begin with.
        """
        metrics = self.metrics["overall"]
        failed = f", {metrics['failures']:,} failed" if metrics["failures"] else ""
        tasks = f"{metrics['tasks']:,} tasks, {metrics['episodes']:,} episodes{failed}"
        shard = Shard.of(self.config)
        part = f", {shard}" if shard else ""
        lines = [f"{name}{self.path}: {', '.join(self.policies)}, {tasks}{part}"]
        stored, planned = self.table.num_episodes, self.metrics["planned_episodes"]
        if planned is not None and stored < planned:
            lines.append(f"{name}partial run: {stored:,} of {planned:,} episodes are stored")
        return lines


def label_order(name: str) -> tuple[bool, int, str]:
    """Return a sort key for levels and categories: numbers first, by value.

    Example:
        >>> sorted(["hard", "10", "2"], key=label_order)
        ['2', '10', 'hard']
    """
    is_number = name.isascii() and name.isdigit()
    return not is_number, int(name) if is_number else 0, name


def _with_groups(episodes: EpisodeView, values: TaskValues) -> dict[str, Any]:
    metrics = group_metrics(episodes, values)
    for group, label in GROUPS.items():
        parts = episodes.split(label)
        metrics[group] = {
            name: group_metrics(parts[name], values) for name in sorted(parts, key=label_order)
        }
    return metrics
