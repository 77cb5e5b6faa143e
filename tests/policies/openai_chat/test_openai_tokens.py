"""The policy `openai:` with `tokens=true`, against a completions server that may misbehave."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from in_process import run_command

import textgym
from textgym.errors import (
    ContextFullError,
    ExtraMissingError,
    PolicyFailure,
    UnknownNameError,
    UsageError,
)
from textgym.messages import assistant, user
from textgym.policies import Action, Sampling, Tokens, make_policy
from textgym.spaces import ActionSpace
from textgym.trajectories.tokens import token_sequences

pytest.importorskip("aiohttp")
pytest.importorskip("transformers")
pytest.importorskip("torch")

from chat_server import CLOSE, ChatServer, FakeTime, Request, error, http

from textgym.policies.models import load_tokenizer
from textgym.policies.openai.policy import OpenAIPolicy

pytestmark = pytest.mark.model

HELLO = [user("Hello")]
SAID = [28120, 17]  # "Hi" and another; what they are does not matter
LOOK: Any = {
    "type": "function",
    "function": {"name": "look", "description": "d", "parameters": {"type": "object"}},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder with only SmolLM2's tokenizer."""
    folder = tmp_path_factory.mktemp("tokenizer")
    try:
        load_tokenizer("").save_pretrained(folder)
    except ExtraMissingError as missing:
        pytest.skip(str(missing))
    return str(folder)


@pytest.fixture(scope="module")
def codec(folder: str) -> Any:
    """The codec that all policies of this module share, because a tokenizer loads slowly."""
    return OpenAIPolicy("m", "http://h/v1", tokens=True, tokenizer=folder).codec


