"""Folders of this repository."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TESTS, DOCS, EXAMPLES = ROOT / "tests", ROOT / "docs", ROOT / "examples"
SCRIPTS = ROOT / "datasets_scripts"
SUPPORT = TESTS / "support"
