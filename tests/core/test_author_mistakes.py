"""An author's mistakes: each is one line that names the class, the method and what is right."""

from __future__ import annotations

import copy
import random
import re
from typing import Any

import pytest
from library import Library

import textgym
from textgym.core.episode import Grade
from textgym.errors import RowError, UsageError
from textgym.messages import user
from textgym.tasks.task import Task

WRONG = r"^Wrong\."


def wrong(**methods: Any) -> type[Library]:
    """Make a class `Wrong` that returns or raises what is given, by method."""
    made: dict[str, Any] = {}
    for name, value in methods.items():
        made[name] = value if callable(value) else lambda self, *given, value=value: value
    return type("Wrong", (Library,), made)


# What methods return.


@pytest.mark.parametrize(
    ("reply", "what"),
    [
        pytest.param("Which size?", ", not a str", id="text"),
        pytest.param(user("Which size?"), ", not a dict", id="one message"),
        pytest.param(["Which size?"], ": a message must be a dict, not str", id="list of texts"),
        pytest.param([{"content": "?"}], ": the role must be .*, not None", id="no role"),
        pytest.param([{"role": "user", "content": 5}], ": content: .*", id="number as content"),
        pytest.param(True, ", not a bool", id="bool"),
    ],
)
def test_respond_returns_something_else(reply: Any, what: str) -> None:
    env = wrong(respond=reply)()
    env.reset(seed=1)
    before = env.get_state()
    with pytest.raises(UsageError) as caught:
        env.step("Hello?")
    start = "Wrong.respond must return None or a list of messages, such as [user('…')]"
    assert str(caught.value).startswith(start)
    assert re.fullmatch(what, str(caught.value).removeprefix(start))
    assert env.get_state() == before


@pytest.mark.parametrize("reply", [[user("a")], (user("a"), user("b")), []], ids=len)
def test_respond_returns_messages(reply: Any) -> None:
    env = wrong(respond=reply)()
    env.reset(seed=1)
    assert env.step("Hello?")[0][2:] == list(reply)


@pytest.mark.parametrize(
    ("grade", "what"),
    [
        (0.5, r"must return a Grade, such as Grade\(reward, is_success\), not a float"),
        (None, "must return a Grade, .* not a NoneType"),
        ((1.0, True), "must return a Grade, .* not a tuple"),
        (Grade(None, True), "the reward must be a number, not a NoneType"),  # type: ignore[arg-type]
        (Grade("high", True), "the reward must be a number, not a str"),  # type: ignore[arg-type]
        (Grade(1.0, True, 0.5), "the components must be a dict of numbers, not a float"),  # type: ignore[arg-type]
        (Grade(1.0, True, info=["x"]), "the info must be a dict, not a list"),  # type: ignore[arg-type]
    ],
    ids=repr,
)
def test_grade_returns_something_else(grade: Any, what: str) -> None:
    env = wrong(grade=grade)()
    env.reset(seed=1)
    before = env.get_state()
    with pytest.raises(UsageError, match=rf"{WRONG}grade:? {what}$"):
        env.step("Done.")
    assert env.get_state() == before


@pytest.mark.parametrize(
    ("task", "what"),
    [
        (None, "must return a Task, not a NoneType"),
        ({"messages": []}, "must return a Task, not a dict"),
        (Task("t", "Borrow 5.", 5), r"the messages .* such as \(user\('…'\),\), not a str"),  # type: ignore[arg-type]
        (Task("t", user("Borrow 5."), 5), "the messages of a task must be a tuple .* not a dict"),  # type: ignore[arg-type]
    ],
    ids=["nothing", "dict", "text as messages", "message as messages"],
)  # fmt: skip
@pytest.mark.parametrize("options", [None, {"task": {"book": 5}}], ids=["generated", "given"])
def test_read_row_returns_something_else(task: Any, what: str, options: Any) -> None:
    with pytest.raises(UsageError, match=rf"{WRONG}read_row:? {what}$"):
        wrong(read_row=task)().reset(options=options)


def test_messages_of_a_generated_task_are_checked() -> None:
    with pytest.raises(RowError, match="field 'messages' are not a prompt: the role must be"):
        wrong(read_row=Task("t", ({"content": "Borrow 5."},), 5))().reset()  # type: ignore[typeddict-item]


def test_generator_leaves_out_a_field_that_read_row_reads() -> None:
    with pytest.raises(RowError, match="field 'book' is missing"):
        wrong(generate={"books": 5})().reset()


@pytest.mark.parametrize(
    ("row", "what"),
    [
        ("Borrow 5.", r"must return a row \(a dict\), not a str"),
        (None, r"must return a row \(a dict\), not a NoneType"),
        ({"books": {1, 2}}, "must return a row of JSON data, .*set is not JSON serializable"),
    ],
    ids=["text", "nothing", "set"],
)
def test_generator_returns_something_else(row: Any, what: str) -> None:
    def generate(self: Any, rng: random.Random, level: int) -> Any:
        return row

    generate.__qualname__ = "Wrong.generate"
    with pytest.raises(UsageError, match=f"{WRONG}generate {what}"):
        wrong(generate=generate)().reset()


# The class.


