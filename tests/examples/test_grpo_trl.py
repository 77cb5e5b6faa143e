"""examples/grpo_trl.py: TRL's trainer really learns a game, and its control does not."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import pytest
from repository import EXAMPLES

from textgym.training import read_history

pytestmark = [
    pytest.mark.model,
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore"),  # of trainers
]


@pytest.fixture
def grpo_trl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The example, in a folder of its own. It is imported late: its imports take seconds."""
    for package in ("torch", "trl", "datasets"):
        pytest.importorskip(package)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(EXAMPLES)
    return importlib.import_module("grpo_trl")


@pytest.mark.parametrize("game", ["guess", "mixture"])
def test_two_steps_of_each_game(
    grpo_trl: ModuleType, game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grpo_trl, "EVALUATED", 32)
    run = grpo_trl.train(game, "with feedback", 2, 0)
    assert len(run["rewards"]) == 2
    assert run["gap"] < 1e-4
    assert 0 < run["last"]["success"] < 1
    assert (grpo_trl.MCQA in run["last"]) == (game == "mixture")
    lines = read_history(Path("runs/grpo") / f"{game}-with-feedback-0.jsonl")
    assert [line["step"] for line in lines] == [0, 1, 2]  # with the evaluations


@pytest.mark.soak
def test_agent_learns_to_use_the_replies(grpo_trl: ModuleType) -> None:
    run = grpo_trl.train("guess", "with feedback", 60, 2)
    assert run["last"]["success"] > 0.8
    assert run["gap"] < 1e-4


@pytest.mark.soak
def test_control_stays_low(grpo_trl: ModuleType) -> None:
    run = grpo_trl.train("guess", "without feedback", 60, 0)
    assert run["last"]["success"] < 0.8
