"""Conversations and states are copied: whatever shape they have, and nothing is shared."""

from __future__ import annotations

import copy
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from textgym.core.authoring import copy_of_state
from textgym.core.episode import Conversation
from textgym.messages import assistant_calls, tool_result, user

PARTS: list[Any] = [{"type": "image_url", "image_url": {"url": "data:,"}}]
MESSAGES: list[Any] = [
    user("Which?"),
    assistant_calls(("look", {"at": "it"}), ("look", {})),
    tool_result("seen", "call_0_0"),
    {"role": "user", "content": PARTS},
    {**assistant_calls(("look", {})), "content": PARTS, "annotations": [{"a": [1]}]},
    {"role": "assistant", "tool_calls": [{"function": {"name": "x", "arguments": {}}}]},
    {"role": "assistant", "content": None, "tool_calls": None},
]  # fmt: skip


def containers(value: Any) -> list[Any]:
    """Return all dicts and lists within a value, itself included."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    found = [value] if isinstance(value, (dict, list)) else []
    return found + [one for item in inner for one in containers(item)]


@pytest.mark.parametrize("start", range(len(MESSAGES) + 1))
@pytest.mark.parametrize("prompt", [0, 2, len(MESSAGES)])
def test_a_copy_is_equal_and_shares_nothing(start: int, prompt: int) -> None:
    conversation = Conversation(copy.deepcopy(MESSAGES[:prompt]))
    for message in copy.deepcopy(MESSAGES[prompt:]):
        conversation.add(message)
    copied = conversation.copy(start)
    assert copied == MESSAGES[start:]
    own = {id(one) for one in containers(conversation.messages)}
    assert not own & {id(one) for one in containers(copied)}


@pytest.mark.parametrize("length", range(len(MESSAGES) + 1))
def test_messages_that_were_cut_are_in_no_later_copy(length: int) -> None:
    conversation = Conversation(copy.deepcopy(MESSAGES))
    conversation.cut(length)
    conversation.add(user("Other"))
    assert conversation.copy() == [*MESSAGES[:length], user("Other")]


@dataclass
class Desk:
    """A state that is not plain JSON data."""

    papers: list[str] = field(default_factory=list)


def shared() -> dict[str, Any]:
    """Return a state in which a list occurs twice."""
    items = ["pen"]
    return {"all": [items], "mine": items}


def cyclic() -> list[Any]:
    """Return a list that contains itself."""
    state: list[Any] = []
    state.append(state)
    return state


@pytest.mark.parametrize(
    "make",
    [
        lambda: {"found": [1, 2.5, None, True], "deep": {"list": [[], {}]}},
        lambda: [{"a": [1]}],
        dict,
        lambda: {"pair": (1, [2])},
        lambda: {"set": {1}, "desk": Desk(["a"])},
        lambda: OrderedDict(a=[1]),
        lambda: {"ordered": OrderedDict(a=[1])},
        lambda: Desk(["a"]),
        lambda: None,
        lambda: "text",
        lambda: {1: [2]},
    ],
)
def test_a_state_is_copied_whatever_it_is_made_of(make: Callable[[], Any]) -> None:
    state = make()
    copied = copy_of_state(Desk, state)
    assert copied == state
    assert type(copied) is type(state)
    assert not {id(one) for one in containers(state)} & {id(one) for one in containers(copied)}


def test_types_within_a_state_stay() -> None:
    copied = copy_of_state(Desk, {"pair": (1, [2]), "ordered": OrderedDict(a=1), "desk": Desk()})
    assert [type(value) for value in copied.values()] == [tuple, OrderedDict, Desk]


def test_what_is_shared_within_a_state_is_shared_within_its_copy() -> None:
    state = shared()
    copied = copy_of_state(Desk, state)
    assert copied == state
    assert copied["all"][0] is copied["mine"] is not state["mine"]


def test_a_state_that_contains_itself_is_copied() -> None:
    state = cyclic()
    copied = copy_of_state(Desk, state)
    assert copied[0] is copied is not state
