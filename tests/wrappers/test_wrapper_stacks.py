"""All wrappers: around every environment, in vectors and rollouts, and stacked at random.

Every wrapper goes around `THREE` environments, and every environment into `TWO` wrappers. With the
oracle, all other pairs are slow tests. The checks of most environments are slow tests too: only
those of one without tools and one with them are not.
"""

from __future__ import annotations

import json
import pickle
from functools import partial
from typing import Any

import gymnasium as gym
import pytest
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import (
    Autoreset,
    NormalizeReward,
    RecordEpisodeStatistics,
    TimeLimit,
    TransformReward,
)
from hypothesis import given, settings
from hypothesis import strategies as st

import textgym
from textgym import registry
from textgym.checks.runner import CHECKS, run_check
from textgym.checks.subject import make_subject
from textgym.core.text_env import TextEnv
from textgym.errors import UsageError
from textgym.messages import assistant_calls, text_of
from textgym.wrappers import LengthPenalty, Retry, RewardWrapper
from textgym.wrappers.specs import WRAPPERS, apply_wrappers

SUITE = [id for id in textgym.ids(guests=False) if id.startswith("textgym/")]
SPECS = {
    "ClipReturn": "ClipReturn:low=-0.25,high=0.5",
    "ContextWindow": "ContextWindow:max_messages=4",
    "EfficiencyBonus": "EfficiencyBonus:limit=4,amount=0.5",
    "ExtraTools": 'ExtraTools:tools=["calculator"]',
    "FewShot": "FewShot:shots=1",
    "FormatBonus": "FormatBonus:amount=0.25",
    "LengthPenalty": "LengthPenalty:amount=0.001,free=10",
    "LevelCurriculum": "LevelCurriculum:window=2",
    "PotentialShaping": "PotentialShaping:potential=builtins:len,gamma=0.5",
    "RepetitionPenalty": "RepetitionPenalty:amount=0.5,ngram=2",
    "Retry": "Retry:attempts=2",
    "SimulatedUser": 'SimulatedUser:script=["Hello.","{task}"]',
    "SoftOverlongPunishment": "SoftOverlongPunishment:max_length=40,buffer=20",
    "StepPenalty": "StepPenalty:amount=0.125",
    "SystemPrompt": "SystemPrompt:text=Be brief.",
    "TokenBudget": "TokenBudget:limit=2000",
    "ToolErrorPenalty": "ToolErrorPenalty:amount=0.25",
    "TurnBudget": "TurnBudget",
    "WeightedComponents": 'WeightedComponents:weights={"task_reward":0.5}',
}
ELSEWHERE = {"FlattenConversation", "TokenIds", "RecordTrajectories"}  # in files of their own
EACH = pytest.mark.parametrize("spec", SPECS.values(), ids=list(SPECS))
THREE = {"textgym/MCQA-v0", "textgym/SessionState-v0", "textgym/GuessNumber-v0"}
CHECKED = {"textgym/MCQA-v0", "textgym/SessionState-v0"}
TWO = {"SystemPrompt", "LengthPenalty"}
ALL_PAIRS = {f"{id}-{name}": (id, spec) for id in SUITE for name, spec in SPECS.items()}
PAIRS = {
    pair: values
    for pair, values in ALL_PAIRS.items()
    if values[0] in THREE or pair.rpartition("-")[2] in TWO
}
TIME_LIMIT = "gymnasium.wrappers:TimeLimit:max_episode_steps=3"
GYMNASIUM = ["gymnasium.wrappers:RecordEpisodeStatistics", TIME_LIMIT]


def test_every_wrapper_is_in_the_table() -> None:
    assert SPECS.keys() | ELSEWHERE == WRAPPERS.keys()


def make(id: str = "textgym/MCQA-v0", *specs: str, **kwargs: Any) -> Any:
    return registry.make(id, disable_env_checker=True, wrappers=list(specs), **kwargs)


def fits(id: str, spec: str) -> bool:
    cls = registry.environment_class(id)
    if spec.startswith("Retry"):
        return cls.max_turns == 1
    return not spec.startswith("SimulatedUser") or cls.respond is TextEnv.respond


def solution(env: Any) -> Any:
    return env.unwrapped.solve()


@pytest.mark.parametrize(
    ("id", "spec"),
    [
        pytest.param(*values, id=pair, marks=[pytest.mark.slow] * (pair not in PAIRS))
        for pair, values in ALL_PAIRS.items()
    ],
)
def test_the_oracle_succeeds_in_every_environment_that_a_wrapper_fits(id: str, spec: str) -> None:
    if not fits(id, spec):
        with pytest.raises(UsageError, match=spec.partition(":")[0]):
            make(id, spec)
        return
    env = make(id, spec)
    observation, info = env.reset(seed=3)
    assert observation in env.observation_space
    ended = False
    while not ended:
        saved = json.loads(json.dumps(textgym.get_state(env)))
        action = solution(env)
        first = env.step(action)
        textgym.set_state(env, saved)
        again = env.step(action)
        assert first == again
        observation, _, terminated, truncated, info = again
        assert observation in env.observation_space
        ended = terminated or truncated
    assert info["is_success"] is True
    assert (terminated, info["stop_reason"]) == (True, "answer")


