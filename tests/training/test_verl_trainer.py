"""A whole training with verl's own trainer, on the CPU.

Trainer, data, workers, queue, actor and losses are verl's own. `verl_cpu` adds a platform without
an accelerator, and a small model in a process of its own takes the place of vLLM.
"""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from repository import EXAMPLES, ROOT

import textgym
from textgym.core.episode import Grade
from textgym.errors import EnvironmentFailure
from textgym.messages import assistant
from textgym.tasks.task import Task

torch = pytest.importorskip("torch")
sys.path.append(str(EXAMPLES))

import small_model  # noqa: E402

from textgym.training.verl import write_dataset  # noqa: E402

pytestmark = [
    pytest.mark.trainers,
    pytest.mark.skipif(
        importlib.util.find_spec("verl") is None, reason="verl is not installed: make test-trainers"
    ),
]

GUESS = "textgym/GuessNumber-v0"
GROUPS, SIZE = 8, 4
SECONDS = 300  # until a training is taken to hang
SETTINGS = f"""
data.train_batch_size={GROUPS} data.max_prompt_length=64 data.max_response_length=64
data.dataloader_num_workers=0
algorithm.adv_estimator=grpo
actor_rollout_ref.model.use_remove_padding=False
+actor_rollout_ref.model.override_config.attn_implementation=eager
actor_rollout_ref.rollout.name=small actor_rollout_ref.rollout.n={SIZE}
actor_rollout_ref.rollout.tensor_model_parallel_size=1
actor_rollout_ref.rollout.calculate_log_probs=True
actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=8
actor_rollout_ref.rollout.agent.num_workers=1
actor_rollout_ref.actor.strategy=fsdp2 actor_rollout_ref.actor.optim.lr=3e-3
actor_rollout_ref.actor.ppo_mini_batch_size={GROUPS}
actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=8
actor_rollout_ref.actor.use_torch_compile=False
actor_rollout_ref.actor.fsdp_config.strategy=fsdp2
actor_rollout_ref.actor.fsdp_config.dtype=float32
actor_rollout_ref.actor.fsdp_config.use_torch_compile=False
+actor_rollout_ref.actor.fsdp_config.mixed_precision.param_dtype=float32
+actor_rollout_ref.actor.fsdp_config.mixed_precision.reduce_dtype=float32
+actor_rollout_ref.actor.fsdp_config.mixed_precision.buffer_dtype=float32
reward.num_workers=1
transfer_queue.backend.SimpleStorage.num_data_storage_units=1
trainer.device=cpu trainer.n_gpus_per_node=1 trainer.nnodes=1
trainer.v1.trainer_mode=textgym_sync +trainer.max_logprob_gap=1e-4
trainer.logger=[file] trainer.save_freq=-1 trainer.total_epochs=99 trainer.resume_mode=disable
ray_kwargs.ray_init.num_cpus=16 +ray_kwargs.ray_init.resources.NPU=1
+ray_kwargs.ray_init.include_dashboard=False +ray_kwargs.ray_init._node_ip_address=127.0.0.1
""".split()


class Broken(textgym.TextEnv[dict]):  # type: ignore[type-arg]
    """Guess a number; no answer can be graded."""

    card = textgym.Card("demo/NoGrade-v0", "Guess.", ("single-turn",), (), (), "test", ("exact",))

    def generate(self, rng: Any, level: Any) -> dict[str, Any]:
        return {"number": rng.randrange(10**6)}

    def read_row(self, row: dict[str, Any]) -> Task:
        return Task(row["id"], ({"role": "user", "content": "Guess"},), row["number"], None, row)

    def grade(self) -> Grade:
        raise EnvironmentFailure("broken")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a small model that names numbers, and with data sets.

    The number is always 5, one task in eight cannot be graded, and the third turn of a game does
    not show the first, so that such an episode has two token sequences.
    """
    place = tmp_path_factory.mktemp("verl")
    torch.manual_seed(0)
    game = {"highest": 5, "turns": 3}
    run = textgym.rollout(GUESS, "random", tasks=range(10), repeats=8, env_kwargs=game)
    conversations = [trajectory["messages"] for trajectory in run.trajectories()]
    tokenizer = small_model.make_tokenizer([*conversations, [assistant("Guess")]])
    model = small_model.make_model(tokenizer)
    small_model.imitate(model, tokenizer, conversations, steps=20)
    small_model.save(model, tokenizer, place / "model")
    numbers = place / "numbers.jsonl"
    numbers.write_text("\n".join([json.dumps({**game, "number": 5})] * 56))
    envs = {GUESS: 7.0, f"{Path(__file__).stem}:Broken": 1.0}
    made_with = {
        "env_kwargs": {GUESS: {"dataset": str(numbers)}},
        "wrappers": ["ContextWindow:max_messages=3"],
    }
    write_dataset(place / "train.parquet", envs, 64, **made_with)
    write_dataset(place / "val.parquet", GUESS, 16, split="test", env_kwargs=game)
    return place


def train(place: Path, name: str, *settings: str, **variables: str) -> tuple[int, str, list[Any]]:
    """Run `main_ppo`; return its exit code, what it printed, and the figures of each step."""
    log = place / f"{name}.jsonl"
    path = os.pathsep.join(map(str, (ROOT, ROOT / "tests/support", Path(__file__).parent)))
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "verl.trainer.main_ppo", *SETTINGS),
            f"data.train_files={place / 'train.parquet'}",
            f"data.val_files={place / 'val.parquet'}",
            f"actor_rollout_ref.model.path={place / 'model'}",
            *settings,
        ],
        cwd=place,
        env={
            **os.environ,
            "PYTHONPATH": path,
            "OMP_NUM_THREADS": "1",
            "VERL_USE_EXTERNAL_MODULES": "verl_cpu",
            "VERL_ENGINE_DEVICE": "cuda",  # verl's actor, which runs on the CPU too
            "VERL_FILE_LOGGER_PATH": str(log),
            **variables,
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        printed, _ = process.communicate(timeout=SECONDS)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait(30)
    lines = log.read_text().splitlines() if log.exists() else []
    return process.returncode, printed, [json.loads(line)["data"] for line in lines]


def test_model_learns_in_a_whole_training(place: Path) -> None:
    steps = ["trainer.total_training_steps=12", "trainer.test_freq=12"]
    code, printed, figures = train(place, "whole", *steps)
    assert code == 0, printed[-3000:]
    before, *trained = figures
    assert len(trained) == 12
    assert before["val-core/" + GUESS + "/reward/mean@1"] > 0
    solved = [step["episodes/success"] for step in trained]
    assert sum(solved[-3:]) / 3 > 0.9 > solved[0]
    assert sum(step["episodes/failed"] for step in trained) > 0  # and no step is lost
    assert sum(step["episodes/split"] for step in trained) > 0  # trained on whole
    gaps = [step["logprob_gap/largest"] for step in trained]
    assert 0 < max(gaps) < 1e-4


def test_weights_that_the_server_does_not_get_end_the_training(place: Path) -> None:
    settings = [
        "trainer.total_training_steps=4",
        "trainer.val_before_train=False",
        # verl masks the tokens that differ, and they are compared all the same.
        "algorithm.rollout_correction.rollout_rs=token_k1",
        "algorithm.rollout_correction.rollout_rs_threshold=0.9999_1.0001",
    ]
    code, printed, figures = train(place, "stale", *settings, VERL_CPU_STALE="1")
    assert code != 0
    assert "log probabilities of rollout and training differ" in printed
    assert len(figures) < 4
