"""Environments that wait on the event loop are logged, those that only compute are not."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import gymnasium as gym
import pytest

from textgym.concurrency import wait_watch
from textgym.concurrency.blocking import EnvCaller
from textgym.concurrency.wait_watch import MAX_CALL_SECONDS, WaitWatch

LONG, SHORT = 2 * MAX_CALL_SECONDS, MAX_CALL_SECONDS / 2


class Clock:
    """A clock and a processor clock that only a test advances."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = self.busy = 0.0
        monkeypatch.setattr(wait_watch, "perf_counter", lambda: self.now)
        monkeypatch.setattr(wait_watch, "thread_time", lambda: self.busy)

    def wait(self, seconds: float) -> None:
        self.now += seconds

    def compute(self, seconds: float) -> None:
        self.now += seconds
        self.busy += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


class Acting(gym.Env[Any, Any]):
    """Its step calls the action, and its reset the option `call`."""

    def step(self, action: Callable[[], Any]) -> Any:
        return action()

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        return options["call"]()


class Blocking(Acting):
    blocking = True


class Other(Acting):
    """Another class."""


def steps(*calls: Callable[[], Any], env: Any = None, reset: bool = False) -> None:
    """Take steps, or resets, one after another on an event loop."""

    async def main() -> None:
        async with EnvCaller(1) as caller:
            for call in calls:
                if reset:
                    await caller.reset(env or Acting(), options={"call": call})
                else:
                    await caller.step(env or Acting(), call)

    asyncio.run(main())


@pytest.mark.parametrize("reset", [False, True])
def test_a_class_that_waits_is_logged_once_with_the_remedy(
    clock: Clock, caplog: pytest.LogCaptureFixture, reset: bool
) -> None:
    steps(*[lambda: clock.wait(LONG)] * 20, reset=reset)
    (message,) = caplog.messages
    assert message.startswith(f"{__name__}.Acting waits in reset or step (40 ms in each of 3 calls")
    assert "set `blocking = True` in the class" in message


def test_each_class_is_logged(clock: Clock, caplog: pytest.LogCaptureFixture) -> None:
    watch = WaitWatch()
    for _ in range(10):
        for env in (Acting(), Other()):
            watch.run(env, lambda: clock.wait(LONG))
    assert [message.split()[0] for message in caplog.messages] == [
        f"{__name__}.Acting",
        f"{__name__}.Other",
    ]


def test_the_class_behind_wrappers_is_named(clock: Clock, caplog: pytest.LogCaptureFixture) -> None:
    wrapped = gym.Wrapper(Acting())
    steps(*[lambda: clock.wait(LONG)] * 5, env=wrapped)
    assert f"{__name__}.Acting waits" in caplog.text


def test_a_class_that_computes_is_not_logged(
    clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    steps(*[lambda: clock.compute(LONG)] * 20)
    assert caplog.messages == []


def test_short_waits_are_not_logged(clock: Clock, caplog: pytest.LogCaptureFixture) -> None:
    steps(*[lambda: clock.wait(SHORT)] * 20)
    assert caplog.messages == []


def test_waits_that_are_rare_are_not_logged(clock: Clock, caplog: pytest.LogCaptureFixture) -> None:
    steps(*[lambda: clock.wait(LONG), *[lambda: clock.compute(SHORT)] * 99] * 5)
    assert caplog.messages == []


def test_waits_in_the_last_step_of_each_episode_are_logged(
    clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    steps(*[*[lambda: clock.compute(SHORT)] * 9, lambda: clock.wait(LONG)] * 5)
    assert len(caplog.messages) == 1


def test_a_blocking_class_may_wait(clock: Clock, caplog: pytest.LogCaptureFixture) -> None:
    steps(*[lambda: clock.wait(LONG)] * 20, env=Blocking())
    assert caplog.messages == []


def test_an_error_of_a_call_is_raised(clock: Clock) -> None:
    with pytest.raises(ZeroDivisionError):
        steps(lambda: 1 // 0)
