"""What a check is, what it finds, and how it fails.

A check is a function of a subject with a stable id. It returns what it measured, fails with an
`AssertionError` that says what is wrong (`CheckFailed` adds evidence), and raises `Skipped` if it
does not apply. The ids are those of OpenEnv's RFC 008 where it names the same property.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from types import ModuleType
from typing import Any, Literal

from textgym.checks.subject import Subject
from textgym.errors import UsageError

__all__ = [
    "Check",
    "CheckFailed",
    "Outcome",
    "Result",
    "Skipped",
    "check_of",
    "checks_in",
    "in_one_list",
]

WELL_FORMED = "runtime.reward_well_formed"
SEED_CONTROL = "runtime.seed_control"
DETERMINISM = "semantic.verifier_determinism"
BASICS = (WELL_FORMED, SEED_CONTROL, DETERMINISM)
"""The checks without which the others mean nothing."""


class Skipped(Exception):
    """Raised by a check that does not apply; the message says why."""


@dataclass(frozen=True)
class Outcome:
    """What a check found.

    Attributes:
        measured: Figures by name, as JSON.
        evidence: What shows it, as JSON objects, such as whole episodes.
        detail: One line about it; "" for nothing to say.
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
        remediation: What to do where it fails, in one sentence.
        needs: The ids of checks without which its result means nothing. It is skipped where one
            of them failed.
        any_env: Whether it also applies to environments that are not a `TextEnv`.
        severity: `fail`; or `warn` where a failure is reported but does not decide the verdict.
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
    """Return a decorator that makes a check of a function; see `Check` for the arguments."""
    return lambda run: Check(id, run, remediation, tuple(needs), any_env, severity, fast)


def checks_in(*modules: ModuleType) -> tuple[Check, ...]:
    """Return the checks that modules define, in the order of their definition."""
    return tuple(
        item
        for module in modules
        for item in vars(module).values()
        if isinstance(item, Check) and item.run.__module__ == module.__name__
    )


def in_one_list(checks: Iterable[Check]) -> dict[str, Check]:
    """Return checks by id.

    Raises:
        UsageError: Two checks have the same id, or a check comes before one that it needs.
    """
    found: dict[str, Check] = {}
    for check in checks:
        missing = [id for id in check.needs if id not in found]
        if missing or check.id in found:
            raise UsageError(f"{check.id} is listed twice, or before {', '.join(missing)}")
        found[check.id] = check
    return found


@dataclass(frozen=True)
class Result:
    """The result of one check, with the fields of a result in a report of RFC 008.

    Attributes:
        check_id: The id of the check.
        status: `pass`, `fail`, `skip`, or `error` where something other than an assertion was
            raised.
        severity: The severity of the check.
        detail: Why it was skipped or failed, in one line; else "" or what it found.
        measured: Figures by name.
        evidence: What shows it, such as whole episodes.
        remediation: What to do; "" where it passed.
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
        return {item.name: getattr(self, item.name) for item in fields(self)}

    def __str__(self) -> str:
        return f"{self.mark} {self.check_id}{': ' if self.detail else ''}{self.detail}"
