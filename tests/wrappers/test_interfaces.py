"""Wrappers for programs that know no messages: texts and token ids."""

from __future__ import annotations

import json
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv
from hypothesis import given
from hypothesis import strategies as st

import textgym
from textgym.errors import ContextFullError, InvalidActionError, UsageError
from textgym.messages import text_of
from textgym.wrappers import FlattenConversation, StepPenalty, TokenIds

CALL = '<tool_call>\n{"name": "get_counter_value", "arguments": {}}\n</tool_call>'
MODEL = "SmolLM2-135M-Instruct"


def make(id: str = "textgym/GuessNumber-v0", **kwargs: Any) -> Any:
    return gym.make(id, disable_env_checker=True, **kwargs)


def flat(id: str = "textgym/GuessNumber-v0", **kwargs: Any) -> Any:
    return FlattenConversation(make(id), **kwargs)


# Texts


def test_each_message_is_put_into_the_template() -> None:
    env = flat(template="[{role}] {content}\n", ending="[assistant]")
    env.reset(seed=1)
    text = env.step("0")[0]
    assert text.splitlines()[-3:][0] == "[assistant] 0"
    assert text.endswith("[assistant]")


def test_a_message_cannot_fill_in_the_template() -> None:
    env = flat(template="{role}={content};")
    env.reset(seed=1)
    assert "assistant={role}{content};" in env.step("{role}{content}")[0]


def shout(messages: list[Any]) -> str:
    return " ".join(text_of(message).upper() for message in messages)


@pytest.mark.parametrize("template", [shout, f"{__name__}:shout"], ids=["function", "name"])
def test_a_template_may_be_a_function(template: Any) -> None:
    observation, _ = flat(template=template, ending="").reset(seed=1)
    assert observation
    assert observation.upper() == observation


def test_tools_calls_and_results_are_text() -> None:
    env = flat("textgym/SessionState-v0")
    observation, _ = env.reset(seed=1)
    assert observation.startswith("system: ")
    assert '"name": "get_counter_value"' in observation
    observation, *_ = env.step(CALL)
    assert f"assistant: {CALL}" in observation
    assert "<tool_response>\n" in observation


def test_a_call_in_an_environment_without_tools_is_only_text() -> None:
    env = flat()
    env.reset(seed=1)
    assert CALL in env.step(CALL)[0]


def test_nothing_follows_the_last_message_of_an_episode() -> None:
    env = flat("textgym/MCQA-v0")
    env.reset(seed=1)
    assert not env.step("A")[0].endswith("assistant: ")


def test_text_state_can_be_forked() -> None:
    env, fork = flat("textgym/SessionState-v0"), flat("textgym/SessionState-v0")
    env.reset(seed=1)
    fork.reset(seed=2)
    textgym.set_state(fork, json.loads(json.dumps(textgym.get_state(env))))
    assert fork.step(CALL) == env.step(CALL)


@pytest.mark.parametrize("action", [7, None, {"role": "assistant", "content": "A"}])
def test_an_action_that_is_no_text_is_refused(action: Any) -> None:
    env = flat()
    env.reset(seed=1)
    with pytest.raises(InvalidActionError, match="is a text"):
        env.step(action)


@pytest.mark.parametrize("template", ["{role}", "", 5, "no:such thing"])
def test_a_template_without_content_is_refused(template: Any) -> None:
    with pytest.raises(UsageError, match=r"template must be a text with \{content\}"):
        flat(template=template)


@given(st.text())
def test_no_text_raises(text: str) -> None:
    env = flat("textgym/SessionState-v0")
    env.reset(seed=1)
    observation = env.step(text)[0]
    assert observation in env.observation_space


@pytest.mark.filterwarnings("ignore:.*is different from the unwrapped version")
def test_gymnasiums_checker_passes_with_texts() -> None:
    check_env(FlattenConversation(gym.make("textgym/MCQA-v0")), skip_render_check=True)


@pytest.mark.parametrize("kind", [SyncVectorEnv, AsyncVectorEnv])
def test_texts_in_gymnasiums_vectors(kind: Any) -> None:
    more = {} if kind is SyncVectorEnv else {"shared_memory": False}
    envs = kind([flat, flat], **more)
    single = flat()
    assert list(envs.reset(seed=[3, 3])[0]) == [single.reset(seed=3)[0]] * 2
    assert list(envs.step(["0", "0"])[0]) == [single.step("0")[0]] * 2
    envs.close()


def test_other_wrappers_go_inside() -> None:
    env = FlattenConversation(StepPenalty(make(), amount=0.5))
    env.reset(seed=1)
    assert env.step("0")[1] == -0.5
    with pytest.raises(UsageError, match="StepPenalty needs an environment whose observations"):
        StepPenalty(flat())


def test_spec_with_a_template_is_made_again() -> None:
    env = flat(template="{content}")
    again = gym.make(gym.envs.registration.EnvSpec.from_json(env.spec.to_json()))
    assert again.reset(seed=4)[0] == env.reset(seed=4)[0]


