"""Wrappers that add messages to the prompt: a system message, and solved examples."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from textgym.core.episode import Conversation
from textgym.core.text_env import TextEnv
from textgym.errors import OracleError, UnknownNameError, UsageError
from textgym.messages import Message, copy_messages, message_problem, system
from textgym.wrappers.base import MessageEnv, StepResult, check_count
from textgym.wrappers.conversations.base import ConversationWrapper, text_env, with_text

__all__ = ["FewShot", "SystemPrompt"]

_SYSTEM_ROLES = ("system", "developer")
_EXAMPLE_ROLES = frozenset(("user", "assistant", "tool"))
_PLACES = ("before", "after", "instead")
MAX_TURNS = 100  # of a solved example
MAX_DRAWN = 20  # tasks for each example, until their prompts differ


class SystemPrompt(ConversationWrapper):
    """Adds a system message to the prompt, or a text to the prompt's own system message.

    Args:
        env: The environment.
        text: The text.
        place: The position if the prompt has a system message: `before` its text, `after` it, or
            `instead` of it.

    Raises:
        UsageError: The text is empty or not a string.
        UnknownNameError: The place is not one of these.

    Example:
        >>> import gymnasium, textgym
        >>> from textgym.wrappers import SystemPrompt
        >>> env = SystemPrompt(gymnasium.make("textgym/MCQA-v0"), text="Answer in one line.")
        >>> observation, info = env.reset(seed=1)
        >>> observation[0]
        {'role': 'system', 'content': 'Answer in one line.'}
    """

    def __init__(self, env: MessageEnv, *, text: str, place: str = "before") -> None:
        super().__init__(env, text=text, place=place)
        if not isinstance(text, str) or not text.strip():
            raise UsageError(f"SystemPrompt: text must be a text that is not empty, not {text!r}")
        if place not in _PLACES:
            raise UnknownNameError(
                f"SystemPrompt: place must be before, after or instead, not {place!r}"
            )
        self._text, self._place = text, place

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[list[Message], dict[str, Any]]:
        """Reset the environment, and add the text."""
        observation, info = super().reset(seed=seed, options=options)
        return self._with_text(observation), info

    def step(self, action: Message | str) -> StepResult:
        """Step the environment."""
        observation, *rest = self.env.step(action)
        return self._with_text(observation), *rest  # type: ignore[return-value]

    def _with_text(self, messages: list[Message]) -> list[Message]:
        if not _count_system(messages[:1]):
            return [system(self._text), *messages]
        first, *others = messages
        if self._place == "instead":
            first = system(self._text)
        elif self._place == "after":
            first = with_text(first, self._text)
        else:
            first = _with_text_before(first, self._text)
        return [first, *others]


def _with_text_before(message: Message, text: str) -> Message:
    content = message.get("content")
    if isinstance(content, list):
        return {**message, "content": [{"type": "text", "text": f"{text}\n\n"}, *content]}
    return {**message, "content": f"{text}\n\n{content}" if content else text}


class FewShot(ConversationWrapper):
    """Adds solved tasks to the prompt, each as a conversation with the environment's oracle.

    They are the first tasks of the training split, or of the environment's data set, with different
    prompts. A task with the prompt of the current task is omitted, because it may have the same
    solution. The examples come after the system messages and have no system messages. They were not
    sampled by a policy, so no loss is computed on them. The tasks are solved when the wrapper is
    made.

    Args:
        env: The environment; a `TextEnv` with an oracle, unless `examples` are passed.
        shots: The number of solved tasks; 1 or more.
        examples: Messages to add instead of solved tasks, such as pairs of a user's and an
            assistant's message.

    Raises:
        UsageError: The environment has no oracle, the oracle does not solve its tasks, it has too
            few tasks with different prompts, or an argument is invalid.

    Example:
        >>> import gymnasium, textgym
        >>> from textgym.wrappers import FewShot
        >>> env = FewShot(gymnasium.make("textgym/MCQA-v0"), shots=2)
        >>> observation, info = env.reset(seed=1)
        >>> [message["role"] for message in observation]
        ['user', 'assistant', 'user', 'assistant', 'user']
    """

    def __init__(
        self, env: MessageEnv, *, shots: int = 2, examples: Sequence[Message] | None = None
    ) -> None:
        super().__init__(env, shots=shots, examples=examples)
        check_count(self, "shots", shots)
        if examples is None and type(text_env(self)).solve is TextEnv.solve:
            raise UsageError(f"FewShot needs an oracle, and {text_env(self).card.id} has none")
        self._fixed = None if examples is None else _checked_examples(examples)
        self._shots = shots
        self._solved = self._solve() if self._fixed is None else []
        self._without: dict[int, Conversation] = {}  # by the index that is left out

    def begin(self) -> dict[str, Any]:
        """Return the state: the index of the solved task, among `shots + 1`, that is left out."""
        return {"left_out": self._shots}

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[list[Message], dict[str, Any]]:
        """Reset the environment, and choose the examples."""
        observation, info = super().reset(seed=seed, options=options)
        for place, (prompt, _) in enumerate(self._solved):
            if prompt == text_env(self).task.messages:
                self.state = {"left_out": place}
        return self._with_examples(observation), info

    def step(self, action: Message | str) -> StepResult:
        """Step the environment."""
        observation, *rest = self.env.step(action)
        return self._with_examples(observation), *rest  # type: ignore[return-value]

    def state_problem(self, state: dict[str, Any]) -> str:
        """Return the problem of a state, or ""."""
        is_valid = 0 <= state["left_out"] <= self._shots
        return "" if is_valid else f"left_out must be from 0 to {self._shots}"

    def _with_examples(self, messages: list[Message]) -> list[Message]:
        start = _count_system(messages)
        examples = self._examples(self.state["left_out"])
        return [*messages[:start], *examples.copy(), *messages[start:]]

    def _examples(self, left_out: int) -> Conversation:
        if self._fixed is not None:
            return self._fixed
        if left_out not in self._without:
            solved = enumerate(self._solved)
            shown = [example.messages for n, (_, example) in solved if n != left_out]
            self._without[left_out] = Conversation(itertools.chain.from_iterable(shown))
        return self._without[left_out]

    def _solve(self) -> list[tuple[tuple[Message, ...], Conversation]]:
        """Solve one task more than `shots`, because one may have the current prompt."""
        inner = text_env(self)
        changes = {"split": "train", "render_mode": None, "max_turns": None}
        source = type(inner)(**{**inner.arguments, **changes})
        try:
            return _solved_tasks(source, self._shots + 1)
        except (OracleError, UsageError) as error:
            raise UsageError(
                f"FewShot: {self._shots + 1} solved tasks with different prompts are needed: "
                f"{error}"
            ) from None
        finally:
            source.close()


def _checked_examples(examples: Any) -> Conversation:
    """Return examples as a conversation.

    Raises:
        UsageError: They are not a list of messages without system messages.
    """
    if isinstance(examples, (str, Mapping)) or not isinstance(examples, Sequence) or not examples:
        raise UsageError(f"FewShot: examples must be a list of messages, not {examples!r:.100}")
    for message in examples:
        if problem := message_problem(message, _EXAMPLE_ROLES):
            raise UsageError(f"FewShot: one of the examples is not a message: {problem}")
    return Conversation(copy_messages(examples))


def _solved_tasks(env: TextEnv[Any], count: int) -> list[tuple[tuple[Message, ...], Conversation]]:
    """Return the prompts of the first tasks with different prompts, and the oracle's solutions.

    Raises:
        UsageError: There are too few such tasks, or the oracle does not solve one.
    """
    solved: list[tuple[tuple[Message, ...], Conversation]] = []
    for index in range(MAX_DRAWN * count):
        observation, _ = env.reset(seed=index, options={"index": index})
        prompt = env.task.messages
        if all(prompt != known for known, _ in solved):
            solved.append((prompt, _solution(env, observation, index)))
        if len(solved) == count:
            return solved
    raise UsageError(f"the first {MAX_DRAWN * count} tasks have {len(solved)}")


def _solution(env: TextEnv[Any], observation: list[Message], index: int) -> Conversation:
    for _ in range(MAX_TURNS):
        observation, _, terminated, truncated, result = env.step(env.solve())
        if terminated or truncated:
            if not result.get("is_success"):
                raise UsageError(f"the oracle does not solve task {index}")
            return Conversation(observation[_count_system(observation) :])
    raise UsageError(f"the oracle does not end task {index} in {MAX_TURNS} messages")


def _count_system(messages: list[Message]) -> int:
    """Return the number of system messages at the beginning of a conversation."""
    is_system = (message["role"] in _SYSTEM_ROLES for message in messages)
    return sum(1 for _ in itertools.takewhile(bool, is_system))
