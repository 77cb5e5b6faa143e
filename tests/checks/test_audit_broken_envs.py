"""Each broken environment is failed by the checks that its defect concerns, and by no other."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from audit_runs import STARTS_PROCESSES, results_in_process
from broken_envs import BROKEN, HiddenCounter, NoSummary, SubstringGrader
from sound_envs import SOUND, Sum

from textgym import TextEnv
from textgym.checks import Result, audit

TASKS = 100
COSTLY = {*STARTS_PROCESSES, "statistical.learned_shortcuts"}


def failures(results: Iterable[Result]) -> set[str]:
    """The ids of the checks that fail, each with a remedy."""
    failed = [result for result in results if result.decides]
    assert all(result.remediation for result in failed)
    return {result.check_id for result in failed}


def failures_of(cls: type[TextEnv[Any]], listed: set[str]) -> set[str]:
    """The failures of an audit without the costly checks, but with those that are listed."""
    return failures(results_in_process(cls, TASKS, left_out=COSTLY - listed).values())


@pytest.mark.parametrize("cls", SOUND)
def test_a_sound_environment_passes(cls: type[TextEnv[Any]]) -> None:
    assert failures_of(cls, set()) == set()


@pytest.mark.parametrize("cls", BROKEN)
def test_a_defect_is_found_by_its_checks_alone(cls: type[TextEnv[Any]]) -> None:
    assert failures_of(cls, BROKEN[cls]) == BROKEN[cls]


@pytest.mark.slow
@pytest.mark.parametrize("cls", [*SOUND, SubstringGrader, HiddenCounter, NoSummary])
def test_a_whole_audit_finds_the_same(cls: type[TextEnv[Any]]) -> None:
    found = failures(audit(cls, quick=True, tasks=TASKS).results)
    assert found == BROKEN.get(cls, set())


def test_every_broken_environment_has_a_sound_twin() -> None:
    assert all(issubclass(cls, SOUND) for cls in BROKEN)


def test_a_class_within_a_function_can_be_audited() -> None:
    class Inner(Sum):
        """Add two numbers, too."""

    results = {result.check_id: result for result in audit(Inner, quick=True).results}
    assert [str(result) for result in results.values() if result.failed] == []
    assert results["runtime.pickling"].detail.startswith("other processes cannot import the class")
