"""The texts of errors."""

from __future__ import annotations

from pathlib import Path

import pytest
from repository import ROOT

from textgym.errors import install_advice

SOURCES = [*(ROOT / "textgym").rglob("*.py"), *(ROOT / "datasets_scripts").glob("*.py")]


@pytest.mark.parametrize("extra", ["hf", "http", "vllm", "data"])
def test_the_advice_on_an_extra_works_from_an_index_and_in_a_checkout(extra: str) -> None:
    index, checkout = install_advice(extra).split(", or in a checkout ")
    assert index == f"pip install 'textgym[{extra}]'"
    assert checkout == f"pip install -e '.[{extra}]'"
    assert f"\n{extra} =\n" in (ROOT / "setup.cfg").read_text()


def test_no_module_has_advice_of_its_own() -> None:
    def gives_advice(path: Path) -> bool:
        return "pip install 'textgym" in path.read_text(encoding="utf-8")

    assert [path.name for path in SOURCES if gives_advice(path)] == ["errors.py"]
