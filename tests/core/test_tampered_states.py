"""Saved states that were edited are refused with a path or restored, never in part."""

from __future__ import annotations

import copy
import json
import math
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import gymnasium as gym
import numpy as np
import pydantic
import pytest
from gymnasium.wrappers import NormalizeReward, RecordEpisodeStatistics, TimeLimit
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typing_extensions import TypedDict

import textgym
from textgym.core.episode import Grade
from textgym.core.saved_episode import declared_type, unpack_state
from textgym.errors import EnvironmentFailure, StateError, TextgymError
from textgym.messages import Message, user
from textgym.tasks.task import Task

CARD = textgym.Card("tests/Counting-v0", "Count.", ("multi-turn",), (), (), "count", ())


@dataclass
class Count:
    """A state."""

    start: int
    told: list[str] = field(default_factory=list)


class Counting(textgym.TextEnv[Count]):
    """Counts messages from a number that `begin` draws; `respond` draws, too."""

    card = CARD
    down = False

    def __init__(self, *, max_turns: int = 50, **kwargs: Any) -> None:
        super().__init__(max_turns=max_turns, **kwargs)

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        return {"n": rng.randrange(10**6)}

    def read_row(self, row: dict[str, Any]) -> Task:
        return Task(row["id"], (user(str(row["n"])),), None, row=row)

    def begin(self, task: Task) -> Count:
        if self.down:
            raise EnvironmentFailure("the guest did not start")
        return Count(int(self.np_random.integers(100)))

    def respond(self, message: Message) -> list[Message] | None:
        self.state.told.append(str(self.np_random.integers(10**9)))
        return [user(self.state.told[-1])]

    def grade(self) -> Grade:
        return Grade(0.0, False)


def begun(seed: int, turns: int = 2) -> Counting:
    env = Counting()
    env.reset(seed=seed)
    for _ in range(turns):
        env.step("x")
    return env


def changed(value: Any, path: str, to: Any) -> Any:
    """Return a copy with another value at a path; `...` removes the value."""
    copied = copy.deepcopy(value)
    *steps, last = [int(step) if step.isdecimal() else step for step in path.split(".")]
    place = copied
    for step in steps:
        place = place[step]
    if to is ...:
        del place[last]
    else:
        place[last] = to
    return copied


def refused(env: Any, state: Any, set_state: Callable[[Any, Any], None] | None = None) -> str:
    """Return the error of a refused state; check that the environment is unchanged."""
    before, twin = textgym.get_state(env), copy.deepcopy(env)
    with pytest.raises(StateError) as caught:
        (set_state or type(env).set_state)(env, state)
    assert textgym.get_state(env) == before
    assert env.step("x")[0] == twin.step("x")[0]
    told = str(caught.value)
    assert "\n" not in told
    assert len(told) < 600
    return told


