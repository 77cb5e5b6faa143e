"""`TextEnv`: turns, tools, limits, failures in a step, seeds, saved states and copies."""

from __future__ import annotations

import copy
import inspect
import json
import math
import pickle
import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from textgym.core.authoring import TextEnvOptions
from textgym.core.card import Card
from textgym.core.episode import Grade
from textgym.core.text_env import TextEnv
from textgym.errors import (
    BoundaryFailure,
    EnvironmentFailure,
    InvalidActionError,
    OracleError,
    RewardError,
    RowError,
    StateError,
    UnknownNameError,
    UsageError,
)
from textgym.messages import Message, assistant, system, user
from textgym.tasks.task import Task
from textgym.tools import tool


def card_of(name: str, **more: Any) -> Card:
    """Make a card of a test's environment."""
    return Card(f"tests/{name}-v0", "For tests.", ("multi-turn",), (), (), "test", (), **more)


class Echo(TextEnv[None]):
    """One message, right if it is the word; all defaults otherwise."""

    card = card_of("Echo", levels=(1, 2))

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        return {"word": f"w{rng.randrange(10**6)}", "length": level}

    def read_row(self, row: dict[str, Any]) -> Task:
        if not isinstance(row.get("word"), str):
            raise RowError("word", "is missing")
        prompt = (system("Repeat."), user(row["word"]))
        return Task(row["id"], prompt, row["word"], row=row)

    def grade(self) -> Grade:
        right = self.answer_text == self.task.answer
        return Grade(float(right), right, {"same": float(right)}, self.answer_text)


@dataclass
class Count:
    """The state of `Guess`."""

    secret: int
    told: list[str] = field(default_factory=list)


class Guess(TextEnv[Count]):
    """Guess a number; the user says higher or lower. Its secret comes from `np_random`."""

    card = card_of("Guess")
    fail = ""  # set on an instance: what raises a failure, and where
    error: type[BaseException] = EnvironmentFailure

    def __init__(self, *, max_turns: int = 5, **kwargs: Any) -> None:
        super().__init__(max_turns=max_turns, **kwargs)

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        return {"low": rng.randrange(1000)}

    def read_row(self, row: dict[str, Any]) -> Task:
        return Task(row["id"], (user(f"From {row['low']}."),), row["low"], row=row)

    def begin(self, task: Task) -> Count:
        return Count(task.answer + int(self.np_random.integers(10)))

    def respond(self, message: Message) -> list[Message] | None:
        text = self.answer_text
        if not text.isdecimal():
            return None
        if int(text) == self.state.secret:
            return None
        word = "higher" if int(text) < self.state.secret else "lower"
        self.state.told.append(f"{word} {self.np_random.integers(10**6)}")
        if self.fail == "respond":
            raise self.error("the user is gone")
        return [user(self.state.told[-1])]

    def grade(self) -> Grade:
        if self.fail == "grade":
            raise self.error("the judge is down")
        right = self.answer_text == str(self.state.secret)
        return Grade(float(right), right, {"right": float(right)}, self.answer_text)


class Shop(TextEnv[dict[str, Any]]):
    """Put things in a basket with tools, and pay."""

    card = card_of("Shop")
    fail = False

    def __init__(self, *, max_turns: int = 10, **kwargs: Any) -> None:
        super().__init__(max_turns=max_turns, **kwargs)

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        return {"want": rng.randrange(1000)}

    def read_row(self, row: dict[str, Any]) -> Task:
        offered = row.get("tools")
        tools = None if offered is None else tuple(
            {"type": "function", "function": {"name": name, "parameters": {}}} for name in offered
        )  # fmt: skip
        return Task(row["id"], (user("Buy tea."),), ["tea"], tools, row)

    def begin(self, task: Task) -> dict[str, Any]:
        return {"basket": [], "paid": False}

    @tool
    def put(self, thing: str) -> str:
        """Put a thing in the basket.

        Args:
            thing: What.
        """
        self.state["basket"].append(thing)
        if self.fail:
            raise ConnectionError("the basket broke")
        return f"put {thing} #{self.np_random.integers(10**6)}"

    @tool
    def pay(self) -> dict[str, bool]:
        """Pay and leave."""
        self.state["paid"] = True
        self.finish()
        return {"paid": True}

    def grade(self) -> Grade:
        right = self.state["paid"] and self.state["basket"] == self.task.answer
        return Grade(float(right), right, info={"things": len(self.state["basket"])})


def calls(*named: Any, content: str | None = None) -> dict[str, Any]:
    """Make a message that calls tools: names, or pairs of a name and its arguments."""
    pairs = [item if isinstance(item, tuple) else (item, "{}") for item in named]
    return {
        "role": "assistant",
        "content": content,
        "tool_calls": [
            {"id": f"c{k}", "type": "function", "function": {"name": n, "arguments": a}}
            for k, (n, a) in enumerate(pairs)
        ],
    }


PUT = ("put", '{"thing": "tea"}')


def begun(cls: type[TextEnv[Any]], seed: int = 1, **kwargs: Any) -> Any:
    """Make an environment and begin an episode."""
    env = cls(**kwargs)
    env.reset(seed=seed)
    return env


