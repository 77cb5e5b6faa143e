"""The figures of a step, groups with equal returns, and validation."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import textgym
from textgym.core.episode import Grade
from textgym.errors import JudgeFailure, UsageError
from textgym.messages import assistant
from textgym.policies import Action, Policy
from textgym.tasks.task import Task
from textgym.training import (
    EpisodePlayer,
    TaskRef,
    Validation,
    episode_figures,
    lag_figures,
    play_groups,
    ratio_figures,
)
from textgym.trajectories.advantages import rewards_differ

GUESS, MCQA = "textgym/GuessNumber-v0", "textgym/MCQA-v0"


class Thirds(textgym.TextEnv[dict]):  # type: ignore[type-arg]
    """A task in three has rewards that differ, one always fails, and one always pays 1."""

    card = textgym.Card("demo/Thirds-v0", "Say it.", ("single-turn",), (), (), "test", ("exact",))

    def generate(self, rng: Any, level: Any) -> dict[str, Any]:
        return {"number": rng.randrange(10**6)}

    def read_row(self, row: dict[str, Any]) -> Task:
        return Task(row["id"], ({"role": "user", "content": "Say"},), row["number"], None, row)

    def grade(self) -> Grade:
        kind = self.task.answer % 3
        if kind == 1:
            raise JudgeFailure("down")
        paid = float(kind == 2 or self.answer_text > "5")
        return Grade(paid, bool(paid), {})


class Digits(Policy):
    """Says a random digit, and has versions."""

    name = "digits"

    async def act(
        self, messages: Any, tools: Any, *, prior: Any = None, seed: int | None = None
    ) -> Action:
        return Action(assistant(str((seed or 0) % 10)))


def step(**values: Any) -> dict[str, Any]:
    usual = {"finish_reason": "stop", "components": {}, "token_ids": None, "logprobs": None}
    return {**usual, "policy_version": None, **values}


def episode(reward: float | None, *steps: Any, task: int = 0, **values: Any) -> Any:
    failure = {"boundary": "judge"} if reward is None else None
    return {
        "env_id": GUESS,
        "env_kwargs": {},
        "seed": 0,
        "task_index": task,
        "reward": reward,
        "is_success": None if reward is None else reward == 1,
        "truncated": False,
        "failure": failure,
        "steps": list(steps),
        **values,
    }


def test_figures_of_episodes() -> None:
    said = step(token_ids=[1, 2], logprobs=[-1.0, math.nan], components={"correct": 1.0})
    cut = step(token_ids=[1], logprobs=[-0.5], finish_reason="length", components={"correct": -0.5})
    figures = episode_figures(
        [
            episode(1.0, said),
            episode(0.0, said, cut),
            episode(None, said),
            episode(1.0, said, task=1),
        ]
    )
    assert figures == {
        "episodes/failed": 1.0,
        "episodes/failed/judge": 1.0,
        "episodes/failed/environment": 0.0,
        "episodes/failed/policy": 0.0,
        "episodes/failed/user": 0.0,
        "reward": pytest.approx(2 / 3),
        "episodes/success": pytest.approx(2 / 3),
        "episodes/turns": pytest.approx(4 / 3),
        "episodes/truncated": 0.0,
        "episodes/cut": pytest.approx(1 / 3),
        "groups/equal": 0.5,
        "tokens/message": pytest.approx(7 / 4),
        "tokens/episode": pytest.approx(7 / 3),
        "entropy": pytest.approx(3.5 / 4),
        "components/correct": pytest.approx(2.5 / 3),
    }


def test_batch_of_failures_has_no_reward() -> None:
    figures = episode_figures([episode(None)] * 2)
    assert {name: value for name, value in figures.items() if value} == {
        "episodes/failed": 2.0,
        "episodes/failed/judge": 2.0,
    }
    assert "reward" not in figures


def test_policy_without_tokens_has_no_lengths() -> None:
    assert "tokens/message" not in episode_figures([episode(1.0, step())])


def test_environments_of_a_mixture_have_their_own_figures() -> None:
    figures = episode_figures([episode(1.0), episode(0.0, env_id=MCQA)])
    assert (figures[f"{GUESS}/success"], figures[f"{MCQA}/reward"]) == (1.0, 0.0)


def test_lag_is_counted_by_message_in_updates() -> None:
    old, new = step(policy_version="a"), step(policy_version="c")
    figures = lag_figures([episode(1.0, old, new), episode(None, old)], ["a", "b", "c"])
    assert figures == {"lag/mean": 1.0, "lag/largest": 2.0}


def test_unknown_version_is_refused() -> None:
    with pytest.raises(UsageError, match="'x', which is not in versions"):
        lag_figures([episode(1.0, step(policy_version="x"))], ["a"])


@given(st.lists(st.tuples(st.floats(-20, 0), st.floats(-20, 0)), min_size=1))
def test_ratios_are_within_their_ranges(values: list[tuple[float, float]]) -> None:
    was, now = zip(*values, strict=True)
    figures = ratio_figures([(was, now, [1] * len(values))])
    assert figures["ratio/smallest"] <= figures["ratio/mean"] * (1 + 1e-9)
    assert figures["ratio/mean"] <= figures["ratio/largest"] * (1 + 1e-9)
    assert figures["ratio/kl"] >= -1e-9
    assert 0 < figures["ratio/effective"] <= 1 + 1e-9


def test_ratios_of_fresh_tokens_are_one() -> None:
    figures = ratio_figures([([-1.0, -2.0, 0.0], [-1.0, -2.0, -9.0], [1, 1, 0])])
    assert figures == {
        "ratio/mean": 1.0,
        "ratio/largest": 1.0,
        "ratio/smallest": 1.0,
        "ratio/kl": 0.0,
        "ratio/effective": 1.0,
    }


def test_ratios_of_no_tokens_are_no_figures() -> None:
    assert ratio_figures([([math.nan], [-1.0], [1])]) == {}


def thirds() -> Iterator[TaskRef]:
    return (TaskRef("demo/Thirds-v0", "train", index) for index in range(1000))


def test_groups_without_variance_are_replaced() -> None:
    tasks = thirds()
    with EpisodePlayer("test_watching:Thirds", retries=0) as player:
        played = play_groups(player, Digits(), tasks, count=6, size=8, redraws=20)
        again = play_groups(player, Digits(), thirds(), count=6, size=8, redraws=20)
    assert len(played.groups) == 6
    assert all(len({e["task_index"] for e in group}) == 1 for group in played.groups)
    assert all(len({e["reward"] for e in group}) == 2 for group in played.groups)
    assert played.discarded
    places = [group[0]["task_index"] for group in [*played.groups, *played.discarded]]
    assert sorted(places) == list(range(next(tasks).task_index))  # no task is left out or repeated
    assert [e["reward"] for e in played.trajectories] == [e["reward"] for e in again.trajectories]


def test_groups_that_replace_others_have_their_places() -> None:
    with EpisodePlayer("test_watching:Thirds", retries=0) as player:
        first = play_groups(player, Digits(), thirds(), count=6, size=8).groups
        last = play_groups(player, Digits(), thirds(), count=6, size=8, redraws=20).groups
    kept = [
        place for place, group in enumerate(first) if rewards_differ(e["reward"] for e in group)
    ]
    assert kept
    assert [last[place][0]["task_index"] for place in kept] == kept


def test_tasks_of_another_split_are_refused() -> None:
    tasks = [TaskRef(MCQA, "test", 0)]
    with (
        EpisodePlayer(MCQA) as player,
        pytest.raises(UsageError, match=r"plays the split train of .*, but a task is from test"),
    ):
        play_groups(player, "oracle", tasks, count=1, size=2)


def test_groups_that_cannot_be_replaced_are_kept() -> None:
    tasks = [TaskRef(MCQA, "train", index) for index in range(5)]
    with EpisodePlayer(MCQA) as player:
        played = play_groups(player, "oracle", tasks, count=4, size=2, redraws=3)
        one = play_groups(player, "oracle", tasks, count=4, size=2)
    assert (len(played.groups), len(played.discarded)) == (4, 1)  # a fifth task was there
    assert (len(one.groups), one.discarded) == (4, [])


def test_validation_plays_the_same_held_out_tasks_each_time() -> None:
    with Validation({GUESS: 0.5, MCQA: 0.5}, 12, repeats=2) as validation:
        first, second = validation.run("random"), validation.run("random")
        best = validation.run("oracle")
    assert first == second
    assert best["validation/episodes/success"] == 1.0
    low, high = first["validation/success_low"], first["validation/success_high"]
    assert 0 <= low <= first["validation/episodes/success"] <= high <= 1


def test_validation_of_the_train_split_is_refused() -> None:
    with pytest.raises(UsageError, match="the train split is not held out"):
        Validation(MCQA, 3, split="train")


def test_failures_are_not_in_the_interval() -> None:
    with Validation("test_watching:Thirds", 12) as validation:
        figures = validation.run(Digits())
    assert figures["validation/episodes/failed"] > 0
    assert figures["validation/success_high"] <= 1
