"""Batches: masks select sampled tokens; rewards and advantages are at the right positions."""

from __future__ import annotations

import asyncio
import math
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import textgym
from textgym.errors import ContextFullError, PolicyFailure, UnknownNameError, UsageError
from textgym.messages import assistant
from textgym.policies import Action, Policy
from textgym.trajectories import make_batch
from textgym.trajectories.advantages import ADVANTAGES

GUESS = "textgym/GuessNumber-v0"


def turn(
    prompt: list[int], said: list[int], reward: float = 0.0, index: int = 1, **more: Any
) -> dict[str, Any]:
    logprobs = [-0.5 * (n + 1) for n in range(len(said))]
    return {
        "message_index": index,
        "reward": reward,
        "finish_reason": "stop",
        "prompt_ids": prompt,
        "token_ids": said,
        "logprobs": logprobs,
        "policy_version": None,
        **more,
    }


def episode(*steps: dict[str, Any], reward: float | None = None, **more: Any) -> dict[str, Any]:
    if reward is None:
        reward = sum(step["reward"] for step in steps)
    return {
        "env_id": "demo/A-v0",
        "env_kwargs": {},
        "seed": 0,
        "task_index": 0,
        "repeat": 0,
        "policy": "demo",
        "reward": reward,
        "failure": None,
        "truncated": False,
        "steps": list(steps),
        **more,
    }


def group(*rewards: float | None, task: int = 0, **more: Any) -> list[dict[str, Any]]:
    """Episodes of one task; a reward of None is a failure."""
    failure = {"boundary": "judge", "type": "JudgeFailure", "message": "down"}
    return [
        episode(turn([1, 2], [3], reward or 0.0), repeat=repeat, task_index=task)
        | {"reward": reward, "failure": failure if reward is None else None, **more}
        for repeat, reward in enumerate(rewards)
    ]


# Rows


def test_rows_are_padded_on_the_right() -> None:
    batch = make_batch([episode(turn([1, 2], [3, 4], 1.0)), *group(0.5)], pad_id=9)
    assert batch.input_ids.tolist() == [[1, 2, 3, 4], [1, 2, 3, 9]]
    assert batch.attention_mask.tolist() == [[1, 1, 1, 1], [1, 1, 1, 0]]
    assert batch.loss_mask.tolist() == [[0, 0, 1, 1], [0, 0, 1, 0]]
    assert batch.logprobs.tolist() == [[0, 0, -0.5, -1.0], [0, 0, -0.5, 0]]
    assert batch.token_rewards.tolist() == [[0, 0, 0, 1], [0, 0, 0.5, 0]]
    assert batch.rewards.tolist() == [1.0, 0.5]


def test_rows_are_padded_on_the_left_on_request() -> None:
    batch = make_batch([episode(turn([1, 2], [3, 4], 1.0)), *group(0.5)], padding_side="left")
    assert batch.input_ids.tolist() == [[1, 2, 3, 4], [0, 1, 2, 3]]
    assert batch.attention_mask.tolist() == [[1, 1, 1, 1], [0, 1, 1, 1]]
    assert batch.loss_mask.tolist() == [[0, 0, 1, 1], [0, 0, 0, 1]]
    assert batch.logprobs.tolist() == [[0, 0, -0.5, -1.0], [0, 0, 0, -0.5]]
    assert batch.token_rewards.tolist() == [[0, 0, 0, 1], [0, 0, 0, 0.5]]


def test_the_turns_of_an_episode_are_one_row_with_a_reward_at_each_end() -> None:
    steps = [turn([1, 2], [3, 4], 0.25), turn([1, 2, 3, 4, 5], [6], 1.0, index=3)]
    batch = make_batch([episode(*steps)])
    assert batch.input_ids.tolist() == [[1, 2, 3, 4, 5, 6]]
    assert batch.loss_mask.tolist() == [[0, 0, 1, 1, 0, 1]]
    assert batch.token_rewards.tolist() == [[0, 0, 0, 0.25, 0, 1.0]]
    assert batch.rewards.tolist() == [1.25]
    assert batch.weights.tolist() == [1.0]


