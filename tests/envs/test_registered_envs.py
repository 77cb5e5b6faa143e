"""Every registered environment passes every check."""

from __future__ import annotations

import pytest
from audit_runs import STARTS_PROCESSES

import textgym
from textgym.checks import FAST_CHECKS, make_subject, run_check
from textgym.core.card import CAPABILITIES
from textgym.errors import ExtraMissingError

TWO = {"textgym/MCQA-v0", "textgym/SessionState-v0"}  # without tools, and with them
"""The environments for which checks start processes; audits run these checks for all others."""

SPAWNED = "runtime.async_vector_spawn"  # seconds, and the same for all: with tools is enough

SIZES = {
    "statistical.split_overlap": 3,  # it draws ten times as many tasks
    "runtime.tool_arguments": 1,  # it calls each tool dozens of times
}

IN_A_SANDBOX = {"textgym/Program-v0"}
"""The environments that start a sandbox for each episode; their checks play fewer tasks."""

SLOW = {
    ("textgym/Program-v0", "semantic.verifier_determinism"),  # it grades hundreds of texts
    ("textgym/Constraints-v0", "runtime.reward_well_formed"),  # it grades long texts
}


def tasks_of(id: str, name: str) -> int:
    """Return how many tasks a level a check plays. Audits play all checks with many more."""
    return SIZES.get(name, 1 if id in IN_A_SANDBOX else 10)


@pytest.mark.parametrize(
    ("id", "name"),
    [
        pytest.param(id, name, marks=[pytest.mark.slow] * ((id, name) in SLOW))
        for id in textgym.ids(guests=False)
        for name in FAST_CHECKS
        if name not in STARTS_PROCESSES or id in TWO
        if (id, name) != ("textgym/MCQA-v0", SPAWNED)
    ],
)
def test_registered_environment_passes(id: str, name: str) -> None:
    try:
        with make_subject(id, tasks_of(id, name)) as subject:
            result = run_check(subject, FAST_CHECKS[name])
    except ExtraMissingError as error:
        pytest.skip(str(error))
    if result.status == "skip":
        pytest.skip(result.detail)
    assert result.status == "pass", str(result)


@pytest.mark.parametrize("id", textgym.ids(guests=False))
def test_capabilities_have_standard_names(id: str) -> None:
    try:
        named = textgym.card(id).capabilities
    except ExtraMissingError as error:
        pytest.skip(str(error))
    assert named
    assert set(named) <= set(CAPABILITIES)
