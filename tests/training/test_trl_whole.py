"""TRL's trainer trains on all sequences of an episode that was split."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from textgym.errors import UsageError

torch = pytest.importorskip("torch")
pytest.importorskip("trl")
pytest.importorskip("datasets")

from guessing_model import save_guessing_model  # noqa: E402

from textgym.training.trl import Episodes  # noqa: E402
from textgym.training.trl.episodes_trainer import EpisodesTrainer  # noqa: E402

pytestmark = [
    pytest.mark.model,
    pytest.mark.filterwarnings("ignore"),  # of trainers
]

GUESS = "textgym/GuessNumber-v0"
HARD = {"highest": 9, "turns": 3}
GROUP = 4
SPLITTING = "ContextWindow:max_messages=3"  # the third turn does not show the first


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A small model that names numbers."""
    return save_guessing_model(tmp_path_factory.mktemp("model"), HARD)


@pytest.fixture
def make_trainer(folder: str, tmp_path: Path) -> Iterator[Any]:
    """Return a function that makes a trainer whose episodes are split."""
    opened: list[Episodes] = []

    def make(trainer: Any = EpisodesTrainer, on_split: str = "whole", **settings: Any) -> Any:
        from trl import GRPOConfig

        episodes = Episodes(GUESS, env_kwargs=HARD, wrappers=[SPLITTING], on_split=on_split)
        opened.append(episodes)
        arguments = {
            "max_steps": 1,
            "per_device_train_batch_size": GROUP,
            "gradient_accumulation_steps": 3,
            "num_generations": GROUP,
            "max_completion_length": 4,
            "learning_rate": 1e-3,
            "logging_steps": 1,
            **settings,
        }
        config = GRPOConfig(
            output_dir=str(tmp_path),
            save_strategy="no",
            report_to=[],
            disable_tqdm=True,
            use_cpu=True,
            bf16=False,
            **arguments,
        )
        made = trainer(
            model=folder,
            args=config,
            train_dataset=episodes.dataset(40),
            rollout_func=episodes.rollout_func,
            reward_funcs=episodes.reward_funcs,
        )
        return made, episodes

    yield make
    for episodes in opened:
        episodes.close()


def record(trainer: Any) -> tuple[list[Any], list[Any]]:
    """Return the batches that a trainer will make: TRL's own, and those with further rows."""
    import textgym.training.trl.episodes_trainer as module

    own: list[Any] = []
    grown: list[Any] = []
    add_rows = module.add_rows

    def recorded(batch: Any, samples: Any, holder: Any) -> Any:
        own.append((batch, samples))
        grown.append(add_rows(batch, samples, holder))
        return grown[-1]

    patch = pytest.MonkeyPatch()
    with patch.context() as context:
        context.setattr(module, "add_rows", recorded)
        trainer.train()
    return own, grown


def logged(trainer: Any, name: str) -> list[float]:
    return [entry[name] for entry in trainer.state.log_history if name in entry]


@pytest.mark.parametrize("loss_type", ["dapo", "grpo", "dr_grpo"])
def test_each_sampled_token_is_trained_on_with_the_weight_of_its_episode(
    make_trainer: Any, loss_type: str
) -> None:
    trainer, episodes = make_trainer(loss_type=loss_type)
    before = torch.cat([part.detach().flatten() for part in trainer.model.parameters()])
    [(batch, samples)], [grown] = record(trainer)
    after = torch.cat([part.detach().flatten() for part in trainer.model.parameters()])
    assert not torch.equal(before, after)

    sampled = [
        token
        for item in episodes.trajectories
        for step in item["steps"]
        for token in step["token_ids"]
    ]
    trained = grown["completion_mask"] * grown["tool_mask"]
    assert sorted(grown["completion_ids"][trained.bool()].tolist()) == sorted(sampled)
    assert int(grown["num_items_in_batch"]) == len(sampled)
    assert len(sampled) > int(batch["num_items_in_batch"])  # TRL's own batch has only a part

    own, rows = len(samples), len(grown["advantages"])
    assert rows % 3 == 0
    owners = list(range(own)) + [i for i, item in enumerate(samples) for _ in item.more_rows]
    weight = 1.0 if loss_type == "dapo" else rows / own
    for episode, sample in enumerate(samples):
        places = [place for place, owner in enumerate(owners) if owner == episode]
        advantages = grown["advantages"][places]
        expected = float(batch["advantages"][episode]) * weight
        if loss_type == "grpo":
            assert float(advantages.sum()) == pytest.approx(expected, abs=1e-5)
        else:
            assert advantages.tolist() == pytest.approx([expected] * len(places), abs=1e-5)
        assert len(places) == len(sample.rows)
    assert not grown["advantages"][len(owners) :].any()  # fillers
    assert max(logged(trainer, "logprob_gap/largest")) < 1e-4
    assert logged(trainer, "episodes/split")[0] > 0
    assert float(batch["advantages"].abs().max()) > 0


def test_old_log_probabilities_are_those_of_the_trainer(make_trainer: Any) -> None:
    trainer, _ = make_trainer(num_iterations=2, max_steps=2)
    _, [grown] = record(trainer)
    trained = (grown["completion_mask"] * grown["tool_mask"]).bool()
    gap = (grown["old_per_token_logps"] - grown["sampling_per_token_logps"])[trained]
    assert float(gap.abs().max()) < 1e-4


def test_grpo_trainer_is_refused(make_trainer: Any) -> None:
    from trl import GRPOTrainer

    trainer, _ = make_trainer(trainer=GRPOTrainer)
    with pytest.raises(UsageError, match=r"needs .*EpisodesTrainer, not GRPOTrainer"):
        trainer.train()


@pytest.mark.parametrize(
    "settings",
    [
        {"beta": 0.1},
        {"importance_sampling_level": "sequence"},
        {"loss_type": "vespo"},
        {"off_policy_mask_threshold": 0.5},
    ],
    ids=str,
)
def test_settings_that_count_sequences_are_refused(make_trainer: Any, settings: Any) -> None:
    trainer, _ = make_trainer(**settings)
    with pytest.raises(UsageError, match=f"needs GRPOConfig.{next(iter(settings))}="):
        trainer.train()


def test_split_episodes_are_an_error_unless_chosen(make_trainer: Any) -> None:
    trainer, _ = make_trainer(on_split="error")
    with pytest.raises(UsageError, match=r"token sequences.*EpisodesTrainer"):
        trainer.train()