def test_a_split_episode_has_several_rows_that_weigh_as_one() -> None:
    steps = [turn([1, 2], [3], 0.5), turn([1, 7], [8], 1.0, index=3)]
    batch = make_batch([episode(*steps), *group(0.5)[:1]])
    assert batch.input_ids.tolist() == [[1, 2, 3], [1, 7, 8], [1, 2, 3]]
    assert batch.episodes.tolist() == [0, 0, 1]
    assert batch.weights.tolist() == [0.5, 0.5, 1.0]
    assert batch.rewards.tolist() == [1.5, 1.5, 0.5]
    assert batch.token_rewards.tolist() == [[0, 0, 0.5], [0, 0, 1.0], [0, 0, 0.5]]
    assert batch.advantages[0] == batch.advantages[1] == -batch.advantages[2]


def test_rows_name_their_episode() -> None:
    first = episode(
        turn([1], [2], finish_reason="length", policy_version="old"),
        turn([1, 2, 3], [4], index=3, policy_version="new"),
        task_index=7,
        repeat=2,
        truncated=True,
    )
    second = episode(turn([1], [2]), env_id="demo/B-v0")
    batch = make_batch([second, first])
    assert batch.env_ids == ("demo/A-v0", "demo/B-v0")
    assert (batch.tasks.tolist(), batch.repeats.tolist()) == ([7, 0], [2, 0])
    assert batch.policy_versions == ("old", None)
    assert (batch.truncated.tolist(), batch.cut.tolist()) == ([True, False], [True, False])


def test_the_order_in_which_episodes_end_does_not_change_the_batch() -> None:
    episodes = [*group(1.0, 0.0, task=1), *group(0.0, 1.0, task=0)]
    one, other = make_batch(episodes), make_batch(reversed(episodes))
    assert one.tasks.tolist() == other.tasks.tolist() == [0, 0, 1, 1]
    assert one.advantages.tolist() == other.advantages.tolist()


@pytest.mark.parametrize("logprobs", [None, [None], [math.nan]], ids=str)
def test_an_unknown_log_probability_is_nan(logprobs: Any) -> None:
    batch = make_batch([episode(turn([1], [2], logprobs=logprobs)), *group(1.0)])
    assert np.isnan(batch.logprobs[0]).tolist() == [False, True, False]
    assert not np.isnan(batch.logprobs[1]).any()


def test_a_turn_without_a_sampled_token_keeps_its_reward() -> None:
    batch = make_batch([episode(turn([1, 2], [], 0.5), turn([1, 2, 3], [4], 1.0, index=3))])
    assert batch.token_rewards.tolist() == [[0, 0.5, 0, 1.0]]
    assert batch.loss_mask.tolist() == [[0, 0, 0, 1]]


# Groups


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("grpo", [1.5, -0.5, -0.5, -0.5]),  # the mean is 0.25, the sample's deviation 0.5
        ("dr_grpo", [0.75, -0.25, -0.25, -0.25]),
        ("rloo", [1.0, -1 / 3, -1 / 3, -1 / 3]),
    ],
)
def test_advantages_are_those_computed_by_hand(name: str, expected: list[float]) -> None:
    batch = make_batch(group(1.0, 0.0, 0.0, 0.0), advantage=name)
    assert batch.advantages.tolist() == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("name", ADVANTAGES)
@pytest.mark.parametrize("rewards", [[1.0], [0.1, 0.1, 0.1], [0.0, 0.0]], ids=str)
def test_single_episodes_and_equal_rewards_have_no_advantage(
    name: str, rewards: list[float]
) -> None:
    assert make_batch(group(*rewards), advantage=name).advantages.tolist() == [0.0] * len(rewards)


@pytest.mark.parametrize(
    "other",
    [{"env_id": "demo/B-v0"}, {"env_kwargs": {"level": 2}}, {"task_index": 1}, {"seed": 1}],
    ids=str,
)
def test_a_group_has_one_environment_arguments_seed_and_task(other: dict[str, Any]) -> None:
    batch = make_batch([*group(1.0, 0.0), *group(5.0, 4.0, **other)], advantage="dr_grpo")
    assert batch.groups.tolist() == [0, 0, 1, 1]
    assert batch.advantages.tolist() == [0.5, -0.5, 0.5, -0.5]


