"""Running checks on an environment, and their results."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gymnasium as gym

from textgym.env import TextEnv
from textgym.testing.checks import CHECKS, Skipped
from textgym.testing.subject import Subject, make_subject

__all__ = ["Result", "check", "run_check"]


@dataclass(frozen=True)
class Result:
    """The result of one check.

    Attributes:
        name: The name of the check.
        outcome: `passed`, `skipped` or `failed`.
        detail: Why it was skipped or failed.
    """

    name: str
    outcome: str
    detail: str = ""

    def __str__(self) -> str:
        mark = {"passed": "ok  ", "skipped": "skip", "failed": "FAIL"}[self.outcome]
        return f"{mark} {self.name}{': ' if self.detail else ''}{self.detail}"


def check(
    env: str | type[TextEnv[Any]] | gym.Env[Any, Any],
    tasks: int = 200,
    show: Callable[[str], None] = print,
) -> bool:
    """Run all checks on an environment and print one line per check.

    Args:
        env: An environment, a `TextEnv` class or a registered id.
        tasks: How many tasks per level are played by the checks that play many.
        show: Called with each line.

    Returns:
        True if no check failed.
    """
    passed = True
    with make_subject(env, tasks) as subject:
        for name in CHECKS:
            result = run_check(subject, name)
            show(str(result))
            passed = passed and result.outcome != "failed"
    return passed


def run_check(subject: Subject, name: str) -> Result:
    """Run one check."""
    try:
        try:
            CHECKS[name](subject)
        finally:
            subject.close()
    except Skipped as reason:
        return Result(name, "skipped", str(reason))
    except Exception as error:  # an environment may raise anything
        first = str(error).strip().splitlines()[0] if str(error).strip() else ""
        detail = first if isinstance(error, AssertionError) else f"{type(error).__name__}: {first}"
        return Result(name, "failed", detail)
    return Result(name, "passed")
