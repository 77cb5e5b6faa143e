"""The episode of test_doors through AReaL's workflow: with the package, and with its protocol.

The protocol is written down here, field by field as AReaL 1.0.4 publishes it.
"""

from __future__ import annotations

import asyncio
import importlib
import logging
import sys
from dataclasses import asdict, dataclass, field
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from byte_tokenizer import make_byte_tokenizer  # noqa: E402
from test_doors import COMPONENTS, PAID, Scripted, expected, row_of  # noqa: E402

from textgym.errors import TrainingError  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")  # AReaL's own

PER_TOKEN = ("input_ids", "loss_mask", "logprobs", "versions", "attention_mask")


@dataclass
class GenerationHyperparameters:
    """How tokens are sampled, as published."""

    n_samples: int = 1
    max_new_tokens: int = 16384
    max_tokens: int = 32768
    stop_token_ids: list[int] = field(default_factory=list)

    def new(self, **kwargs: Any) -> GenerationHyperparameters:
        return GenerationHyperparameters(**{**asdict(self), **kwargs})

    def new_with_stop_and_pad_token_ids(self, tokenizer: Any) -> GenerationHyperparameters:
        ids = [*self.stop_token_ids, tokenizer.pad_token_id, tokenizer.eos_token_id]
        return self.new(stop_token_ids=ids)


@dataclass
class ModelRequest:
    """What the engine is asked, as published."""

    rid: str = ""
    input_ids: list[int] = field(default_factory=list)
    gconfig: GenerationHyperparameters = field(default_factory=GenerationHyperparameters)
    metadata: dict[str, Any] = field(default_factory=dict)
    tokenizer: Any = None


class Scope:
    """Stands for a tracker of statistics.

    Attributes:
        logged: What was logged.
    """

    logged: dict[str, float]

    def scalar(self, **values: float) -> None:
        type(self).logged = values


def stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put the protocol in the place of the package."""
    contents: dict[str, dict[str, Any]] = {
        "areal": {"workflow_context": SimpleNamespace(stat_scope=lambda: "rollout")},
        "areal.api": {
            "InferenceEngine": object,
            "ModelRequest": ModelRequest,
            "RolloutWorkflow": object,
        },
        "areal.api.cli_args": {"GenerationHyperparameters": GenerationHyperparameters},
        "areal.utils": {"stats_tracker": SimpleNamespace(get=lambda scope: Scope())},
        "areal.utils.hf_utils": {"load_hf_tokenizer": lambda path: make_byte_tokenizer()},
    }
    for name, values in contents.items():
        module = ModuleType(name)
        vars(module).update(values)
        monkeypatch.setitem(sys.modules, name, module)


@pytest.fixture(
    params=[
        pytest.param("protocol", marks=pytest.mark.model),
        pytest.param("package", marks=pytest.mark.trainers),
    ]
)
def door(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The adapter."""
    if request.param == "protocol":
        stand_in(monkeypatch)
    else:
        pytest.importorskip("areal", reason="not installed: make test-trainers")
    monkeypatch.delitem(sys.modules, "textgym.training.areal", raising=False)
    yield importlib.import_module("textgym.training.areal")
    sys.modules.pop("textgym.training.areal", None)


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    return make_byte_tokenizer()


