"""A tool that raises what its author did not foresee: the model is told, and nothing is changed."""

from __future__ import annotations

from typing import Any

import pytest
from library import Library, borrow, told

import textgym
from textgym.errors import EnvironmentFailure, ToolError

HUGE = 10**30


@pytest.fixture
def env() -> Any:
    env = Library()
    env.reset(seed=1)
    return env


def test_the_episode_goes_on_and_is_graded(env: Any) -> None:
    assert told(env, borrow(HUGE)) == [
        f"Error: 'borrow' failed: OverflowError: no shelf has {HUGE}"
    ]
    assert env.state == {"borrowed": []}
    env.step(borrow(env.task.answer))
    assert env.step("Done.")[1:4] == (1.0, True, False)


@pytest.mark.parametrize(
    ("books", "kept"),
    [
        pytest.param([HUGE, 1, 2], [1, 2], id="first call"),
        pytest.param([1, HUGE, 2], [1, 2], id="call between others"),
        pytest.param([1, 2, HUGE], [1, 2], id="last call"),
        pytest.param([HUGE, HUGE + 1, 1], [1], id="two calls"),
    ],
)
def test_only_the_call_that_raised_is_undone(env: Any, books: list[int], kept: list[int]) -> None:
    env.step(borrow(*books))
    assert env.state == {"borrowed": kept}


def test_a_step_that_fails_after_it_is_undone_as_a_whole() -> None:
    class Down(Library):
        @textgym.tool
        def stamp(self) -> str:
            """Stamp."""
            raise ConnectionError("the stamp is gone")

    env = Down()
    env.reset(seed=1)
    env.step(borrow(7))
    message: Any = borrow(HUGE, 1)
    message["tool_calls"].append({"function": {"name": "stamp", "arguments": "{}"}})
    before = env.get_state()
    with pytest.raises(
        EnvironmentFailure, match="tool 'stamp': ConnectionError: the stamp is gone"
    ):
        env.step(message)
    assert env.get_state() == before


def test_an_end_that_the_call_declared_is_undone() -> None:
    class Closing(Library):
        @textgym.tool
        def leave(self, when: int) -> str:
            """Leave."""
            self.finish()
            return "x" * (1 // when)

    env = Closing()
    env.reset(seed=1)
    leave = textgym_call("leave", when=0)
    assert env.step(leave)[2:4] == (False, False)
    assert env.step(textgym_call("leave", when=1))[2] is True


def textgym_call(name: str, **arguments: Any) -> Any:
    return textgym.messages.assistant_calls((name, arguments))


def test_a_tool_error_keeps_what_the_tool_changed() -> None:
    class Counting(Library):
        @textgym.tool
        def knock(self) -> str:
            """Knock."""
            self.state["borrowed"].append("knock")
            raise ToolError("nobody is there")

    env = Counting()
    env.reset(seed=1)
    assert told(env, textgym_call("knock")) == ["Error: nobody is there"]
    assert env.state == {"borrowed": ["knock"]}


def test_a_rollout_counts_the_episode() -> None:
    class Says(textgym.Policy):
        name = "says"

        async def act(self, messages: Any, tools: Any, **more: Any) -> Any:
            return textgym.Action(borrow(HUGE) if len(messages) == 1 else {"role": "assistant"})

    run = textgym.rollout(Library, Says(), episodes=2)
    assert [item["reward"] for item in run.trajectories()] == [0.0, 0.0]
    assert [item["failure"] for item in run.trajectories()] == [None, None]
