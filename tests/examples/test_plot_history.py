"""examples/plot_history.py: what it draws of histories, and what it says of missing figures."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from repository import EXAMPLES

from textgym.errors import UsageError
from textgym.training import History

pytest.importorskip("matplotlib")
sys.path.append(str(EXAMPLES))

import plot_history


@pytest.fixture
def histories(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / "one.jsonl", tmp_path / "two.jsonl"]
    for place, path in enumerate(paths):
        with History(path) as history:
            for step in range(1, 4):
                history.log(step, {"reward": step / 4 + place, "loss": float("nan")})
            history.log(3, {"won": 0.5, "won_low": 0.25, "won_high": 0.75})
    return paths


def test_picture_has_a_panel_for_each_figure(histories: list[Path], tmp_path: Path) -> None:
    place = tmp_path / "new" / "curves.png"
    asked = [*map(str, histories), "--show", "reward", "won", "--ceiling", "0.6"]
    assert not plot_history.main([*asked, "--out", str(place)])
    assert place.read_bytes().startswith(b"\x89PNG")


def test_missing_figure_is_named_with_those_that_there_are(histories: list[Path]) -> None:
    with pytest.raises(UsageError, match=r"no history has the figure 'entropy'; there are loss"):
        plot_history.main([str(histories[0]), "--show", "entropy"])
