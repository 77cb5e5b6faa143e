"""Rollouts: every episode is played once and recorded completely, with retries or a failure."""

from __future__ import annotations

import asyncio
import json
import random
import signal
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import gymnasium
import pytest

import textgym
from textgym.core.episode import Grade
from textgym.errors import (
    ContextFullError,
    EnvironmentFailure,
    InvalidActionError,
    OracleError,
    PolicyFailure,
    RunError,
    UnknownNameError,
    UsageError,
)
from textgym.messages import Message, assistant, user
from textgym.policies import Action, Policy
from textgym.spaces import ActionSpace, ConversationSpace
from textgym.trajectories.run_folder import read_trajectories

MCQA, GUESS = "textgym/MCQA-v0", "textgym/GuessNumber-v0"
MATH = "textgym/Math-v0"
FIELDS = {
    "version",
    "env_id",
    "env_kwargs",
    "task_id",
    "task_index",
    "repeat",
    "seed",
    "policy",
    "tools",
    "messages",
    "steps",
    "terminated",
    "truncated",
    "stop_reason",
    "is_success",
    "reward",
    "info",
    "splits",
    "usage",
    "started_at",
    "seconds",
    "attempts",
    "failure",
}
STEP_FIELDS = {
    "message_index",
    "reward",
    "components",
    "finish_reason",
    "prompt_ids",
    "token_ids",
    "logprobs",
    "loss_mask",
    "policy_version",
    "seconds",
}
CARD = textgym.Card("demo/Talk-v0", "x", ("multi-turn",), ("x",), ("x",), "x", ("exact match",))
CLOCKS = ("started_at", "seconds")


class Talk(textgym.TextEnv[None]):
    """Names a word and talks for up to `max_turns`; rewards a last message that is the word."""

    card = CARD

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**{"max_turns": 3, **kwargs})

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        return {"word": "".join(rng.choices("abcdefgh", k=6))}

    def read_row(self, row: dict[str, Any]) -> textgym.Task:
        return textgym.Task(row["id"], (user(f"Say {row['word']}."),), row["word"], row=row)

    def respond(self, message: Message) -> list[Message] | None:
        return None if message.get("content") == self.task.answer else [user("No. Again.")]

    def grade(self) -> Grade:
        right = self.answer_text == self.task.answer
        return Grade(float(right), right, {"right": float(right)}, self.answer_text)

    def solve(self) -> Message:
        return assistant(self.task.answer)

    @textgym.tool
    def look(self) -> str:
        """Look around."""
        return "nothing"


class Scripted(Policy):
    """Answers with a function of the conversation, and counts its calls."""

    name = "scripted"

    def __init__(self, answer: Callable[[list[Message]], Any] = lambda messages: "x") -> None:
        self.answer = answer
        self.asked: list[tuple[str, int | None]] = []

    async def act(
        self, messages: Any, tools: Any, *, prior: Any = None, seed: Any = None
    ) -> Action:
        self.asked.append((json.dumps(messages), seed))
        answer = self.answer(messages)
        return answer if isinstance(answer, Action) else Action(assistant(answer))


def right_word(messages: list[Message]) -> str:
    """The answer to Talk's prompt."""
    return str(messages[0]["content"]).removeprefix("Say ").removesuffix(".")


def talk(**kwargs: Any) -> Callable[[], Talk]:
    return lambda: Talk(split="test", **kwargs)


def play(envs: Any = None, policy: Any = "oracle", **options: Any) -> list[dict[str, Any]]:
    """Play two tasks by default, and return the trajectories by task and repeat."""
    run = textgym.rollout(envs or talk(), policy, **{"episodes": 2, **options})
    return sorted(run.trajectories(), key=lambda t: (t["env_id"], t["task_index"], t["repeat"]))


def without_clocks(trajectories: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {key: value for key, value in trajectory.items() if key not in CLOCKS}
        | {"steps": [{**step, "seconds": 0} for step in trajectory["steps"]]}
        for trajectory in trajectories
    ]


def raises(error: BaseException) -> Callable[[list[Message]], str]:
    def answer(messages: list[Message]) -> str:
        raise error

    return answer


# Records.


def cut(messages: list[Message]) -> str:
    if len(messages) > 2:
        raise ContextFullError("full")
    return "x"


@pytest.mark.parametrize(
    ("policy", "outcome"),
    [
        (Scripted(right_word), ("answer", True, False, 1.0, True)),
        (Scripted(), ("max_turns", False, True, 0.0, False)),
        (Scripted(cut), ("context", False, True, 0.0, False)),
        (Scripted(raises(PolicyFailure("down"))), ("", False, False, None, None)),
    ],
    ids=["completed", "truncated", "context", "failed"],
)
def test_every_outcome_has_exactly_the_fields_of_the_schema(
    policy: Policy, outcome: tuple[Any, ...]
) -> None:
    for trajectory in play(policy=policy):
        assert trajectory.keys() == FIELDS
        assert all(step.keys() == STEP_FIELDS for step in trajectory["steps"])
        names = ("stop_reason", "terminated", "truncated", "reward", "is_success")
        assert tuple(trajectory[name] for name in names) == outcome
        assert (trajectory["failure"] is None) == (trajectory["reward"] is not None)
        json.dumps(trajectory, allow_nan=False)


