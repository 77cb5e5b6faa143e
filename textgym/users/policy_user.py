"""`PolicyUser`: a model that speaks as the user.

Invariants: every failure of the model is a `UserFailure`, and never a reward; each of its turns
returns its token counts, which are kept apart from the token counts of the policy.
"""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Any, NamedTuple

from textgym.concurrency import event_loops as background
from textgym.errors import ContextFullError, UsageError, UserFailure
from textgym.messages import Message, assistant, system, text_of, user
from textgym.names import import_object
from textgym.policies import Policy, make_policy
from textgym.policies.specs import POLICY_KINDS
from textgym.verifiers.extract import after_reasoning
from textgym.verifiers.judge.client import ReplyClient, ReplyFunction

__all__ = ["INSTRUCTIONS", "PolicyUser", "UserLike", "UserTurn", "add_usage", "reply_client"]

UserLike = str | Policy | ReplyFunction
"""A policy or its spec; a function from messages to text, or its name as `module:function`."""

TASK = "{task}"
TIMEOUT = 600.0  # seconds
SAMPLING = {"temperature": 0.0, "max_tokens": 512}
GREETING = "Hello, what can I do for you?"
INSTRUCTIONS = """\
You are the user of an assistant, and you talk to it in short messages, one at a time. You bring \
it this request, in your own words, and answer its questions from the request alone:

<request>
{task}
</request>

Say nothing that the request does not say, and never do the assistant's work. When the assistant \
says that it is done, or has given its answer, or cannot go on, reply with [END] alone."""


def add_usage(first: dict[str, int], second: dict[str, int]) -> dict[str, int]:
    """Return the sums of token counts; the counts of prompts and completions are always there.

    Example:
        >>> add_usage({"prompt_tokens": 7}, {"prompt_tokens": 2, "completion_tokens": 3})
        {'completion_tokens': 3, 'prompt_tokens': 9}
    """
    names = sorted({"prompt_tokens", "completion_tokens", *first, *second})
    return {name: first.get(name, 0) + second.get(name, 0) for name in names}


class UserTurn(NamedTuple):
    """What a model says as the user.

    Attributes:
        text: The text; None to end the conversation.
        usage: The model's token counts, such as `completion_tokens`; empty for a function.
    """

    text: str | None
    usage: dict[str, int]


class PolicyUser:
    """A policy or a function that speaks as the user.

    It sees the conversation with the roles exchanged, without reasoning, tool calls and their
    results, after a system message with the task and a greeting of the assistant. Equal specs are
    one model per process.

    Args:
        user: A policy or its spec, such as `openai:MODEL@BASE_URL`; a function, which may be
            asynchronous, from messages to text; or its name, as `module:function`.
        instructions: The system message, with `{task}`; None for `INSTRUCTIONS`.
        end: What the model writes to end the conversation.
        owner: Whose arguments these are, for error messages.

    Attributes:
        client: What sends the messages.

    Raises:
        UsageError: An argument is not valid.

    Example:
        >>> says = ["Which books are due?", "[END]"]
        >>> person = PolicyUser(lambda messages: says[len(messages) > 2])
        >>> person.reply([], "Find out which books are due.", seed=1).text
        'Which books are due?'
        >>> said = [user("Which books are due?"), assistant("None.")]
        >>> person.reply(said, "Find out which books are due.", seed=2).text is None
        True
    """

    def __init__(
        self,
        user: UserLike,
        *,
        instructions: str | None = None,
        end: str = "[END]",
        owner: str = "PolicyUser",
    ) -> None:
        if instructions is not None and TASK not in instructions:
            raise UsageError(f"{owner}: the instructions must contain {TASK}")
        if not isinstance(end, str) or not end.strip():
            raise UsageError(f"{owner}: end must be a text that is not empty, not {end!r}")
        self._instructions, self._end = instructions or INSTRUCTIONS, end
        self.client = reply_client(user, owner)

    def reply(self, messages: list[Message], task: str, *, seed: int) -> UserTurn:
        """Return what the user says next. It may wait for the model.

        Args:
            messages: The conversation, which ends with the assistant's message; empty for what the
                user says first.
            task: What the user wants.
            seed: The sampling seed.

        Raises:
            UserFailure: The model gave no reply, or said nothing to begin with.
        """
        asked = [
            system(self._instructions.replace(TASK, task)),
            *_roles_exchanged([assistant(GREETING), *messages]),
        ]
        try:
            reply, usage = background.run(self.client.reply(asked, seed))
        except ContextFullError:  # the conversation has become too long for the user
            return UserTurn(None, {})
        text = after_reasoning(reply).strip()
        if not text and not messages:
            raise UserFailure(f"the simulated user {self.client.name} said nothing")
        return UserTurn(None if not text or self._end in text else text, usage)


def _roles_exchanged(messages: list[Message]) -> list[Message]:
    """Return a conversation as the user sees it: what the assistant says is said to the user."""
    seen = []
    for message in messages:
        text = after_reasoning(text_of(message)).strip()
        if message["role"] == "assistant" and not message.get("tool_calls"):
            seen.append(user(text or "(The assistant wrote nothing.)"))
        elif message["role"] == "user":
            seen.append(assistant(text))
    return seen


@lru_cache(maxsize=64)
def reply_client(spec: Any, owner: str, role: str = "simulated user") -> ReplyClient:
    """Return what sends messages to a model that speaks as a user or another player.

    Equal specs share one model per process. Every failure of the model is a `UserFailure`.

    Args:
        spec: As `user` of `PolicyUser`.
        owner: Whose argument it is, for error messages.
        role: What the model is, for error messages.

    Raises:
        UsageError: The spec is not valid.
    """
    name = spec if isinstance(spec, str) else getattr(spec, "name", type(spec).__name__)
    make = partial(_make_user, spec, owner)
    return ReplyClient(
        str(name),
        make,
        None,
        TIMEOUT,
        role=role,
        failure=UserFailure,
        keeps_cut_replies=True,
    )


def _make_user(spec: Any, owner: str) -> Policy | ReplyFunction:
    made: Any = spec
    if isinstance(spec, str):
        is_policy = spec.partition(":")[0] in POLICY_KINDS
        made = None if is_policy else import_object(spec)
        if is_policy or (isinstance(made, type) and issubclass(made, Policy)):
            made = make_policy(spec, SAMPLING)
    if not (callable(made) or isinstance(made, Policy)):
        raise UsageError(f"{owner}: {spec!r:.100} is neither a policy nor a function")
    checked: Policy | ReplyFunction = made
    return checked
