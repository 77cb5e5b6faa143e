"""Policy specs, sampling settings, and the scripted policies."""

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
    """A plain Gymnasium environment with message spaces, without `solve` and `guess`."""

    observation_space = ConversationSpace()
    action_space = ActionSpace()

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        return [user("Hello")], {}

    def step(self, action: Message) -> Any:
        return [user("Hello"), action], 1.0, True, False, {}


class Taught(Plain):
    """The same with its own `solve` and `guess`, which is all that the policies need."""

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
def test_spec_makes_a_policy_of_that_name(spec: str) -> None:
    assert make_policy(spec).name == spec


@pytest.mark.parametrize(
    ("spec", "hint"),
    [("orcale", "oracle"), ("randon", "random"), ("hff:some/model", "hf"), ("Oracle", "oracle")],
)
def test_unknown_name_suggests_the_nearest_one(spec: str, hint: str) -> None:
    with pytest.raises(UnknownNameError, match=f"did you mean '{hint}'") as caught:
        make_policy(spec)
    assert repr(spec) in str(caught.value)


def test_unknown_name_without_a_near_one_lists_all() -> None:
    with pytest.raises(UnknownNameError, match="known are hf, inspect, openai, oracle, "):
        make_policy("gpt")


def test_empty_name_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="there is no policy ''"):
        make_policy("")


@pytest.mark.parametrize("kind", ["oracle", "random"])
def test_scripted_policy_refuses_a_model(kind: str) -> None:
    with pytest.raises(UnknownNameError, match=f"'{kind}' takes no model.*'some/model'"):
        make_policy(f"{kind}:some/model")


def test_policy_object_is_returned_unchanged() -> None:
    policy = Policy()
    assert make_policy(policy) is policy
    assert make_policy(policy, {}) is policy


def test_sampling_is_refused_with_a_policy_object() -> None:
    with pytest.raises(UsageError, match="only accepted with a policy spec"):
        make_policy(Policy(), {"temperature": 0})


def test_unknown_setting_is_refused_before_a_model_is_searched() -> None:
    with pytest.raises(UnknownNameError, match="'temprature'; did you mean 'temperature'"):
        make_policy("hf:no/such/model", {"temprature": 0})


def test_settings_of_a_scripted_policy_are_checked() -> None:
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
        {"min_p": -0.1},
        {"min_p": 1.5},
        {"max_tokens": 0},
        {"max_tokens": -5},
    ],
    ids=str,
)
def test_setting_out_of_range_is_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=next(iter(settings))):
        Sampling.read(settings)


@pytest.mark.parametrize(
    "settings",
    [{"temperature": "hot"}, {"top_k": "all"}, {"max_tokens": None}, {"stop": 5}],
    ids=str,
)
def test_setting_of_a_wrong_type_is_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=next(iter(settings))):
        Sampling.read(settings)


@pytest.mark.parametrize(
    "settings", [{"temperature": 0}, {"top_p": 1}, {"top_k": 0}, {"max_tokens": 1}], ids=str
)
def test_edges_of_ranges_are_allowed(settings: dict[str, Any]) -> None:
    name, value = next(iter(settings.items()))
    assert getattr(Sampling.read(settings), name) == value


def test_no_settings_give_the_defaults() -> None:
    assert Sampling.read(None) == Sampling.read({}) == Sampling()


@pytest.mark.parametrize(
    ("given", "read"), [("END", ("END",)), (["a", "b"], ("a", "b")), ([], ())], ids=str
)
def test_single_stop_string_becomes_a_tuple(given: Any, read: tuple[str, ...]) -> None:
    assert Sampling.read({"stop": given}).stop == read


def test_reading_does_not_change_the_given_settings() -> None:
    given = {"stop": "END"}
    Sampling.read(given)
    assert given == {"stop": "END"}


def test_settings_are_returned_by_name() -> None:
    given = {"temperature": 0.5, "top_p": 0.9, "top_k": 3, "max_tokens": 7, "stop": ("x",)}
    assert Sampling.read(given).as_dict() == given
    assert Sampling.read({**given, "min_p": 0.1}).as_dict() == {**given, "min_p": 0.1}


def test_oracle_plays_correctly() -> None:
    env = mcqa()
    action = act(make_policy("oracle"), env)
    assert env.step(action.message)[1] == 1.0
    assert (action.finish_reason, action.token_ids, action.usage) == ("stop", None, {})


def test_oracle_follows_its_environment_to_the_next_task() -> None:
    env = mcqa()
    bound = make_policy("oracle").for_env(env)
    for index in range(5):
        env.reset(options={"index": index})
        assert env.step(asyncio.run(bound.act([], [])).message)[1] == 1.0


def test_binding_does_not_change_the_unbound_policy() -> None:
    policy = make_policy("oracle")
    first, second = policy.for_env(mcqa()), policy.for_env(Taught())
    assert first is not second
    assert asyncio.run(second.act([], [])).message == assistant("known")
    assert first.name == second.name == "oracle"


@pytest.mark.parametrize("spec", ["oracle", "random"])
def test_unbound_policy_says_how_to_bind_it(spec: str) -> None:
    with pytest.raises(UsageError, match=f"the {spec} policy .*call for_env first"):
        asyncio.run(make_policy(spec).act([user("Hello")], []))


@pytest.mark.parametrize(("spec", "method"), [("oracle", "solve"), ("random", "guess")])
def test_environment_without_the_method_is_named(spec: str, method: str) -> None:
    with pytest.raises(OracleError, match=f"Plain .*{spec}.* not define {method}"):
        make_policy(spec).for_env(Plain())


