"""Checks from Gymnasium's own tests of vectors, on `TextVectorEnv` and `SyncVectorEnv`."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.envs.registration import VectorizeMode
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv, VectorEnv
from gymnasium.wrappers import vector as wrappers
from hypothesis import given, settings
from hypothesis import strategies as st
from vector_envs import Count, task

import textgym
from textgym.errors import UsageError
from textgym.messages import assistant
from textgym.vector import TextVectorEnv

MODES = pytest.mark.parametrize("mode", AutoresetMode, ids=lambda mode: mode.value)
IN_PROCESS = (VectorizeMode.SYNC, VectorizeMode.VECTOR_ENTRY_POINT)
OTHER_MODES = (
    VectorizeMode.ASYNC,
    "async",
    "sync",
    "vector_entry_point",
)  # audits run async for all
COUNT = 3


def both(mode: AutoresetMode, cls: Any = Count) -> tuple[Any, Any]:
    """Return Gymnasium's vector and textgym's, with equal sub-environments."""
    sync = SyncVectorEnv([cls] * COUNT, copy=False, autoreset_mode=mode)
    return sync, TextVectorEnv([cls] * COUNT, autoreset_mode=mode)


def shown(value: Any) -> Any:
    """Return an info without arrays and durations, for comparison."""
    if isinstance(value, dict):
        return {key: shown(item) for key, item in value.items() if key != "t"}
    if isinstance(value, (list, tuple)):
        return [*map(shown, value)]
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


def same(one: Any, other: Any) -> None:
    """Compare the results of two vectors, including the dtypes of arrays."""
    assert shown(one) == shown(other)
    for mine, theirs in zip(one, other, strict=True):
        assert getattr(mine, "dtype", None) == getattr(theirs, "dtype", None)


# test_sync_vector_env, test_vector_env


SEEDS = st.none() | st.integers(0, 2**31) | st.lists(st.none() | st.integers(0, 99), min_size=COUNT,
                                                    max_size=COUNT)  # fmt: skip


@MODES
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_any_seeds_options_and_masks_give_the_same_as_gymnasium(
    mode: AutoresetMode, data: st.DataObject
) -> None:
    sync, ours = both(mode)
    seed = data.draw(st.integers(0, 99))
    same(ours.reset(seed=seed), sync.reset(seed=seed))
    due = np.zeros(COUNT, dtype=np.bool_)
    for turn in range(data.draw(st.integers(1, 12))):
        options: dict[str, Any] = data.draw(st.sampled_from([{}, {"index": 3}, {"task": task(2)}]))
        if due.any() or data.draw(st.booleans()):
            mask = due | data.draw(st.lists(st.booleans(), min_size=COUNT, max_size=COUNT))
            if mask.any():
                seeds = data.draw(SEEDS)
                given = {**options, "reset_mask": mask}
                same(
                    ours.reset(seed=seeds, options=dict(given)),
                    sync.reset(seed=seeds, options=given),
                )
        actions = data.draw(st.sampled_from([list, tuple, np.array]))([f"{turn}", "x", "y"])
        stepped = ours.step(actions)
        same(stepped, sync.step(actions))
        assert stepped[0] in ours.observation_space
        if mode is AutoresetMode.DISABLED:
            due = stepped[2] | stepped[3]


@MODES
def test_its_attributes_are_those_of_gymnasiums_vector(mode: AutoresetMode) -> None:
    sync, ours = both(mode)
    for name in (
        "num_envs", "metadata", "render_mode", "spec", "single_observation_space",
        "single_action_space", "observation_space", "action_space", "closed",
    ):  # fmt: skip
        assert getattr(ours, name) == getattr(sync, name), name
    assert ours.unwrapped is ours
    assert repr(ours) == "TextVectorEnv(num_envs=3)"
    assert Count.metadata is not ours.metadata
    assert "autoreset_mode" not in Count.metadata


def test_later_steps_do_not_change_earlier_results() -> None:
    _, ours = both(AutoresetMode.SAME_STEP)
    ours.reset(seed=1)
    for _ in range(6):
        stepped = ours.step(["a"] * COUNT)
        kept = copy.deepcopy(stepped)
        ours.step(["b"] * COUNT)
        same(stepped, kept)


def test_sampled_actions_can_be_stepped() -> None:
    for space in ("action_space", "single_action_space"):
        sync, ours = both(AutoresetMode.SAME_STEP)
        sync.reset(seed=2)
        ours.reset(seed=2)
        for _ in range(10):
            sampled = getattr(ours, space)
            sampled.seed(7)
            many = space == "action_space"
            actions = sampled.sample() if many else [sampled.sample() for _ in range(COUNT)]
            assert not many or actions in ours.action_space
            same(ours.step(actions), sync.step(actions))


def test_seeds_of_the_action_space_are_those_of_gymnasiums() -> None:
    sync, ours = both(AutoresetMode.SAME_STEP)
    for vector in (sync, ours):
        vector.action_space.seed(11)
    assert ours.action_space.sample() == sync.action_space.sample()


@MODES
@pytest.mark.parametrize("seed", [None, 3, [1, None, 2]], ids=repr)
def test_generators_of_the_sub_environments(mode: AutoresetMode, seed: Any) -> None:
    sync, ours = both(mode)
    for vector in (sync, ours):
        vector.reset(seed=1)
        vector.reset(seed=seed)
    assert ours.np_random_seed == sync.np_random_seed
    drawn = [[one.integers(99) for one in vector.np_random] for vector in (ours, sync)]
    assert drawn[0] == drawn[1]


SCRIPT = """
import textgym
for id in ("textgym/MCQA-v0", "textgym/GuessNumber-v0"):
    envs = textgym.make_vec(id, 3, autoreset_mode="SameStep")
    print([observation[-1]["content"] for observation in envs.reset(seed=5)[0]])
    for turn in range(3):
        print([observation[-1]["content"] for observation in envs.step(["1", "2", "3"])[0]])
