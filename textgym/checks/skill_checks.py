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
from textgym.core.partial_credit import PartialCreditEnv
from textgym.errors import OracleError
from textgym.json_values import canonical_json
from textgym.tasks.task import hash_int

__all__ = ["difficulty_separation", "learnability", "resource_envelope"]

SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""The shares of the oracle."""

LADDER = (0.0, 0.25, 0.5, 0.75, 0.9)
"""The shares of the oracle's turns of `learnability`."""

_EPISODES = {False: 200, True: 40}  # of all levels together, by `quick`
_SURE = 5.0  # standard errors
_GROUPS = {False: 32, True: 5}  # at most, of a level, by `quick`
_FEWEST = 2  # groups of a level
_SLOWER = 8  # times as few groups of an environment whose steps may wait, such as for a sandbox
_STEPS = {False: 4000, True: 400}  # of a level; after them, no group beyond the fewest is played
_GROUP = 8  # episodes of a task
_HALF = 0.5  # of the turns, and of the groups
_SAME = 1e-9  # returns that differ by less are the same


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
                f"the mean return falls by {gaps:.3f} when the oracle takes {share:.0%} of the "
                "turns instead of fewer",
                measured,
            )


def _mixture(
    env: Any, share: float, rng: random.Random | None = None, drawn: list[float] | None = None
) -> Scripted:
    """Return the policy that takes a random share of its turns from the oracle.

    Args:
        env: The environment.
        share: The share.
        rng: The generator of all draws; by default the policy's, which is seeded with the task.
        drawn: Gets the number of each turn. A turn is the oracle's if its number is below the
            share.
    """

    def answer(view: Scripted) -> Any:
        numbers = rng or view.rng
        guess, number = guess_message(env, numbers), numbers.random()
        if drawn is not None:
            drawn.append(number)
        if number >= share:
            return guess
        try:
            return env.unwrapped.solve()
        except OracleError:  # the oracle cannot continue from here
            return guess

    return Scripted(answer)


@check_of(
    "statistical.learnability",
    "Add an easier level, shorten the episodes, or give partial credit on the way.",
    needs=(*BASICS, "semantic.oracle_max"),
    any_env=True,
    fast=False,
    severity="warn",
)
def learnability(subject: Subject) -> Outcome:
    """At each level, returns of a task differ while the oracle takes at most half of the turns.

    A group of episodes of one task is informative if its returns are not all equal: only then is
    there something to learn from it. At each turn, the oracle acts with a probability from 0 to
    0.9, and the random policy otherwise. Half of the groups must be informative at a probability of
    at most 0.5. At levels where that fails, an environment that takes `partial_credit=True` is
    played with it. The measured values are the shares of informative groups by level.
    """
    for method in ("solve", "guess"):
        if not subject.defines(method):
            raise Skipped(f"the environment does not define {method}")
    levels = subject.levels
    if None not in levels and subject.card and subject.card.first_rung:
        levels = (0, *levels)
    fixed = subject.kwargs.get("level", "all")
    ladders, groups, credited = {}, {}, {}
    can_credit = (
        issubclass(subject.cls, PartialCreditEnv) and "partial_credit" not in subject.kwargs
    )
    for level in levels:
        name = str(fixed if level is None else level)
        ladders[name], groups[name] = _ladder(subject, subject.at_level(level), name)
        if can_credit and _reached(ladders[name]) < _HALF:
            env = subject.at_level(level, partial_credit=True)
            credited[name], _ = _ladder(subject, env, name)
    measured = {
        "shares": LADDER,
        "episodes_a_group": _GROUP,
        "groups": groups,
        "informative": ladders,
        "informative_with_partial_credit": credited,
    }
    reached = {name: _reached(ladder) for name, ladder in {**ladders, **credited}.items()}
    few = [f"{share:.0%} at level {name}" for name, share in reached.items() if share < _HALF]
    if few:
        raise CheckFailed(
            "too few groups are informative where the oracle takes at most half of the turns: "
            + ", ".join(few),
            measured,
        )
    detail = f"at least {min(reached.values()):.0%} of a level's groups are informative"
    if credited:
        detail += f", at level {', '.join(credited)} with partial credit"
    return Outcome(measured, detail=detail)


def _reached(ladder: Sequence[float]) -> float:
    """Return the largest share of groups while the oracle takes at most half of the turns."""
    return max(rung for share, rung in zip(LADDER, ladder, strict=True) if share <= _HALF)


def _ladder(subject: Subject, env: Any, level: str) -> tuple[list[float], int]:
    """Return the share of informative groups for each share of the oracle, and their number."""
    groups: list[list[bool]] = []
    steps = 0
    most = _GROUPS[subject.quick]
    if getattr(env, "blocking", False):
        most = max(_FEWEST, most // _SLOWER)
    for index in subject.indices(env)[:most]:
        if len(groups) >= _FEWEST and steps > _STEPS[subject.quick]:
            break
        place = subject.reset_to(index)
        repeats = []
        for repeat in range(_GROUP):
            returns, taken = _noisy_returns(env, place, f"{level} {index} {repeat}")
            repeats.append(returns)
            steps += taken
        groups.append([max(group) - min(group) > _SAME for group in zip(*repeats, strict=True)])
    return [statistics.fmean(rung) for rung in zip(*groups, strict=True)], len(groups)


def _noisy_returns(env: Any, place: dict[str, Any], seed: str) -> tuple[list[float], int]:
    """Return the return for each share of the oracle, and the number of steps.

    All shares draw the same numbers, so an episode is only played again if one of its turns becomes
    the oracle's.
    """
    returns: list[float] = []
    drawn: list[float] = []
    steps, last = 0, 0.0
    for share in LADDER:
        if not returns or any(last <= number < share for number in drawn):
            drawn.clear()
            policy = _mixture(env, share, random.Random(seed), drawn)
            returns.append(play(env, policy, **place).total)
            steps += len(drawn)
        else:
            returns.append(returns[-1])
        last = share
    return returns, steps


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