def transcript(env: Any) -> list[Any]:
    """Return the conversation as `get_state` and the task hold it."""
    return [*env.task.messages, *env.get_state()["messages"]]


# One message.


def test_right_answer_ends_the_episode() -> None:
    env = begun(Echo)
    answer = env.task.answer
    observation, reward, terminated, truncated, info = env.step(answer)
    assert observation == [system("Repeat."), user(answer), assistant(answer)]
    assert (reward, terminated, truncated) == (1.0, True, False)
    assert info == {
        "task_id": env.task.id,
        "reward_components": {"same": 1.0},
        "is_success": True,
        "stop_reason": "answer",
        "extracted_answer": answer,
        "verdict_reason": "",
    }


def test_reset_info_has_task_and_tools() -> None:
    _, info = Echo().reset(options={"index": 3})
    assert info == {"task_id": "train-mixed-3", "tools": []}


def test_text_is_shorthand_for_a_message() -> None:
    one, other = begun(Echo), begun(Echo)
    assert one.step("tea") == other.step(assistant("tea"))


@pytest.mark.parametrize("message", ["", {"role": "assistant"}, assistant("")],
                         ids=["empty text", "no content", "empty message"])  # fmt: skip
@pytest.mark.parametrize("cls", [Echo, Guess, Shop])
def test_empty_message_ends(cls: type[TextEnv[Any]], message: Any) -> None:
    _, reward, terminated, truncated, info = begun(cls).step(message)
    assert (reward, terminated, truncated) == (0.0, True, False)
    assert info["stop_reason"] == "answer"


def test_step_after_the_end() -> None:
    env = begun(Echo)
    env.step("x")
    with pytest.raises(UsageError, match="call reset before step"):
        env.step("x")


def test_step_before_reset() -> None:
    with pytest.raises(UsageError, match="call reset before step"):
        Echo().step("x")


def test_reset_in_the_middle_begins_anew() -> None:
    env = begun(Guess)
    env.step("0")
    observation, _ = env.reset()
    assert len(observation) == 1
    assert (env.turn, env.state.told) == (0, [])


@pytest.mark.parametrize("action", [None, 5, user("x"), [], b"x", {"role": "assistant",
                         "content": 5}], ids=repr)  # fmt: skip
def test_invalid_action_changes_nothing(action: Any) -> None:
    env = begun(Guess)
    before = env.get_state()
    with pytest.raises(InvalidActionError, match="an assistant message or a text"):
        env.step(action)
    assert env.get_state() == before


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        pytest.param("<think>a</think>b", "b", id="closed"),
        pytest.param("<think>b", "", id="never closed"),
        pytest.param("b<think>", "", id="opened after the answer"),
        pytest.param("<think>a</think>b<think>c", "", id="opened again"),
        pytest.param("a</think>b", "b", id="only closed"),
        pytest.param("b", "b", id="none"),
    ],
)
def test_thinking_is_not_an_answer(text: str, answer: str) -> None:
    env = begun(Echo)
    assert env.step(text)[4]["extracted_answer"] == answer


def test_reasoning_content_is_not_an_answer() -> None:
    env = begun(Echo)
    message = {"role": "assistant", "content": "", "reasoning_content": env.task.answer}
    assert env.step(message)[1] == 0.0


def test_text_parts_are_joined() -> None:
    env = begun(Echo)
    word = env.task.answer
    parts = [{"type": "text", "text": word[:2]}, {"type": "text", "text": word[2:]}]
    assert env.step({"role": "assistant", "content": parts})[1] == 1.0


def test_no_answer_before_the_first_message() -> None:
    class Example(Echo):
        def read_row(self, row: dict[str, Any]) -> Task:
            return Task("t", (user("?"), assistant("an example"), user("?")), "x", row=row)

    env = begun(Example)
    assert env.answer_text == ""


# Turns.


def test_user_speaks_again() -> None:
    env = begun(Guess)
    observation, reward, terminated, truncated, info = env.step("0")
    assert [item["role"] for item in observation] == ["user", "assistant", "user"]
    assert (reward, terminated, truncated) == (0.0, False, False)
    assert info == {"task_id": env.task.id}
    assert env.step(str(env.state.secret))[1:3] == (1.0, True)


def test_observation_only_grows() -> None:
    env = Guess()
    before, _ = env.reset(seed=1)
    for _ in range(5):
        after = env.step("0")[0]
        assert after[: len(before)] == before
        before = after


def test_max_turns_is_graded_and_truncated() -> None:
    env = begun(Guess, max_turns=2)
    assert env.step("0")[2:4] == (False, False)
    _, reward, terminated, truncated, info = env.step("0")
    assert (reward, terminated, truncated) == (0.0, False, True)
    assert info["stop_reason"] == "max_turns"
    assert info["reward_components"] == {"right": 0.0}
    with pytest.raises(UsageError, match="call reset"):
        env.step("0")


def test_reward_at_the_cut_is_the_graded_one() -> None:
    class Kind(Guess):
        def grade(self) -> Grade:
            return Grade(0.5, False)

    assert begun(Kind, max_turns=1).step("0")[1:4] == (0.5, False, True)


