"""A policy as the user: what it sees, when it ends, its tokens and its failures."""

from __future__ import annotations

from typing import Any

import pytest

from textgym.errors import BoundaryFailure, ContextFullError, UsageError, UserFailure
from textgym.messages import Message, assistant, assistant_calls, tool_result, user
from textgym.policies import Action, Policy
from textgym.users import PolicyUser

TASK = "Find out which books are due."
SAID = [user("Which books are due?"), assistant("<think>Hm.</think>Whose books?")]


class Reader(Policy):
    """Speaks as the user, with token counts; or fails."""

    name = "reader"

    def __init__(self, text: str = "Mine.", error: Exception | None = None) -> None:
        self.text, self.error = text, error
        self.asked: list[tuple[list[Message], Any]] = []

    async def act(
        self, messages: Any, tools: Any, *, prior: Any = None, seed: Any = None
    ) -> Action:
        self.asked.append((messages, seed))
        if self.error:
            raise self.error
        return Action(assistant(self.text), usage={"prompt_tokens": 40, "completion_tokens": 3})


def test_the_model_sees_the_task_and_the_roles_exchanged() -> None:
    reader = Reader()
    assert PolicyUser(reader).reply(SAID, TASK, seed=7).text == "Mine."
    [(messages, seed)] = reader.asked
    assert seed == 7
    assert [message["role"] for message in messages] == ["system", "user", "assistant", "user"]
    assert TASK in messages[0]["content"]
    assert [message["content"] for message in messages[2:]] == [
        "Which books are due?",
        "Whose books?",
    ]


def test_calls_and_their_results_are_not_shown() -> None:
    reader = Reader()
    calls = assistant_calls(("look_up", {"name": "books"}))
    PolicyUser(reader).reply([SAID[0], calls, tool_result("call_0_0", "3"), SAID[1]], TASK, seed=7)
    assert len(reader.asked[0][0]) == 4


def test_a_turn_has_the_tokens_of_the_model() -> None:
    turn = PolicyUser(Reader()).reply(SAID, TASK, seed=7)
    assert turn.usage == {"prompt_tokens": 40, "completion_tokens": 3}
    assert PolicyUser(lambda messages: "Mine.").reply(SAID, TASK, seed=7).usage == {}


def test_the_turn_that_ends_the_conversation_costs_tokens_too() -> None:
    turn = PolicyUser(Reader("Thanks. [END]")).reply(SAID, TASK, seed=7)
    assert (turn.text, turn.usage["completion_tokens"]) == (None, 3)


@pytest.mark.parametrize("text", ["", " ", "[END]", "<think>Bye?</think> [END]", "<think>Never"])
def test_what_ends_the_conversation(text: str) -> None:
    assert PolicyUser(Reader(text)).reply(SAID, TASK, seed=7).text is None


def test_an_end_of_ones_own() -> None:
    person = PolicyUser(Reader("[END]"), end="BYE", instructions="Want this: {task}")
    assert person.reply(SAID, TASK, seed=7).text == "[END]"


def test_a_full_context_ends_the_conversation() -> None:
    turn = PolicyUser(Reader(error=ContextFullError("too long"))).reply(SAID, TASK, seed=7)
    assert turn == (None, {})


@pytest.mark.parametrize("error", [RuntimeError("down"), TimeoutError(), UsageError("odd")])
def test_every_failure_is_a_failure_of_the_user(error: Exception) -> None:
    person = PolicyUser(Reader(error=error))
    with pytest.raises(UserFailure, match="the simulated user reader failed") as raised:
        person.reply(SAID, TASK, seed=7)
    assert raised.value.boundary == "user"
    assert isinstance(raised.value, BoundaryFailure)


def test_silence_at_the_beginning_is_a_failure() -> None:
    with pytest.raises(UserFailure, match="said nothing"):
        PolicyUser(Reader(" ")).reply([], TASK, seed=7)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"user": 5}, "^PolicyUser: 5 is neither a policy nor a function"),
        ({"user": "nomodule:f"}, "nomodule"),
        ({"user": str, "end": " "}, "end must be a text that is not empty"),
        ({"user": str, "instructions": "Hi"}, "must contain {task}"),
    ],
)
def test_arguments_that_do_not_fit(arguments: dict[str, Any], problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        PolicyUser(**arguments)
