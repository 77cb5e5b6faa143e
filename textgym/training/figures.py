"""The figures of a training step: what the episodes were like, and how old their tokens are.

Invariants: an episode that failed counts as failed and in no other figure; a figure without any
measurement is left out, never 0.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any

import numpy as np

from textgym.errors import UsageError
from textgym.trajectories.advantages import groups_differ, number_groups
from textgym.trajectories.episode_record import components_of
from textgym.trajectories.schema import Trajectory
from textgym.trajectories.task_identity import GroupKey

__all__ = ["episode_figures", "failure_figures", "lag_figures", "ratio_figures"]

_CAUSES = ("policy", "judge", "environment", "user")


def episode_figures(trajectories: Iterable[Trajectory]) -> dict[str, float]:
    """Return the figures of the episodes of a step.

    | figure | |
    | --- | --- |
    | `reward` | the mean return |
    | `episodes/success` | the share of solved tasks |
    | `episodes/turns` | the mean number of messages |
    | `episodes/truncated` | the share that a limit ended |
    | `episodes/cut` | the share with a message that the token limit cut |
    | `episodes/failed`, `episodes/failed/judge` | how many have no reward, in all and by cause |
    | `groups/equal` | the share of groups whose episodes have the same return |
    | `tokens/message`, `tokens/episode` | how many tokens were sampled |
    | `entropy` | the mean of -log p of the sampled tokens, which estimates the policy's entropy |
    | `components/NAME` | the mean of a reward component |
    | `ID/reward`, `ID/success` | the figures of each environment of a mixture |

    Args:
        trajectories: The episodes. Those with the same `GroupKey` are a group.

    Example:
        >>> import textgym
        >>> run = textgym.rollout("textgym/MCQA-v0", "oracle", episodes=2, repeats=2)
        >>> figures = episode_figures(run.trajectories())
        >>> figures["episodes/success"], figures["groups/equal"], figures["episodes/failed"]
        (1.0, 1.0, 0.0)
    """
    episodes = list(trajectories)
    graded = [episode for episode in episodes if not episode["failure"]]
    figures = failure_figures(episodes)
    if not graded:
        return figures
    figures |= {
        "reward": fmean(episode["reward"] or 0.0 for episode in graded),
        "episodes/success": fmean(bool(episode["is_success"]) for episode in graded),
        "episodes/turns": fmean(len(episode["steps"]) for episode in graded),
        "episodes/truncated": fmean(episode["truncated"] for episode in graded),
        "episodes/cut": fmean(_is_cut(episode) for episode in graded),
        "groups/equal": _equal_groups(graded),
    }
    return figures | _token_figures(graded) | _component_figures(graded) | _env_figures(graded)


def failure_figures(episodes: Iterable[Trajectory]) -> dict[str, float]:
    """Return how many episodes have no reward, and how many by what failed.

    Example:
        >>> figures = failure_figures([{"failure": {"boundary": "judge"}}, {"failure": None}])
        >>> figures["episodes/failed"], figures["episodes/failed/judge"]
        (1.0, 1.0)
    """
    causes = Counter(episode["failure"]["boundary"] for episode in episodes if episode["failure"])
    names = dict.fromkeys([*_CAUSES, *causes])  # zeros too, for means over steps
    by_cause = {f"episodes/failed/{name}": float(causes[name]) for name in names}
    return {"episodes/failed": float(causes.total()), **by_cause}


def _is_cut(episode: Trajectory) -> bool:
    return any(step["finish_reason"] == "length" for step in episode["steps"])


def _equal_groups(graded: Sequence[Trajectory]) -> float:
    """Return the share of groups whose episodes have the same return."""
    returns = np.array([episode["reward"] for episode in graded], float)
    return float(1 - groups_differ(number_groups(map(GroupKey.of, graded)), returns).mean())


def _token_figures(graded: Sequence[Trajectory]) -> dict[str, float]:
    """Return lengths and entropy, for policies that report tokens."""
    steps = [step for episode in graded for step in episode["steps"]]
    lengths = [len(step["token_ids"]) for step in steps if step["token_ids"] is not None]
    if not lengths:
        return {}
    figures = {
        "tokens/message": fmean(lengths),
        "tokens/episode": sum(lengths) / len(graded),
    }
    logprobs = [value for step in steps for value in step["logprobs"] or ()]
    known = [value for value in logprobs if not math.isnan(value)]
    return figures | ({"entropy": -fmean(known)} if known else {})


def _component_figures(graded: Sequence[Trajectory]) -> dict[str, float]:
    values = defaultdict(list)
    for episode in graded:
        for name, value in components_of(episode).items():
            values[name].append(value)
    return {f"components/{name}": fmean(values[name]) for name in sorted(values)}


def _env_figures(graded: Sequence[Trajectory]) -> dict[str, float]:
    """Return reward and success of each environment, if there are several."""
    by_env: Mapping[str, list[Trajectory]] = defaultdict(list)
    for episode in graded:
        by_env[episode["env_id"]].append(episode)
    figures: dict[str, float] = {}
    for env_id in sorted(by_env) if len(by_env) > 1 else ():
        episodes = by_env[env_id]
        figures[f"{env_id}/reward"] = fmean(episode["reward"] or 0.0 for episode in episodes)
        figures[f"{env_id}/success"] = fmean(bool(episode["is_success"]) for episode in episodes)
    return figures


def lag_figures(trajectories: Iterable[Trajectory], versions: Sequence[str]) -> dict[str, float]:
    """Return the age, in updates, of the weights that sampled the messages.

    Args:
        trajectories: The episodes; their policy reports versions.
        versions: All versions of the weights, from the first to the one that is updated now.

    Returns:
        `lag/mean` and `lag/largest` over all messages, in updates.

    Raises:
        UsageError: A message was sampled with other weights.

    Example:
        >>> step = {"policy_version": "step 1"}
        >>> lag_figures([{"steps": [step], "failure": None}], ["step 1", "step 2", "step 3"])
        {'lag/mean': 2.0, 'lag/largest': 2.0}
    """
    ages = {version: age for age, version in enumerate(reversed(versions))}
    lags = []
    for episode in trajectories:
        for step in () if episode["failure"] else episode["steps"]:
            version = step["policy_version"]
            if version not in ages:
                raise UsageError(
                    f"a message was sampled with {version!r}, which is not in versions"
                )
            lags.append(ages[version])
    return {"lag/mean": fmean(lags), "lag/largest": float(max(lags))} if lags else {}


def ratio_figures(
    rows: Iterable[tuple[Sequence[float], Sequence[float], Sequence[int]]],
) -> dict[str, float]:
    """Return how far the policy that is trained is from the policy that sampled.

    The importance ratio of a token is p / q: p is its probability under the weights that are
    trained, q under the weights that sampled it. It is 1 for fresh tokens.

    Args:
        rows: The recorded log probabilities, the present log probabilities, and the mask of sampled
            tokens of each token sequence, as in `logprob_gap`.

    Returns:
        `ratio/mean`, `ratio/largest` and `ratio/smallest`; `ratio/kl`, the mean of r - 1 - log r,
        which estimates KL(q, p) and is never negative (http://joschu.net/blog/kl-approx.html); and
        `ratio/effective`, the effective share of tokens (Σr)² / (n Σr²): 1 for fresh tokens, and
        near 0 if a few tokens have all the weight.

    Example:
        >>> ratio_figures([([-0.5, 0.0], [-0.5, -3.0], [1, 0])])["ratio/effective"]
        1.0
    """
    logs = [
        float(now) - float(was)
        for recorded, present, mask in rows
        for was, now, sampled in zip(recorded, present, mask, strict=True)
        if sampled and not math.isnan(was)
    ]
    if not logs:
        return {}
    log_ratios = np.array(logs)
    with np.errstate(over="ignore"):
        ratios: Any = np.exp(log_ratios)
        effective = ratios.sum() ** 2 / (len(ratios) * (ratios**2).sum())
    return {
        "ratio/mean": float(ratios.mean()),
        "ratio/largest": float(ratios.max()),
        "ratio/smallest": float(ratios.min()),
        "ratio/kl": float((ratios - 1 - log_ratios).mean()),
        "ratio/effective": float(effective),
    }
