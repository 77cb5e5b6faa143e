"""TRL's asynchronous trainer learns from episodes that a worker plays at the same time.

The trainer is TRL's own, with two parts replaced that need a GPU: the kernel of its attention, and
the speed of its device. In place of a server, a second model samples, to which the weights are
sent.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from textgym.errors import JudgeFailure, TrainingError, UsageError

torch = pytest.importorskip("torch")
pytest.importorskip("trl")
pytest.importorskip("datasets")
os.environ.setdefault("TRL_EXPERIMENTAL_SILENCE", "1")

from guessing_model import save_guessing_model  # noqa: E402
from transformers import AutoModelForCausalLM, AutoTokenizer  # noqa: E402

from textgym.policies import Sampling  # noqa: E402
from textgym.policies.hf import HFPolicy  # noqa: E402
from textgym.training.trl import Episodes  # noqa: E402
from textgym.training.trl.callbacks import FreshRatioCheck  # noqa: E402
from textgym.training.trl.rollout_worker import (  # noqa: E402
    EpisodesWorker,
    _SampleRewards,
)
from textgym.training.trl.samples import Sample  # noqa: E402
from textgym.trajectories.tokens import TokenRow  # noqa: E402

pytestmark = [
    pytest.mark.model,
    pytest.mark.filterwarnings("ignore"),  # of trainers
]

GUESS = "textgym/GuessNumber-v0"
GROUP = 4


def varlen_attention(
    query: Any, key: Any, value: Any, ends_q: Any, ends_k: Any, *sizes: Any, **options: Any
) -> Any:
    """Causal attention of each segment of queries to its own keys, aligned at the end."""
    parts = []
    for at in range(len(ends_q) - 1):
        q = query[ends_q[at] : ends_q[at + 1]].transpose(0, 1)
        k, v = (x[ends_k[at] : ends_k[at + 1]].transpose(0, 1) for x in (key, value))
        repeats = q.shape[0] // k.shape[0]
        k, v = k.repeat_interleave(repeats, 0), v.repeat_interleave(repeats, 0)
        first = k.shape[1] - q.shape[1]
        visible = torch.ones(q.shape[1], k.shape[1], dtype=torch.bool).tril(first)
        scores = (q @ k.transpose(1, 2)) * options["softmax_scale"]
        parts.append((scores.masked_fill(~visible, -torch.inf).softmax(-1) @ v).transpose(0, 1))
    return torch.cat(parts)


class SentWeights:
    """Loads the weights that the trainer sends into another model."""

    def __init__(self, model: Any) -> None:
        self.model, self.sent = model, 0

    def init_weight_transfer(self) -> None:
        pass

    def pause(self) -> None:
        pass

    def send_weights(self, iterator: Any) -> None:
        self.model.load_state_dict({name: value.clone() for name, value in iterator}, strict=False)
        self.sent += 1

    def resume(self) -> None:
        pass

    def destroy(self) -> None:
        pass


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A small model that names numbers."""
    return save_guessing_model(tmp_path_factory.mktemp("model"))


@pytest.fixture
def config(tmp_path: Path) -> Callable[..., Any]:
    """Return a function that makes the trainer's configuration."""

    def make(**settings: Any) -> Any:
        from trl.experimental.async_grpo import AsyncGRPOConfig

        defaults = {
            "max_steps": 3,
            "per_device_train_batch_size": 2 * GROUP,
            "gradient_accumulation_steps": 1,
            "num_generations": GROUP,
            "max_completion_length": 4,
            "token_budget": -1,
            "learning_rate": 1e-3,
            "logging_steps": 1,
        }
        return AsyncGRPOConfig(
            output_dir=str(tmp_path),
            save_strategy="no",
            report_to=[],
            disable_tqdm=True,
            use_cpu=True,
            bf16=False,
            **{**defaults, **settings},
        )

    return make


@pytest.fixture
def sampler(folder: str) -> Any:
    """The policy over the model that samples."""
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    return HFPolicy.of(model, AutoTokenizer.from_pretrained(folder), Sampling(max_tokens=4))


