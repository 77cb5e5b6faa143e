"""Tasks that are named, by index or as rows; single episodes; the arguments of rollouts."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections import Counter
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import textgym
from textgym.errors import RowError, RunError, UsageError
from textgym.messages import user
from textgym.policies import Policy
from textgym.spaces import ActionSpace, ConversationSpace
from textgym.trajectories.run_folder import read_config

MCQA, GUESS = "textgym/MCQA-v0", "textgym/GuessNumber-v0"
ROWS = [
    {"question": f"Which is {letter}?", "options": {"A": "a", "B": "b"}, "answer": letter}
    for letter in "AB"
]


class Foreign(gymnasium.Env[Any, Any]):
    """An environment without `num_tasks`, whose task is its seed."""

    observation_space, action_space = ConversationSpace(), ActionSpace()

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        self.prompt = user(f"Seed {seed}, options {options}.")
        return [self.prompt], {}

    def step(self, action: Any) -> Any:
        return [self.prompt], 1.0, True, False, {}


class OnlyRows(textgym.TextEnv[None]):
    """An environment that has no generator."""

    card = textgym.Card("demo/OnlyRows-v0", "Say it.")

    def read_row(self, row: dict[str, Any]) -> textgym.Task:
        return textgym.Task(row["id"], (user(f"Say {row['word']}."),), row["word"], row=row)

    def grade(self) -> textgym.Grade:
        return textgym.Grade(1.0, True)

    def guess(self, rng: Any) -> str:
        return "tea"


def prompts(run: textgym.Run) -> list[Any]:
    trajectories = sorted(run.trajectories(), key=lambda item: (item["task_index"], item["repeat"]))
    return [item["messages"][0]["content"] for item in trajectories]


def indices(run: textgym.Run) -> list[int]:
    return sorted(trajectory["task_index"] for trajectory in run.trajectories())


@pytest.mark.parametrize("given", [[7, 3], (7, 3), np.array([7, 3]), range(3, 8, 4)], ids=repr)
def test_tasks_are_named_by_index(given: Any) -> None:
    run = textgym.rollout(MCQA, "oracle", tasks=given, repeats=2, env_kwargs={"split": "test"})
    whole = textgym.rollout(MCQA, "oracle", episodes=8, env_kwargs={"split": "test"})
    assert indices(run) == [3, 3, 7, 7]
    assert prompts(run)[::2] == [prompts(whole)[3], prompts(whole)[7]]
    assert run.metrics["planned_episodes"] == run.metrics["overall"]["episodes"] == 4


def test_tasks_are_given_as_rows() -> None:
    run = textgym.rollout(MCQA, "oracle", tasks=ROWS, repeats=2)
    assert run.mean_reward == 1.0
    assert indices(run) == [0, 0, 1, 1]
    assert ["Which is A?" in text for text in prompts(run)] == [True, True, False, False]
    assert len({trajectory["task_id"] for trajectory in run.trajectories()}) == 2


@pytest.mark.parametrize("more", [{}, {"episodes": 3}])
def test_without_a_generator_and_rows_nothing_is_played(more: Any, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="demo/OnlyRows-v0 has no generator: pass dataset="):
        textgym.rollout(OnlyRows, "random", out=tmp_path / "run", **more)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    "more", [{"tasks": [{"word": "tea"}]}, {"env_kwargs": {"dataset": [{"word": "tea"}]}}]
)
def test_without_a_generator_rows_are_played(more: Any) -> None:
    assert textgym.rollout(OnlyRows, "random", **more).mean_reward == 1.0


def test_each_environment_has_tasks_of_its_own() -> None:
    weights = {MCQA: 1, GUESS: 1}
    run = textgym.rollout(weights, "random", tasks={MCQA: ROWS, GUESS: [5, 2, 9]})
    played = Counter((item["env_id"], item["task_index"]) for item in run.trajectories())
    assert played == dict.fromkeys([(MCQA, 0), (MCQA, 1), (GUESS, 2), (GUESS, 5), (GUESS, 9)], 1)


@pytest.mark.parametrize("given", [[4, 1, 6], [*ROWS, ROWS[0]]], ids=["indices", "rows"])
def test_a_run_of_named_tasks_is_resumed_and_rescored(tmp_path: Path, given: Any) -> None:
    options: Any = {"tasks": given, "repeats": 2, "out": tmp_path}
    whole = prompts(textgym.rollout(MCQA, "random", **options))
    assert read_config(tmp_path)["given_tasks"] == {MCQA: given}
    file = tmp_path / "trajectories.jsonl"
    file.write_bytes(b"".join(file.read_bytes().splitlines(keepends=True)[:2]))
    run = textgym.rollout(MCQA, "random", resume=True, **options)
    assert prompts(run) == whole
    assert textgym.rescore(tmp_path).counts["same"] == 6
    with pytest.raises(RunError, match="its given_tasks is"):
        textgym.rollout(MCQA, "random", resume=True, **{**options, "tasks": [*given[1:], given[0]]})


def test_a_run_of_rows_in_memory_is_rescored() -> None:
    assert textgym.rescore(textgym.rollout(MCQA, "random", tasks=ROWS)).counts["same"] == 2


def test_a_foreign_environment_takes_indices() -> None:
    run = textgym.rollout(Foreign, Silent(), tasks=[3, 5])
    whole = textgym.rollout(Foreign, Silent(), episodes=6)
    assert indices(run) == [3, 5]
    assert prompts(run) == [prompts(whole)[3], prompts(whole)[5]]


class Silent(Policy):
    """Says nothing."""

    async def act(self, *args: Any, **kwargs: Any) -> textgym.Action:
        return textgym.Action({"role": "assistant", "content": ""})


@pytest.mark.parametrize(
    ("given", "options", "told"),
    [
        ([], {}, "tasks of textgym/MCQA-v0 is empty"),
        ("37", {}, "must be a list of indices or rows, not '37'"),
        (7, {}, "must be a list of indices or rows, not 7"),
        ([1, 1], {}, "names a task twice; repeats play a task again"),
        ([500], {}, "has no task 500; indices are 0 to 499"),
        ([-1], {}, "has no task -1"),
        ([1, ROWS[0]], {}, "must be all indices or all rows"),
        (["one"], {}, "must be all indices or all rows"),
        ({"textgym/Math-v0": [1]}, {}, "tasks: 'textgym/Math-v0' is not played"),
        ([1], {"episodes": 1}, "leave out episodes and start"),
        ([1], {"start": 1}, "leave out episodes and start"),
        ([{"question": b"x"}], {}, "field 'question' holds bytes"),
    ],
)
def test_invalid_tasks_are_refused(given: Any, options: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        textgym.rollout(MCQA, "oracle", tasks=given, env_kwargs={"split": "test"}, **options)


def test_tasks_of_several_environments_are_named_by_id() -> None:
    with pytest.raises(UsageError, match="must be a dict with a list for each id"):
        textgym.rollout({MCQA: 1, GUESS: 1}, "oracle", tasks=[1])
    with pytest.raises(UsageError, match=f"tasks of {GUESS} must be a list"):
        textgym.rollout({MCQA: 1, GUESS: 1}, "oracle", tasks={MCQA: [1]})


def test_rows_need_an_environment_that_reads_them() -> None:
    with pytest.raises(UsageError, match="Foreign cannot play rows"):
        textgym.rollout(Foreign, Silent(), tasks=ROWS)


# Single episodes.


def play(*args: Any, **kwargs: Any) -> Any:
    return asyncio.run(textgym.play_episode(*args, **kwargs))


def test_an_episode_is_the_one_of_a_rollout() -> None:
    env = gymnasium.make(MCQA, split="test")
    run = textgym.rollout(
        MCQA, "random", tasks=[6], repeats=3, seed=4, env_kwargs={"split": "test"}
    )
    recorded = next(item for item in run.trajectories() if item["repeat"] == 2)
    played = play(env, "random", index=6, repeat=2, seed=4)
    clocks = {"started_at", "seconds", "steps"}
    assert played.keys() == recorded.keys()
    assert {name: played[name] for name in played.keys() - clocks} == {
        name: recorded[name] for name in recorded.keys() - clocks
    }


def test_an_episode_of_a_row() -> None:
    env = gymnasium.make(MCQA)
    assert "Which is B?" in play(env, "oracle", task=ROWS[1])["messages"][0]["content"]
    assert play(env, "oracle")["task_index"] == 0


def test_an_episode_that_fails_is_returned() -> None:
    class Down(Policy):
        async def act(self, *args: Any, **kwargs: Any) -> Any:
            raise UsageError("no such model")

    trajectory = play(gymnasium.make(MCQA), Down())
    assert trajectory["reward"] is None
    assert "no such model" in trajectory["failure"]["traceback"]


def test_a_policy_object_is_not_closed_and_one_from_a_spec_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    closed = []

    async def close(policy: Policy) -> None:
        closed.append(policy.name)

    monkeypatch.setattr(Policy, "close", close)
    env = gymnasium.make(MCQA)
    play(env, textgym.make_policy("random"))
    assert closed == []
    play(env, "random")
    assert closed == ["random"]


@pytest.mark.parametrize(
    ("options", "error", "told"),
    [
        ({"index": 1, "task": ROWS[0]}, UsageError, "index or task, not both"),
        ({"index": -1}, UsageError, "index must be 0 or more, not -1"),
        ({"repeat": "2"}, UsageError, "repeat must be 0 or more"),
        ({"task": {"x": b""}}, RowError, "field 'x' holds bytes"),
    ],
)
def test_invalid_episodes_are_refused(
    options: dict[str, Any], error: type[UsageError], told: str
) -> None:
    with pytest.raises(error, match=told):
        play(gymnasium.make(MCQA), "oracle", **options)


# Signatures.


@pytest.mark.parametrize(
    ("function", "asynchronous"),
    [(textgym.rollout, textgym.arollout), (textgym.rescore, textgym.arescore)],
    ids=["rollout", "rescore"],
)
def test_the_asynchronous_form_has_the_same_explicit_signature(
    function: Any, asynchronous: Any
) -> None:
    one, other = inspect.signature(function), inspect.signature(asynchronous)
    assert one == other
    assert not any(item.kind is item.VAR_KEYWORD for item in one.parameters.values())


def test_every_argument_of_rollout_is_passed_on(tmp_path: Path) -> None:
    given: dict[str, Any] = {
        "episodes": 3, "repeats": 2, "start": 5, "concurrency": 2, "env_concurrency": {MCQA: 1},
        "seed": 9, "retries": 0, "env_kwargs": {"split": "test"}, "progress": False,
    }  # fmt: skip
    begun, seen = [], []
    textgym.rollout(
        MCQA, "random", out=tmp_path, on_start=begun.append, on_episode=seen.append, **given
    )
    textgym.rollout(MCQA, "random", out=tmp_path, resume=True, **given)
    config = json.loads((tmp_path / "run.json").read_text())
    assert config.items() >= {"episodes": 3, "repeats": 2, "start": 5, "seed": 9}.items()
    assert (begun, len(seen)) == ([6], 6)
