"""Reward models: specs, scales, callables, and what is never a reward."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textgym.errors import RewardModelFailure, UnknownNameError, UsageError
from textgym.messages import assistant, user
from textgym.verifiers.reward_model import RewardModelScore, make_reward_model
from textgym.verifiers.reward_model.scales import make_scale

SCALES = ("sigmoid", "clip:-3,5", "clip:0,1", "standard:0.5,2")
SCORES = st.floats(allow_nan=False, allow_infinity=False)


@given(scale=st.sampled_from(SCALES), scores=st.tuples(SCORES, SCORES))
def test_a_scale_gives_rewards_and_never_falls(scale: str, scores: tuple[float, float]) -> None:
    low, high = map(make_scale(scale), sorted(scores))
    assert 0 <= low <= high <= 1


@pytest.mark.parametrize(
    ("scale", "score", "reward"),
    [
        ("sigmoid", 0, 0.5),
        ("sigmoid", math.log(3), 0.75),
        ("sigmoid", -math.log(3), 0.25),
        ("sigmoid", -1e9, 0.0),
        ("clip:2,6", 1, 0.0),
        ("clip:2,6", 3, 0.25),
        ("clip:2,6", 7, 1.0),
        ("standard:10,2", 10, 0.5),
        ("standard:10,2", 12, 0.8413447),
    ],
)
def test_a_score_on_a_scale(scale: str, score: float, reward: float) -> None:
    assert make_scale(scale)(score) == pytest.approx(reward)


@pytest.mark.parametrize(
    "scale",
    [
        "", "tanh", "sigmoid:1,2", "clip", "clip:1", "clip:1,1", "clip:2,1", "clip:a,b",
        "clip:1,2,3", "clip:-inf,1", "clip:nan,1", "standard:1,0", "standard:1,-2",
        "standard:inf,1", "standard:0,inf", None, 3,
    ],
)  # fmt: skip
def test_a_scale_that_is_none_is_refused_in_one_line(scale: Any) -> None:
    with pytest.raises(UsageError, match=r"reward_scale must be 'sigmoid', 'clip:LOW,HIGH' or "):
        make_scale(scale)


def conversation(reply: str, **more: Any) -> Any:
    return [user("Hello?"), {**assistant(reply), **more}]


def test_a_callable_sees_the_conversation_without_reasoning() -> None:
    seen: list[Any] = []
    model = make_reward_model(lambda messages: seen.append(messages) or 1.0, "clip:0,2")
    said = conversation("<think>Hm.</think>Hi.", reasoning_content="Hm.")
    earlier = [user("1?"), assistant("<think>2</think>3"), *said]
    assert model.score(earlier) == RewardModelScore(0.5, 1.0)
    assert seen == [[user("1?"), assistant("3"), user("Hello?"), assistant("Hi.")]]
    assert earlier[-1]["reasoning_content"] == "Hm."


async def later(messages: Any) -> float:
    return 2.0


def now(messages: Any) -> float:
    return 2.0


class Instance:
    def __call__(self, messages: Any) -> Any:
        return later(messages)


@pytest.mark.parametrize(
    "model",
    [now, later, Instance(), "test_reward_models:now", "test_reward_models:later"],
)
def test_functions_coroutine_functions_and_their_names(model: Any) -> None:
    assert make_reward_model(model, "clip:0,4").score(conversation("Hi.")).reward == 0.5


@pytest.mark.parametrize("reply", ["", " \n", "<think>It is", "<think>a</think>", None])
def test_a_model_is_not_asked_about_an_empty_reply(reply: Any) -> None:
    model = make_reward_model(lambda messages: 1 / 0, "sigmoid")
    assert model.score(conversation(reply)) == RewardModelScore(0.0, None, "empty")


@pytest.mark.parametrize(
    "score", [math.nan, math.inf, -math.inf, None, "good", True, [1.0], {"score": 1}, 1j]
)
def test_what_is_no_finite_number_is_a_failure(score: Any) -> None:
    with pytest.raises(RewardModelFailure, match="not a finite number"):
        make_reward_model(lambda messages: score, "sigmoid").score(conversation("Hi."))


@pytest.mark.parametrize("error", [ValueError("no\nsuch"), KeyError("x"), StopIteration()])
def test_an_error_of_a_callable_is_a_failure(error: Exception) -> None:
    def broken(messages: Any) -> float:
        raise error

    with pytest.raises(
        RewardModelFailure, match=rf"broken failed: {type(error).__name__}"
    ) as raised:
        make_reward_model(broken, "sigmoid").score(conversation("Hi."))
    assert "\n" not in str(raised.value)


def test_equal_specs_are_one_object() -> None:
    spec = "test_reward_models:now"
    first = make_reward_model(spec, "sigmoid")
    assert make_reward_model(spec, "sigmoid") is first
    assert make_reward_model(spec, "clip:0,1") is not first


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ("", "there is no reward model ''"),
        ("good", "there is no reward model 'good'"),
        ("hf-rm", "there is no reward model 'hf-rm'"),
        ("hf-rm:", "there is no reward model 'hf-rm:'"),
        ("no_such_module:name", "no module 'no_such_module'"),
        ("math:no_such_name", "there is no reward model 'math:no_such_name'"),
    ],
)
def test_an_unknown_spec(spec: str, text: str) -> None:
    with pytest.raises(UnknownNameError) as raised:
        make_reward_model(spec, "sigmoid")
    assert text in str(raised.value)


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ("math:pi", "is not a callable"),
        ("builtins:int", "is not a callable"),
        (3, "a reward model must be a spec or a callable"),
        (int, "a reward model must be a spec or a callable"),
    ],
)
def test_a_wrong_spec_is_refused_in_one_line(spec: Any, text: str) -> None:
    with pytest.raises(UsageError) as raised:
        make_reward_model(spec, "sigmoid")
    assert text in str(raised.value)
    assert "\n" not in str(raised.value)


def test_what_is_too_long_is_refused_or_cut() -> None:
    with pytest.raises(UsageError, match="too_long must be 'refuse' or 'cut', not 'trim'"):
        make_reward_model(now, "sigmoid", too_long="trim")