def test_a_completed_episode_is_recorded_completely() -> None:
    (trajectory,) = play(
        policy=Scripted(lambda m: right_word(m) if len(m) > 2 else "no"), episodes=1, seed=7
    )
    word = trajectory["messages"][0]["content"][4:-1]
    assert trajectory["messages"] == [
        user(f"Say {word}."),
        assistant("no"),
        user("No. Again."),
        assistant(word),
    ]
    assert [step["message_index"] for step in trajectory["steps"]] == [1, 3]
    assert [step["reward"] for step in trajectory["steps"]] == [0.0, 1.0]
    assert [step["components"] for step in trajectory["steps"]] == [{}, {"right": 1.0}]
    assert [tool["function"]["name"] for tool in trajectory["tools"]] == ["look"]
    assert trajectory["task_id"] == trajectory["info"]["task_id"] == "test-mixed-0"
    assert trajectory["info"]["extracted_answer"] == word
    assert "tools" not in trajectory["info"]
    head = ("version", "env_id", "task_index", "repeat", "seed", "policy", "attempts")
    assert [trajectory[name] for name in head] == [2, "demo/Talk-v0", 0, 0, 7, "scripted", 1]


def test_token_fields_are_none_without_tokens() -> None:
    names = ("prompt_ids", "token_ids", "logprobs", "loss_mask", "policy_version")
    for trajectory in play():
        assert [trajectory["steps"][0][name] for name in names] == [None] * 5


def test_tokens_are_recorded_and_usage_is_summed() -> None:
    def answer(messages: list[Message]) -> Action:
        usage = {"prompt_tokens": 5, "completion_tokens": 2}
        return Action(assistant("x"), "stop", usage, [1, 2], [3, 4], [-0.5, -1.0], "v1")

    (trajectory,) = play(policy=Scripted(answer), episodes=1)
    assert trajectory["usage"] == {"prompt_tokens": 15, "completion_tokens": 6}
    for step in trajectory["steps"]:
        assert (step["prompt_ids"], step["token_ids"]) == ([1, 2], [3, 4])
        assert (step["logprobs"], step["loss_mask"]) == ([-0.5, -1.0], [1, 1])
        assert step["policy_version"] == "v1"


def test_a_cut_last_message_is_the_stop_reason() -> None:
    answer = Scripted(lambda messages: Action(assistant("x"), "length"))
    for trajectory in play(policy=answer):
        assert trajectory["stop_reason"] == "max_tokens"
        assert trajectory["info"]["stop_reason"] == "max_turns"
        assert [step["finish_reason"] for step in trajectory["steps"]] == ["length"] * 3


def test_a_cut_earlier_message_is_not_the_stop_reason() -> None:
    def answer(messages: list[Message]) -> Action:
        first = len(messages) == 1
        said = "x" if first else right_word(messages)
        return Action(assistant(said), "length" if first else "stop")

    assert {t["stop_reason"] for t in play(policy=Scripted(answer))} == {"answer"}


def test_a_full_context_ends_the_episode_without_a_retry() -> None:
    policy = Scripted(cut)
    (trajectory,) = play(policy=policy, episodes=1)
    assert len(policy.asked) == 2
    assert trajectory["attempts"] == 1
    assert [m["role"] for m in trajectory["messages"]] == ["user", "assistant", "user"]
    assert len(trajectory["steps"]) == 1


def test_a_policy_cannot_change_the_record_through_its_arguments() -> None:
    class Spoiler(Scripted):
        async def act(self, messages: Any, tools: Any, **rest: Any) -> Action:
            action = await super().act(messages, tools, **rest)
            messages.append(user("spoiled"))
            messages[0]["content"] = "spoiled"
            for schema in tools:
                schema["function"]["parameters"] = "spoiled"
            return action

    clean, spoiled = play(policy=Scripted()), play(policy=Spoiler())
    assert without_clocks(spoiled) == without_clocks(clean)


def test_a_retried_policy_gets_unchanged_arguments() -> None:
    def answer(messages: list[Message]) -> str:
        whole = messages[0]["content"] != "spoiled"
        messages[0]["content"] = "spoiled"
        if len(policy.asked) == 1:
            raise PolicyFailure("down")
        return "whole" if whole else "spoiled"

    policy = Scripted(answer)
    (trajectory,) = play(policy=policy, episodes=1)
    assert trajectory["messages"][1] == assistant("whole")


# Failures.


class Shaky(Talk):
    """Raises the next one of `errors`, if it is not None, instead of responding."""

    errors: Iterator[BaseException | None]
    steps: list[str]

    def respond(self, message: Message) -> list[Message] | None:
        self.steps.append(str(message.get("content")))
        error = next(self.errors, None)
        if error is not None:
            raise error
        return super().respond(message)


def shaky(*errors: BaseException | None) -> tuple[Callable[[], Shaky], list[str]]:
    """Return a function that makes such environments, and the list of messages they were given."""
    steps: list[str] = []
    shared = iter(errors)

    def make() -> Shaky:
        env = Shaky(split="test")
        env.errors, env.steps = shared, steps
        return env

    return make, steps


def test_a_failed_step_is_retried_with_the_same_message() -> None:
    make, steps = shaky(EnvironmentFailure("a"), EnvironmentFailure("b"))
    policy = Scripted(lambda messages: f"said {len(policy.asked)}")
    (trajectory,) = play(make, policy, episodes=1)
    assert steps == ["said 1", "said 1", "said 1", "said 2", "said 3"]
    assert len(policy.asked) == 3
    assert (trajectory["attempts"], trajectory["failure"]) == (3, None)
    assert len(trajectory["steps"]) == 3