@pytest.fixture
def policy_of(codec: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A function that makes a policy whose waits take no time."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setattr("textgym.policies.openai.policy._make_codec", lambda *given: codec)

    def make(server: ChatServer, **options: Any) -> OpenAIPolicy:
        options.setdefault("rate_limiter", FakeTime().rate_limiter())
        sampling = Sampling.read(options.pop("sampling", None))
        return OpenAIPolicy("m", server.url, sampling, tokens=True, **options)

    return make


def act(policy: OpenAIPolicy, messages: Any = HELLO, tools: Any = (), **more: Any) -> Action:
    async def once() -> Action:
        try:
            return await policy.act(messages, tools, **more)
        finally:
            await policy.close()

    return asyncio.run(once())


def choice_to(request: Request, ids: Any = SAID, text: Any = "Hi", **more: Any) -> dict[str, Any]:
    """Return vLLM's reply to a request; more keys are added to the choice, None removes one."""
    logprobs = {"token_logprobs": [-0.5] * len(ids), "tokens": ["x"] * len(ids)}
    choice = {
        "index": 0, "text": text, "finish_reason": "stop", "logprobs": logprobs,
        "token_ids": ids, "prompt_token_ids": request.body["prompt"], **more,
    }  # fmt: skip
    return {key: value for key, value in choice.items() if value is not None}


def answers(*choices: Any, **more: Any) -> Any:
    """Return a handler that always gives this answer in vLLM's form."""

    def handler(request: Request) -> bytes:
        usage = {"prompt_tokens": 1, "prompt_tokens_details": {"cached_tokens": 3}}
        return http(200, {"choices": [choice_to(request, *choices, **more)], "usage": usage})

    return handler


def after(*replies: bytes) -> Any:
    """Return a handler that gives these replies first."""
    left, handler = list(replies), answers()
    return lambda request: left.pop(0) if left else handler(request)


def error_of(
    policy_of: Any, handler: Any, kind: type[Exception], tries: int, **options: Any
) -> str:
    """Return the text of the error that a reply raises, after a number of requests."""
    with ChatServer(handler) as server:
        with pytest.raises(kind) as caught:
            act(policy_of(server, **options))
        assert type(caught.value) is kind
        assert "\n" not in str(caught.value)
        assert len(server.requests) == tries
    return str(caught.value)


# The options


@pytest.mark.parametrize(
    ("options", "error_text"),
    [
        ({"tokens": "yes"}, "tokens must be true or false, not 'yes'"),
        ({"tokenizer": "some/model"}, "tokenizer, .* need tokens=true"),
        ({"tool_parser": "hermes"}, "tool_parser .* need tokens=true"),
        ({"tokens": True, "tool_prompt": True}, "the chat template decides on the tool prompt"),
    ],
    ids=["no switch", "a tokenizer alone", "a parser alone", "two prompts"],
)
def test_options_that_exclude_each_other_are_refused(options: Any, error_text: str) -> None:
    with pytest.raises(UsageError, match=error_text):
        make_policy("openai:m@http://h/v1", options=options)


def test_missing_tokenizer_is_an_error(tmp_path: Path) -> None:
    options = {"tokens": True, "tokenizer": str(tmp_path / "none")}
    with pytest.raises(UnknownNameError, match="there is no model folder"):
        make_policy("openai:m@http://h/v1", options=options)


def test_default_tokenizer_is_the_models(folder: str) -> None:
    policy: Any = make_policy(f"openai:{folder}@http://h/v1", options={"tokens": True})
    assert policy.codec.name == policy.name
    assert policy.codec.eos_token_ids == {policy.codec.tokenizer.eos_token_id}


def test_eos_token_ids_are_read_from_the_generation_config(folder: str, tmp_path: Path) -> None:
    load_tokenizer(folder).save_pretrained(tmp_path)
    (tmp_path / "generation_config.json").write_text(json.dumps({"eos_token_id": [5, 6]}))
    options = {"tokens": True, "tokenizer": str(tmp_path)}
    policy: Any = make_policy("openai:m@http://h/v1", options=options)
    assert policy.codec.eos_token_ids == {5, 6, policy.codec.tokenizer.eos_token_id}


# The request


def test_prompt_is_sent_as_ids_with_all_settings(policy_of: Any, codec: Any) -> None:
    sampling = {"temperature": 0, "top_p": 0.5, "top_k": 3, "max_tokens": 7, "stop": ["x"]}
    with ChatServer(answers()) as server:
        act(policy_of(server, sampling=sampling), seed=2**31 + 4)
    (request,) = server.requests
    assert request.path == "/v1/completions"
    assert request.body == {
        "model": "m",
        "prompt": codec.encode_prompt(HELLO, [], None).ids,
        "return_token_ids": True,
        "logprobs": 0,
        "seed": 4,
        **sampling,
    }


def test_extra_body_overrides_fields_and_none_removes_one(policy_of: Any) -> None:
    with ChatServer(answers()) as server:
        act(policy_of(server, extra_body={"min_p": 0.1, "top_p": None}))
    body = server.requests[0].body
    assert body["min_p"] == 0.1
    assert "top_p" not in body


def test_earlier_tokens_are_sent_again_unchanged(policy_of: Any, codec: Any) -> None:
    split = codec.tokenizer.convert_tokens_to_ids(["h", "i"])
    assert codec.tokenizer("hi")["input_ids"] != split  # it would be encoded otherwise
    end = codec.tokenizer.eos_token_id
    with ChatServer(answers([*split, end], "hi")) as server:
        policy = policy_of(server)
        first = act(policy)
        prior = Tokens.of_turn(first.prompt_ids or [], first.token_ids or [], None, 2)
        second = act(policy, [*HELLO, first.message, user("More")], prior=prior)
    prompt = server.requests[1].body["prompt"]
    assert prompt[: len(prior.ids)] == prior.ids
    assert second.prompt_ids == prompt


def test_template_decides_on_the_tool_prompt_and_calls(policy_of: Any, codec: Any) -> None:
    text = 'I look.\n<tool_call>{"name": "look", "arguments": {}}</tool_call>'
    with ChatServer(answers(SAID, text)) as server:
        action = act(policy_of(server), HELLO, [LOOK])
        plain = act(policy_of(server))
    assert "<tools>" in codec.tokenizer.decode(server.requests[0].body["prompt"])
    assert "tools" not in server.requests[0].body
    assert action.finish_reason == "tool_calls"
    assert action.message["content"] == "I look."
    assert [call["function"]["name"] for call in action.message["tool_calls"]] == ["look"]
    assert plain.message == assistant(text)


# The reply


def test_action_has_its_tokens(policy_of: Any) -> None:
    with ChatServer(answers([5, 0, 7], "Hi", logprobs={"token_logprobs": [-1, 0, -9999.0]})) as s:
        action = act(policy_of(s))
    assert action.message == assistant("Hi")
    assert action.finish_reason == "stop"
    assert action.prompt_ids == s.requests[0].body["prompt"]
    assert (action.token_ids, action.logprobs) == ([5, 0, 7], [-1.0, 0.0, -9999.0])
    counts = {"prompt_tokens": len(action.prompt_ids), "completion_tokens": 3, "cached_tokens": 3}
    assert action.usage == counts


def test_cut_answer_has_finish_reason_length(policy_of: Any) -> None:
    with ChatServer(answers(finish_reason="length")) as server:
        assert act(policy_of(server)).finish_reason == "length"


def test_reasoning_is_separated_from_the_content(policy_of: Any) -> None:
    with ChatServer(answers(SAID, "<think>A or B?</think>B")) as server:
        message = act(policy_of(server)).message
    assert message == {"role": "assistant", "content": "B", "reasoning_content": "A or B?"}


NO_TOKENS = {
    "no ids at all": {"token_ids": None, "prompt_token_ids": None},
    "no sampled ids": {"token_ids": None},
    "no prompt ids": {"prompt_token_ids": None},
    "no log probabilities": {"logprobs": None},
    "ids of another prompt": {"prompt_token_ids": [1, 2]},
    "a prompt that is no list": {"prompt_token_ids": "1"},
}


@pytest.mark.parametrize("more", NO_TOKENS.values(), ids=NO_TOKENS)
def test_reply_without_token_ids_is_not_retried(policy_of: Any, more: Any) -> None:
    error_text = error_of(policy_of, answers(**more), UsageError, tries=1)
    assert "cannot be called in token ids: the reply is not a valid completion: it" in error_text


BROKEN = {
    "ids that are no list": {"token_ids": "12"},
    "ids that are texts": {"token_ids": ["1", "2"]},
    "ids that are switches": {"token_ids": [True, False]},
    "ids below 0": {"token_ids": [-1, 2]},
    "ids beyond all": {"token_ids": [2**31, 2]},
    "fewer ids than log probabilities": {"token_ids": [1]},
    "more ids than log probabilities": {"token_ids": [1, 2, 3]},
    "log probabilities that are no object": {"logprobs": [-0.5, -0.5]},
    "log probabilities without a list": {"logprobs": {"tokens": ["a", "b"]}},
    "no log probability of one": {"logprobs": {"token_logprobs": [-0.5, None]}},
    "NaN": {"logprobs": {"token_logprobs": [-0.5, float("nan")]}},
    "infinity": {"logprobs": {"token_logprobs": [-0.5, float("-inf")]}},
    "a text for a number": {"logprobs": {"token_logprobs": [-0.5, "-0.5"]}},
    "text that is none": {"text": ["Hi"]},
    "aborted": {"finish_reason": "abort"},
    "no tokens and no end": {
        "finish_reason": "length",
        "text": "",
        "token_ids": [],
        "logprobs": {"token_logprobs": []},
    },
    "an unknown end": {"finish_reason": "repetition"},
    "an end that is no text": {"finish_reason": {"type": "stop"}},
}


@pytest.mark.parametrize("more", BROKEN.values(), ids=BROKEN)
def test_invalid_reply_is_retried(policy_of: Any, more: Any) -> None:
    error_text = error_of(policy_of, answers(**more), PolicyFailure, tries=3, retries=2)
    assert (
        "gave no answer in 3 tries, the last: the reply is not a valid completion: " in error_text
    )


@pytest.mark.parametrize(
    "reply",
    [error(503), error(429), CLOSE, http(200, "half"), http(200, {"choices": []})],
    ids=["503", "429", "closed", "no JSON", "no choices"],
)
def test_retry_sends_the_same_request(policy_of: Any, reply: bytes) -> None:
    with ChatServer(after(reply, reply)) as server:
        assert act(policy_of(server), seed=3).message == assistant("Hi")
    assert len({request.data for request in server.requests}) == 1
    assert len(server.requests) == 3


def test_prompt_that_fills_the_context_is_a_context_error(policy_of: Any) -> None:
    reply = error(400, "This model's maximum context length is 8 tokens.")
    error_text = error_of(policy_of, [reply], ContextFullError, tries=2)
    assert "maximum context length is 8" in error_text


def test_token_limit_is_dropped_if_only_the_answer_does_not_fit(policy_of: Any) -> None:
    refusal = error(400, "This model's maximum context length is 90 tokens.")
    with ChatServer(after(refusal)) as server:
        act(policy_of(server, extra_body={"min_p": 0.1}))
    limits = [request.body["max_tokens"] for request in server.requests]
    assert limits == [512, None]  # no limit at all; a request that names none is cut after 16


@pytest.mark.parametrize(
    ("reply", "error_text"),
    [
        (error(404, "Not Found"), "no completions at http://127.0.0.1:"),
        (http(200, "<html>"), "the part before /completions, such as"),
        (error(400, "prompt must be a string"), "the server refuses the request: 400: prompt"),
    ],
    ids=["404", "a page", "no ids taken"],
)
def test_server_without_the_completions_endpoint_is_an_error(
    policy_of: Any, reply: bytes, error_text: str
) -> None:
    assert error_text in error_of(policy_of, [reply], UsageError, tries=1)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=8,
)
FIELDS = {
    "token_ids": st.lists(st.integers(0, 50_000), max_size=4) | JSON,
    "logprobs": st.fixed_dictionaries({"token_logprobs": st.lists(st.floats(-9, 0)) | JSON}) | JSON,
    "text": st.text() | JSON,
    "finish_reason": st.sampled_from(["stop", "length", "abort"]) | JSON,
}


