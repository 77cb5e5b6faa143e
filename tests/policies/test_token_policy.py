"""`TokenPolicy`: what it hands to its function, and what it records of the answer."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import pytest
from repository import EXAMPLES

from textgym.errors import ContextFullError, UsageError
from textgym.messages import assistant, user
from textgym.policies import Sampling
from textgym.policies.token_policy import SampledTokens, TokenPolicy
from textgym.trajectories.tokens import TokenRecord

pytest.importorskip("torch")
pytest.importorskip("transformers")
sys.path.append(str(EXAMPLES))

import small_model

pytestmark = pytest.mark.model

ASKED = [user("Say one")]


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    return small_model.make_tokenizer([[*ASKED, assistant("one two three")]])


def make_policy(tokenizer: Any, answer: SampledTokens, **settings: Any) -> tuple[Any, list[Any]]:
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
