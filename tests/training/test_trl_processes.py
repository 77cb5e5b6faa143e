"""TRL's trainer in two processes, which share groups, and of which one has failed episodes."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from repository import ROOT

from textgym.core.episode import Grade
from textgym.envs.guess_number import GuessNumber
from textgym.errors import EnvironmentFailure

torch = pytest.importorskip("torch")
pytest.importorskip("trl")
pytest.importorskip("datasets")

from guessing_model import save_guessing_model  # noqa: E402

pytestmark = [
    pytest.mark.model,
    pytest.mark.soak,
    pytest.mark.filterwarnings("ignore"),  # of trainers
]

GUESS = "textgym/GuessNumber-v0"
SMALL = {"highest": 3, "turns": 2}
SECONDS = 600  # until a process is taken to hang

TRAINING = """
import json, os, sys
import torch
from textgym.errors import TrainingError
from textgym.training.trl import Episodes
from trl import GRPOConfig, GRPOTrainer

folder, out, asked = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
rank = int(os.environ["RANK"])
episodes = Episodes(asked["env"], retries=0, **asked["episodes"])
config = GRPOConfig(
    output_dir=out, save_strategy="no", report_to=[], disable_tqdm=True, use_cpu=True, bf16=False,
    max_completion_length=4, logging_steps=1, learning_rate=1e-3, **asked["config"],
)
trainer = GRPOTrainer(
    model=folder, args=config, train_dataset=episodes.dataset(16),
    rollout_func=episodes.rollout_func, reward_funcs=episodes.reward_funcs,
)
compute = trainer._get_per_token_logps_and_entropies

def compute_together(model, ids, *others, batch_size=None, **named):
    # As a sharded model: each forward pass waits for all processes.
    for _ in range(0, len(ids), batch_size or len(ids)):
        torch.distributed.barrier()
    logprobs, *more = compute(model, ids, *others, batch_size=batch_size, **named)
    return (logprobs.roll(1, 1) if rank == asked["wrong"] else logprobs, *more)

trainer._get_per_token_logps_and_entropies = compute_together
error = ""
try:
    trainer.train()
except TrainingError as raised:
    error = str(raised)
played = [[item["task_index"], item["repeat"], bool(item["failure"])]
          for item in episodes.trajectories]
weight = sum(float(part.detach().double().sum()) for part in trainer.model.parameters())
with open(f"{out}/{rank}.json", "w") as file:
    json.dump({"log": trainer.state.log_history, "weight": weight, "played": played,
               "error": error}, file)
"""


class HalfBroken(GuessNumber):
    """Guess a number; in the first process, no episode can be graded."""

    card = replace(GuessNumber.card, id="demo/HalfBroken-v0")

    def grade(self) -> Grade:
        if os.environ.get("RANK") == "0":
            raise EnvironmentFailure("broken")
        return super().grade()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small model that names numbers."""
    return Path(save_guessing_model(tmp_path_factory.mktemp("model"), SMALL))


def train(
    folder: Path, out: Path, env: str, config: Any, *, wrong: int | None = None, **episodes: Any
) -> list[Any]:
    """Train in two processes, and return what each of them says."""
    (out / "training.py").write_text(TRAINING)
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
    config = {"max_steps": 2, **config}
    asked = json.dumps({"env": env, "config": config, "wrong": wrong, "episodes": episodes})
    command = [sys.executable, *map(str, (out / "training.py", folder, out, asked))]
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
    return [json.loads((out / f"{rank}.json").read_text()) for rank in range(2)]


def logged(process: Any, name: str) -> list[float]:
    return [line[name] for line in process["log"] if name in line]


@pytest.mark.parametrize("size", [4, 8], ids=["whole groups", "groups of both processes"])
def test_processes_with_and_without_failures_train_together(
    folder: Path, tmp_path: Path, size: int
) -> None:
    config = {"per_device_train_batch_size": 4, "num_generations": size}
    first, second = train(
        folder, tmp_path, "test_trl_processes:HalfBroken", config, env_kwargs=SMALL
    )
    failed = [[failure for *_, failure in process["played"]] for process in (first, second)]
    assert failed == [[True] * 4, [False] * 4]
    assert first["weight"] == pytest.approx(second["weight"], abs=1e-9)
    assert logged(first, "episodes/failed") == [4.0, 4.0]
    assert logged(first, "episodes/failed/environment") == [4.0, 4.0]
    gaps = logged(first, "logprob_gap/largest")
    assert len(gaps) == 2
    assert max(gaps) < 1e-4


@pytest.mark.parametrize("wrong", [0, 1])
def test_wrong_log_probabilities_end_the_training_of_all_processes(
    folder: Path, tmp_path: Path, wrong: int
) -> None:
    config = {"per_device_train_batch_size": 4, "num_generations": 4}
    env = "test_trl_processes:HalfBroken" if wrong else GUESS
    first, second = train(folder, tmp_path, env, config, wrong=wrong, env_kwargs=SMALL)
    assert "log probabilities of rollout and training differ" in first["error"]
    assert first["error"] == second["error"]


def test_group_with_one_sample_in_each_process_is_redrawn(folder: Path, tmp_path: Path) -> None:
    config = {"per_device_train_batch_size": 1, "num_generations": 2}
    easy = {"highest": 2, "turns": 1}
    first, second = train(folder, tmp_path, GUESS, config, env_kwargs=easy, redraw=30)
    ((task, repeat, _),), ((other_task, other_repeat, _),) = first["played"], second["played"]
    assert task == other_task
    assert repeat != other_repeat
    assert logged(first, "groups/equal") == [0.0, 0.0]
    assert sum(logged(first, "groups/redrawn")) > 0
    assert logged(first, "frac_reward_zero_std") == [0.0, 0.0]


def test_groups_are_equal_only_over_all_processes(folder: Path, tmp_path: Path) -> None:
    config = {"per_device_train_batch_size": 1, "num_generations": 2, "max_steps": 8}
    easy = {"highest": 2, "turns": 1}
    first, _ = train(folder, tmp_path, GUESS, config, env_kwargs=easy)
    assert logged(first, "groups/equal") == logged(first, "frac_reward_zero_std")
    assert set(logged(first, "groups/equal")) == {0.0, 1.0}
