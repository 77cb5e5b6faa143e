"""`TextVectorEnv` behaves like Gymnasium's vectors, with arguments that suit text."""

from __future__ import annotations

import gc
import json
import threading
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import vector as wrappers
from hypothesis import given, settings
from hypothesis import strategies as st
from vector_envs import Count, begin, plain, task

import textgym
from textgym.checks.hostile import hostile_messages
from textgym.errors import InvalidActionError, UnknownNameError, UsageError
from textgym.messages import assistant
from textgym.spaces import ActionSpace
from textgym.vector import TextVectorEnv

MODES = pytest.mark.parametrize("mode", AutoresetMode, ids=lambda mode: mode.value)
IDS = pytest.mark.parametrize("id", textgym.ids(guests=False))


# Like Gymnasium's own vectors.


@MODES
@IDS
def test_results_equal_those_of_gymnasiums_vector(id: str, mode: AutoresetMode) -> None:
    fns = [lambda: gym.make(id, disable_env_checker=True)] * 3
    sync = SyncVectorEnv(fns, copy=False, autoreset_mode=mode)
    ours = textgym.make_vec(id, 3, autoreset_mode=mode)
    try:
        expected, got = sync.reset(seed=5), ours.reset(seed=5)
        assert (got[0], plain(got[1])) == (expected[0], plain(expected[1]))
        for turn in range(6):
            actions = [assistant(f"\\boxed{{{letter}}} {turn}") for letter in "ABC"]
            expected, got = sync.step(actions), ours.step(actions)
            assert plain(dict(enumerate(got))) == plain(dict(enumerate(expected)))
            assert [array.dtype for array in got[1:4]] == [array.dtype for array in expected[1:4]]
            ended = got[2] | got[3]
            if mode is AutoresetMode.DISABLED and ended.any():
                again = sync.reset(options={"reset_mask": ended})
                mine = ours.reset(options={"reset_mask": ended})
                assert (mine[0], plain(mine[1])) == (again[0], plain(again[1]))
    finally:
        sync.close()
        ours.close()


@IDS
def test_make_vec_makes_a_text_vector_env_by_default(id: str) -> None:
    vector = gym.make_vec(f"textgym:{id}", num_envs=2)
    assert type(vector) is TextVectorEnv
    assert vector.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert vector.env_ids == (id, id)
    assert vector.spec is not None
    again = gym.make_vec(EnvSpec.from_json(vector.spec.to_json()))
    assert repr(again) == repr(vector) == f"TextVectorEnv({id}, num_envs=2)"
    assert again.reset(seed=2)[0] == vector.reset(seed=2)[0]
    again.close()
    vector.close()


def test_keywords_pass_through_gymnasium() -> None:
    vector = gym.make_vec(
        "textgym/MCQA-v0",
        num_envs=2,
        level=3,
        autoreset_mode="Disabled",
        env_wrappers=[gym.wrappers.RecordEpisodeStatistics],
        failures="nan",
        retries=0,
        max_episode_steps=4,
    )
    assert vector.metadata["autoreset_mode"] is AutoresetMode.DISABLED
    assert vector.get_attr("level") == (3, 3)
    assert all(isinstance(env, gym.wrappers.RecordEpisodeStatistics) for env in vector.envs)
    vector.reset(seed=1)
    infos = vector.step(["x", "y"])[4]
    assert infos["episode"]["l"].tolist() == [1, 1]
    vector.close()


@pytest.mark.parametrize(
    ("name", "value"),
    [("judge", len), ("env_wrappers", [gym.wrappers.OrderEnforcing])],
    ids=["judge", "wrappers"],
)
def test_a_spec_with_an_object_cannot_be_saved(name: str, value: Any) -> None:
    vector = gym.make_vec("textgym/EquivalenceJudge-v0", num_envs=2, **{name: value})
    assert vector.spec is not None
    with pytest.raises(UsageError, match=f"argument '{name}' is an object"):
        vector.spec.to_json()
    vector.close()


@MODES
def test_a_spec_holds_the_mode_as_a_string(mode: AutoresetMode) -> None:
    vector = gym.make_vec("textgym/MCQA-v0", num_envs=2, autoreset_mode=mode)
    assert vector.spec is not None
    again = gym.make_vec(EnvSpec.from_json(vector.spec.to_json()))
    assert again.metadata["autoreset_mode"] is mode
    again.close()
    vector.close()


def test_other_modes_of_gymnasium_still_work() -> None:
    vector = gym.make_vec("textgym/MCQA-v0", num_envs=2, vectorization_mode="sync")
    assert type(vector) is SyncVectorEnv


