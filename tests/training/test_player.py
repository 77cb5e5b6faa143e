"""EpisodePlayer: exactly the episodes that are asked for, in their order, from any place."""

from __future__ import annotations

import asyncio
import json
import threading
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import textgym
from textgym.core.episode import Grade
from textgym.errors import EnvironmentFailure, UsageError
from textgym.messages import assistant
from textgym.policies import Action, Policy
from textgym.rollouts import play_episode
from textgym.tasks.task import Task
from textgym.training import EpisodeKey, EpisodePlayer
from textgym.training.tasks import list_tasks

MCQA, GUESS = "textgym/MCQA-v0", "textgym/GuessNumber-v0"


class Breaks(textgym.TextEnv[dict]):  # type: ignore[type-arg]
    """An environment whose tasks with an odd number cannot be graded."""

    card = textgym.Card("demo/Breaks-v0", "Break.", ("single-step",), (), (), "test", ("exact",))
    made = 0

    def __init__(self, **kwargs: Any) -> None:
        type(self).made += 1
        super().__init__(**kwargs)

    def generate(self, rng: Any, level: Any) -> dict[str, Any]:
        return {"number": rng.randrange(10**9)}

    def read_row(self, row: dict[str, Any]) -> Task:
        return Task(row["id"], ({"role": "user", "content": "Go."},), row["number"], None, row)

    def begin(self, task: Task) -> dict[str, Any]:
        return {}

    def grade(self) -> Grade:
        if self.task.answer % 2:
            raise EnvironmentFailure("broken")
        return Grade(1.0, True, {"even": 1.0})


class Seeds(Policy):
    """Says the seed that it is given."""

    async def act(
        self, messages: Any, tools: Any, *, prior: Any = None, seed: Any = None
    ) -> Action:
        return Action(assistant(str(seed)))


def names(trajectories: Any) -> list[tuple[str, int, int]]:
    return [(t["env_id"], t["task_index"], t["repeat"]) for t in trajectories]


def test_the_trajectories_have_the_order_that_was_asked_for() -> None:
    asked = [
        EpisodeKey(id, task, repeat) for task in (9, 2) for id in (GUESS, MCQA) for repeat in (1, 0)
    ]
    with EpisodePlayer({MCQA: 1.0, GUESS: 1.0}) as player:
        assert names(player.play("random", asked)) == [key[:3] for key in asked]


def test_an_episode_that_is_asked_for_twice_is_played_twice() -> None:
    with EpisodePlayer(MCQA) as player:
        first, second = player.play("random", [EpisodeKey(MCQA, 1), EpisodeKey(MCQA, 1)])
    assert first is not second
    assert first["messages"] == second["messages"]


def test_episodes_are_those_of_a_rollout() -> None:
    kwargs = {"split": "train"}
    run = textgym.rollout(GUESS, "random", tasks=[3, 5], repeats=2, seed=7, env_kwargs=kwargs)
    played = sorted(run.trajectories(), key=lambda t: (t["task_index"], t["repeat"]))
    with EpisodePlayer(GUESS, env_kwargs=kwargs) as player:
        again = player.play("random", [EpisodeKey(*name) for name in names(played)], seed=7)
    assert [t["messages"] for t in again] == [t["messages"] for t in played]
    assert [t["env_kwargs"] for t in again] == [t["env_kwargs"] for t in played]


def test_repeats_and_seeds_sample_differently_and_have_one_prompt() -> None:
    keys = [EpisodeKey(MCQA, 4, repeat) for repeat in (0, 1)]
    with EpisodePlayer(MCQA) as player:
        played = [*player.play(Seeds(), keys), *player.play(Seeds(), keys, seed=1)]
    assert len({t["messages"][-1]["content"] for t in played}) == 4
    assert len({t["messages"][0]["content"] for t in played}) == 1


@pytest.mark.slow
def test_environments_are_kept_between_calls_and_closed_at_the_end() -> None:
    Breaks.made = 0
    player = EpisodePlayer("test_player:Breaks", concurrency=1)
    keys = [EpisodeKey(player.env_ids[0], task) for task in range(30)]
    good = [key for key, t in zip(keys, player.play(Seeds(), keys), strict=True) if t["reward"]]
    made = Breaks.made
    for _ in range(3):
        assert [t["reward"] for t in player.play(Seeds(), good)] == [1.0] * len(good)
    assert Breaks.made == made
    player.close()