def test_rollouts_refuse_texts_in_one_line() -> None:
    with pytest.raises(UsageError, match="leave out FlattenConversation"):
        textgym.rollout("textgym/MCQA-v0", "random", episodes=1, wrappers=["FlattenConversation"])


# Token ids


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    pytest.importorskip("transformers")
    from textgym.policies.models import load_tokenizer

    return load_tokenizer(MODEL)


def ids_of(tokenizer: Any, text: str) -> list[int]:
    ids: list[int] = tokenizer(text, add_special_tokens=False)["input_ids"]
    return [*ids, tokenizer.eos_token_id]


def used(observation: Any) -> list[int]:
    ids: list[int] = [id for id in observation.tolist() if id >= 0]
    return ids


@pytest.mark.model
def test_prompt_is_the_chat_templates(tokenizer: Any) -> None:
    env = TokenIds(make("textgym/MCQA-v0"), tokenizer=tokenizer)
    observation, info = env.reset(seed=1)
    assert observation in env.observation_space
    prompt = make("textgym/MCQA-v0").reset(seed=1)[0]
    expected = tokenizer.apply_chat_template(prompt, add_generation_prompt=True, tokenize=False)
    assert tokenizer.decode(used(observation)) == expected
    assert info["length"] == len(used(observation))


@pytest.mark.model
def test_an_observation_begins_with_the_one_before_and_what_was_sampled(tokenizer: Any) -> None:
    env = TokenIds(make(), tokenizer=tokenizer)
    before, _ = env.reset(seed=1)
    for text in ("7", " 4 2", "0"):
        sampled = ids_of(tokenizer, text)
        after, *_ = env.step(sampled)
        assert used(after)[: len(used(before)) + len(sampled)] == used(before) + sampled
        before = after


@pytest.mark.model
def test_a_right_answer_in_ids_is_a_success(tokenizer: Any) -> None:
    env = TokenIds(make("textgym/MCQA-v0"), tokenizer=tokenizer)
    env.reset(seed=1)
    action = np.full(env.action_space.shape, -1)
    ids = ids_of(tokenizer, text_of(env.unwrapped.solve()))
    action[: len(ids)] = ids
    assert env.step(action)[1:3] == (1.0, True)


@pytest.mark.model
def test_calls_are_read_from_ids(tokenizer: Any) -> None:
    env = TokenIds(make("textgym/SessionState-v0"), tokenizer=tokenizer)
    env.reset(seed=1)
    observation, *_ = env.step(ids_of(tokenizer, CALL))
    assert "<tool_response>" in tokenizer.decode(used(observation))


@pytest.mark.model
def test_a_conversation_that_is_too_long_truncates(tokenizer: Any) -> None:
    env = TokenIds(make(), tokenizer=tokenizer, max_length=120)
    env.reset(seed=1)
    ended = False
    while not ended:
        observation, _, terminated, truncated, info = env.step(ids_of(tokenizer, "0 " * 20))
        assert observation in env.observation_space
        ended = terminated or truncated
    assert (truncated, info["stop_reason"]) == (True, "context")
    with pytest.raises(ContextFullError):
        TokenIds(make(), tokenizer=tokenizer, max_length=5).reset(seed=1)


@pytest.mark.model
def test_ids_can_be_forked(tokenizer: Any) -> None:
    env, fork = (TokenIds(make(), tokenizer=tokenizer) for _ in range(2))
    env.reset(seed=1)
    fork.reset(seed=2)
    env.step(ids_of(tokenizer, "0"))
    textgym.set_state(fork, json.loads(json.dumps(textgym.get_state(env))))
    first, second = env.step(ids_of(tokenizer, "1")), fork.step(ids_of(tokenizer, "1"))
    assert first[0].tolist() == second[0].tolist()
    assert first[1:] == second[1:]


@pytest.mark.model
@pytest.mark.parametrize("action", ["A", [1.5], [[1]], [-2], [10**9], None], ids=str)
def test_what_is_no_id_is_refused(tokenizer: Any, action: Any) -> None:
    env = TokenIds(make(), tokenizer=tokenizer)
    env.reset(seed=1)
    with pytest.raises(InvalidActionError, match="a sequence of ids from 0"):
        env.step(action)


@pytest.mark.model
def test_random_ids_never_raise(tokenizer: Any) -> None:
    env = TokenIds(make("textgym/SessionState-v0"), tokenizer=tokenizer, max_tokens=16)
    env.action_space.seed(0)
    env.reset(seed=1)
    for _ in range(50):
        observation, _, terminated, truncated, _ = env.step(env.action_space.sample())
        assert observation in env.observation_space
        if terminated or truncated:
            env.reset()
    env.step([])


@pytest.mark.model
def test_ids_in_a_vector_are_one_array(tokenizer: Any) -> None:
    envs = SyncVectorEnv([lambda: TokenIds(make(), tokenizer=MODEL, max_length=256)] * 2)
    observations, _ = envs.reset(seed=1)
    assert observations.shape == (2, 256)
    envs.close()


def test_a_length_of_zero_is_refused() -> None:
    with pytest.raises(UsageError, match="max_tokens must be an integer of 1 or more"):
        TokenIds(make(), tokenizer=None, max_tokens=0)