def test_the_policy_is_called_again_only_if_it_failed() -> None:
    def answer(messages: list[Message]) -> str:
        if len(policy.asked) < 3:
            raise PolicyFailure("down")
        return right_word(messages)

    policy = Scripted(answer)
    make, steps = shaky()
    (trajectory,) = play(make, policy, episodes=1)
    assert len(policy.asked) == 3
    assert len(steps) == 1
    assert (trajectory["attempts"], trajectory["reward"]) == (3, 1.0)


def test_a_policy_is_retried_with_the_same_seed() -> None:
    policy = Scripted(raises(PolicyFailure("down")))
    play(policy=policy, episodes=1)
    assert len(policy.asked) == 3
    assert len(set(policy.asked)) == 1


@pytest.mark.parametrize("retries", [0, 1, 2])
def test_retries_do_not_count_the_first_attempt(retries: int) -> None:
    make, steps = shaky(*[EnvironmentFailure("judge is down")] * 9)
    policy = Scripted()
    (trajectory,) = play(make, policy, episodes=1, retries=retries)
    assert len(steps) == trajectory["attempts"] == retries + 1
    assert len(policy.asked) == 1


def test_a_lasting_failure_is_recorded_without_a_reward() -> None:
    make, _ = shaky(*[EnvironmentFailure("judge is down")] * 3)
    (trajectory,) = play(make, Scripted(), episodes=1)
    failure = trajectory["failure"]
    assert failure["traceback"].endswith("EnvironmentFailure: judge is down\n")
    assert failure == {
        "boundary": "environment",
        "type": "EnvironmentFailure",
        "message": "judge is down",
        "traceback": failure["traceback"],
    }
    assert (trajectory["reward"], trajectory["is_success"]) == (None, None)


def test_a_failure_is_recorded_with_its_own_boundary() -> None:
    class JudgeFailure(EnvironmentFailure):
        boundary = "judge"

    make, _ = shaky(*[JudgeFailure("no verdict")] * 3)
    (trajectory,) = play(make, Scripted(), episodes=1)
    assert trajectory["failure"]["boundary"] == "judge"


def test_a_policy_that_stays_down_is_the_recorded_boundary() -> None:
    for trajectory in play(policy=Scripted(raises(PolicyFailure("down")))):
        failure = trajectory["failure"]
        told = (failure["boundary"], failure["type"], failure["message"])
        assert told == ("policy", "PolicyFailure", "down")
        assert trajectory["task_id"] is not None
        assert len(trajectory["messages"]) == 1


def test_a_bug_in_a_policy_is_a_failure_of_the_policy() -> None:
    (trajectory,) = play(policy=Scripted(raises(KeyError("choices"))), episodes=1)
    assert trajectory["failure"]["boundary"] == "policy"
    assert trajectory["failure"]["type"] == "KeyError"


def test_a_usage_error_of_a_policy_is_not_retried() -> None:
    policy = Scripted(raises(UsageError("an image")))
    (trajectory,) = play(policy=policy, episodes=1)
    assert len(policy.asked) == 1
    assert trajectory["failure"]["boundary"] == "policy"


def test_a_bug_in_step_is_a_failure_of_the_environment_and_not_retried() -> None:
    make, steps = shaky(ZeroDivisionError("bug"))
    (trajectory,) = play(make, Scripted(), episodes=1)
    assert trajectory["failure"]["boundary"] == "environment"
    assert trajectory["failure"]["type"] == "ZeroDivisionError"
    assert len(steps) == trajectory["attempts"] == 1


def test_a_reward_out_of_range_is_a_failure_of_the_environment() -> None:
    class Generous(Talk):
        def grade(self) -> Grade:
            return Grade(7.0, True)

    (trajectory,) = play(lambda: Generous(split="test"), Scripted(), episodes=1)
    assert trajectory["failure"]["boundary"] == "environment"
    assert trajectory["failure"]["type"] == "RewardError"


@pytest.mark.parametrize("message", [{"role": "user", "content": "x"}, 5, None], ids=repr)
def test_an_invalid_action_is_a_failure_of_the_policy_and_not_retried(message: Any) -> None:
    policy = Scripted(lambda messages: Action(message))
    (trajectory,) = play(policy=policy, episodes=1)
    assert trajectory["failure"]["boundary"] == "policy"
    assert trajectory["failure"]["type"] == InvalidActionError.__name__
    assert len(policy.asked) == trajectory["attempts"] == 1


def test_a_bug_in_reset_is_a_failure_of_the_environment() -> None:
    class Broken(Talk):
        def begin(self, task: textgym.Task) -> None:
            raise ZeroDivisionError("bug")

    (trajectory,) = play(lambda: Broken(split="test"), Scripted(), episodes=1)
    assert trajectory["failure"]["boundary"] == "environment"
    assert trajectory.keys() == FIELDS
    assert (trajectory["messages"], trajectory["steps"], trajectory["task_id"]) == ([], [], None)


def test_one_bad_episode_does_not_end_the_run() -> None:
    bad = play(episodes=1)[0]["messages"][0]["content"]

    def answer(messages: list[Message]) -> str:
        if messages[0]["content"] == bad:
            raise RuntimeError("bad")
        return right_word(messages)

    run = textgym.rollout(talk(), Scripted(answer), episodes=20)
    assert run.mean_reward == 1.0
    figures = run.metrics["overall"]
    assert (figures["episodes"], figures["failures"]) == (20, 1)
    assert figures["failures_by_boundary"] == {"policy": 1}


def test_an_environment_that_failed_plays_its_next_task_from_the_start() -> None:
    make, _ = shaky(None, ZeroDivisionError("bug"))
    first, second = play(make, Scripted(), concurrency=1)
    assert first["failure"] is not None
    assert second["failure"] is None
    assert len(second["messages"]) == 7  # the prompt, three answers and their replies