class Waits(Policy):
    """Never answers."""

    def __init__(self) -> None:
        self.asked = 0

    async def act(
        self, messages: Any, tools: Any, *, prior: Any = None, seed: Any = None
    ) -> Action:
        self.asked += 1
        await asyncio.Event().wait()
        raise AssertionError("it waits for ever")


def test_environments_of_cancelled_episodes_are_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    closed = []
    monkeypatch.setattr(Breaks, "on_close", lambda self: closed.append(self))
    with EpisodePlayer("test_player:Breaks") as player:
        keys = [EpisodeKey(player.env_ids[0], task) for task in range(4)]

        async def cancelled() -> None:
            policy = Waits()
            playing = asyncio.ensure_future(player.aplay(policy, keys))
            while policy.asked < len(keys):
                await asyncio.sleep(0.001)
            playing.cancel()
            with pytest.raises(asyncio.CancelledError):
                await playing

        asyncio.run(cancelled())
        assert len(closed) == len(keys)


def test_a_failed_episode_has_no_reward_and_leaves_the_others_alone() -> None:
    with EpisodePlayer("test_player:Breaks", retries=0) as player:
        keys = [EpisodeKey(player.env_ids[0], task) for task in range(30)]
        played = player.play(Seeds(), keys)
    assert {t["reward"] for t in played} == {1.0, None}
    assert all((t["failure"] is None) == (t["reward"] is not None) for t in played)
    assert all(t["failure"]["boundary"] == "environment" for t in played if t["failure"])


def test_another_policy_can_play_next() -> None:
    keys = [EpisodeKey(MCQA, task) for task in range(20)]
    with EpisodePlayer(MCQA) as player:
        rewards = [
            [t["reward"] for t in player.play(policy, keys)]
            for policy in ("oracle", "random", "oracle")
        ]
    assert rewards[0] == rewards[2] == [1.0] * 20
    assert rewards[1] != rewards[0]


def test_calls_at_once_play_with_their_own_policies() -> None:
    class Says(Policy):
        def __init__(self, text: str) -> None:
            self.text = text

        async def act(self, *args: Any, **kwargs: Any) -> Action:
            await asyncio.sleep(0)
            return Action(assistant(self.text))

    async def play(player: EpisodePlayer, text: str) -> set[str]:
        keys = [EpisodeKey(MCQA, task) for task in range(20)]
        played = await player.aplay(Says(text), keys)
        return {str(item["messages"][-1]["content"]) for item in played}

    async def play_all() -> list[set[str]]:
        with EpisodePlayer(MCQA, concurrency=3) as player:
            return await asyncio.gather(*(play(player, text) for text in "abc"))

    assert asyncio.run(play_all()) == [{"a"}, {"b"}, {"c"}]


def test_it_plays_in_a_loop_in_a_thread_and_inside_a_running_loop() -> None:
    keys = [EpisodeKey(MCQA, 0)]
    with EpisodePlayer(MCQA) as player:

        async def from_a_loop() -> list[Any]:
            return [await player.aplay("oracle", keys), player.play("oracle", keys)]

        found = asyncio.run(from_a_loop())
        thread = threading.Thread(target=lambda: found.append(player.play("oracle", keys)))
        thread.start()
        thread.join()
    assert [played[0]["reward"] for played in found] == [1.0] * 3


