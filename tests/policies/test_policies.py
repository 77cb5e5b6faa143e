"""Policy specs, sampling settings, and the two policies that are bound to an environment."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from typing import Any

import gymnasium
import pytest

import textgym
from textgym.errors import OracleError, UnknownNameError, UsageError
from textgym.messages import Message, assistant, user
from textgym.policies import Action, Policy, Sampling, Tokens, make_policy
from textgym.spaces import ActionSpace, ConversationSpace


class Plain(gymnasium.Env[list[Message], Message]):
    """An ordinary Gymnasium environment with message spaces: no TextEnv, no oracle."""

    observation_space = ConversationSpace()
    action_space = ActionSpace()

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        return [user("Hello")], {}

    def step(self, action: Message) -> Any:
        return [user("Hello"), action], 1.0, True, False, {}


class Taught(Plain):
    """The same with a `solve` and a `guess` of its own, which is all that the policies ask for."""

    def solve(self) -> Message:
        return assistant("known")

    def guess(self, rng: random.Random) -> Message:
        call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
        return {"role": "assistant", "content": None, "tool_calls": [call]}


def act(policy: Policy, env: gymnasium.Env[Any, Any], seed: int | None = None) -> Action:
    return asyncio.run(policy.for_env(env).act([], [], seed=seed))


def mcqa(**kwargs: Any) -> gymnasium.Env[Any, Any]:
    env = gymnasium.make("textgym/MCQA-v0", **kwargs)
    env.reset(options={"index": 0})
    return env


@pytest.mark.parametrize("spec", ["oracle", "random"])
def test_a_spec_names_its_policy(spec: str) -> None:
    assert make_policy(spec).name == spec


@pytest.mark.parametrize(
    ("spec", "hint"),
    [("orcale", "oracle"), ("randon", "random"), ("hff:some/model", "hf"), ("Oracle", "oracle")],
)
def test_a_wrong_name_gets_the_nearest_one(spec: str, hint: str) -> None:
    with pytest.raises(UnknownNameError, match=f"did you mean '{hint}'") as caught:
        make_policy(spec)
    assert repr(spec) in str(caught.value)


def test_a_name_that_is_near_to_none_gets_all_of_them() -> None:
    with pytest.raises(UnknownNameError, match="known are hf, openai, oracle, random, vllm"):
        make_policy("gpt")


def test_an_empty_name_is_no_policy() -> None:
    with pytest.raises(UnknownNameError, match="there is no policy ''"):
        make_policy("")


@pytest.mark.parametrize("kind", ["oracle", "random"])
def test_a_scripted_policy_takes_no_model(kind: str) -> None:
    with pytest.raises(UnknownNameError, match=f"'{kind}' takes no model.*'some/model'"):
        make_policy(f"{kind}:some/model")


def test_a_made_policy_is_returned_as_it_is() -> None:
    policy = Policy()
    assert make_policy(policy) is policy
    assert make_policy(policy, {}) is policy


def test_a_made_policy_takes_no_sampling() -> None:
    with pytest.raises(UsageError, match="where a policy is made"):
        make_policy(Policy(), {"temperature": 0})


def test_a_wrong_setting_is_told_before_a_model_is_looked_for() -> None:
    with pytest.raises(UnknownNameError, match="'temprature'; did you mean 'temperature'"):
        make_policy("hf:no/such/model", {"temprature": 0})


def test_a_policy_without_tokens_has_its_settings_checked_too() -> None:
    with pytest.raises(UnknownNameError, match="no sampling setting 'beams'"):
        make_policy("oracle", {"beams": 4})


@pytest.mark.parametrize(
    "settings",
    [
        {"temperature": -0.1},
        {"temperature": float("nan")},
        {"top_p": 0},
        {"top_p": 1.01},
        {"top_p": float("nan")},
        {"top_k": -1},
        {"max_tokens": 0},
        {"max_tokens": -5},
    ],
    ids=str,
)
def test_a_setting_out_of_its_range_is_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=next(iter(settings))):
        Sampling.read(settings)


@pytest.mark.parametrize(
    "settings",
    [{"temperature": "hot"}, {"top_k": "all"}, {"max_tokens": None}, {"stop": 5}],
    ids=str,
)
def test_a_setting_of_a_wrong_type_is_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=next(iter(settings))):
        Sampling.read(settings)


@pytest.mark.parametrize(
    "settings", [{"temperature": 0}, {"top_p": 1}, {"top_k": 0}, {"max_tokens": 1}], ids=str
)
def test_the_edge_of_a_range_is_allowed(settings: dict[str, Any]) -> None:
    name, value = next(iter(settings.items()))
    assert getattr(Sampling.read(settings), name) == value


def test_no_settings_are_the_defaults() -> None:
    assert Sampling.read(None) == Sampling.read({}) == Sampling()


@pytest.mark.parametrize(
    ("given", "read"), [("END", ("END",)), (["a", "b"], ("a", "b")), ([], ())], ids=str
)
def test_one_stop_text_is_a_list_of_one(given: Any, read: tuple[str, ...]) -> None:
    assert Sampling.read({"stop": given}).stop == read


def test_reading_leaves_the_given_settings_alone() -> None:
    given = {"stop": "END"}
    Sampling.read(given)
    assert given == {"stop": "END"}


def test_settings_come_back_by_name() -> None:
    given = {"temperature": 0.5, "top_p": 0.9, "top_k": 3, "max_tokens": 7, "stop": ("x",)}
    assert Sampling.read(given).as_dict() == given


def test_the_oracle_plays_the_right_answer() -> None:
    env = mcqa()
    action = act(make_policy("oracle"), env)
    assert env.step(action.message)[1] == 1.0
    assert (action.finish_reason, action.token_ids, action.usage) == ("stop", None, {})


def test_the_oracle_follows_its_environment_to_the_next_task() -> None:
    env = mcqa()
    bound = make_policy("oracle").for_env(env)
    for index in range(5):
        env.reset(options={"index": index})
        assert env.step(asyncio.run(bound.act([], [])).message)[1] == 1.0


def test_binding_leaves_the_unbound_policy_free() -> None:
    policy = make_policy("oracle")
    first, second = policy.for_env(mcqa()), policy.for_env(Taught())
    assert first is not second
    assert asyncio.run(second.act([], [])).message == assistant("known")
    assert first.name == second.name == "oracle"


@pytest.mark.parametrize("spec", ["oracle", "random"])
def test_an_unbound_policy_says_how_to_bind_it(spec: str) -> None:
    with pytest.raises(UsageError, match=f"the {spec} policy .*call for_env first"):
        asyncio.run(make_policy(spec).act([user("Hello")], []))


@pytest.mark.parametrize(("spec", "method"), [("oracle", "solve"), ("random", "guess")])
def test_an_ordinary_environment_without_the_method_is_named(spec: str, method: str) -> None:
    with pytest.raises(OracleError, match=f"Plain .*{spec}.* not define {method}"):
        make_policy(spec).for_env(Plain())


def test_an_ordinary_registered_environment_is_named_by_its_id() -> None:
    with pytest.raises(OracleError, match=r"CartPole-v1 .*oracle.* not define solve"):
        make_policy("oracle").for_env(gymnasium.make("CartPole-v1"))


class Mute(textgym.TextEnv[None]):
    """A TextEnv whose author wrote neither `solve` nor `guess`."""

    card = textgym.Card("demo/Mute-v0", "x", ("single-step",), ("x",), ("x",), "x", ("x",))


@pytest.mark.parametrize(("spec", "what"), [("oracle", "solve"), ("random", "guess")])
def test_a_text_env_without_the_method_is_named(spec: str, what: str) -> None:
    with pytest.raises(OracleError, match=f"demo/Mute-v0 cannot be played by '{spec}'.*{what}"):
        act(make_policy(spec), Mute())


def test_an_ordinary_environment_with_the_method_can_be_played() -> None:
    assert act(make_policy("oracle"), Taught()).message == assistant("known")


def test_a_message_with_tool_calls_has_that_finish_reason() -> None:
    assert act(make_policy("random"), Taught()).finish_reason == "tool_calls"


def test_a_wrapped_environment_is_played_through_its_wrappers() -> None:
    env = gymnasium.wrappers.TransformReward(mcqa(), lambda r: -float(r))
    assert env.step(act(make_policy("oracle"), env).message)[1] == -1.0


def test_random_repeats_itself_by_seed() -> None:
    env = mcqa()
    first = [act(make_policy("random"), env, seed).message for seed in range(20)]
    again = [act(make_policy("random"), env, seed).message for seed in range(20)]
    assert first == again


def test_random_names_every_letter_about_equally_often() -> None:
    env = mcqa()
    bound = make_policy("random").for_env(env)

    async def ask() -> Counter[str]:
        return Counter([(await bound.act([], [], seed=s)).message["content"] for s in range(2000)])

    counts = asyncio.run(ask())
    assert len(counts) == 4
    assert all(400 < count < 600 for count in counts.values()), counts  # 500, five deviations


def test_random_depends_on_no_global_generator() -> None:
    env, policy = mcqa(), make_policy("random")
    random.seed(1)
    first = [act(policy, env, seed).message for seed in range(8)]
    random.seed(2)
    assert [act(policy, env, seed).message for seed in range(8)] == first


def test_a_policy_that_defines_no_act_says_so() -> None:
    class Empty(Policy):
        pass

    with pytest.raises(NotImplementedError, match="Empty must define act"):
        asyncio.run(Empty().act([], []))


def test_a_policy_is_itself_for_every_environment_and_closes_quietly() -> None:
    policy = Policy()
    assert policy.for_env(Plain()) is policy
    assert asyncio.run(policy.close()) is None
    assert (policy.name, policy.sampling) == ("policy", None)


def test_an_action_needs_only_its_message() -> None:
    action = Action(assistant("x"))
    assert (action.finish_reason, action.usage) == ("stop", {})
    unknown = (action.prompt_ids, action.token_ids, action.logprobs, action.policy_version)
    assert unknown == (None,) * 4
    assert Action(assistant("y")).usage is not action.usage


def test_the_token_record_cannot_be_reassigned() -> None:
    tokens = Tokens([1], [0], [0.0], 1)
    with pytest.raises(AttributeError):
        tokens.ids = [2]