def test_a_policy_that_cannot_play_an_environment_is_refused_at_once() -> None:
    with pytest.raises(OracleError, match=r"Plain .*oracle.* not define solve"):
        textgym.rollout(Plain, "oracle", episodes=2)


def test_an_error_of_a_callback_is_raised_unchanged() -> None:
    def stop(trajectory: dict[str, Any]) -> None:
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        textgym.rollout(talk(), "oracle", episodes=2, on_episode=stop)


# Plans.


def test_every_task_and_repeat_is_played_once() -> None:
    trajectories = play(episodes=30, repeats=3, concurrency=7)
    keys = [(t["task_index"], t["repeat"]) for t in trajectories]
    assert keys == [(task, repeat) for task in range(30) for repeat in range(3)]
    assert len({t["task_id"] for t in trajectories}) == 30


def test_all_tasks_are_played_by_default() -> None:
    assert len(play(episodes=None)) == 500


def test_repeats_have_the_same_prompt_and_different_seeds() -> None:
    policy = Scripted()
    play(policy=policy, episodes=3, repeats=4)
    first_turns = [asked for asked in policy.asked if len(json.loads(asked[0])) == 1]
    assert len({prompt for prompt, _ in first_turns}) == 3
    assert len({seed for _, seed in first_turns}) == 12


def test_every_turn_has_a_different_seed() -> None:
    policy = Scripted()
    play(policy=policy, episodes=1)
    assert len({seed for _, seed in policy.asked}) == len(policy.asked) == 3


def test_the_same_seed_gives_the_same_run() -> None:
    runs = [play(MCQA, "random", env_kwargs={"split": "test"}, episodes=20) for _ in range(2)]
    assert without_clocks(runs[0]) == without_clocks(runs[1])


def test_concurrency_does_not_change_the_results() -> None:
    runs = [
        play(MCQA, "random", env_kwargs={"split": "test"}, episodes=20, concurrency=concurrency)
        for concurrency in (1, 9)
    ]
    assert without_clocks(runs[0]) == without_clocks(runs[1])


def test_another_seed_gives_other_answers_to_the_same_tasks() -> None:
    runs = [
        play(MCQA, "random", env_kwargs={"split": "test"}, episodes=20, seed=seed)
        for seed in (0, 1)
    ]
    prompts = [[t["messages"][0] for t in run] for run in runs]
    answers = [[t["messages"][1] for t in run] for run in runs]
    assert prompts[0] == prompts[1]
    assert answers[0] != answers[1]


def test_the_environment_is_seeded_by_the_run_and_the_task() -> None:
    seeds: list[tuple[int, Any]] = []

    class Recorder(Talk):
        def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
            seeds.append((options["index"], seed))
            return super().reset(seed=seed, options=options)

    def make() -> Recorder:
        return Recorder(split="test")

    play(make, episodes=3, repeats=2)
    assert len(seeds) == 6
    assert len(set(seeds)) == len({seed for _, seed in seeds}) == 3
    first = set(seeds)
    seeds.clear()
    play(make, episodes=3, seed=1)
    assert first.isdisjoint(seeds)


def test_weights_divide_the_episodes() -> None:
    weights = {MCQA: 3.0, MATH: 1.0}
    trajectories = play(weights, episodes=9, env_kwargs={"split": "test"})
    assert Counter(t["env_id"] for t in trajectories) == {MCQA: 7, MATH: 2}
    for id in weights:
        indices = [t["task_index"] for t in trajectories if t["env_id"] == id]
        assert indices == list(range(len(indices)))


def test_several_ids_have_separate_metrics() -> None:
    weights = dict.fromkeys((MCQA, MATH), 1.0)
    run = textgym.rollout(weights, "oracle", episodes=6, env_kwargs={"split": "test"})
    assert {id: f["episodes"] for id, f in run.metrics["envs"].items()} == dict.fromkeys(weights, 3)
    assert run.metrics["overall"]["episodes"] == 6


@pytest.mark.parametrize("weight", [0, -1.0, float("nan")])
def test_a_weight_must_be_greater_than_zero(weight: float) -> None:
    with pytest.raises(UsageError, match="weights"):
        textgym.rollout({MCQA: 1.0, MATH: weight}, "oracle", episodes=4)


def test_an_id_without_an_episode_is_refused() -> None:
    with pytest.raises(UsageError, match="cannot play 0 tasks"):
        textgym.rollout({MCQA: 100.0, MATH: 1.0}, "oracle", episodes=2)


@pytest.mark.parametrize("episodes", [501, 0, -1])
def test_a_number_of_tasks_out_of_range_is_refused(episodes: int) -> None:
    with pytest.raises(UsageError, match=f"cannot play {episodes} tasks: from 1 to 500"):
        textgym.rollout(talk(), "oracle", episodes=episodes)


def test_a_train_split_needs_a_number_of_episodes() -> None:
    with pytest.raises(UsageError, match=f"{MCQA} has unlimited tasks.*pass episodes"):
        textgym.rollout(MCQA, "oracle", env_kwargs={"split": "train"})


def test_the_test_split_is_played_by_default() -> None:
    (named,) = textgym.rollout(MCQA, "oracle", tasks=[0]).trajectories()
    assert (named["task_id"], named["env_kwargs"]) == ("test-mixed-0", {"split": "test"})
    (made,) = textgym.rollout(lambda: gymnasium.make(MCQA), "oracle", tasks=[0]).trajectories()
    assert made["task_id"] == "train-mixed-0"


