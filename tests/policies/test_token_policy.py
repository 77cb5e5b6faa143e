"""`TokenPolicy`: what it hands to its function, and what it records of the answer."""

from __future__ import annotations

import asyncio
import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from repository import EXAMPLES

from textgym.errors import ContextFullError, PolicyFailure, UsageError
from textgym.messages import assistant, user
from textgym.policies import Sampling
from textgym.policies.token_policy import SampledTokens, TokenPolicy
from textgym.trajectories.tokens import TokenRecord

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
sys.path.append(str(EXAMPLES))

import small_model  # noqa: E402

pytestmark = pytest.mark.model

ASKED = [user("Say one")]


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    return small_model.make_tokenizer([[*ASKED, assistant("one two three")]])


def make_policy(tokenizer: Any, answer: Any, **settings: Any) -> tuple[Any, list[Any]]:
    """Return a policy that always gives one answer, and the list of what its function was given."""
    calls: list[Any] = []

    async def sample(prompt_ids: list[int], sampling: Sampling, seed: int | None) -> SampledTokens:
        calls.append((prompt_ids, sampling, seed))
        return answer

    return TokenPolicy(sample, tokenizer, {"max_tokens": 5}, **settings), calls


def ids_of(tokenizer: Any, text: str, *, ended: bool) -> list[int]:
    return [*tokenizer.encode(text), *[tokenizer.eos_token_id] * ended]


def act(policy: Any, messages: Any = ASKED, **others: Any) -> Any:
    return asyncio.run(policy.act(messages, [], **others))


def test_sampled_ids_are_recorded_as_they_are(tokenizer: Any) -> None:
    ids = ids_of(tokenizer, "one two", ended=True)
    policy, calls = make_policy(tokenizer, SampledTokens(ids, [-0.5, -0.25, -0.125]))
    policy.version = "step 3"
    action = act(policy, seed=7)
    prompt = tokenizer.apply_chat_template(ASKED, add_generation_prompt=True)["input_ids"]
    assert calls == [(prompt, Sampling(max_tokens=5), 7)]
    assert action.message["content"] == "one two"
    assert (list(action.prompt_ids), list(action.token_ids)) == (prompt, ids)
    assert list(action.logprobs) == [-0.5, -0.25, -0.125]
    assert action.finish_reason == "stop"
    assert action.policy_version == "step 3"


def test_message_without_an_end_is_cut(tokenizer: Any) -> None:
    answer = SampledTokens(ids_of(tokenizer, "one two", ended=False), None)
    action = act(make_policy(tokenizer, answer)[0])
    assert action.finish_reason == "length"
    assert action.message["content"] == "one two"


def test_engine_may_say_that_the_message_is_finished(tokenizer: Any) -> None:
    answer = SampledTokens(ids_of(tokenizer, "one", ended=False), None, is_finished=True)
    assert act(make_policy(tokenizer, answer)[0]).finish_reason == "stop"


def test_log_probabilities_may_be_unknown(tokenizer: Any) -> None:
    answer = SampledTokens(ids_of(tokenizer, "one", ended=True), None)
    assert act(make_policy(tokenizer, answer)[0]).logprobs is None


def test_second_prompt_continues_the_recorded_tokens(tokenizer: Any) -> None:
    ids = ids_of(tokenizer, "two", ended=True)
    policy, calls = make_policy(tokenizer, SampledTokens(ids, [-0.5, -0.25]))
    record = TokenRecord()
    action = act(policy)
    record.add(action, ASKED, action.message)
    longer = [*ASKED, action.message, user("Say three")]
    act(policy, longer, prior=record.prior(longer))
    first, second = (prompt_ids for prompt_ids, _, _ in calls)
    assert second[: len(first) + len(ids)] == [*first, *ids]


def test_tokens_are_limited_by_the_context(tokenizer: Any) -> None:
    prompt = tokenizer.apply_chat_template(ASKED, add_generation_prompt=True)["input_ids"]
    answer = SampledTokens(ids_of(tokenizer, "one", ended=True), None)
    policy, calls = make_policy(tokenizer, answer, context_length=len(prompt) + 2)
    act(policy)
    assert calls[0][1].max_tokens == 2


