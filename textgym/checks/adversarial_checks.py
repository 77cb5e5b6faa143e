"""Checks that policies without the answer earn no more than chance.

All attackers play the same test tasks. One that gets more than chance plays again on several times
as many fresh tasks, so that luck does not decide.
"""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from textgym.checks.attackers import Attacker, NotApplicable, attackers, learn
from textgym.checks.attackers.knowledge import unseen_tasks
from textgym.checks.checks import BASICS, CheckFailed, Outcome, Skipped, check_of
from textgym.checks.episodes import Episode, Scripted, guesses, oracle, play, say
from textgym.checks.shortcuts import learned
from textgym.checks.subject import Subject
from textgym.errors import ExtraMissingError, in_one_line
from textgym.policies import Policy

__all__ = ["adversarial_floor", "learned_shortcuts"]

_NEEDS = (
    *BASICS,
    "semantic.no_solution_leakage",
    "semantic.floor_gap",
    "statistical.declared_chance",
)
_TASKS = {False: 100, True: 8}  # that each attacker plays, by `quick`
_CONFIRMING = 4  # times as many fresh tasks for an attacker that gets more than chance
_SUSPECT, _SURE = 2.0, 4.0  # standard errors above chance
_ANY = 0.0  # learned shortcuts are few: any that is above chance is played again
_LEAST_CHANCE = 0.01
_SOLVED = 0.98  # a policy that gets this share by copying does what is asked
_MAX_EVIDENCE = 3


@dataclass
class Score:
    """The returns of an attacker.

    Attributes:
        attacker: The attacker.
        returns: The return of each episode.
        applied: The number of tasks in which it could act. In the others it was silent.
        best: An episode with the highest return.
    """

    attacker: Attacker
    returns: list[float] = field(default_factory=list)
    applied: int = 0
    best: Episode | None = None

    @property
    def mean(self) -> float:
        """The mean return."""
        return statistics.fmean(self.returns)

    @property
    def measured(self) -> dict[str, Any]:
        """The figures, as JSON."""
        spread = statistics.stdev(self.returns) if len(self.returns) > 1 else 0.0
        return {
            "family": self.attacker.family,
            "mean": self.mean,
            "standard_error": spread / math.sqrt(len(self.returns)),
            "episodes": len(self.returns),
            "highest": max(self.returns),
        }