@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(more=st.fixed_dictionaries({}, optional=FIELDS), tools=st.booleans())
def test_any_choice_is_a_valid_action_or_a_documented_error(
    harness: Any, more: dict[str, Any], tools: bool
) -> None:
    policy, server, runner = harness
    server.handler = answers(**more)
    try:
        action = runner.run(policy.act(HELLO, [LOOK] if tools else []))
    except (PolicyFailure, UsageError):
        return
    assert action.message in ActionSpace()
    assert len(action.token_ids) == len(action.logprobs)


@pytest.fixture
def harness(policy_of: Any) -> Iterator[Any]:
    with ChatServer([b""]) as server, asyncio.Runner() as runner:
        yield policy_of(server, retries=0), server, runner


# Whole episodes


def test_episode_of_several_turns_is_one_token_sequence(policy_of: Any, codec: Any) -> None:
    ids = [*codec.tokenizer("1")["input_ids"], codec.tokenizer.eos_token_id]
    with ChatServer(answers(ids, "1")) as server:
        run = textgym.rollout(
            "textgym/GuessNumber-v0",
            policy_of(server),
            episodes=3,
            env_kwargs={"level": 1},
            concurrency=1,
        )
    trajectories = list(run.trajectories())
    steps = [step for trajectory in trajectories for step in trajectory["steps"]]
    assert len(steps) > 3
    assert [step["prompt_ids"] for step in steps] == [r.body["prompt"] for r in server.requests]
    for trajectory in trajectories:
        assert trajectory["failure"] is None
        assert trajectory["splits"] == 0
        (tokens,) = token_sequences(trajectory["steps"])
        assert sum(tokens.loss_mask) == len(ids) * len(trajectory["steps"])


def test_dry_run_shows_the_rendered_prompt(folder: str, tmp_path: Path) -> None:
    asking = ["--policy", "openai:m@http://h/v1", "--policy-set", "tokens=true"]
    asking += ["--policy-set", f"tokenizer={folder}", "--dry-run"]
    done = run_command(tmp_path, "eval", "textgym/MCQA-v0", *asking)
    assert done.returncode == 0, done.stderr
    assert "<|im_start|>assistant" in done.stdout
    assert " tokens)" in done.stdout
