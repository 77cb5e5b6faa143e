"""Any order of calls of a vector, compared with environments that are played alone.

Sub-environments block, fail and end at different times. Each action is a text of its own, so what
is lost, taken twice or given to another sub-environment is seen in a conversation. Which thread is
done first is chance: so no rule has a precondition, whose outcome would be chance too.
"""

from __future__ import annotations

import functools
import threading
from typing import Any

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    rule,
    run_state_machine_as_test,
)
from vector_envs import Count, Failing

from textgym.errors import JudgeFailure, UsageError
from textgym.vector import TextVectorEnv

COUNT = 4
PLACES = st.integers(0, COUNT - 1)
SEEDS = st.integers(0, 10_000)


class Rough(Failing):
    """Fails a given number of times, and waits while its gate is closed."""

    def __init__(self, **kwargs: Any) -> None:
        self.gate = threading.Event()
        self.gate.set()
        super().__init__(**kwargs)

    def respond(self, message: Any) -> Any:
        assert self.gate.wait(300)
        return super().respond(message)


class Alone:
    """The reference for one sub-environment: a separate environment, reset by the same mode."""

    def __init__(self, mode: AutoresetMode) -> None:
        self.env, self.mode, self.ended = Count(), mode, False

    def reset(self, seed: int | None = None) -> Any:
        self.ended = False
        return self.env.reset(seed=seed)[0]

    def step(self, action: str) -> tuple[Any, float, bool, Any]:
        """Return the observation, the reward, and whether and how the episode ended."""
        if self.ended and self.mode is AutoresetMode.NEXT_STEP:
            return self.reset(), 0.0, False, None
        observation, reward, ended, _, _ = self.env.step(action)
        self.ended = ended
        if ended and self.mode is AutoresetMode.SAME_STEP:
            return self.reset(), reward, True, observation
        return observation, reward, ended, None


