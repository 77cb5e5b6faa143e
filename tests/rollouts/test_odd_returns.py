"""Odd return values of environments and policies are recorded, or a failure of their source."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import textgym
from textgym.json_values import json_round_trip
from textgym.messages import assistant, user
from textgym.policies import Action, Policy
from textgym.trajectories.run_folder import read_trajectories

CIRCLE: list[Any] = []
CIRCLE.append(CIRCLE)
PROMPT = [user("Go.")]
FIRST = (PROMPT, {})
THEN = ([*PROMPT, assistant("x")], 1.0, True, False, {})


class Foreign(gymnasium.Env[Any, Any]):
    """An environment of one step that returns the values that it was made with."""

    def __init__(self, first: Any = FIRST, then: Any = THEN) -> None:
        self.first, self.then = first, then

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        return self.first

    def step(self, action: Any) -> Any:
        return self.then


class Says(Policy):
    """Returns an action with the fields that it was made with."""

    name = "says"

    def __init__(self, **fields: Any) -> None:
        self.fields = fields

    async def act(
        self, messages: Any, tools: Any, *, prior: Any = None, seed: int | None = None
    ) -> Action:
        return Action(assistant("x"), **self.fields)


class Dumb(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


def play(env: Any, policy: Any = None, **options: Any) -> dict[str, Any]:
    run = textgym.rollout(env, policy or Says(), episodes=1, **options)
    (trajectory,) = run.trajectories()
    return trajectory


@pytest.mark.parametrize(
    "first",
    [
        None,
        (PROMPT,),
        (None, {}),
        ("Go.", {}),
        ([None], {}),
        ([{"content": "nobody's"}], {}),
        (np.zeros(3), {}),
        (PROMPT, None),
    ],
)
def test_an_invalid_result_of_reset_is_a_failure_of_the_environment(first: Any) -> None:
    trajectory = play(lambda: Foreign(first=first))
    assert trajectory["failure"]["boundary"] == "environment"
    assert (trajectory["reward"], trajectory["is_success"]) == (None, None)


@pytest.mark.parametrize(
    "then",
    [
        None,
        (PROMPT, 1.0, True, {}),
        (None, 1.0, True, False, {}),
        (PROMPT, 1.0, True, False, None),
        (PROMPT, 1.0, True, False, {"reward_components": [1.0]}),
        (PROMPT, 1.0, True, False, {"stop_reason": 7}),
        (PROMPT, 1.0, np.array([True, False]), False, {}),
    ],
)
def test_an_invalid_result_of_step_is_a_failure_of_the_environment(then: Any) -> None:
    trajectory = play(lambda: Foreign(then=then))
    assert trajectory["failure"]["boundary"] == "environment"
    assert trajectory["reward"] is None


@pytest.mark.parametrize(
    "fields", [{"usage": {"completion_tokens": "many"}}, {"usage": 3}, {"token_ids": 7}]
)
def test_invalid_tokens_of_an_action_are_a_failure_of_the_policy(fields: dict[str, Any]) -> None:
    failure = play(Foreign, Says(**fields))["failure"]
    assert (failure["boundary"], failure["type"]) == ("policy", "UsageError")


def test_an_error_whose_str_fails_is_recorded_without_a_message() -> None:
    class Broken(Foreign):
        def step(self, action: Any) -> Any:
            raise Dumb

    failure = play(Broken)["failure"]
    assert (failure["boundary"], failure["type"], failure["message"]) == ("environment", "Dumb", "")
    assert "raise Dumb" in failure["traceback"]


def test_none_in_an_info_is_an_empty_stop_reason_and_no_components() -> None:
    info = {"stop_reason": None, "reward_components": None, "is_success": np.True_}
    trajectory = play(lambda: Foreign(then=(PROMPT, np.float64(0.5), True, False, info)))
    assert (trajectory["failure"], trajectory["reward"]) == (None, 0.5)
    assert (trajectory["stop_reason"], trajectory["is_success"]) == ("", True)


@pytest.mark.parametrize(
    ("value", "stored"),
    [
        (CIRCLE, ["..."]),
        ({3: 1, None: 2}, {"3": 1, "None": 2}),
        ([2**70, float("nan")], [2**70, None]),
        (np.arange(2), [0, 1]),
        ({"half": "\ud800", 1: {2}}, {"half": "\ud800", "1": "{2}"}),
        (Dumb("x"), "Dumb('x')"),
    ],
)
def test_an_info_with_any_values_is_written_and_read(
    tmp_path: Path, value: Any, stored: Any
) -> None:
    assert json_round_trip({"info": value}) == {"info": stored}
    info = {"odd": value}
    play(lambda: Foreign(then=(PROMPT, 1.0, True, False, info)), out=tmp_path / "run")
    (line,) = read_trajectories(tmp_path / "run")
    assert line["info"]["odd"] == stored


def test_a_value_of_any_depth_can_be_stored() -> None:
    deep: Any = "bottom"
    for _ in range(5000):
        deep = [deep]
    depth, value = 0, json_round_trip(deep)
    while isinstance(value, list):
        depth, value = depth + 1, value[0]
    assert (depth, value) == (200, "...")


def test_a_run_with_a_function_among_its_arguments_can_be_resumed(tmp_path: Path) -> None:
    textgym.rollout(Judged, Says(), episodes=1, out=tmp_path / "run")
    run = textgym.rollout(Judged, Says(), episodes=1, out=tmp_path / "run", resume=True)
    (trajectory,) = run.trajectories()
    assert trajectory["env_kwargs"] == {"judge": f"{__name__}:a_judge"}


def a_judge(messages: Any) -> str:
    return "x"


class Judged(Foreign):
    spec = gymnasium.envs.registration.EnvSpec("demo/Judged-v0", kwargs={"judge": a_judge})


def test_a_cancelled_run_ends_even_if_its_policy_suppresses_it() -> None:
    asked = asyncio.Event()

    class Deaf(Policy):
        """Turns a cancellation into another error."""

        async def act(self, *args: Any, **kwargs: Any) -> Action:
            asked.set()
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError as error:
                raise RuntimeError("the connection was lost") from error
            raise AssertionError("never")

    async def run() -> None:
        task = asyncio.create_task(textgym.arollout(Foreign, Deaf(), episodes=4))
        await asked.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())