class Engine:
    """Answers as AReaL's engine does; the weights change in the middle of each message.

    Attributes:
        requests: The requests.
        said: The sampled ids and their versions.
    """

    def __init__(self, tokenizer: Any, stop_reason: str | None = None) -> None:
        self.scripted, self.stop_reason = Scripted(tokenizer), stop_reason
        self.requests, self.said = list[Any](), list[tuple[int, int]]()

    async def agenerate(self, request: Any) -> Any:
        sampled = self.scripted.sample(request.input_ids)
        count = len(sampled.token_ids)
        versions = [len(self.requests) + (place > count // 2) for place in range(count)]
        self.requests.append(request)
        self.said += zip(sampled.token_ids, versions, strict=True)
        return SimpleNamespace(
            input_tokens=list(request.input_ids),
            output_tokens=list(sampled.token_ids),
            output_logprobs=list(sampled.logprobs),
            output_versions=versions,
            stop_reason=self.stop_reason or ("stop" if sampled.is_finished else "length"),
        )


def play(door: Any, engine: Any, tokenizer: Any, row: Any = None, **limits: Any) -> Any:
    gconfig = door.GenerationHyperparameters(n_samples=4, **limits)
    workflow = door.TextgymWorkflow(gconfig, tokenizer)
    return asyncio.run(workflow.arun_episode(engine, row or row_of()))


def test_tensors_have_the_same_tokens_mask_and_reward(door: Any, tokenizer: Any) -> None:
    row, engine = expected(tokenizer), Engine(tokenizer)
    tensors = play(door, engine, tokenizer)
    count = len(row.prompt_ids + row.completion_ids)
    assert {name: tuple(value.shape) for name, value in tensors.items()} == {
        **dict.fromkeys(PER_TOKEN, (1, count)),
        "rewards": (1,),
    }
    ids, mask, logprobs, versions, attention = (tensors[name][0].tolist() for name in PER_TOKEN)
    zeros = [0] * len(row.prompt_ids)
    assert ids == row.prompt_ids + row.completion_ids
    assert mask == zeros + row.completion_mask
    assert logprobs == pytest.approx(zeros + row.logprobs)
    assert attention == [True] * count
    assert tensors["rewards"].tolist() == [sum(PAID)]
    sampled = [
        pair for pair, trained in zip(zip(ids, versions, strict=True), mask, strict=True) if trained
    ]
    assert sampled == engine.said
    assert {version for version, trained in zip(versions, mask, strict=True) if not trained} == {-1}


def test_requests_have_a_server_and_the_limits(door: Any, tokenizer: Any) -> None:
    row, engine = expected(tokenizer), Engine(tokenizer)
    room = len(row.prompt_ids) + len(row.completion_ids) + 5
    play(door, engine, tokenizer, max_new_tokens=200, max_tokens=room)
    assert len({request.rid for request in engine.requests}) == 1
    for request in engine.requests:
        limit = min(200, room - len(request.input_ids))
        assert (request.gconfig.n_samples, request.gconfig.max_new_tokens) == (1, limit)
        assert tokenizer.eos_token_id in request.gconfig.stop_token_ids


def test_figures_are_logged(door: Any, tokenizer: Any) -> None:
    play(door, Engine(tokenizer), tokenizer)
    figures = {f"reward/{name}": value for name, value in COMPONENTS.items()}
    shown = {"reward": sum(PAID), "success": 1.0, **figures}
    if hasattr(Scope, "logged"):
        assert Scope.logged == shown
        del Scope.logged
    else:
        logged = importlib.import_module("areal.utils.stats_tracker").get("rollout").export()
        assert {name: logged[f"rollout/{name}"] for name in shown} == shown


class Refused(Engine):
    """Gives more tokens than it may the first time, with a version that is used nowhere."""

    async def agenerate(self, request: Any) -> Any:
        if not self.requests:
            self.requests.append(request)
            count = len(request.input_ids) + 400
            return SimpleNamespace(
                output_tokens=[7] * count,
                output_logprobs=[-1.0] * count,
                output_versions=[99] * count,
                stop_reason="length",
            )
        return await super().agenerate(request)


def test_versions_are_of_the_answers_that_were_used(door: Any, tokenizer: Any) -> None:
    engine = Refused(tokenizer)
    tensors = play(door, engine, tokenizer, max_new_tokens=300)
    versions, mask = tensors["versions"][0].tolist(), tensors["loss_mask"][0].tolist()
    sampled = [version for version, trained in zip(versions, mask, strict=True) if trained]
    assert sampled == [version for _, version in engine.said]
    assert 99 not in versions


def test_aborted_request_is_no_reward(door: Any, tokenizer: Any) -> None:
    engine = Engine(tokenizer, "abort")
    with pytest.raises(TrainingError, match="AReaL aborted the request"):
        play(door, engine, tokenizer)


def test_failure_is_no_reward(door: Any, tokenizer: Any) -> None:
    with pytest.raises(TrainingError, match="the judge is down"):
        play(door, Engine(tokenizer), tokenizer, row_of(broken=True))


def test_prompt_over_the_context_is_left_out(door: Any, tokenizer: Any) -> None:
    engine = Engine(tokenizer)
    with pytest.raises(TrainingError, match="an episode has 0 token sequences"):
        play(door, engine, tokenizer, max_tokens=10)
    assert not engine.requests


def test_split_episode_is_left_out(door: Any) -> None:
    rewriting = make_byte_tokenizer()
    rewriting.chat_template = rewriting.chat_template.replace(
        "{% if m.reasoning_content %}", "{% if m.reasoning_content and loop.last %}"
    )
    with pytest.raises(TrainingError, match="an episode has 2 token sequences: AReaL trains on 1"):
        play(door, Engine(rewriting), rewriting)


def test_tokenizer_may_be_a_path(door: Any, tokenizer: Any, tmp_path: Any) -> None:
    tokenizer.save_pretrained(tmp_path)
    tensors = play(door, Engine(tokenizer), str(tmp_path))
    assert tensors["rewards"].tolist() == [sum(PAID)]


class GroupEngine(Engine):
    """Answers the episodes of a group at the same time."""

    async def agenerate(self, request: Any) -> Any:
        await asyncio.sleep(0)  # episodes interleave
        turn = self.scripted.tokenizer.decode(request.input_ids).count("<|assistant|>") - 1
        self.scripted.prompts = [[]] * turn
        return await super().agenerate(request)


def areal_group(tokenizer: Any) -> Any:
    """Return the workflow of a group of three episodes, as AReaL makes it."""
    pytest.importorskip("areal", reason="not installed: make test-trainers")
    from areal.api.cli_args import GenerationHyperparameters
    from areal.infra.remote_inf_engine import GroupedRolloutWorkflow

    from textgym.training.areal import TextgymWorkflow

    workflow = TextgymWorkflow(GenerationHyperparameters(), tokenizer)
    return GroupedRolloutWorkflow(workflow, 3, logging.getLogger("test"))


@pytest.mark.trainers
def test_group_has_the_format_that_areal_checks(tokenizer: Any) -> None:
    group = areal_group(tokenizer)
    from areal.infra.workflow_executor import check_trajectory_format

    tensors = asyncio.run(group.arun_episode(GroupEngine(tokenizer), row_of()))
    assert check_trajectory_format(tensors, batch_size=3)
    assert tensors["rewards"].tolist() == [sum(PAID)] * 3
    assert len(set(map(tuple, tensors["input_ids"].tolist()))) == 1


@pytest.mark.trainers
def test_areal_leaves_out_the_group_of_a_failed_episode(tokenizer: Any) -> None:
    group = areal_group(tokenizer)
    from areal.api.cli_args import InferenceEngineConfig
    from areal.infra.workflow_executor import WorkflowExecutor

    config = InferenceEngineConfig(
        experiment_name="test", trial_name="test", max_concurrent_rollouts=2, consumer_batch_size=2
    )
    engine = GroupEngine(tokenizer)
    engine.get_version = lambda: 0  # type: ignore[attr-defined]
    executor = WorkflowExecutor(config, engine)
    executor.initialize(train_data_parallel_size=1)
    try:
        rows = [row_of(broken=True), row_of()]
        (played,) = executor.rollout_batch(rows, workflow=group)
    finally:
        executor.destroy()
    assert played["rewards"].tolist() == [sum(PAID)] * 3