class Calls(RuleBasedStateMachine):
    """Calls a vector; half of its sub-environments block in threads."""

    mode: AutoresetMode

    @initialize(seed=SEEDS)
    def make(self, seed: int) -> None:
        self.vector = TextVectorEnv(
            [functools.partial(Rough, blocking=place % 2 == 0) for place in range(COUNT)],
            autoreset_mode=self.mode,
            retries=0,
        )
        self.alone = [Alone(self.mode) for _ in range(COUNT)]
        self.sent: dict[int, str] = {}
        self.failed: dict[int, str] = {}  # actions that are to be given again
        self.said = 0
        self.reset_all(seed)

    def action(self, place: int) -> str:
        self.said += 1
        return self.failed.pop(place, f"{self.said}")

    def env(self, place: int) -> Rough:
        env: Any = self.vector.envs[place]
        return env

    def is_due(self, place: int) -> bool:
        """Return whether a sub-environment must be reset before its next action."""
        return self.mode is AutoresetMode.DISABLED and self.alone[place].ended

    def open_gates(self) -> None:
        for place in range(COUNT):
            self.env(place).gate.set()

    def check(self, place: int, action: str, turn: tuple[Any, ...]) -> None:
        """Compare the result of a sub-environment with its reference."""
        assert turn == self.alone[place].step(action)

    # What is asked.

    @rule(seed=SEEDS)
    def reset_all(self, seed: int) -> None:
        self.open_gates()
        for place in range(COUNT):
            self.env(place).step_failures = self.env(place).reset_failures = 0
        observations, _ = self.vector.reset(seed=seed)
        assert list(observations) == [one.reset(seed + i) for i, one in enumerate(self.alone)]
        self.sent, self.failed = {}, {}

    @rule(mask=st.lists(st.booleans(), min_size=COUNT, max_size=COUNT), seed=SEEDS)
    def reset_some(self, mask: list[bool], seed: int) -> None:
        if not any(mask) or all(mask):
            return
        options = {"reset_mask": np.array(mask)}
        asked = [place for place in range(COUNT) if mask[place]]
        if self.sent.keys() & set(asked):
            with pytest.raises(UsageError, match="call recv first"):
                self.vector.reset(seed=seed, options=options)
            return
        for place in asked:
            self.env(place).reset_failures = 0
            self.failed.pop(place, None)
        observations, infos = self.vector.reset(seed=seed, options=options)
        assert infos["_task_id"].tolist() == mask
        for place in asked:
            assert observations[place] == self.alone[place].reset(seed + place)

    @rule(place=PLACES, in_reset=st.booleans())
    def fail(self, place: int, in_reset: bool) -> None:
        if place not in self.sent:
            setattr(self.env(place), "reset_failures" if in_reset else "step_failures", 1)

    @rule(place=PLACES)
    def close_a_gate(self, place: int) -> None:
        if self.env(place).blocking:  # what runs in this thread would wait for ever
            self.env(place).gate.clear()

    @rule(place=PLACES)
    def open_a_gate(self, place: int) -> None:
        self.env(place).gate.set()

    @rule(places=st.lists(PLACES, min_size=1, max_size=COUNT, unique=True))
    def send(self, places: list[int]) -> None:
        if self.sent.keys() & set(places) or any(map(self.is_due, places)):
            with pytest.raises(UsageError):
                self.vector.send(["x"] * len(places), places)
            return
        actions = [*map(self.action, places)]
        self.vector.send(actions, places)
        self.sent.update(zip(places, actions, strict=True))

    @rule(batch=st.integers(1, COUNT))
    def recv(self, batch: int) -> None:
        if not self.sent:
            return
        moving = [place for place in self.sent if self.env(place).gate.is_set()]
        kwargs: Any = {"batch_size": min(batch, len(moving))} if moving else {"timeout": 0}
        try:
            observations, rewards, terminated, truncated, infos = self.vector.recv(**kwargs)
        except JudgeFailure as failure:
            failed: Any = failure.env_id
            self.failed[failed] = self.sent.pop(failed)
            return
        places = infos["env_id"].tolist()
        assert len(places) >= kwargs.get("batch_size", 0)
        assert not truncated.any()
        for i, place in enumerate(places):
            final = infos["final_obs"][i] if "final_obs" in infos else None
            turn = (observations[i], rewards[i], terminated[i], final)
            self.check(place, self.sent.pop(place), turn)

    @rule(idle=st.lists(st.booleans(), min_size=COUNT, max_size=COUNT))
    def step(self, idle: list[bool]) -> None:
        if self.sent:
            with pytest.raises(UsageError, match="call recv first"):
                self.vector.step(["x"] * COUNT)
            return
        self.open_gates()
        idle = [
            self.is_due(place) or (idle[place] and place not in self.failed)
            for place in range(COUNT)
        ]
        actions = [None if idle[place] else self.action(place) for place in range(COUNT)]
        for _ in range(2 * COUNT + 1):
            try:
                observations, rewards, terminated, _, infos = self.vector.step(actions)
                break
            except JudgeFailure:
                with pytest.raises(UsageError, match="a step has failed"):
                    self.vector.send(["x"], [0])
        for place, action in enumerate(actions):
            final = infos["final_obs"][place] if "final_obs" in infos else None
            turn = (observations[place], rewards[place], terminated[place], final)
            begins = self.alone[place].ended and self.mode is AutoresetMode.NEXT_STEP
            if action is not None or begins:
                self.check(place, action or "", turn)
            else:
                assert turn[1:] == (0.0, False, None)

    def teardown(self) -> None:
        if not hasattr(self, "vector"):
            return
        self.open_gates()
        while self.sent:
            self.recv(COUNT)
        with pytest.raises(UsageError, match="nothing is running"):
            self.vector.recv()
        self.vector.close()


@pytest.mark.parametrize("mode", AutoresetMode, ids=lambda mode: mode.value)
def test_no_result_is_lost_or_repeated_or_mixed_up(mode: AutoresetMode) -> None:
    machine = type("Machine", (Calls,), {"mode": mode})
    run_state_machine_as_test(
        machine, settings=settings(max_examples=40, stateful_step_count=40, deadline=None)
    )