def test_registered_environment_is_named_by_its_id() -> None:
    with pytest.raises(OracleError, match=r"CartPole-v1 .*oracle.* not define solve"):
        make_policy("oracle").for_env(gymnasium.make("CartPole-v1"))


class Mute(textgym.TextEnv[None]):
    """A TextEnv that defines neither `solve` nor `guess`."""

    card = textgym.Card("demo/Mute-v0", "x", ("single-step",), ("x",), ("x",), "x", ("x",))


@pytest.mark.parametrize(("spec", "what"), [("oracle", "solve"), ("random", "guess")])
def test_text_env_without_the_method_is_named(spec: str, what: str) -> None:
    with pytest.raises(OracleError, match=f"demo/Mute-v0 cannot be played by '{spec}'.*{what}"):
        act(make_policy(spec), Mute())


def test_any_environment_with_the_method_can_be_played() -> None:
    assert act(make_policy("oracle"), Taught()).message == assistant("known")


def test_finish_reason_of_scripted_tool_calls() -> None:
    assert act(make_policy("random"), Taught()).finish_reason == "tool_calls"


def test_wrapped_environment_is_played_through_its_wrappers() -> None:
    env = gymnasium.wrappers.TransformReward(mcqa(), lambda r: -float(r))
    assert env.step(act(make_policy("oracle"), env).message)[1] == -1.0


def test_random_policy_repeats_its_guess_by_seed() -> None:
    env = mcqa()
    first = [act(make_policy("random"), env, seed).message for seed in range(20)]
    again = [act(make_policy("random"), env, seed).message for seed in range(20)]
    assert first == again


def test_random_policy_guesses_every_letter_equally_often() -> None:
    env = mcqa()
    bound = make_policy("random").for_env(env)

    async def ask() -> Counter[str]:
        return Counter([(await bound.act([], [], seed=s)).message["content"] for s in range(2000)])

    counts = asyncio.run(ask())
    assert len(counts) == 4
    assert all(400 < count < 600 for count in counts.values()), counts  # 500, five deviations


def test_random_policy_ignores_the_global_generator() -> None:
    env, policy = mcqa(), make_policy("random")
    random.seed(1)
    first = [act(policy, env, seed).message for seed in range(8)]
    random.seed(2)
    assert [act(policy, env, seed).message for seed in range(8)] == first


def test_policy_without_act_raises() -> None:
    class Empty(Policy):
        pass

    with pytest.raises(NotImplementedError, match="Empty must define act"):
        asyncio.run(Empty().act([], []))


def test_default_for_env_and_close() -> None:
    policy = Policy()
    assert policy.for_env(Plain()) is policy
    assert asyncio.run(policy.close()) is None
    assert (policy.name, policy.sampling) == ("policy", None)


def test_action_needs_only_its_message() -> None:
    action = Action(assistant("x"))
    assert (action.finish_reason, action.usage) == ("stop", {})
    unknown = (action.prompt_ids, action.token_ids, action.logprobs, action.policy_version)
    assert unknown == (None,) * 4
    assert Action(assistant("y")).usage is not action.usage


def test_tokens_are_frozen() -> None:
    tokens = Tokens([1], [0], [0.0], 1)
    with pytest.raises(AttributeError):
        tokens.ids = [2]


# Classes of one's own


class Shout(Policy):
    name = "shout"

    def __init__(self, word: str = "hey", sampling: Sampling | None = None) -> None:
        self.word, self.sampling = word, sampling


class Whisper(Policy):
    name = "whisper"


def shouted(messages: Any) -> str:
    return "HEY"


def test_module_and_class_make_a_policy() -> None:
    made: Any = make_policy(f"{__name__}:Shout", {"max_tokens": 7}, {"word": "ho"})
    assert type(made) is Shout
    assert (made.word, made.sampling.max_tokens) == ("ho", 7)


def test_a_class_without_the_argument_gets_no_sampling() -> None:
    assert type(make_policy(f"{__name__}:Whisper", {"max_tokens": 7})) is Whisper


@pytest.mark.parametrize(
    ("spec", "options", "message"),
    [
        ("Shuot", {}, "has no Policy class 'Shuot'; did you mean 'Shout'"),
        ("shouted", {}, "shouted' is not a subclass of Policy; did you mean 'Shout'"),
        ("Shout", {"wrod": 1}, "has no option 'wrod'; did you mean 'word'"),
        ("Whisper", {"word": 1}, "has no option 'word': it has no options"),
    ],
)
def test_a_wrong_class_or_option_is_named(spec: str, options: Any, message: str) -> None:
    with pytest.raises(UnknownNameError, match=message):
        make_policy(f"{__name__}:{spec}", None, options)


def test_the_module_of_a_policy_must_exist() -> None:
    with pytest.raises(UnknownNameError, match="there is no module 'no_such_module'"):
        make_policy("no_such_module:Shout")


def test_a_name_on_the_hub_suggests_hf() -> None:
    spec = "HuggingFaceTB/SmolLM2-135M-Instruct"
    with pytest.raises(UnknownNameError, match=f"no policy '{spec}'; did you mean 'hf:{spec}'?"):
        make_policy(spec)


@pytest.mark.parametrize("spec", ["my_policies.py", "./my_policies.py"])
def test_a_file_suggests_a_class_in_it(spec: str) -> None:
    match = f"no policy '{spec}': name a class in it, as my_policies:Class$"
    with pytest.raises(UnknownNameError, match=match):
        make_policy(spec)
    with pytest.raises(UnknownNameError, match=r"no module '.*'; did you mean 'my_policies'\?$"):
        make_policy(f"{spec}:Careful")