@pytest.fixture
def on_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace what needs a GPU."""
    from trl.experimental.async_grpo import async_grpo_trainer, packing

    kernel = SimpleNamespace(flash_attn_varlen_func=varlen_attention)
    monkeypatch.setattr(packing, "_flash_attn", lambda: kernel)
    monkeypatch.setattr(async_grpo_trainer, "get_peak_flops_per_device", lambda *_: None)


@pytest.fixture
def opened() -> Iterator[Callable[..., Episodes]]:
    """Return a function that makes `Episodes`."""
    made: list[Episodes] = []

    def make(*args: Any, **kwargs: Any) -> Episodes:
        made.append(Episodes(*args, **kwargs))
        return made[-1]

    yield make
    for episodes in made:
        episodes.close()


def take(worker: EpisodesWorker, count: int, seconds: float = 300) -> list[Any]:
    """Return what the worker has queued, once there are so many samples."""
    end = time.monotonic() + seconds
    taken: list[Any] = []
    worker.start()
    try:
        while len(taken) < count and time.monotonic() < end:
            worker.check_health(300)
            while not worker.rollout_buffer.empty():
                taken.append(worker.rollout_buffer.get())
            time.sleep(0.05)
    finally:
        worker.stop()
    assert len(taken) >= count
    return taken


def figures(worker: EpisodesWorker) -> list[dict[str, float]]:
    found = []
    while not worker.metrics_queue.empty():
        found.append(worker.metrics_queue.get())
    return found


def test_the_trainer_learns_from_fresh_tokens(
    folder: str, config: Any, sampler: Any, on_cpu: None, opened: Any
) -> None:
    from trl.experimental.async_grpo import AsyncGRPOTrainer

    episodes, args = opened(GUESS, rewards=["correct", "guesses"]), config()
    dataset = episodes.dataset(12)
    weights = SentWeights(sampler.model)
    trainer = AsyncGRPOTrainer(
        folder,
        args=args,
        train_dataset=dataset,
        rollout_worker=EpisodesWorker(episodes, dataset, args, sampler),
        weight_transfer=weights,
        callbacks=[FreshRatioCheck(1e-3)],
    )
    before = {name: value.clone() for name, value in trainer.model.named_parameters()}
    trainer.train()
    logs = [entry for entry in trainer.state.log_history if "kl" in entry]
    assert len(logs) == 3
    assert weights.sent >= 3
    assert logs[0]["sample/staleness_max"] == 0
    assert logs[0]["ratio"] == pytest.approx(1, abs=1e-4)
    assert abs(logs[0]["kl"]) < 1e-6
    assert {"rewards/correct", "rewards/guesses"} <= set(logs[0])
    (played, *_) = [entry for entry in logs if "episodes/success" in entry]
    assert played["episodes/failed_total"] == played["groups/left_out_total"] == 0
    changed = [not value.equal(before[name]) for name, value in trainer.model.named_parameters()]
    assert any(changed)


def test_a_wrong_distribution_ends_the_training(
    folder: str, config: Any, sampler: Any, on_cpu: None, opened: Any
) -> None:
    from trl.experimental.async_grpo import AsyncGRPOTrainer

    class OtherWeights(SentWeights):
        def send_weights(self, iterator: Any) -> None:
            super().send_weights((name, value * 1.3) for name, value in iterator)

    episodes, args = opened(GUESS), config()
    dataset = episodes.dataset(12)
    trainer = AsyncGRPOTrainer(
        folder,
        args=args,
        train_dataset=dataset,
        rollout_worker=EpisodesWorker(episodes, dataset, args, sampler),
        weight_transfer=OtherWeights(sampler.model),
        callbacks=[FreshRatioCheck()],
    )
    with pytest.raises(TrainingError, match="differ by"):
        trainer.train()
    trainer.rollout_worker.stop()


def test_samples_of_a_group_are_episodes_of_one_task(
    config: Any, sampler: Any, opened: Any
) -> None:
    episodes = opened(GUESS, env_kwargs={"highest": 9})
    worker = EpisodesWorker(episodes, episodes.dataset(5), config(), sampler)
    worker.update_model_version(7)
    groups: dict[int, list[Any]] = {}
    for sample in take(worker, 8 * GROUP):
        groups.setdefault(sample.group_id, []).append(sample)
    assert len(groups) >= 7  # more than the rows
    for group in list(groups.values())[:7]:
        assert len(group) == GROUP
        assert len({str(sample.prompt) for sample in group}) == 1
        assert sum(sample.advantage for sample in group) == pytest.approx(0, abs=1e-6)
        assert {sample.model_version for sample in group} == {7}
        for sample in group:
            length = len(sample.input_ids)
            assert len(sample.completion_mask) == len(sample.old_log_probs) == length
            assert (sample.old_log_probs[sample.completion_mask == 0] == 0).all()
            assert (sample.old_log_probs[sample.completion_mask == 1] < 0).any()


def test_no_more_samples_are_played_than_are_taken_while_fresh(
    config: Any, sampler: Any, opened: Any
) -> None:
    episodes = opened(GUESS)
    args = config(max_staleness=1, max_inflight_tasks=3 * GROUP)
    worker = EpisodesWorker(episodes, episodes.dataset(5), args, sampler)
    worker.start()
    end = time.monotonic() + 300
    while worker.rollout_buffer.qsize() < 2 * GROUP and time.monotonic() < end:
        time.sleep(0.05)
    time.sleep(0.5)  # time in which more could be played
    worker.stop()
    assert 2 * GROUP <= worker.rollout_buffer.qsize() <= 3 * GROUP


def failing(fails: Callable[[int], bool]) -> Callable[..., Any]:
    """Return a function that makes a game that fails in some episodes."""
    import gymnasium

    begun: list[int] = []

    class Failing(gymnasium.Wrapper[Any, Any, Any, Any]):
        def reset(self, **kwargs: Any) -> Any:
            begun.append(len(begun))
            self.number = begun[-1]
            return super().reset(**kwargs)

        def step(self, action: Any) -> Any:
            if fails(self.number):
                raise JudgeFailure("no answer")
            return super().step(action)

    return lambda: Failing(gymnasium.make(GUESS))


def test_failed_episodes_are_in_no_group_and_are_counted(
    config: Any, sampler: Any, opened: Any
) -> None:
    episodes = opened(failing(lambda number: number % 2 == 0), retries=0)
    worker = EpisodesWorker(episodes, episodes.dataset(5), config(), sampler)
    samples = take(worker, 2 * GROUP)
    counted = sum(figure["episodes/failed_total"] for figure in figures(worker))
    assert counted > 0
    sizes: dict[int, int] = {}
    for sample in samples:
        sizes[sample.group_id] = sizes.get(sample.group_id, 0) + 1
    assert all(size < GROUP for size in list(sizes.values())[:-1])


def test_a_worker_whose_episodes_all_fail_gives_up(config: Any, sampler: Any, opened: Any) -> None:
    episodes = opened(failing(lambda number: True), retries=0)
    worker = EpisodesWorker(episodes, episodes.dataset(5), config(), sampler)
    with pytest.raises(TrainingError, match=r"all episodes of 8 groups.* JudgeFailure \(judge\)"):
        take(worker, 1)
    assert worker.rollout_buffer.empty()


def test_a_worker_that_hangs_is_reported(config: Any, sampler: Any, opened: Any) -> None:
    episodes = opened(GUESS)
    worker = EpisodesWorker(episodes, episodes.dataset(5), config(), sampler)
    worker.start()
    try:
        with pytest.raises(TrainingError, match="has hung"):
            worker.check_health(-1)
    finally:
        worker.stop()


def test_a_worker_that_starts_late_is_healthy(config: Any, sampler: Any, opened: Any) -> None:
    episodes = opened(GUESS)
    worker = EpisodesWorker(episodes, episodes.dataset(5), config(), sampler)
    worker._alive_at -= 1000  # the trainer loaded a model in between
    worker.start()
    try:
        worker.check_health(300)
    finally:
        worker.stop()


def test_groups_without_variance_are_left_out_so_many_times(
    config: Any, sampler: Any, opened: Any
) -> None:
    easy = {"highest": 2, "turns": 2, "feedback": False}  # and no reward at all for a third number
    episodes = opened(GUESS, env_kwargs=easy, redraw=2)
    worker = EpisodesWorker(episodes, episodes.dataset(5), config(), sampler)
    samples = take(worker, 2 * GROUP)
    advantages: dict[int, set[float]] = {}
    for sample in samples:
        advantages.setdefault(sample.group_id, set()).add(sample.advantage)
    left_out = sum(figure["groups/left_out_total"] for figure in figures(worker))
    equal = sum(values == {0.0} for values in advantages.values())
    assert left_out >= 2 * equal


def played(reward: float | None, **components: float) -> Sample:
    failure = {"boundary": "judge", "type": "JudgeFailure", "message": "down"}
    trajectory: Any = {
        "env_id": GUESS,
        "steps": [{"components": components}],
        "failure": failure if reward is None else None,
    }
    return Sample(trajectory, TokenRow([], [], [], []), reward)


@pytest.mark.parametrize(
    ("rewards", "group", "is_left_out"),
    [
        ("total", [played(1.0), played(1.0)], True),
        ("total", [played(1.0), played(0.0)], False),
        ("total", [played(1.0), played(None)], True),
        ("total", [played(1.0), played(None), played(0.5)], False),
        ("environments", [played(1.0), played(0.0)], False),
        # What is trained on are the components, not the returns.
        (["form"], [played(1.0, form=0.5), played(0.0, form=0.5)], True),
        (["form"], [played(1.0, form=0.5), played(1.0, form=0.0)], False),
        (["form"], [played(1.0, form=0.5), played(0.0)], True),
        (["form", "right"], [played(1.0, form=1, right=0), played(1.0, form=0, right=1)], True),
        (["form", "right"], [played(1.0, form=1, right=0), played(1.0, form=1, right=1)], False),
        (["form"], [played(1.0, form=1.0), played(None, form=0.0)], True),
    ],
)
def test_groups_with_equal_rewards_are_left_out(
    config: Any, sampler: Any, opened: Any, rewards: Any, group: Any, is_left_out: bool
) -> None:
    episodes = opened(GUESS, rewards=rewards, redraw=1)
    worker = EpisodesWorker(episodes, episodes.dataset(1), config(), sampler)
    values = _SampleRewards.of(group, episodes.reward_funcs)
    assert worker._leaves_out(group, values) == is_left_out


def test_a_split_episode_is_a_sample_for_each_sequence(
    config: Any, sampler: Any, opened: Any
) -> None:
    hard = {"highest": 9, "turns": 3}
    episodes = opened(
        GUESS, env_kwargs=hard, wrappers=["ContextWindow:max_messages=3"], on_split="whole"
    )
    worker = EpisodesWorker(episodes, episodes.dataset(9), config(), sampler)
    samples = take(worker, 6 * GROUP)
    sizes: dict[int, int] = {}
    for sample in samples:
        sizes[sample.group_id] = sizes.get(sample.group_id, 0) + 1
    assert max(sizes.values()) > GROUP
    assert sum(figure["episodes/split_total"] for figure in figures(worker)) > 0


def test_a_server_that_is_not_there_fails_the_worker(folder: str, config: Any, opened: Any) -> None:
    episodes, args = opened(GUESS, retries=0), config(vllm_server_base_url="http://127.0.0.1:9")
    worker = EpisodesWorker(episodes, episodes.dataset(5), args, folder)
    with pytest.raises(TrainingError, match=r"has failed: .*127\.0\.0\.1:9"):
        take(worker, 1)


def test_settings_that_change_the_distribution_are_refused(
    config: Any, sampler: Any, opened: Any
) -> None:
    episodes = opened(GUESS)
    with pytest.raises(UsageError, match=r"AsyncGRPOConfig.temperature must be 1.0"):
        EpisodesWorker(episodes, episodes.dataset(5), config(temperature=0.7), sampler)
