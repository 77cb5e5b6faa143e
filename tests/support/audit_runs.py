"""Running one check of an audit, and which checks start processes."""

from __future__ import annotations

from typing import Any

from textgym.auditing import CHECKS
from textgym.testing import Result, make_subject, run_check

STARTS_PROCESSES = {
    "runtime.seed_control",
    "runtime.async_vector_spawn",
    "semantic.verifier_portability",
}
"""The ids of the checks that start new interpreters, which take seconds."""


def result_of(env: Any, check_id: str, quick: bool = True) -> Result:
    """The result of a check on a class or an environment."""
    with make_subject(env, 60 if quick else 200, quick=quick) as subject:
        return run_check(subject, CHECKS[check_id])


def changes(env: Any, check_id: str) -> set[str]:
    """The names of the changes of episodes that a check must fail for."""
    result = result_of(env, check_id)
    assert result.status == "fail", result
    return {item["change"] for item in result.measured["episodes"]}
