"""Checks that wrong changes of the oracle's episodes lose, and others win."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from textgym.checks.checks import BASICS, CheckFailed, Outcome, Skipped, check_of
from textgym.checks.episodes import Episode
from textgym.checks.soundness.mutations import (
    HIDDEN,
    REPLACEMENTS,
    Mutant,
    call_mutants,
    text_mutants,
)
from textgym.checks.soundness.variants import FORMS, Solved, solved_tasks, variants
from textgym.checks.subject import Subject
from textgym.json_values import canonical_json
from textgym.messages import text_of

__all__ = ["canary_floor", "oracle_variants"]

_NEEDS = (*BASICS, "runtime.episode_isolation", "semantic.oracle_max")
_MAX_EVIDENCE = 3
_SURE = 5.0  # standard errors above chance


@dataclass
class _Tally:
    """Counts of changed episodes.

    Attributes:
        tried: The number of episodes that were played, by the name of the change.
        unexpected: The number of them with the wrong outcome, by the name of the change.
        listed: The task and change of each listed episode.
        evidence: The first listed episodes, whole.
    """

    tried: Counter[str] = field(default_factory=Counter)
    unexpected: Counter[str] = field(default_factory=Counter)
    listed: list[dict[str, Any]] = field(default_factory=list)
    evidence: list[dict[str, Any]] = field(default_factory=list)

    def add(self, task: Solved, name: str, episode: Episode) -> None:
        """List an episode with the wrong outcome."""
        self.listed.append({"task_id": task.episode.task_id, "level": task.level, "change": name})
        if len(self.evidence) < _MAX_EVIDENCE:
            self.evidence.append(
                episode.as_evidence(
                    change=name,
                    level=task.level,
                    oracle=[dict(action) for action in task.actions],
                )
            )

    def measured(self, what: str) -> dict[str, Any]:
        """Return the figures, as JSON."""
        return {
            "changes": {
                name: {"tried": count, what: self.unexpected[name]}
                for name, count in self.tried.items()
            },
            "episodes": self.listed,
        }


@check_of(
    "semantic.canary_floor",
    "Read the evidence: grade the whole answer, the last one, and all that was changed; or say on "
    "the card that a task has `several_answers` or `free_wording`, or which calls are "
    "`unchecked_calls`.",
    needs=_NEEDS,
    any_env=True,
    fast=False,
)
def canary_floor(subject: Subject) -> Outcome:
    """The oracle's episodes lose when their answer, a call or an argument is made wrong.

    Only what matters is changed: a text without which the episode loses, and calls whose loss
    changes the final state. Changed calls that lead to the oracle's final state are not mistakes.
    If tasks have several right answers, the answers of other tasks must win no more often than
    chance allows, and other changes that win are only listed.
    """
    tally, equivalent = _Tally(), 0
    several = bool(subject.card and subject.card.several_answers)
    for task, mutants in _mutated(subject):
        for mutant in mutants:
            episode, state = task.play(mutant.actions)
            won = task.wins(episode)
            if won and _is_equivalent(task, mutant, state, subject.is_text_env):
                equivalent += 1
                continue
            tally.tried[mutant.name] += 1
            tally.unexpected[mutant.name] += won
            if won:
                tally.add(task, mutant.name, episode)
    if not tally.tried:
        raise Skipped("the oracle's episodes have neither a text nor a call that matters")
    measured = {**tally.measured("won"), "equivalent": equivalent}
    if several and _are_other_answers(subject, tally):
        return Outcome(measured, detail=f"{len(tally.listed)} changed answers are right, too")
    if tally.listed:
        first = tally.listed[0]
        raise CheckFailed(
            f"{len(tally.listed)} of {tally.tried.total()} wrong episodes win; the first is "
            f"{first['task_id']} with {first['change']}",
            measured,
            tally.evidence,
        )
    return Outcome(measured)


def _mutated(subject: Subject) -> Iterator[tuple[Solved, list[Mutant]]]:
    """Yield the tasks with their mutants, which differ from each other and from the oracle's."""
    unchecked = subject.card.unchecked_calls if subject.card else ()
    free = subject.card is not None and subject.card.free_wording
    for task, others in _with_others(subject):
        seen = {canonical_json(task.actions)}
        kept = []
        mutants = list(text_mutants(task, others, subject.is_text_env, free))
        if subject.is_text_env:
            mutants += call_mutants(task, others, unchecked)
        for mutant in mutants:
            key = canonical_json(mutant.actions)
            if key not in seen:
                seen.add(key)
                kept.append(mutant)
        yield task, kept


def _with_others(subject: Subject) -> Iterator[tuple[Solved, list[Solved]]]:
    if not subject.defines("solve"):
        raise Skipped("the environment defines no oracle (solve)")
    for tasks in solved_tasks(subject):
        for place, task in enumerate(tasks):
            yield task, tasks[place + 1 :] + tasks[:place]


def _is_equivalent(task: Solved, mutant: Mutant, state: str, has_state: bool) -> bool:
    """Return whether changed calls did the same as the oracle's.

    They did if they led to the same state. The exception is a call that is required for itself: the
    episode loses without it although the state is the same.
    """
    if not has_state or mutant.is_text or state != task.state:
        return False
    if mutant.without is None:
        return True
    episode, without = task.play(mutant.without)
    return task.wins(episode) or without != task.state


def _are_other_answers(subject: Subject, tally: _Tally) -> bool:
    """Return whether the changed answers that win may be other right answers of the tasks.

    Then the answers of other tasks win no more often than chance allows, and hidden ones never.
    """
    low, high = subject.reward_range
    chance = (subject.chance - low) / (high - low)
    for name in REPLACEMENTS:
        tried = tally.tried[name]
        error = math.sqrt(chance * (1 - chance) / tried) if tried else 0.0
        if tally.unexpected[name] > tried * (chance + _SURE * error):
            return False
    return not any(tally.unexpected[name] for name in HIDDEN)


@check_of(
    "semantic.oracle_variants",
    "Read the evidence: strip white space and reasoning, and read arguments as JSON; accept the "
    "forms that the card claims (`accepts`), or claim fewer.",
    needs=_NEEDS,
    any_env=True,
    fast=False,
)
def oracle_variants(subject: Subject) -> Outcome:
    """The oracle's episodes win in any form that the verifier must accept, or claims to accept.

    Forms that the card does not claim are only measured.
    """
    claims = subject.card.accepts if subject.card else ()
    unknown = set(claims) - FORMS.keys()
    assert not unknown, f"the card claims {sorted(unknown)}; known forms are {', '.join(FORMS)}"
    tally = _Tally()
    for task, others in _with_others(subject):
        wrong = next(
            (
                text_of(other.actions[other.text_turns[-1]])
                for other in others
                if other.text_turns and task.answers_otherwise(other)
            ),
            "nothing",
        )
        for variant in variants(task, wrong, claims, subject.is_text_env):
            episode, _ = task.play(variant.actions)
            tally.tried[variant.name] += 1
            if not task.wins(episode):
                tally.unexpected[variant.name] += 1
                if variant.claimed:
                    tally.add(task, variant.name, episode)
    measured = {**tally.measured("lost"), "claimed": list(claims)}
    if tally.listed:
        first = tally.listed[0]
        raise CheckFailed(
            f"{len(tally.listed)} right episodes lose; the first is {first['task_id']} with "
            f"{first['change']}",
            measured,
            tally.evidence,
        )
    accepted = [name for name in FORMS if tally.tried[name] and not tally.unexpected[name]]
    return Outcome(measured, detail=f"accepted are {', '.join(accepted)}" if accepted else "")
