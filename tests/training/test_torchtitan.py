"""The episode of test_doors through torchtitan's message environment, whose protocol is here.

torchtitan's package imports vLLM and its own engine, so the classes stand in for it.
"""

from __future__ import annotations

import asyncio
import importlib
import sys
from dataclasses import dataclass, field
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

from byte_tokenizer import make_byte_tokenizer
from test_doors import SAID, expected, row_of

from textgym.errors import EnvironmentFailure

pytestmark = pytest.mark.model


class Configurable:
    """A class whose `Config` builds it."""

    @dataclass(kw_only=True)
    class Config:
        """Its settings."""

        weight: float = 1.0

    def __init__(self, config: Any) -> None:
        self.weight = config.weight


@dataclass(kw_only=True)
class InitOutput:
    """What begins a rollout."""

    init_prompt_messages: list[Any]
    tools: list[Any] = field(default_factory=list)


@dataclass(kw_only=True)
class StepOutput:
    """What answers a message."""

    env_messages: list[Any] = field(default_factory=list)
    done: bool = False
    env_rewards: dict[str, float] = field(default_factory=dict)


@pytest.fixture
def door(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The adapter, imported with the protocol in place of the package."""
    root = "torchtitan.experiments.rl"
    environment: Any = ModuleType(f"{root}.environment")
    environment.MessageEnv = Configurable
    environment.MessageEnvInitOutput = InitOutput
    environment.MessageEnvStepOutput = StepOutput
    rubric: Any = ModuleType(f"{root}.rubrics.rubric")
    rubric.RewardFn = Configurable
    for name in ("torchtitan", "torchtitan.experiments", root, f"{root}.rubrics"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    for module in (environment, rubric):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.delitem(sys.modules, "textgym.training.torchtitan", raising=False)
    yield importlib.import_module("textgym.training.torchtitan")
    sys.modules.pop("textgym.training.torchtitan", None)


def parsed(**call: Any) -> SimpleNamespace:
    """A call as torchtitan's renderer parses it."""
    return SimpleNamespace(**{"raw": "", "name": None, "arguments": None, "id": None, **call})


def play(door: Any, replies: list[dict[str, Any]], **options: Any) -> tuple[Any, list[Any]]:
    """Play an episode with these messages."""

    async def run() -> tuple[Any, list[Any]]:
        env = door.TextgymEnv(door.TextgymEnv.Config(), env_input=row_of(**options))
        opened, outputs = await env.init(), []
        try:
            for reply in replies:
                outputs.append(await env.step({"role": "assistant", **reply}))
        finally:
            await env.close()
        return opened, outputs

    return asyncio.run(run())


def score(door: Any, status: str, outputs: list[Any]) -> float:
    rollout = SimpleNamespace(status=status, turns=outputs)
    return asyncio.run(door.EpisodeReward(door.EpisodeReward.Config())(rollout, None))


REPLIES: list[dict[str, Any]] = [
    {
        "content": "",
        "reasoning_content": "Where is it?",
        "tool_calls": [parsed(name="look", arguments={"place": "box"})],
    },
    {"content": SAID[1]},
    {"content": SAID[2]},
]


def test_torchtitan_gives_the_same_conversation_and_reward(door: Any) -> None:
    tokenizer = make_byte_tokenizer()
    recorded = tokenizer.decode(expected(tokenizer).completion_ids)
    opened, outputs = play(door, REPLIES)
    assert opened.init_prompt_messages == [
        {"role": "user", "content": "Which colour has the ball?"}
    ]
    assert opened.tools[0]["name"] == "look"
    said = [message for output in outputs for message in output.env_messages]
    assert [message["role"] for message in said] == ["tool", "user"]
    assert all(message["content"] in recorded for message in said)
    assert [output.done for output in outputs] == [False, False, True]
    assert [output.env_rewards for output in outputs] == [
        {},
        {},
        {"return": 1.0, "reward/looked": 1.0},
    ]
    assert score(door, "completed", outputs) == 1.0


def test_failure_in_torchtitan_is_no_reward(door: Any) -> None:
    with pytest.raises(EnvironmentFailure, match="the judge is down"):
        play(door, REPLIES[2:], broken=True)
    for status in ("error", "error_abort", "error_timeout"):
        with pytest.raises(EnvironmentFailure, match=f"its status is {status}"):
            score(door, status, [])


def test_rollout_that_torchtitan_cut_has_reward_0(door: Any) -> None:
    _, outputs = play(door, REPLIES[:1])
    assert score(door, "truncated_length", outputs) == 0.0
    assert score(door, "error_parse", []) == 0.0


def test_call_that_cannot_be_parsed_is_answered(door: Any) -> None:
    calls = [parsed(raw='{"name": "loo'), parsed(name="look", raw="place: box")]
    _, (output,) = play(door, [{"content": "", "tool_calls": calls}])
    assert [message["role"] for message in output.env_messages] == ["tool", "tool"]
    assert not output.done
