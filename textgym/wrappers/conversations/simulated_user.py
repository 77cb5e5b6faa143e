"""`SimulatedUser`: a script, facts or a model as the user who states the task and replies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from textgym.core.episode import Conversation
from textgym.core.text_env import TextEnv
from textgym.errors import UsageError, UserFailure
from textgym.json_values import copy_json
from textgym.layers import graded_cut
from textgym.messages import Message, text_of, user
from textgym.spaces import read_action
from textgym.tasks.task import hash_int
from textgym.users import Fact, Memory, PolicyUser, ScriptedUser, UserLike, UserTurn, add_usage
from textgym.users.scripted_user import memory_problem
from textgym.wrappers.base import MessageEnv, StepResult, check_count
from textgym.wrappers.conversations.base import OwnConversation, text_env

__all__ = ["SimulatedUser"]

TASK = "{task}"


class SimulatedUser(OwnConversation):
    """Adds a user to an environment without one: a script, facts, or a model.

    The user states the task in place of the environment's user message, and replies to messages
    without tool calls; tool calls go to the environment. When the user ends the conversation, the
    environment gets the assistant's last message and grades it. At `max_turns` it gets the message
    without a reply of the user.

    A user with facts states the task, and then answers questions about the facts, as
    `textgym.users.ScriptedUser` describes. With a model as the user, the info of the last step has
    `user_usage`, the token counts of the model, which the policy's counts do not include.

    Args:
        env: A `TextEnv` without later user messages of its own.
        script: What the user says, one text for each turn. `{task}` is replaced by the
            environment's own user message. After the last text the user ends the conversation.
        user: Instead of a script, a model that speaks as the user: a policy or its spec, such as
            `openai:MODEL@BASE_URL`; a function, which may be `async`, from messages to text; or
            `module:function`. A spec with an object cannot be saved as JSON.
        facts: Instead of a script, the user's answer for each detail that can be asked for, by
            name, such as `day` or `seat_number`.
        instructions: The system message of the model, with `{task}`; None for
            `textgym.users.policy_user.INSTRUCTIONS`.
        end: The text with which the model ends the conversation.
        max_turns: The maximum number of assistant messages.

    Raises:
        UsageError: The environment has its own user, or an argument is invalid.
        UserFailure: By `reset` and `step`: the model did not reply; by `reset`: its reply is empty,
            or ends the conversation.

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
        facts: Mapping[str, str] | None = None,
        instructions: str | None = None,
        end: str = "[END]",
        max_turns: int = 20,
    ) -> None:
        super().__init__(
            env,
            _disable_deepcopy=user is not None,  # a policy may hold a model
            script=script,
            user=user,
            facts=facts,
            instructions=instructions,
            end=end,
            max_turns=max_turns,
        )
        inner = text_env(self)
        if type(inner).respond is not TextEnv.respond:
            raise UsageError(f"SimulatedUser: {inner.card.id} has a user of its own")
        if (script, user, facts).count(None) != 2:
            raise UsageError(
                "SimulatedUser needs a script or a user or facts, and only one of them"
            )
        check_count(self, "max_turns", max_turns)
        self._script = None if script is None else _checked_script(script)
        self._facts = None if facts is None else _checked_facts(facts)
        self._user = None
        if user is not None:
            self._user = PolicyUser(user, instructions=instructions, end=end, owner="SimulatedUser")
        self.blocking = user is not None
        self.max_turns = max_turns
        self._last_turn: tuple[list[Any], UserTurn] | None = None  # for a step that is taken again
        self._unopened: tuple[list[Message], dict[str, Any]] | None = None

    def begin(self) -> dict[str, Any]:
        """Return the state of an episode that has not begun."""
        return {**super().begin(), "task": "", "said": 0, "user_usage": {}, "memory": {}}

    def state_problem(self, state: dict[str, Any]) -> str:
        """Return the problem of a state whose values have the right types, or ""."""
        if any(type(count) is not int or count < 0 for count in state["user_usage"].values()):
            return "user_usage must have token counts"
        return memory_problem(state["memory"]) if self._facts is not None else ""

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
            first, changes = self._reply([])
            if first is None:
                raise UserFailure("the simulated user ended the conversation at once")
        except BaseException:
            self._state = None  # no episode has begun
            raise
        self._unopened = None
        self.state = {**self.state, "said": 1, **changes}
        self.conversation = Conversation([*kept, _with_images(last, first)])
        return self.conversation.copy(), info

    def step(self, action: Message | str) -> StepResult:
        """Step the environment with calls; the user replies to other messages."""
        message = read_action(action, self.turn)
        if self.is_last_turn:
            with graded_cut(self.env):
                result = self._step_env(message)
            result[4]["stop_reason"] = "max_turns"
            return result[0], result[1], False, True, result[4]
        if message.get("tool_calls"):
            return self._step_env(message)
        reply, changes = self._reply([*self.conversation.messages, message])
        if reply is None:
            return self._step_env(message, changes)
        return self.shown([message, user(reply)], said=self.state["said"] + 1, **changes)

    def set_state(self, state: dict[str, Any]) -> None:
        """Restore a state of this wrapper only.

        Raises:
            StateError: A value is missing, unknown or invalid. Nothing is changed.
        """
        super().set_state(state)
        self._unopened = None

    def _step_env(self, message: Message, changes: dict[str, Any] | None = None) -> StepResult:
        observation, reward, terminated, truncated, info = self.env.step(message)
        changes = changes or {}
        if self._user is not None and (terminated or truncated):
            usage = {**self.state, **changes}["user_usage"]
            info = {**info, "user_usage": add_usage(usage, {})}
        new = observation[self.state["seen"] :]
        seen = len(observation)
        return self.shown(new, float(reward), terminated, truncated, info, seen=seen, **changes)

    def _reply(self, messages: list[Message]) -> tuple[str | None, dict[str, Any]]:
        """Return the user's next text, or None at the end, and the changes of the state."""
        count, task = self.state["said"], self.state["task"]
        if self._script is not None:
            reply = self._script[count].replace(TASK, task) if count < len(self._script) else None
            return reply, {}
        if self._facts is not None:
            return self._answer(messages)
        assert self._user is not None
        if self._last_turn is None or self._last_turn[0] != [task, messages]:
            seed = hash_int("user", self.state["task_id"], count)
            self._last_turn = [task, messages], self._user.reply(messages, task, seed=seed)
        turn = self._last_turn[1]
        return turn.text, {"user_usage": add_usage(self.state["user_usage"], turn.usage)}

    def _answer(self, messages: list[Message]) -> tuple[str | None, dict[str, Any]]:
        """Return the task, or the answer of a user with facts."""
        assert self._facts is not None
        person = ScriptedUser(self._facts, seed=self.state["task_id"])
        if not messages:
            return self.state["task"], {"memory": asdict(person.begin())}
        memory = Memory(**copy_json(self.state["memory"]))
        reply = person.reply(text_of(messages[-1]), memory)
        return None if reply.is_last else reply.text, {"memory": asdict(memory)}


