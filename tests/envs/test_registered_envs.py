"""Every registered environment passes every check."""

from __future__ import annotations

import pytest

import textgym
from textgym.cards import CAPABILITIES
from textgym.errors import ExtraMissingError
from textgym.testing import CHECKS, make_subject, run_check

TASKS_PER_LEVEL = 1000


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.statistical] * name.startswith("statistical."))
        for name in CHECKS
    ],
)
@pytest.mark.parametrize("id", textgym.ids())
def test_registered_environment_passes(id: str, name: str) -> None:
    try:
        with make_subject(id, TASKS_PER_LEVEL) as subject:
            result = run_check(subject, CHECKS[name])
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