def test_a_failed_episode_is_counted_and_has_no_row_and_no_group() -> None:
    batch = make_batch(group(1.0, None, 0.0), advantage="dr_grpo")
    assert (len(batch), batch.failures) == (2, 1)
    assert batch.repeats.tolist() == [0, 2]
    assert batch.advantages.tolist() == [0.5, -0.5]


def test_an_episode_without_a_turn_counts_in_its_group_and_has_no_row() -> None:
    empty = episode(repeat=1, reward=0.0, truncated=True)
    batch = make_batch([*group(1.0), empty], advantage="dr_grpo")
    assert (len(batch), batch.empty, batch.failures) == (1, 1, 0)
    assert batch.advantages.tolist() == [0.5]


@pytest.mark.parametrize("episodes", [[], group(None, None)], ids=["none", "failed"])
def test_without_graded_episodes_there_are_no_rows(episodes: list[Any]) -> None:
    batch = make_batch(episodes)
    assert len(batch) == 0
    assert batch.input_ids.shape == batch.token_rewards.shape == (0, 0)
    assert batch.advantages.shape == batch.cut.shape == (0,)
    assert batch.failures == len(episodes)


# Errors


def test_a_policy_without_tokens_is_refused_by_name() -> None:
    run = textgym.rollout(GUESS, "oracle", episodes=1)
    with pytest.raises(UsageError, match="oracle reports none: use a policy that does") as raised:
        run.to_batch()
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("options", "error", "told"),
    [
        ({"advantage": "grop"}, UnknownNameError, "did you mean 'grpo'"),
        ({"padding_side": "both"}, UsageError, "left or right, not 'both'"),
    ],
    ids=str,
)
def test_an_unknown_option_is_refused(options: Any, error: type[Exception], told: str) -> None:
    with pytest.raises(error, match=told):
        make_batch(group(1.0), **options)


# Properties

ids = st.lists(st.integers(0, 50), min_size=1, max_size=4)
turns = st.lists(
    st.tuples(ids, ids, st.sampled_from([0.0, 0.25, -1.0]), st.booleans()), min_size=1, max_size=4
)


def conversation(parts: list[tuple[list[int], list[int], float, bool]]) -> list[dict[str, Any]]:
    """Steps that extend the tokens before them, or start a new sequence."""
    steps: list[dict[str, Any]] = []
    so_far: list[int] = []
    for number, (new, said, reward, splits) in enumerate(parts):
        prompt = [99, *new] if splits else [*so_far, *new]
        steps.append(turn(prompt, said, reward, index=1 + 2 * number))
        so_far = [*prompt, *said]
    return steps


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 2), turns), max_size=6), st.sampled_from(["left", "right"])
)
def test_every_sampled_token_is_selected_once_with_its_log_probability(
    played: list[Any], side: str
) -> None:
    repeats: dict[int, int] = defaultdict(int)
    episodes = []
    for task, parts in played:
        episodes.append(episode(*conversation(parts), task_index=task, repeat=repeats[task]))
        repeats[task] += 1
    batch = make_batch(episodes, padding_side=side)
    ordered = sorted(episodes, key=lambda item: (item["task_index"], item["repeat"]))
    steps = [step for item in ordered for step in item["steps"]]
    selected = batch.loss_mask.astype(bool)
    assert batch.input_ids[selected].tolist() == [t for step in steps for t in step["token_ids"]]
    assert batch.logprobs[selected].tolist() == [p for step in steps for p in step["logprobs"]]
    assert not batch.logprobs[~selected].any()
    assert (batch.attention_mask >= batch.loss_mask).all()
    for number, item in enumerate(ordered):
        mine = batch.episodes == number
        assert batch.token_rewards[mine].sum() == pytest.approx(item["reward"])
        assert batch.weights[mine].sum() == pytest.approx(1.0)
        assert set(batch.rewards[mine]) == {np.float32(item["reward"])}


