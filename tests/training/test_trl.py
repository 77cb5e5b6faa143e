"""TRL's GRPOTrainer, really run, on environments of textgym."""

from __future__ import annotations

import contextlib
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import textgym
from textgym.core.episode import Grade
from textgym.errors import EnvironmentFailure, JudgeFailure, TrainingError, UsageError
from textgym.messages import assistant
from textgym.tasks.task import Task

torch = pytest.importorskip("torch")
pytest.importorskip("trl")
pytest.importorskip("datasets")

from guessing_model import save_guessing_model  # noqa: E402

from textgym.training.trl import Episodes, verifier_reward  # noqa: E402
from textgym.training.trl.policies import bound_of  # noqa: E402
from textgym.training.trl.resuming import check_checkpoints  # noqa: E402
from textgym.training.trl.samples import task_of  # noqa: E402

pytestmark = [
    pytest.mark.model,
    pytest.mark.filterwarnings("ignore"),  # of trainers
]

GUESS, MCQA = "textgym/GuessNumber-v0", "textgym/MCQA-v0"
SMALL = {"highest": 3, "turns": 2}
GROUP = 4


class Numbered(textgym.TextEnv[dict]):  # type: ignore[type-arg]
    """Say a word; every third task cannot be graded."""

    card = textgym.Card("demo/Numbered-v0", "Say it.", ("multi-turn",), (), (), "test", ("exact",))

    def generate(self, rng: Any, level: Any) -> dict[str, Any]:
        return {"number": rng.randrange(10**6)}

    def read_row(self, row: dict[str, Any]) -> Task:
        return Task(row["id"], ({"role": "user", "content": "Guess"},), row["number"], None, row)

    def begin(self, task: Task) -> dict[str, Any]:
        return {}

    def grade(self) -> Grade:
        if self.task.answer % 3 == 0:
            raise EnvironmentFailure("broken")
        said = float("1" in self.answer_text)
        return Grade(said, bool(said), {"one": said, "length": float(len(self.answer_text))})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A small model that names numbers."""
    return save_guessing_model(tmp_path_factory.mktemp("model"), SMALL)


@pytest.fixture
def make_trainer(folder: str, tmp_path: Path) -> Iterator[Any]:
    """Return a function that makes a trainer."""
    opened: list[Episodes] = []

    def make(episodes: Episodes, dataset: Any, **settings: Any) -> Any:
        from trl import GRPOConfig, GRPOTrainer

        opened.append(episodes)
        arguments = {
            "max_steps": 2,
            "per_device_train_batch_size": 3 * GROUP,
            "per_device_eval_batch_size": 2 * GROUP,
            "num_generations": GROUP,
            "max_completion_length": 4,
            "learning_rate": 1e-3,
            "logging_steps": 1,
            "save_strategy": "no",
            **settings,
        }
        config = GRPOConfig(
            output_dir=str(tmp_path),
            report_to=[],
            disable_tqdm=True,
            use_cpu=True,
            **{"bf16": False, **arguments},
        )
        return GRPOTrainer(
            model=folder,
            args=config,
            train_dataset=dataset,
            eval_dataset=episodes.dataset(4, split="test"),
            rollout_func=episodes.rollout_func,
            reward_funcs=episodes.reward_funcs,
        )

    yield make
    for episodes in opened:
        episodes.close()


def logged(trainer: Any, name: str) -> list[float]:
    return [entry[name] for entry in trainer.state.log_history if name in entry]


def weights(trainer: Any) -> Any:
    return torch.cat([parameter.detach().flatten() for parameter in trainer.model.parameters()])


def test_a_group_is_of_one_task_and_log_probabilities_agree(make_trainer: Any) -> None:
    episodes = Episodes(GUESS, env_kwargs=SMALL)
    trainer = make_trainer(episodes, episodes.dataset(40))
    before = weights(trainer)
    groups = []
    play = episodes.rollout_func

    def rollout(prompts: Any, holder: Any) -> Any:
        output = play(prompts, holder)
        groups.extend(zip(*[iter(episodes.trajectories)] * GROUP, strict=True))
        return output

    trainer.rollout_func = rollout
    trainer.train()
    assert len(groups) == 2 * 3
    for group in groups:
        assert len({item["task_id"] for item in group}) == 1
        assert [item["repeat"] for item in group] == list(range(GROUP))
        assert len({json.dumps(item["messages"][0]) for item in group}) == 1
    assert max(logged(trainer, "logprob_gap/largest")) < 1e-4
    assert not torch.equal(before, weights(trainer))
    assert trainer.model.training


def test_failed_episodes_leave_their_group_and_are_counted(make_trainer: Any) -> None:
    episodes = Episodes("test_trl:Numbered", rewards=["one"], retries=0)
    trainer = make_trainer(episodes, episodes.dataset(30))
    trainer.train()
    failed = logged(trainer, "episodes/failed")
    assert sum(failed) > 0
    assert sum(failed) % GROUP == 0  # whole groups, since a task fails or does not
    assert logged(trainer, "episodes/failed/environment") == failed
    assert not any(logged(trainer, "episodes/failed/judge"))
    assert not any(value != value for value in logged(trainer, "reward"))
    assert len(logged(trainer, "rewards/one/mean")) == 2


def test_fillers_of_failed_episodes_are_in_no_length(make_trainer: Any) -> None:
    episodes = Episodes("test_trl:Numbered", retries=0)
    trainer = make_trainer(episodes, episodes.dataset(30), max_steps=1)
    trainer.train()
    graded = [episode for episode in episodes.trajectories if not episode["failure"]]
    assert 0 < len(graded) < len(episodes.trajectories)
    messages = [step["token_ids"] for episode in graded for step in episode["steps"]]
    ended = [ids for ids in messages if ids[-1] == trainer.processing_class.eos_token_id]
    (line,) = (line for line in trainer.state.log_history if "completions/min_length" in line)
    assert line["completions/mean_length"] == pytest.approx(sum(map(len, messages)) / len(messages))
    assert line["completions/min_length"] == min(map(len, messages)) > 0
    assert line["completions/max_length"] == max(map(len, messages))
    assert line["completions/clipped_ratio"] == pytest.approx(1 - len(ended) / len(messages))
    shortest = min(map(len, ended), default=None)
    assert line["completions/min_terminated_length"] == shortest


def test_totals_are_sums_over_the_training(make_trainer: Any) -> None:
    episodes = Episodes("test_trl:Numbered", retries=0)
    trainer = make_trainer(episodes, episodes.dataset(30), logging_steps=2)
    tokens, seconds = [], []
    play = episodes.rollout_func

    def rollout(prompts: Any, holder: Any) -> Any:
        output = play(prompts, holder)
        steps = [step for episode in episodes.trajectories for step in episode["steps"]]
        tokens.append(sum(len(step["token_ids"]) for step in steps))
        seconds.append(sum(episode["seconds"] for episode in episodes.trajectories))
        return output

    trainer.rollout_func = rollout
    trainer.train()
    assert logged(trainer, "totals/episodes") == [2 * 3 * GROUP]
    assert logged(trainer, "totals/tokens") == [sum(tokens)]
    assert logged(trainer, "totals/seconds") == [pytest.approx(sum(seconds))]


def test_a_forgotten_rollout_func_is_one_line(make_trainer: Any) -> None:
    episodes = Episodes(GUESS, env_kwargs=SMALL)
    trainer = make_trainer(episodes, episodes.dataset(12), max_steps=1)
    trainer.rollout_func = None
    with pytest.raises(
        UsageError, match=r"pass rollout_func=episodes\.rollout_func to GRPOTrainer"
    ):
        trainer.train()


def test_a_batch_of_failures_changes_nothing(make_trainer: Any) -> None:
    episodes = Episodes("test_trl:Numbered", retries=0)
    broken = episodes.dataset(60).filter(lambda row: _is_broken(row["task_index"]))
    trainer = make_trainer(episodes, broken, max_steps=1, num_generations=3)
    before = weights(trainer)
    trainer.train()
    assert torch.equal(before, weights(trainer))
    assert logged(trainer, "episodes/failed") == [3 * GROUP]
    assert logged(trainer, "completions/mean_length") == [None]


def test_a_training_whose_episodes_all_fail_ends(
    make_trainer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("textgym.training.trl.samples.MAX_FAILED", 2)
    episodes = Episodes("test_trl:Numbered", retries=0)
    broken = episodes.dataset(60).filter(lambda row: _is_broken(row["task_index"]))
    with pytest.raises(TrainingError, match=r"all episodes of 2 batches in a row .*: broken"):
        make_trainer(episodes, broken, max_steps=4).train()


def test_components_that_no_episode_has_end_the_training(make_trainer: Any) -> None:
    episodes = Episodes(GUESS, env_kwargs=SMALL, rewards=["corect"])
    with pytest.raises(TrainingError, match=r"has a reward of corect; the components .* are \w+"):
        make_trainer(episodes, episodes.dataset(12)).train()


def test_tools_that_the_trainer_calls_itself_are_refused(make_trainer: Any) -> None:
    episodes = Episodes(GUESS, env_kwargs=SMALL)
    trainer = make_trainer(episodes, episodes.dataset(12))
    trainer.tools = [print]
    with pytest.raises(UsageError, match="pass neither tools nor environment_factory"):
        trainer.train()


def test_dropout_is_not_taken_for_a_gap(make_trainer: Any) -> None:
    episodes = Episodes(GUESS, env_kwargs=SMALL)
    trainer = make_trainer(episodes, episodes.dataset(12), max_steps=1)
    with_dropout = [layer.self_attn for layer in trainer.model.model.layers]
    for attention in with_dropout:
        attention.attention_dropout = 0.5
    trainer.train()
    assert all(attention.training for attention in with_dropout)
    assert max(logged(trainer, "logprob_gap/largest")) < 1e-4


def _is_broken(index: int) -> bool:
    env = Numbered()
    env.reset(options={"index": index})
    return bool(env.task.answer % 3 == 0)


def test_several_environments_have_a_reward_each(make_trainer: Any) -> None:
    episodes = Episodes({GUESS: 0.5, MCQA: 0.5}, env_kwargs={GUESS: SMALL}, rewards="environments")
    dataset = episodes.dataset(40)
    assert set(dataset["environment"]) == {GUESS, MCQA}
    trainer = make_trainer(episodes, dataset, per_device_train_batch_size=10 * GROUP, max_steps=1)
    trainer.train()
    for id in (GUESS, MCQA):
        assert len(logged(trainer, f"rewards/{id}/mean")) == 1
        assert len(logged(trainer, f"{id}/success")) == 1


def test_environments_of_a_mixture_may_be_classes() -> None:
    episodes = Episodes({"test_trl:Numbered": 1, GUESS: 1}, rewards="environments")
    assert episodes.dataset(6)["environment"][:].count("demo/Numbered-v0") == 3
    assert [function.__name__ for function in episodes.reward_funcs] == ["demo/Numbered-v0", GUESS]
    episodes.close()


@pytest.mark.parametrize(("bf16", "bound"), [(False, 1e-3), (True, 1.0)])
def test_the_bound_is_that_of_the_precision_in_use(
    make_trainer: Any, bf16: bool, bound: float
) -> None:
    episodes = Episodes(GUESS, env_kwargs=SMALL)
    trainer = make_trainer(episodes, episodes.dataset(12), bf16=bf16, max_steps=1)
    assert trainer.model.dtype is torch.float32  # also under autocast
    assert bound_of(trainer) == bound
    trainer.train()
    assert logged(trainer, "logprob_gap/largest")


def test_evaluations_play_the_tasks_of_their_split_with_the_same_seeds(make_trainer: Any) -> None:
    episodes = Episodes(GUESS, env_kwargs=SMALL)
    trainer = make_trainer(episodes, episodes.dataset(12))
    first = trainer.evaluate()
    second = trainer.evaluate()
    assert first["eval_episodes/success"] == second["eval_episodes/success"]
    assert {item["env_kwargs"].get("split") for item in episodes.trajectories} == {"test"}


def test_callback_writes_a_line_for_each_step(make_trainer: Any, tmp_path: Path) -> None:
    from textgym.training import read_history
    from textgym.training.trl.callbacks import HistoryCallback

    episodes = Episodes(GUESS, env_kwargs=SMALL)
    trainer = make_trainer(episodes, episodes.dataset(40), eval_strategy="steps", eval_steps=1)
    trainer.add_callback(HistoryCallback(tmp_path / "history.jsonl"))
    trainer.train()
    lines = read_history(tmp_path / "history.jsonl")
    assert [line["step"] for line in lines] == [1, 2]
    for line in lines:
        assert line["logprob_gap/largest"] < 1e-4
        assert 0 <= line["eval_episodes/success"] <= 1
        assert line["tokens/message"] > 0


def test_groups_without_variance_are_played_again_with_other_tasks(make_trainer: Any) -> None:
    episodes = Episodes(GUESS, env_kwargs={"highest": 2, "turns": 1}, redraw=20)
    trainer = make_trainer(episodes, episodes.dataset(40))
    trainer.train()
    assert logged(trainer, "groups/equal") == [0.0, 0.0]
    assert logged(trainer, "frac_reward_zero_std") == [0.0, 0.0]
    assert sum(logged(trainer, "groups/redrawn")) > 0
    assert {episode["task_index"] for episode in episodes.trajectories} <= set(range(40))
    groups = list(zip(*[iter(episodes.trajectories)] * GROUP, strict=True))
    assert all(len({episode["task_index"] for episode in group}) == 1 for group in groups)
    assert max(logged(trainer, "logprob_gap/largest")) < 1e-4


def test_a_resumed_training_samples_as_one_that_was_not_interrupted() -> None:
    whole, resumed = Episodes(GUESS), Episodes(GUESS)

    def batches(episodes: Episodes, steps: list[int]) -> list[Any]:
        trainers = [SimpleNamespace(state=SimpleNamespace(global_step=step)) for step in steps]
        return [episodes._batch(trainer, "train") for trainer in trainers]

    played = batches(whole, [0, 0, 1, 1, 2, 2])
    assert len(set(played)) == 6
    assert batches(resumed, [2, 2]) == played[4:]


def test_failures_of_groups_that_were_replaced_are_counted(make_trainer: Any) -> None:
    episodes = Episodes("test_trl:Numbered", retries=0, redraw=30)
    trainer = make_trainer(episodes, episodes.dataset(60))
    trainer.train()
    assert all(episode["failure"] is None for episode in episodes.trajectories)
    assert sum(logged(trainer, "episodes/failed")) > 0
    assert sum(logged(trainer, "episodes/failed/environment")) > 0


def test_another_template_fails_loudly(make_trainer: Any) -> None:
    episodes = Episodes(GUESS, env_kwargs=SMALL)
    trainer = make_trainer(episodes, episodes.dataset(12))
    compute = trainer._get_per_token_logps_and_entropies

    def shifted(*args: Any, **kwargs: Any) -> Any:
        logprobs, *others = compute(*args, **kwargs)
        return (logprobs.roll(1, 1), *others)

    trainer._get_per_token_logps_and_entropies = shifted
    with pytest.raises(TrainingError, match="log probabilities of rollout and training differ"):
        trainer.train()


def test_rows_that_are_not_repeated_in_a_row_are_refused(make_trainer: Any) -> None:
    episodes = Episodes(GUESS, env_kwargs=SMALL)
    dataset = episodes.dataset(12)
    trainer = make_trainer(episodes, dataset)
    trainer.model.train()
    with pytest.raises(TrainingError, match="a group has samples of"):
        episodes.rollout_func(dataset["prompt"][:8], trainer)


def test_a_prompt_of_another_data_set_is_refused(make_trainer: Any) -> None:
    episodes = Episodes(GUESS, env_kwargs=SMALL)
    trainer = make_trainer(episodes, episodes.dataset(12))
    with pytest.raises(UsageError, match="a prompt names no task"):
        episodes.rollout_func([[{"role": "user", "content": "Hello."}]] * GROUP, trainer)


def test_template_has_the_arguments_of_the_trainer(make_trainer: Any) -> None:
    episodes = Episodes(GUESS, env_kwargs=SMALL)
    settings = {"chat_template_kwargs": {"first": "Guess"}, "max_steps": 1}
    trainer = make_trainer(episodes, episodes.dataset(12), **settings)
    tokenizer = trainer.processing_class
    tokenizer.chat_template = "{{ first }}" + tokenizer.chat_template
    trainer.train()
    (first,) = {episode["steps"][0]["prompt_ids"][0] for episode in episodes.trajectories}
    assert tokenizer.decode([first]) == "Guess"


@pytest.mark.parametrize(
    "settings", [{"top_p": 0.9}, {"top_k": 5}, {"min_p": 0.1}, {"repetition_penalty": 1.1}], ids=str
)
def test_sampling_from_another_distribution_is_refused(make_trainer: Any, settings: Any) -> None:
    episodes = Episodes(GUESS, env_kwargs=SMALL)
    trainer = make_trainer(episodes, episodes.dataset(12), **settings)
    with pytest.raises(UsageError, match=f"GRPOConfig.{next(iter(settings))} must be"):
        trainer.train()


@pytest.mark.parametrize("temperature", [0.6, 1.7])
def test_recorded_log_probabilities_are_of_the_temperature_of_the_trainer(
    make_trainer: Any, temperature: float
) -> None:
    episodes = Episodes(GUESS, env_kwargs=SMALL)
    trainer = make_trainer(episodes, episodes.dataset(12), temperature=temperature, max_steps=1)
    trainer.train()
    assert max(logged(trainer, "logprob_gap/largest")) < 1e-4


@pytest.mark.parametrize("narrow", [{"top_k": 1}, {"min_p": 1.0}], ids=str)
def test_truncated_sampling_is_chosen(make_trainer: Any, narrow: dict[str, Any]) -> None:
    episodes = Episodes(GUESS, env_kwargs=SMALL, truncated_sampling=True)
    settings = {**narrow, "temperature": 2.0, "max_steps": 1}
    trainer = make_trainer(episodes, episodes.dataset(12), **settings)
    trainer.train()
    assert max(logged(trainer, "logprob_gap/largest")) < 1e-4  # of the whole distribution
    for start in range(0, 3 * GROUP, GROUP):
        group = episodes.trajectories[start : start + GROUP]
        assert len({json.dumps(episode["messages"]) for episode in group}) == 1


def test_a_limit_of_tokens_ends_episodes(make_trainer: Any) -> None:
    episodes = Episodes(GUESS, env_kwargs={"highest": 9, "turns": 4}, max_episode_tokens=5)
    trainer = make_trainer(episodes, episodes.dataset(12), max_steps=1)
    trainer.train()
    for episode in episodes.trajectories:
        *earlier, _ = [len(step["token_ids"]) for step in episode["steps"]]
        assert sum(earlier) < 5
    assert "max_tokens" in {episode["stop_reason"] for episode in episodes.trajectories}


def test_checkpoints_inside_a_generation_are_said_and_refused(
    make_trainer: Any, tmp_path: Path
) -> None:
    settings = {
        "steps_per_generation": 2,
        "max_steps": 4,
        "save_strategy": "steps",
        "save_steps": 1,
        "per_device_train_batch_size": GROUP,
    }
    whole = Episodes(GUESS, env_kwargs=SMALL)
    trainer = make_trainer(whole, whole.dataset(40), **settings)
    with pytest.warns(RuntimeWarning, match="save_steps must be a multiple of 2"):
        trainer.train()
    resumed = Episodes(GUESS, env_kwargs=SMALL)
    with pytest.raises(UsageError, match="the checkpoint of step 1 is inside a generation"):
        make_trainer(resumed, resumed.dataset(40), **settings).train(
            resume_from_checkpoint=str(tmp_path / "checkpoint-1")
        )
    again = make_trainer(resumed, resumed.dataset(40), **settings)
    again.train(resume_from_checkpoint=str(tmp_path / "checkpoint-2"))
    assert [episode["messages"] for episode in resumed.trajectories] == [
        episode["messages"] for episode in whole.trajectories
    ]
    assert logged(again, "totals/episodes")[-1] == 2 * 2 * GROUP
    assert torch.allclose(weights(trainer), weights(again))


@pytest.mark.parametrize(
    ("step", "done", "generation", "per_step", "iterations", "is_inside"),
    [
        (0, 0, 2, 1, 1, False),
        (3, 0, 2, 1, 1, True),
        (3, 5, 2, 1, 1, False),  # a training that was not interrupted
        (4, 0, 2, 1, 1, False),
        (4, 0, 2, 1, 4, True),
        (3, 0, 6, 2, 1, False),
        (3, 0, 4, 4, 1, False),
        (2, 0, 3, 2, 1, True),
    ],
)
def test_a_checkpoint_is_inside_a_generation_by_its_micro_batches(
    step: int, done: int, generation: int, per_step: int, iterations: int, is_inside: bool
) -> None:
    trainer = SimpleNamespace(
        _step=done,
        num_iterations=iterations,
        state=SimpleNamespace(global_step=step, save_steps=12),
        args=SimpleNamespace(
            steps_per_generation=generation,
            gradient_accumulation_steps=per_step,
            ignore_data_skip=False,
            save_strategy="steps",
        ),
    )
    with pytest.raises(UsageError) if is_inside else contextlib.nullcontext():
        check_checkpoints(trainer)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"on_split": "cut"}, "on_split must be error, drop or whole"),
        ({"rewards": "all"}, "rewards must be"),
        ({"credit": "step"}, "credit must be episode or turn, not 'step'"),
        ({"credit": "turn", "rewards": "environments"}, "credit='turn' needs rewards='total'"),
        ({"max_episode_tokens": 0}, "max_episode_tokens must be 1 or more, not 0"),
        ({"env_kwargs": {"split": "test"}}, "must not have split"),
        ({"env_kwargs": {GUESS: {"split": "test"}}}, "must not have split"),
    ],
)
def test_wrong_arguments_of_episodes_are_refused(arguments: Any, problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        Episodes(GUESS, **arguments)


def test_a_data_set_has_no_more_tasks_than_its_environment() -> None:
    episodes = Episodes(GUESS)
    assert len(episodes.dataset(split="test")) == 500
    with pytest.raises(UsageError, match="has unlimited tasks"):
        episodes.dataset()
    for arguments, problem in (
        ({"n": 400, "start": 200}, "cannot play 400 tasks from task 200 on: from 1 to 300"),
        ({"n": 501}, "cannot play 501 tasks"),
        ({"n": 0}, "cannot play 0 tasks"),
        ({"start": 500}, "has 500 tasks: start must be less, not 500"),
        ({"start": 501}, "start must be less"),
        ({"n": 1, "start": 500}, "start must be less"),
        ({"start": -1}, "start must be 0 or more"),
    ):
        with pytest.raises(UsageError, match=problem):
            episodes.dataset(split="test", **arguments)
    with pytest.raises(UsageError, match="start must be 0 or more"):
        episodes.dataset(3, start=-1)
    prompt = episodes.dataset(1, split="validation", start=7)["prompt"][0]
    assert task_of(prompt) == (GUESS, "validation", 7)


def test_a_data_set_has_tasks_of_each_environment() -> None:
    episodes = Episodes({GUESS: 0.9, MCQA: 0.1})
    assert Counter(episodes.dataset(10)["environment"]) == {GUESS: 9, MCQA: 1}
    with pytest.raises(UsageError, match="MCQA-v0 cannot play 0 tasks"):
        episodes.dataset(4)
    with pytest.raises(UsageError, match="weights divide the tasks among environments: pass n"):
        episodes.dataset(split="test")
    equal = Episodes({GUESS: 1.0, MCQA: 1.0})
    assert len(equal.dataset(split="test", start=450)) == 100


def test_a_verifier_is_a_reward_function() -> None:
    def verify(text: str, answer: Any) -> bool:
        if answer == "down":
            raise JudgeFailure("no reply")
        return text == answer

    reward = verifier_reward(verify, answer="gold")
    completions = [[assistant("A")], [assistant("A")], [assistant("A")]]
    assert reward.__name__ == "verify"
    assert reward(completions=completions, gold=["A", "B", "down"], prompts=[]) == [1.0, 0.0, None]
    with pytest.raises(UsageError, match="no column 'gold'"):
        reward(completions=completions)