def test_spaces_are_batched(make: Any) -> None:
    vector = make()
    observations, _ = vector.reset(seed=1)
    assert vector.single_action_space == ActionSpace()
    assert observations in vector.observation_space
    assert ("a", "b", "c") in vector.action_space
    vector.action_space.seed(3)
    sampled = vector.action_space.sample()
    assert len({message["content"] for message in sampled}) == 3
    vector.step(sampled)


@pytest.mark.parametrize("seed", [7, np.int64(7), [7, 8, 9], (7, 8, 9), np.array([7, 8, 9])])
def test_a_seed_counts_up_or_is_given_for_each(make: Any, seed: Any) -> None:
    vector = make()
    prompts = [Count().reset(seed=number)[1]["task_id"] for number in (7, 8, 9)]
    assert vector.reset(seed=seed)[1]["task_id"].tolist() == prompts
    assert vector.np_random_seed == (7, 8, 9)
    assert [type(generator) for generator in vector.np_random] == [np.random.Generator] * 3


def test_a_seed_may_be_none_for_some(make: Any) -> None:
    vector, single = make(2), Count()
    vector.reset(seed=1)
    single.reset(seed=1)
    expected = [single.reset(seed=seed)[1]["task_id"] for seed in (None, 1)]
    assert vector.reset(seed=[None, 1])[1]["task_id"].tolist() == expected


@pytest.mark.parametrize(
    "seed",
    [[1, 2], "seeds", 1.5, -1, [1, 2, -3], [1, 2, "3"], np.array([1.0, 2.0, 3.0]), np.array(1),
     {1, 2, 3}],
    ids=repr,
)  # fmt: skip
def test_invalid_seeds_are_refused_and_reset_nothing(make: Any, seed: Any) -> None:
    vector = make()
    with pytest.raises(UsageError, match="seed must be an int of 0 or more, or a list of 3"):
        vector.reset(seed=seed)
    assert [env.resets for env in vector.envs] == [0, 0, 0]


@pytest.mark.parametrize("options", [[1, 2, 3], 0, "index"], ids=repr)
def test_invalid_options_are_refused(make: Any, options: Any) -> None:
    with pytest.raises(UsageError, match="options must be a dict"):
        make().reset(options=options)


def test_an_index_can_be_given_for_each(make: Any) -> None:
    vector = make(split="test")
    for indices in (np.array([4, 0, 4]), (4, 0, 4), range(2, 5)):
        infos = vector.reset(options={"index": indices})[1]
        assert infos["task_id"].tolist() == [Count(split="test").get_task(i).id for i in indices]
    for index in (2, np.int64(2), np.array(2)):
        infos = vector.reset(options={"index": index})[1]
        assert infos["task_id"].tolist() == [Count(split="test").get_task(2).id] * 3


def test_with_a_mask_there_is_still_an_index_for_each(make: Any) -> None:
    vector = make(split="test", autoreset_mode="Disabled")
    before, _ = vector.reset(seed=1)
    options = {"reset_mask": np.array([False, True, False]), "index": [0, 5, 0]}
    given = dict(options)
    observations, infos = vector.reset(options=options)
    assert infos["task_id"].tolist() == [None, Count(split="test").get_task(5).id, None]
    assert infos["_task_id"].tolist() == [False, True, False]
    assert (observations[0], observations[2]) == (before[0], before[2])
    assert options == given


def test_without_an_episode_the_conversation_is_empty(make: Any) -> None:
    vector = make(2, autoreset_mode="Disabled")
    observations, _ = vector.reset(options={"reset_mask": np.array([False, True])})
    assert observations in vector.observation_space
    assert observations[0] == []
    with pytest.raises(UsageError, match="no episode yet"):
        vector.step(["a", "b"])


@pytest.mark.parametrize("name", ["index", "task"])
def test_a_wrong_number_of_tasks_is_refused(make: Any, name: str) -> None:
    with pytest.raises(UsageError, match="must be one value for all, or a list of 3, not of 2"):
        make().reset(options={name: [1, [2, 3]]})


@pytest.mark.parametrize(
    "mask",
    [np.zeros(3, dtype=bool), np.ones(2, dtype=bool), np.ones(3), [1, 1, 1], "all", None],
    ids=repr,
)
def test_invalid_masks_are_refused(make: Any, mask: Any) -> None:
    vector = make(autoreset_mode="Disabled")
    vector.reset(seed=1)
    with pytest.raises(UsageError, match="reset_mask"):
        vector.reset(options={"reset_mask": mask})