@settings(deadline=None)
@given(
    st.lists(st.lists(st.floats(-10, 10), min_size=1, max_size=6), min_size=1, max_size=4),
    st.sampled_from(sorted(ADVANTAGES)),
)
def test_the_advantages_of_a_group_sum_to_0_and_rise_with_the_reward(
    groups: list[list[float]], name: str
) -> None:
    episodes = [it for task, rewards in enumerate(groups) for it in group(*rewards, task=task)]
    batch = make_batch(episodes, advantage=name)
    for task, rewards in enumerate(groups):
        mine = batch.advantages[batch.tasks == task]
        assert mine.sum() == pytest.approx(0, abs=1e-4)
        order = np.argsort(rewards, kind="stable")
        assert (np.diff(mine[order]) >= -1e-6).all()


# A real run


class Counter(Policy):
    """Samples tokens that count up; the prompt of each turn extends the one before."""

    name = "counter"
    sampling = None

    def __init__(self) -> None:
        self.asked = 0

    async def act(
        self, messages: Any, tools: Any, *, prior: Any = None, seed: Any = None
    ) -> Action:
        self.asked += 1
        number = self.asked
        await asyncio.sleep(0)
        if number == 3:
            raise PolicyFailure("down")
        if number == 4:
            raise ContextFullError("full")
        prompt = [*(prior.ids if prior else [1]), 2]
        said = [100 + number]
        return Action(assistant("It is 1."), "stop", {}, prompt, said, [-0.1])


@pytest.mark.parametrize("stored", [True, False], ids=["folder", "memory"])
def test_a_run_can_be_made_into_a_batch(tmp_path: Path, stored: bool) -> None:
    run = textgym.rollout(
        GUESS,
        Counter(),
        episodes=3,
        repeats=4,
        retries=0,
        env_kwargs={"level": 2},
        out=tmp_path / "run" if stored else None,
    )
    batch = run.to_batch()
    steps = [s for t in run.trajectories() if not t["failure"] for s in t["steps"]]
    sampled = batch.input_ids[batch.loss_mask.astype(bool)]
    assert sorted(sampled) == sorted(step["token_ids"][0] for step in steps)
    assert (batch.failures, batch.empty, len(batch)) == (1, 1, 10)
    assert batch.groups.tolist() == sorted(batch.groups.tolist())
    graded = [t["reward"] for t in run.trajectories() if t["steps"] and not t["failure"]]
    assert sorted(batch.rewards) == sorted(graded)


# Credit for turns, and components one by one


def payments(*rewards: float, repeat: int = 0, **more: Any) -> dict[str, Any]:
    """Return an episode with a reward in each turn, in one token sequence."""
    steps = [
        turn(list(range(1, 4 * n + 3)), [4 * n + 3, 4 * n + 4], reward, index=2 * n + 1)
        for n, reward in enumerate(rewards)
    ]
    return episode(*steps, repeat=repeat, **more)


def test_a_turn_has_credit_for_its_own_reward_and_later_ones() -> None:
    batch = make_batch(
        [payments(1.0, 0.0, repeat=0), payments(0.0, 1.0, repeat=1), payments(0.0, 0.0, repeat=2)],
        advantage="dr_grpo",
        credit="turn",
    )
    third = 1 / 3
    first = [third, third, -2 * third]  # rewards to go of turn 0: 1, 1, 0
    second = [-third, 2 * third, -third]  # of turn 1: 0, 1, 0
    for row in range(3):
        advantages = batch.token_advantages[row]
        assert advantages[[2, 3]] == pytest.approx([first[row]] * 2)
        assert advantages[[6, 7]] == pytest.approx([second[row]] * 2)
        assert not advantages[[0, 1, 4, 5]].any()
    assert batch.advantages == pytest.approx(first)


def test_turns_that_the_group_does_not_share_have_no_advantage() -> None:
    batch = make_batch([payments(0.0, 5.0, repeat=0), payments(1.0, repeat=1)], credit="turn")
    assert batch.token_advantages[0, 2] > 0 > batch.token_advantages[1, 2]
    assert batch.token_advantages[0, 6] == 0


