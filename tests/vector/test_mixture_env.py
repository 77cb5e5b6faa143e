"""`make_vec(..., curriculum=...)`: each reset of a sub-environment draws its environment."""

from __future__ import annotations

import copy
import threading
from collections import Counter
from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from vector_envs import Count, Failing

import textgym
from textgym.curricula import SuccessCurriculum
from textgym.errors import JudgeFailure, UsageError
from textgym.vector.make import MixtureEnv

GUESS, MCQA, CALLS = "textgym/GuessNumber-v0", "textgym/MCQA-v0", "textgym/SingleToolCall-v0"
BOTH = {GUESS: 1.0, MCQA: 1.0}
MODES = pytest.mark.parametrize("mode", AutoresetMode, ids=lambda mode: mode.value)


class Waits(Count):
    """Steps in a thread."""

    blocking = True

    def respond(self, message: Any) -> Any:
        assert threading.current_thread() is not threading.main_thread()
        return super().respond(message)


@pytest.fixture
def vectors() -> Iterator[Any]:
    made: list[Any] = []

    def make(envs: Any = BOTH, num_envs: int = 3, **kwargs: Any) -> Any:
        made.append(textgym.make_vec(envs, num_envs, **{"curriculum": True, **kwargs}))
        return made[-1]

    yield make
    for vector in made:
        vector.close()


def episodes(vector: Any, mode: Any, count: int) -> Iterator[Any]:
    """Play, and yield the sub-environment, id, task and end of each episode."""
    _, infos = vector.reset(seed=3)
    now = [(id, env.task.id) for id, env in zip(infos["environment"], vector.envs, strict=True)]
    ended = np.zeros(vector.num_envs, dtype=bool)
    while count > 0:
        actions = [
            None if end else env.get_wrapper_attr("solve")()
            for env, end in zip(vector.envs, ended, strict=True)
        ]
        _, _, terminated, truncated, infos = vector.step(actions)
        was, ended = ended, terminated | truncated
        for place in np.flatnonzero(ended):
            count -= 1
            final = infos.get("final_info", infos)
            yield place, *now[place], final["is_success"][place]
            assert final["environment"][place] == now[place][0]
        if mode is AutoresetMode.SAME_STEP:
            begun, ended = ended, np.zeros(vector.num_envs, dtype=bool)
        elif mode is AutoresetMode.DISABLED and ended.any():
            _, infos = vector.reset(options={"reset_mask": ended})
            begun, ended = ended, np.zeros(vector.num_envs, dtype=bool)
        else:
            begun = was
        for place in np.flatnonzero(begun):
            now[place] = infos["environment"][place], vector.envs[place].task.id


@MODES
def test_each_episode_is_of_the_environment_that_the_info_names(vectors: Any, mode: Any) -> None:
    vector = vectors({GUESS: 1.0, MCQA: 1.0, CALLS: 1.0}, autoreset_mode=mode)
    seen = Counter((id, success) for _, id, _, success in episodes(vector, mode, 40))
    assert set(seen) == {(GUESS, True), (MCQA, True), (CALLS, True)}


@MODES
def test_all_modes_play_the_same_episodes(vectors: Any, mode: Any) -> None:
    def first(vector: Any, mode: Any) -> Any:
        played: Any = {place: [] for place in range(3)}
        for place, id, task, _ in episodes(vector, mode, 30):
            played[place].append((id, task))
        return [tasks[:4] for tasks in played.values()]

    # A floor of 1 makes the draws independent of the order in which results arrive.
    flat = {"curriculum": {"floor": 1.0}}
    same_step = first(vectors(**flat), AutoresetMode.SAME_STEP)
    assert first(vectors(autoreset_mode=mode, **flat), mode) == same_step


def test_the_draws_follow_success(vectors: Any) -> None:
    curriculum = SuccessCurriculum(window=8, floor=0.05)
    vector = vectors({MCQA: 1.0, CALLS: 1.0}, 4, curriculum=curriculum)
    counts: Counter[str] = Counter()
    _, infos = vector.reset(seed=1)
    for turn in range(60):
        counts.update(infos["environment"])
        actions = [
            env.get_wrapper_attr("solve")() if id == CALLS or turn % 2 else "none"
            for env, id in zip(vector.envs, infos["environment"], strict=True)
        ]
        infos = vector.step(actions)[4]
    assert counts[MCQA] > 1.5 * counts[CALLS] > 0
    assert set(curriculum.as_dict()["results"]) == {MCQA, CALLS}


def test_a_seed_repeats_the_draws_and_the_tasks(vectors: Any) -> None:
    def run(vector: Any, seed: int) -> Any:
        found = [vector.reset(seed=seed)]
        for _ in range(6):
            found.append(vector.reset())
        return [(observations, infos["environment"].tolist()) for observations, infos in found]

    first, second = vectors(), vectors()
    second.reset(seed=99)
    second.reset()
    assert run(first, 5) == run(second, 5) == run(first, 5) != run(second, 6)


def test_environments_are_made_when_they_are_first_drawn() -> None:
    made: Counter[str] = Counter()

    def make(name: str) -> Any:
        made[name] += 1
        return gymnasium.make(MCQA)

    mixture: Any = {"a": lambda: make("a"), "b": (1e-9, lambda: make("b"))}
    vector = textgym.make_vec(mixture, 5, curriculum=True)
    vector.reset(seed=1)
    vector.reset()
    assert made == {"a": 5, "b": 1}
    vector.close()


