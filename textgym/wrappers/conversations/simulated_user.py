"""`SimulatedUser`: a script or a model as the user who brings the task and asks back."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, partial
from typing import Any

from textgym.concurrency import background_loop as background
from textgym.env import TextEnv
from textgym.env.conversation import Conversation
from textgym.errors import ContextFullError, EnvironmentFailure, UsageError
from textgym.imports import import_object
from textgym.messages import Message, assistant, system, text_of, user
from textgym.policies import Policy, make_policy
from textgym.policies.specs import POLICY_KINDS
from textgym.spaces import read_action
from textgym.tasks.hashing import hash_int
from textgym.time_limits import graded_cut
from textgym.verifiers.extract import after_reasoning
from textgym.verifiers.judge.client import ReplyClient, ReplyFunction
from textgym.wrappers.base import MessageEnv, StepResult, check_count
from textgym.wrappers.conversations.base import OwnConversation, text_env

__all__ = ["SimulatedUser"]

UserLike = str | Policy | ReplyFunction
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


class SimulatedUser(OwnConversation):
    """Puts a user into an environment that has none: a script, or a model.

    The user brings the task in place of the environment's user message. Calls of tools go to the
    environment. To a message without calls the user replies; when the user ends the conversation,
    the environment gets the assistant's last message, and grades it. At `max_turns` it gets the
    message without asking the user.

    Args:
        env: A `TextEnv` whose own user does not speak again after the task.
        script: What the user says, one text for each turn. `{task}` is replaced by the
            environment's own user message. After the last text the user ends the conversation.
        user: Instead of a script, a model that speaks as the user: a policy or its spec, such as
            `openai:MODEL@BASE_URL`; a function, also an asynchronous one, from messages to text; or
            its place, as `module:function`. A spec with an object cannot be saved as JSON.
        instructions: The system message of the model, with `{task}`; None for `INSTRUCTIONS`.
        end: What the model writes to end the conversation.
        max_turns: The maximum number of assistant messages.

    Raises:
        UsageError: The environment has a user of its own, or an argument is not valid.
        EnvironmentFailure: By `reset` and `step`: the model gave no reply; by `reset`: it said
            nothing, or ended the conversation.

    Example:
        >>> import gymnasium, textgym
        >>> from textgym.wrappers import SimulatedUser
        >>> env = gymnasium.make("textgym/MCQA-v0")
        >>> env = SimulatedUser(env, script=["Can you help me?", "{task}", "Are you sure?"])
        >>> observation, info = env.reset(seed=1)
        >>> observation
        [{'role': 'user', 'content': 'Can you help me?'}]
        >>> for _ in range(3):
        ...     observation, reward, terminated, *_ = env.step(env.unwrapped.solve())
        >>> observation[-2]["content"], reward, terminated
        ('Are you sure?', 1.0, True)
    """

    def __init__(
        self,
        env: MessageEnv,
        *,
        script: Sequence[str] | None = None,
        user: UserLike | None = None,
        instructions: str | None = None,
        end: str = "[END]",
        max_turns: int = 20,
    ) -> None:
        super().__init__(
            env,
            script=script,
            user=user,
            instructions=instructions,
            end=end,
            max_turns=max_turns,
        )
        inner = text_env(self)
        if type(inner).respond is not TextEnv.respond:
            raise UsageError(f"SimulatedUser: {inner.card.id} has a user of its own")
        if (script is None) == (user is None):
            raise UsageError("SimulatedUser needs a script or a user, and not both")
        check_count(self, "max_turns", max_turns)
        self._script = None if script is None else _checked_script(script)
        if instructions is not None and TASK not in instructions:
            raise UsageError(f"SimulatedUser: the instructions must contain {TASK}")
        if not isinstance(end, str) or not end.strip():
            raise UsageError(f"SimulatedUser: end must be a text that is not empty, not {end!r}")
        self._instructions, self._end = instructions or INSTRUCTIONS, end
        self._user = user
        if user is not None:
            _client(user)  # whose errors belong here
        self.blocking = user is not None
        self.max_turns = max_turns
        self._asked: tuple[list[Any], str | None] | None = None  # a step may be taken again
        self._unopened: tuple[list[Message], dict[str, Any]] | None = None

    def begin(self) -> dict[str, Any]:
        """Return the state of an episode that has not begun."""
        return {**super().begin(), "task": "", "said": 0}

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[list[Message], dict[str, Any]]:
        """Reset the environment, and let the user speak first.

        If the user fails, the next call without arguments continues with the same task.
        """
        if seed is not None or options is not None or self._unopened is None:
            self._unopened = super().reset(seed=seed, options=options)
        observation, info = self._unopened
        if not observation or observation[-1]["role"] != "user":
            raise UsageError("SimulatedUser needs a prompt that ends with a message of the user")
        *kept, last = observation
        begun = {**self.begin(), "seen": len(observation), "task_id": info["task_id"]}
        self.state = {**begun, "task": text_of(last)}
        try:
            first = self._reply([])
            if first is None:
                raise EnvironmentFailure("the simulated user ended the conversation at once")
        except BaseException:
            self._state = None  # there is no episode
            raise
        self._unopened = None
        self.state = {**self.state, "said": 1}
        self.conversation = Conversation([*kept, _with_parts_of(last, first)])
        return self.conversation.copy(), info

    def step(self, action: Message | str) -> StepResult:
        """Step the environment with calls; let the user reply to everything else."""
        message = read_action(action, self.turn)
        if self.is_last_turn:
            with graded_cut(self.env):
                result = self._step_env(message)
            result[4]["stop_reason"] = "max_turns"
            return result[0], result[1], False, True, result[4]
        if message.get("tool_calls"):
            return self._step_env(message)
        reply = self._reply([*self.conversation.messages, message])
        if reply is None:
            return self._step_env(message)
        return self.shown([message, user(reply)], said=self.state["said"] + 1)

    def set_state(self, state: dict[str, Any]) -> None:
        """Restore a state of the wrapper alone.

        Raises:
            StateError: A value is missing, unknown or invalid. Nothing is changed.
        """
        super().set_state(state)
        self._unopened = None

    def _step_env(self, message: Message) -> StepResult:
        observation, reward, terminated, truncated, info = self.env.step(message)
        new = observation[self.state["seen"] :]
        return self.shown(new, float(reward), terminated, truncated, info, seen=len(observation))

    def _reply(self, messages: list[Message]) -> str | None:
        """Return what the user says next; None to end the conversation."""
        said, task = self.state["said"], self.state["task"]
        if self._script is not None:
            return self._script[said].replace(TASK, task) if said < len(self._script) else None
        if self._asked is None or self._asked[0] != [task, messages]:
            self._asked = [task, messages], self._ask(messages, task, said)
        return self._asked[1]

    def _ask(self, messages: list[Message], task: str, said: int) -> str | None:
        asked = [
            system(self._instructions.replace(TASK, task)),
            *_roles_exchanged([assistant(GREETING), *messages]),
        ]
        client = _client(self._user)
        seed = hash_int("user", self.state["task_id"], said)
        try:
            reply = background.run(client.ask(asked, seed))
        except ContextFullError:  # the conversation has become too long for the user
            return None
        reply = after_reasoning(reply).strip()
        if not reply and not messages:
            raise EnvironmentFailure(f"the simulated user {client.name} said nothing")
        return None if not reply or self._end in reply else reply


def _with_parts_of(task: Message, said: str) -> Message:
    """Return what the user says first, with the images of the task."""
    content = task.get("content")
    parts = content if isinstance(content, list) else []
    others = [part for part in parts if part["type"] != "text"]
    if not others:
        return user(said)
    return {"role": "user", "content": [*others, {"type": "text", "text": said}]}


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


def _checked_script(script: Any) -> list[str]:
    """Return a script.

    Raises:
        UsageError: It is not a list of texts of which one has the task.
    """
    texts = [] if isinstance(script, str) else list(script)
    if not texts or not all(isinstance(text, str) and text for text in texts):
        raise UsageError(f"SimulatedUser: script must be a list of texts, not {script!r:.100}")
    if not any(TASK in text for text in texts):
        raise UsageError(f"SimulatedUser: no text of the script contains {TASK}")
    return texts


@lru_cache(maxsize=64)
def _client(given: Any) -> ReplyClient:
    """Return the client of a user. Equal specs are one model a process."""
    name = given if isinstance(given, str) else getattr(given, "name", type(given).__name__)
    make = partial(_make_user, given)
    return ReplyClient(
        str(name),
        make,
        None,
        TIMEOUT,
        role="simulated user",
        failure=EnvironmentFailure,
        keeps_cut_replies=True,
    )


def _make_user(given: Any) -> Policy | ReplyFunction:
    found: Any = given
    if isinstance(given, str):
        is_policy = given.partition(":")[0] in POLICY_KINDS
        found = None if is_policy else import_object(given)
        if is_policy or (isinstance(found, type) and issubclass(found, Policy)):
            found = make_policy(given, SAMPLING)
    if not (callable(found) or isinstance(found, Policy)):
        raise UsageError(f"SimulatedUser: {given!r:.100} is neither a policy nor a function")
    made: Policy | ReplyFunction = found
    return made
