"""A failed episode does not end a run, whatever policies and environments raise."""

from __future__ import annotations

import asyncio
import logging
import random
import re
import threading
from typing import Any

import pytest

import textgym
from textgym.core.episode import Grade
from textgym.errors import EnvironmentFailure, JudgeFailure, OracleError, PolicyFailure
from textgym.messages import assistant, user
from textgym.policies import Action, Policy
from textgym.policies.specs import OraclePolicy
from textgym.rollouts.recorder import MAX_INITIAL_FAILURES
from textgym.trajectories.episode_record import MAX_TRACEBACK

CARD = textgym.Card("demo/Word-v0", "x", ("single-step",), ("x",), ("x",), "x", ("exact match",))


class Word(textgym.TextEnv[None]):
    """Asks for a word; `asked` counts how often each task was graded, `made` the environments."""

    card = CARD
    made = 0

    def __init__(self, **kwargs: Any) -> None:
        type(self).made += 1
        super().__init__(**kwargs)

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        return {"word": "".join(rng.choices("abcdefgh", k=6)), "category": "words"}

    def read_row(self, row: dict[str, Any]) -> textgym.Task:
        return textgym.Task(row["id"], (user(f"Say {row['word']}."),), row["word"], row=row)

    def grade(self) -> Grade:
        right = self.answer_text == self.task.answer
        return Grade(float(right), right, {}, self.answer_text)

    def solve(self) -> Any:
        return assistant(self.task.answer)


class Saying(Policy):
    """Says "x", but raises an error in some of its calls."""

    name = "saying"

    def __init__(self, error: BaseException | None = None, calls: tuple[int, ...] = ()) -> None:
        self.error, self.calls, self.count = error, calls, 0

    async def act(
        self, messages: Any, tools: Any, *, prior: Any = None, seed: int | None = None
    ) -> Action:
        self.count += 1
        if self.error and self.count in self.calls:
            raise self.error
        return Action(assistant("x"), usage={"completion_tokens": 1})


class Yielding(Saying):
    """Lets the other episodes begin before it answers."""

    async def act(self, *args: Any, **kwargs: Any) -> Action:
        await asyncio.sleep(0)
        return await super().act(*args, **kwargs)


class Panic(BaseException):
    """An error of a library in another language."""


def play(env: Any = Word, policy: Any = "oracle", **options: Any) -> list[dict[str, Any]]:
    run = textgym.rollout(env, policy, **{"episodes": 5, **options})
    return sorted(run.trajectories(), key=lambda trajectory: trajectory["task_index"])


@pytest.mark.parametrize("error", [asyncio.CancelledError(), Panic("at the disco"), MemoryError()])
def test_errors_that_are_not_exceptions_cost_one_attempt(error: BaseException) -> None:
    trajectories = play(policy=Saying(error, (3,)), concurrency=1)
    assert [item["attempts"] for item in trajectories] == [1, 1, 2, 1, 1]
    assert [item["failure"] for item in trajectories] == [None] * 5


@pytest.mark.parametrize("error", [asyncio.CancelledError(), Panic("at the disco")])
def test_a_policy_that_keeps_raising_them_fails_its_episode_only(
    error: BaseException,
) -> None:
    trajectories = play(policy=Saying(error, (2, 3, 4)), concurrency=1)
    assert [bool(item["failure"]) for item in trajectories] == [False, True, False, False, False]
    failure = trajectories[1]["failure"]
    assert failure["boundary"] == "policy"
    assert (failure["type"], failure["message"]) == (type(error).__name__, str(error))


def test_a_rollout_that_is_cancelled_is_cancelled() -> None:
    asked = asyncio.Event()

    class Stuck(Policy):
        async def act(self, *args: Any, **kwargs: Any) -> Action:
            asked.set()
            await asyncio.Event().wait()
            raise AssertionError("never")

    async def run() -> None:
        task = asyncio.create_task(textgym.arollout(Word, Stuck(), episodes=5))
        waiting = asyncio.create_task(asked.wait())
        await asyncio.wait([task, waiting], return_when=asyncio.FIRST_COMPLETED)
        assert asked.is_set()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(run())


