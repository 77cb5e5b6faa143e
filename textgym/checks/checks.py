"""Checks, their outcomes, and their results.

A check is a function of a subject with a stable id. It returns its figures, fails with an
`AssertionError` (`CheckFailed` adds evidence), and raises `Skipped` if it does not apply. Where
OpenEnv's RFC 008 names the same property, the check has its id.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from types import ModuleType
from typing import Any, Literal

from textgym.checks.subject import Subject
from textgym.errors import UsageError

__all__ = [
    "Check", "CheckFailed", "Outcome", "Result", "Skipped", "check_of", "checks_in",
]  # fmt: skip

WELL_FORMED = "runtime.reward_well_formed"
SEED_CONTROL = "runtime.seed_control"
DETERMINISM = "semantic.verifier_determinism"
BASICS = (WELL_FORMED, SEED_CONTROL, DETERMINISM)
"""The checks that all others depend on."""


class Skipped(Exception):
    """Raised by a check that does not apply; the message says why."""


@dataclass(frozen=True)
class Outcome:
    """The outcome of a check.

    Attributes:
        measured: Figures by name, as JSON.
        evidence: JSON objects that show the outcome, such as whole episodes.
        detail: One line about it, or "".
    """

    measured: Mapping[str, Any] = field(default_factory=dict)
    evidence: Sequence[Mapping[str, Any]] = ()
    detail: str = ""


class CheckFailed(AssertionError):
    """Raised by a check that fails with figures and evidence."""

    def __init__(
        self,
        message: str,
        measured: Mapping[str, Any] | None = None,
        evidence: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        super().__init__(message)
        self.outcome = Outcome(measured or {}, evidence, message)


@dataclass(frozen=True)
class Check:
    """A check.

    Attributes:
        id: Its stable id: a level (static, runtime, semantic, statistical) and a name.
        run: The function, which takes a subject.
        remediation: What to do if it fails, in one sentence.
        needs: The ids of checks that it depends on. It is skipped if one of them failed.
        any_env: Whether it also applies to environments that are not a `TextEnv`.
        severity: `fail`, or `warn` if a failure is reported but does not decide the verdict.
        fast: Whether `textgym check` runs it.
    """

    id: str
    run: Callable[[Subject], Outcome | None]
    remediation: str
    needs: tuple[str, ...]
    any_env: bool
    severity: Literal["fail", "warn"]
    fast: bool

    @property
    def summary(self) -> str:
        """What must hold, in one sentence: the first line of the function's docstring."""
        return (self.run.__doc__ or "").strip().splitlines()[0]


def check_of(
    id: str,
    remediation: str,
    *,
    needs: Iterable[str] = BASICS,
    any_env: bool = False,
    severity: Literal["fail", "warn"] = "fail",
    fast: bool = True,
) -> Callable[[Callable[[Subject], Outcome | None]], Check]:
    """Return a decorator that turns a function into a check; see `Check` for the arguments."""
    return lambda run: Check(id, run, remediation, tuple(needs), any_env, severity, fast)


def checks_in(*modules: ModuleType) -> dict[str, Check]:
    """Return the checks that modules define by id, in the order of their definition.

    Raises:
        UsageError: Two checks have the same id, or a check comes before one that it needs.
    """
    checks: dict[str, Check] = {}
    for module in modules:
        for value in vars(module).values():
            if isinstance(value, Check) and value.run.__module__ == module.__name__:
                missing = {*value.needs} - checks.keys()
                if missing or value.id in checks:
                    raise UsageError(
                        f"{value.id} is listed twice, or before {', '.join(sorted(missing))}"
                    )
                checks[value.id] = value
    return checks


@dataclass(frozen=True)
class Result:
    """The result of one check, with the fields of a result in a report of RFC 008.

    Attributes:
        check_id: The id of the check.
        status: `pass`, `fail`, `skip`, or `error` if something other than an assertion was raised.
        severity: The severity of the check.
        detail: The reason of a failure or a skip in one line; otherwise the outcome's detail.
        measured: Figures by name.
        evidence: JSON objects that show the result, such as whole episodes.
        remediation: What to do, or "" if it passed.
    """

    check_id: str
    status: Literal["pass", "fail", "skip", "error"]
    severity: Literal["fail", "warn"] = "fail"
    detail: str = ""
    measured: Mapping[str, Any] = field(default_factory=dict)
    evidence: Sequence[Mapping[str, Any]] = ()
    remediation: str = ""

    @property
    def failed(self) -> bool:
        """Whether the check failed, or could not be run."""
        return self.status in ("fail", "error")

    @property
    def decides(self) -> bool:
        """Whether the environment fails because of this result."""
        return self.failed and self.severity == "fail"

    @property
    def mark(self) -> str:
        """The result in four characters: `ok`, `skip`, `FAIL`, or `warn` if it does not decide."""
        passed = {"pass": "ok  ", "skip": "skip"}.get(self.status)
        return passed or ("FAIL" if self.decides else "warn")

    def as_dict(self) -> dict[str, Any]:
        """Return the fields by name."""
        return {attribute.name: getattr(self, attribute.name) for attribute in fields(self)}

    def __str__(self) -> str:
        return f"{self.mark} {self.check_id}{': ' if self.detail else ''}{self.detail}"
