"""`LevelCurriculum`: when the level rises and falls, and what is counted."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers import RecordEpisodeStatistics, TimeLimit
from hypothesis import given, settings
from hypothesis import strategies as st

import textgym
from textgym.errors import InvalidActionError, StateError, UsageError
from textgym.registry import make as make_wrapped
from textgym.wrappers import LevelCurriculum, StepPenalty

MCQA = "textgym/MCQA-v0"
SUITE = [id for id in textgym.ids(guests=False) if id.startswith("textgym/")]


def make(id: str = MCQA, **kwargs: Any) -> Any:
    return gym.make(id, disable_env_checker=True, **kwargs)


def play(env: Any, success: bool) -> Any:
    """End the episode that is running, in an environment that grades one answer."""
    result = env.step(env.unwrapped.solve() if success else "I do not know.")
    assert result[2] or result[3]
    assert result[4]["is_success"] is success
    return result


def levels_of(env: Any, outcomes: list[bool]) -> list[int]:
    """Return the level of each episode, after checking that its task has it."""
    levels = []
    for success in outcomes:
        levels.append(env.reset()[1]["level"])
        assert env.unwrapped.task.row["level"] == levels[-1]
        play(env, success)
    return levels


def expected_levels(outcomes: list[bool], window: int, raise_at: float, lower_at: float) -> Any:
    """Follow the rule in the plainest way."""
    level, seen, levels = 1, [], []
    for success in outcomes:
        levels.append(level)
        seen.append(success)
        if len(seen) < window:
            continue
        rate = sum(seen[-window:]) / window
        if rate >= raise_at and level < 5:
            level, seen = level + 1, []
        elif rate <= lower_at and level > 1:
            level, seen = level - 1, []
    return levels


@settings(max_examples=60)
@given(
    outcomes=st.lists(st.booleans(), max_size=40),
    window=st.integers(1, 5),
    bounds=st.sampled_from([(0.8, 0.2), (1.0, 0.0), (0.5, 0.4), (0.6, 0.5)]),
)
def test_level_follows_the_success_rate_of_the_window(
    outcomes: list[bool], window: int, bounds: tuple[float, float]
) -> None:
    env = LevelCurriculum(make(), window=window, raise_at=bounds[0], lower_at=bounds[1])
    assert levels_of(env, outcomes) == expected_levels(outcomes, window, *bounds)


def test_a_full_window_slides_until_the_rate_is_reached() -> None:
    env = LevelCurriculum(make(), window=2, raise_at=1.0)
    assert levels_of(env, [False, True, True, True]) == [1, 1, 1, 2]


def test_new_level_needs_a_new_window() -> None:
    env = LevelCurriculum(make(), window=3)
    assert levels_of(env, [True] * 7) == [1, 1, 1, 2, 2, 2, 3]


def test_level_stays_between_the_first_and_the_last() -> None:
    env = LevelCurriculum(make(), levels=[2, 4], window=1)
    assert levels_of(env, [False, True, True, True, False, False]) == [2, 2, 4, 4, 4, 2]


def test_start_is_the_first_level() -> None:
    assert LevelCurriculum(make(), start=3).reset(seed=1)[1]["level"] == 3


def test_tasks_are_those_of_an_environment_of_the_level() -> None:
    env = LevelCurriculum(make(split="test"), start=4)
    observation, info = env.reset(seed=9)
    assert (observation, {**info}) == (
        make(split="test", level=4).reset(seed=9)[0],
        {**make(split="test", level=4).reset(seed=9)[1], "level": 4},
    )


@pytest.mark.parametrize("id", SUITE)
def test_wrapper_fits_every_environment(id: str) -> None:
    env: Any = LevelCurriculum(make(id), window=1)
    for level in (1, 2):
        assert env.reset()[1]["level"] == env.unwrapped.task.row["level"] == level
        ended = False
        while not ended:
            _, _, terminated, truncated, info = env.step(env.unwrapped.solve())
            ended = terminated or truncated
        assert info["is_success"]


# What is counted


@pytest.mark.parametrize(
    "options", [{"index": 0}, {"level": 3}, {"level": 1, "index": 2}, "row"], ids=repr
)
def test_an_episode_picked_by_an_option_is_passed_on_and_not_counted(options: Any) -> None:
    env, plain = LevelCurriculum(make(), window=1), make()
    if options == "row":
        plain.reset(seed=8)
        options = {"task": dict(plain.unwrapped.task.row)}
    plain.reset(seed=1)
    assert env.reset(seed=1, options=options) == plain.reset(seed=1, options=options)
    play(env, True)
    assert env.reset()[1]["level"] == 1


def test_other_options_still_draw_at_the_level() -> None:
    env = LevelCurriculum(make(), start=2)
    assert env.reset(options={})[1]["level"] == 2
    with pytest.raises(UsageError, match="no option 'indx'"):
        env.reset(options={"indx": 2})
    with pytest.raises(UsageError, match="options must be a dict"):
        env.reset(options=["index"])  # type: ignore[arg-type]


def test_an_abandoned_episode_is_not_counted() -> None:
    env = LevelCurriculum(make(), window=2, raise_at=1.0)
    levels_of(env, [True])
    for _ in range(3):
        env.reset()
    assert levels_of(env, [True, True]) == [1, 2]


def test_a_failed_reset_and_a_failed_step_change_nothing() -> None:
    env = LevelCurriculum(make(), window=2)
    levels_of(env, [True])
    env.reset()
    before = textgym.get_state(env)
    with pytest.raises(UsageError):
        env.reset(options={"level": 77})
    with pytest.raises(InvalidActionError):
        env.step(7)  # type: ignore[arg-type]
    assert textgym.get_state(env) == before
    play(env, True)
    assert env.reset()[1]["level"] == 2


def test_a_step_after_the_end_counts_nothing() -> None:
    env = LevelCurriculum(make(), window=2)
    levels_of(env, [True])
    with pytest.raises(UsageError, match="the episode has ended"):
        env.step("A")
    assert env.reset()[1]["level"] == 1


def test_a_cut_episode_counts_as_a_failure() -> None:
    env = LevelCurriculum(TimeLimit(make("textgym/GuessNumber-v0"), 1), start=2, window=1)
    env.reset(seed=1)
    assert env.step("0")[3]
    assert env.reset()[1]["level"] == 1


# State


def test_level_and_window_are_saved_and_go_on_in_a_copy() -> None:
    env, other = (LevelCurriculum(make(), window=3) for _ in range(2))
    levels_of(env, [True] * 5)
    env.reset(seed=3)
    textgym.set_state(other, json.loads(json.dumps(textgym.get_state(env))))
    for each in (env, other):
        play(each, True)
    assert textgym.get_state(other) == textgym.get_state(env)
    assert other.reset() == env.reset()
    assert other.state["level"] == 3


@pytest.mark.parametrize(
    "changed",
    [
        {"level": 9},
        {"level": "1"},
        {"successes": [1, 0]},
        {"successes": [True] * 4},
        {"successes": "all"},
        {"counts": 1},
        {"more": 1},
    ],
    ids=repr,
)
def test_a_tampered_state_is_refused_and_changes_nothing(changed: dict[str, Any]) -> None:
    env = LevelCurriculum(make(), window=3)
    levels_of(env, [True])
    env.reset()
    state = textgym.get_state(env)
    tampered = json.loads(json.dumps(state))
    tampered["wrappers"][0][1].update(changed)
    with pytest.raises(StateError, match="LevelCurriculum"):
        textgym.set_state(env, tampered)
    assert textgym.get_state(env) == state


# Around it


@pytest.mark.filterwarnings("ignore:.*is different from the unwrapped version")
def test_gymnasiums_checker_passes() -> None:
    check_env(LevelCurriculum(gym.make(MCQA)), skip_render_check=True)


def test_spec_makes_the_same_stack_again() -> None:
    env = LevelCurriculum(make(), levels=(2, 3), start=3)
    again: Any = gym.make(gym.envs.registration.EnvSpec.from_json(env.spec.to_json()))  # type: ignore[union-attr]
    assert again.reset(seed=1) == env.reset(seed=1)


@pytest.mark.parametrize("mode", AutoresetMode, ids=lambda mode: mode.value)
def test_each_sub_environment_has_its_own_level(mode: Any) -> None:
    vector = textgym.make_vec(
        MCQA, 2, autoreset_mode=mode, env_wrappers=[partial(LevelCurriculum, window=2)]
    )
    vector.reset(seed=1)
    levels: list[Any] = []
    for _ in range(2):
        envs: list[Any] = vector.envs
        *_, infos = vector.step([envs[0].unwrapped.solve(), "I do not know."])
        if mode is AutoresetMode.NEXT_STEP:
            *_, infos = vector.step([None, None])
        elif mode is AutoresetMode.DISABLED:
            _, infos = vector.reset(options={"reset_mask": np.array([True, True])})
        levels.append(infos["level"].tolist())
    vector.close()
    assert levels == [[1, 1], [2, 1]]


def test_other_wrappers_go_around_and_inside() -> None:
    env = RecordEpisodeStatistics(LevelCurriculum(StepPenalty(make()), window=1))
    assert levels_of(env, [True, True, False]) == [1, 2, 3]


def test_in_rollouts_tasks_are_picked_so_nothing_changes() -> None:
    wrapped = textgym.rollout(MCQA, "oracle", episodes=6, wrappers=["LevelCurriculum:window=1"])
    plain = textgym.rollout(MCQA, "oracle", episodes=6)
    assert {t["task_id"]: t["info"] for t in wrapped.trajectories()} == {
        t["task_id"]: t["info"] for t in plain.trajectories()
    }


def test_it_is_given_as_text() -> None:
    env: Any = make_wrapped(MCQA, wrappers=["LevelCurriculum:levels=[2, 4],window=1"])
    assert levels_of(env, [True, True]) == [2, 4]


# What it does not fit


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"window": 0}, "window must be an integer of 1 or more"),
        ({"raise_at": 0.2}, "lower_at must be less than raise_at"),
        ({"raise_at": 1.5}, "both from 0 to 1"),
        ({"raise_at": float("nan")}, "both from 0 to 1"),
        ({"levels": [1]}, "a list of two or more"),
        ({"levels": "12"}, "a list of two or more"),
        ({"levels": [1, "2"]}, "a list of two or more"),
        ({"levels": [1, 9]}, "must be different ones of"),
        ({"levels": [1, 1]}, "must be different ones of"),
        ({"start": 9}, "start must be one of its levels"),
        ({"levels": [1, 2], "start": 3}, "start must be one of its levels"),
    ],
    ids=repr,
)
def test_wrong_arguments_are_one_line(arguments: dict[str, Any], problem: str) -> None:
    with pytest.raises(UsageError, match=problem) as raised:
        LevelCurriculum(make(), **arguments)
    assert "\n" not in str(raised.value)


def test_a_fixed_level_is_refused() -> None:
    with pytest.raises(UsageError, match=r"needs two or more levels: .* is made with level=2"):
        LevelCurriculum(make(level=2))


def write(path: Path, levels: list[Any]) -> str:
    rows = [
        {"question": f"{n}?", "options": {"A": "yes", "B": "no"}, "answer": "A"}
        | ({} if level is None else {"level": level})
        for n, level in enumerate(levels)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


@pytest.mark.parametrize("levels", [[None, None], [1, 1]], ids=["none", "one"])
def test_rows_without_two_levels_are_refused(tmp_path: Path, levels: list[Any]) -> None:
    file = write(tmp_path / "rows.jsonl", levels)
    with pytest.raises(UsageError, match="needs two or more levels"):
        LevelCurriculum(make(dataset=file))


def test_levels_of_rows_rise_and_fall(tmp_path: Path) -> None:
    file = write(tmp_path / "rows.jsonl", [7, 3, 7, None])
    env = LevelCurriculum(make(dataset=file), window=1)
    assert levels_of(env, [True, True, False, True]) == [3, 7, 7, 3]


def test_levels_that_are_texts_are_given_in_order(tmp_path: Path) -> None:
    file = write(tmp_path / "rows.jsonl", ["hard", "easy"])
    with pytest.raises(UsageError, match="pass levels= in order"):
        LevelCurriculum(make(dataset=file))
    env = LevelCurriculum(make(dataset=file), levels=["easy", "hard"], window=1)
    assert levels_of(env, [True, False]) == ["easy", "hard"]


def test_an_environment_without_messages_is_refused() -> None:
    with pytest.raises(UsageError, match="needs an environment whose observations"):
        LevelCurriculum(gym.make("CartPole-v1"))  # type: ignore[arg-type]
