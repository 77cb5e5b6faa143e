"""Live resources: opened by `begin`, closed by `on_close`, rebuilt by `on_restore`."""

from __future__ import annotations

import copy
import pickle
import threading
from typing import Any

import pytest
from library import Library, borrow

import textgym
from textgym.errors import EnvironmentFailure, StateError, UsageError


class Connection:
    """Stands for a connection: it cannot be copied, and knows whether it is open."""

    opened: list[Connection] = []

    def __init__(self) -> None:
        self.lock, self.open, self.books = threading.Lock(), True, []  # type: ignore[var-annotated]
        self.opened.append(self)

    def close(self) -> None:
        assert self.open, "closed twice"
        self.open = False


class Desk(Library):
    """Keeps books in a connection, and their numbers in the state."""

    fail = ""

    def begin(self, task: Any) -> Any:
        self.connection = Connection()
        if self.fail == "begin":
            raise EnvironmentFailure("the desk is closed")
        return {"borrowed": []}

    def on_close(self) -> None:
        self.connection.close()

    def on_restore(self) -> None:
        if self.fail == "on_restore":
            raise EnvironmentFailure("the desk is closed")
        self.connection.books = list(self.state["borrowed"])

    @property
    def books(self) -> list[int]:
        assert self.connection.open
        return self.connection.books

    @textgym.tool
    def borrow(self, book: int) -> str:
        """Borrow a book."""
        self.connection.books.append(book)
        return super().borrow(book)

    def grade(self) -> Any:
        if self.fail == "grade":
            raise EnvironmentFailure("the judge is down")
        assert self.books == self.state["borrowed"]
        return super().grade()


@pytest.fixture(autouse=True)
def opened() -> list[Connection]:
    Connection.opened.clear()
    return Connection.opened


@pytest.fixture
def desk() -> Any:
    desk = Desk()
    desk.reset(seed=1)
    desk.step(borrow(5))
    return desk


def open_ones() -> int:
    return sum(connection.open for connection in Connection.opened)


def test_one_connection_is_open_in_each_episode(desk: Any, opened: list[Connection]) -> None:
    for _ in range(3):
        desk.reset()
        assert (open_ones(), desk.books) == (1, [])
    assert len(opened) == 4


def test_close_closes_it_once(desk: Any) -> None:
    desk.close()
    desk.close()
    assert open_ones() == 0


def test_nothing_is_closed_before_the_first_episode() -> None:
    Desk().close()
    assert Connection.opened == []


def test_a_closed_environment_needs_a_reset(desk: Any) -> None:
    desk.close()
    with pytest.raises(UsageError, match="call reset before step"):
        desk.step("Done.")
    desk.reset()
    assert open_ones() == 1


def test_a_restored_state_is_brought_to_the_connection(desk: Any) -> None:
    saved = desk.get_state()
    for other in (Desk(), desk, copy.copy(desk), pickle.loads(pickle.dumps(desk))):
        other.set_state(saved)
        assert other.books == [5]
        other.step(borrow(6))
        assert other.books == [5, 6]


def test_set_state_closes_the_old_connection(desk: Any) -> None:
    desk.set_state(desk.get_state())
    assert open_ones() == 1
    desk.close()
    assert open_ones() == 0


@pytest.mark.parametrize("fail", ["begin", "on_restore"])
def test_a_state_that_cannot_be_restored_keeps_the_connection(desk: Any, fail: str) -> None:
    saved, before = desk.get_state(), desk.connection
    desk.fail = fail
    with pytest.raises(EnvironmentFailure):
        desk.set_state(saved)
    assert desk.connection is before
    desk.fail = ""
    assert desk.books == [5]
    assert desk.step(borrow(6))[2] is False


def test_a_refused_state_closes_the_connection_that_was_opened_for_it(desk: Any) -> None:
    with pytest.raises(StateError):
        desk.set_state({**desk.get_state(), "state": 5})
    assert (open_ones(), desk.books) == (1, [5])


def test_a_failed_step_is_undone_in_the_connection(desk: Any) -> None:
    desk.max_turns = 2
    desk.fail = "grade"
    for _ in range(2):
        with pytest.raises(EnvironmentFailure):
            desk.step(borrow(6, 7))
        assert desk.books == [5]
    desk.fail = ""
    desk.step(borrow(6, 7))
    assert desk.books == [5, 6, 7]


def test_a_call_that_raised_is_undone_in_the_connection(desk: Any) -> None:
    desk.step(borrow(6, 10**30, 7))
    assert desk.books == [5, 6, 7]


def test_a_step_that_cannot_be_undone_ends_the_episode(desk: Any) -> None:
    desk.fail = "on_restore"
    with pytest.raises(EnvironmentFailure):
        desk.step(borrow(10**30))
    desk.fail = ""
    with pytest.raises(UsageError, match="call reset before step"):
        desk.step(borrow(6))


def test_begin_that_failed_leaves_no_episode() -> None:
    desk = Desk()
    desk.reset(seed=1)
    desk.fail = "begin"
    with pytest.raises(EnvironmentFailure):
        desk.reset(seed=2)
    with pytest.raises(StateError, match="there is no episode"):
        desk.get_state()
    with pytest.raises(UsageError, match="call reset before step"):
        desk.step("Done.")


def test_begin_that_fails_half_way_leaves_the_old_state() -> None:
    class Careless(Library):
        fail = False

        def begin(self, task: Any) -> Any:
            if self.fail:
                self.state["borrowed"].append("half")
                raise EnvironmentFailure("the desk is closed")
            return {"borrowed": []}

    env = Careless()
    env.reset(seed=1)
    before = env.get_state()
    env.fail = True
    with pytest.raises(EnvironmentFailure):
        env.set_state(before)
    assert env.get_state() == before


def test_a_connection_in_the_state_is_refused_with_what_to_do_instead() -> None:
    class Wrong(Library):
        def begin(self, task: Any) -> Any:
            return {"borrowed": [], "connection": Connection()}

    env = Wrong()
    env.reset(seed=1)
    told = r"^the state of Wrong cannot be copied \(TypeError: .*lock.*\): begin must return data;"
    with pytest.raises(UsageError, match=told):
        env.step(borrow(5))
    told = r"^the state of Wrong cannot be represented in JSON: .*, which begin and on_restore set$"
    with pytest.raises(StateError, match=told):
        env.get_state()
