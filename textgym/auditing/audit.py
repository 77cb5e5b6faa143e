"""Running an audit: all checks on one environment, in a fixed order, each reported when it ends."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import gymnasium as gym

from textgym import testing
from textgym.auditing import (
    adversarial_checks,
    isolation_checks,
    skill_checks,
    split_checks,
    tool_declaration_checks,
)
from textgym.auditing.replays import determinism_checks, record_checks
from textgym.auditing.report import Report
from textgym.auditing.soundness import verifier_checks
from textgym.errors import UsageError
from textgym.testing import Check, Result, make_subject, run_checks
from textgym.testing.checks import checks_in, in_one_list

__all__ = ["CHECKS", "TASKS", "audit"]

CHECKS: Mapping[str, Check] = in_one_list(
    [
        *testing.CHECKS.values(),
        *checks_in(
            determinism_checks,
            record_checks,
            isolation_checks,
            tool_declaration_checks,
            split_checks,
            verifier_checks,
            skill_checks,
            adversarial_checks,
        ),
    ]
)
"""All checks by id: those of `textgym check`, then the slower ones."""

TASKS = {False: 200, True: 15}
"""How many tasks per level are played by the checks that play many, by `quick`."""


def audit(
    env: str | type[gym.Env[Any, Any]] | gym.Env[Any, Any],
    *,
    quick: bool = False,
    tasks: int | None = None,
    chance: float | None = None,
    attackers: Mapping[str, Any] | None = None,
    on_start: Callable[[Check], None] = lambda check: None,
    on_result: Callable[[Result], None] = lambda result: None,
) -> Report:
    """Audit an environment.

    Args:
        env: A registered id, `module:ID` or `module:Class`, a class, or an environment, which is
            made again with the same arguments. It is a `TextEnv`, or another environment with
            textgym's spaces; checks that need more than those are then skipped.
        quick: Whether fewer tasks are played, so that the audit takes seconds. It finds gross
            defects alone.
        tasks: How many tasks per level are played by the checks that play many; 200 by default, 20
            if `quick`.
        chance: What the best policy that ignores the task may get on average; by default the
            card's.
        attackers: Policies to try beside those of the audit, by name; see
            `textgym.auditing.attackers`.
        on_start: Called with each check before it is run.
        on_result: Called with each result.

    Returns:
        The report.

    Raises:
        UsageError: The environment is not a text environment, or cannot be made again; `tasks` is
            below 1; or `chance` is no return that is below the maximum.

    Example:
        >>> report = audit("textgym/MCQA-v0", quick=True, tasks=5)
        >>> report.verdict, report["semantic.oracle_max"].status
        ('pass', 'pass')
    """
    from textgym import __version__

    count = TASKS[quick] if tasks is None else tasks
    results = []
    with make_subject(
        env, count, stated_chance=chance, attackers=attackers or {}, quick=quick
    ) as subject:
        _check_chance(chance, *subject.reward_range)
        for result in run_checks(subject, CHECKS, on_start):
            results.append(result)
            on_result(result)
        card = subject.card
        return Report(
            target=subject.name,
            kwargs=subject.kwargs,
            card=card.as_dict() if card else {},
            settings={
                "quick": quick,
                "tasks": count,
                "chance": subject.chance,
                "wrappers": list(subject.wrappers),
                "attackers": list(subject.attackers),
            },
            results=results,
            textgym_version=__version__,
        )


def _check_chance(chance: float | None, low: float, high: float) -> None:
    if chance is not None and not low <= chance < high:
        raise UsageError(f"chance must be a return from {low:g} to below {high:g}, not {chance}")