def test_answer_in_the_last_turn_is_terminated() -> None:
    env = begun(Guess, max_turns=1)
    assert env.step(str(env.state.secret))[1:4] == (1.0, True, False)


def test_reply_of_no_messages_goes_on() -> None:
    class Silent(Guess):
        def respond(self, message: Message) -> list[Message] | None:
            return []

    assert begun(Silent).step("0")[2:4] == (False, False)


def test_reply_is_copied() -> None:
    kept: list[Message] = [user("again")]

    class Keeping(Guess):
        def respond(self, message: Message) -> list[Message] | None:
            return kept

    env = begun(Keeping)
    env.step("0")
    kept[0]["content"] = "spoilt"
    assert env.step("0")[0][2] == user("again")


# What is handed out and in.


def spoil(value: Any) -> None:
    """Change everything in a nested structure."""
    if isinstance(value, dict):
        for item in value.values():
            spoil(item)
        value.clear()
    elif isinstance(value, list):
        for item in value:
            spoil(item)
        value.clear()


@pytest.mark.parametrize("cls", [Echo, Guess, Shop])
def test_modifying_observations_and_infos_changes_nothing(cls: type[TextEnv[Any]]) -> None:
    clean, spoilt = cls(), cls()
    for seed in range(3):
        expected, given = clean.reset(seed=seed), spoilt.reset(seed=seed)
        for _ in range(3):
            assert given == expected
            spoil(list(given))
            action, other = calls(PUT), calls(PUT)
            expected, given = clean.step(action), spoilt.step(other)  # type: ignore[assignment]
            spoil(other)
            if expected[2:4] != (False, False):
                break
        assert given == expected


def test_tools_of_a_task_are_fresh_each_time() -> None:
    env = Shop()
    row = {"want": 1, "tools": ["pay"]}
    spoil(env.reset(options={"task": row})[1]["tools"])
    tools = env.reset(options={"task": row})[1]["tools"]
    assert [item["function"]["name"] for item in tools] == ["pay"]


# Tools.


def test_tool_schemas_are_in_info() -> None:
    _, info = Shop().reset(seed=1)
    assert [item["function"]["name"] for item in info["tools"]] == ["pay", "put"]


def test_every_call_gets_its_answer_and_the_episode_goes_on() -> None:
    env = begun(Shop)
    observation, reward, terminated, truncated, _ = env.step(calls(PUT))
    assert observation[-1]["role"] == "tool"
    assert observation[-1]["tool_call_id"] == "c0"
    assert observation[-1]["content"].startswith("put tea #")
    assert (reward, terminated, truncated) == (0.0, False, False)


def test_finish_ends_after_the_call() -> None:
    env = begun(Shop)
    env.step(calls(PUT))
    observation, reward, terminated, truncated, info = env.step(calls("pay"))
    assert (reward, terminated, truncated) == (1.0, True, False)
    assert observation[-1]["content"] == '{"paid": true}'
    assert (info["stop_reason"], info["things"]) == ("answer", 1)


def test_parallel_calls_run_in_their_order() -> None:
    env = begun(Shop)
    observation = env.step(calls(("put", '{"thing": "a"}'), ("put", '{"thing": "b"}')))[0]
    assert env.state["basket"] == ["a", "b"]
    assert [item["tool_call_id"] for item in observation[-2:]] == ["c0", "c1"]


def test_calls_after_the_end_are_not_run() -> None:
    env = begun(Shop)
    observation, reward, terminated, _, _ = env.step(calls(PUT, "pay", PUT, "nothing"))
    assert (reward, terminated, env.state["basket"]) == (1.0, True, ["tea"])
    assert [item["tool_call_id"] for item in observation[-4:]] == ["c0", "c1", "c2", "c3"]
    assert all("not run" in item["content"] for item in observation[-2:])


def test_end_of_one_episode_is_forgotten_in_the_next() -> None:
    env = begun(Shop)
    env.step(calls("pay"))
    env.reset()
    assert env.step(calls(PUT))[2] is False
    assert env.state["basket"] == ["tea"]


def test_missing_ids_name_turn_and_place() -> None:
    env = begun(Shop)
    message = calls(PUT, PUT)
    for call in message["tool_calls"]:
        del call["id"]
    env.step(calls(PUT))
    observation = env.step(message)[0]
    assert [call["id"] for call in observation[-3]["tool_calls"]] == ["call_1_0", "call_1_1"]
    assert [item["tool_call_id"] for item in observation[-2:]] == ["call_1_0", "call_1_1"]


def test_text_beside_calls_does_not_end() -> None:
    assert begun(Shop).step(calls(PUT, content="I am done."))[2:4] == (False, False)


@pytest.mark.parametrize("none", [None, []], ids=["null", "empty list"])
def test_text_with_no_calls_ends(none: Any) -> None:
    message = {"role": "assistant", "content": "I am done.", "tool_calls": none}
    assert begun(Shop).step(message)[2] is True