"""


def test_a_seed_gives_the_same_results_in_any_process() -> None:
    said = set()
    for salt in ("0", "1"):
        env = {**os.environ, "PYTHONHASHSEED": salt, "PYTHONPATH": str(Path.cwd())}
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env=env, capture_output=True, text=True, check=True,
        )  # fmt: skip
        said.add(done.stdout)
    assert len(said) == 1


def test_render_returns_one_result_for_each() -> None:
    vector = gym.make_vec("textgym/MCQA-v0", num_envs=2, render_mode="ansi")
    assert vector.render_mode == "ansi"
    vector.reset(seed=1)
    texts = vector.render()
    assert isinstance(texts, tuple)
    assert [type(text) for text in texts] == [str, str]
    assert texts[0] != texts[1]


def test_an_unknown_attribute_is_refused() -> None:
    _, ours = both(AutoresetMode.SAME_STEP)
    with pytest.raises(AttributeError, match="nothing_such"):
        ours.get_attr("nothing_such")


# test_vector_make


@pytest.mark.parametrize(
    ("id", "mode"),
    [
        *((id, mode) for id in textgym.ids(guests=False) for mode in IN_PROCESS),
        *(("textgym/SessionState-v0", mode) for mode in OTHER_MODES),
    ],
)
def test_every_way_to_make_a_vector_works(id: str, mode: Any) -> None:
    is_async = VectorizeMode(mode) is VectorizeMode.ASYNC
    kwargs: Any = {"vector_kwargs": {"shared_memory": False}} if is_async else {}
    vector: Any = gym.make_vec(id, num_envs=2, vectorization_mode=mode, **kwargs)
    kinds = {"sync": SyncVectorEnv, "async": AsyncVectorEnv, "vector_entry_point": TextVectorEnv}
    try:
        assert type(vector) is kinds[VectorizeMode(mode).value]
        again = textgym.make_vec(id, 2)
        assert vector.reset(seed=4)[0] == again.reset(seed=4)[0]
        assert vector.step(["1", "2"])[1].shape == (2,)
        again.close()
    finally:
        vector.close()


def test_arguments_that_custom_vectors_do_not_take_are_refused() -> None:
    for kwargs in ({"vector_kwargs": {"copy": False}}, {"wrappers": [gym.wrappers.TimeLimit]}):
        with pytest.raises(gym.error.Error):
            gym.make_vec("textgym/MCQA-v0", num_envs=2, **kwargs)


@pytest.fixture
def plain_id() -> Iterator[str]:
    """The id of an environment that only Gymnasium knows."""
    id = "tests/Plain-v0"
    gym.register(id, "vector_envs:Count")
    yield id
    gym.registry.pop(id)


@pytest.mark.parametrize("mode", ["SameStep", "NextStep", "Disabled"])
def test_make_vec_takes_an_id_that_only_gymnasium_knows(plain_id: str, mode: str) -> None:
    default = textgym.make_vec(plain_id, 2)
    assert (type(default), default.metadata["autoreset_mode"]) == (
        TextVectorEnv,
        AutoresetMode.SAME_STEP,
    )
    vector = textgym.make_vec(plain_id, 2, autoreset_mode=mode)
    assert vector.metadata["autoreset_mode"] is AutoresetMode(mode)


@pytest.mark.parametrize("id", ["textgym/MCQA-v0", "plain"])
def test_an_autoreset_mode_that_reaches_an_environment_is_refused(id: str, plain_id: str) -> None:
    id = plain_id if id == "plain" else id
    with pytest.raises(UsageError, match="autoreset_mode is an argument of vectors"):
        gym.make_vec(id, num_envs=2, vectorization_mode="sync", autoreset_mode="SameStep")


@pytest.mark.parametrize("mode", AutoresetMode)
def test_gymnasiums_vector_gives_the_same_as_make_vec(plain_id: str, mode: AutoresetMode) -> None:
    ours = textgym.make_vec(plain_id, 2, autoreset_mode=mode)
    theirs = gym.make_vec(plain_id, num_envs=2, vector_kwargs={"autoreset_mode": mode})
    assert type(theirs) is SyncVectorEnv
    assert ours.reset(seed=3)[0] == theirs.reset(seed=3)[0]
    ended = np.zeros(2, bool)
    for _ in range(8):
        if mode is AutoresetMode.DISABLED and ended.any():
            options = {"reset_mask": ended}
            assert ours.reset(options=options)[0] == theirs.reset(options=options)[0]
        one, two = ours.step(["a", "b"]), theirs.step(["a", "b"])
        assert one[0] == two[0]
        assert [part.tolist() for part in one[1:4]] == [part.tolist() for part in two[1:4]]
        ended = one[2] | one[3]


def test_a_spec_makes_the_vector_again() -> None:
    first = gym.make_vec("textgym/MCQA-v0", num_envs=2, level=2, retries=5)
    assert first.spec is not None
    again = gym.make_vec(copy.deepcopy(first.spec))
    assert again.spec == first.spec
    assert repr(gym.make_vec(gym.spec("textgym/MCQA-v0"), num_envs=2)) == repr(first)


# Copies


def test_a_pickled_vector_continues_like_the_original() -> None:
    vector = gym.make_vec("textgym/GuessNumber-v0", num_envs=COUNT, level=3)
    vector.reset(seed=8)
    vector.step(["It is 1.", "It is 2.", "It is 3."])
    for again in (pickle.loads(pickle.dumps(vector)), copy.deepcopy(vector)):
        assert repr(again) == repr(vector)
        state = pickle.loads(pickle.dumps(vector))
        for _ in range(4):
            same(again.step(["1", "2", "3"]), state.step(["1", "2", "3"]))
        same(again.reset(), state.reset())


def test_a_vector_with_a_running_call_cannot_be_copied() -> None:
    _, ours = both(AutoresetMode.SAME_STEP)
    ours.reset(seed=1)
    ours.send(["a"], [1])
    with pytest.raises(UsageError, match="call recv first"):
        pickle.dumps(ours)


# Gymnasium's vector wrappers, on both vectors


def shout(message: Any) -> Any:
    return assistant(str(message).upper())


def last(observation: Any) -> Any:
    return observation[-1:]


SPACE = Count().observation_space
WRAPPERS: dict[str, Callable[[Any], VectorEnv[Any, Any, Any]]] = {
    "RecordEpisodeStatistics": wrappers.RecordEpisodeStatistics,
    "DictInfoToList": wrappers.DictInfoToList,
    "NormalizeReward": wrappers.NormalizeReward,
    "ClipReward": lambda envs: wrappers.ClipReward(envs, 0.015, 0.02),
    "TransformReward": lambda envs: wrappers.TransformReward(envs, lambda reward: 2 * reward),
    "VectorizeTransformReward": lambda envs: wrappers.VectorizeTransformReward(
        envs, gym.wrappers.TransformReward, func=lambda reward: reward + 1
    ),
    "TransformAction": lambda envs: wrappers.TransformAction(
        envs, lambda actions: [*map(shout, actions)]
    ),
    "VectorizeTransformAction": lambda envs: wrappers.VectorizeTransformAction(
        envs, gym.wrappers.TransformAction, func=shout, action_space=envs.single_action_space
    ),
    "TransformObservation": lambda envs: wrappers.TransformObservation(
        envs, lambda observations: tuple(map(last, observations))
    ),
    "VectorizeTransformObservation": lambda envs: wrappers.VectorizeTransformObservation(
        envs, gym.wrappers.TransformObservation, func=last, observation_space=SPACE
    ),
}
OF_OBSERVATIONS = {"TransformObservation", "VectorizeTransformObservation"}


@MODES
@pytest.mark.parametrize("name", WRAPPERS)
def test_wrappers_work_as_on_gymnasiums_vector(name: str, mode: AutoresetMode) -> None:
    sync, ours = both(mode)
    if name in OF_OBSERVATIONS and mode is AutoresetMode.SAME_STEP:
        with pytest.raises(ValueError, match="NEXT_STEP or DISABLED"):
            WRAPPERS[name](ours)
        return
    theirs, mine = WRAPPERS[name](sync), WRAPPERS[name](ours)
    assert (mine.num_envs, mine.closed) == (COUNT, False)
    assert mine.unwrapped is ours
    same(mine.reset(seed=6), theirs.reset(seed=6))
    for turn in range(12):
        actions = [f"{turn}", "b", "c"]
        stepped = mine.step(actions)
        same(stepped, theirs.step(actions))
        ended = stepped[2] | stepped[3]
        if mode is AutoresetMode.DISABLED and ended.any():
            masks = [{"reset_mask": ended.copy()} for _ in range(2)]
            same(mine.reset(options=masks[0]), theirs.reset(options=masks[1]))
            if name == "RecordEpisodeStatistics":  # on Gymnasium's it begins them all anew
                return
    mine.close()
    assert ours.closed