def test_another_split_of_one_environment_is_kept() -> None:
    kwargs = {GUESS: {"split": "validation"}}
    run = textgym.rollout({MCQA: 1, GUESS: 1}, "oracle", episodes=2, env_kwargs=kwargs)
    assert {item["env_id"]: item["env_kwargs"]["split"] for item in run.trajectories()} == {
        MCQA: "test",
        GUESS: "validation",
    }


def test_a_train_split_has_any_number_of_tasks() -> None:
    assert len(play(lambda: Talk(split="train"), episodes=600)) == 600


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"repeats": 0}, "repeats must be 1 or more, not 0"),
        ({"concurrency": 0}, "concurrency must be 1 or more, not 0"),
        ({"retries": -1}, "retries must be 0 or more, not -1"),
    ],
    ids=str,
)
def test_a_number_out_of_range_is_refused(options: dict[str, int], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        textgym.rollout(talk(), "oracle", episodes=1, **options)


def test_an_empty_mixture_is_refused() -> None:
    with pytest.raises(UsageError, match="envs is empty"):
        textgym.rollout({}, "oracle", episodes=1)


def test_an_unknown_id_is_refused_with_a_suggestion() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'textgym/MCQA-v0'"):
        textgym.rollout("textgym/MCQB-v0", "oracle", episodes=1)


def test_env_kwargs_reach_the_environment_and_the_record() -> None:
    kwargs = {"split": "test", "level": 2, "shots": 1}
    for trajectory in play(MCQA, env_kwargs=kwargs):
        assert trajectory["env_kwargs"] == kwargs
        assert trajectory["task_id"].startswith("test-2-")
        assert len(trajectory["messages"]) == 4


def test_a_function_takes_no_env_kwargs() -> None:
    with pytest.raises(UsageError, match="env_kwargs need an id"):
        textgym.rollout(talk(), "oracle", episodes=1, env_kwargs={"level": 1})


def test_a_function_that_makes_a_registered_environment_plays_under_its_id() -> None:
    (trajectory,) = play(lambda: gymnasium.make(MCQA), episodes=1)
    assert (trajectory["env_id"], trajectory["reward"]) == (MCQA, 1.0)


def test_sampling_is_refused_for_a_policy_object() -> None:
    with pytest.raises(UsageError, match="sampling"):
        textgym.rollout(talk(), Scripted(), episodes=1, sampling={"temperature": 0})


# Environments of other projects.


class Plain(gymnasium.Env[list[Message], Message]):
    """A plain Gymnasium environment with message spaces and dense rewards."""

    observation_space = ConversationSpace()
    action_space = ActionSpace()

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        assert options is None
        self.messages = [user(f"Number {self.np_random.integers(10**9)}")]
        return list(self.messages), {}

    def step(self, action: Message) -> Any:
        self.messages += [action, user("more")]
        return list(self.messages), 0.5, False, len(self.messages) > 4, {}


def test_an_environment_that_is_not_a_text_env_is_played() -> None:
    trajectories = play(Plain, Scripted(), episodes=3, repeats=2)
    for trajectory in trajectories:
        assert trajectory.keys() == FIELDS
        assert (trajectory["env_id"], trajectory["task_id"]) == ("Plain", None)
        assert (trajectory["reward"], trajectory["is_success"]) == (1.0, False)
        assert (trajectory["truncated"], trajectory["stop_reason"]) == (True, "time")
        assert [step["message_index"] for step in trajectory["steps"]] == [1, 3]
    assert len({t["messages"][0]["content"] for t in trajectories}) == 3


def test_an_environment_without_num_tasks_needs_a_number_of_episodes() -> None:
    with pytest.raises(UsageError, match="Plain has unlimited tasks"):
        textgym.rollout(Plain, Scripted())


@pytest.mark.parametrize("reward", [float("nan"), float("inf"), None, "much"], ids=repr)
def test_a_reward_that_is_not_a_number_is_a_failure_of_the_environment(reward: Any) -> None:
    class Odd(Plain):
        def step(self, action: Message) -> Any:
            return [action], reward, True, False, {}

    (trajectory,) = play(Odd, Scripted(), episodes=1)
    assert trajectory["reward"] is None
    assert trajectory["failure"]["boundary"] == "environment"


# Concurrency.


class Crowd(Scripted):
    """Counts how many episodes run at once."""

    under_way = most = 0

    async def act(self, messages: Any, tools: Any, **rest: Any) -> Action:
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        for _ in range(3):
            await asyncio.sleep(0)
        self.under_way -= 1
        return await super().act(messages, tools, **rest)


@pytest.mark.parametrize(("concurrency", "most"), [(1, 1), (4, 4), (64, 12)])
def test_concurrency_is_reached_and_never_exceeded(concurrency: int, most: int) -> None:
    policy = Crowd()
    play(policy=policy, episodes=6, repeats=2, concurrency=concurrency)
    assert policy.most == most


class Waiting(Talk):
    """Steps only when all other environments step at the same time."""

    blocking = True
    barrier: threading.Barrier
    threads: set[int]

    def respond(self, message: Message) -> list[Message] | None:
        self.threads.add(threading.get_ident())
        self.barrier.wait(timeout=60)
        return None


def test_blocking_steps_run_concurrently_in_threads() -> None:
    Waiting.barrier, Waiting.threads = threading.Barrier(8), set()
    trajectories = play(lambda: Waiting(split="test"), Scripted(), episodes=8, concurrency=8)
    assert [t["failure"] for t in trajectories] == [None] * 8
    assert len(Waiting.threads) == 8
    assert threading.get_ident() not in Waiting.threads


def test_other_steps_run_in_the_event_loops_thread() -> None:
    class Quick(Waiting):
        blocking = False

    Waiting.barrier, Waiting.threads = threading.Barrier(1), set()
    play(lambda: Quick(split="test"), Scripted())
    assert Waiting.threads == {threading.get_ident()}


def test_blocking_may_depend_on_the_environments_arguments() -> None:
    def make() -> Waiting:
        env = Waiting(split="test")
        env.blocking = False
        return env

    Waiting.barrier, Waiting.threads = threading.Barrier(1), set()
    play(make, Scripted())
    assert Waiting.threads == {threading.get_ident()}


def test_a_failure_in_a_thread_is_retried() -> None:
    make, steps = shaky(EnvironmentFailure("a"))

    def blocking() -> Shaky:
        env = make()
        env.blocking = True
        return env

    (trajectory,) = play(blocking, Scripted(right_word), episodes=1)
    assert (trajectory["reward"], trajectory["attempts"], len(steps)) == (1.0, 2, 2)


def test_inside_a_running_loop_the_error_names_the_async_function() -> None:
    async def inside() -> None:
        textgym.rollout(talk(), "oracle", episodes=1)

    with pytest.raises(UsageError, match=r"await textgym\.arollout"):
        asyncio.run(inside())


def test_arollout_works_inside_a_running_loop() -> None:
    async def inside() -> Any:
        return await textgym.arollout(talk(), "oracle", episodes=3)

    assert asyncio.run(inside()).mean_reward == 1.0


def test_two_rollouts_share_a_loop() -> None:
    async def inside() -> list[Any]:
        both = [textgym.arollout(talk(), "oracle", episodes=n) for n in (3, 5)]
        return list(await asyncio.gather(*both))

    assert [len(run.in_memory) for run in asyncio.run(inside())] == [3, 5]


class Closing(Scripted):
    closed = 0

    async def close(self) -> None:
        self.closed += 1


def test_a_callers_policy_is_not_closed() -> None:
    policy = Closing()
    play(policy=policy)
    assert policy.closed == 0


def test_every_environment_is_closed() -> None:
    made: list[Talk] = []
    closed: list[Talk] = []

    class Door(Talk):
        def close(self) -> None:
            closed.append(self)

    def make() -> Door:
        made.append(Door(split="test"))
        return made[-1]

    play(make, episodes=5, concurrency=3)
    assert len(made) == len(closed) >= 1
    assert set(map(id, made)) == set(map(id, closed))


@pytest.mark.parametrize("as_mixture", [False, True])
def test_an_environment_is_made_once_before_the_first_step(as_mixture: bool) -> None:
    made: list[Talk] = []

    def make() -> Talk:
        made.append(Talk(split="test"))
        return made[-1]

    textgym.rollout(
        {"talk": make} if as_mixture else make,
        "oracle",
        episodes=1,
        on_start=lambda total: made.append(made[0]),
    )
    assert len(made) == 2
    assert made[0] is made[1]


@pytest.mark.parametrize(
    "problem",
    [
        {"episodes": 10**6},
        {"tasks": []},
        {"repeats": 0},
        {"env_concurrency": {"other": 1}},
        {"env_kwargs": {"level": 1}},
        {"curriculum": True},
        {"wrappers": ["NoSuchWrapper"]},
        {"wrappers": ["FlattenConversation"]},
    ],
    ids=repr,
)
def test_environments_are_closed_if_an_argument_is_refused(problem: dict[str, Any]) -> None:
    opened = closed = 0

    class Door(Talk):
        def close(self) -> None:
            nonlocal closed
            closed += 1

    def make() -> Door:
        nonlocal opened
        opened += 1
        return Door(split="test")

    with pytest.raises(UsageError):
        textgym.rollout(make, "oracle", **problem)
    assert opened == closed <= 1


def test_environments_are_closed_if_the_policy_is_refused() -> None:
    closed = []

    class Door(Talk):
        def close(self) -> None:
            closed.append(self)

    with pytest.raises(UsageError, match="there is no policy"):
        textgym.rollout(lambda: Door(split="test"), "oracel")
    assert len(closed) == 1


def test_environments_that_were_made_are_closed_if_another_cannot_be_made() -> None:
    closed = []

    class Door(Talk):
        def close(self) -> None:
            closed.append(self)

    def broken() -> Door:
        raise OSError("no such door")

    with pytest.raises(OSError, match="no such door"):
        textgym.rollout({"door": Door, "broken": broken}, "oracle")
    assert len(closed) == 1


def test_callbacks_get_the_number_of_episodes_and_each_trajectory() -> None:
    totals: list[int] = []
    seen: list[dict[str, Any]] = []
    run = textgym.rollout(
        talk(), "oracle", episodes=3, repeats=2, on_start=totals.append, on_episode=seen.append
    )
    assert totals == [6]
    assert seen == list(run.trajectories())


# Folders and resuming.


def test_a_folder_holds_configuration_trajectories_and_metrics(tmp_path: Path) -> None:
    out = tmp_path / "new" / "run"
    run = textgym.rollout(
        MCQA, "random", episodes=4, repeats=2, seed=3, out=out, env_kwargs={"split": "test"}
    )
    assert sorted(file.name for file in out.iterdir()) == [
        "metrics.json",
        "run.json",
        "trajectories.jsonl",
    ]
    asked = json.loads((out / "run.json").read_text())
    expected = {"policy": "random", "episodes": 4, "repeats": 2, "seed": 3, "version": 2}
    assert asked.items() >= {**expected, "env_kwargs": {"split": "test"}}.items()
    assert json.loads((out / "metrics.json").read_text()) == run.metrics
    lines = (out / "trajectories.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in lines] == list(run.trajectories())
    assert len(lines) == 8
    assert run.out == out


def test_folder_and_memory_hold_the_same_trajectories(tmp_path: Path) -> None:
    in_memory = play(episodes=5, policy=Scripted(cut))
    on_disk = play(episodes=5, policy=Scripted(cut), out=tmp_path / "run")
    assert without_clocks(on_disk) == without_clocks(in_memory)


def test_an_empty_folder_is_accepted(tmp_path: Path) -> None:
    assert len(play(out=tmp_path)) == 2


def test_a_folder_that_holds_a_run_is_not_overwritten(tmp_path: Path) -> None:
    play(out=tmp_path)
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    with pytest.raises(RunError, match="holds a run already"):
        play(out=tmp_path)
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_a_folder_with_trajectories_of_an_unknown_run_is_not_added_to(tmp_path: Path) -> None:
    play(out=tmp_path)
    (tmp_path / "run.json").unlink()
    with pytest.raises(RunError):
        play(out=tmp_path)


@pytest.mark.parametrize("below", ["", "deeper"])
def test_a_file_in_place_of_the_folder_is_refused(tmp_path: Path, below: str) -> None:
    file = tmp_path / "file"
    file.write_text("mine")
    with pytest.raises(RunError, match="cannot write to"):
        play(out=file / below)
    assert file.read_text() == "mine"


def test_resume_without_a_folder_is_refused() -> None:
    with pytest.raises(RunError, match="resume needs the folder"):
        play(resume=True)


def test_resume_starts_a_run_in_an_empty_folder(tmp_path: Path) -> None:
    assert len(play(out=tmp_path / "new", resume=True)) == 2


def test_resume_plays_only_missing_episodes(tmp_path: Path) -> None:
    options: dict[str, Any] = {"episodes": 5, "repeats": 2, "out": tmp_path}
    whole = play(policy=Scripted(), **options)
    file = tmp_path / "trajectories.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(lines[:6]) + lines[6][: len(lines[6]) // 2])
    policy = Scripted()
    assert without_clocks(play(policy=policy, resume=True, **options)) == without_clocks(whole)
    assert len(policy.asked) == 4 * 3
    assert file.read_bytes().startswith(b"".join(lines[:6]))
    assert len(file.read_bytes().splitlines()) == 10


def test_resume_includes_earlier_episodes_in_the_metrics(tmp_path: Path) -> None:
    options: dict[str, Any] = {"episodes": 6, "out": tmp_path}
    policy = Scripted(lambda m: right_word(m) if "a" in right_word(m) else "no")
    whole = textgym.rollout(talk(), policy, **options)
    file = tmp_path / "trajectories.jsonl"
    file.write_bytes(b"".join(file.read_bytes().splitlines(keepends=True)[:3]))
    (tmp_path / "metrics.json").unlink()
    again = textgym.rollout(talk(), policy, resume=True, **options)
    figures = ("episodes", "tasks", "mean_reward", "mean_steps", "stop_reasons")
    for name in figures:
        assert again.metrics["overall"][name] == whole.metrics["overall"][name]


def test_resuming_a_finished_run_plays_nothing(tmp_path: Path) -> None:
    options: dict[str, Any] = {"episodes": 3, "out": tmp_path}
    first = textgym.rollout(talk(), Scripted(), **options)
    policy = Scripted()
    again = textgym.rollout(talk(), policy, resume=True, **options)
    assert policy.asked == []
    assert again.metrics == first.metrics


def test_a_failed_episode_is_recorded_once_and_played_again_when_resumed(tmp_path: Path) -> None:
    def all_but_one(messages: list[Message]) -> str:
        if len(policy.asked) > 1:
            raise PolicyFailure("down")
        return right_word(messages)

    policy = Scripted(all_but_one)
    options: dict[str, Any] = {"episodes": 3, "out": tmp_path, "concurrency": 1, "retries": 0}
    assert [bool(t["failure"]) for t in play(policy=policy, **options)] == [False, True, True]
    again = Scripted(right_word)
    trajectories = play(policy=again, resume=True, **options)
    assert [(t["task_index"], t["reward"]) for t in trajectories] == [(0, 1.0), (1, 1.0), (2, 1.0)]
    assert len(again.asked) == 2
    assert len((tmp_path / "trajectories.jsonl").read_bytes().splitlines()) == 3


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seed": 1}, "seed is 0, not 1"),
        ({"repeats": 2}, "repeats is 1, not 2"),
        ({"episodes": 3}, "episodes is 2, not 3"),
        ({"policy": "random"}, 'policy is "oracle", not "random"'),
        ({"env_kwargs": {"split": "validation"}}, 'env_kwargs is {"split": "test"}, not'),
        ({"envs": MATH}, "envs is"),
    ],
    ids=str,
)
def test_resuming_another_run_is_refused_with_the_key_that_differs(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    asked = {"envs": MCQA, "policy": "oracle", "env_kwargs": {"split": "test"}, "out": tmp_path}
    play(**asked)
    before = (tmp_path / "trajectories.jsonl").read_bytes()
    with pytest.raises(RunError, match=f"holds another run: its {message}"):
        play(**{**asked, **change}, resume=True)
    assert (tmp_path / "trajectories.jsonl").read_bytes() == before


def test_a_run_can_be_resumed_with_another_concurrency(tmp_path: Path) -> None:
    play(out=tmp_path, concurrency=1)
    assert len(play(out=tmp_path, concurrency=8, retries=5, resume=True)) == 2


def test_trajectories_without_a_valid_run_file_are_refused(tmp_path: Path) -> None:
    play(out=tmp_path)
    (tmp_path / "run.json").write_text('{"version": 1, "en')
    with pytest.raises(RunError, match=r"holds trajectories, but its run\.json is missing"):
        play(out=tmp_path, resume=True)


@pytest.mark.parametrize("content", ["", '{"version": 1, "en'])
def test_a_run_that_was_killed_before_it_began_is_restarted(tmp_path: Path, content: str) -> None:
    (tmp_path / "run.json").write_text(content)
    (tmp_path / "trajectories.jsonl").touch()
    assert len(play(out=tmp_path)) == 2
    assert json.loads((tmp_path / "run.json").read_text())["version"] == 2


@pytest.mark.parametrize("content", ["[]", "null", "5"])
def test_a_run_file_that_is_not_an_object_is_refused(tmp_path: Path, content: str) -> None:
    play(out=tmp_path)
    (tmp_path / "run.json").write_text(content)
    with pytest.raises(RunError, match=r"run\.json"):
        play(out=tmp_path, resume=True)


def test_a_broken_line_within_the_file_is_reported(tmp_path: Path) -> None:
    play(out=tmp_path)
    file = tmp_path / "trajectories.jsonl"
    file.write_bytes(b'{"version": 1, "en\n' + file.read_bytes())
    with pytest.raises(RunError, match="line 1"):
        play(out=tmp_path, resume=True)


def test_reading_a_folder_without_a_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="holds no run"):
        list(read_trajectories(tmp_path))