def test_respond_is_not_asked_about_calls() -> None:
    class Listening(Shop):
        def respond(self, message: Message) -> list[Message] | None:
            raise AssertionError("asked")

    assert begun(Listening).step(calls(PUT))[2] is False


def test_end_in_the_last_turn_is_not_truncated() -> None:
    assert begun(Shop, max_turns=1).step(calls("pay"))[2:4] == (True, False)


def test_calls_use_up_turns() -> None:
    env = begun(Shop, max_turns=2)
    env.step(calls(PUT))
    assert env.step(calls(PUT))[2:4] == (False, True)


@pytest.mark.parametrize("name", ["reset", "grade", "finish", "__init__", "state", ""])
def test_only_tools_can_be_called(name: str) -> None:
    observation, _, terminated, _, _ = begun(Shop).step(calls(name))
    assert observation[-1]["content"].startswith("Error: there is no tool")
    assert terminated is False


def test_only_offered_tools_can_be_called() -> None:
    env = Shop()
    _, info = env.reset(options={"task": {"want": 1, "tools": ["put"]}})
    assert [item["function"]["name"] for item in info["tools"]] == ["put"]
    observation, _, terminated, _, _ = env.step(calls("pay"))
    assert observation[-1]["content"] == "Error: there is no tool 'pay'; the tools are: put"
    assert (terminated, env.state["paid"]) == (False, False)


def test_task_may_offer_no_tool() -> None:
    env = Shop()
    assert env.reset(options={"task": {"want": 1, "tools": []}})[1]["tools"] == []
    assert "Error" in env.step(calls("pay"))[0][-1]["content"]


@pytest.mark.parametrize("arguments", ["{", "[]", "5", '{"thing": 5}', '{"x": 1}', "{}"])
def test_broken_arguments_give_an_error_and_change_nothing(arguments: str) -> None:
    env = begun(Shop)
    observation = env.step(calls(("put", arguments)))[0]
    assert observation[-1]["content"].startswith("Error: ")
    assert env.state["basket"] == []


def test_null_is_an_absent_argument() -> None:
    content = begun(Shop).step(calls(("put", '{"thing": null}')))[0][-1]["content"]
    assert "thing: Field required" in content


# A step that fails.


@pytest.mark.parametrize("error", [EnvironmentFailure, RuntimeError, KeyboardInterrupt])
@pytest.mark.parametrize("place", ["respond", "grade"])
@pytest.mark.parametrize("played", [0, 2], ids=["first step", "third step"])
def test_failed_step_leaves_everything_as_it_was(
    place: str, error: type[BaseException], played: int
) -> None:
    env, untouched = begun(Guess), begun(Guess)
    for _ in range(played):
        env.step("0")
        untouched.step("0")
    env.fail, env.error = place, error
    action = "0" if place == "respond" else str(env.state.secret)
    before = json.dumps(env.get_state())
    for _ in range(3):
        with pytest.raises(error):
            env.step(action)
        assert json.dumps(env.get_state()) == before
    env.fail = ""
    assert env.step(action) == untouched.step(action)
    assert env.get_state() == untouched.get_state()


def test_failed_tool_leaves_earlier_calls_undone() -> None:
    env, untouched = begun(Shop), begun(Shop)
    env.fail = True
    with pytest.raises(EnvironmentFailure, match="tool 'put': ConnectionError: the basket broke"):
        env.step(calls(PUT, PUT))
    assert env.state == {"basket": [], "paid": False}
    env.fail = False
    assert env.step(calls(PUT, PUT)) == untouched.step(calls(PUT, PUT))


def test_first_draw_in_a_failed_step_is_taken_back() -> None:
    class Drawing(Echo):
        fail = True

        def respond(self, message: Message) -> list[Message] | None:
            drawn = self.np_random.integers(10**9)
            if self.fail:
                raise EnvironmentFailure("gone")
            return [user(str(drawn))]

    env, untouched = begun(Drawing, max_turns=3), begun(Drawing, max_turns=3)
    with pytest.raises(BoundaryFailure):
        env.step("x")
    env.fail = untouched.fail = False
    assert env.step("x") == untouched.step("x")


def test_failure_after_finish_does_not_end() -> None:
    class Doubtful(Shop):
        def grade(self) -> Grade:
            if self.fail:
                raise EnvironmentFailure("the judge is down")
            return super().grade()

    env = begun(Doubtful)
    env.fail = True
    with pytest.raises(BoundaryFailure):
        env.step(calls("pay"))
    env.fail = False
    assert env.step(calls(PUT))[2] is False
    assert env.step(calls("pay"))[1:3] == (1.0, True)


def graded(reward: float, **more: Any) -> type[Echo]:
    """Make an environment that gives this reward."""

    class Giving(Echo):
        card = card_of("Giving", **more)

        def grade(self) -> Grade:
            return Grade(reward, False)

    return Giving


@pytest.mark.parametrize("reward", [1.001, -0.001, math.nan, math.inf, -math.inf], ids=str)
def test_reward_outside_the_range(reward: float) -> None:
    env = begun(graded(reward))
    before = env.get_state()
    with pytest.raises(RewardError, match=r"tests/Giving-v0 graded .* outside its range 0\.0 to 1"):
        env.step("x")
    assert env.get_state() == before