def test_next_step_ignores_the_action_that_begins_an_episode(make: Any) -> None:
    vector = make(2, autoreset_mode="NextStep")
    begin(vector, 1, 3)
    assert vector.step(["a", "b"])[2].tolist() == [True, False]
    observations, rewards, terminated, _, infos = vector.step(["not used", "c"])
    assert len(observations[0]) == 1
    assert (rewards[0], terminated[0], infos["_tools"].tolist()) == (0, False, [True, False])


def test_same_step_returns_the_end_and_the_next_beginning(make: Any) -> None:
    vector = make(2)
    begin(vector, 1, 2)
    observations, rewards, _, _, infos = vector.step(["a", "b"])
    assert rewards.tolist() == [0.01, 0.0]
    assert [len(observation) for observation in observations] == [1, 3]
    assert infos["final_obs"][0][-1] == assistant("a")
    assert infos["final_obs"][1] is None
    assert infos["_final_info"].tolist() == [True, False]
    assert infos["final_info"]["reward_components"]["turns"].tolist() == [1.0, 0.0]
    assert "is_success" not in infos


def test_disabled_refuses_to_step_an_ended_episode(make: Any) -> None:
    vector = make(3, autoreset_mode="Disabled")
    begin(vector, 1, 2, 1)
    vector.step(["a", "b", "c"])
    with pytest.raises(UsageError, match="sub-environments 0, 2 have ended"):
        vector.step(["a", "b", "c"])
    assert [env.steps for env in vector.envs] == [1, 1, 1]
    _, _, terminated, _, _ = vector.step([None, "b", None])
    assert terminated.tolist() == [False, True, False]


@MODES
def test_the_action_none_lets_a_sub_environment_idle(make: Any, mode: AutoresetMode) -> None:
    vector = make(2, autoreset_mode=mode)
    begin(vector, 3, 3)
    before = vector.step(["a", "b"])[0]
    observations, rewards, terminated, truncated, infos = vector.step([None, "b"])
    assert observations[0] == before[0]
    assert (rewards[0], terminated[0], truncated[0]) == (0, False, False)
    assert infos["_task_id"].tolist() == [False, True]
    assert vector.envs[0].steps == 1


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize(
    "actions",
    ["yes", b"yes", assistant("yes"), None, 5, {"yes"}],
    ids=["text", "bytes", "dict", "None", "5", "set"],
)
def test_a_single_action_is_refused(make: Any, actions: Any, count: int) -> None:
    vector = make(count)
    vector.reset(seed=1)
    with pytest.raises(InvalidActionError, match="single"):
        vector.step(actions)


@pytest.mark.parametrize(
    "actions",
    [["a", "b"], ["a"] * 4, [], ["a", "b", 5], ["a", "b", {"role": "user", "content": "c"}]],
    ids=["fewer", "more", "none", "number", "user"],
)
def test_a_refused_step_steps_no_sub_environment(make: Any, actions: Any) -> None:
    vector = make()
    begin(vector, 2, 2, 2)
    with pytest.raises(InvalidActionError):
        vector.step(actions)
    assert [env.steps for env in vector.envs] == [0, 0, 0]
    vector.step(["a", "b", "c"])


@pytest.mark.parametrize("kind", [list, tuple, lambda items: np.array(items, dtype=object), iter])
def test_actions_may_be_any_sequence(make: Any, kind: Any) -> None:
    vector = make(2)
    begin(vector, 2, 2)
    observations = vector.step(kind(["a", assistant("b")]))[0]
    assert [observation[1]["content"] for observation in observations] == ["a", "b"]


def test_a_caller_cannot_change_an_episode_through_an_observation(make: Any) -> None:
    vector = make(1)
    begin(vector, 3)
    observations, infos = vector.reset(options={"task": task(3)})
    observations[0].clear()
    infos["tools"][0].append("x")
    after = vector.step(["a"])[0]
    after[0][0]["content"] = "changed"
    assert vector.step(["b"])[0][0][0]["content"] == "Say it 3 times."


def test_step_before_reset_is_refused(make: Any) -> None:
    with pytest.raises(UsageError, match="call reset first"):
        make().step(["a", "b", "c"])


def test_attributes_and_methods_are_those_of_all_sub_environments(make: Any) -> None:
    vector = make(2)
    vector.reset(seed=1)
    vector.set_attr("steps", [4, 5])
    assert vector.get_attr("steps") == (4, 5)
    vector.set_attr("steps", 6)
    assert vector.call("steps") == (6, 6)
    assert vector.call("get_task", 3) == (Count().get_task(3),) * 2
    with pytest.raises(UsageError, match="2 sub-environments need 2 values, not 3"):
        vector.set_attr("steps", [1, 2, 3])


