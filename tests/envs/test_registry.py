"""Every registered environment passes every check; later ones are covered by themselves."""

from __future__ import annotations

import pytest

import textgym
from textgym.errors import ExtraMissingError
from textgym.testing import CHECKS, check_subject, subject_of

TASKS_A_LEVEL = 1000


@pytest.mark.parametrize("name", CHECKS)
@pytest.mark.parametrize("id", textgym.ids())
def test_registered_environment(id: str, name: str) -> None:
    try:
        with subject_of(id, TASKS_A_LEVEL) as subject:
            result = check_subject(subject, name)
    except ExtraMissingError as error:
        pytest.skip(str(error))
    if result.outcome == "skipped":
        pytest.skip(result.detail)
    assert result.outcome == "passed", result.detail