def test_an_environment_that_cannot_be_made_fails_its_episodes_only() -> None:
    class Once(Word):
        made = 0

        def __init__(self) -> None:
            super().__init__()
            if type(self).made > 1:
                raise EnvironmentFailure("no more of these")

    trajectories = play(Once, Yielding(), concurrency=3, episodes=9)
    failed = [item for item in trajectories if item["failure"]]
    assert 0 < len(failed) < 9
    assert {item["failure"]["boundary"] for item in failed} == {"environment"}
    assert {item["failure"]["message"] for item in failed} == {"no more of these"}
    assert all(item["reward"] is None and item["messages"] == [] for item in failed)


def test_an_environment_that_failed_is_replaced_and_closed() -> None:
    closed = []

    class Breaks(Word):
        made = 0

        def grade(self) -> Grade:
            if self.task.id.endswith("-2"):
                self.broken = True
            if getattr(self, "broken", False):
                raise ValueError("broken for good")
            return super().grade()

        def close(self) -> None:
            closed.append(getattr(self, "broken", False))

    trajectories = play(Breaks, "oracle", concurrency=1)
    assert [item["reward"] for item in trajectories] == [1.0, 1.0, None, 1.0, 1.0]
    assert closed.count(True) == 1
    assert Breaks.made == len(closed)


