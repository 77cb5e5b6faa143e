"""The blocking versions of asynchronous functions."""

from __future__ import annotations

import asyncio
import inspect
import pickle
import pydoc
from collections.abc import Callable
from typing import Any

import pytest

import textgym
from textgym.concurrency.event_loops import synchronous
from textgym.errors import UsageError
from textgym.rollouts.player import EpisodePlayer
from textgym.training import groups
from textgym.training.validation import Validation

PAIRS = [
    (textgym.rollout, textgym.arollout),
    (textgym.rescore, textgym.arescore),
    (EpisodePlayer.play, EpisodePlayer.aplay),
    (groups.play_groups, groups.aplay_groups),
    (Validation.run, Validation.arun),
]


@pytest.mark.parametrize(("blocking", "awaited"), PAIRS)
def test_both_have_one_signature_and_one_docstring(
    blocking: Callable[..., Any], awaited: Callable[..., Any]
) -> None:
    assert inspect.signature(blocking) == inspect.signature(awaited)
    assert blocking.__doc__ == awaited.__doc__
    assert awaited.__name__ == f"a{blocking.__name__}"
    assert inspect.iscoroutinefunction(awaited)
    assert not inspect.iscoroutinefunction(blocking)


@pytest.mark.parametrize(("blocking", "awaited"), PAIRS)
def test_help_shows_the_arguments(
    blocking: Callable[..., Any], awaited: Callable[..., Any]
) -> None:
    shown = pydoc.plain(pydoc.render_doc(blocking))
    assert f"{blocking.__name__}(" in shown
    assert all(name in shown for name in inspect.signature(awaited).parameters)


@pytest.mark.parametrize(("blocking", "awaited"), PAIRS)
def test_it_can_be_pickled(blocking: Callable[..., Any], awaited: Callable[..., Any]) -> None:
    assert pickle.loads(pickle.dumps(blocking)) is blocking


async def aquotient(left: float, right: float = 2.0) -> float:
    """Divide."""
    await asyncio.sleep(0)
    return left / right


quotient = synchronous(aquotient)
refusing = synchronous(aquotient, refuses_running_loop=True)


def test_arguments_results_and_errors_are_passed_on() -> None:
    assert quotient(6) == refusing(6) == 3
    assert quotient(6, right=4) == 1.5
    with pytest.raises(ZeroDivisionError):
        quotient(1, 0)
    with pytest.raises(TypeError):
        quotient(wrong=1)  # type: ignore[call-arg]


def test_in_a_running_loop_it_blocks_or_refuses() -> None:
    async def call() -> float:
        with pytest.raises(UsageError, match=r"await textgym\.aquotient"):
            refusing(6)
        return quotient(6)

    assert asyncio.run(call()) == 3


def test_a_method_is_bound() -> None:
    class Counter:
        def __init__(self) -> None:
            self.count = 0

        async def aadd(self, number: int) -> int:
            self.count += number
            return self.count

        add = synchronous(aadd)

    counter = Counter()
    assert [counter.add(1), counter.add(number=2)] == [1, 3]
    assert Counter.add.__qualname__.endswith("Counter.add")
