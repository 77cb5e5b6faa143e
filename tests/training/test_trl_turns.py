"""TRL's trainer gives each turn credit for its own reward and later ones."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean, stdev
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
PAYING = "StepPenalty"  # a reward in each turn
SPLITTING = "ContextWindow:max_messages=3"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A small model that names numbers."""
    return save_guessing_model(tmp_path_factory.mktemp("model"), HARD)


@pytest.fixture
def make_trainer(folder: str, tmp_path: Path) -> Iterator[Any]:
    """Return a function that makes a trainer with credit for turns, and its episodes."""
    opened: list[Episodes] = []

    def make(
        trainer: Any = EpisodesTrainer,
        wrappers: Any = (PAYING,),
        extra_rewards: Any = (),
        **settings: Any,
    ) -> Any:
        from trl import GRPOConfig

        on_split = "whole" if SPLITTING in wrappers else "error"
        episodes = Episodes(
            GUESS, env_kwargs=HARD, wrappers=wrappers, on_split=on_split, credit="turn"
        )
        opened.append(episodes)
        config = GRPOConfig(
            output_dir=str(tmp_path),
            save_strategy="no",
            report_to=[],
            disable_tqdm=True,
            use_cpu=True,
            bf16=False,
            max_steps=1,
            per_device_train_batch_size=GROUP,
            gradient_accumulation_steps=2,
            num_generations=GROUP,
            max_completion_length=4,
            learning_rate=1e-3,
            logging_steps=1,
            **settings,
        )
        made = trainer(
            model=folder,
            args=config,
            train_dataset=episodes.dataset(40),
            rollout_func=episodes.rollout_func,
            reward_funcs=[*episodes.reward_funcs, *extra_rewards],
        )
        return made, episodes

    yield make
    for episodes in opened:
        episodes.close()


def recorded_batch(trainer: Any) -> dict[str, Any]:
    """Train, and return the batch that was trained on."""
    batches: list[dict[str, Any]] = []
    score = trainer._generate_and_score_completions

    def recorded(inputs: Any) -> Any:
        batches.append(score(inputs))
        return dict(batches[-1])

    trainer._generate_and_score_completions = recorded
    trainer.train()
    (batch,) = batches
    return batch


def expected_advantages(trajectories: Any, scaled: bool) -> dict[tuple[int, int], float]:
    """Return the advantage of each turn of each episode."""
    to_go = {
        (index, turn): sum(step["reward"] for step in episode["steps"][turn:])
        for index, episode in enumerate(trajectories)
        for turn in range(len(episode["steps"]))
    }
    compared = defaultdict(list)
    for (index, turn), value in to_go.items():
        compared[index // GROUP, turn].append(value)
    advantages = {}
    for (index, turn), value in to_go.items():
        others = compared[index // GROUP, turn]
        spread = stdev(others) + 1e-6 if scaled and len(others) > 1 else 1.0
        advantages[index, turn] = (value - fmean(others)) / spread
    return advantages


@pytest.mark.parametrize("scale", ["group", "none"])
@pytest.mark.parametrize("wrappers", [(PAYING,), (PAYING, SPLITTING)], ids=["whole", "split"])
def test_each_token_has_the_advantage_of_its_turn(
    make_trainer: Any, wrappers: Any, scale: str
) -> None:
    trainer, episodes = make_trainer(wrappers=wrappers, scale_rewards=scale)
    before = torch.cat([part.detach().flatten() for part in trainer.model.parameters()])
    batch = recorded_batch(trainer)
    after = torch.cat([part.detach().flatten() for part in trainer.model.parameters()])
    assert not torch.equal(before, after)

    played = episodes.trajectories
    expected = expected_advantages(played, scale == "group")
    assert batch["advantages"].shape == batch["completion_ids"].shape
    trained = (batch["completion_mask"] * batch["tool_mask"]).bool()
    assert not batch["advantages"][~trained].any()
    found = sorted(
        zip(
            batch["completion_ids"][trained].tolist(),
            [round(value, 3) + 0.0 for value in batch["advantages"][trained].tolist()],
            strict=True,
        )
    )
    of_turns = sorted(
        (token, round(expected[index, turn], 3) + 0.0)
        for index, episode in enumerate(played)
        for turn, step in enumerate(episode["steps"])
        for token in step["token_ids"]
    )
    assert [token for token, _ in found] == [token for token, _ in of_turns]
    assert [value for _, value in found] == pytest.approx(
        [value for _, value in of_turns], abs=2e-3
    )
    several = [episode for episode in played if len(episode["steps"]) > 1]
    assert several
    assert len({value for (_, turn), value in expected.items() if turn}) > 1


def test_grpo_trainer_is_refused(make_trainer: Any) -> None:
    from trl import GRPOTrainer

    trainer, _ = make_trainer(trainer=GRPOTrainer)
    with pytest.raises(UsageError, match=r"needs .*EpisodesTrainer, not GRPOTrainer"):
        trainer.train()


def test_rewards_of_whole_completions_are_refused(make_trainer: Any) -> None:
    def brevity(*, episode: Any, **columns: Any) -> list[float]:
        return [0.0] * len(episode)

    trainer, _ = make_trainer(extra_rewards=[brevity])
    with pytest.raises(UsageError, match=r"needs reward_funcs=episodes\.reward_funcs and no other"):
        trainer.train()


@pytest.mark.parametrize(
    "settings",
    [
        {"scale_rewards": "batch"},
        {"multi_objective_aggregation": "normalize_then_sum"},
        {"importance_sampling_level": "sequence"},
        {"loss_type": "vespo"},
    ],
    ids=str,
)
def test_settings_that_do_not_fit_are_refused(make_trainer: Any, settings: Any) -> None:
    trainer, _ = make_trainer(**settings)
    with pytest.raises(UsageError, match=f"needs GRPOConfig.{next(iter(settings))}="):
        trainer.train()