GENERATOR = "np_random"
TAMPERED = [
    # the random generator
    (GENERATOR, 5),
    (GENERATOR, {}),
    (GENERATOR, []),
    (f"{GENERATOR}.bit_generator", "MT19937"),
    (f"{GENERATOR}.bit_generator", "PCG64DXSM"),
    (f"{GENERATOR}.bit_generator", None),
    (f"{GENERATOR}.bit_generator", ...),
    (f"{GENERATOR}.state", ...),
    (f"{GENERATOR}.state", 5),
    (f"{GENERATOR}.state", [1, 2]),
    (f"{GENERATOR}.state.state", ...),
    (f"{GENERATOR}.state.state", -1),
    (f"{GENERATOR}.state.state", 2**128),
    (f"{GENERATOR}.state.state", 10**4000),
    (f"{GENERATOR}.state.state", 0.5),
    (f"{GENERATOR}.state.state", math.nan),
    (f"{GENERATOR}.state.state", "5"),
    (f"{GENERATOR}.state.state", True),
    (f"{GENERATOR}.state.state", [1] * 624),
    (f"{GENERATOR}.state.inc", ...),
    (f"{GENERATOR}.state.inc", 2**128 + 1),
    (f"{GENERATOR}.state.inc", 4),
    (f"{GENERATOR}.state.pos", 5),
    (f"{GENERATOR}.has_uint32", ...),
    (f"{GENERATOR}.has_uint32", 2),
    (f"{GENERATOR}.has_uint32", "1"),
    (f"{GENERATOR}.uinteger", 2**32),
    (f"{GENERATOR}.uinteger", -1),
    (f"{GENERATOR}.uinteger", None),
    (f"{GENERATOR}.unknown", 1),
    # the state
    ("state", None),
    ("state", 5),
    ("state", []),
    ("state", {}),
    ("state.start", ...),
    ("state.start", "5"),
    ("state.start", 5.5),
    ("state.start", True),
    ("state.start", None),
    ("state.start", math.nan),
    ("state.told", ...),
    ("state.told", "x"),
    ("state.told", {}),
    ("state.told.1", 5),
    ("state.told.1", ["x"]),
    ("state.unknown", 1),
    # the rest
    ("stream", [1]),
    ("stream", [1, 2, 3]),
    ("stream", ["1", 2]),
    ("stream.0", -1),
    ("stream.0", 10**4000),
    ("stream.1", 0.5),
    ("stream.1", None),
    ("turn", -1),
    ("turn", 3),
    ("turn", 1.0),
    ("turn", True),
    ("running", 1),
    ("running", None),
    ("messages", {}),
    ("messages.0", "x"),
    ("messages.0.role", "narrator"),
    ("messages.0.role", "x" * 10_000),
    ("messages.1.content", 5),
    ("row", []),
    ("row.n", ...),
    ("row.n", math.inf),
    ("id", "tests/Other-v0"),
    ("id", None),
    ("unknown", 1),
]


@pytest.mark.parametrize(("path", "to"), TAMPERED, ids=lambda value: repr(value)[:40])
def test_a_tampered_part_is_refused_with_its_path(path: str, to: Any) -> None:
    told = refused(begun(2), changed(begun(1).get_state(), path, to))
    assert told.startswith("this is not a state of tests/Counting-v0: ")
    assert path.split(".")[0] in told or path in ("id", "row.n")


@pytest.mark.parametrize(("path", "to"), TAMPERED, ids=lambda value: repr(value)[:40])
def test_a_tampered_part_is_refused_through_wrappers(path: str, to: Any) -> None:
    def wrapped(seed: int) -> Any:
        env: Any = RecordEpisodeStatistics(TimeLimit(Counting(), max_episode_steps=9))
        env.reset(seed=seed)
        env.step("x")
        env.step("x")
        return env

    state = textgym.get_state(wrapped(1))
    env = wrapped(2)
    before = textgym.get_state(env)
    with pytest.raises(StateError):
        textgym.set_state(env, {**state, "env": changed(state["env"], path, to)})
    assert textgym.get_state(env) == before


def test_an_unchanged_state_is_accepted() -> None:
    env, other = begun(1), begun(2)
    other.set_state(json.loads(json.dumps(env.get_state())))
    assert other.get_state() == env.get_state()
    assert [other.step("x")[0] for _ in range(3)] == [env.step("x")[0] for _ in range(3)]


def test_a_failure_in_begin_changes_nothing() -> None:
    env, saved = begun(2), begun(1).get_state()
    before, env.down = env.get_state(), True
    with pytest.raises(EnvironmentFailure, match="the guest did not start"):
        env.set_state(saved)
    assert env.get_state() == before


def test_another_kind_of_generator_cannot_be_saved() -> None:
    env = begun(1)
    env.np_random = np.random.Generator(np.random.MT19937(5))
    with pytest.raises(
        StateError, match="np_random must be a PCG64 generator to be saved, not a MT19937"
    ):
        env.get_state()


@pytest.mark.parametrize("seed", [2**128, 10**5000], ids=["129 bits", "5,001 digits"])
def test_a_seed_beyond_the_maximum_is_refused(seed: int) -> None:
    with pytest.raises(textgym.errors.UsageError, match="seed must be less than"):
        begun(1).reset(seed=seed)


def test_the_type_is_read_once_per_class(monkeypatch: pytest.MonkeyPatch) -> None:
    env = begun(1)
    env.set_state(env.get_state())

    def never(*_: Any) -> Any:
        raise AssertionError("made again")

    monkeypatch.setattr(pydantic, "TypeAdapter", never)
    env.set_state(env.get_state())