def test_render(make: Any) -> None:
    vector = make(2, render_mode="ansi")
    begin(vector, 2, 3)
    assert vector.render_mode == "ansi"
    shown = vector.render()
    assert "Say it 2 times." in shown[0]
    assert "Say it 3 times." in shown[1]


def test_close_closes_each_sub_environment_once(make: Any) -> None:
    closed: list[int] = []

    class Closing(Count):
        def close(self) -> None:
            closed.append(1)

    vector = make(3, cls=Closing)
    vector.reset(seed=1)
    vector.close()
    vector.close()
    assert closed == [1, 1, 1]
    for call in (vector.reset, vector.recv, lambda: vector.step(["a"] * 3)):
        with pytest.raises(UsageError, match="closed"):
            call()


def test_a_sub_environment_that_cannot_be_closed_keeps_no_other_open(make: Any) -> None:
    closed: list[int] = []

    class Stuck(Count):
        def close(self) -> None:
            closed.append(1)
            raise OSError("stuck")

    vector = make(3, cls=Stuck)
    vector.reset(seed=1)
    with pytest.raises(OSError, match="stuck"):
        vector.close()
    assert len(closed) == 3
    vector.close()
    assert len(closed) == 3
    with pytest.raises(UsageError, match="the vector is closed"):
        vector.step(["a"] * 3)


def test_a_sub_environment_that_cannot_be_made_leaves_no_other_open() -> None:
    closed: list[int] = []

    class Closing(Count):
        def close(self) -> None:
            closed.append(1)

    with pytest.raises(UnknownNameError, match="no level"):
        TextVectorEnv([Closing, Closing, lambda: Closing(level=99)])
    assert len(closed) == 2


def test_a_vector_that_is_not_closed_leaves_no_thread() -> None:
    class Slow(Count):
        blocking = True

    before = set(threading.enumerate())
    vector = TextVectorEnv([Slow] * 3)
    vector.reset(seed=1)
    vector.step(["a"] * 3)
    started = set(threading.enumerate()) - before
    assert started
    del vector
    gc.collect()
    for thread in started:
        thread.join(60)
        assert not thread.is_alive()


