"""`play_match`: a game whose seats are environments that wait for each other."""

from __future__ import annotations

import asyncio
import random
import threading
from typing import Any

import gymnasium
import pytest

import textgym
from textgym import Card, Grade, Task, TextEnv
from textgym.errors import EnvironmentFailure, UsageError
from textgym.messages import assistant, user
from textgym.policies import Action, Policy


class Table:
    """A game of two: each adds 1 to 3 to a sum, and who reaches 10 wins."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.sum, self.turn, self.winner, self.broken = 0, 0, -1, ""

    def wait(self, seat: int) -> None:
        with self.changed:
            self.changed.wait_for(lambda: self.turn == seat or self.winner >= 0 or self.broken)
            if self.broken:
                raise EnvironmentFailure(self.broken)

    def add(self, seat: int, number: int) -> None:
        with self.changed:
            if self.winner < 0:
                self.sum, self.turn = self.sum + number, 1 - seat
                self.winner = seat if self.sum >= 10 else -1
            self.changed.notify_all()

    def leave(self, seat: int, why: str) -> None:
        with self.changed:
            if self.winner < 0:
                self.broken = self.broken or f"player {seat} left: {why}"
            self.changed.notify_all()

    def end(self) -> None:
        self.turn = -1


class Ten(TextEnv[None]):
    card = Card("test/Ten-v0", "Reach ten.")
    blocking = True

    def __init__(self, *, seat: int = 0, **kwargs: Any) -> None:
        self.seat, self.table = seat, Table()
        super().__init__(**kwargs)

    def seats(self, index: int) -> tuple[list[Ten], Table]:
        table, envs = Table(), [Ten(seat=seat) for seat in range(2)]
        for env in envs:
            env.table = table
        return envs, table

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        return {"number": rng.randrange(1000)}

    def read_row(self, row: dict[str, Any]) -> Task:
        return Task(row["id"], (user("Add 1 to 3."),), "3", row=row)

    def begin(self, task: Task) -> None:
        self.table.wait(self.seat)
        if self.table.sum:
            self.open_with([user(f"The sum is {self.table.sum}.")])

    def respond(self, message: Any) -> list[Any]:
        text = self.answer_text
        self.table.add(self.seat, int(text) if text in "123" and text else 1)
        self.table.wait(self.seat)
        if self.table.winner >= 0:
            self.finish()
        return [user(f"The sum is {self.table.sum}.")]

    def grade(self) -> Grade:
        won = self.table.winner == self.seat
        return Grade(float(won), won, extracted_answer=None)

    def solve(self) -> str:
        return "3"


class Says(Policy):
    def __init__(self, text: str) -> None:
        self.text = text

    async def act(self, messages: Any, tools: Any, **_: Any) -> Action:
        if not self.text:
            raise RuntimeError("no model")
        return Action(assistant(self.text))


def match(*policies: Any, env: Any = None) -> list[Any]:
    return asyncio.run(textgym.play_match(env or Ten(), policies))


def test_each_seat_has_a_trajectory() -> None:
    first, second = match("oracle", Says("1"))
    assert (first["reward"], second["reward"]) == (1.0, 0.0)  # 3 + 1 + 3 + 1 + 3
    assert (len(first["steps"]), len(second["steps"])) == (3, 2)
    assert [item["env_kwargs"] for item in (first, second)] == [{"seat": 0}, {"seat": 1}]
    assert second["messages"][1]["content"] == "The sum is 3."  # before its first turn
    assert [m["role"] for m in second["messages"][:3]] == ["user", "user", "assistant"]


def test_equal_specs_are_one_policy() -> None:
    first, second = match("oracle", "oracle")
    assert {first["policy"], second["policy"]} == {"oracle"}
    assert first["reward"] + second["reward"] == 1.0


def test_a_seat_that_fails_is_a_failure_for_all() -> None:
    first, second = match("oracle", Says(""))
    assert (first["reward"], second["reward"]) == (None, None)
    assert first["failure"]["boundary"] == "environment"
    assert "player 1 left" in first["failure"]["message"]
    assert second["failure"]["boundary"] == "policy"


def test_a_seat_that_is_cut_ends_the_match(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Ten, "max_turns", 1)
    first, second = match(Says("1"), Says("1"))
    assert {first["stop_reason"], second["stop_reason"]} & {"max_turns"}


@pytest.mark.parametrize(
    ("env", "policies", "text"),
    [
        ("textgym/MCQA-v0", ["oracle"], "textgym/MCQA-v0 has no seats"),
        (None, ["oracle"], "the game has 2 seats, not 1"),
        (None, [], "the game has 2 seats, not 0"),
    ],
)
def test_what_cannot_be_played_is_refused(env: Any, policies: Any, text: str) -> None:
    with pytest.raises(UsageError, match=text):
        match(*policies, env=gymnasium.make(env) if env else None)


def test_no_seat_plays_if_a_policy_does_not_fit() -> None:
    asked = []

    class Asked(Says):
        async def act(self, messages: Any, tools: Any, **_: Any) -> Action:
            asked.append(messages)
            return await super().act(messages, tools)

    with pytest.raises(UsageError):
        match(Asked("1"), "random")  # the game has no random policy
    assert asked == []


def test_wrappers_are_refused() -> None:
    with pytest.raises(UsageError, match="plays an environment without wrappers"):
        match("oracle", "oracle", env=gymnasium.wrappers.RecordEpisodeStatistics(Ten()))


def test_what_opens_an_episode_is_saved_with_it() -> None:
    class Opens(Ten):
        card = Card("test/Opens-v0", "Reach ten.")

        def begin(self, task: Task) -> None:
            self.open_with([user("Another has moved.")])

    env = Opens()
    observation, _ = env.reset(seed=1)
    assert [m["content"] for m in observation] == ["Add 1 to 3.", "Another has moved."]
    other = Opens()
    other.set_state(env.get_state())
    assert other.get_state() == env.get_state()