def test_an_environment_that_cannot_be_closed_is_logged_and_the_run_continues(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Sticky(Word):
        turn = 0

        def close(self) -> None:
            if self.turn:
                raise OSError("it is stuck")

    with caplog.at_level(logging.WARNING, logger="textgym"):
        trajectories = play(Sticky, "oracle", concurrency=1)
    assert [item["reward"] for item in trajectories] == [1.0] * 5
    (record,) = caplog.records
    assert record.getMessage().endswith(".Sticky could not be closed: OSError: it is stuck")
    assert record.exc_info


def test_environments_that_cannot_be_closed_do_not_lose_a_run(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Stuck(Word):
        def close(self) -> None:
            raise OSError("it is stuck")

    trajectories = play(Stuck, Yielding(), concurrency=3)
    assert [item["reward"] for item in trajectories] == [0.0] * 5
    assert len(caplog.records) == 1


def test_a_policy_that_cannot_be_closed_does_not_lose_a_run(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def close(policy: Any) -> None:
        raise OSError("it is stuck")

    monkeypatch.setattr(OraclePolicy, "close", close)
    assert [item["reward"] for item in play(Word, "oracle")] == [1.0] * 5
    assert "OraclePolicy could not be closed: OSError" in caplog.text


def test_the_first_failure_of_each_class_is_logged_with_its_traceback(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Fragile(Word):
        def grade(self) -> Grade:
            raise ValueError(f"no grade for {self.task.id}")

    policy = Saying(PolicyFailure("no such server"), (2, 4))
    trajectories = play(Fragile, policy, retries=0, concurrency=1)
    boundaries = [item["failure"]["boundary"] for item in trajectories]
    assert boundaries == ["environment", "policy", "environment", "policy", "environment"]
    first, second = caplog.records
    assert ".Fragile failed (" in first.getMessage()
    assert ".Saying failed (" in second.getMessage()
    assert re.search(r": ValueError: no grade for \w+-mixed-0$", first.getMessage())
    assert "Traceback" in caplog.text
    assert "-mixed-2" not in caplog.text
    for item in trajectories:
        assert item["failure"]["message"] in item["failure"]["traceback"]


def test_an_environment_that_cannot_be_made_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    class Once(Word):
        made = 0

        def __init__(self) -> None:
            super().__init__()
            if type(self).made > 2:
                raise EnvironmentFailure("no more of these")

    play(Once, Yielding(), concurrency=3)
    (record,) = caplog.records
    assert record.getMessage().startswith("Once failed (")


@pytest.mark.parametrize(
    "error", [OracleError("no answer is known"), JudgeFailure("the judge is down")]
)
def test_what_its_message_explains_is_logged_without_a_traceback(
    error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    class Unsolved(Word):
        def solve(self) -> Any:
            raise error

    trajectory = play(Unsolved, "oracle", episodes=1)[0]
    assert str(error) in trajectory["failure"]["traceback"]
    assert f"{type(error).__name__}: {error}" in caplog.text
    assert "Traceback" not in caplog.text


def test_only_the_end_of_a_long_traceback_is_recorded() -> None:
    class Chatty(Word):
        def grade(self) -> Grade:
            raise ValueError("x" * 2 * MAX_TRACEBACK + " at last")

    traceback = play(Chatty, Saying(), episodes=1)[0]["failure"]["traceback"]
    assert len(traceback) == MAX_TRACEBACK
    assert traceback.endswith("x at last\n")


def test_the_message_of_a_failed_step_is_recorded() -> None:
    class JudgeDown(Word):
        def grade(self) -> Grade:
            raise EnvironmentFailure("the judge is down")

    trajectory = play(JudgeDown, Saying(), episodes=1)[0]
    assert [item["content"] for item in trajectory["messages"]][1:] == ["x"]
    assert trajectory["steps"][0]["reward"] is None
    assert trajectory["steps"][0]["message_index"] == 1
    assert trajectory["usage"] == {"completion_tokens": 1}
    assert trajectory["reward"] is None
    assert trajectory["attempts"] == 3
    assert trajectory["info"]["category"] == "words"


def test_a_blocking_environment_without_begin_is_reset_on_the_loop() -> None:
    seen = set()

    class Waits(Word):
        blocking = True

        def read_row(self, row: dict[str, Any]) -> textgym.Task:
            seen.add(threading.current_thread() is threading.main_thread())
            return super().read_row(row)

    play(Waits, "oracle")
    assert seen == {True}


def test_blocking_environments_are_reset_and_stepped_in_threads() -> None:
    seen = set()

    class Waits(Word):
        blocking = True

        def begin(self, task: textgym.Task) -> None:
            seen.add(("reset", threading.current_thread() is threading.main_thread()))

        def grade(self) -> Grade:
            seen.add(("step", threading.current_thread() is threading.main_thread()))
            return super().grade()

    play(Waits, "oracle")
    assert seen == {("reset", False), ("step", False)}
    assert not [thread for thread in threading.enumerate() if "textgym-step" in thread.name]


def test_a_run_whose_first_episodes_all_fail_is_stopped(caplog: pytest.LogCaptureFixture) -> None:
    policy = Saying(PolicyFailure("no such server"), tuple(range(10_000)))
    run = textgym.rollout(Word, policy, episodes=400, retries=0, concurrency=8)
    assert run.stopped_early
    assert MAX_INITIAL_FAILURES <= run.metrics["overall"]["failures"] < MAX_INITIAL_FAILURES + 8
    assert run.mean_reward is None
    assert "the first 100 episodes all failed" in caplog.text
    assert "PolicyFailure: no such server" in caplog.text


def test_a_run_of_no_more_episodes_than_that_is_played_to_its_end() -> None:
    policy = Saying(PolicyFailure("no such server"), tuple(range(10_000)))
    run = textgym.rollout(Word, policy, episodes=MAX_INITIAL_FAILURES, retries=0)
    assert not run.stopped_early
    assert run.metrics["overall"]["failures"] == MAX_INITIAL_FAILURES


def test_a_single_success_prevents_the_early_stop() -> None:
    policy = Saying(PolicyFailure("flaky"), tuple(range(2, 10_000)))
    run = textgym.rollout(Word, policy, episodes=120, retries=0)
    assert not run.stopped_early
    assert run.metrics["overall"]["episodes"] == 120
    assert run.metrics["overall"]["failures"] == 119
