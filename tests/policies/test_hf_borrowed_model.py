"""The transformers policy over a model that somebody else holds, which it must leave as it was."""

from __future__ import annotations

import asyncio
import itertools
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.byte_tokenizer import make_byte_tokenizer
from textgym.errors import PolicyFailure
from textgym.messages import user

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from textgym.policies.hf import HFPolicy  # noqa: E402

pytestmark = pytest.mark.model

PROMPT = [user("Hello.")]
LIMIT = 900  # tokens of a message


class Watched:
    """A tiny model in training mode that never ends a message, and what it was asked."""

    def __init__(self) -> None:
        self.tokenizer = make_byte_tokenizer()
        torch.manual_seed(0)
        self.model = transformers.LlamaForCausalLM(
            transformers.LlamaConfig(
                vocab_size=len(self.tokenizer), hidden_size=16, intermediate_size=16,
                num_hidden_layers=1, num_attention_heads=2, max_position_embeddings=1024,
            )
        ).train()  # fmt: skip
        with torch.no_grad():
            self.model.lm_head.weight[self.tokenizer.eos_token_id] = 0
        self.config = self.model.generation_config
        self.passes = 0
        self.reached = threading.Event()
        self.before_pass: Callable[[], None] = lambda: None
        self.model.register_forward_pre_hook(self._count)

    def _count(self, *_: Any) -> None:
        self.passes += 1
        self.before_pass()
        if self.passes == 3:
            self.reached.set()
        if self.reached.is_set():
            time.sleep(0.005)  # there is time to cancel before the limit

    def policy(self, **settings: Any) -> HFPolicy:
        sampling = {"temperature": 0, "max_tokens": LIMIT, **settings}
        return HFPolicy.of(self.model, self.tokenizer, sampling)

    def is_as_it_was(self) -> bool:
        modes = [module.training for module in self.model.modules()]
        return all(modes) and self.model.generation_config is self.config


@pytest.fixture
def watched() -> Watched:
    return Watched()


async def reach_third_pass(watched: Watched) -> None:
    await asyncio.get_running_loop().run_in_executor(None, watched.reached.wait)


def test_a_cancelled_answer_ends_generation_before_it_is_left(watched: Watched) -> None:
    policy = watched.policy()

    async def cancel() -> None:
        answer = asyncio.create_task(policy.act(PROMPT, []))
        await reach_third_pass(watched)
        answer.cancel()
        await asyncio.wait([answer])
        assert watched.is_as_it_was()

    asyncio.run(cancel())
    assert watched.passes < LIMIT
    asyncio.run(policy.close())


def test_the_end_of_an_event_loop_ends_generation(watched: Watched) -> None:
    policy = watched.policy()

    async def leave() -> None:
        asyncio.get_running_loop().create_task(policy.act(PROMPT, []))
        await reach_third_pass(watched)

    asyncio.run(leave())
    assert watched.is_as_it_was()
    assert watched.passes < LIMIT
    asyncio.run(policy.close())


def test_a_cancelled_answer_does_not_end_the_others_of_its_batch(watched: Watched) -> None:
    policy = watched.policy(max_tokens=60)

    async def cancel_one() -> Any:
        leaving, staying = (asyncio.create_task(policy.act(PROMPT, [])) for _ in range(2))
        await reach_third_pass(watched)
        leaving.cancel()
        await asyncio.wait([leaving])
        return await staying

    assert len(asyncio.run(cancel_one()).token_ids) == 60
    assert watched.is_as_it_was()
    asyncio.run(policy.close())


def test_a_request_that_was_cancelled_while_it_waited_is_never_generated(watched: Watched) -> None:
    policy = watched.policy(max_tokens=4)

    async def cancel() -> None:
        answer = asyncio.create_task(policy.act(PROMPT, []))
        await asyncio.sleep(0)
        answer.cancel()
        await asyncio.wait([answer])
        await asyncio.sleep(0.01)

    asyncio.run(cancel())
    asyncio.run(policy.close())  # waits for the thread
    assert watched.passes == 0


def test_two_policies_over_one_model_take_turns(watched: Watched) -> None:
    policies = watched.policy(max_tokens=20), watched.policy(max_tokens=20)
    used: list[tuple[int, Any]] = []
    watched.before_pass = lambda: used.append(
        (threading.get_ident(), watched.model.generation_config)
    )

    async def both() -> None:
        await asyncio.gather(*(policy.act(PROMPT, []) for policy in policies))

    asyncio.run(both())
    threads = [thread for thread, _ in used]
    assert sum(one != other for one, other in itertools.pairwise(threads)) == 1
    assert len({(thread, id(config)) for thread, config in used}) == 2
    assert watched.is_as_it_was()
    for policy in policies:
        asyncio.run(policy.close())


@pytest.mark.parametrize("error", [SystemExit("stop"), MemoryError("full")], ids=["exit", "memory"])
def test_any_error_in_the_models_thread_fails_its_requests(
    watched: Watched, error: BaseException
) -> None:
    policy = watched.policy()

    def fail() -> None:
        raise error

    watched.before_pass = fail
    with pytest.raises(PolicyFailure, match=type(error).__name__):
        asyncio.run(asyncio.wait_for(policy.act(PROMPT, []), 60))
    assert watched.is_as_it_was()
    asyncio.run(policy.close())


def test_logits_that_are_not_numbers_are_a_failure(watched: Watched) -> None:
    policy = watched.policy(max_tokens=3, temperature=1.0)
    with torch.no_grad():
        watched.model.lm_head.weight.fill_(float("nan"))
    with pytest.raises(PolicyFailure, match="logits are not numbers"):
        asyncio.run(policy.act(PROMPT, []))
    asyncio.run(policy.close())


def test_a_closed_policy_fails_its_requests(watched: Watched) -> None:
    policy = watched.policy()
    asyncio.run(policy.close())
    with pytest.raises(PolicyFailure, match="shutdown"):
        asyncio.run(policy.act(PROMPT, []))
