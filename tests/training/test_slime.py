"""The episode of test_doors through slime's custom generate function.

slime is not on a package index. Its protocol is written down here, field by field as slime 0.3.1
publishes it. Where slime can be imported, the same tests run with its own classes, and others with
its own rollout.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import sys
from argparse import Namespace
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from byte_tokenizer import make_byte_tokenizer  # noqa: E402
from test_doors import COMPONENTS, CUT, ENV, FEE, PAID, SAID, Scripted, expected, row_of  # noqa: E402

from textgym.errors import TrainingError, UsageError  # noqa: E402

try:
    import slime.rollout.sglang_rollout  # noqa: F401  # on the package index, slime is another project
except ImportError:
    HAS_SLIME = False
else:
    HAS_SLIME = True

pytestmark = [pytest.mark.model, pytest.mark.filterwarnings("ignore")]  # of slime

FILTER = "textgym.training.slime.keep_played"
URL = "http://127.0.0.1:30000/generate"
LENGTH = 4096
PARAMS = {"temperature": 1.0, "top_p": 1.0, "max_new_tokens": LENGTH, "no_stop_trim": True}


@dataclass
class Sample:
    """A sample of slime, as published."""

    class Status(Enum):
        """What became of a sample."""

        PENDING = "pending"
        COMPLETED = "completed"
        TRUNCATED = "truncated"
        ABORTED = "aborted"
        FAILED = "failed"

    index: int | None = None
    prompt: str = ""
    tokens: list[int] = field(default_factory=list)
    response: str = ""
    response_length: int = 0
    reward: float | None = None
    loss_mask: list[int] | None = None
    weight_versions: list[str] = field(default_factory=list)
    rollout_log_probs: list[float] | None = None
    remove_sample: bool = False
    status: Status = Status.PENDING
    metadata: dict[str, Any] = field(default_factory=dict)
    session_id: str | None = None


@dataclass
class DynamicFilterOutput:
    """The result of a filter of groups, as published."""

    keep: bool
    reason: str | None = None


def put_protocol_in_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put the protocol in the place of the package."""
    contents: dict[str, dict[str, Any]] = {
        "slime.rollout.filter_hub.base_types": {"DynamicFilterOutput": DynamicFilterOutput},
        "slime.rollout.sglang_rollout": {"GenerateState": None},
        "slime.utils.http_utils": {"post": None},
        "slime.utils.types": {"Sample": Sample},
    }
    for name in ("slime", "slime.rollout", "slime.rollout.filter_hub", "slime.utils"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    for name, values in contents.items():
        module = ModuleType(name)
        vars(module).update(values)
        monkeypatch.setitem(sys.modules, name, module)


@pytest.fixture
def door(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The adapter."""
    if not HAS_SLIME:
        put_protocol_in_place(monkeypatch)
    monkeypatch.delitem(sys.modules, "textgym.training.slime", raising=False)
    yield importlib.import_module("textgym.training.slime")
    sys.modules.pop("textgym.training.slime", None)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A model's folder, with a tokenizer and the ids at which messages end."""
    from transformers import GenerationConfig

    place, tokenizer = tmp_path_factory.mktemp("model"), make_byte_tokenizer()
    tokenizer.save_pretrained(place)
    GenerationConfig(eos_token_id=tokenizer.eos_token_id).save_pretrained(place)
    return str(place)


@pytest.fixture
def tokenizer() -> Any:
    return make_byte_tokenizer()


class Router:
    """Answers as SGLang's router does.

    Attributes:
        requests: The requests.
    """

    def __init__(self, tokenizer: Any, ending: str | None = None) -> None:
        self.scripted, self.ending, self.requests = Scripted(tokenizer), ending, list[Any]()

    async def post(self, url: str, payload: Any, headers: Any = None) -> dict[str, Any]:
        self.requests.append((url, payload, headers))
        limit = payload["sampling_params"]["max_new_tokens"]
        sampled = self.scripted.sample(payload["input_ids"])
        ids, is_cut = sampled.token_ids[:limit], len(sampled.token_ids) > limit
        ended = "stop" if sampled.is_finished and not is_cut else "length"
        return {
            "text": "",
            "meta_info": {
                "finish_reason": {"type": self.ending or ended},
                "weight_version": str(len(self.requests)),
                "output_token_logprobs": [
                    [logprob, token, None]
                    for token, logprob in zip(ids, sampled.logprobs, strict=False)
                ],
            },
        }


def arguments(folder: str, **changed: Any) -> Namespace:
    """Return the arguments of slime that an adapter reads."""
    values: dict[str, Any] = {
        "hf_checkpoint": folder,
        "sglang_router_ip": "127.0.0.1",
        "sglang_router_port": 30000,
        "rollout_top_p": 1.0,
        "use_rollout_routing_replay": False,
        "dynamic_sampling_filter_path": FILTER,
        **{
            f"{phase}_max_{part}_len": None
            for phase in ("rollout", "eval")
            for part in ("prompt", "context")
        },
    }
    return Namespace(**values | changed)


def play(
    door: Any,
    router: Router,
    args: Namespace,
    *,
    broken: bool = False,
    evaluation: bool = False,
    **params: Any,
) -> Any:
    sample = door.Sample(metadata={"textgym": row_of(broken=broken)}, session_id="one")
    door.post = router.post
    door.GenerateState = lambda args: SimpleNamespace(tokenizer=router.scripted.tokenizer)
    return asyncio.run(door.custom_generate(args, sample, PARAMS | params, evaluation=evaluation))


def test_sample_has_the_same_tokens_mask_and_reward(door: Any, folder: str, tokenizer: Any) -> None:
    row, router = expected(tokenizer), Router(tokenizer)
    sample = play(door, router, arguments(folder))
    assert sample.tokens == row.prompt_ids + row.completion_ids
    assert sample.response_length == len(row.completion_ids)
    assert sample.loss_mask == row.completion_mask
    assert sample.rollout_log_probs == row.logprobs
    assert sample.response == tokenizer.decode(row.completion_ids)
    assert sample.reward == sum(PAID)
    assert sample.status == door.Sample.Status.TRUNCATED  # one of its messages was cut
    assert not sample.remove_sample
    assert sample.metadata["figures"] == {"success": 1.0, **COMPONENTS}
    assert sample.weight_versions == ["1", "2", "3"]


def test_requests_continue_the_tokens_within_the_length(
    door: Any, folder: str, tokenizer: Any
) -> None:
    row, router = expected(tokenizer), Router(tokenizer)
    play(door, router, arguments(folder))
    end = len(row.prompt_ids) + LENGTH
    for url, request, headers in router.requests:
        assert (url, headers, request["return_logprob"]) == (
            URL,
            {"X-SMG-Routing-Key": "one"},
            True,
        )
        params = {**PARAMS, "max_new_tokens": end - len(request["input_ids"])}
        assert request["sampling_params"] == params


@pytest.mark.parametrize(("spared", "reward"), [(0, sum(PAID)), (1, sum(PAID)), (60, -FEE)])
def test_response_fits_its_length(
    door: Any, folder: str, tokenizer: Any, spared: int, reward: float
) -> None:
    row = expected(tokenizer)
    length = len(row.completion_ids) - spared
    sample = play(door, Router(tokenizer), arguments(folder), max_new_tokens=length)
    assert sample.response_length <= length
    assert len(sample.loss_mask) == len(sample.rollout_log_probs) == sample.response_length
    assert sample.tokens == (row.prompt_ids + row.completion_ids)[: len(sample.tokens)]
    assert sample.reward == reward


@pytest.mark.parametrize("filter_path", [FILTER, None], ids=str)
def test_aborted_request_is_left_to_slime(
    door: Any, folder: str, tokenizer: Any, filter_path: str | None
) -> None:
    router = Router(tokenizer, "abort")
    args = arguments(folder, dynamic_sampling_filter_path=filter_path)
    sample = play(door, router, args)
    assert (sample.status, sample.reward) == (door.Sample.Status.ABORTED, None)
    assert sample.remove_sample
    assert sample.tokens == []
    assert len(router.requests) == 1  # slime waits for the request, so it is not sent again


def test_sample_that_was_aborted_can_be_played(door: Any, folder: str, tokenizer: Any) -> None:
    args, row = arguments(folder), expected(tokenizer)
    sample = play(door, Router(tokenizer, "abort"), args)
    router = Router(tokenizer)
    door.post = router.post
    again = asyncio.run(door.custom_generate(args, sample, PARAMS))
    assert (again.reward, again.loss_mask) == (sum(PAID), row.completion_mask)
    assert not again.remove_sample


def test_group_of_a_failed_episode_is_dropped(door: Any, folder: str, tokenizer: Any) -> None:
    args = arguments(folder)
    played = play(door, Router(tokenizer), args)
    failed = play(door, Router(tokenizer), args, broken=True)
    assert (failed.status, failed.reward) == (door.Sample.Status.ABORTED, None)
    assert door.keep_played(args, [played, played]).keep
    dropped = door.keep_played(args, [played, failed])
    assert (dropped.keep, dropped.reason) == (False, "failed")


@pytest.mark.parametrize("case", [{"filter_path": None}, {"evaluation": True}], ids=str)
def test_failure_that_slime_cannot_leave_out_raises(
    door: Any, folder: str, tokenizer: Any, case: dict[str, Any]
) -> None:
    args = arguments(folder, dynamic_sampling_filter_path=case.get("filter_path", FILTER))
    evaluation = case.get("evaluation", False)
    with pytest.raises(TrainingError, match="the judge is down"):
        play(door, Router(tokenizer), args, broken=True, evaluation=evaluation)


@pytest.mark.parametrize("phase", ["rollout", "eval"])
@pytest.mark.parametrize("limit", ["prompt", "context"])
def test_prompt_that_does_not_fit_trains_nothing(
    door: Any, folder: str, tokenizer: Any, phase: str, limit: str
) -> None:
    router, args = Router(tokenizer), arguments(folder, **{f"{phase}_max_{limit}_len": 10})
    sample = play(door, router, args, evaluation=phase == "eval")
    assert (sample.loss_mask, sample.response_length, len(sample.tokens)) == ([0], 1, 2)
    assert (sample.reward, sample.status) == (0.0, door.Sample.Status.TRUNCATED)
    assert sample.remove_sample
    assert not router.requests


def test_split_episode_is_refused(door: Any, folder: str) -> None:
    rewriting = make_byte_tokenizer()
    rewriting.chat_template = rewriting.chat_template.replace(
        "{% if m.reasoning_content %}", "{% if m.reasoning_content and loop.last %}"
    )
    with pytest.raises(TrainingError, match="an episode has 2 token sequences: slime trains on 1"):
        play(door, Router(rewriting), arguments(folder))


@pytest.mark.parametrize(
    "setting", [{"rollout_top_p": 0.9}, {"use_rollout_routing_replay": True}], ids=str
)
def test_data_that_is_not_recorded_is_refused(
    door: Any, folder: str, tokenizer: Any, setting: dict[str, Any]
) -> None:
    args = arguments(folder, **setting)
    with pytest.raises(UsageError, match="textgym needs --rollout-top-p 1"):
        play(door, Router(tokenizer), args)
    sample = play(door, Router(tokenizer), args, evaluation=True)  # is not trained on
    assert sample.reward == sum(PAID)


def test_message_ends_at_the_stop_tokens(door: Any, folder: str, tokenizer: Any) -> None:
    router = Router(tokenizer)
    dot = tokenizer.encode(".")[0]

    async def post(url: str, payload: Any, headers: Any = None) -> dict[str, Any]:
        answer = await Router.post(router, url, payload, headers)
        pairs = answer["meta_info"]["output_token_logprobs"]
        pairs[-1][1] = dot if len(router.requests) != CUT + 1 else pairs[-1][1]
        return answer

    router.post = post  # type: ignore[method-assign]
    sample = play(door, router, arguments(folder), stop_token_ids=[dot])
    trained = zip(sample.tokens[-sample.response_length :], sample.loss_mask, strict=True)
    said = tokenizer.decode([id for id, is_trained in trained if is_trained])
    assert said == f"{SAID[0]}.{SAID[1]}{SAID[2]}."
    assert sample.reward == sum(PAID)


def test_data_set_is_read_by_slime(door: Any, tmp_path: Path) -> None:
    path = door.write_dataset(tmp_path / "tasks.jsonl", ENV, 2)
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert [row["metadata"]["textgym"]["task_index"] for row in rows] == [0, 1]
    assert {row["prompt"] for row in rows} == {"Which colour has the ball?"}
    if HAS_SLIME:
        from slime.utils.data import Dataset

        dataset = Dataset(str(path), None, None, None, prompt_key="prompt")
        assert [sample.metadata for sample in dataset.samples] == [row["metadata"] for row in rows]


@pytest.mark.skipif(not HAS_SLIME, reason="slime is not on the path: see docs/other-trainers.md")
def test_slimes_own_rollout_drops_the_group_of_a_failed_episode(
    monkeypatch: pytest.MonkeyPatch, folder: str, tokenizer: Any
) -> None:
    from slime.rollout import sglang_rollout
    from slime.rollout.filter_hub.base_types import call_dynamic_filter

    door = importlib.import_module("textgym.training.slime")

    class GroupRouter(Router):
        """Answers the episodes of a group at the same time."""

        async def post(self, url: str, payload: Any, headers: Any = None) -> dict[str, Any]:
            await asyncio.sleep(0)  # episodes interleave
            turn = tokenizer.decode(payload["input_ids"]).count("<|assistant|>") - 1
            self.scripted.prompts = [[]] * turn
            return await super().post(url, payload, headers)

    monkeypatch.setattr(door, "post", GroupRouter(tokenizer).post)
    args = arguments(
        folder,
        custom_generate_function_path="textgym.training.slime.custom_generate",
        partial_rollout=False,
        group_rm=False,
        rollout_temperature=1.0,
        rollout_top_k=-1,
        rollout_max_response_len=LENGTH,
        rollout_stop=None,
        rollout_stop_token_ids=None,
        rollout_skip_special_tokens=True,
        sglang_server_concurrency=8,
        sglang_dp_size=1,
        rollout_num_engines=1,
    )

    async def roll_out(*, broken: bool) -> Any:
        group = [door.Sample(metadata={"textgym": row_of(broken=broken)}) for _ in range(3)]
        params = sglang_rollout.GenerateState(args).sampling_params
        return await sglang_rollout.generate_and_rm_group(args, group, params)

    played = asyncio.run(roll_out(broken=False))
    assert [sample.reward for sample in played] == [sum(PAID)] * 3
    for sample in played:
        sample._validate_response_metadata_lengths()
    assert call_dynamic_filter(door.keep_played, args, played).keep
    failed = asyncio.run(roll_out(broken=True))
    assert not call_dynamic_filter(door.keep_played, args, failed).keep
