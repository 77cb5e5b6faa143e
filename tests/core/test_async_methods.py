"""Methods that are `async`: they run on the background loop, and make the class blocking."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from library import Library, borrow, told

import textgym
from textgym.core.episode import Grade
from textgym.errors import EnvironmentFailure, UsageError
from textgym.messages import user


async def here() -> str:
    """Return the name of the thread, after a pause."""
    await asyncio.sleep(0)
    return threading.current_thread().name


class Remote(Library):
    """All that may be async is."""

    async def begin(self, task: Any) -> Any:  # type: ignore[override]
        return {"borrowed": [], "begun on": await here()}

    async def respond(self, message: Any) -> Any:  # type: ignore[override]
        return None if self.turn == 3 else [user(await here())]

    @textgym.tool
    async def ask(self) -> str:
        """Ask."""
        return await here()

    async def grade(self) -> Any:  # type: ignore[override]
        return Grade(1.0, True, extracted_answer=await here())


LOOP = "textgym-background"


def test_all_methods_run_on_the_background_loop() -> None:
    env = Remote()
    env.reset(seed=1)
    assert env.state["begun on"] == LOOP
    assert told(env, textgym.messages.assistant_calls(("ask", {}))) == [LOOP]
    assert env.step("Hello?")[0][-1] == user(LOOP)
    _, reward, terminated, _, info = env.step("Bye.")
    assert (reward, terminated, info["extracted_answer"]) == (1.0, True, LOOP)


def test_a_state_is_restored_with_an_async_begin() -> None:
    env, other = Remote(), Remote()
    env.reset(seed=1)
    env.step(borrow(5))
    other.set_state(env.get_state())
    assert other.step("Hello?") == env.step("Hello?")


def test_a_class_with_async_methods_is_blocking() -> None:
    assert (Library.blocking, Remote.blocking, Remote().blocking_reset) == (False, True, True)


def test_one_async_tool_makes_a_class_blocking() -> None:
    class Waiting(Library):
        @textgym.tool
        async def wait(self) -> str:
            """Wait."""
            return "done"

    assert Waiting.blocking is True


def test_explicit_blocking_is_kept() -> None:
    class Declared(Remote):
        blocking = True

    assert Declared.blocking is True


def test_an_async_class_that_says_it_does_not_block_is_refused() -> None:
    with pytest.raises(UsageError, match=r"^Wrong.begin is async, so the environment is blocking"):

        class Wrong(Remote):
            blocking = False


@pytest.mark.parametrize("name", ["generate", "read_row", "canonical", "check_state", "solve",
                                  "guess"])  # fmt: skip
def test_other_methods_must_not_be_async(name: str) -> None:
    async def method(self: Any, *given: Any) -> Any: ...

    with pytest.raises(UsageError, match=rf"^Wrong\.{name} must not be async; only tools, begin"):
        type("Wrong", (Library,), {name: method})


def test_a_failure_in_a_coroutine_leaves_the_step_undone() -> None:
    class Down(Remote):
        down = True

        async def grade(self) -> Any:
            if self.down:
                raise EnvironmentFailure("the judge is down")
            return await super().grade()

    env = Down(max_turns=1)
    env.reset(seed=1)
    before = env.get_state()
    with pytest.raises(EnvironmentFailure):
        env.step("Bye.")
    assert env.get_state() == before
    env.down = False
    assert env.step("Bye.")[1] == 1.0


class Quiet(textgym.Policy):
    name = "quiet"

    async def act(self, messages: Any, tools: Any, **more: Any) -> Any:
        return textgym.Action({"role": "assistant", "content": "Bye."})


def test_a_rollout_plays_an_async_environment() -> None:
    run = textgym.rollout(Remote, Quiet(), episodes=5)
    assert [item["reward"] for item in run.trajectories()] == [1.0] * 5
