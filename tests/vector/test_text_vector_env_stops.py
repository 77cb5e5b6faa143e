"""Interrupting a vector: Ctrl-C and fork."""

from __future__ import annotations

import functools
import os
import signal
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from vector_envs import Count, Failing, task

from textgym.errors import UsageError
from textgym.vector import TextVectorEnv


class Slow(Count):
    """Waits for a gate in every step and reset."""

    blocking = True

    def __init__(self, *, gate: threading.Event, **kwargs: Any) -> None:
        self.gate = gate
        super().__init__(**kwargs)

    def begin(self, task: Any) -> Any:
        assert self.gate.wait(300)
        return super().begin(task)

    def respond(self, message: Any) -> Any:
        assert self.gate.wait(300)
        return super().respond(message)


@pytest.fixture
def gate() -> threading.Event:
    """The open gate that sub-environments wait for."""
    gate = threading.Event()
    gate.set()
    return gate


@pytest.fixture
def slow(gate: threading.Event) -> Iterator[TextVectorEnv]:
    """A vector with running episodes and a closed gate."""
    vector = TextVectorEnv([functools.partial(Slow, gate=gate)] * 3)
    begin(vector)
    gate.clear()
    yield vector
    gate.set()
    vector.close()


@pytest.fixture
def ctrl_c() -> Iterator[None]:
    """Send Ctrl-C after 50 ms."""

    def stop(*given: Any) -> None:
        raise KeyboardInterrupt

    if not hasattr(signal, "setitimer"):
        pytest.skip("this system has no timers")
    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def begin(vector: TextVectorEnv) -> None:
    vector.reset(seed=1, options={"task": task(9)})


def steps(vector: TextVectorEnv) -> list[int]:
    return [env.unwrapped.steps for env in vector.envs]


def test_ctrl_c_in_a_blocking_step_loses_nothing(
    slow: Any, gate: threading.Event, ctrl_c: None
) -> None:
    with pytest.raises(KeyboardInterrupt):
        slow.step(["a", "b", "c"])
    gate.set()
    observations = slow.step(["a", "b", "c"])[0]
    assert [observation[1]["content"] for observation in observations] == ["a", "b", "c"]
    assert steps(slow) == [1, 1, 1]


def test_ctrl_c_in_recv_loses_nothing(slow: Any, gate: threading.Event, ctrl_c: None) -> None:
    slow.send(["a", "b", "c"])
    with pytest.raises(KeyboardInterrupt):
        slow.recv()
    gate.set()
    assert sorted(slow.recv(3)[4]["env_id"].tolist()) == [0, 1, 2]
    assert steps(slow) == [1, 1, 1]


def test_after_ctrl_c_in_reset_all_must_be_reset(
    slow: Any, gate: threading.Event, ctrl_c: None
) -> None:
    with pytest.raises(KeyboardInterrupt):
        slow.reset(options={"reset_mask": [True, True, False]})
    gate.set()
    for call in (
        lambda: slow.step(["a"] * 3),
        lambda: slow.send(["a"], [2]),
        slow.recv,
        lambda: slow.reset(options={"reset_mask": [True, True, False]}),
    ):
        with pytest.raises(UsageError, match="a reset was interrupted: reset all"):
            call()
    begin(slow)
    slow.step(["a", "b", "c"])
    assert steps(slow) == [1, 1, 1]


def test_ctrl_c_in_an_inline_step_loses_nothing() -> None:
    vector = TextVectorEnv([Failing] * 3)
    begin(vector)
    one: Any = vector.envs[1]
    one.error, one.step_failures = KeyboardInterrupt, 1
    vector.send(["a", "b", "c"])
    with pytest.raises(KeyboardInterrupt):
        vector.recv(3)
    assert sorted(vector.recv(3)[4]["env_id"].tolist()) == [0, 1, 2]
    assert steps(vector) == [1, 1, 1]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_has_threads_of_its_own(slow: Any, gate: threading.Event) -> None:
    gate.set()
    slow.step(["a", "b", "c"])
    child = os.fork()
    if not child:
        signal.alarm(20)  # which ends the child, should it wait for ever
        slow.step(["d", "e", "f"])
        slow.close()
        os._exit(steps(slow)[0])
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 2
    slow.step(["d", "e", "f"])
    assert steps(slow) == [2, 2, 2]
