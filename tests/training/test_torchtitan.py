"""The episode of test_doors through torchtitan's own rollouts: `make test-trainers`."""

from __future__ import annotations

import asyncio
import warnings
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("torchtitan", reason="not installed: make test-trainers")

from byte_tokenizer import make_byte_tokenizer
from renderers import create_renderer
from renderers.configs import DefaultRendererConfig
from test_doors import FEE, PAID, SAID, row_of

from textgym.errors import EnvironmentFailure

with warnings.catch_warnings(action="ignore"):  # torchtitan's own
    from torchtitan.config import Configurable
    from torchtitan.experiments.rl.components.training_sample_builder import (
        TrainingSampleBuilder,
    )
    from torchtitan.experiments.rl.rollout.rollouter import Rollouter
    from torchtitan.experiments.rl.rubrics import Rubric
    from torchtitan.experiments.rl.types import Completion

    from textgym.training.torchtitan import EpisodeReward, TextgymEnv

pytestmark = [pytest.mark.trainers, pytest.mark.filterwarnings("ignore")]  # torchtitan's own

TEMPLATE = (
    "{% for m in messages %}<|{{ m.role }}|>"
    "{% if m.reasoning_content %}<think>{{ m.reasoning_content }}</think>{% endif %}"
    "{{ m.content }}<|end|>{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)  # that of the byte tokenizer, without the line break that torchtitan's renderer keeps
SIZE = 2


class Rows(Configurable):  # type: ignore[misc]
    """The data set of a rollouter: the same task again and again."""

    @dataclass(kw_only=True, slots=True)
    class Config(Configurable.Config):  # type: ignore[misc]
        """Whether its episodes can be graded."""

        broken: bool = False

    def __init__(self, config: Any) -> None:
        self.row = row_of(broken=config.broken)

    def __next__(self) -> Any:
        return self.row


def roll_out(said: list[str], *, broken: bool = False, cut: int | None = None) -> Any:
    """Return a group of rollouts in which the model says these texts."""
    tokenizer = make_byte_tokenizer()
    tokenizer.chat_template = TEMPLATE
    rollouter = Rollouter.Config(
        train_dataset=Rows.Config(broken=broken),
        validation_dataset=Rows.Config(),
        message_env=TextgymEnv.Config(),
        rubric=Rubric.Config(reward_fns=[EpisodeReward.Config()]),
    ).build()
    turns: dict[str, int] = {}

    async def generate(*, request_id: str, routing_session_id: str, **named: Any) -> Any:
        turn = turns.setdefault(routing_session_id, 0)
        turns[routing_session_id] += 1
        ids = tokenizer.encode(said[turn]) + [tokenizer.eos_token_id] * (turn != cut)
        return Completion(
            min_policy_version=0,
            max_policy_version=0,
            request_id=request_id,
            token_ids=ids,
            token_logprobs=[-1.0] * len(ids),
            finish_reason="length" if turn == cut else "stop",
        )

    return asyncio.run(
        rollouter.run_group_rollouts(
            generate_fn=generate,
            sample=rollouter.get_training_sample(),
            group_id=1,
            group_size=SIZE,
            sampling=SimpleNamespace(seed=None),
            renderer=create_renderer(tokenizer, DefaultRendererConfig()),
        )
    )


def test_torchtitan_trains_on_what_was_sampled() -> None:
    group = roll_out(SAID)
    builder = TrainingSampleBuilder.Config(drop_zero_std_reward_groups=False).build()
    samples = builder.build_from_group(rollout_group=group).training_samples
    assert [(rollout.status, rollout.reward) for rollout in group.rollouts] == [
        ("completed", sum(PAID))
    ] * SIZE
    turns = group.rollouts[0].turns
    assert [turn.env_rewards["step_reward"] for turn in turns] == PAID
    assert turns[-1].env_rewards["reward/fee"] == -FEE
    assert turns[-1].env_rewards["reward/looked"] == 1.0
    assert len(samples) == SIZE
    tokenizer = make_byte_tokenizer()
    for sample in samples:
        parts = {True: list[int](), False: list[int]()}
        for id, trained in zip(sample.token_ids, sample.loss_mask, strict=True):
            parts[trained].append(id)
        assert tokenizer.decode(parts[True]) == "".join(f"{text}<|end|>" for text in SAID)
        assert "There is a red ball in the box." in tokenizer.decode(parts[False])


def test_failure_in_torchtitan_drops_the_group() -> None:
    with pytest.raises(EnvironmentFailure, match="its status is error"):
        roll_out(SAID[2:], broken=True)


def test_rollout_that_torchtitan_cut_keeps_what_it_was_paid() -> None:
    group = roll_out(SAID, cut=1)
    assert [rollout.status for rollout in group.rollouts] == ["truncated_length"] * SIZE
    assert [rollout.reward for rollout in group.rollouts] == [-FEE] * SIZE


@pytest.mark.parametrize("status", ["error", "error_abort", "error_timeout"])
def test_rollout_that_an_error_ended_has_no_reward(status: str) -> None:
    reward = EpisodeReward.Config().build()
    with pytest.raises(EnvironmentFailure, match=f"its status is {status}"):
        asyncio.run(reward(SimpleNamespace(status=status, turns=[]), None))


def test_calls_of_the_renderer_are_answered() -> None:
    def parsed(**call: Any) -> SimpleNamespace:
        return SimpleNamespace(**{"raw": "", "name": None, "arguments": None, "id": None, **call})

    calls = [
        parsed(name="look", arguments={"place": "box"}),
        parsed(raw='{"name": "loo'),
        parsed(name="look", raw="place: box"),
    ]

    async def play() -> Any:
        env = TextgymEnv.Config().build(env_input=row_of())
        opened = await env.init()
        output = await env.step({"role": "assistant", "content": "", "tool_calls": calls})
        await env.close()
        return opened, output

    opened, output = asyncio.run(play())
    assert opened.tools[0]["name"] == "look"
    assert [message["role"] for message in output.env_messages] == ["tool"] * 3
    assert "red ball in the box" in output.env_messages[0]["content"]
    assert not output.done
