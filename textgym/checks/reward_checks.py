"""Checks of the returns of the oracle, of empty messages, and of guesses."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium as gym

from textgym.checks.checks import (
    CheckFailed,
    Outcome,
    Skipped,
    check_of,
)
from textgym.checks.episodes import ROUNDING, Episode, guesses, oracle, play, say
from textgym.checks.subject import Subject
from textgym.policies import Policy

_MIN_GAP = 0.5
_MAX_EVIDENCE = 3


def _episodes(
    subject: Subject, policy: Callable[[gym.Env[Any, Any]], Policy]
) -> Iterator[tuple[Any, int | None, Episode]]:
    """Play the tasks of every level."""
    for level in subject.levels:
        env = subject.at_level(level)
        for index in subject.indices(env):
            yield env, level, play(env, policy(env), **subject.reset_to(index))


@check_of(
    "semantic.oracle_max",
    "Grade the answer of `solve` with the maximum, or fix `solve`.",
    any_env=True,
)
def oracle_max(subject: Subject) -> Outcome:
    """The oracle gets the maximum return on every task of every level."""
    if not subject.defines("solve"):
        raise Skipped("the environment defines no oracle (solve)")
    high, episodes, wrong = subject.reward_range[1], 0, []
    for _, level, episode in _episodes(subject, oracle):
        episodes += 1
        if abs(episode.total - high) > ROUNDING:
            wrong.append(episode.as_evidence(policy="oracle", level=level))
    measured = {"episodes": episodes, "below_maximum": len(wrong)}
    if wrong:
        first = wrong[0]
        raise CheckFailed(
            f"the oracle gets {sum(first['rewards'])} for {first['task_id']} "
            f"(level {first['level']}), not {high}",
            measured,
            wrong[:_MAX_EVIDENCE],
        )
    return Outcome(measured)


@check_of(
    "semantic.floor_gap",
    "Give an empty answer the minimum, and a right answer clearly more.",
    any_env=True,
)
def floor_gap(subject: Subject) -> Outcome:
    """Empty messages get the minimum return on every task whose row has no `no_op`.

    If the minimum is negative, for penalties, they get at most 0.
    """
    low, high = subject.reward_range
    assert high - low >= _MIN_GAP, f"the return ranges only from {low} to {high}"
    returns, rewarded = [], []
    for env, level, episode in _episodes(subject, lambda env: say("")):
        if subject.is_text_env and env.task.row.get("no_op"):
            continue
        returns.append(episode.total)
        if episode.total > max(low, 0.0) + ROUNDING:
            rewarded.append(episode.as_evidence(policy="silence", level=level))
    measured = {"episodes": len(returns), "floor": _mean(returns), "maximum": high}
    if rewarded:
        first = rewarded[0]
        raise CheckFailed(
            f"empty messages get {sum(first['rewards'])} for {first['task_id']} "
            f"(level {first['level']}), not {low}",
            measured,
            rewarded[:_MAX_EVIDENCE],
        )
    return Outcome(measured)


@check_of(
    "statistical.declared_chance",
    "State the mean reward of guesses as the card's `chance`, or reward guesses less.",
)
def declared_chance(subject: Subject) -> Outcome:
    """The mean return of guesses is at most the card's chance, within five standard errors.

    The standard error is the largest that a return with this mean can have.
    """
    if not subject.defines("guess"):
        raise Skipped("the environment defines no random policy (guess)")
    if not subject.states_chance:
        raise Skipped("the card states the chance for the default arguments")
    returns = [episode.total for _, _, episode in _episodes(subject, guesses)]
    mean, chance, (low, high) = _mean(returns), subject.chance, subject.reward_range
    max_error = math.sqrt(max(chance - low, 0.0) * (high - chance) / len(returns))
    measured = {"episodes": len(returns), "mean": mean, "chance": chance}
    if mean - chance > 5 * max_error + 1e-9:
        raise CheckFailed(f"guesses get {mean:.3f}, but the card says {chance:.3f}", measured)
    return Outcome(measured)


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else 0.0
