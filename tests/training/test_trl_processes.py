"""TRL's trainer in two processes, of which one has failed episodes and the other has none."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from repository import EXAMPLES, ROOT

import textgym
from textgym.envs.guess_number import GuessNumber
from textgym.errors import EnvironmentFailure
from textgym.rewards import Grade

torch = pytest.importorskip("torch")
pytest.importorskip("trl")
pytest.importorskip("datasets")
sys.path.append(str(EXAMPLES))

import small_model  # noqa: E402

pytestmark = [
    pytest.mark.model,
    pytest.mark.soak,
    pytest.mark.filterwarnings("ignore"),  # of trainers
]

GUESS = "textgym/GuessNumber-v0"
SMALL = {"highest": 3, "turns": 2}
SECONDS = 120  # until a process is taken to hang

TRAINING = """
import json, os, sys
from textgym.training.trl import Episodes
from trl import GRPOConfig, GRPOTrainer

folder, out = sys.argv[1:]
episodes = Episodes(
    "test_trl_processes:HalfBroken", env_kwargs={"highest": 3, "turns": 2}, retries=0
)
config = GRPOConfig(
    output_dir=out, save_strategy="no", report_to=[], disable_tqdm=True, use_cpu=True, bf16=False,
    max_steps=2, per_device_train_batch_size=4, num_generations=4, max_completion_length=4,
    logging_steps=1, learning_rate=1e-3,
)
trainer = GRPOTrainer(
    model=folder, args=config, train_dataset=episodes.dataset(16),
    rollout_func=episodes.rollout_func, reward_funcs=episodes.reward_funcs,
)
trainer.train()
failed = sum(bool(item["failure"]) for item in episodes.trajectories)
weight = sum(float(part.detach().double().sum()) for part in trainer.model.parameters())
with open(f"{out}/{os.environ['RANK']}.json", "w") as file:
    json.dump({"log": trainer.state.log_history, "weight": weight, "failed": failed}, file)
"""


class HalfBroken(GuessNumber):
    """Guess a number; in the first process, no episode can be graded."""

    card = replace(GuessNumber.card, id="demo/HalfBroken-v0")

    def grade(self) -> Grade:
        if os.environ.get("RANK") == "0":
            raise EnvironmentFailure("broken")
        return super().grade()


def test_processes_with_and_without_failures_train_together(tmp_path: Path) -> None:
    torch.manual_seed(0)
    run = textgym.rollout(GUESS, "random", tasks=range(6), repeats=8, env_kwargs=SMALL)
    conversations = [trajectory["messages"] for trajectory in run.trajectories()]
    tokenizer = small_model.make_tokenizer(conversations)
    model = small_model.make_model(tokenizer)
    small_model.save(model, tokenizer, tmp_path / "model")
    (tmp_path / "training.py").write_text(TRAINING)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    shared = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(map(str, (ROOT, Path(__file__).parent, *sys.path))),
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(port),
        "WORLD_SIZE": "2",
        "OMP_NUM_THREADS": "1",
        "ACCELERATE_USE_CPU": "true",
    }
    command = [
        sys.executable,
        str(tmp_path / "training.py"),
        str(tmp_path / "model"),
        str(tmp_path),
    ]
    processes = [
        subprocess.Popen(
            command,
            env={**shared, "RANK": str(rank), "LOCAL_RANK": str(rank)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(2)
    ]
    try:
        for process in processes:
            _, problems = process.communicate(timeout=SECONDS)
            assert process.returncode == 0, problems[-2000:]
    finally:
        for process in processes:
            process.kill()
    first, second = (json.loads((tmp_path / f"{rank}.json").read_text()) for rank in range(2))
    assert (first["failed"], second["failed"]) == (4, 0)
    assert first["weight"] == pytest.approx(second["weight"], abs=1e-9)
    gaps = [line["logprob_gap/largest"] for line in first["log"] if "logprob_gap/largest" in line]
    assert len(gaps) == 2
    assert max(gaps) < 1e-4
