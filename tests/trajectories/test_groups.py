"""Which episodes are a group, and whether anything is learned from it, is the same everywhere."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import textgym
from textgym.errors import UsageError
from textgym.metrics.episode_table import EpisodeTable
from textgym.metrics.repeats import task_values
from textgym.training import EpisodeKey, EpisodePlayer, episode_figures
from textgym.trajectories import make_batch
from textgym.trajectories.advantages import ADVANTAGES, groups_differ, rewards_differ
from textgym.trajectories.run_folder import read_trajectories
from textgym.trajectories.task_identity import GroupKey

MCQA = "textgym/MCQA-v0"


def episode(reward: float | None = 1.0, **values: Any) -> Any:
    step = {
        "message_index": 1, "prompt_ids": [1, 2], "token_ids": [3], "logprobs": [-0.5],
        "reward": reward, "components": {}, "finish_reason": "stop", "policy_version": None,
    }  # fmt: skip
    failure = {"boundary": "judge", "type": "JudgeFailure", "message": "down"}
    return {
        "env_id": "demo/A-v0",
        "env_kwargs": {},
        "seed": 0,
        "task_index": 0,
        "repeat": 0,
        "reward": reward,
        "is_success": None if reward is None else bool(reward),
        "truncated": False,
        "failure": failure if reward is None else None,
        "steps": [step],
        **values,
    }


@pytest.mark.parametrize(
    ("first", "second", "is_one"),
    [
        ({}, {}, True),
        ({}, {"repeat": 1}, True),
        ({}, {"env_id": "demo/B-v0"}, False),
        ({}, {"task_index": 1}, False),
        ({}, {"seed": 1}, False),  # other draws, and for some environments another task
        ({}, {"env_kwargs": {"level": 1}}, False),
        ({"env_kwargs": {"a": 1, "b": 2}}, {"env_kwargs": {"b": 2, "a": 1}}, True),
        # The order of keys within an argument has no meaning, and a file has lists for tuples.
        ({"env_kwargs": {"n": {"a": 1, "b": 2}}}, {"env_kwargs": {"n": {"b": 2, "a": 1}}}, True),
        ({"env_kwargs": {"n": (1, 2)}}, {"env_kwargs": {"n": [1, 2]}}, True),
        ({"env_kwargs": {"n": [1, 2]}}, {"env_kwargs": {"n": [2, 1]}}, False),
        ({"env_kwargs": {"n": 1}}, {"env_kwargs": {"n": "1"}}, False),
        ({"env_kwargs": {"n": None}}, {"env_kwargs": {}}, False),
        ({"env_kwargs": {"n": True}}, {"env_kwargs": {"n": 1}}, False),
    ],
    ids=str,
)
def test_batch_and_figures_have_the_same_groups(first: Any, second: Any, is_one: bool) -> None:
    played = [episode(1.0, **first), episode(0.0, **second)]
    keys = {GroupKey.of(trajectory) for trajectory in played}
    assert (len(keys) == 1) == is_one
    assert (len(set(make_batch(played).groups.tolist())) == 1) == is_one
    assert episode_figures(played)["groups/equal"] == (0.0 if is_one else 1.0)


def test_the_key_of_an_episode_has_its_keyword_arguments(tmp_path: Path) -> None:
    run = textgym.rollout(
        MCQA, "oracle", episodes=1, env_kwargs={"level": 2}, seed=3, out=tmp_path / "run"
    )
    (played,) = run.trajectories()
    (stored,) = read_trajectories(tmp_path / "run")
    assert EpisodeKey.of(played) == EpisodeKey.of(stored)
    assert json.loads(EpisodeKey.of(stored).env_kwargs or "")["level"] == 2
    assert GroupKey.of(stored)[2:] == (3, 0)


def test_a_player_refuses_the_episode_of_other_arguments() -> None:
    asked = EpisodeKey(MCQA, 4, 1)
    with EpisodePlayer(MCQA, env_kwargs={"level": 2}) as player:
        (played,) = player.play("oracle", [asked])
        key = EpisodeKey.of(played)
        assert key[:3] == asked[:3]
        (again,) = player.play("oracle", [key])
        assert again["messages"] == played["messages"]
    with EpisodePlayer(MCQA, env_kwargs={"level": 3}) as player:
        with pytest.raises(UsageError, match="but the episode has"):
            player.play("oracle", [key])
        (other,) = player.play("oracle", [asked])
    assert EpisodeKey.of(other) != key


@pytest.mark.parametrize(
    ("rewards", "differ"),
    [
        ([], False),
        ([None], False),
        ([1.0], False),
        ([1.0, None], False),
        ([0.5, 0.5, 0.5], False),
        ([0.0, -0.0], False),
        ([1, 1.0, True], False),
        ([None, 0.0, None, 1.0], True),
        ([0.1 + 0.2, 0.3], True),  # by rounding only, but the advantages are not 0
        ([-1.0, -2.0], True),
        ([1e300, -1e300], True),
    ],
    ids=str,
)
def test_rewards_that_differ(rewards: Any, differ: bool) -> None:
    assert rewards_differ(rewards) == differ


REWARDS = st.lists(st.sampled_from([0.0, 0.1, 0.3, 1.0, -1.0]), min_size=1, max_size=6)


@given(REWARDS)
def test_advantages_are_0_if_rewards_do_not_differ(rewards: list[float]) -> None:
    for name, advantage in ADVANTAGES.items():
        assert advantage(np.array(rewards)).any() == rewards_differ(rewards), name


@given(st.lists(st.tuples(st.integers(0, 4), st.sampled_from([0.0, 0.5, 1.0])), max_size=20))
def test_many_groups_differ_as_single_ones(played: list[tuple[int, float]]) -> None:
    groups, rewards = (np.array([row[place] for row in played]) for place in (0, 1))
    found = groups_differ(groups.astype(int), rewards).tolist()
    assert found == [
        rewards_differ(reward for number, reward in played if number == group)
        for group in range(len(found))
    ]


def test_figures_metrics_and_advantages_agree() -> None:
    played = textgym.rollout(MCQA, "random", episodes=20, repeats=3, seed=1)
    trajectories = list(played.trajectories())
    returns: dict[GroupKey, list[float | None]] = {}
    table = EpisodeTable()
    for trajectory in trajectories:
        returns.setdefault(GroupKey.of(trajectory), []).append(trajectory["reward"])
        table.add(trajectory)
    equal = [not rewards_differ(group) for group in returns.values()]
    assert 0 < sum(equal) < len(equal)
    assert episode_figures(trajectories)["groups/equal"] == pytest.approx(np.mean(equal))
    of_tasks = task_values(table.view()).rewards["equal"].tolist()
    assert of_tasks == [float(value) for value in equal]
