"""Fixtures of the tests of the command."""

from __future__ import annotations

import pytest

from textgym.checks import FAST_CHECKS, runner


@pytest.fixture
def without_spawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out the check that starts Python anew, which takes longer than all others."""
    checks = {id: check for id, check in FAST_CHECKS.items() if id != "runtime.async_vector_spawn"}
    monkeypatch.setattr(runner, "FAST_CHECKS", checks)