def test_prompt_that_fills_the_context_is_refused(tokenizer: Any) -> None:
    policy, calls = make_policy(tokenizer, SampledTokens([], None), context_length=2)
    with pytest.raises(ContextFullError):
        act(policy)
    assert not calls


def test_tokenizer_needs_a_chat_template(tokenizer: Any) -> None:
    template, tokenizer.chat_template = tokenizer.chat_template, None
    try:
        with pytest.raises(UsageError, match="no chat template"):
            make_policy(tokenizer, SampledTokens([], None))
    finally:
        tokenizer.chat_template = template


def test_stop_is_refused(tokenizer: Any) -> None:
    with pytest.raises(UsageError, match="stop is not supported"):
        TokenPolicy(None, tokenizer, {"stop": ["x"]})  # type: ignore[arg-type]


def test_end_ids_that_are_no_ids_are_refused(tokenizer: Any) -> None:
    with pytest.raises(UsageError, match="end_ids must be token ids, not 'User:'"):
        make_policy(tokenizer, SampledTokens([], None), end_ids="User:")


# What the function returns


def failure(policy: Any) -> str:
    """Return the text of the failure of a policy, of one line."""
    with pytest.raises(PolicyFailure) as raised:
        act(policy)
    assert "\n" not in str(raised.value)
    return str(raised.value)


@pytest.mark.parametrize(
    "form",
    [
        tuple,
        np.array,
        torch.tensor,
        lambda values: list(np.array(values)),
        lambda values: list(torch.tensor(values)),
    ],
    ids=["tuple", "numpy", "torch", "list of numpy", "list of torch"],
)
def test_numbers_become_pythons_own(tokenizer: Any, form: Callable[[Any], Any]) -> None:
    ids = ids_of(tokenizer, "one", ended=True)
    action = act(make_policy(tokenizer, SampledTokens(form(ids), form([-0.5, -0.25])))[0])
    assert (action.token_ids, action.logprobs) == (ids, [-0.5, -0.25])
    assert {type(value) for value in action.token_ids + action.logprobs} == {int, float}


def test_tokens_after_the_first_end_are_cut_off(tokenizer: Any) -> None:
    ids = ids_of(tokenizer, "one", ended=True)
    answer = SampledTokens([*ids, *ids], [-0.5, -0.25, -0.125, -1.0], is_finished=False)
    action = act(make_policy(tokenizer, answer)[0])
    assert (action.token_ids, action.logprobs) == (ids, [-0.5, -0.25])
    assert (action.message, action.finish_reason) == (assistant("one"), "stop")


def test_padding_after_the_end_is_not_counted_as_tokens(tokenizer: Any) -> None:
    answer = SampledTokens(
        [*ids_of(tokenizer, "one", ended=True), *[tokenizer.pad_token_id] * 9], None
    )
    assert act(make_policy(tokenizer, answer)[0]).usage["completion_tokens"] == 2


def test_every_end_id_ends_a_message(tokenizer: Any) -> None:
    (end,) = tokenizer.encode("two")
    answer = SampledTokens(ids_of(tokenizer, "one two three", ended=True), None)
    action = act(make_policy(tokenizer, answer, end_ids=[end])[0])
    assert action.token_ids == ids_of(tokenizer, "one two", ended=False)
    assert (action.message, action.finish_reason) == (assistant("one"), "stop")


def test_more_tokens_than_max_tokens_are_a_failure(tokenizer: Any) -> None:
    answer = SampledTokens(ids_of(tokenizer, "one " * 6, ended=False), None)
    assert "gave 6 tokens, and max_tokens is 5" in failure(make_policy(tokenizer, answer)[0])


def test_end_ids_may_be_those_of_numpy(tokenizer: Any) -> None:
    said = tokenizer.encode("two")
    policy, _ = make_policy(tokenizer, SampledTokens([*said, 3], None), end_ids=[np.int64(3)])
    assert act(policy).finish_reason == "stop"


