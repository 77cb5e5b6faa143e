"""A class with `answers_calls` takes whole messages with tool calls; `finish` may cut."""

from __future__ import annotations

from typing import Any

import pytest
from library import Library

import textgym
from textgym.errors import UsageError
from textgym.messages import Message, assistant_calls, tool_result, user


class Counter(Library):
    """Answers all calls of a message with their number."""

    answers_calls = True
    max_calls = 3
    silent = False

    def respond(self, message: Message) -> list[Message]:
        calls: Any = message.get("tool_calls") or ()
        if not calls:
            self.finish(truncated=True)
            return [user("Enough.")]
        texts = [tool_result(f"{len(calls)}", call["id"]) for call in calls]
        return texts[self.silent :]


def test_respond_answers_all_calls_of_a_message() -> None:
    env = Counter()
    env.reset(seed=1)
    observation, *_ = env.step(assistant_calls(("borrow", {}), ("anything", {})))
    assert [m["content"] for m in observation if m["role"] == "tool"] == ["2", "2"]


def test_calls_beyond_the_limit_are_not_passed_on() -> None:
    env = Counter()
    env.reset(seed=1)
    observation, *_ = env.step(assistant_calls(*[("borrow", {})] * 9))
    texts = [str(m["content"]) for m in observation if m["role"] == "tool"]
    assert texts[:3] == ["3", "3", "3"]
    assert len(texts) == 4
    assert "at most 3 calls" in texts[3]


def test_a_call_without_an_answer_is_the_authors_mistake() -> None:
    env = Counter()
    env.silent = True
    env.reset(seed=1)
    with pytest.raises(UsageError, match=r"Counter\.respond must answer each tool call"):
        env.step(assistant_calls(("borrow", {})))


def test_finish_can_cut_the_episode() -> None:
    env = Counter()
    env.reset(seed=1)
    *_, terminated, truncated, info = env.step("hello")
    assert (terminated, truncated, info["stop_reason"]) == (False, True, "max_turns")
    assert info["verdict_reason"] == "cut"


def test_a_success_without_an_upper_bound_needs_no_reason() -> None:
    class Endless(Library):
        card = textgym.Card("tests/Endless-v0", "Earn.", reward_range=(0.0, float("inf")))

        def grade(self) -> textgym.Grade:
            return textgym.Grade(7.0, True)

    env = Endless()
    env.reset(seed=1)
    info = env.step("done")[4]
    assert (info["is_success"], info["verdict_reason"]) == (True, "")
