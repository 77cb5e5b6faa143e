"""The two spaces, reading an action, and both spaces in Gymnasium's vectors."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.spaces import Discrete, Tuple
from gymnasium.vector.utils import (
    batch_differing_spaces,
    batch_space,
    create_empty_array,
    create_shared_memory,
)

from textgym.errors import InvalidActionError, UsageError
from textgym.messages import assistant, user
from textgym.spaces import ActionSpace, ConversationSpace, action_problem, read_action

SPACES = [ActionSpace, ConversationSpace]


def calling(*ids: Any) -> dict[str, Any]:
    """Make a message with calls that have these ids; `...` omits the id."""
    calls = [{} if id is ... else {"id": id} for id in ids]
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{**call, "function": {"name": "f"}} for call in calls],
    }


def ids_of(message: Any) -> list[str]:
    """List the ids of a message's calls."""
    return [call["id"] for call in message["tool_calls"]]


@pytest.mark.parametrize(
    "action",
    [
        pytest.param("", id="empty text"),
        pytest.param("Hello", id="text"),
        pytest.param(assistant("Hello"), id="message"),
        pytest.param({"role": "assistant"}, id="no content"),
        pytest.param(calling(...), id="tool call"),
    ],
)
def test_action_space_contains_messages_and_texts(action: Any) -> None:
    assert action in ActionSpace()
    assert action_problem(action) == ""


@pytest.mark.parametrize(
    "action",
    [
        pytest.param(None, id="null"),
        pytest.param(5, id="number"),
        pytest.param(b"Hello", id="bytes"),
        pytest.param(user("Hello"), id="user message"),
        pytest.param([assistant("Hello")], id="list of messages"),
        pytest.param({"role": "assistant", "content": 5}, id="content a number"),
        pytest.param({"content": "Hello"}, id="no role"),
    ],
)
def test_values_that_are_not_actions_are_refused_with_the_reason(action: Any) -> None:
    assert action not in ActionSpace()
    with pytest.raises(InvalidActionError, match=r"an assistant message or a text; .* neither: .+"):
        read_action(action, 0)


@pytest.mark.parametrize(
    ("conversation", "inside"),
    [
        pytest.param([], True, id="empty"),
        pytest.param([user("a"), assistant("b")], True, id="two messages"),
        pytest.param([{"role": "tool", "content": "5", "tool_call_id": "c"}], True, id="tool"),
        pytest.param((user("a"),), False, id="tuple"),
        pytest.param(user("a"), False, id="one message"),
        pytest.param("a", False, id="text"),
        pytest.param([user("a"), "b"], False, id="a text among messages"),
        pytest.param([{"role": "narrator", "content": ""}], False, id="unknown role"),
        pytest.param(None, False, id="null"),
    ],
)
def test_conversation_space_contains_lists_of_messages(conversation: Any, inside: bool) -> None:
    assert (conversation in ConversationSpace()) is inside


@pytest.mark.parametrize("kind", SPACES)
def test_samples_are_in_the_space_and_differ(kind: Any) -> None:
    space = kind(seed=1)
    samples = [space.sample() for _ in range(50)]
    assert all(sample in space for sample in samples)
    assert len({repr(sample) for sample in samples}) > 40


@pytest.mark.parametrize("kind", SPACES)
def test_the_same_seed_gives_the_same_samples(kind: Any) -> None:
    space = kind()
    space.seed(7)
    first = [space.sample() for _ in range(5)]
    space.seed(7)
    assert [space.sample() for _ in range(5)] == first
    assert [kind(seed=8).sample() for _ in range(5)] != first


def test_action_samples_are_messages() -> None:
    assert all(isinstance(ActionSpace(seed=i).sample(), dict) for i in range(10))


@pytest.mark.parametrize("kind", SPACES)
@pytest.mark.parametrize("given", [{"mask": ()}, {"probability": ()}], ids=["mask", "probability"])
def test_masks_are_refused(kind: Any, given: Any) -> None:
    with pytest.raises(ValueError, match="do not support mask"):
        kind().sample(**given)


@pytest.mark.parametrize("kind", SPACES)
def test_spaces_of_one_type_are_equal(kind: Any) -> None:
    assert kind(seed=1) == kind(seed=2)
    assert hash(kind(seed=1)) == hash(kind(seed=2))
    assert kind() != Discrete(2)


def test_the_two_spaces_differ() -> None:
    assert ActionSpace() != ConversationSpace()