def test_an_unpaired_surrogate_survives_writing_and_reading(tmp_path: Path) -> None:
    said = "\ud800 half, é whole \U0001f642 \u2028"
    for trajectory in play(policy=Scripted(lambda messages: said), out=tmp_path):
        assert trajectory["messages"][1]["content"] == said
    assert len((tmp_path / "trajectories.jsonl").read_bytes().split(b"\n")) == 3


def test_an_interrupted_run_has_complete_lines_and_can_be_resumed(tmp_path: Path) -> None:
    def answer(messages: list[Message]) -> str:
        if len(policy.asked) == 10:
            signal.raise_signal(signal.SIGINT)
        return right_word(messages)

    policy = Scripted(answer)
    options: dict[str, Any] = {"episodes": 200, "out": tmp_path, "concurrency": 3}
    with pytest.raises(KeyboardInterrupt):
        play(policy=policy, **options)
    content = (tmp_path / "trajectories.jsonl").read_bytes()
    assert content.endswith(b"\n")
    held = [json.loads(line) for line in content.splitlines()]
    assert 0 < len(held) < 200
    assert json.loads((tmp_path / "metrics.json").read_text())["overall"]["episodes"] == len(held)
    trajectories = play(policy=policy, resume=True, **options)
    assert [t["task_index"] for t in trajectories] == list(range(200))
    assert [t["reward"] for t in trajectories] == [1.0] * 200