REWARDS = "runtime.reward_well_formed"
NAMES = (
    "runtime.gymnasium_api",
    "runtime.text_vector",
    "runtime.gymnasium_wrappers",
    "runtime.spec_round_trip",
    "runtime.pickling",
    "runtime.state_contract",
    "runtime.caller_isolation",
    REWARDS,
    "runtime.observation_schema",
)


@pytest.mark.parametrize(
    ("id", "spec"),
    [
        pytest.param(*values, id=pair, marks=[pytest.mark.slow] * (values[0] not in CHECKED))
        for pair, values in PAIRS.items()
    ],
)
def test_the_checks_of_environments_pass(id: str, spec: str) -> None:
    if not fits(id, spec):
        pytest.skip("the wrapper does not fit, which another test checks")
    # A system prompt does not touch rewards, and Program starts a sandbox for each episode.
    unaffected = {REWARDS} if spec.startswith("SystemPrompt") and id not in THREE else set()
    tasks = 1 if id == "textgym/Program-v0" else 5 if id in THREE else 2
    with make_subject(make(id, spec), tasks) as subject:
        assert len(subject.wrappers) == 1
        results = [run_check(subject, CHECKS[name]) for name in NAMES if name not in unaffected]
    assert [str(result) for result in results if result.status != "pass"] == []


@pytest.mark.parametrize(
    "wrap", [partial(Retry, feedback="Not {answer}."), partial(LengthPenalty, tokenizer=str.split)]
)
def test_wrappers_with_functions_can_be_pickled(wrap: Any) -> None:
    env = wrap(make())
    env.reset(seed=1)
    assert pickle.loads(pickle.dumps(env)).step("Hm.") == env.step("Hm.")


@EACH
@pytest.mark.parametrize("mode", AutoresetMode, ids=lambda mode: mode.value)
def test_text_vector_equals_a_single_environment(spec: str, mode: AutoresetMode) -> None:
    single, vector = make("textgym/MCQA-v0", spec), [partial(make, "textgym/MCQA-v0", spec)] * 2
    envs = textgym.TextVectorEnv(vector, autoreset_mode=mode)
    assert list(envs.reset(seed=[5, 5])[0]) == [single.reset(seed=5)[0]] * 2
    expected, result = single.step("Hm."), envs.step(["Hm.", "Hm."])
    assert result[1].tolist() == [expected[1]] * 2
    assert result[2].tolist() == [expected[2]] * 2
    ended = expected[2] or expected[3]
    seen = result[4]["final_obs"] if ended and mode is AutoresetMode.SAME_STEP else result[0]
    assert list(seen) == [expected[0]] * 2
    envs.close()


@EACH
@pytest.mark.parametrize(
    "kind",
    [
        SyncVectorEnv,
        pytest.param(partial(AsyncVectorEnv, shared_memory=False), marks=pytest.mark.slow),
    ],
)
def test_gymnasiums_vectors_step_wrapped_environments(spec: str, kind: Any) -> None:
    single = make("textgym/MCQA-v0", spec)
    envs = kind([partial(make, "textgym/MCQA-v0", spec)] * 2)
    assert list(envs.reset(seed=[5, 5])[0]) == [single.reset(seed=5)[0]] * 2
    expected, result = single.step("Hm."), envs.step(["Hm.", "Hm."])
    assert result[1].tolist() == [expected[1]] * 2
    assert list(result[0]) == [expected[0]] * 2
    envs.close()


@EACH
def test_rollout_records_the_whole_conversation_and_rescores_the_same(
    spec: str, tmp_path: Any
) -> None:
    id = "textgym/MCQA-v0" if spec.startswith("Retry") else "textgym/SessionState-v0"
    run = textgym.rollout(id, "random", episodes=6, wrappers=[spec], out=tmp_path / "run")
    for trajectory in run.trajectories():
        assert trajectory["failure"] is None
        for step in trajectory["steps"]:
            assert trajectory["messages"][step["message_index"]]["role"] == "assistant"
    assert textgym.rescore(tmp_path / "run").counts["same"] == 6


def test_blind_policies_earn_nothing_by_retrying_without_success() -> None:
    env = make("textgym/Math-v0", "Retry:attempts=3")
    for index in range(20):
        env.reset(options={"index": index})
        results = [env.step(text) for text in ("", "I do not know.", r"\boxed{}")]
        assert [float(result[1]) for result in results] == [0.0] * 3
        assert results[-1][2]


