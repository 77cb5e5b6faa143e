"""TRL's GRPOTrainer with a `TaskPool`: what is played, and what checkpoints hold."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from textgym.errors import UsageError
from textgym.task_pool import TaskPool

torch = pytest.importorskip("torch")
pytest.importorskip("trl")
pytest.importorskip("datasets")

from guessing_model import save_guessing_model  # noqa: E402

from textgym.training.tasks import TaskRef  # noqa: E402
from textgym.training.trl import Episodes  # noqa: E402
from textgym.training.trl.batch_tasks import drawn_instead  # noqa: E402
from textgym.training.trl.callbacks import PoolCheckpoints  # noqa: E402

pytestmark = [
    pytest.mark.model,
    pytest.mark.filterwarnings("ignore"),  # of trainers
]

GUESS = "textgym/GuessNumber-v0"
EASY = {"highest": 2, "turns": 1}
GROUP = 4


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A small model that names numbers."""
    return save_guessing_model(tmp_path_factory.mktemp("model"), EASY)


@pytest.fixture
def make_trainer(folder: str, tmp_path: Path) -> Iterator[Any]:
    """Return a function that makes a trainer, its episodes, and the list of what it plays."""
    opened: list[Episodes] = []

    def make(pool: TaskPool, redraw: int = 0, **settings: Any) -> tuple[Any, list[int]]:
        from trl import GRPOConfig, GRPOTrainer

        episodes = Episodes(GUESS, env_kwargs=EASY, curriculum=pool, redraw=redraw)
        opened.append(episodes)
        played: list[int] = []

        def rollout_func(prompts: list[Any], trainer: Any) -> Any:
            output = episodes.rollout_func(prompts, trainer)
            groups = episodes.trajectories[:: trainer.num_generations]
            played.extend(one["task_index"] for one in groups)
            return output

        config = GRPOConfig(
            output_dir=str(tmp_path),
            save_strategy="steps",
            save_steps=1,
            report_to=[],
            disable_tqdm=True,
            use_cpu=True,
            bf16=False,
            per_device_train_batch_size=3 * GROUP,
            num_generations=settings.pop("num_generations", GROUP),
            max_completion_length=4,
            learning_rate=1e-3,
            **settings,
        )
        trainer = GRPOTrainer(
            model=folder,
            args=config,
            train_dataset=episodes.dataset(40),
            rollout_func=rollout_func,
            reward_funcs=episodes.reward_funcs,
            callbacks=[PoolCheckpoints(pool)],
        )
        return trainer, played

    yield make
    for episodes in opened:
        episodes.close()


def test_a_resumed_training_has_the_pool_of_its_checkpoint(make_trainer: Any) -> None:
    whole = TaskPool()
    trainer, played = make_trainer(whole, max_steps=4)
    trainer.train()
    results = whole.as_dict()["results"][GUESS]
    assert len(played) == 12
    assert sorted(map(int, results)) == sorted(set(played))
    assert sum(map(len, results.values())) == 12 * GROUP

    resumed = TaskPool()
    trainer, again = make_trainer(resumed, max_steps=4)
    trainer.train(resume_from_checkpoint=str(Path(trainer.args.output_dir) / "checkpoint-2"))
    assert again == played[6:]
    assert resumed.as_dict() == whole.as_dict()


def test_groups_without_variance_are_replaced_by_further_draws(make_trainer: Any) -> None:
    pool = TaskPool()
    trainer, played = make_trainer(pool, redraw=20, max_steps=1, num_generations=2)
    trainer.train()
    results = pool.as_dict()["results"][GUESS]
    assert len(results) > len(played) == 6
    for index in played:
        assert set(results[str(index)]) == {"0", "1"}


def test_processes_draw_the_same_groups_and_share_their_samples() -> None:
    refs = [TaskRef(GUESS, "train", index) for index in range(9)]

    def of_process(number: int, count: int, processes: int, size: int) -> list[int]:
        accelerator = SimpleNamespace(process_index=number, num_processes=processes)
        trainer = SimpleNamespace(num_generations=size, accelerator=accelerator)
        return [task.task_index for task in drawn_instead(iter(refs), count, trainer)]

    assert of_process(0, 4, 2, 4) + of_process(1, 4, 2, 4) == [0] * 4 + [1] * 4
    assert of_process(0, 3, 2, 2) + of_process(1, 3, 2, 2) == [0, 0, 1, 1, 2, 2]
    with pytest.raises(UsageError, match="a batch has 10 groups, and the pool draws from 9 tasks"):
        of_process(0, 20, 1, 2)


def test_a_checkpoint_without_a_pool_is_refused(tmp_path: Path) -> None:
    args = SimpleNamespace(output_dir=str(tmp_path))
    state = SimpleNamespace(global_step=3, is_world_process_zero=True)
    with pytest.raises(UsageError, match=r"cannot read .*checkpoint-3/task_pool\.json"):
        PoolCheckpoints(TaskPool()).on_train_begin(args, state, None)


def test_only_the_first_process_saves(tmp_path: Path) -> None:
    (tmp_path / "checkpoint-3").mkdir()
    args = SimpleNamespace(output_dir=str(tmp_path))
    for is_first in (False, True):
        state = SimpleNamespace(global_step=3, is_world_process_zero=is_first)
        PoolCheckpoints(TaskPool()).on_save(args, state, None)
        assert (tmp_path / "checkpoint-3" / "task_pool.json").exists() == is_first


def test_the_asynchronous_worker_refuses_a_pool() -> None:
    worker = pytest.importorskip("textgym.training.trl.rollout_worker")
    episodes = Episodes(GUESS, curriculum=TaskPool())
    with pytest.raises(UsageError, match="leave out the curriculum of Episodes"):
        worker.EpisodesWorker(episodes, episodes.dataset(2), None, "model")
    episodes.close()


def test_the_asynchronous_worker_refuses_credit_for_turns() -> None:
    worker = pytest.importorskip("textgym.training.trl.rollout_worker")
    episodes = Episodes(GUESS, credit="turn")
    with pytest.raises(UsageError, match="leave credit='turn' out of Episodes"):
        worker.EpisodesWorker(episodes, episodes.dataset(2), None, "model")
    episodes.close()


def test_a_curriculum_that_is_not_a_pool_is_refused() -> None:
    with pytest.raises(UsageError, match="curriculum must be a TaskPool, not True"):
        Episodes(GUESS, curriculum=True)  # type: ignore[arg-type]