# Types of states.


@dataclass(frozen=True, slots=True)
class Item:
    """A part of a state."""

    name: str
    price: float = 0.0


@dataclass
class Basket:
    """A state with parts."""

    items: list[Item]
    by_name: dict[str, Item] = field(default_factory=dict)
    last: Item | None = None
    notes: Any = None


class Told(TypedDict):
    """A state that is a TypedDict."""

    count: int
    words: list[str]


class Model(pydantic.BaseModel):
    """A state that is a pydantic model."""

    count: int = 0


BASKET = {
    "items": [{"name": "tea", "price": 2}],
    "by_name": {"tea": {"name": "tea", "price": 2.5}},
    "last": None,
    "notes": {"any": [1, "\ud800"]},
}
TEA = Item("tea", 2)


def test_a_dataclass_is_restored_with_its_parts() -> None:
    state = unpack_state(Basket([]), BASKET)
    assert state == Basket([TEA], {"tea": Item("tea", 2.5)}, None, {"any": [1, "\ud800"]})
    assert type(state.items[0].price) is int  # as it was before, so that it reads the same


TYPES = [
    pytest.param(Basket([]), Any, "items.0.price", "2", id="text in a part"),
    pytest.param(
        Basket([]), Any, "items.0.price", ..., id="part without a field that has a default"
    ),
    pytest.param(Basket([]), Any, "items.0.color", "red", id="part with one field more"),
    pytest.param(Basket([]), Any, "by_name.tea", [], id="list in place of a part"),
    pytest.param(Basket([]), Any, "last", 5, id="number in place of a part or nothing"),
    pytest.param(Basket([]), Any, "notes", ..., id="no notes"),
]


@pytest.mark.parametrize(("fresh", "declared", "path", "to"), TYPES)
def test_a_state_with_parts_is_refused_with_its_path(
    fresh: Any, declared: Any, path: str, to: Any
) -> None:
    with pytest.raises(StateError, match=rf"^state\.{path.split('.')[0]}"):
        unpack_state(fresh, changed(BASKET, path, to), declared)


@pytest.mark.parametrize(
    ("fresh", "declared", "right", "wrong"),
    [
        pytest.param({"count": 0, "words": []}, Told, {"count": 5, "words": ["a"]},
                     [{"count": 5}, {"count": "5", "words": []}, {"count": 5, "words": [5]},
                      {"count": 5, "words": [], "more": 1}, [], None], id="object with types"),
        pytest.param({}, dict[str, int], {"a": 1, "\ud800": 2},
                     [{"a": "1"}, {"a": None}, {"a": True}, [1]], id="object of numbers"),
        pytest.param([], list[list[int]], [[1], []], [[1], [["1"]], {}, None], id="list"),
        pytest.param(None, type(None), None, [0, "", {}, []], id="none"),
        pytest.param(0, int | None, 5, ["5", 0.5, True], id="number or none"),
        pytest.param(Model(), Any, {"count": 5}, [{"count": "5"}, [], 5, {"count": None}],
                     id="model"),
        pytest.param({"at": None, "seen": {}, "name": ""}, Any,
                     {"at": [1], "seen": {"x": 1}, "name": "x", "more": 1},
                     [{}, {"at": 1, "seen": {}}, {"at": 1, "seen": [], "name": ""},
                      {"at": 1, "seen": {}, "name": 5}, [], None, 5], id="type that nobody tells"),
        pytest.param(None, Any, {"anything": 1}, [], id="none of no type"),
    ],
)  # fmt: skip
def test_a_state_is_checked_against_its_type(
    fresh: Any, declared: Any, right: Any, wrong: list[Any]
) -> None:
    assert unpack_state(fresh, right, declared) in (right, Model(count=5))
    for value in [*wrong, {"x": {1, 2}}, {"x": math.nan}]:
        with pytest.raises(StateError):
            unpack_state(fresh, value, declared)


def test_a_type_that_pydantic_does_not_support_is_made_from_its_fields() -> None:
    class Thing:
        pass

    @dataclass
    class Local:
        """A local type of states."""

        thing: Thing | int

    assert unpack_state(Local(0), {"thing": 5}) == Local(5)
    for data in ({}, {"thing": 1, "more": 2}, [], 5):
        with pytest.raises(StateError):
            unpack_state(Local(0), data)


