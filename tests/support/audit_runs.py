"""Running one check of an audit, and which checks start processes."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from textgym.checks import CHECKS, FAST_CHECKS, Result, make_subject, run_check, run_checks

STARTS_PROCESSES = {
    "runtime.seed_control",
    "runtime.async_vector_fork",
    "runtime.async_vector_spawn",
    "runtime.episode_determinism",
    "semantic.verifier_portability",
}
"""The ids of the checks that start other processes, which take up to seconds."""
IN_PROCESS = {id: c for id, c in FAST_CHECKS.items() if id not in STARTS_PROCESSES}
"""The other checks of `textgym check`."""


def results_in_process(
    env: Any, tasks: int = 100, quick: bool = True, left_out: Collection[str] = STARTS_PROCESSES
) -> dict[str, Result]:
    """The results of an audit by id, without the checks that start processes or are left out."""
    checks = {id: CHECKS[id] for id in CHECKS if id not in left_out}
    with make_subject(env, tasks, quick=quick) as subject:
        return {result.check_id: result for result in run_checks(subject, checks)}


def result_of(env: Any, check_id: str, quick: bool = True) -> Result:
    """The result of a check on a class or an environment."""
    with make_subject(env, 60 if quick else 200, quick=quick) as subject:
        return run_check(subject, CHECKS[check_id])


def changes(env: Any, check_id: str) -> set[str]:
    """The names of the changes of episodes that a check must fail for."""
    result = result_of(env, check_id)
    assert result.status == "fail", result
    return {item["change"] for item in result.measured["episodes"]}
