"""`HistoryCallback`: what evaluations and resumed trainings do to a history that exists."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from repository import EXAMPLES

from textgym.training import History, read_history

torch = pytest.importorskip("torch")
pytest.importorskip("trl")
datasets = pytest.importorskip("datasets")
sys.path.append(str(EXAMPLES))

from textgym.training.trl import Episodes  # noqa: E402
from textgym.training.trl.callbacks import HistoryCallback  # noqa: E402

pytestmark = [
    pytest.mark.model,
    pytest.mark.filterwarnings("ignore"),  # of trainers
]


class Halves(torch.nn.Module):  # type: ignore[misc,name-defined]
    """Has a loss, and nothing else that a trainer needs."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(1))

    def forward(self, labels: Any) -> dict[str, Any]:
        return {"loss": ((self.weight - labels) ** 2).mean()}


def make_trainer(folder: Path, **settings: Any) -> Any:
    from transformers import Trainer, TrainingArguments

    arguments = TrainingArguments(
        output_dir=str(folder / "checkpoints"),
        logging_steps=1,
        save_strategy="steps",
        save_steps=2,
        report_to=[],
        disable_tqdm=True,
        use_cpu=True,
        **settings,
    )
    rows = datasets.Dataset.from_dict({"labels": [0.5] * 8})
    callbacks = [HistoryCallback(folder / "history.jsonl")]
    return Trainer(Halves(), arguments, train_dataset=rows, eval_dataset=rows, callbacks=callbacks)


@pytest.fixture
def history(tmp_path: Path) -> Path:
    """A history of an earlier training."""
    with History(tmp_path / "history.jsonl") as history:
        for step in range(6):
            history.log(step, {"earlier": step})
    return history.path


def test_evaluation_in_a_new_process_only_adds_a_line(tmp_path: Path, history: Path) -> None:
    before = read_history(history)
    make_trainer(tmp_path).evaluate()
    *kept, added = read_history(history)
    assert kept == before
    assert added["step"] == 0
    assert added["eval_loss"] == 0.25


def test_training_from_the_start_keeps_step_0_alone(tmp_path: Path, history: Path) -> None:
    trainer = make_trainer(tmp_path, max_steps=2)
    trainer.evaluate()
    trainer.train()
    lines = read_history(history)
    assert [line["step"] for line in lines] == [0, 0, 1, 2]
    assert ["earlier" in line for line in lines] == [True, False, False, False]


def test_resumed_training_keeps_the_lines_up_to_its_checkpoint(
    tmp_path: Path, history: Path
) -> None:
    make_trainer(tmp_path, max_steps=2).train()  # leaves a checkpoint of step 2
    history.unlink()
    with History(history) as earlier:
        for step in range(1, 6):
            earlier.log(step, {"earlier": step})
    make_trainer(tmp_path, max_steps=4, ignore_data_skip=True).train(resume_from_checkpoint=True)
    lines = read_history(history)
    assert [line["step"] for line in lines] == [1, 2, 3, 4]
    assert ["earlier" in line for line in lines] == [True, True, False, False]


def test_evaluation_after_a_training_is_in_its_last_line(tmp_path: Path) -> None:
    trainer = make_trainer(tmp_path, max_steps=2)
    trainer.train()
    trainer.evaluate()
    lines = read_history(tmp_path / "history.jsonl")
    assert [line["step"] for line in lines] == [1, 2]
    assert {"loss", "eval_loss"} <= lines[1].keys()


def test_other_processes_than_the_first_write_nothing(tmp_path: Path, history: Path) -> None:
    from transformers import TrainerControl, TrainerState

    before = history.read_bytes()
    callback, state = HistoryCallback(history), TrainerState(is_world_process_zero=False)
    callback.on_train_begin(None, state, TrainerControl())
    callback.on_log(None, state, TrainerControl(), logs={"loss": 0.5})
    assert history.read_bytes() == before


def test_figures_of_several_data_sets_have_their_own_names(tmp_path: Path) -> None:
    import small_model
    from trl import GRPOConfig, GRPOTrainer

    import textgym

    guess = "textgym/GuessNumber-v0"
    run = textgym.rollout(guess, "random", tasks=range(6), repeats=8)
    tokenizer = small_model.make_tokenizer([item["messages"] for item in run.trajectories()])
    small_model.save(small_model.make_model(tokenizer), tokenizer, tmp_path)
    config = GRPOConfig(
        output_dir=str(tmp_path),
        per_device_train_batch_size=2,
        per_device_eval_batch_size=2,
        num_generations=2,
        max_completion_length=4,
        save_strategy="no",
        report_to=[],
        disable_tqdm=True,
        use_cpu=True,
        bf16=False,
    )
    episodes = Episodes(guess, env_kwargs={"highest": 3, "turns": 2})
    easy, hard = (episodes.dataset(2, split="test", start=start) for start in (0, 2))
    trainer = GRPOTrainer(
        model=str(tmp_path),
        args=config,
        train_dataset=episodes.dataset(2),
        eval_dataset={"easy": easy, "hard": hard},
        rollout_func=episodes.rollout_func,
        reward_funcs=episodes.reward_funcs,
        callbacks=[HistoryCallback(tmp_path / "history.jsonl")],
    )
    trainer.evaluate()
    episodes.close()
    (line,) = read_history(tmp_path / "history.jsonl")
    of_easy = {name.removeprefix("eval_easy_") for name in line if name.startswith("eval_easy_")}
    of_hard = {name.removeprefix("eval_hard_") for name in line if name.startswith("eval_hard_")}
    assert of_easy == of_hard
    assert {"runtime", "reward", "episodes/success", "tokens/message"} <= of_easy
    assert len(line) == len(of_easy) + len(of_hard) + len(("step", "epoch"))
