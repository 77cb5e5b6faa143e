"""`TextEnv`, the base class of every environment: a conversation about one task.

An author writes `generate` (or nothing, where all tasks come from a data set), `read_row` and
`grade`, and where they are needed `begin`, `respond`, `solve`, `guess` and tools; everything else
is here. What always holds: all that changes in an episode is the transcript, the turn count and
`state`; a step that raises leaves them as they were; what is handed out is a fresh copy; nothing
that a model says raises.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, ClassVar, TypeVar

from textgym.cards import Card
from textgym.display.terminal import show, wants_colour
from textgym.display.transcript import format_episode
from textgym.env.conversation import Conversation
from textgym.env.saving import SavableEnv, StateT
from textgym.errors import (
    OracleError,
    UnknownNameError,
    UsageError,
)
from textgym.messages import (
    Message,
    copy_json,
    copy_message,
    text_of,
    tool_result,
)
from textgym.rewards import Grade
from textgym.snapshots.episode_state import declared_type
from textgym.spaces import MAX_CALLS, ActionSpace, ConversationSpace, read_action
from textgym.tasks.source import TaskSource
from textgym.tasks.task import Task
from textgym.tools import Toolbox
from textgym.verifiers.extract import after_reasoning

__all__ = ["TextEnv"]

_NO_CONTENT_KEYS = frozenset(("id", "level", "category"))


F = TypeVar("F", bound=Callable[..., Any])


def _left_to_authors(method: F) -> F:
    """Mark a method that an environment need not have, so that policies can tell."""
    method.__left_to_authors__ = True  # type: ignore[attr-defined]
    return method


class TextEnv(SavableEnv[StateT]):
    """A text environment.

    Observation: the whole conversation, a fresh list of messages. Action: one assistant message,
    or a text that stands for its content. Reward: given once, at the end of the episode.

    Args:
        dataset: None for the generator, a path to a .jsonl or .parquet file, or a hub id.
        split: `train`, `validation` or `test`: of the generator, or of the hub's data set.
        level: One of the card's levels; None for all of them.
        max_turns: The most assistant messages; the episode is graded and truncated at this one.
        render_mode: `ansi` (render returns the transcript), `human` (it is printed as it grows),
            or None. Both have colours where standard output is a terminal.

    Raises:
        UsageError: An argument is not one of those above.
        DatasetError: The data set is missing, empty or broken.
        RowError: A row cannot be read.

    Attributes:
        card: What the registry knows of the environment.
        blocking: Whether `step`, and a `begin` of its own, may wait; such calls run in threads.
        max_calls: The most tool calls of one message that are run. The conversation keeps one
            more, whose answer tells the model that it and all after it were dropped.
        judge_name: The judge that is asked, as `info["judge"]` says after a reset; "" for none.
        task: The task of the current episode, its answer included.
        state: What `begin` returned for the current episode.
        turn: How many assistant messages the episode has had.

    Example:
        >>> from textgym.cards import Card
    from textgym.env.conversation import Conversation
    from textgym.env.saving import SavableEnv, StateT
        >>> from textgym.messages import user
        >>> class Echo(TextEnv[None]):
        ...     card = Card("demo/Echo-v0", "Say it again.", ("single-step",), ("copying",), (),
        ...                 "echo", ("exact match",))
        ...     def generate(self, rng, level):
        ...         return {"word": rng.choice(["tea", "milk", "honey"])}
        ...     def read_row(self, row):
        ...         return Task(row["id"], (user(f"Say {row['word']}."),), row["word"], row=row)
        ...     def grade(self):
        ...         right = self.answer_text == self.task.answer
        ...         return Grade(float(right), right, extracted_answer=self.answer_text)
        >>> env = Echo()
        >>> observation, info = env.reset(seed=1)
        >>> observation
        [{'role': 'user', 'content': 'Say milk.'}]
        >>> env.step("milk")[1:4]
        (1.0, True, False)
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi", "human"], "render_fps": 1}
    card: ClassVar[Card]
    blocking: bool = False
    max_calls: int = MAX_CALLS
    judge_name: str = ""

    def __init__(
        self,
        *,
        dataset: str | None = None,
        split: str = "train",
        level: int | None = None,
        max_turns: int = 1,
        render_mode: str | None = None,
    ) -> None:
        if not isinstance(max_turns, int) or max_turns < 1:
            raise UsageError(f"max_turns is a whole number of 1 or more, not {max_turns!r}")
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise UnknownNameError(f"render_mode is 'ansi', 'human' or None, not {render_mode!r}")
        self.dataset, self.split, self.level = dataset, split, level
        self.max_turns, self.render_mode = max_turns, render_mode
        self.observation_space = ConversationSpace()
        self.action_space = ActionSpace()
        self._conversation = Conversation()
        self._shown = 0
        self._running = self._finished = False
        self._outcome: tuple[float, dict[str, Any]] | None = None
        self._tasks = TaskSource(
            id=self.card.id,
            levels=self.card.levels,
            generate=self.generate,
            canonical=self.canonical,
            read_row=self.read_row,
            owner=type(self),
            arguments=self._arguments,
            dataset=dataset,
            split=split,
            level=level,
        )

    # What an author writes.

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        """Return one flat row of a level, correct by construction, drawn with `rng` alone."""
        raise UsageError(f"{self.card.id} has no generator: name a dataset")

    def read_row(self, row: dict[str, Any]) -> Task:
        """Turn a row, which has an `id` by now, into a task.

        Raises:
            RowError: The row is not one of this environment; it names the field.
        """
        raise NotImplementedError(f"{type(self).__name__} must define read_row")

    def begin(self, task: Task) -> StateT:
        """Return the episode's state: what JSON can hold, or a dataclass or model of such fields.

        A saved state is checked against the type that this is annotated to return.
        """
        return None  # type: ignore[return-value]

    def check_state(self) -> None:
        """Refuse a saved `self.state` that does not fit `self.task`; by default each one fits.

        It is called where an episode is restored, after the state was checked against its type.

        Raises:
            StateError: It does not fit; the error names the place.
        """

    def respond(self, message: Message) -> list[Message] | None:
        """Return what the user says to a message without tool calls; None ends the episode."""
        return None

    def grade(self) -> Grade:
        """Return the verdict on the episode that has ended."""
        raise NotImplementedError(f"{type(self).__name__} must define grade")

    @_left_to_authors
    def solve(self) -> Message:
        """Return the next message of a policy that knows the answer.

        Raises:
            OracleError: The environment has no oracle, or none for this task.
        """
        raise OracleError(f"{self.card.id} has no oracle: it does not define solve")

    @_left_to_authors
    def guess(self, rng: random.Random) -> Message:
        """Return a well-formed message that knows no answer.

        Raises:
            OracleError: The environment has no guess.
        """
        raise OracleError(f"{self.card.id} has no random policy: it does not define guess")

    def canonical(self, row: dict[str, Any]) -> Any:
        """Return what of a generated row decides its split; by default all that is content."""
        return {key: value for key, value in row.items() if key not in _NO_CONTENT_KEYS}

    @property
    def reward_range(self) -> tuple[float, float]:
        """The lowest and the highest reward with these arguments."""
        return self.card.reward_range

    # What authors and everyone may use.

    @property
    def blocking_reset(self) -> bool:
        """Whether `reset` may wait: where the environment is `blocking` and defines `begin`."""
        return self.blocking and type(self).begin is not TextEnv.begin

    @property
    def num_tasks(self) -> int | None:
        """How many tasks there are: rows, 500 of a generated evaluation split, or None."""
        return self._tasks.count

    @property
    def data_digests(self) -> dict[str, str]:
        """The data that its tasks were read from, by name, each with a hash of its content."""
        return self._tasks.digests

    @property
    def replies(self) -> Iterator[Message]:
        """The episode's assistant messages, the last one first; they are not to be changed."""
        return self._conversation.replies()

    @property
    def answer_text(self) -> str:
        """The text of the last assistant message, without reasoning; "" where there is none."""
        last = next(self.replies, None)
        return after_reasoning(text_of(last)) if last else ""

    def finish(self) -> None:
        """End the episode after the current tool call; for tools that conclude a task."""
        self._finished = True

    def get_task(self, index: int) -> Task:
        """Return the task of an index, 0 or more.

        Raises:
            UsageError: There is no such task.
        """
        return self._tasks.get(index)

    # Gymnasium's API.

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[list[Message], dict[str, Any]]:
        """Begin an episode.

        Args:
            seed: Seeds the choice of this and the following tasks.
            options: `{"index": i}` picks a task by index, `{"task": row}` brings its own row.

        Returns:
            The prompt, and info with `task_id` and `tools`, and with `judge` where one is asked.

        Raises:
            BoundaryFailure: `begin` failed; the next reset draws the same task.
        """
        if seed is not None:
            self._seed(seed)
        drawn = self._tasks.stream.state
        task = self._tasks.choose(options)
        self._running = False  # until the episode has begun
        self.task = task
        self._conversation = Conversation(task.messages)
        self.turn, self._finished, self._shown, self._outcome = 0, False, 0, None
        try:
            self.state = self.begin(task)
        except BaseException:
            self._tasks.stream.state = drawn
            raise
        self._running = True
        self._show()
        info: dict[str, Any] = {"task_id": task.id, "tools": self._offered()}
        if self.judge_name:
            info["judge"] = self.judge_name
        return self._conversation.copy(), info

    def step(
        self, action: Message | str
    ) -> tuple[list[Message], float, bool, bool, dict[str, Any]]:
        """Take the assistant's next message.

        Raises:
            InvalidActionError: It is neither an assistant message nor a text.
            BoundaryFailure: Something that the environment calls failed; it can be stepped again.
        """
        if not self._running:
            raise UsageError("the episode has ended: call reset before step")
        message = read_action(action, self.turn, self.max_calls)
        length, turn, generator = len(self._conversation), self.turn, self._generator
        drawn: Any = None if generator is None else generator.bit_generator.state
        state = None if self.state is None else copy.deepcopy(self.state)
        try:
            reason = self._take(message)
            result = self._result(reason)
        except BaseException:
            self._conversation.cut(length)
            self.turn, self.state, self._finished = turn, state, False  # type: ignore[assignment]
            self._generator = generator
            if generator is not None:
                generator.bit_generator.state = drawn
            raise
        self._running = not reason
        if reason and self.render_mode:
            self._outcome = result[1], copy_json(result[4])
        self._show()
        return result

    def render(self) -> str | None:
        """Return the transcript (`ansi`), or print what has not been printed yet (`human`)."""
        self._show()
        return self._rendered(0) if self.render_mode == "ansi" else None

    # How it works.

    @classmethod
    @cache
    def toolbox(cls) -> Toolbox:
        """Return the class's tools; made once."""
        return Toolbox(cls)

    @classmethod
    @cache
    def _declared_state(cls) -> Any:
        """Return the type of the class's states; found once."""
        return declared_type(cls, TextEnv)

    def _offered(self) -> list[Any]:
        tools = self.task.tools
        return self.toolbox().schemas() if tools is None else [*map(copy_json, tools)]

    def _show(self) -> None:
        if self.render_mode == "human" and self._shown < len(self._conversation):
            show(self._rendered(self._shown) + "\n")
            self._shown = len(self._conversation)

    def _rendered(self, start: int) -> str:
        tools = () if start or not self._conversation else self._offered()
        said = self._conversation.messages[start:]
        return format_episode(said, tools, self._outcome, colour=wants_colour())

    def _take(self, message: Message) -> str:
        """Add the message and what follows from it; return why the episode ends, or ""."""
        self._conversation.add(message)
        self.turn += 1
        if message.get("tool_calls"):
            self._call_tools(message)
        else:
            reply = self.respond(message)
            if reply is None:
                return "answer"
            for answer in reply:
                self._conversation.add(copy_message(answer))
        if self._finished:
            return "answer"
        return "max_turns" if self.turn >= self.max_turns else ""

    def _call_tools(self, message: Message) -> None:
        offered = None
        if self.task.tools is not None:
            offered = [schema["function"]["name"] for schema in self.task.tools]
        for place, call in enumerate(message["tool_calls"] or ()):
            if self._finished:
                text = "Error: not run, the episode has ended"
            elif place == self.max_calls:
                text = (
                    f"Error: not run, a message may hold {self.max_calls} calls; this one and all "
                    "after it were dropped"
                )
            else:
                function = call["function"]
                arguments = function.get("arguments")
                text = self.toolbox().call(self, function["name"], arguments, offered)
            self._conversation.add(tool_result(text, str(call["id"])))

    def _result(self, reason: str) -> tuple[list[Message], float, bool, bool, dict[str, Any]]:
        info: dict[str, Any] = {"task_id": self.task.id}
        if not reason:
            return self._conversation.copy(), 0.0, False, False, info
        grade = self.grade()
        info["stop_reason"] = reason
        info |= grade.entries(self.card.id, self.reward_range)
        ended = reason == "answer"
        return self._conversation.copy(), float(grade.reward), ended, not ended, info