def _with_images(task: Message, text: str) -> Message:
    """Return the user's first message, with the images of the task."""
    content = task.get("content")
    parts = content if isinstance(content, list) else []
    images = [part for part in parts if part["type"] != "text"]
    if not images:
        return user(text)
    return {"role": "user", "content": [*images, {"type": "text", "text": text}]}


def _checked_script(script: Any) -> list[str]:
    """Return a script.

    Raises:
        UsageError: It is not a list of texts, or no text has the task.
    """
    texts = [] if isinstance(script, str) else list(script)
    if not texts or not all(isinstance(text, str) and text for text in texts):
        raise UsageError(f"SimulatedUser: script must be a list of texts, not {script!r:.100}")
    if not any(TASK in text for text in texts):
        raise UsageError(f"SimulatedUser: no text of the script contains {TASK}")
    return texts


def _checked_facts(facts: Any) -> list[Fact]:
    """Return facts.

    Raises:
        UsageError: They are not texts by their names.
    """
    is_valid = isinstance(facts, Mapping) and all(
        isinstance(text, str) and text.strip() for pair in facts.items() for text in pair
    )
    if not is_valid or not facts:
        raise UsageError(
            f"SimulatedUser: facts must be a dict of texts that are not empty, not {facts!r:.100}"
        )
    return [Fact(name, value) for name, value in facts.items()]