def test_a_restored_state_shares_nothing_with_the_data() -> None:
    for declared in (Told, Any):
        data = {"count": 1, "words": ["a"]}
        read = unpack_state({"count": 0, "words": []}, data, declared)
        read["words"].append("b")
        assert data["words"] == ["a"]


class Annotated(Counting):
    def begin(self, task: Task) -> dict[str, int]:  # type: ignore[override]
        return {}


class Unannotated(Counting):
    def begin(self, task):  # type: ignore[no-untyped-def, override]
        return {"a": 1}


class Silent(textgym.TextEnv[list[int]]):
    def begin(self, task):  # type: ignore[no-untyped-def]
        return []


class Anything(Silent):
    def begin(self, task: Task) -> Any:
        return {}


class NoBegin(textgym.TextEnv[None]):
    pass


class Child(NoBegin):
    pass


def test_declared_types_of_states_are_found() -> None:
    class Local:
        pass

    class Unknown(Counting):
        def begin(self, task: Task) -> Local:  # type: ignore[override]
            return Local()

    classes: list[Any] = [Counting, Annotated, Unannotated, Silent, Anything, NoBegin, Child,
                          Unknown, textgym.TextEnv]  # fmt: skip
    assert [declared_type(cls, textgym.TextEnv) for cls in classes] == [
        Count, dict[str, int], Any, list[int], Any, type(None), type(None), Any, Any,
    ]  # fmt: skip


# Wrappers.


def stacked() -> Any:
    env: Any = TimeLimit(Counting(max_turns=3), max_episode_steps=20)
    env = NormalizeReward(RecordEpisodeStatistics(env))
    env.reset(seed=1)
    for _ in range(4):
        if any(env.step("x")[2:4]):
            env.reset()
    return env


LIMIT, COUNTS, REWARDS = "wrappers.2.1", "wrappers.1.1", "wrappers.0.1"


@pytest.mark.parametrize(
    ("path", "to"),
    [
        (f"{LIMIT}._elapsed_steps", "5"),
        (f"{LIMIT}._elapsed_steps", None),
        (f"{LIMIT}._elapsed_steps", []),
        (f"{LIMIT}._elapsed_steps", True),
        (f"{LIMIT}._elapsed_steps", math.nan),
        (f"{LIMIT}._elapsed_steps", ...),
        (f"{LIMIT}._max_episode_steps", ...),
        (f"{LIMIT}.unknown", 5),
        (f"{LIMIT}.env", 5),
        (f"{LIMIT}._action_space", 5),
        (f"{COUNTS}.return_queue", 5),
        (f"{COUNTS}.return_queue", "abc"),
        (f"{COUNTS}.episode_count", "5"),
        (f"{COUNTS}._stats_key", 5),
        (f"{REWARDS}.discounted_reward", "5"),
        (f"{REWARDS}.discounted_reward", [1.0, 2.0]),
        (f"{REWARDS}.discounted_reward", ["1"]),
        (f"{REWARDS}.discounted_reward", [10**400]),
        (f"{REWARDS}.return_rms", 5),
        (f"{REWARDS}.return_rms.update", 5),
        (f"{REWARDS}.return_rms.mean", ...),
        (f"{REWARDS}.return_rms.var", -1.0),
        (f"{REWARDS}.return_rms.count", 0),
        (f"{REWARDS}.return_rms.count", "5"),
        ("wrappers.0", 5),
        ("wrappers.0.0", "TimeLimit"),
        ("wrappers.0.1", []),
        ("wrappers", ...),
        ("env", ...),
    ],
    ids=lambda value: repr(value)[:50],
)
def test_a_tampered_wrapper_is_refused(path: str, to: Any) -> None:
    state = json.loads(json.dumps(textgym.get_state(stacked())))
    env = stacked()
    env.step("x")
    assert refused(env, changed(state, path, to), textgym.set_state)


