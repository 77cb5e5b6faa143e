"""The page of recorded answers: it is current, and every difference was read."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any

import pytest
from repository import DOCS


@pytest.fixture(scope="module")
def script() -> dict[str, Any]:
    return runpy.run_path(str(DOCS / "make_verdicts.py"))


@pytest.mark.slow
def test_page_is_what_the_recorded_answers_give(script: dict[str, Any], shared: Path) -> None:
    page = script["page"](shared / "data" / "recorded")
    assert page == (DOCS / "verdicts.md").read_text("utf-8"), "run make verdicts"
    assert "| ours |" not in page


def test_every_reading_is_of_a_known_kind() -> None:
    readings = json.loads((DOCS / "verdict_differences.json").read_text("utf-8"))
    assert {kind for kind, _ in readings.values()} <= {"theirs", "contract"}
    assert all(reason.endswith(".") for _, reason in readings.values())
