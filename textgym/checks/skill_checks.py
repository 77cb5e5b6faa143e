"""Checks that more skill earns more reward, and a report of the size of episodes."""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Iterator, Sequence
from typing import Any

from textgym.checks.checks import BASICS, CheckFailed, Outcome, Skipped, check_of
from textgym.checks.episodes import Episode, Scripted, guess_message, guesses, oracle, play
from textgym.checks.soundness.variants import calls_in
from textgym.checks.subject import Subject
from textgym.errors import OracleError
from textgym.json_values import canonical_json
from textgym.tasks.task import hash_int

__all__ = ["difficulty_separation", "resource_envelope"]

SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""The shares of the oracle."""

_EPISODES = {False: 200, True: 40}  # of all levels together, by `quick`
_SURE = 5.0  # standard errors


def _tasks(subject: Subject) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Yield environments with the arguments of `play` for tasks of all levels."""
    most = math.ceil(_EPISODES[subject.quick] / len(subject.levels))
    for level in subject.levels:
        env = subject.at_level(level)
        for index in subject.indices(env)[:most]:
            yield env, subject.reset_to(index)


@check_of(
    "statistical.difficulty_separation",
    "Reward a right answer more than a guess, and more right turns no less than fewer.",
    needs=(*BASICS, "semantic.oracle_max", "statistical.declared_chance"),
    any_env=True,
    fast=False,
)
def difficulty_separation(subject: Subject) -> Outcome:
    """The more often the oracle acts in place of guesses, the higher is the mean return.

    The oracle plays 0, 25, 50, 75 and 100 % of the episodes. If episodes have several turns, it
    also takes these shares of the turns. There, a mean may fall by five standard errors.
    """
    for method in ("solve", "guess"):
        if not subject.defines(method):
            raise Skipped(f"the environment does not define {method}")
    by_episode: list[list[float]] = [[] for _ in SHARES]
    by_turn: list[list[float]] = [[] for _ in SHARES]
    several = False
    for env, place in _tasks(subject):
        best, worst = play(env, oracle(env), **place), play(env, guesses(env), **place)
        several = several or len(best.actions) > 1 or len(worst.actions) > 1
        drawn = random.Random(hash_int("share", best.task_id)).random()
        for number, share in enumerate(SHARES):
            by_episode[number].append(best.total if drawn < share else worst.total)
            if several and 0 < share < 1:
                by_turn[number].append(play(env, _mixture(env, share), **place).total)
        by_turn[0].append(worst.total)
        by_turn[-1].append(best.total)
    means = [statistics.fmean(returns) for returns in by_episode]
    measured: dict[str, Any] = {
        "episodes": len(by_episode[0]),
        "shares": SHARES,
        "means": means,
    }
    for share, lower, higher in zip(SHARES[1:], means, means[1:], strict=False):
        if lower > higher or means[0] >= means[-1]:
            raise CheckFailed(
                f"the mean return is {higher:.3f} with {share:.0%} of the oracle's episodes, and "
                f"{lower:.3f} with fewer",
                measured,
            )
    if several:
        measured["means_by_turn"] = [statistics.fmean(returns) for returns in by_turn]
        _check_turns(by_turn, measured)
    return Outcome(measured, detail="means are " + ", ".join(f"{mean:.2f}" for mean in means))


def _check_turns(returns: Sequence[Sequence[float]], measured: dict[str, Any]) -> None:
    for share, lower, higher in zip(SHARES[1:], returns, returns[1:], strict=False):
        gaps = statistics.fmean(lower) - statistics.fmean(higher)
        error = math.sqrt(
            sum(statistics.pvariance(group) / len(group) for group in (lower, higher))
        )
        if gaps > _SURE * error + 1e-9:
            raise CheckFailed(
                f"the mean return falls by {gaps:.3f} where the oracle takes {share:.0%} of the "
                "turns, and not fewer",
                measured,
            )


def _mixture(env: Any, share: float) -> Scripted:
    """Return the policy that takes a random share of its turns from the oracle."""

    def answer(view: Scripted) -> Any:
        guess = guess_message(env, view.rng)
        if view.rng.random() >= share:
            return guess
        try:
            return env.unwrapped.solve()
        except OracleError:  # the oracle cannot continue from here
            return guess

    return Scripted(answer)


@check_of(
    "semantic.resource_envelope",
    "Nothing: this is a report.",
    needs=BASICS,
    any_env=True,
    fast=False,
)
def resource_envelope(subject: Subject) -> Outcome:
    """The size of right episodes is known: turns, calls, and characters of messages and tools.

    This is a report, which never fails.
    """
    if not subject.defines("solve"):
        raise Skipped("the environment defines no oracle (solve)")
    taken = [_size(play(env, oracle(env), **place)) for env, place in _tasks(subject)]
    measured = {
        name: {
            "median": statistics.median(size[name] for size in taken),
            "most": max(size[name] for size in taken),
        }
        for name in taken[0]
    }
    turns, length = measured["turns"]["most"], measured["characters"]["most"]
    return Outcome(measured, detail=f"at most {turns} turns and {length:,} characters")


def _size(episode: Episode) -> dict[str, int]:
    tools = episode.steps[0][-1].get("tools", [])
    return {
        "turns": len(episode.actions),
        "calls": sum(len(calls_in(action)) for action in episode.actions),
        "prompt_characters": len(canonical_json(episode.steps[0][0])),
        "characters": len(canonical_json(episode.steps[-1][0])),
        "tools_characters": len(canonical_json(tools)),
    }