def test_functions_make_environments(tmp_path: Path) -> None:
    make = lambda: gymnasium.make(GUESS, highest=5)  # noqa: E731
    with EpisodePlayer({"mine": make}) as player:
        (played,) = player.play("oracle", [EpisodeKey("mine", 2)])
    assert (played["env_id"], played["reward"]) == ("mine", 1.0)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"concurrency": 0}, "concurrency must be 1 or more"),
        ({"retries": -1}, "retries must be 0 or more"),
        ({"env_concurrency": {GUESS: 1}}, "env_concurrency"),
        ({"env_concurrency": {MCQA: 0}}, "must be 1 or more"),
        ({"env_kwargs": {GUESS: {}}}, "env_kwargs"),
    ],
)
def test_wrong_arguments_are_refused(arguments: dict[str, Any], problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        EpisodePlayer(MCQA, **arguments)


def test_a_function_of_another_split_has_a_data_set() -> None:
    with EpisodePlayer(lambda: gymnasium.make(MCQA, split="test")) as player:
        (task,) = list_tasks(player, {MCQA: 1.0}, 1, split="train")
    assert task == (MCQA, "train", 0)


def test_a_task_that_is_no_integer_is_refused() -> None:
    with EpisodePlayer(MCQA) as player, pytest.raises(UsageError, match=r"integers, not .*1\.5"):
        player.play("oracle", [EpisodeKey(MCQA, 1.5)])  # type: ignore[arg-type]


def test_an_environment_that_it_does_not_have_is_refused() -> None:
    with EpisodePlayer(MCQA) as player, pytest.raises(UsageError, match="no environment 'x'"):
        player.play("oracle", [EpisodeKey("x", 0)])


def test_a_closed_player_plays_no_more() -> None:
    player = EpisodePlayer(MCQA)
    player.close()
    with pytest.raises(UsageError, match="the player is closed"):
        player.play("oracle", [EpisodeKey(MCQA, 0, 0)])


def test_integers_of_numpy_name_episodes() -> None:
    with EpisodePlayer(MCQA) as player:
        (played,) = player.play("oracle", [EpisodeKey(MCQA, np.int64(3), np.int32(1))])
    assert json.dumps([played["task_index"], played["repeat"]]) == "[3, 1]"


def test_the_cut_of_a_time_limit_is_graded() -> None:
    env = gymnasium.make(GUESS, max_episode_steps=1)
    played = asyncio.run(play_episode(env, "random", task={"highest": 7, "turns": 3, "number": 5}))
    assert (played["truncated"], len(played["steps"])) == (True, 1)
    assert played["is_success"] is not None


class Counts(Policy):
    """Says 0 in a number of tokens."""

    def __init__(self, tokens: int | None, usage: dict[str, int] | None = None) -> None:
        self.tokens, self.usage = tokens, usage or {}

    async def act(
        self, messages: Any, tools: Any, *, prior: Any = None, seed: Any = None
    ) -> Action:
        ids = None if self.tokens is None else list(range(self.tokens))
        return Action(assistant("0"), usage=self.usage, prompt_ids=ids and [1], token_ids=ids)


@pytest.mark.parametrize(
    ("limit", "policy", "turns", "reason"),
    [
        (6, Counts(3), 2, "max_tokens"),
        (7, Counts(3), 3, "max_tokens"),  # the message that exceeds it is the last one
        (12, Counts(3), 4, ""),  # the last turn anyway
        (100, Counts(3), 4, ""),
        (6, Counts(None, {"completion_tokens": 3}), 2, "max_tokens"),
    ],
)
def test_an_episode_ends_at_its_limit_of_tokens_and_is_graded(
    limit: int, policy: Policy, turns: int, reason: str
) -> None:
    kwargs = {"highest": 9, "turns": 4}
    with EpisodePlayer(GUESS, env_kwargs=kwargs, max_episode_tokens=limit) as player:
        (played,) = player.play(policy, [EpisodeKey(GUESS, 0)])
    assert len(played["steps"]) == turns
    assert played["truncated"] is (reason == "max_tokens")
    assert played["reward"] == 0.0
    assert "correct" in played["steps"][-1]["components"]  # the environment has graded
    assert (played["stop_reason"] == "max_tokens") is (reason == "max_tokens")


def test_a_task_that_ends_with_its_last_tokens_is_not_cut() -> None:
    with EpisodePlayer("test_player:Breaks", max_episode_tokens=1) as player:
        episodes = player.play(Counts(1), [EpisodeKey(player.env_ids[0], n) for n in range(9)])
    graded = [episode for episode in episodes if episode["failure"] is None]
    assert graded
    assert all(item["terminated"] and not item["truncated"] for item in graded)


def test_a_limit_of_tokens_needs_a_policy_that_counts_them() -> None:
    with EpisodePlayer(GUESS, max_episode_tokens=5) as player:
        (played,) = player.play(Counts(None), [EpisodeKey(GUESS, 0)])
    assert played["failure"]["boundary"] == "policy"
    assert "a limit of tokens needs a policy that counts them" in played["failure"]["message"]


def test_a_limit_of_no_tokens_is_refused() -> None:
    with pytest.raises(UsageError, match="max_episode_tokens must be 1 or more, not 0"):
        EpisodePlayer(GUESS, max_episode_tokens=0)
