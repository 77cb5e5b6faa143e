"""The list of checks, and running them: the fast ones as a check, all of them as an audit.

Invariant: results and their order do not depend on the number of workers. All checks then begin at
once; the result of one that needs another, which failed, is not used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import gymnasium as gym

from textgym._version import __version__
from textgym.checks import (
    adversarial_checks,
    contract_checks,
    gymnasium_checks,
    isolation_checks,
    replay_checks,
    reward_checks,
    skill_checks,
    split_checks,
    task_checks,
    tool_checks,
)
from textgym.checks.checks import BASICS, Check, CheckFailed, Outcome, Result, Skipped, checks_in
from textgym.checks.report import Report
from textgym.checks.soundness import verifier_checks
from textgym.checks.subject import Subject, make_subject
from textgym.concurrency.worker_calls import WorkerCalls
from textgym.errors import UsageError, in_one_line

__all__ = [
    "CHECKS", "FAST_CHECKS", "TASKS", "audit", "check", "check_runner", "run_check", "run_checks",
]  # fmt: skip

Run = Callable[[Subject, Check], Result]

CHECKS: Mapping[str, Check] = checks_in(
    contract_checks,
    task_checks,
    reward_checks,
    gymnasium_checks,
    tool_checks,
    replay_checks,
    isolation_checks,
    split_checks,
    verifier_checks,
    skill_checks,
    adversarial_checks,
)
"""All checks by id, in the order in which an audit runs them."""

FAST_CHECKS: Mapping[str, Check] = {id: check for id, check in CHECKS.items() if check.fast}
"""The checks of `textgym check`, by id."""

TASKS = {False: 200, True: 15}
"""The number of tasks per level for the checks that play many tasks, by `quick`."""


def check(
    env: str | type[gym.Env[Any, Any]] | gym.Env[Any, Any],
    tasks: int = 200,
    show: Callable[[str], None] = print,
    workers: int = 1,
) -> bool:
    """Run the fast checks on an environment, and print one line per check.

    A second line says what to do about a check that failed.

    Args:
        env: An environment, its class or a registered id. It is a `TextEnv`, or another
            environment with textgym's spaces.
        tasks: The number of tasks per level for the checks that play many tasks.
        show: Called with each line.
        workers: The number of processes that run checks. If there are several, other processes must
            be able to import the environment, and its arguments must be picklable.

    Returns:
        True if no check failed.

    Raises:
        UsageError: As `audit`.
        WorkerFailure: A worker died twice, and the check was not the reason.
    """
    passed = True
    with make_subject(env, tasks) as subject, check_runner(subject, FAST_CHECKS, workers) as run:
        for result in run_checks(subject, FAST_CHECKS, run=run):
            show(str(result))
            if result.failed:
                show(f"     → {result.remediation}")
            passed = passed and not result.decides
    return passed


def audit(
    env: str | type[gym.Env[Any, Any]] | gym.Env[Any, Any],
    *,
    quick: bool = False,
    tasks: int | None = None,
    chance: float | None = None,
    attackers: Mapping[str, Any] | None = None,
    workers: int = 1,
    on_start: Callable[[Check], None] = lambda check: None,
    on_result: Callable[[Result], None] = lambda result: None,
) -> Report:
    """Audit an environment.

    Args:
        env: A registered id, `module:ID` or `module:Class`, a class, or an environment, which is
            made again with the same arguments. It is a `TextEnv`, or another environment with
            textgym's spaces; checks that need a `TextEnv` are then skipped.
        quick: Whether fewer tasks are played, so that the audit takes seconds. It then finds only
            gross defects.
        tasks: The number of tasks per level for the checks that play many tasks; 200 by default, 15
            if `quick`.
        chance: What the best policy that ignores the task may get on average; by default the
            card's.
        attackers: Policies to try beside the audit's own, by name. Each is a `Policy`, a text, or
            a function of `textgym.checks.episodes.Scripted` that returns the next message or text.
        workers: The number of processes that run checks. If there are several, other processes must
            be able to import the environment and the attackers, and its arguments must be
            picklable.
        on_start: Called with each check before it is run; with several workers, before its result
            is awaited.
        on_result: Called with each result.

    Returns:
        The report.

    Raises:
        UsageError: The environment is not a text environment, has neither a generator nor rows, or
            cannot be made again, or not by workers; `tasks` or `workers` is below 1; or `chance` is
            not a return below the maximum.
        WorkerFailure: A worker died twice, and the check was not the reason.

    Example:
        >>> report = audit("textgym/MCQA-v0", quick=True, tasks=2)
        >>> report.verdict, report["semantic.oracle_max"].status
        ('pass', 'pass')
    """
    count = TASKS[quick] if tasks is None else tasks
    results = []
    with make_subject(
        env, count, stated_chance=chance, attackers=attackers or {}, quick=quick
    ) as subject:
        low, high = subject.reward_range
        if chance is not None and not low <= chance < high:
            raise UsageError(
                f"chance must be at least {low:g} and less than {high:g}, not {chance}"
            )
        with check_runner(subject, CHECKS, workers) as run:
            for result in run_checks(subject, CHECKS, on_start, run):
                results.append(result)
                on_result(result)
        return Report(
            target=subject.name,
            kwargs=subject.kwargs,
            card=subject.card.as_dict() if subject.card else {},
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


def run_checks(
    subject: Subject,
    checks: Mapping[str, Check],
    on_start: Callable[[Check], None] = lambda check: None,
    run: Run | None = None,
) -> Iterator[Result]:
    """Run checks in their order, and yield their results.

    A check that needs another one is skipped if that one failed.

    Args:
        subject: The environment.
        checks: The checks by id. A check comes after those that it needs.
        on_start: Called before each check.
        run: Returns the result of a check; `run_check` by default.
    """
    run = run or run_check
    failed: set[str] = set()
    for check in checks.values():
        on_start(check)
        broken = [id for id in check.needs if id in failed]
        if broken:
            yield Result(check.id, "skip", check.severity, f"it needs {broken[0]}, which failed")
            continue
        result = run(subject, check)
        if result.failed:
            failed.add(check.id)
        yield result


@contextmanager
def check_runner(subject: Subject, checks: Mapping[str, Check], workers: int) -> Iterator[Run]:
    """Yield the function that runs a check, or takes its result from a worker.

    Args:
        subject: The environment.
        checks: All checks to run, by id.
        workers: The number of processes; 1 for this one.

    Raises:
        UsageError: `workers` is below 1, or workers cannot make the environment.
    """
    if workers < 1:
        raise UsageError(f"workers must be 1 or more, not {workers}")
    if workers == 1:
        yield run_check
        return
    start = partial(_checks_of, replace(subject, made=[]))
    with WorkerCalls(start, workers, name="checks") as calls:
        # The last of the slow checks take longest. They begin early, so that all workers end at
        # about the same time.
        slow = [id for id, check in checks.items() if not check.fast]
        order = [id for id in dict.fromkeys((*BASICS, *reversed(slow), *checks)) if id in checks]
        begun = {id: calls.begin(id) for id in order}
        yield lambda subject, check: begun[check.id].result()


@contextmanager
def _checks_of(subject: Subject) -> Iterator[Callable[[str], Result]]:
    """Yield the function that a worker calls: it runs the check with an id."""
    gym.registry.setdefault(subject.spec.id, subject.spec)
    yield lambda id: run_check(subject, CHECKS[id])


def run_check(subject: Subject, check: Check) -> Result:
    """Run one check."""
    try:
        try:
            if not check.any_env and not subject.is_text_env:
                raise Skipped("the environment is not a TextEnv")
            outcome = check.run(subject) or Outcome()
        finally:
            subject.close()
    except Skipped as reason:
        return Result(check.id, "skip", check.severity, str(reason))
    except CheckFailed as error:
        return _failed(check, error.outcome)
    except AssertionError as error:
        text = str(error).strip()
        return _failed(check, Outcome(detail=text.splitlines()[0] if text else "no reason given"))
    except Exception as error:  # an environment may raise anything
        return Result(
            check.id, "error", check.severity, in_one_line(error), remediation=check.remediation
        )
    return Result(
        check.id, "pass", check.severity, outcome.detail, outcome.measured, outcome.evidence
    )


def _failed(check: Check, outcome: Outcome) -> Result:
    return Result(
        check.id,
        "fail",
        check.severity,
        outcome.detail,
        outcome.measured,
        outcome.evidence,
        check.remediation,
    )
