"""Every registered environment passes every check."""

from __future__ import annotations

from typing import Any

import pytest
from audit_runs import STARTS_PROCESSES

import textgym
from textgym.checks import FAST_CHECKS, make_subject, run_check
from textgym.core.card import CAPABILITIES
from textgym.errors import ExtraMissingError

TWO = {"textgym/MCQA-v0", "textgym/SessionState-v0"}  # without tools, and with them
"""The environments for which checks start processes; audits run these checks for all others."""

SIZES = {
    "statistical.split_overlap": (5, 25),  # it draws ten times as many tasks
    "statistical.evaluation_duplicates": (20, 500),  # cards state how many of 500 differ
}

IN_A_SANDBOX = {"textgym/Program-v0"}
"""The environments that start a sandbox for each episode; their checks play fewer tasks."""


def cases(id: str, name: str) -> list[Any]:
    """Return the cases of a check: with few tasks a level, and with many."""
    if name in STARTS_PROCESSES:
        return [(id, name, 10)] if id in TWO else []
    few, many = SIZES.get(name, (2, 20) if id in IN_A_SANDBOX else (10, 150))
    return [(id, name, few), pytest.param(id, name, many, marks=pytest.mark.slow)]


@pytest.mark.parametrize(
    ("id", "name", "tasks"),
    [case for id in textgym.ids() for name in FAST_CHECKS for case in cases(id, name)],
)
def test_registered_environment_passes(id: str, name: str, tasks: int) -> None:
    try:
        with make_subject(id, tasks) as subject:
            result = run_check(subject, FAST_CHECKS[name])
    except ExtraMissingError as error:
        pytest.skip(str(error))
    if result.status == "skip":
        pytest.skip(result.detail)
    assert result.status == "pass", str(result)


@pytest.mark.parametrize("id", textgym.ids())
def test_capabilities_have_standard_names(id: str) -> None:
    try:
        named = textgym.card(id).capabilities
    except ExtraMissingError as error:
        pytest.skip(str(error))
    assert named
    assert set(named) <= set(CAPABILITIES)