@pytest.mark.parametrize("advantage", sorted(ADVANTAGES))
@given(st.lists(st.integers(-3, 3).map(float), min_size=1, max_size=6))
def test_credit_of_a_single_turn_is_that_of_its_episode(
    advantage: str, rewards: list[float]
) -> None:
    played = [payments(reward, repeat=n) for n, reward in enumerate(rewards)]
    batch = make_batch(played, advantage=advantage)
    of_turns = make_batch(played, advantage=advantage, credit="turn")
    expected = batch.advantages[:, None] * batch.loss_mask
    assert batch.token_advantages == pytest.approx(expected)
    assert of_turns.token_advantages == pytest.approx(expected)


@given(st.lists(st.lists(st.integers(-2, 2).map(float), min_size=1, max_size=4), max_size=5))
def test_advantages_of_a_turn_sum_to_0_over_the_group(rewards: list[list[float]]) -> None:
    played = [payments(*turns, repeat=n) for n, turns in enumerate(rewards)]
    batch = make_batch(played, advantage="dr_grpo", credit="turn")
    for position in range(2, batch.token_advantages.shape[1] if played else 0, 4):
        assert batch.token_advantages[:, position].sum() == pytest.approx(0, abs=1e-6)


def test_a_split_episode_has_the_advantages_of_its_turns_in_each_row() -> None:
    halves = [turn([1], [2], 0.0, index=1), turn([7], [8], 1.0, index=3)]
    batch = make_batch(
        [episode(*halves), payments(0.0, 0.0, repeat=1)], advantage="dr_grpo", credit="turn"
    )
    assert batch.episodes.tolist() == [0, 0, 1]
    assert batch.token_advantages[0, 1] == batch.token_advantages[1, 1] == 0.5


def component_group(*values: dict[str, float], task: int = 0) -> list[dict[str, Any]]:
    return [
        episode(turn([1], [2], sum(each.values()), components=each), repeat=n, task_index=task)
        for n, each in enumerate(values)
    ]


def test_gdpo_normalises_each_component_in_its_group_and_the_sum_over_the_batch() -> None:
    first = component_group({"a": 1.0, "b": 0.0}, {"a": 0.0, "b": 10.0}, {"a": 0.0, "b": 0.0})
    second = component_group({"a": 3.0}, {"a": 3.0}, {"a": 0.0, "b": 1.0}, task=1)
    weights = {"a": 1.0, "b": 0.5}
    batch = make_batch([*first, *second], advantage="gdpo", component_weights=weights)
    one = np.array([2.0, -1.0, -1.0]) / 3 / math.sqrt(1 / 3)  # of one value among three
    sums = np.array([one[0] + 0.5 * one[1], one[1] + 0.5 * one[0], 1.5 * one[1]])
    sums = np.concatenate([sums, [-one[1], -one[1], -one[0]]])  # b is of one episode: no advantage
    assert batch.advantages == pytest.approx(sums / sums.std(ddof=1), abs=1e-4)


def test_gdpo_of_equal_components_is_exactly_0() -> None:
    equal = component_group({"a": 0.1}, {"a": 0.1}, {"a": 0.1})
    batch = make_batch(equal, advantage="gdpo", component_weights={"a": 2.0})
    assert batch.advantages.tolist() == [0.0, 0.0, 0.0]


def test_gdpo_of_no_episodes_has_no_rows() -> None:
    assert len(make_batch([], advantage="gdpo", component_weights={"a": 1.0})) == 0


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"credit": "step"}, "credit must be episode or turn, not 'step'"),
        ({"advantage": "gdpo"}, "'gdpo' needs component_weights"),
        ({"component_weights": {"a": 1.0}}, "component_weights, and other advantages do not"),
        (
            {"advantage": "gdpo", "component_weights": {"c": 1.0}},
            r"no episode has the component 'c': they have \['a'\]",
        ),
        (
            {"advantage": "gdpo", "component_weights": {"a": 1.0}, "credit": "turn"},
            "'gdpo' applies to whole episodes",
        ),
    ],
)
def test_arguments_of_credit_that_do_not_fit_are_refused(arguments: Any, problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        make_batch(component_group({"a": 1.0}), **arguments)