@pytest.mark.parametrize("steps", [0, 2], ids=["fresh", "played"])
def test_unchanged_wrappers_are_accepted(steps: int) -> None:
    env = stacked()
    state = json.loads(json.dumps(textgym.get_state(env)))
    other: Any = NormalizeReward(
        RecordEpisodeStatistics(TimeLimit(Counting(max_turns=3), max_episode_steps=20))
    )
    if steps:
        other.reset(seed=5)
    textgym.set_state(other, state)
    assert textgym.get_state(other) == state
    assert [other.step("x")[:4] for _ in range(1)] == [env.step("x")[:4] for _ in range(1)]


class Remembers(gym.Wrapper[Any, Any, Any, Any]):
    """Keeps the last message and the best reward; both are None at first."""

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self.last: str | None = None
        self.best: float | None = None

    def step(self, action: Any) -> Any:
        result = self.env.step(action)
        self.last, self.best = str(action), float(result[1])
        return result


def test_a_custom_wrapper_may_hold_none() -> None:
    env, fresh = Remembers(Counting()), Remembers(Counting())
    env.reset(seed=1)
    before = textgym.get_state(env)
    env.step("x")
    after = textgym.get_state(env)
    for state in (before, after):
        for other in (env, fresh):
            textgym.set_state(other, state)
            assert textgym.get_state(other) == state
    for path, to in (("wrappers.0.1.last", 5), ("wrappers.0.1.best", "5")):
        with pytest.raises(StateError):
            textgym.set_state(env, changed(after, path, to))


def test_the_counter_of_a_new_limit_is_a_number() -> None:
    env: Any = TimeLimit(Counting(), max_episode_steps=9)
    env.reset(seed=1)
    state = textgym.get_state(env)
    for to in ("5", None, True):
        with pytest.raises(StateError):
            textgym.set_state(
                TimeLimit(Counting(), max_episode_steps=9),
                changed(state, "wrappers.0.1._elapsed_steps", to),
            )


# Every environment.

SETTINGS = settings(
    max_examples=40,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
VALUES = st.sampled_from(
    [None, True, False, 0, -1, 1, 5, 10**9, 10**30, 10**400, 0.5, 1e308, math.nan, math.inf, "",
     "x", "5", "\ud800", "x" * 2000, [], [[]], [1], ["x"], {}, {"a": 1}, {"x": None}, ...]
) | st.integers(1, 150).map(lambda depth: json.loads("[" * depth + "]" * depth))  # fmt: skip


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    if isinstance(value, (dict, list)):
        for name, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(item, (*path, name))


@cache
def saved(id: str, steps: int) -> tuple[str, list[tuple[Any, ...]], Any]:
    """Return a saved state, its paths, and another environment, made once each."""
    env, other = (gym.make(id, max_episode_steps=50, disable_env_checker=True) for _ in range(2))
    env.reset(seed=3)
    inner: Any = env.unwrapped
    for _ in range(steps):
        env.step(inner.solve())
        if not inner._running:
            env.reset()
    state = json.dumps(textgym.get_state(env))
    return state, list(places(json.loads(state))), other


def refusal(env: Any, state: Any) -> str:
    """Return the error of a refused state; "" if it is accepted."""
    try:
        textgym.set_state(env, state)
    except StateError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("id", textgym.ids(guests=False))
@SETTINGS
@given(data=st.data(), steps=st.integers(0, 2))
def test_a_changed_state_is_refused_or_can_be_continued(id: str, data: Any, steps: int) -> None:
    text, all_places, env = saved(id, steps)
    textgym.set_state(env, json.loads(text))
    state = json.loads(text)
    for _ in range(data.draw(st.integers(1, 2))):
        *path, last = data.draw(st.sampled_from(all_places))
        value, place = data.draw(VALUES), state
        try:
            for step in path:
                place = place[step]
            if value is ...:
                del place[last]
            else:
                place[last] = value
        except (LookupError, TypeError):
            continue  # the change before this one took the place away
    env.reset(seed=99)
    before = textgym.get_state(env)
    if problem := refusal(env, state):
        assert "\n" not in problem
        assert textgym.get_state(env) == before
        return
    call = {"function": {"name": "get_counter_value", "arguments": "{}"}}
    called: Any = {"role": "assistant", "content": None, "tool_calls": [call]}
    for action in (called, "\\boxed{A} 5", "[]"):
        try:
            env.step(action)
        except (TextgymError, gym.error.Error):
            break
    env.unwrapped._rendered(0)
    env.reset()
