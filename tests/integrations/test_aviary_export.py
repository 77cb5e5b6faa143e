"""`as_environment` and `as_task_dataset` run textgym's environments in Aviary."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

import textgym
from textgym.errors import EnvironmentFailure, ExtraMissingError, UnknownNameError, UsageError
from textgym.messages import assistant

pytest.importorskip("aviary.env", reason="Aviary is not installed")

from aviary.core import Message, ToolCall, ToolRequestMessage, ToolResponseMessage

from textgym.integrations.aviary import as_environment, as_task_dataset
from textgym.integrations.aviary.guest import request_of


async def play_oracle(env: Any) -> tuple[list[Any], float, bool]:
    """Play an episode as Aviary's loops do."""
    messages, _ = await env.reset()
    total, done, turn = 0.0, False, 0
    while not done:
        action = env.env.unwrapped.solve()
        action = assistant(action) if isinstance(action, str) else action
        for k, call in enumerate(action.get("tool_calls") or ()):
            call["id"] = f"call_{turn}_{k}"
        replies, reward, terminated, truncated = await env.step(request_of(action))
        messages += replies
        total, done, turn = total + reward, terminated or truncated, turn + 1
    await env.close()
    return messages, total, terminated


@pytest.mark.parametrize("id", textgym.ids(guests=False))
def test_the_oracle_earns_the_same_in_aviary(id: str) -> None:
    try:
        environment = as_environment(id, index=0, split="test")
    except ExtraMissingError as error:
        pytest.skip(str(error))
    _, total, terminated = asyncio.run(play_oracle(environment))
    assert (total, terminated) == (1.0, True)


def test_messages_tools_and_results_are_passed_on() -> None:
    async def play() -> None:
        env = as_environment("textgym/SessionState-v0", index=0, split="test")
        messages, tools = await env.reset()
        assert [message.role for message in messages] == ["user"]
        assert [tool.info.name for tool in tools] == ["get_counter_value", "increment_counter"]
        calls = [
            ToolCall.from_name("increment_counter", count=5),
            ToolCall.from_name("nothing"),
        ]
        replies, reward, done, truncated = await env.step(ToolRequestMessage(tool_calls=calls))
        assert all(isinstance(reply, ToolResponseMessage) for reply in replies)
        assert [reply.tool_call_id for reply in replies] == [call.id for call in calls]
        assert [reply.name for reply in replies] == ["increment_counter", "nothing"]
        assert replies[0].content == '{"success": true}'
        assert (reward, done, truncated) == (0.0, False, False)
        assert await env.get_id() == "test-mixed-0"
        assert env.export_frame().info["task_id"] == "test-mixed-0"

    asyncio.run(play())


def test_an_environment_without_index_draws_other_tasks() -> None:
    async def play() -> None:
        env = as_environment("textgym/MCQA-v0", seed=3)
        with pytest.raises(ValueError, match="has no id before"):
            await env.get_id()
        first, again = (await env.reset())[0], (await env.reset())[0]
        assert first != again
        other = as_environment("textgym/MCQA-v0", seed=3)
        assert (await other.reset())[0] == first

    asyncio.run(play())


def test_a_task_data_set_has_all_tasks() -> None:
    tasks = as_task_dataset("textgym/MCQA-v0", split="validation", level=2)
    assert len(tasks) == 500
    (envs,) = [batch for batch, _ in zip(tasks.iter_batches(2), range(1), strict=False)]
    ids = [asyncio.run(env.get_id()) for env in envs]
    assert ids == ["validation-2-0", "validation-2-1"]
    assert asyncio.run(tasks.get_new_env().get_id()) == "validation-2-0"
    assert asyncio.run(tasks.get_new_env().get_id()) == "validation-2-1"


def test_tasks_without_an_end_have_no_length() -> None:
    tasks = as_task_dataset("textgym/MCQA-v0")
    with pytest.raises(TypeError, match="has unlimited training tasks"):
        len(tasks)
    assert asyncio.run(tasks.get_new_env().get_id()) == "train-mixed-0"


def test_a_failure_raises_and_is_no_reward() -> None:
    async def play() -> None:
        env = as_environment("textgym/EquivalenceJudge-v0", judge="telling_envs:no_such_judge")
        await env.reset()

    with pytest.raises(UsageError):
        asyncio.run(play())


def test_a_failing_step_raises_out_of_aviary(monkeypatch: pytest.MonkeyPatch) -> None:
    async def play() -> None:
        env = as_environment("textgym/MCQA-v0", index=0)
        await env.reset()

        def fail() -> None:
            raise EnvironmentFailure("gone")

        monkeypatch.setattr(env.env.unwrapped, "grade", fail)
        await env.step(Message(role="assistant", content="A"))

    with pytest.raises(EnvironmentFailure, match="gone"):
        asyncio.run(play())


def test_a_wrapper_that_rewrites_the_conversation_is_refused() -> None:
    async def play() -> None:
        env = as_environment(
            "textgym/GuessNumber-v0", index=0, level=5, wrappers=["ContextWindow:max_messages=3"]
        )
        await env.reset()
        for _ in range(5):
            await env.step(Message(role="assistant", content="1"))

    with pytest.raises(UsageError, match="Aviary only appends"):
        asyncio.run(play())


def test_an_unknown_environment_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'textgym/MCQA-v0'"):
        as_environment("textgym/MCQ-v0")
