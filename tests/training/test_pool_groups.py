"""`play_groups` with a `TaskPool`."""

from __future__ import annotations

import pytest

from textgym.errors import UsageError
from textgym.rollouts.player import EpisodePlayer
from textgym.task_pool import TaskPool
from textgym.training.groups import drawn_tasks, play_groups

GUESS = "textgym/GuessNumber-v0"
EASY = {"highest": 2, "turns": 1}


def test_a_pool_gets_the_results_of_all_groups_and_draws_no_task_twice() -> None:
    pool = TaskPool()
    with EpisodePlayer(GUESS, env_kwargs=EASY) as player:
        played = play_groups(player, "random", pool, count=6, size=3, redraws=10, seed=1)
        again = play_groups(player, "random", TaskPool(), count=6, size=3, redraws=10, seed=1)
    groups = [*played.groups, *played.discarded]
    assert played.discarded
    assert len({group[0]["task_index"] for group in groups}) == len(groups)
    results = pool.as_dict()["results"][GUESS]
    for group in groups:
        solved = [episode["is_success"] for episode in group]
        assert results[str(group[0]["task_index"])] == "".join("01"[bool(one)] for one in solved)
    assert [e["reward"] for e in played.trajectories] == [e["reward"] for e in again.trajectories]


def test_a_mixture_of_a_player_is_drawn_by_weight() -> None:
    with EpisodePlayer({GUESS: 1.0, "textgym/MCQA-v0": 9.0}) as player:
        tasks = drawn_tasks(TaskPool(), player, seed=0)
        drawn = [next(tasks) for _ in range(100)]
    assert {task.split for task in drawn} == {"train"}
    assert sum(task.env_id == GUESS for task in drawn) < 30


def test_fewer_tasks_than_groups_are_fewer_groups() -> None:
    rows = [{"number": 1, "highest": 2, "turns": 1, "level": 1, "round": n} for n in range(3)]
    with EpisodePlayer(GUESS, env_kwargs={"dataset": rows}) as player:
        played = play_groups(player, "random", TaskPool(), count=5, size=2)
    assert sorted(group[0]["task_index"] for group in played.groups) == [0, 1, 2]


def test_a_pool_of_another_split_is_refused() -> None:
    pool = TaskPool()
    pool.bind(GUESS, split="test", level=None, data={})
    with (
        EpisodePlayer(GUESS) as player,
        pytest.raises(
            UsageError, match=r"split 'test', but these tasks have level None, split 'train'"
        ),
    ):
        play_groups(player, "random", pool, count=1, size=2)
