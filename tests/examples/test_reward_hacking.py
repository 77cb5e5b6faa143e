"""examples/reward_hacking.py: its reward model learns, and its policies are trained with it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from repository import EXAMPLES

pytest.importorskip("torch")
pytest.importorskip("transformers")
sys.path.append(str(EXAMPLES))

import reward_hacking

pytestmark = [pytest.mark.model, pytest.mark.slow]


def test_each_training_pays_what_its_reward_model_says(tmp_path: Path) -> None:
    accuracy = reward_hacking.train_reward_model(tmp_path, steps=60)
    assert accuracy > 0.6
    scale = reward_hacking.scale_for(tmp_path)
    for name, guard in reward_hacking.GUARDS.items():
        run = reward_hacking.train(name, tmp_path, scale, 3, 0, **guard)
        assert [len(run[part]) for part in ("rewards", "held_out", "words")] == [3, 3, 3]
        assert all(3 <= words <= 15 for words in run["words"])
        assert all(0 <= score <= 1 for score in run["held_out"])