@pytest.mark.parametrize(
    "name", ["close", "reset", "step", "render", "grade", "solve", "state", "task", "split",
             "finish", "spec", "on_close", "_seed"],
)  # fmt: skip
def test_a_tool_must_not_hide_an_attribute(name: str) -> None:
    def method(self: Any) -> str: ...

    method.__name__ = name.strip("_")
    with pytest.raises(UsageError, match=rf"^Wrong\.{name} cannot be a tool, because every "
                       rf"environment has an attribute '{name}': rename the method"):  # fmt: skip
        type("Wrong", (Library,), {name: textgym.tool(method)})


def test_a_tool_of_a_mixin_must_not_hide_an_attribute() -> None:
    class Desk:
        @textgym.tool
        def close(self) -> str: ...

    with pytest.raises(UsageError, match=r"^Wrong\.close cannot be a tool"):
        type("Wrong", (Desk, Library), {})


def test_a_tool_may_have_the_name_of_an_attribute_for_the_model() -> None:
    class Named(Library):
        @textgym.tool(name="close")
        def close_desk(self) -> str:
            """Close the desk."""
            return "closed"

    _, info = Named().reset(seed=1)
    assert [item["function"]["name"] for item in info["tools"]] == ["borrow", "close"]


def test_two_tools_of_one_name_are_refused_when_the_class_is_made() -> None:
    with pytest.raises(UsageError, match=r"^Wrong\.borrow and Wrong\.take are both the tool"):

        class Wrong(Library):
            @textgym.tool(name="borrow")
            def take(self) -> str: ...


def test_a_class_without_a_card() -> None:
    class Wrong(textgym.TextEnv[None]): ...

    told = r"^Wrong has no card: define card = textgym.Card\(id='my/Wrong-v0', summary="
    with pytest.raises(UsageError, match=told):
        Wrong()


def test_a_card_that_is_none() -> None:
    with pytest.raises(UsageError, match=r"^Wrong\.card must be a textgym.Card, not dict"):

        class Wrong(Library):
            card = {"id": "my/Wrong-v0"}  # type: ignore[assignment]


# Turns.


class Silent(textgym.TextEnv[None]):
    """No tools and no user."""

    card = textgym.Card("tests/Silent-v0", "Say something.")


def with_user(base: Any) -> Any:
    return type("Talking", (base,), {"respond": lambda self, message: [user("Go on.")]})


def test_max_turns_follows_what_a_class_can_do() -> None:
    assert Silent.max_turns == 1
    assert (Library.max_turns, with_user(Silent).max_turns) == (20, 20)
    offering = type("Offering", (Silent,), {"call_offered_tool": lambda self, name, arguments: ""})
    assert offering.max_turns == 20


@pytest.mark.parametrize("base", [Silent, Library])
def test_max_turns_of_a_class_stays_in_its_subclasses(base: Any) -> None:
    own = type("Own", (base,), {"max_turns": 3})
    assert with_user(own).max_turns == 3
    assert (own().max_turns, own(max_turns=5).max_turns, own(max_turns=None).max_turns) == (3, 5, 3)


def test_a_tool_environment_is_not_cut_after_its_first_call() -> None:
    env = Library()
    env.reset(seed=1)
    calls = textgym.messages.assistant_calls(("borrow", {"book": 1}))
    assert [env.step(calls)[3] for _ in range(20)] == [False] * 19 + [True]


@pytest.mark.parametrize("value", [0, -1, "5", 1.0])
def test_max_turns_of_a_class_is_checked(value: Any) -> None:
    with pytest.raises(UsageError, match="max_turns must be an integer of 1 or more"):
        type("Wrong", (Library,), {"max_turns": value})()


# What methods return, continued: the oracle and the random policy.


@pytest.mark.parametrize("method", ["solve", "guess"])
def test_the_text_of_a_message_is_enough(method: str) -> None:
    env = wrong(**{method: "Answer: 5"})
    policy = {"solve": "oracle", "guess": "random"}[method]
    run = textgym.rollout(env, policy, episodes=1)
    (trajectory,) = run.trajectories()
    assert trajectory["failure"] is None
    assert trajectory["messages"][-1]["content"] == "Answer: 5"


@pytest.mark.parametrize(("given", "kind"), [(None, "NoneType"), (5, "int"), (["a"], "list")])
def test_a_policy_of_the_environment_must_return_a_message(given: Any, kind: str) -> None:
    def solve(self: Any) -> Any:
        return given

    solve.__qualname__ = "Wrong.solve"
    run = textgym.rollout(wrong(solve=solve), "oracle", episodes=1, retries=0)
    (trajectory,) = run.trajectories()
    failure: Any = trajectory["failure"]
    expected = f"Wrong.solve must return a message, such as assistant('…'), not a {kind}"
    assert failure["message"] == expected


def test_a_task_without_its_row_is_named() -> None:
    env = wrong(read_row=Task("t", (user("Borrow 5."),), 5))()
    match = r"^Wrong\.read_row must keep the row in its task: Task\(…, row=row\)$"
    with pytest.raises(UsageError, match=match):
        env.reset(seed=1)


@pytest.mark.parametrize("name", ["task", "state"])
def test_what_a_reset_sets_is_missing_before_it(name: str) -> None:
    env: Any = Library()
    with pytest.raises(AttributeError, match=f"^Library has no {name} before the first reset$"):
        getattr(env, name)
    assert not hasattr(copy.deepcopy(env), name)
    env.reset(seed=1)
    assert hasattr(env, name)
