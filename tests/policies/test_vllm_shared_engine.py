"""Several policies over one engine, which a stand-in for vLLM's shows without vLLM."""

from __future__ import annotations

import asyncio
import copy
import sys
from types import SimpleNamespace
from typing import Any

import pytest
from repository import EXAMPLES

from textgym.errors import UsageError
from textgym.messages import assistant, user
from textgym.policies import Action
from textgym.policies.vllm import VLLMPolicy

pytest.importorskip("torch")
pytest.importorskip("transformers")
sys.path.append(str(EXAMPLES))

import small_model

pytestmark = pytest.mark.model

ASKED = [user("Say one")]
STEPS = 3  # of a request


class Engine:
    """Answers each request in some steps, with as many tokens as it may have.

    Attributes:
        aborted: The ids of the requests that were aborted.
    """

    def __init__(self, tokenizer: Any) -> None:
        self.tokenizer, self.aborted = tokenizer, list[str]()
        self.model_config = SimpleNamespace(
            model="small",
            hf_config=SimpleNamespace(),
            max_model_len=64,
            try_get_generation_config=dict,
        )
        self._left: dict[str, tuple[int, int]] = {}  # steps and tokens by id

    def get_tokenizer(self) -> Any:
        return self.tokenizer

    def add_request(self, id: str, prompt: Any, params: Any, *, lora_request: Any) -> None:
        self._left[id] = (STEPS, params.max_tokens)

    def has_unfinished_requests(self) -> bool:
        return bool(self._left)

    def get_num_unfinished_requests(self) -> int:
        return len(self._left)

    def abort_request(self, ids: list[str]) -> None:
        self.aborted += [id for id in ids if self._left.pop(id, None)]

    def step(self) -> list[Any]:
        self._left = {id: (steps - 1, length) for id, (steps, length) in self._left.items()}
        done = [id for id, (steps, _) in self._left.items() if not steps]
        return [self._output(id, self._left.pop(id)[1]) for id in done]

    def _output(self, id: str, length: int) -> Any:
        (word,) = self.tokenizer.encode("one")
        completion = SimpleNamespace(
            finish_reason="length",
            text="one " * length,
            token_ids=[word] * length,
            logprobs=[{word: SimpleNamespace(logprob=-0.5)}] * length,
        )
        return SimpleNamespace(request_id=id, outputs=[completion])


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> Engine:
    def sampling_params(self: VLLMPolicy, room: int, seed: int | None) -> Any:
        return SimpleNamespace(max_tokens=self.sampling.max_tokens)

    monkeypatch.setattr(VLLMPolicy, "sampling_params", sampling_params)
    return Engine(small_model.make_tokenizer([[*ASKED, assistant("one two")]]))


def act(policy: VLLMPolicy) -> asyncio.Task[Action]:
    return asyncio.ensure_future(asyncio.wait_for(policy.act(ASKED, []), timeout=300))


async def until_it_runs(engine: Engine) -> None:
    while not engine.has_unfinished_requests():
        await asyncio.sleep(0)


def test_policies_over_one_engine_get_their_own_answers(engine: Engine) -> None:
    lengths = [2, 5]
    policies = [VLLMPolicy.of(engine, {"max_tokens": length}) for length in lengths]

    async def together() -> list[Action]:
        return await asyncio.gather(*[act(policy) for policy in policies * 3])

    answered = [len(action.token_ids or ()) for action in asyncio.run(together())]
    assert answered == lengths * 3


def test_policy_may_have_a_tokenizer_with_another_template(engine: Engine) -> None:
    longer = copy.copy(engine.tokenizer)
    longer.chat_template = "Say" + longer.chat_template
    policies = VLLMPolicy.of(engine), VLLMPolicy.of(engine, tokenizer=longer)
    lengths = [len(policy.codec.encode_prompt(ASKED, [], None).ids) for policy in policies]
    assert lengths[1] == lengths[0] + 1


def test_policy_may_be_made_while_requests_of_another_run(engine: Engine) -> None:
    async def play() -> tuple[Action, Action]:
        first = act(VLLMPolicy.of(engine, {"max_tokens": 2}))
        await until_it_runs(engine)
        return await act(VLLMPolicy.of(engine, {"max_tokens": 5})), await first

    second, first = asyncio.run(play())
    assert (len(second.token_ids or ()), len(first.token_ids or ())) == (5, 2)


def test_engine_with_requests_of_others_is_refused(engine: Engine) -> None:
    engine.add_request("another's", None, SimpleNamespace(max_tokens=1), lora_request=None)
    with pytest.raises(UsageError, match="requests that are not finished"):
        VLLMPolicy.of(engine)


def test_policy_that_is_cancelled_and_closed_leaves_the_requests_of_another(engine: Engine) -> None:
    leaving, staying = (VLLMPolicy.of(engine, {"max_tokens": length}) for length in (2, 5))

    async def play() -> Action:
        left, kept = act(leaving), act(staying)
        await until_it_runs(engine)
        left.cancel()
        with pytest.raises(asyncio.CancelledError):
            await left
        await leaving.close()
        return await kept

    assert len(asyncio.run(play()).token_ids or ()) == 5
    assert len(engine.aborted) == 1


def test_weights_are_not_loaded_while_requests_of_another_policy_run(engine: Engine) -> None:
    trained, other = VLLMPolicy.of(engine), VLLMPolicy.of(engine)

    async def play() -> None:
        asked = act(other)
        await until_it_runs(engine)
        with pytest.raises(UsageError, match="while requests are running"):
            await trained.load_weights([], "new")
        await asked

    asyncio.run(play())


def test_policies_in_two_event_loops_are_refused(engine: Engine) -> None:
    first, second = VLLMPolicy.of(engine), VLLMPolicy.of(engine)
    with asyncio.Runner() as runner:
        asked = runner.get_loop().create_task(first.act(ASKED, []))
        runner.run(until_it_runs(engine))
        with pytest.raises(UsageError, match="from two event loops at once"):
            asyncio.run(second.act(ASKED, []))
        assert len(runner.run(_result(asked)).token_ids or ()) > 0


async def _result(asked: asyncio.Task[Action]) -> Action:
    return await asked