def test_all_environments_are_closed() -> None:
    closed = []

    class Closing(gymnasium.Wrapper[Any, Any, Any, Any]):
        def close(self) -> None:
            closed.append(self)

    vector = textgym.make_vec(BOTH, 3, curriculum=True, env_wrappers=[Closing])
    made = sum(len(env._envs) for env in vector.envs)  # type: ignore[attr-defined]
    vector.close()
    assert len(closed) == made == 2


def test_those_made_are_closed_if_one_cannot_be_made() -> None:
    closed = []

    class Closing(gymnasium.Wrapper[Any, Any, Any, Any]):
        def close(self) -> None:
            closed.append(self)

    mixture: Any = {"a": lambda: Closing(gymnasium.make(MCQA)), "b": lambda: 1 / 0}
    with pytest.raises(ZeroDivisionError):
        textgym.make_vec(mixture, 2, curriculum=True)
    assert len(closed) == 1


def test_steps_run_in_threads_if_one_environment_may_block(vectors: Any) -> None:
    vector = vectors({"quick": Count, "waits": Waits}, 4)
    _, infos = vector.reset(seed=2)
    seen = set(infos["environment"])
    for _ in range(40):
        seen |= set(vector.step(["x"] * 4)[4]["environment"])
    assert seen == {"quick", "waits"}


def test_a_failure_is_no_result_and_the_others_go_on(vectors: Any) -> None:
    curriculum = SuccessCurriculum()
    vector = vectors(
        {"a": Failing, "b": Failing}, 2, curriculum=curriculum, failures="nan", retries=0
    )
    vector.reset(seed=1, options={"task": {"id": "x", "turns": 1, "key": 0}})
    vector.envs[0].env.unwrapped.step_failures = 1
    _, rewards, _, truncated, infos = vector.step(["x", "x"])
    assert np.isnan(rewards[0])
    assert truncated.tolist() == [True, False]
    assert infos["final_info"]["task_id"].tolist() == ["x", "x"]
    assert sum(map(len, curriculum.as_dict()["results"].values())) == 1


def test_a_failed_reset_draws_the_same_again() -> None:
    env = MixtureEnv({"a": Failing, "b": Failing}, {"a": 1.0, "b": 1.0}, SuccessCurriculum())
    again = MixtureEnv({"a": Failing, "b": Failing}, {"a": 1.0, "b": 1.0}, SuccessCurriculum())
    for each in env._envs.values():
        each.reset_failures = 1  # type: ignore[attr-defined]
    for _ in range(4):
        try:
            found = env.reset(seed=4)
        except JudgeFailure:
            found = env.reset(seed=4)
        assert found == again.reset(seed=4)
        for _ in range(3):
            try:
                found = env.reset()
            except JudgeFailure:
                found = env.reset()
            assert found == again.reset()


def test_options_are_passed_on(vectors: Any) -> None:
    vector = vectors({MCQA: 1.0, GUESS: 1.0}, 6)
    vector.reset(seed=1, options={"level": 2, "index": 7})
    assert {env.task.id for env in vector.envs} == {"train-2-7"}


def test_send_and_recv_name_the_environment(vectors: Any) -> None:
    vector = vectors()
    vector.reset(seed=1)
    vector.send(["x", "y"], env_id=[0, 2])
    *_, infos = vector.recv(batch_size=2)
    assert infos["env_id"].tolist() == [0, 2]
    assert set(infos["environment"]) <= {GUESS, MCQA}


def test_a_copy_plays_on_as_the_original(vectors: Any) -> None:
    vector = vectors()
    vector.reset(seed=1)
    twin = copy.deepcopy(vector)
    for _ in range(5):
        found = vector.step(["x"] * 3), twin.step(["x"] * 3)
        assert found[0][0] == found[1][0]
        assert found[0][4]["environment"].tolist() == found[1][4]["environment"].tolist()
    twin.close()


def test_before_a_reset_there_is_no_episode() -> None:
    env = MixtureEnv({"a": Count}, {"a": 1.0}, SuccessCurriculum())
    with pytest.raises(UsageError, match="there is no episode yet: call reset first"):
        env.step("x")


@pytest.mark.parametrize(
    ("envs", "kwargs", "told"),
    [
        (MCQA, {}, "a curriculum draws from several environments"),
        ({MCQA: 1.0}, {}, "a curriculum draws from several environments"),
        (BOTH, {"curriculum": {"widow": 3}}, "did you mean 'window'"),
        (
            {MCQA: 1.0, "CartPole-v1": 1.0},
            {},
            "the spaces of CartPole-v1 and textgym/MCQA-v0 differ",
        ),
        (
            {"CartPole-v1": 1.0, "Acrobot-v1": 1.0},
            {},
            "the spaces of Acrobot-v1 and CartPole-v1 differ",
        ),
        (BOTH, {"env_kwargs": {CALLS: {"level": 1}}}, f"{CALLS!r} is not played"),
    ],
    ids=["id", "one", "argument", "spaces", "no messages", "kwargs"],
)
def test_what_does_not_fit_is_refused_in_one_line(envs: Any, kwargs: Any, told: str) -> None:
    with pytest.raises(UsageError, match=told) as raised:
        textgym.make_vec(envs, 2, **{"curriculum": True, **kwargs})
    assert "\n" not in str(raised.value)