@pytest.mark.parametrize("id", [-1, 10**30], ids=str)
def test_id_that_no_model_has_is_a_failure(tokenizer: Any, id: int) -> None:
    failure(make_policy(tokenizer, SampledTokens([id], None))[0])


def test_id_of_a_padded_vocabulary_is_sampled_without_text(tokenizer: Any) -> None:
    said = tokenizer.encode("two")
    policy, _ = make_policy(tokenizer, SampledTokens([*said, len(tokenizer) + 5], None))
    action = act(policy)
    assert action.message["content"] == "two"  # not a failure, by which bad grades are avoided
    assert action.token_ids == [*said, len(tokenizer) + 5]


@pytest.mark.parametrize(
    "ids",
    [[1.0], ["1"], [None], [[1]], np.array([1.5]), torch.tensor(1), 5, None],
    ids=["float", "text", "none", "nested", "float array", "scalar", "int", "nothing"],
)
def test_ids_that_are_no_integers_are_a_failure(tokenizer: Any, ids: Any) -> None:
    failure(make_policy(tokenizer, SampledTokens(ids, None))[0])


@pytest.mark.parametrize("logprobs", [["x"], [[-1.0]], -1.0, [-math.inf], [math.inf]], ids=str)
def test_unusable_log_probabilities_are_a_failure(tokenizer: Any, logprobs: Any) -> None:
    answer = SampledTokens(ids_of(tokenizer, "one", ended=False), logprobs)
    failure(make_policy(tokenizer, answer)[0])


@pytest.mark.parametrize("logprobs", [[], [-0.5], [-0.5] * 3], ids=len)
def test_another_number_of_log_probabilities_is_a_failure(
    tokenizer: Any, logprobs: list[float]
) -> None:
    answer = SampledTokens(ids_of(tokenizer, "one", ended=True), logprobs)
    said = failure(make_policy(tokenizer, answer)[0])
    assert f"gave {len(logprobs)} log probabilities for 2 tokens" in said


@pytest.mark.parametrize("unknown", [None, math.nan, np.float32("nan")], ids=str)
def test_message_with_an_unknown_log_probability_has_none(tokenizer: Any, unknown: Any) -> None:
    answer = SampledTokens(ids_of(tokenizer, "one", ended=True), [-0.5, unknown])
    assert act(make_policy(tokenizer, answer)[0]).logprobs is None


@pytest.mark.parametrize("answer", [None, ([5], None), "one"], ids=str)
def test_what_is_no_sampled_tokens_is_a_failure(tokenizer: Any, answer: Any) -> None:
    said = failure(make_policy(tokenizer, answer)[0])
    assert f"must return SampledTokens, not {type(answer).__name__}" in said


@pytest.mark.parametrize("is_finished", [None, False], ids=str)
@pytest.mark.parametrize(
    ("ids", "logprobs"),
    [
        ([], None),
        ((), []),
        (np.array([], dtype=int), np.array([])),
        (torch.tensor([], dtype=torch.long), None),
    ],
    ids=["list", "tuple", "array", "tensor"],
)
def test_no_tokens_without_an_end_are_an_aborted_request(
    tokenizer: Any, ids: Any, logprobs: Any, is_finished: bool | None
) -> None:
    answer = SampledTokens(ids, logprobs, is_finished)
    assert "gave no tokens" in failure(make_policy(tokenizer, answer)[0])


@pytest.mark.parametrize("is_finished", [None, True], ids=str)
def test_message_that_the_model_ends_at_once_is_empty(
    tokenizer: Any, is_finished: bool | None
) -> None:
    ids = [] if is_finished else [tokenizer.eos_token_id]
    action = act(make_policy(tokenizer, SampledTokens(ids, None, is_finished))[0])
    assert (action.message, action.finish_reason) == (assistant(""), "stop")


def test_finish_that_is_no_bool_is_a_failure(tokenizer: Any) -> None:
    answer = SampledTokens(ids_of(tokenizer, "one", ended=False), None, np.array([True, False]))  # type: ignore[arg-type]
    failure(make_policy(tokenizer, answer)[0])