@pytest.mark.parametrize(
    ("kwargs", "told"),
    [({"autoreset_mode": "Never"}, "autoreset_mode must be one of 'NextStep'"),
     ({"failures": "ignore"}, "failures must be 'raise' or 'nan'"),
     ({"retries": -1}, "retries must be an int")],
    ids=["mode", "failures", "retries"],
)  # fmt: skip
def test_invalid_arguments_are_refused(kwargs: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        TextVectorEnv([Count], **kwargs)


def test_other_spaces_are_refused() -> None:
    with pytest.raises(UsageError, match="CartPole-v1 has others: pass vectorization_mode='sync'"):
        TextVectorEnv([Count, lambda: gym.make("CartPole-v1")])


@pytest.mark.parametrize("count", [0, -1, 1.5])
def test_a_vector_without_sub_environments_is_refused(count: Any) -> None:
    with pytest.raises(UsageError, match="num_envs"):
        textgym.make_vec("textgym/MCQA-v0", count)


# Gymnasium's vector wrappers.


def play(vector: Any, steps: int = 8) -> list[Any]:
    vector.reset(seed=3)
    return [vector.step(["\\boxed{A}"] * vector.num_envs) for _ in range(steps)]


def test_reward_wrappers() -> None:
    def vector() -> Any:
        return textgym.make_vec("textgym/MCQA-v0", 4)

    rewards = np.array([step[1] for step in play(vector())])
    assert rewards.any()
    doubled = play(wrappers.TransformReward(vector(), lambda reward: 2 * reward))
    assert np.array_equal([step[1] for step in doubled], 2 * rewards)
    clipped = play(wrappers.ClipReward(vector(), 0, 0.25))
    assert np.array_equal([step[1] for step in clipped], rewards / 4)
    assert np.isfinite([step[1] for step in play(wrappers.NormalizeReward(vector()))]).all()


@MODES
def test_episode_statistics(make: Any, mode: AutoresetMode) -> None:
    vector = wrappers.RecordEpisodeStatistics(make(2, autoreset_mode=mode))
    vector.reset(seed=1, options={"task": [task(1), task(3)]})
    seen = vector.step(["a", "b"])[4]["episode"]
    assert (seen["r"].tolist(), seen["l"].tolist()) == ([0.01, 0.0], [1, 0])


def test_a_masked_reset_keeps_the_statistics_of_the_others(make: Any) -> None:
    vector = wrappers.RecordEpisodeStatistics(make(2, autoreset_mode="Disabled"))
    vector.reset(seed=1, options={"task": [task(1), task(2)]})
    ended = vector.step(["a", "b"])[2]
    vector.reset(options={"reset_mask": ended, "task": task(1)})
    assert vector.step(["a", "b"])[4]["episode"]["l"].tolist() == [1, 2]


def test_infos_as_a_list(make: Any) -> None:
    vector = wrappers.DictInfoToList(make(2))
    infos = vector.reset(seed=1)[1]
    assert [sorted(info) for info in infos] == [["task_id", "tools"]] * 2
    assert infos[0]["tools"] == []


def test_observations_and_actions_can_be_wrapped(make: Any) -> None:
    inner = make(2, autoreset_mode="NextStep")
    shouting = wrappers.TransformAction(inner, lambda actions: [text.upper() for text in actions])
    last = wrappers.TransformObservation(
        shouting,
        lambda observations: tuple(observation[-1:] for observation in observations),
        observation_space=inner.observation_space,
    )
    last.reset(seed=1, options={"task": task(1)})
    assert last.step(["a", "b"])[0] == ([assistant("A")], [assistant("B")])


# Different environments in one vector.


def test_weights_divide_the_sub_environments() -> None:
    vector = textgym.make_vec({"textgym/MCQA-v0": 0.6, "textgym/GuessNumber-v0": 0.4}, num_envs=5)
    assert vector.env_ids == ("textgym/MCQA-v0",) * 3 + ("textgym/GuessNumber-v0",) * 2
    _, infos = vector.reset(seed=1)
    assert infos["_task_id"].all()
    observations, rewards, *_ = vector.step(["\\boxed{A}"] * 3 + ["1"] * 2)
    assert len(observations) == len(rewards) == 5
    vector.close()


@pytest.mark.parametrize(
    ("envs", "told"),
    [({"textgym/MCQA-v0": 1, "textgym/GuessNumber-v0": 0.01}, "gets none of 3 sub-environments"),
     ({"textgym/MCQA-v0": 0}, "greater than 0"),
     ({"textgym/MCQA-v0": float("nan")}, "greater than 0"),
     ({}, "an id, or ids with weights"),
     (5, "an id, or ids with weights"),
     ("textgym/MCAQ-v0", "did you mean 'textgym/MCQA-v0'")],
    ids=["none", "zero", "nan", "empty", "number", "unknown"],
)  # fmt: skip
def test_invalid_mixtures_are_refused(envs: Any, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        textgym.make_vec(envs, 3)


def test_each_id_may_have_arguments_of_its_own() -> None:
    weights = {"textgym/MCQA-v0": 1, "textgym/GuessNumber-v0": 1}
    own = {"split": "test", "textgym/MCQA-v0": {"shots": 2, "level": 3}}
    vector = textgym.make_vec(weights, 2, level=1, env_kwargs=own)
    first, second = (env.unwrapped for env in vector.envs)
    assert (first.arguments, second.arguments) == (
        {"level": 3, "split": "test", "shots": 2},
        {"level": 1, "split": "test"},
    )
    vector.close()


@pytest.mark.parametrize(
    ("kwargs", "told"),
    [({"wrappers": "StepPenalty"}, "wrappers must be a list such as"),
     ({"vector_kwargs": {}}, "no argument 'vector_kwargs': pass its content as separate arguments"),
     ({"env_kwargs": {"textgym/Math-v0": {}}}, "env_kwargs: 'textgym/Math-v0' is not played"),
     ({"env_kwargs": {"textgym/MCQA-v0": 3}}, "must be a dict of keyword arguments, not 3"),
     ({"level": 1, "env_kwargs": {"level": 2}}, "level is given twice"),
     ({"levle": 1}, "has no argument 'levle'; did you mean 'level'")],
    ids=["wrappers", "vector_kwargs", "other id", "no dict", "twice", "mistyped"],
)  # fmt: skip
def test_invalid_arguments_of_make_vec_are_refused(kwargs: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        textgym.make_vec("textgym/MCQA-v0", 3, **kwargs)


# Model output.


@pytest.mark.parametrize("id", ["textgym/MCQA-v0", "textgym/SessionState-v0"])
@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_any_model_output_can_be_stepped(id: str, data: st.DataObject) -> None:
    vector = textgym.make_vec(id, 3)
    vector.reset(seed=1)
    said = st.one_of(st.text(max_size=40), st.sampled_from(hostile_messages()), st.none())
    for _ in range(3):
        actions = [data.draw(said) for _ in range(3)]
        _, rewards, terminated, truncated, infos = vector.step(actions)
        assert np.isfinite(rewards).all()
        assert not (terminated & truncated).any()
        json.dumps(plain(infos))
    vector.close()
