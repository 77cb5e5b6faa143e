"""examples/grpo_trl.py: TRL's trainer really learns a game, and its control does not."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from repository import EXAMPLES

from textgym.training import read_history

pytest.importorskip("torch")
pytest.importorskip("trl")
pytest.importorskip("datasets")
sys.path.append(str(EXAMPLES))

import grpo_trl

pytestmark = [
    pytest.mark.model,
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore"),  # of trainers
]


@pytest.fixture(autouse=True)
def run_in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("game", ["guess", "mixture"])
def test_two_steps_of_each_game(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grpo_trl, "EVALUATED", 32)
    monkeypatch.setattr(grpo_trl, "EPISODES", 48)
    run = grpo_trl.train(game, "with feedback", 2, 0)
    assert len(run["rewards"]) == 2
    assert run["gap"] < 1e-4
    assert 0 < run["last"]["success"] < 1
    assert (grpo_trl.MCQA in run["last"]) == (game == "mixture")
    lines = read_history(Path("runs/grpo") / f"{game}-with-feedback-0.jsonl")
    assert [line["step"] for line in lines] == [0, 1, 2]  # with the evaluations


@pytest.mark.soak
def test_agent_learns_to_use_the_replies() -> None:
    run = grpo_trl.train("guess", "with feedback", 60, 2)
    assert run["last"]["success"] > 0.8
    assert run["gap"] < 1e-4


@pytest.mark.soak
def test_control_stays_low() -> None:
    run = grpo_trl.train("guess", "without feedback", 60, 0)
    assert run["last"]["success"] < 0.8