class Arena:
    """The test tasks that attackers play, and the mean return of chance."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.env = subject.make_split("test")
        self.low, self.high = subject.reward_range
        self._unseen = unseen_tasks(subject, self.env)
        self.tasks = list(itertools.islice(self._unseen, _TASKS[subject.quick]))
        self.oracle = self._mean(oracle(self.env)) if subject.defines("solve") else None
        self.guess = self._mean(guesses(self.env)) if subject.defines("guess") else None
        stated = subject.states_chance
        self.chance = subject.chance if stated else max(subject.chance, self.guess or 0.0)
        self.source = "stated" if stated else "the larger of the card's and that of guesses"
        self._silent: dict[int, Episode] = {}

    @cached_property
    def fresh(self) -> list[int]:
        """Tasks that no attacker has played; with the others, if there are fewer of them."""
        count = _CONFIRMING * len(self.tasks)
        fresh = list(itertools.islice(self._unseen, count))
        return fresh if len(fresh) >= len(self.tasks) else self.tasks + fresh

    def _mean(self, policy: Policy) -> float:
        return statistics.fmean(
            self._episode(policy.for_env(self.env), index).total for index in self.tasks
        )

    def _episode(self, policy: Policy, index: int) -> Episode:
        return play(self.env, policy, **self.subject.reset_to(index))

    def _silence(self, index: int) -> Episode:
        """Return the episode of empty messages, which is played once."""
        if index not in self._silent:
            self._silent[index] = self._episode(say(""), index)
        return self._silent[index]

    def play(self, attacker: Attacker, tasks: Sequence[int]) -> Score:
        """Let an attacker play tasks; it is silent where it is not applicable.

        Raises:
            CheckFailed: The environment raises an error, so that the episode has no reward.
        """
        score = Score(attacker)
        for index in tasks[: attacker.most_tasks]:
            policy = attacker.policy.for_env(self.env)
            try:
                episode = self._episode(policy, index)
                score.applied += not (isinstance(policy, Scripted) and policy.gave_up)
            except NotApplicable:
                episode = self._silence(index)
            except Exception as error:  # an environment may raise anything
                raise CheckFailed(
                    f"{attacker.name!r} makes the environment raise {in_one_line(error)}",
                    evidence=[{"attacker": attacker.name, "task": self.subject.reset_to(index)}],
                ) from error
            score.returns.append(episode.total)
            if score.best is None or episode.total > score.best.total:
                score.best = episode
        return score

    def margin(self, score: Score) -> float:
        """Return by how many standard errors a score is above chance.

        The standard error is the largest that returns with the mean `chance` can have. `chance` is
        raised to at least 1 %, because answers of different tasks may be equal by coincidence. If
        returns have no bounds, the standard error of the sample is used.
        """
        above, width = score.mean - self.chance, self.high - self.low
        if math.isfinite(width):
            share = min(max((self.chance - self.low) / width, _LEAST_CHANCE), 1 - _LEAST_CHANCE)
            variance = share * (1 - share) * width**2
        else:
            variance = statistics.pvariance(score.returns)
        if above <= 1e-9:
            return 0.0
        return above / math.sqrt(variance / len(score.returns)) if variance else math.inf

    def solves(self, score: Score) -> bool:
        """Return whether the tasks ask for copying from a fixed place of the prompt."""
        copies = score.attacker.family == "copies"
        return copies and score.mean >= self.low + _SOLVED * (self.high - self.low)


def _judge(subject: Subject, panel: Iterable[Attacker], suspect: float) -> Outcome:
    """Let attackers play, and fail if one gets more than chance, on fresh tasks too."""
    arena = Arena(subject)
    scores, idle, copying, winners = {}, [], [], []
    for attacker in panel:
        score = arena.play(attacker, arena.tasks)
        if not score.applied:
            idle.append(attacker.name)
            continue
        if arena.margin(score) > suspect:
            score = arena.play(attacker, arena.fresh)
            if arena.solves(score):
                copying.append(attacker.name)
            elif arena.margin(score) > _SURE:
                winners.append(score)
        scores[attacker.name] = score
    best = max(scores.values(), key=lambda score: score.mean, default=None)
    measured = {
        "chance": arena.chance,
        "chance_is": arena.source,
        "oracle": arena.oracle,
        "guess": arena.guess,
        "best": best.attacker.name if best else None,
        "attackers": {name: score.measured for name, score in scores.items()},
        "not_applicable": idle,
        "copying_solves": copying,
    }
    if winners:
        winners.sort(key=lambda score: -score.mean)
        worst = winners[0]
        others = f", and {len(winners) - 1} more get too much" if len(winners) > 1 else ""
        raise CheckFailed(
            f"{worst.attacker.name!r} gets {worst.mean:.3f} of {len(worst.returns)} tasks; chance "
            f"is {arena.chance:.3f}{others}",
            {**measured, "above_chance": [score.attacker.name for score in winners]},
            [
                score.best.as_evidence(policy=score.attacker.name, summary=score.attacker.summary)
                for score in winners[:_MAX_EVIDENCE]
                if score.best
            ],
        )
    if best is None:
        raise Skipped("no attacker is applicable")
    detail = (
        f"the best of {len(scores)} is {best.attacker.name!r}: {best.mean:.3f}; chance is "
        f"{arena.chance:.3f}"
    )
    if copying:
        detail += f"; copying from a fixed place solves the tasks ({copying[0]!r})"
    return Outcome(measured, detail=detail)


def _user_supplied(subject: Subject) -> Iterator[Attacker]:
    for name, attacker in subject.attackers.items():
        if isinstance(attacker, str):
            attacker = say(attacker)
        elif not isinstance(attacker, Policy):
            attacker = Scripted(attacker)
        yield Attacker(name, "A user-supplied attacker.", attacker, "own")


@check_of(
    "statistical.adversarial_floor",
    "Read the evidence: give no reward for what these episodes share, or state the chance.",
    needs=_NEEDS,
    any_env=True,
    fast=False,
)
def adversarial_floor(subject: Subject) -> Outcome:
    """No policy that knows the form of an answer, but not the answer, gets more than chance."""
    known = learn(subject)
    return _judge(subject, itertools.chain(_user_supplied(subject), attackers(known)), _SUSPECT)


@check_of(
    "statistical.learned_shortcuts",
    "Draw the tasks so that the surface of a prompt does not reveal its answer.",
    needs=(*_NEEDS, "statistical.adversarial_floor"),
    any_env=True,
    fast=False,
)
def learned_shortcuts(subject: Subject) -> Outcome:
    """No model fitted to the surface of training prompts gets more than chance on test tasks."""
    if not subject.defines("solve"):
        raise Skipped("the environment defines no oracle (solve) to learn from")
    try:
        panel = list(learned(learn(subject)))
    except ExtraMissingError as error:
        raise Skipped(str(error)) from error
    return _judge(subject, panel, _ANY)
