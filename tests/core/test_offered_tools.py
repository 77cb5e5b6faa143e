"""Tools that a task offers and the class does not have: `call_offered_tool`."""

from __future__ import annotations

from typing import Any

import pytest

import textgym
from textgym.checks import FAST_CHECKS, make_subject, run_check
from textgym.errors import ToolError
from textgym.messages import assistant_calls, text_of

SCHEMA: Any = {
    "type": "function",
    "function": {
        "name": "hand_in",
        "description": "Hand in a word.",
        "parameters": {"type": "object", "properties": {"word": {"type": "string"}}},
    },
}


class Silent(textgym.TextEnv[dict[str, Any]]):
    """Its tasks offer a tool that nothing handles."""

    card = textgym.Card("tests/Desk-v0", "Hand in a word.", distinct_tasks=1)
    max_turns = 3

    def generate(self, rng: Any, level: int) -> dict[str, Any]:
        return {"n": rng.randrange(10**6)}

    def read_row(self, row: dict[str, Any]) -> textgym.Task:
        return textgym.Task(row["id"], (textgym.user(f"{row['n']}"),), "tea", (SCHEMA,), row)

    def begin(self, task: textgym.Task) -> dict[str, Any]:
        return {"given": None}

    def grade(self) -> textgym.Grade:
        right = self.state["given"] == {"word": "tea"}
        return textgym.Grade(float(right), right)


class Desk(Silent):
    """It handles the tool."""

    def call_offered_tool(self, name: str, arguments: Any) -> Any:
        if arguments == "nonsense":
            raise ToolError("that is nonsense")
        self.state["given"] = arguments
        if arguments == {}:
            raise IndexError("empty")
        self.finish()
        return {"took": name}


def told(env: Any, name: str, arguments: Any) -> tuple[str, Any]:
    """Call a tool; return what the model reads, and the rest of the step."""
    call = assistant_calls((name, {}))
    call["tool_calls"][0]["function"]["arguments"] = arguments  # type: ignore[index]
    observation, *rest = env.step(call)
    return text_of(observation[-1]), rest


@pytest.fixture
def env() -> Any:
    env = Desk()
    env.reset(seed=1)
    return env


def test_the_result_is_told_and_the_call_can_end_the_episode(env: Any) -> None:
    text, (reward, terminated, _, _) = told(env, "hand_in", {"word": "tea"})
    assert (text, reward, terminated) == ('{"took": "hand_in"}', 1.0, True)


def test_a_tool_error_is_told(env: Any) -> None:
    text, (_, terminated, _, _) = told(env, "hand_in", "nonsense")
    assert (text, terminated) == ("Error: that is nonsense", False)


def test_an_unforeseen_exception_is_told_and_undone(env: Any) -> None:
    text, _ = told(env, "hand_in", {})
    assert text == "Error: 'hand_in' failed: IndexError: empty"
    assert env.state == {"given": None}


def test_a_tool_that_is_not_offered_is_refused(env: Any) -> None:
    text, _ = told(env, "call_offered_tool", {})
    assert text == "Error: there is no tool 'call_offered_tool'; the tools are: hand_in"
    assert env.state == {"given": None}


def test_without_the_method_an_offered_tool_is_refused() -> None:
    env = Silent()
    env.reset(seed=1)
    assert told(env, "hand_in", {})[0].startswith("Error: there is no tool 'hand_in'")


def check(cls: type[Any], name: str) -> Any:
    with make_subject(cls, 5) as subject:
        return run_check(subject, FAST_CHECKS[name])


def test_the_check_of_arguments_calls_it() -> None:
    result = check(Desk, "runtime.tool_arguments")
    assert result.status == "fail"
    assert "IndexError" in result.detail
