"""Reward wrappers: what they pay, and that they fit every environment, vector and rollout."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from functools import partial
from typing import Any

import gymnasium as gym
import pytest
from gymnasium.wrappers import TransformReward
from hypothesis import given, settings
from hypothesis import strategies as st

import textgym
from textgym.errors import RewardError, StateError, UsageError
from textgym.messages import assistant, assistant_calls
from textgym.wrappers import (
    ClipReturn,
    EfficiencyBonus,
    FormatBonus,
    LengthPenalty,
    PotentialShaping,
    RepetitionPenalty,
    SoftOverlongPunishment,
    StepPenalty,
    ToolErrorPenalty,
    WeightedComponents,
)

LENGTH = "tests.wrappers.test_reward_wrappers:conversation_length"
SUITE = [id for id in textgym.ids(guests=False) if id.startswith("textgym/")]
WRAPPERS: dict[str, Callable[[Any], Any]] = {
    "step": partial(StepPenalty, amount=0.125),
    "tool errors": partial(ToolErrorPenalty, amount=0.25),
    "length": partial(LengthPenalty, amount=0.001, free=10),
    "overlong": partial(SoftOverlongPunishment, max_length=40, buffer=20),
    "repetition": partial(RepetitionPenalty, amount=0.5, ngram=2),
    "efficiency": partial(EfficiencyBonus, limit=4, amount=0.5),
    "format": partial(FormatBonus, amount=0.25),
    "weights": partial(WeightedComponents, weights={"task_reward": 0.5}),
    "clip": partial(ClipReturn, low=-0.25, high=0.5),
    "shaping": partial(PotentialShaping, potential=len, gamma=0.5),
}
EACH = pytest.mark.parametrize("wrap", WRAPPERS.values(), ids=list(WRAPPERS))


def make(id: str = "textgym/GuessNumber-v0", **kwargs: Any) -> Any:
    return gym.make(id, disable_env_checker=True, **kwargs)


def rewards(env: Any, *actions: Any, seed: int = 1) -> list[float]:
    env.reset(seed=seed)
    return [env.step(action)[1] for action in actions]


def last_info(env: Any, *actions: Any) -> dict[str, Any]:
    env.reset(seed=1)
    for action in actions:
        info: dict[str, Any] = env.step(action)[4]
    return info


# What each pays


def test_step_penalty_is_paid_at_every_step() -> None:
    assert rewards(StepPenalty(make(), amount=0.5), "0", "0") == [-0.5, -0.5]


def test_failed_calls_cost_and_others_do_not() -> None:
    env = ToolErrorPenalty(make("textgym/SessionState-v0"), amount=0.5)
    good, bad = ("get_counter_value", {}), ("no_such_tool", {})
    assert rewards(env, assistant_calls(good), assistant_calls(bad, good, bad)) == [0.0, -1.0]


def test_errors_of_an_earlier_step_cost_nothing_later() -> None:
    env = ToolErrorPenalty(make("textgym/SessionState-v0"), amount=0.5)
    assert rewards(env, assistant_calls(("no_such_tool", {})), "Done.")[1] == 0.0


@pytest.mark.parametrize(
    ("action", "paid"),
    [
        ("x" * 10, 0.0),
        ("x" * 15, -0.5),
        ("x" * 1000, -2.0),
        (assistant("x" * 5) | {"reasoning_content": "y" * 7}, -0.2),
        (assistant([{"type": "text", "text": "x" * 12}]), -0.2),  # type: ignore[arg-type]
        (assistant_calls(("look", {"a": "bcdefg"})), -0.9),
    ],
    ids=["free", "beyond", "limit", "reasoning", "parts", "call"],
)
def test_length_penalty_counts_all_that_was_sampled(action: Any, paid: float) -> None:
    env = LengthPenalty(make(), amount=0.1, free=10, limit=2.0)
    assert rewards(env, action) == [pytest.approx(paid)]


def test_length_is_counted_in_tokens_of_a_tokenizer() -> None:
    env = LengthPenalty(make(), amount=1.0, free=2, limit=9.0, tokenizer=str.split)
    assert rewards(env, "one two three four five") == [-3.0]


@pytest.mark.parametrize(
    ("length", "paid"), [(0, 0.0), (20, 0.0), (30, -0.5), (40, -1.0), (400, -1.0)]
)
def test_soft_overlong_punishment_rises_linearly(length: int, paid: float) -> None:
    env = SoftOverlongPunishment(make(), max_length=40, buffer=20)
    assert rewards(env, "x" * length) == [paid]


@pytest.mark.parametrize(
    ("text", "share"), [("", 0), ("a b", 0), ("a b a b", 1 / 3), ("a " * 11, 0.9), ("a b c d", 0)]
)
def test_repetition_costs_the_share_of_repeated_ngrams(text: str, share: float) -> None:
    assert rewards(RepetitionPenalty(make(), amount=1.0, ngram=2), text) == [-share]


def test_efficiency_bonus_falls_with_each_step_and_needs_a_success() -> None:
    env = EfficiencyBonus(make(level=5), limit=3, amount=1.0)
    paid = []
    for wrong in range(4):
        env.reset(seed=1)
        answer = str(env.unwrapped.task.answer)
        for _ in range(wrong):
            assert env.step("0")[4]["reward_components"]["efficiency_bonus"] == 0.0
        paid.append(env.step(answer)[4]["reward_components"]["efficiency_bonus"])
    assert paid == [1.0, 0.5, 0.0, 0.0]


@pytest.mark.parametrize(
    ("pattern", "text", "paid"),
    [
        (None, r"\boxed{A}", 0.25),
        (None, "no idea", 0.0),
        (r"\\boxed", r"\boxed{no letter}", 0.25),
        (r"\\boxed", r"<think>\boxed{A}</think>A", 0.0),
    ],
    ids=["answer", "no answer", "pattern", "reasoning"],
)
def test_format_bonus_asks_for_the_form_alone(pattern: Any, text: str, paid: float) -> None:
    env = FormatBonus(make("textgym/MCQA-v0"), pattern=pattern, amount=0.25)
    assert last_info(env, text)["reward_components"]["format_bonus"] == paid


def test_weights_of_unknown_components_pay_nothing_and_are_logged_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    env = WeightedComponents(make("textgym/MCQA-v0"), weights={"corect": 1.0})
    for seed in range(3):
        assert rewards(env, "A", seed=seed) == [0.0]
    assert caplog.text.count("none of corect; its components were correct, answered") == 1


def test_weighted_components_replace_the_reward() -> None:
    env = WeightedComponents(make("textgym/MCQA-v0"), weights={"answered": 0.25})
    env.reset(seed=1)
    _, reward, _, _, info = env.step(env.unwrapped.solve())
    assert (reward, info["task_reward"], info["is_success"]) == (0.25, 1.0, True)


PAYERS = [
    ("Retry:attempts=4", "retry"),
    ("Retry:attempts=4,name=again", "again"),
    ("StepPenalty:amount=0.125", "step_penalty"),
    ("ToolErrorPenalty:amount=0.25", "tool_error_penalty"),
    ("LengthPenalty:amount=0.001,free=10", "length_penalty"),
    ("RepetitionPenalty:amount=0.5,ngram=2", "repetition_penalty"),
    ("SoftOverlongPunishment:max_length=40,buffer=20", "overlong_punishment"),
    ("FormatBonus:amount=0.25", "format_bonus"),
    ("EfficiencyBonus:limit=4,amount=0.5", "efficiency_bonus"),
    ("ClipReturn:high=0.5", "clipped"),
    ("PotentialShaping:potential=builtins:len", "shaping"),
]


@pytest.mark.parametrize(("payer", "part"), PAYERS)
def test_weighted_components_drop_no_payment_of_a_wrapper_unnoticed(payer: str, part: str) -> None:
    def weigh(weights: str, *between: str) -> Any:
        spec = f"WeightedComponents:weights={weights}"
        return textgym.registry.make("textgym/MCQA-v0", wrappers=[payer, *between, spec])

    with pytest.raises(UsageError, match=f"components of wrappers inside: {part}; put it"):
        weigh('{"correct":1}')
    with pytest.raises(UsageError, match=f"components of wrappers inside: {part}; put it"):
        weigh('{"task_reward":1}', "SystemPrompt:text=Be brief.")
    for weight in (0, 1):
        weigh(f'{{"correct":1,"{part}":{weight}}}').close()
    inside = 'WeightedComponents:weights={"correct":1}'
    textgym.registry.make("textgym/MCQA-v0", wrappers=[inside, payer]).close()


def test_enumeration_does_not_earn_the_return_of_the_oracle() -> None:
    inside = 'WeightedComponents:weights={"correct":1}'
    specs = [inside, "Retry:attempts=4,discount=0.5"]
    env = textgym.registry.make("textgym/MCQA-v0", wrappers=specs)
    returns = set()
    for index in range(8):
        env.reset(options={"index": index})
        paid = []
        for letter in "ABCD":
            _, reward, terminated, *_ = env.step(rf"\boxed{{{letter}}}")
            paid.append(reward)
            if terminated:
                break
        assert sum(paid) in (0.0, 0.5 ** (len(paid) - 1))
        returns.add(sum(paid))
    assert min(returns) < 1


@given(st.lists(st.floats(-4, 4, width=16), min_size=1, max_size=8))
@settings(max_examples=60)
def test_clipped_return_is_within_the_bounds_after_every_step(paid: list[float]) -> None:
    left = iter(paid)
    env: Any = TransformReward(make(level=5, max_turns=50), lambda reward: next(left))
    env = ClipReturn(env, low=-1.5, high=1.0)
    total, plain = 0.0, 0.0
    env.reset(seed=1)
    for amount in paid:
        total, plain = total + env.step("0")[1], plain + amount
        assert total == pytest.approx(min(1.0, max(-1.5, plain)))
        if env.unwrapped.turn == env.unwrapped.max_turns or not env.unwrapped._running:
            break


@given(
    potentials=st.lists(st.floats(-5, 5, width=16), min_size=9, max_size=9),
    gamma=st.sampled_from([1.0, 0.9, 0.5]),
    wrong=st.integers(0, 3),
)
@settings(max_examples=60)
def test_shaped_return_telescopes(potentials: list[float], gamma: float, wrong: int) -> None:
    env = PotentialShaping(
        make(level=5), potential=lambda messages: potentials[len(messages) % 9], gamma=gamma
    )
    observation, _ = env.reset(seed=1)
    start, steps, shaped, plain = potentials[len(observation) % 9], 0, 0.0, 0.0
    ended = False
    while not ended:
        answer = str(env.unwrapped.task.answer) if steps == wrong else "0"
        observation, reward, terminated, truncated, info = env.step(answer)
        shaped, plain = shaped + gamma**steps * reward, plain + gamma**steps * info["task_reward"]
        steps, ended = steps + 1, terminated or truncated
    end = 0.0 if "is_success" in info else potentials[len(observation) % 9]
    assert shaped == pytest.approx(plain + gamma**steps * end - start)


def conversation_length(messages: list[Any]) -> float:
    return float(len(messages))


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_potential_that_is_no_number_is_an_error(value: float) -> None:
    env = PotentialShaping(make(), potential=lambda messages: value)
    with pytest.raises(RewardError, match=f"the potential is {value}, not a finite number"):
        env.reset(seed=1)


# What all have in common


@EACH
def test_reward_is_the_task_reward_and_what_was_paid(wrap: Callable[[Any], Any]) -> None:
    env = wrap(make(level=1))
    env.reset(seed=1)
    ended = False
    while not ended:
        _, reward, terminated, truncated, info = env.step("0")
        ended = terminated or truncated
        assert reward == pytest.approx(info["task_reward"] + info["reward_components"][env.name])
    assert info["is_success"] is False


@EACH
def test_rollout_records_what_was_paid_at_each_step(wrap: Callable[[Any], Any]) -> None:
    run = textgym.rollout(lambda: wrap(make(level=1)), "random", episodes=2)
    name = wrap(make()).name
    for trajectory in run.trajectories():
        steps = trajectory["steps"]
        assert all(name in step["components"] for step in steps)
        assert trajectory["reward"] == pytest.approx(sum(step["reward"] for step in steps))


def test_spec_makes_the_same_stack_again() -> None:
    env = ClipReturn(StepPenalty(make(), amount=0.5), low=-0.75)
    spec = gym.envs.registration.EnvSpec.from_json(env.spec.to_json())
    again = gym.make(spec)
    assert rewards(again, "0", "0") == rewards(env, "0", "0") == [-0.5, -0.25]


def test_potential_by_name_is_part_of_a_saved_spec() -> None:
    env = PotentialShaping(make(), potential=f"{__name__}:conversation_length")
    again = gym.make(gym.envs.registration.EnvSpec.from_json(env.spec.to_json()))
    assert rewards(again, "0") == [2.0]


# Errors


def test_environment_without_messages_is_refused_at_once() -> None:
    with pytest.raises(UsageError, match="StepPenalty needs an environment whose observations"):
        StepPenalty(gym.make("CartPole-v1"))  # type: ignore[arg-type]


def test_two_wrappers_of_one_name_are_refused() -> None:
    env = StepPenalty(make())
    with pytest.raises(UsageError, match="use the reward component 'step_penalty'"):
        StepPenalty(env)
    assert rewards(StepPenalty(env, amount=1.0, name="again"), "0") == [-1.01]


def test_component_of_the_environment_is_never_overwritten() -> None:
    env = StepPenalty(make("textgym/MCQA-v0"), name="correct")
    env.reset(seed=1)
    with pytest.raises(RewardError, match="already has a reward component 'correct'"):
        env.step("A")


@pytest.mark.parametrize(
    ("wrap", "problem"),
    [
        (partial(StepPenalty, amount=-1.0), "amount must be a finite number of 0 or more"),
        (partial(StepPenalty, amount=math.nan), "amount must be a finite number of 0 or more"),
        (partial(EfficiencyBonus, limit=1), "limit must be an integer of 2 or more"),
        (partial(FormatBonus, pattern="("), "pattern is not a regular expression"),
        (partial(RepetitionPenalty, ngram=0), "ngram must be an integer of 1 or more"),
        (partial(SoftOverlongPunishment, max_length=5, buffer=6), "buffer must be greater than 0"),
        (partial(WeightedComponents, weights={}), "weights must be finite numbers"),
        (partial(ClipReturn, low=1.0), "low must be 0 or less"),
        (partial(PotentialShaping, potential=len, gamma=1.5), "gamma must be greater than 0"),
        (partial(PotentialShaping, potential="nomodule:f"), "there is no module 'nomodule'"),
        (partial(PotentialShaping, potential="json:dmups"), "did you mean 'dumps'"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_wrong_arguments_are_one_line(wrap: Callable[[Any], Any], problem: str) -> None:
    with pytest.raises(UsageError, match=problem) as raised:
        wrap(make())
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({}, "ClipReturn.sum is missing"),
        ({"sum": 0.0, "more": 1}, "ClipReturn.more is unknown"),
        ({"sum": "much"}, "ClipReturn.sum must be a float"),
        ({"sum": True}, "ClipReturn.sum must be a float"),
    ],
    ids=["missing", "unknown", "text", "bool"],
)
def test_tampered_state_is_refused_and_changes_nothing(changed: Any, problem: str) -> None:
    env = StepPenalty(ClipReturn(make(), high=1.0))
    env.reset(seed=1)
    env.step("0")
    state = textgym.get_state(env)
    at = [name for name, _ in state["wrappers"]].index("ClipReturn")
    tampered = json.loads(json.dumps(state))
    tampered["wrappers"][at][1] = changed
    with pytest.raises(StateError, match=problem):
        textgym.set_state(env, tampered)
    assert textgym.get_state(env) == state


def test_failed_step_leaves_the_state_and_can_be_taken_again() -> None:
    env = EfficiencyBonus(make(), limit=3, amount=1.0)
    env.reset(seed=1)
    with pytest.raises(textgym.InvalidActionError):
        env.step(7)  # type: ignore[arg-type]
    answer = str(env.unwrapped.task.answer)  # type: ignore[attr-defined]
    assert env.step(answer)[4]["reward_components"]["efficiency_bonus"] == 1.0
