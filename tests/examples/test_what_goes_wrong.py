"""examples/what_goes_wrong.py: each mistake shows in its figure from the first steps on."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from repository import EXAMPLES

from textgym.training import History, read_history

pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("matplotlib")
sys.path.append(str(EXAMPLES))

import what_goes_wrong

pytestmark = [pytest.mark.model, pytest.mark.slow]


def first_steps(name: str, folder: Path, steps: int = 2) -> list[dict[str, Any]]:
    return read_history(what_goes_wrong.train(name, steps, 0, folder / "history.jsonl"))


def test_sound_training_computes_what_was_recorded(tmp_path: Path) -> None:
    lines = first_steps("healthy", tmp_path)
    assert [line["step"] for line in lines] == [1, 2]
    for line in lines:
        assert line["logprob_gap/largest"] < 1e-4
        assert line["lag/largest"] == 0
        assert 0 < line["episodes/success"] < 1


def test_wrong_template_shows_in_the_log_probabilities(tmp_path: Path) -> None:
    assert first_steps("wrong template", tmp_path, 1)[0]["logprob_gap/largest"] > 0.1


def test_stale_weights_show_in_the_lag(tmp_path: Path) -> None:
    lines = first_steps("stale weights", tmp_path, 3)
    assert [line["lag/mean"] for line in lines] == [0, 1, 2]
    assert lines[2]["logprob_gap/largest"] > 1e-3


def test_hard_tasks_show_in_the_groups(tmp_path: Path) -> None:
    assert first_steps("flat", tmp_path, 1)[0]["groups/equal"] > 0.8


def test_picture_has_all_runs(tmp_path: Path) -> None:
    mistakes = what_goes_wrong.MISTAKES
    shown = {what for mistake in mistakes.values() for what in mistake.shown}
    for name in mistakes:
        with History(tmp_path / f"{name.replace(' ', '-')}.jsonl") as history:
            history.log(1, dict.fromkeys(shown, 0.5))
    what_goes_wrong.draw(tmp_path, tmp_path / "curves.png")
    assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")