def test_a_policy_that_does_not_return_an_action_fails_the_episode() -> None:
    class Wrong(Policy):
        async def act(self, messages: Any, tools: Any, **more: Any) -> Any:
            return "text"

    trajectory = next(textgym.rollout(talk(), Wrong(), episodes=1).trajectories())
    assert trajectory["failure"]["boundary"] == "policy"
    assert "return an Action" in trajectory["failure"]["message"]


def test_the_arguments_of_a_functions_environment_are_recorded() -> None:
    def make() -> Any:
        return gymnasium.make("textgym/MCQA-v0", shots=1, split="test")

    trajectory = next(textgym.rollout(make, "oracle", episodes=1).trajectories())
    assert trajectory["env_kwargs"] == {"shots": 1, "split": "test"}


def test_an_environment_in_place_of_an_id_is_refused() -> None:
    with pytest.raises(UsageError, match="envs must be an id"):
        textgym.rollout(gymnasium.make("textgym/MCQA-v0"), "oracle", episodes=1)  # type: ignore[arg-type]


def test_a_foreign_line_is_reported_when_a_run_is_resumed(tmp_path: Path) -> None:
    play(out=tmp_path)
    with (tmp_path / "trajectories.jsonl").open("a") as file:
        file.write("{}\n")
    with pytest.raises(RunError, match=r"line \d+ of .* is broken"):
        play(out=tmp_path, resume=True)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("level", "; for an environment, pass env_kwargs={'level': 2}"),
        ("epsiodes", "; did you mean 'episodes'?"),
        ("env_kwarg", "; did you mean 'env_kwargs'?"),
    ],
)
def test_an_unknown_argument_is_one_line_that_says_where_it_belongs(name: str, hint: str) -> None:
    with pytest.raises(UnknownNameError) as raised:
        textgym.rollout("textgym/MCQA-v0", "oracle", **{name: 2})  # type: ignore[arg-type]
    assert str(raised.value) == f"rollout has no argument {name!r}{hint}"
    with pytest.raises(UnknownNameError) as raised:
        asyncio.run(textgym.arollout(MCQA, "oracle", **{name: 2}))  # type: ignore[arg-type]
    assert str(raised.value) == f"arollout has no argument {name!r}{hint}"