@pytest.mark.parametrize("kind", SPACES)
@pytest.mark.parametrize(
    "again", [lambda x: pickle.loads(pickle.dumps(x)), copy.deepcopy], ids=["pickle", "deepcopy"]
)
def test_copies_are_equal_and_continue_the_samples(kind: Any, again: Any) -> None:
    space = kind(seed=3)
    space.sample()
    other = again(space)
    assert other == space
    assert [other.sample() for _ in range(3)] == [space.sample() for _ in range(3)]


def test_repr_is_the_class_name() -> None:
    assert [repr(kind()) for kind in SPACES] == ["ActionSpace()", "ConversationSpace()"]


@pytest.mark.parametrize("kind", SPACES)
def test_spaces_cannot_be_flattened(kind: Any) -> None:
    assert kind().is_np_flattenable is False


def test_a_text_becomes_a_message() -> None:
    assert read_action("Hello", 3) == {"role": "assistant", "content": "Hello"}


def test_read_action_returns_a_copy() -> None:
    action = calling("c1")
    message: Any = read_action(action, 0)
    assert message == action
    message["tool_calls"][0]["function"]["name"] = "g"
    assert action["tool_calls"][0]["function"]["name"] == "f"


@pytest.mark.parametrize(
    ("given", "read"),
    [
        pytest.param(["a", "b"], ["a", "b"], id="good ids stay"),
        pytest.param([..., ...], ["call_2_0", "call_2_1"], id="missing"),
        pytest.param([None], ["call_2_0"], id="null"),
        pytest.param([""], ["call_2_0"], id="empty"),
        pytest.param(["a", "a"], ["a", "call_2_1"], id="doubled"),
        pytest.param(["a", "b", "a", "a"], ["a", "b", "call_2_2", "call_2_3"], id="tripled"),
    ],
)
def test_missing_and_repeated_ids_of_calls_are_replaced(given: list[Any], read: list[str]) -> None:
    assert ids_of(read_action(calling(*given), turn=2)) == read


@pytest.mark.parametrize(
    "given", [["call_0_1", ...], [..., "call_0_0"], ["call_0_2", ..., ""]], ids=str
)
def test_new_ids_do_not_collide_with_given_ids(given: list[Any]) -> None:
    ids = ids_of(read_action(calling(*given), turn=0))
    assert len(set(ids)) == len(ids)


def test_adding_ids_does_not_change_the_action() -> None:
    action = calling(..., ...)
    read_action(action, 0)
    assert action == calling(..., ...)


@pytest.mark.parametrize("kind", SPACES)
def test_batch_of_equal_spaces(kind: Any) -> None:
    batch = batch_space(kind(seed=1), 3)
    assert batch == Tuple([kind(), kind(), kind()])
    assert batch.sample() in batch


@pytest.mark.parametrize("kind", SPACES)
def test_batch_of_differing_spaces(kind: Any) -> None:
    batch = batch_differing_spaces([kind(seed=1), kind(seed=2)])
    assert batch == Tuple([kind(), kind()])


def test_batch_samples_are_independent() -> None:
    batch = batch_space(ActionSpace(seed=1), 4)
    batch.seed(5)
    assert len({str(item) for item in batch.sample()}) > 1


@pytest.mark.parametrize("kind", SPACES)
def test_the_conversations_of_an_empty_array_are_separate_lists(kind: Any) -> None:
    first, second = create_empty_array(kind(), n=2)
    first.append(user("a"))
    assert second == []


@pytest.mark.parametrize("kind", SPACES)
def test_shared_memory_is_refused_with_advice(kind: Any) -> None:
    with pytest.raises(TypeError, match="shared_memory=False"):
        create_shared_memory(kind(), n=2)


def dummy_vec_env(space: gym.Space[Any]) -> Any:
    """Make the buffer of Stable-Baselines3's `DummyVecEnv`."""
    assert not hasattr(space, "spaces")
    return np.zeros((1, *tuple(space.shape)), dtype=space.dtype)  # type: ignore[arg-type]


@pytest.mark.parametrize("space", [ConversationSpace(), ActionSpace()], ids=repr)
@pytest.mark.parametrize(
    "use",
    [dummy_vec_env, lambda space: space.shape],
    ids=["DummyVecEnv", "shape"],
)
def test_a_library_that_expects_arrays_is_told_what_to_use(space: Any, use: Any) -> None:
    told = "Space has no shape: .* not arrays; .* Stable-Baselines3, use textgym.rollout or"
    with pytest.raises(UsageError, match=told):
        use(space)
