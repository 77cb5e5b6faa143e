"""Checks that several processes run: the same results as of one, in the same order."""

from __future__ import annotations

import os
import signal
import sys
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from sound_envs import Sum

import textgym
from textgym.checks import CHECKS, FAST_CHECKS, Check, audit, check
from textgym.checks.checks import Outcome
from textgym.errors import UsageError, WorkerFailure

RUNNER = sys.modules["textgym.checks.runner"]
SOME = {
    "static.manifest",
    "runtime.reward_well_formed",
    "runtime.seed_control",
    "semantic.verifier_determinism",
    "semantic.floor_gap",
    "semantic.no_solution_leakage",
    "statistical.declared_chance",
    "semantic.oracle_max",
    "statistical.learnability",
    "statistical.adversarial_floor",
}
HERE = os.getpid()


class Generous(Sum):
    """A sum that pays more than its range, so that most checks are not run."""

    card = replace(Sum.card, id="tests/GenerousSum-v0")

    def grade(self) -> textgym.Grade:
        return textgym.Grade(7.0, True, {}, self.answer())


class Fatal(Sum):
    """A sum that kills the process in one of the checks."""

    card = replace(Sum.card, id="tests/FatalSum-v0")

    def __init__(self, *, spared: int = 0, **kwargs: Any) -> None:
        self.spared = spared
        super().__init__(**kwargs)

    def grade(self) -> textgym.Grade:
        if os.getpid() != self.spared:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().grade()


@pytest.fixture
def some(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let audits run some of the checks."""
    for name, checks in (("CHECKS", CHECKS), ("FAST_CHECKS", FAST_CHECKS)):
        chosen = {id: check for id, check in checks.items() if id in SOME}
        monkeypatch.setattr(RUNNER, name, chosen)


def echo(view: Any) -> str:
    return str(view.messages[-1]["content"])


def audited(env: Any, workers: int, **options: Any) -> tuple[str, list[str]]:
    """Return a report as JSON, and the checks in the order in which they were reported."""
    told: list[str] = []
    report = audit(
        env,
        quick=True,
        tasks=5,
        workers=workers,
        on_start=lambda check: told.append(check.id),
        on_result=lambda result: told.append(str(result)),
        **options,
    )
    return report.to_json(), told


@pytest.mark.usefixtures("some")
@pytest.mark.parametrize(
    ("env", "options"),
    [
        (Sum, {}),
        (Sum(split="test", max_turns=1), {"attackers": {"echo": echo, "seven": "7"}}),
        pytest.param("textgym/MCQA-v0", {"chance": 0.5}, marks=pytest.mark.slow),
        (Generous, {}),
    ],
)
def test_an_audit_is_the_same_with_workers(env: Any, options: dict[str, Any]) -> None:
    one, two = (audited(env, workers, **options) for workers in (1, 2))
    assert one == two
    assert len(one[1]) == 2 * len(SOME)


@pytest.mark.usefixtures("some")
@pytest.mark.parametrize("env", [Sum, Generous])
def test_a_check_prints_the_same_lines_with_workers(env: Any) -> None:
    shown: list[list[str]] = [[], []]
    passed = [
        check(env, tasks=5, show=lines.append, workers=workers)
        for workers, lines in zip((1, 2), shown, strict=True)
    ]
    assert shown[0] == shown[1]
    assert passed == [env is Sum] * 2


def test_workers_run_the_checks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RUNNER, "CHECKS", {id: CHECKS[id] for id in SOME})
    with pytest.raises(WorkerFailure, match=r"^a worker of checks died, the last by SIGKILL$"):
        audit(partial(Fatal, spared=HERE)(), quick=True, tasks=2, workers=2)


def test_what_only_this_process_knows_runs_here(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(subject: Any) -> Outcome:
        return Outcome({"process": os.getpid()})

    own = Check("semantic.own", run, "", (), True, "fail", False)
    monkeypatch.setattr(RUNNER, "CHECKS", {own.id: own})
    assert audit(Sum, quick=True, workers=2)["semantic.own"].measured == {"process": HERE}


@pytest.mark.parametrize(
    ("workers", "options", "problem"),
    [
        (0, {}, r"^workers must be 1 or more, not 0$"),
        (2, {"attackers": {"mine": lambda view: ""}}, r"^workers need what other processes can"),
    ],
)
def test_a_mistake_is_one_line(workers: int, options: dict[str, Any], problem: str) -> None:
    with pytest.raises(UsageError, match=problem) as caught:
        audit(Sum, quick=True, workers=workers, **options)
    assert "\n" not in str(caught.value)


def test_a_local_class_needs_one_process() -> None:
    class Local(Sum):
        """A sum that no other process can import."""

    with pytest.raises(UsageError, match=r"^workers need what other processes can import: "):
        check(Local, workers=2, show=lambda line: None)
