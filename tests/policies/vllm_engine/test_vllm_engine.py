"""The policy `vllm:MODEL`: vLLM's engine in this process, on the CPU with SmolLM2-135M.

They run where vLLM is installed, which `make test-vllm` sees to. The engine is made once.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import textgym
from textgym.errors import ContextFullError, PolicyFailure, UnknownNameError, UsageError
from textgym.messages import Message, assistant, user
from textgym.policies import Action, Sampling, make_policy
from textgym.trajectories.tokens import token_sequences

pytestmark = [
    pytest.mark.vllm,
    pytest.mark.skipif(
        importlib.util.find_spec("vllm") is None, reason="vLLM is not installed: make test-vllm"
    ),
    pytest.mark.filterwarnings("default"),  # vLLM's own
]

CONTEXT = 512
SETTINGS = {"max_tokens": 8, "temperature": 0}
HELLO = [user("Say hello.")]
ENDING = [*[user("Say yes."), assistant("Yes.")] * 3, user("Say yes.")]

Set = Callable[..., Any]


@pytest.fixture(scope="module")
def policy(model_folder: Path) -> Iterator[Any]:
    """The model, with greedy answers of at most 8 tokens."""
    os.environ.setdefault("VLLM_CPU_KVCACHE_SPACE", "1")
    policy = make_policy(f"vllm:{model_folder}", SETTINGS, {"engine": {"max_model_len": CONTEXT}})
    yield policy
    asyncio.run(policy.close())


@pytest.fixture
def sampled(policy: Any, monkeypatch: pytest.MonkeyPatch) -> Set:
    """A function that changes the sampling for one test."""

    def change(**settings: Any) -> Any:
        monkeypatch.setattr(policy, "sampling", replace(policy.sampling, **settings))
        return policy

    return change


def ask(policy: Any, *conversations: list[Message], seeds: Any = None) -> list[Action]:
    """Call the policy with all prompts at once; return the actions."""

    async def together() -> list[Action]:
        given = seeds or [None] * len(conversations)
        asked = [
            policy.act(messages, [], seed=seed)
            for messages, seed in zip(conversations, given, strict=True)
        ]
        return await asyncio.gather(*asked)

    return asyncio.run(together())


def logprobs_of(model_folder: Path, ids: list[int]) -> list[float]:
    """Return the log probability of each id but the first, by transformers in float32."""
    import torch
    from transformers import AutoModelForCausalLM

    model = AutoModelForCausalLM.from_pretrained(model_folder, dtype=torch.float32).eval()
    with torch.inference_mode():
        scores = torch.log_softmax(model(torch.tensor([ids])).logits[0].float(), dim=-1)
    return [float(scores[place, token]) for place, token in enumerate(ids[1:])]


# Answers


def test_action_has_its_tokens(policy: Any) -> None:
    (action,) = ask(policy, HELLO)
    assert action.finish_reason == "length"
    assert action.usage == {"prompt_tokens": len(action.prompt_ids or ()), "completion_tokens": 8}
    assert len(action.token_ids or ()) == len(action.logprobs or ()) == 8
    assert action.message == assistant(policy.tokenizer.decode(action.token_ids))


def test_finished_message_keeps_its_eos_token(policy: Any) -> None:
    (action,) = ask(policy, ENDING)
    assert (action.finish_reason, action.message) == ("stop", assistant("Yes."))
    assert (action.token_ids or [])[-1] == policy.tokenizer.eos_token_id
    assert len(action.logprobs or ()) == len(action.token_ids or ())


def test_concurrent_answers_equal_single_ones(policy: Any) -> None:
    together = ask(policy, HELLO, ENDING)
    for action, messages in zip(together, (HELLO, ENDING), strict=True):
        assert ask(policy, messages)[0].token_ids == action.token_ids


def test_seed_repeats_an_answer_and_other_seeds_differ(sampled: Set) -> None:
    policy = sampled(temperature=1.0)
    seeds = [1, 2, 3, 2**63 + 1]
    first = [action.token_ids for action in ask(policy, *[HELLO] * 4, seeds=seeds)]
    again = [action.token_ids for action in ask(policy, *[HELLO] * 4, seeds=seeds)]
    assert first == again
    assert first[3] == first[0]  # the lowest 63 bits
    assert len({tuple(ids or ()) for ids in first}) == 3


def test_stop_string_ends_a_message_and_keeps_its_tokens(sampled: Set) -> None:
    (plain,) = ask(sampled(), HELLO)
    stop = str(plain.message["content"]).split()[2]
    (action,) = ask(sampled(stop=(stop,)), HELLO)
    text = str(plain.message["content"])
    assert (action.finish_reason, action.message) == ("stop", assistant(text[: text.index(stop)]))
    ids = action.token_ids or []
    assert ids == (plain.token_ids or [])[: len(ids)]
    assert stop in sampled().tokenizer.decode(ids)


@pytest.mark.parametrize("narrow", [{"top_k": 1}, {"top_p": 1e-6}, {"min_p": 1.0}], ids=str)
def test_narrowest_sampling_is_greedy(sampled: Set, narrow: dict[str, Any]) -> None:
    (greedy,) = ask(sampled(), HELLO)
    (narrowed,) = ask(sampled(temperature=1.0, **narrow), HELLO, seeds=[5])
    assert narrowed.token_ids == greedy.token_ids


def test_too_long_prompt_does_not_affect_other_requests(policy: Any) -> None:
    async def both() -> Any:
        asked = [policy.act([user("word " * CONTEXT)], []), policy.act(HELLO, [])]
        return await asyncio.gather(*asked, return_exceptions=True)

    refused, answered = asyncio.run(both())
    assert isinstance(refused, ContextFullError)
    assert isinstance(answered, Action)


def test_message_ends_at_the_context_limit(sampled: Set) -> None:
    policy = sampled(max_tokens=4 * CONTEXT)
    (action,) = ask(policy, [user("word " * (CONTEXT - 60))])
    assert len(action.prompt_ids or ()) + len(action.token_ids or ()) <= CONTEXT
    assert action.finish_reason in ("length", "stop")


# Exact tokens


def test_log_probabilities_are_the_models_own(sampled: Set, model_folder: Path) -> None:
    (action,) = ask(sampled(temperature=0.7, top_k=20), HELLO, seeds=[3])
    ids = (action.prompt_ids or []) + (action.token_ids or [])
    own = logprobs_of(model_folder, ids)[-len(action.token_ids or ()) :]
    assert action.logprobs == pytest.approx(own, abs=1e-3)


def test_episode_of_several_turns_is_one_token_sequence(sampled: Set, model_folder: Path) -> None:
    policy = sampled(temperature=1.0)
    seen: list[list[int]] = []
    add_request = policy.engine.add_request

    def watched(id: str, prompt: Any, *args: Any, **kwargs: Any) -> Any:
        seen.append(list(prompt["prompt_token_ids"]))
        return add_request(id, prompt, *args, **kwargs)

    policy.engine.add_request = watched
    try:
        run = textgym.rollout(
            "textgym/GuessNumber-v0", policy, episodes=1, env_kwargs={"level": 1}, seed=1
        )
    finally:
        policy.engine.add_request = add_request
    (trajectory,) = run.trajectories()
    steps = trajectory["steps"]
    assert trajectory["failure"] is None
    assert trajectory["splits"] == 0
    assert len(steps) > 1
    assert [step["prompt_ids"] for step in steps] == seen
    (tokens,) = token_sequences(steps)
    own = [0.0, *logprobs_of(model_folder, tokens.ids)]
    masked = [value * mask for value, mask in zip(own, tokens.loss_mask, strict=True)]
    assert tokens.logprobs == pytest.approx(masked, abs=1e-3)


# The engine


def test_many_episodes_share_the_engine(sampled: Set) -> None:
    policy = sampled(temperature=1.0)
    most = 0
    step = policy.engine.step

    def counted() -> Any:
        nonlocal most
        most = max(most, policy.engine.get_num_unfinished_requests())
        return step()

    policy.engine.step = counted
    try:
        run = textgym.rollout("textgym/GuessNumber-v0", policy, episodes=8, concurrency=4)
    finally:
        policy.engine.step = step
    assert run.metrics["overall"]["failures"] == 0
    assert most == 4


def test_prompt_of_repeats_is_computed_once(sampled: Set) -> None:
    policy = sampled(temperature=1.0)
    block = policy.engine.vllm_config.cache_config.block_size
    policy.engine.reset_prefix_cache()
    computed: list[tuple[int, int]] = []  # of each answer, its prompt's tokens and those cached
    step = policy.engine.step

    def watched() -> Any:
        outputs = step()
        computed.extend((len(it.prompt_token_ids), it.num_cached_tokens) for it in outputs)
        return outputs

    policy.engine.step = watched
    try:
        run = textgym.rollout(
            "textgym/MCQA-v0",
            policy,
            episodes=2,
            repeats=4,
            env_kwargs={"split": "test", "level": 1, "shots": 2},
        )
    finally:
        policy.engine.step = step
    assert run.metrics["overall"]["failures"] == 0
    assert len(computed) == 8
    whole = [(length - 1) // block * block for length, _ in computed]
    assert min(whole) > 0
    hits = [cached == most for (_, cached), most in zip(computed, whole, strict=True)]
    assert hits.count(True) >= 6  # all but the first of each task
    batch = run.to_batch()
    assert batch.loss_mask.sum() == run.metrics["overall"]["completion_tokens"]
    assert batch.groups.tolist() == [0, 0, 0, 0, 1, 1, 1, 1]


def test_cancelled_request_is_aborted(policy: Any) -> None:
    async def cancelled() -> None:
        asked = asyncio.ensure_future(policy.act(HELLO, []))
        for _ in range(3):
            await asyncio.sleep(0)
        asked.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked

    asyncio.run(cancelled())
    assert policy.engine.get_num_unfinished_requests() == 0
    assert len(ask(policy, HELLO)) == 1


def test_failed_step_fails_only_the_waiting_requests(
    policy: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails() -> Any:
        raise RuntimeError("out of memory")

    async def both() -> Any:
        asked = [policy.act(HELLO, []), policy.act(ENDING, [])]
        return await asyncio.gather(*asked, return_exceptions=True)

    with monkeypatch.context() as patched:
        patched.setattr(policy.engine, "step", fails)
        outcomes = asyncio.run(both())
    assert all(isinstance(outcome, PolicyFailure) for outcome in outcomes)
    assert "RuntimeError: out of memory" in str(outcomes[0])
    assert policy.engine.get_num_unfinished_requests() == 0
    assert len(ask(policy, HELLO, ENDING)) == 2


def test_actions_have_the_version_of_the_loaded_weights(policy: Any, model_folder: Path) -> None:
    from safetensors.torch import load_file

    weights = load_file(model_folder / "model.safetensors")
    weights.setdefault("lm_head.weight", weights["model.embed_tokens.weight"])
    (before,) = ask(policy, HELLO)
    halved = {name: weight * 0.5 for name, weight in weights.items()}
    asyncio.run(policy.load_weights(halved.items(), "halved"))
    (other,) = ask(policy, HELLO)
    asyncio.run(policy.load_weights(weights.items(), "again"))
    (after,) = ask(policy, HELLO)
    assert (before.policy_version, other.policy_version) == (None, "halved")
    assert other.logprobs != pytest.approx(before.logprobs, abs=1e-2)
    assert after.policy_version == "again"
    assert after.token_ids == before.token_ids
    assert after.logprobs == pytest.approx(before.logprobs, abs=1e-4)


def test_an_engine_that_the_caller_holds_is_used_and_not_closed(policy: Any) -> None:
    from textgym.policies.vllm import VLLMPolicy

    (expected,) = ask(policy, HELLO)
    for holder in (policy.engine, SimpleNamespace(llm_engine=policy.engine)):  # LLMEngine, LLM
        held = VLLMPolicy.of(holder, SETTINGS)
        held.version = "step 3"
        (action,) = ask(held, HELLO)
        asyncio.run(held.close())
        assert action.token_ids == expected.token_ids
        assert action.logprobs == pytest.approx(expected.logprobs, abs=1e-4)
        assert action.policy_version == "step 3"
    assert ask(policy, HELLO)[0].token_ids == expected.token_ids
    assert held.name.startswith("vllm:")


def test_policies_over_one_engine_answer_at_once(policy: Any) -> None:
    from textgym.policies.vllm import VLLMPolicy

    short = VLLMPolicy.of(policy.engine, {**SETTINGS, "max_tokens": 3})
    asked = [(policy, HELLO), (short, HELLO), (policy, ENDING), (short, ENDING)]
    expected = [ask(one, messages)[0] for one, messages in asked]

    async def together() -> list[Action]:
        acts = [one.act(messages, []) for one, messages in asked]
        return await asyncio.wait_for(asyncio.gather(*acts), timeout=120)

    for action, single in zip(asyncio.run(together()), expected, strict=True):
        assert action.token_ids == single.token_ids
        assert action.logprobs == pytest.approx(single.logprobs, abs=1e-4)
    assert [len(action.token_ids or ()) for action in expected[:2]] == [8, 3]


def test_policy_that_leaves_aborts_only_its_own_requests(policy: Any) -> None:
    from textgym.policies.vllm import VLLMPolicy

    (expected,) = ask(policy, HELLO)
    leaving, staying = (VLLMPolicy.of(policy.engine, SETTINGS) for _ in range(2))

    async def play() -> Action:
        left, kept = (asyncio.ensure_future(one.act(HELLO, [])) for one in (leaving, staying))
        for _ in range(3):
            await asyncio.sleep(0)
        left.cancel()
        with pytest.raises(asyncio.CancelledError):
            await left
        await leaving.close()
        assert policy.engine.get_num_unfinished_requests() == 1
        return await kept

    assert asyncio.run(play()).token_ids == expected.token_ids


def test_what_is_no_engine_or_is_busy_is_refused(policy: Any) -> None:
    from textgym.policies.vllm import VLLMPolicy

    with pytest.raises(UsageError, match="needs vLLM's LLM or LLMEngine, not str"):
        VLLMPolicy.of("smollm2")
    policy.engine.add_request(
        "another's", {"prompt_token_ids": [1, 2]}, policy.sampling_params(4, None)
    )
    try:
        with pytest.raises(UsageError, match="requests that are not finished"):
            VLLMPolicy.of(policy.engine)
    finally:
        policy.engine.abort_request(["another's"])


def test_aborted_answer_is_a_policy_failure(policy: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    step = policy.engine.step

    def broken() -> Any:
        outputs = step()
        for output in outputs:
            output.outputs[0].finish_reason = "abort"
            output.outputs[0].logprobs = None
        return outputs

    monkeypatch.setattr(policy.engine, "step", broken)
    with pytest.raises(PolicyFailure, match="the engine stopped with 'abort'"):
        ask(policy, HELLO)


def test_failed_load_changes_the_version(
    policy: Any, model_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*given: Any, **named: Any) -> Any:
        raise RuntimeError("a tensor is missing")

    monkeypatch.setattr(policy, "version", "before")
    with monkeypatch.context() as patched:
        patched.setattr(policy.engine, "collective_rpc", fails)
        with pytest.raises(RuntimeError, match="a tensor is missing"):
            asyncio.run(policy.load_weights([], "after"))
    assert ask(policy, HELLO)[0].policy_version == "after, loaded in part"


def test_weights_are_not_loaded_if_the_prefix_cache_is_not_emptied(
    policy: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(policy, "version", "before")
    with monkeypatch.context() as patched:
        patched.setattr(policy.engine, "reset_prefix_cache", lambda: False)
        with pytest.raises(PolicyFailure, match="did not empty its prefix cache"):
            asyncio.run(policy.load_weights([], "after"))
    assert policy.version == "before"


def test_two_concurrent_event_loops_are_refused(
    policy: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    stepping, go = threading.Event(), threading.Event()
    step = policy.engine.step

    def slow() -> Any:
        stepping.set()
        assert go.wait(60)
        return step()

    monkeypatch.setattr(policy.engine, "step", slow)
    with ThreadPoolExecutor(1) as other:
        first = other.submit(ask, policy, HELLO)
        assert stepping.wait(60)
        try:
            with pytest.raises(UsageError, match="from two event loops at once"):
                ask(policy, ENDING)
        finally:
            go.set()
        assert len(first.result(60)) == 1
    assert ask(policy, ENDING)[0].message == assistant("Yes.")


def test_requests_of_a_closed_event_loop_are_aborted(policy: Any) -> None:
    loop = asyncio.new_event_loop()
    left = loop.create_task(policy.act(HELLO, []))
    loop.run_until_complete(asyncio.sleep(0))
    loop.close()
    assert policy.engine.get_num_unfinished_requests() == 1
    assert ask(policy, ENDING)[0].message == assistant("Yes.")
    assert policy.engine.get_num_unfinished_requests() == 0
    assert not left.done()


def test_refused_request_fails_only_itself(policy: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(*given: Any, **named: Any) -> Any:
        raise ValueError("no such token")

    with monkeypatch.context() as patched:
        patched.setattr(policy.engine, "add_request", refuses)
        with pytest.raises(PolicyFailure, match="ValueError: no such token"):
            ask(policy, HELLO)
    assert len(ask(policy, HELLO)) == 1


def test_weights_are_not_loaded_while_a_request_runs(policy: Any) -> None:
    async def during() -> None:
        asked = asyncio.ensure_future(policy.act(HELLO, []))
        await asyncio.sleep(0)
        with pytest.raises(UsageError, match="while requests are running"):
            await policy.load_weights([], "new")
        await asked

    asyncio.run(during())


@pytest.mark.parametrize(
    ("model", "options", "error", "said"),
    [
        ("", {}, UsageError, "needs a local folder"),
        ("/no/such/folder", {}, UnknownNameError, "no model folder '/no/such/folder'"),
        (None, {"engine": {"no_such": 1}}, UsageError, "does not accept these engine arguments"),
        (None, {"engine": {"max_model_len": 10**9}}, UnknownNameError, "cannot be loaded"),
    ],
    ids=["none", "folder", "argument", "value"],
)
def test_invalid_arguments_are_errors_of_one_line(
    model_folder: Path, model: str | None, options: Any, error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said) as raised:
        make_policy(f"vllm:{model_folder if model is None else model}", SETTINGS, options)
    assert "\n" not in str(raised.value)


def test_sampling_settings_are_read(policy: Any) -> None:
    assert policy.sampling == Sampling.read(SETTINGS)


# A LoRA adapter: last, because it needs another engine


def test_lora_adapter_changes_the_answers(policy: Any, model_folder: Path, tmp_path: Path) -> None:
    save_adapter(model_folder, tmp_path)
    engine = {"max_model_len": CONTEXT}
    adapted = make_policy(
        f"vllm:{model_folder}", SETTINGS, {"lora": str(tmp_path), "engine": engine}
    )
    try:
        (bare,), (other,) = ask(policy, HELLO), ask(adapted, HELLO)
    finally:
        asyncio.run(adapted.close())
    assert bare.prompt_ids == other.prompt_ids
    assert other.logprobs != pytest.approx(bare.logprobs, abs=1e-2)


def save_adapter(model_folder: Path, place: Path) -> None:
    """Save a LoRA adapter of random weights for the queries of the first layer."""
    import torch
    from safetensors.torch import save_file

    width = json.loads((model_folder / "config.json").read_text())["hidden_size"]
    name = "base_model.model.model.layers.0.self_attn.q_proj.lora_{}.weight"
    torch.manual_seed(0)
    shapes = {"A": (8, width), "B": (width, 8)}
    save_file(
        {name.format(part): torch.randn(shape) for part, shape in shapes.items()},
        place / "adapter_model.safetensors",
    )
    config = {
        "peft_type": "LORA", "r": 8, "lora_alpha": 16, "target_modules": ["q_proj"],
        "bias": "none", "task_type": "CAUSAL_LM",
    }  # fmt: skip
    (place / "adapter_config.json").write_text(json.dumps(config))