# Random stacks

WINDOW = SPECS["ContextWindow"]
WEIGHTS = SPECS["WeightedComponents"]
ACTIONS: dict[str, Any] = {
    "wrong": "Hm.",
    "empty": "",
    "call": assistant_calls(("calculator", {"expression": "1+1"})),
    "unknown": assistant_calls(("nothing", {})),
    "right": None,
}


@st.composite
def stacks(draw: Any) -> list[str]:
    """Draw up to five wrappers, innermost first, in an order that makes sense."""
    names = draw(st.lists(st.sampled_from(sorted(SPECS)), unique=True, max_size=5))
    specs = [SPECS[name] for name in names]
    if WINDOW in specs:  # it goes around all wrappers of the conversation
        specs.remove(WINDOW)
        specs.append(WINDOW)
    if WEIGHTS in specs:  # it goes inside of all wrappers that pay
        specs.remove(WEIGHTS)
        specs.insert(0, WEIGHTS)
    return specs


def paying(env: Any) -> list[str]:
    """Return the names of the components that wrappers pay."""
    names = []
    while isinstance(env, gym.Wrapper):
        if isinstance(env, RewardWrapper):
            names.append(env.name)
        if isinstance(env, Retry):
            names.append("retry")
        env = env.env
    return names


@given(
    specs=stacks(),
    id=st.sampled_from(["textgym/MCQA-v0", "textgym/SessionState-v0"]),
    kinds=st.lists(st.sampled_from(sorted(ACTIONS)), min_size=1, max_size=6),
    around=st.lists(st.sampled_from(GYMNASIUM), unique=True),
)
@settings(max_examples=120)
def test_random_stacks_fork_sum_up_and_are_made_again_from_their_spec(
    specs: list[str], id: str, kinds: list[str], around: list[str]
) -> None:
    specs = [spec for spec in specs if fits(id, spec)]
    env, fork = make(id, *specs, *around), make(id, *specs, *around)
    again = gym.make(gym.envs.registration.EnvSpec.from_json(env.spec.to_json()))
    fork.reset(seed=2)
    before, _ = env.reset(seed=1)
    assert again.reset(seed=1)[0] == before
    own = paying(env)
    for kind in kinds:
        action = solution(env) if kind == "right" else ACTIONS[kind]
        textgym.set_state(fork, json.loads(json.dumps(textgym.get_state(env))))
        result, others = env.step(action), [fork.step(action), again.step(action)]
        if TIME_LIMIT in around:  # a spec has no place for it: it is made again as the innermost
            others = others[:1]
        for other in others:
            assert [*other[:4], without_time(other[4])] == [*result[:4], without_time(result[4])]
        observation, reward, terminated, truncated, info = result
        paid = info.get("reward_components", {})
        total = info.get("task_reward", reward) + sum(paid.get(name, 0.0) for name in own)
        assert reward == pytest.approx(total)
        if WINDOW not in specs:
            assert observation[: len(before)] == before
        before = observation
        if terminated or truncated:
            break


def without_time(info: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in info.items() if name != "episode"}


# Gymnasium's own wrappers


@EACH
def test_statistics_and_time_limit_go_around_a_wrapper(spec: str) -> None:
    id = "textgym/MCQA-v0" if spec.startswith("Retry") else "textgym/SessionState-v0"
    env = RecordEpisodeStatistics(TimeLimit(make(id, spec), 2))
    env.reset(seed=1)
    total, ended = 0.0, False
    while not ended:
        _, reward, terminated, truncated, _ = env.step("" if id.endswith("MCQA-v0") else CALL)
        total, ended = total + float(reward), terminated or truncated
    assert env.return_queue[-1] == pytest.approx(total)


CALL = assistant_calls(("get_counter_value", {}))


@EACH
def test_gymnasiums_reward_wrappers_and_autoreset_compose(spec: str) -> None:
    env: Any = make("textgym/MCQA-v0", spec)
    env = Autoreset(NormalizeReward(TransformReward(env, lambda reward: 2 * float(reward))))
    env.reset(seed=1)
    for _ in range(8):
        observation, reward, *_ = env.step("Hm.")
        assert float(reward) == float(reward)
        assert observation in env.observation_space


@EACH
def test_a_wrapper_goes_around_gymnasiums_reward_wrapper(spec: str) -> None:
    env = TransformReward(make("textgym/MCQA-v0"), lambda reward: 2 * float(reward))
    env = apply_wrappers(env, [spec])  # type: ignore[assignment]
    env.reset(seed=1)
    ended = False
    while not ended:
        _, _, terminated, truncated, info = env.step(solution(env))
        ended = terminated or truncated
    assert info["is_success"] is True
    assert text_of(solution(env))