@pytest.mark.parametrize("reward", [-2.0, 3.0, 0], ids=str)
def test_declared_range_is_allowed(reward: float) -> None:
    given = begun(graded(reward, reward_range=(-2.0, 3.0))).step("x")[1]
    assert given == reward
    assert type(given) is float


def test_range_may_follow_the_arguments() -> None:
    class Wide(graded(5.0)):  # type: ignore[misc]
        @property
        def reward_range(self) -> tuple[float, float]:
            return (0.0, 5.0)

    assert begun(Wide).step("x")[1] == 5.0


# Tasks and seeds.


@pytest.mark.parametrize("index", [3, np.int64(3), np.array(3), np.uint8(3)],
                         ids=["int", "int64", "array", "uint8"])  # fmt: skip
def test_index_option(index: Any) -> None:
    assert Echo().reset(options={"index": index})[1]["task_id"] == "train-mixed-3"


@pytest.mark.parametrize(
    ("index", "told"),
    [
        pytest.param(-1, "no task -1; indices are 0 to 499", id="negative"),
        pytest.param(500, "no task 500; indices are 0 to 499", id="too large"),
        pytest.param(np.int64(500), "no task 500", id="numpy too large"),
        pytest.param(1.0, "an integer, not a float", id="float"),
        pytest.param("1", "an integer, not a str", id="text"),
        pytest.param(None, "an integer, not a NoneType", id="null"),
        pytest.param(np.array([1, 2]), "an integer, not a ndarray", id="array"),
    ],
)
def test_bad_index(index: Any, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        Echo(split="test").reset(options={"index": index})


def test_train_split_has_no_last_index() -> None:
    env = Echo()
    assert env.num_tasks is None
    assert env.reset(options={"index": 10**12})[1]["task_id"] == f"train-mixed-{10**12}"
    with pytest.raises(UsageError, match="indices are 0 or more"):
        env.reset(options={"index": -1})


@pytest.mark.parametrize("split", ["validation", "test"])
def test_evaluation_splits_have_500_tasks(split: str) -> None:
    assert Echo(split=split).num_tasks == 500


def test_task_option() -> None:
    env = Echo()
    observation, info = env.reset(options={"task": {"word": "tea", "id": "mine"}})
    assert observation[-1] == user("tea")
    assert info["task_id"] == "mine"
    assert env.step("tea")[1] == 1.0


def test_task_option_without_id_gets_a_stable_one() -> None:
    ids = [Echo().reset(options={"task": {"word": w}})[1]["task_id"] for w in ("a", "a", "b")]
    assert ids[0] == ids[1] != ids[2]


@pytest.mark.parametrize(
    ("row", "field"),
    [
        pytest.param("tea", "task", id="text"),
        pytest.param(None, "task", id="null"),
        pytest.param([{"word": "tea"}], "task", id="list"),
        pytest.param({}, "word", id="empty"),
        pytest.param({"word": 5}, "word", id="wrong type"),
    ],
)
def test_bad_task_option(row: Any, field: str) -> None:
    with pytest.raises(RowError) as caught:
        Echo().reset(options={"task": row})
    assert caught.value.field == field


@pytest.mark.parametrize("extra", [{"x": {1, 2}}, {5: "x"}], ids=["set", "number as key"])
def test_task_option_that_json_cannot_hold(extra: Any) -> None:
    with pytest.raises(UsageError):
        Echo().reset(options={"task": {"word": "tea", **extra}})


@pytest.mark.parametrize(
    ("options", "told"),
    [
        pytest.param({"idx": 1}, "no option 'idx'; did you mean 'index'", id="mistyped index"),
        pytest.param({"tasks": {}}, "no option 'tasks'; did you mean 'task'", id="mistyped task"),
        pytest.param({"foo": 1}, "no option 'foo'; known are index, level, task", id="unknown"),
        pytest.param({"index": 1, "foo": 1}, "no option 'foo'", id="unknown beside a known one"),
        pytest.param({5: 1}, "no option 5; known are index, level, task", id="number as name"),
        pytest.param([1], r"must be a dict such as \{'index': 3\}, not \[1\]", id="list"),
        pytest.param([], r"must be a dict .*, not \[\]", id="empty list"),
        pytest.param(3, "must be a dict .*, not 3", id="number"),
        pytest.param({"index": 1, "task": {"word": "tea"}}, "pass one of them", id="two tasks"),
    ],
)
def test_unknown_options_are_refused_and_change_nothing(options: Any, told: str) -> None:
    env, untouched = begun(Guess), begun(Guess)
    with pytest.raises(UsageError, match=told):
        env.reset(seed=7, options=options)
    assert env.step("0") == untouched.step("0")
    assert env.reset() == untouched.reset()


@pytest.mark.parametrize("options", [None, {}], ids=repr)
def test_no_options_draw_a_task(options: Any) -> None:
    assert Echo().reset(seed=1, options=options) == Echo().reset(seed=1)


def test_refused_reset_leaves_the_episode_as_it_was() -> None:
    env, untouched = begun(Guess), begun(Guess)
    with pytest.raises(UsageError):
        env.reset(options={"index": -1})
    assert env.step("0") == untouched.step("0")


def ids_after(env: TextEnv[Any], seed: int, count: int, play: Callable[[], Any]) -> list[str]:
    """List the tasks of resets after a seed, with something played after each."""
    ids = [env.reset(seed=seed)[1]["task_id"]]
    for _ in range(count - 1):
        play()
        ids.append(env.reset()[1]["task_id"])
    return ids


def test_same_seed_same_prompt() -> None:
    prompts = [Echo().reset(seed=seed) for seed in (1, 2, 1)]
    assert prompts[0] == prompts[2] != prompts[1]


def test_nth_reset_after_a_seed_does_not_depend_on_episodes() -> None:
    env, other = Guess(), Guess()

    def play() -> None:
        other.np_random.integers(10, size=3)
        other.step("0")
        other.reset(options={"index": 3})
        other.step("stop")

    ids = ids_after(env, 5, 10, lambda: None)
    assert ids_after(other, 5, 10, play) == ids
    assert len(set(ids)) > 5


def test_bare_reset_goes_on_and_does_not_begin_again() -> None:
    env = Echo()
    first = env.reset(seed=5)
    assert env.reset() != first
    assert env.reset(seed=5) == first


def test_picked_tasks_do_not_move_the_stream() -> None:
    env, other = Echo(), Echo()
    env.reset(seed=5)
    other.reset(seed=5)
    other.reset(options={"index": 3})
    other.reset(options={"task": {"word": "tea"}})
    assert env.reset() == other.reset()


@pytest.mark.parametrize("seed", [0, 2**63, np.int64(7)], ids=str)
def test_good_seeds(seed: Any) -> None:
    assert Echo().reset(seed=seed) == Echo().reset(seed=int(seed))


@pytest.mark.parametrize("seed", [-1, 1.0, "1", np.int64(-1)], ids=repr)
def test_bad_seeds(seed: Any) -> None:
    with pytest.raises(UsageError, match="seed must be an integer of 0 or more"):
        Echo().reset(seed=seed)


def test_seed_seeds_np_random() -> None:
    env, other = begun(Echo, 3), begun(Echo, 3)
    assert env.np_random.integers(10**9) == other.np_random.integers(10**9)
    assert env.np_random_seed == 3


def test_bare_reset_does_not_seed_np_random_again() -> None:
    env = begun(Echo, 3)
    first = env.np_random.integers(10**9)
    env.reset()
    assert env.np_random.integers(10**9) != first


def test_level_and_mixture() -> None:
    assert {Echo(level=2).get_task(i).row["length"] for i in range(50)} == {2}
    assert {Echo().get_task(i).row["length"] for i in range(50)} == {1, 2}


@pytest.mark.parametrize(
    ("kwargs", "told"),
    [
        pytest.param({"split": "dev"}, "there is no split 'dev'", id="split"),
        pytest.param({"split": "tets"}, "did you mean 'test'", id="misspelt split"),
        pytest.param({"split": None}, "there is no split None", id="null split"),
        pytest.param({"level": 3}, "no level 3; its levels are 1, 2", id="level"),
        pytest.param({"level": "1"}, "no level '1'", id="level a text"),
        pytest.param({"max_turns": 0}, "max_turns must be an integer of 1 or more", id="no turns"),
        pytest.param({"max_turns": "3"}, "max_turns must be an integer", id="turns a text"),
        pytest.param({"max_turns": 1.5}, "max_turns must be an integer", id="turns a float"),
        pytest.param({"render_mode": "rgb_array"}, "render_mode must be 'ansi'", id="render"),
        pytest.param({"dataset": 5}, "dataset", id="dataset a number"),
    ],
)
def test_wrong_argument(kwargs: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        Echo(**kwargs)


def test_wrong_names_are_unknown_names() -> None:
    for kwargs in ({"split": "dev"}, {"level": 9}, {"render_mode": "x"}):
        with pytest.raises(UnknownNameError):
            Echo(**kwargs)  # type: ignore[arg-type]


def test_unknown_argument() -> None:
    with pytest.raises(TypeError, match="colour"):
        Echo(colour="red")  # type: ignore[call-arg]


def test_options_name_all_arguments_of_text_env() -> None:
    arguments = list(inspect.signature(TextEnv.__init__).parameters)[1:]
    assert list(TextEnvOptions.__annotations__) == arguments


def test_positional_argument() -> None:
    with pytest.raises(TypeError, match="positional"):
        Echo("rows.jsonl")  # type: ignore[misc]


def test_arguments_are_those_that_were_given() -> None:
    env = Echo(split="test", level=2)
    env.arguments.clear()
    assert env.arguments == {"split": "test", "level": 2}


def test_environment_without_generator_asks_for_a_data_set() -> None:
    class Given(Echo):
        generate = TextEnv.generate

    with pytest.raises(UsageError, match="has no generator: pass dataset="):
        Given().reset(seed=1)


@pytest.mark.parametrize(("ask", "told"), [
    (lambda env: env.solve(), "no oracle"), (lambda env: env.guess(random.Random(1)), "no random"),
], ids=["solve", "guess"])  # fmt: skip
def test_no_oracle_and_no_guess_say_so(ask: Any, told: str) -> None:
    with pytest.raises(OracleError, match=f"tests/Echo-v0 has {told}"):
        ask(begun(Echo))


# Rendering.


def test_ansi_returns_the_transcript() -> None:
    env = Echo(render_mode="ansi")
    env.reset(options={"task": {"word": "tea"}})
    env.step("milk")
    told = "[system]\nRepeat.\n\n[user]\ntea\n\n[assistant]\nmilk\n\n[end]\nreward: 0\n"
    assert str(env.render()).startswith(told)


def test_ansi_shows_calls_and_their_answers() -> None:
    env = begun(Shop, render_mode="ansi")
    env.step(calls("pay"))
    assert '[assistant]\n-> pay({})\n\n[tool]\n{"paid": true}\n\n[end]\n' in str(env.render())


def test_ansi_prints_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    env = begun(Echo, render_mode="ansi")
    env.step("x")
    env.render()
    assert capsys.readouterr().out == ""


def test_human_prints_each_message_once(capsys: pytest.CaptureFixture[str]) -> None:
    env = Guess(render_mode="human")
    env.reset(options={"task": {"low": 1000}})
    env.step("0")
    env.step("stop")
    out = capsys.readouterr().out
    assert [out.count(f"[{role}]") for role in ("user", "assistant")] == [2, 2]
    assert out.index("From 1000.") < out.index("higher") < out.index("stop")


def test_human_render_returns_nothing_and_prints_nothing_twice(
    capsys: pytest.CaptureFixture[str],
) -> None:
    env = Echo(render_mode="human")
    env.reset(options={"task": {"word": "tea"}})
    assert env.render() is None
    env.step("milk")
    env.render()
    out = capsys.readouterr().out
    assert [out.count(text) for text in ("tea", "[assistant]", "[end]")] == [1, 1, 1]


def test_ansi_shows_the_tools_first_and_the_outcome_last() -> None:
    env = begun(Shop, render_mode="ansi")
    assert str(env.render()).startswith("[tools]\n")
    assert "[end]" not in str(env.render())
    env.step(calls("pay"))
    assert re.findall(r"^\[(\w+)\]$", str(env.render()), re.MULTILINE) == [
        "tools", "user", "assistant", "tool", "end",
    ]  # fmt: skip
    env.reset()
    assert "[end]" not in str(env.render())


def test_a_restored_episode_is_rendered_whole(capsys: pytest.CaptureFixture[str]) -> None:
    env = begun(Guess)
    env.step("0")
    other = Guess(render_mode="human")
    other.set_state(env.get_state())
    assert capsys.readouterr().out == ""
    other.render()
    other.render()
    out = capsys.readouterr().out
    assert [out.count(f"[{role}]") for role in ("user", "assistant")] == [2, 1]


def test_no_render_mode_renders_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    env = begun(Echo)
    assert env.render() is None
    assert capsys.readouterr().out == ""


# Saved states and copies.

PLAYS = [
    pytest.param(Echo, [], ["x"], id="text, no state"),
    pytest.param(Guess, ["0"], ["5", "99999", "0"], id="user, dataclass"),
    pytest.param(Shop, [calls(PUT)], [calls(PUT), calls("pay")], id="tools, dict"),
]


@pytest.mark.parametrize(("cls", "before", "after"), PLAYS)
def test_fork_goes_on_as_the_original(
    cls: type[TextEnv[Any]], before: list[Any], after: list[Any]
) -> None:
    env = begun(cls, 4)
    for action in before:
        env.step(action)
    saved = json.loads(json.dumps(env.get_state(), allow_nan=False))
    fork = cls()
    fork.set_state(saved)
    assert type(fork.state) is type(env.state)
    assert [env.step(action) for action in after] == [fork.step(action) for action in after]
    assert env.reset() == fork.reset()
    assert env.np_random.integers(10**9) == fork.np_random.integers(10**9)


@pytest.mark.parametrize(("cls", "before", "after"), PLAYS)
@pytest.mark.parametrize(
    "again", [lambda env: pickle.loads(pickle.dumps(env)), copy.deepcopy], ids=["pickle", "copy"]
)
def test_copy_goes_on_as_the_original(
    cls: type[TextEnv[Any]], before: list[Any], after: list[Any], again: Any
) -> None:
    env = begun(cls, 4, max_turns=7)
    for action in before:
        env.step(action)
    other = again(env)
    assert other.arguments == {"max_turns": 7}
    assert [env.step(action) for action in after] == [other.step(action) for action in after]
    assert env.reset() == other.reset()


@pytest.mark.parametrize("again", [lambda env: pickle.loads(pickle.dumps(env)), copy.deepcopy],
                         ids=["pickle", "copy"])  # fmt: skip
def test_copy_before_the_first_reset_has_the_same_stream(again: Any) -> None:
    env = Echo(split="test")
    assert again(env).reset() == env.reset()


def test_saved_state_is_a_copy() -> None:
    env = begun(Shop)
    env.step(calls(PUT))
    saved = env.get_state()
    before = copy.deepcopy(saved)
    env.step(calls(PUT))
    assert saved == before
    env.set_state(saved)
    env.step(calls(PUT))
    assert saved == before


def test_states_forked_from_one_save_are_independent() -> None:
    env = begun(Shop)
    saved = env.get_state()
    one, other = Shop(), Shop()
    one.set_state(saved)
    other.set_state(saved)
    one.step(calls(PUT))
    assert other.state["basket"] == []


def test_ended_episode_stays_ended() -> None:
    env = begun(Echo)
    env.step("x")
    fork = Echo()
    fork.set_state(env.get_state())
    with pytest.raises(UsageError, match="call reset"):
        fork.step("x")
    assert transcript(fork) == transcript(env)


def test_get_state_before_reset_is_an_error() -> None:
    with pytest.raises(StateError, match="call reset first"):
        Echo().get_state()


def test_state_that_json_cannot_hold() -> None:
    class Odd(Shop):
        def begin(self, task: Task) -> dict[str, Any]:
            return {"basket": {1, 2}}

    with pytest.raises(StateError, match="cannot be represented in JSON"):
        begun(Odd).get_state()


@pytest.mark.parametrize("saved", [None, 5, [], {}, {"id": "tests/Shop-v0"}], ids=repr)
def test_set_state_rejects_values_that_are_not_states(saved: Any) -> None:
    with pytest.raises(StateError, match="not a state of tests/Echo-v0"):
        Echo().set_state(saved)


@pytest.mark.parametrize(
    "key", ["row", "messages", "turn", "running", "state", "stream", "np_random"]
)
def test_state_with_a_part_missing(key: str) -> None:
    env = begun(Guess)
    env.step("0")
    saved = env.get_state()
    del saved[key]
    with pytest.raises(StateError):
        Guess().set_state(saved)


@pytest.mark.parametrize(
    "change",
    [{"row": 5}, {"messages": 5}, {"state": {"unknown": 1}}, {"np_random": {}}, {"stream": None}],
    ids=lambda change: next(iter(change)),
)
def test_state_with_a_part_broken(change: dict[str, Any]) -> None:
    saved = {**begun(Guess).get_state(), **change}
    with pytest.raises(StateError):
        Guess().set_state(saved)


def test_refused_state_leaves_the_episode_as_it_was() -> None:
    env, other = begun(Guess, 1), begun(Guess, 2)
    env.step("0")
    before = env.get_state()
    with pytest.raises((StateError, KeyError)):
        env.set_state({key: value for key, value in other.get_state().items() if key != "turn"})
    assert env.get_state() == before


def deeper(frames: int, call: Callable[[], Any]) -> Any:
    """Call with so many more frames on the stack."""
    return call() if frames == 0 else deeper(frames - 1, call)


@pytest.mark.parametrize("frames", range(3))
def test_very_deep_actions_are_refused_or_taken(frames: int) -> None:
    env = Echo()
    deep: Any = 1
    refused = 0
    for depth in range(520):
        deep = {"a": deep}
        if depth < 300:
            continue
        message = {"role": "assistant", "content": "0", "extra": deep}
        env.reset(seed=1)
        try:
            deeper(frames, lambda message=message: env.step(message))  # type: ignore[misc]
        except InvalidActionError:
            refused += 1
    assert refused


class BeginsWithItsTask(Echo):
    """Its `begin` reads `self.task`, as the documentation allows."""

    def begin(self, task: Task) -> Any:
        return {"id": self.task.id}


def test_begin_can_read_the_task_after_reset_and_restore() -> None:
    env, fresh, played = BeginsWithItsTask(), BeginsWithItsTask(), BeginsWithItsTask()
    env.reset(seed=1)
    played.reset(seed=2)
    for other in (fresh, played):
        other.set_state(env.get_state())
        assert other.state == {"id": env.task.id}
    assert pickle.loads(pickle.dumps(env)).state == env.state


def test_reset_that_failed_draws_the_same_task_again() -> None:
    class Down(Echo):
        down = False

        def begin(self, task: Task) -> Any:
            if self.down:
                raise EnvironmentFailure("the guest did not start")
            return None

    env, other = Down(), Down()
    env.reset(seed=1)
    other.reset(seed=1)
    env.down = True
    for _ in range(2):
        with pytest.raises(EnvironmentFailure):
            env.reset()
    env.down = False
    assert env.reset() == other.reset()


class ReadsAField(Echo):
    def read_row(self, row: dict[str, Any]) -> Task:
        return Task(row["id"], ({"role": row["role"], "content": "Say it."},), "", row=row)  # type: ignore[typeddict-item]


@pytest.mark.parametrize(
    ("row", "field"), [({}, "role"), ({"role": "narrator"}, "messages")], ids=["missing", "role"]
)
def test_row_that_an_author_reads_carelessly(row: dict[str, Any], field: str) -> None:
    with pytest.raises(RowError) as caught:
        ReadsAField().reset(options={"task": row})
    assert caught.value.field == field
