"""`TextEnv`, the base class of every environment: a conversation about one task.

Subclasses define `read_row` and `grade`, and, if they need them, `generate` (without it, all tasks
come from a data set), `begin`, `respond`, `solve`, `guess` and tools.

Invariants: an episode changes only the conversation, the turn count, the random generator and
`state`; a step that raises leaves them unchanged; observations and infos are fresh copies; no
assistant message makes `step` raise, however malformed its content is.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Any

from textgym.concurrency.event_loops import result_of
from textgym.core.authoring import StateT, check_class, check_grade, check_reply, copy_of_state
from textgym.core.episode import Conversation, Grade, Payments, verdict_reason
from textgym.core.saved_episode import declared_type
from textgym.core.saving import SavableEnv
from textgym.display.terminal import show, wants_colour
from textgym.display.transcript import format_episode
from textgym.errors import UnknownNameError, UsageError
from textgym.json_values import copy_json
from textgym.messages import Message, copy_message, tool_result
from textgym.spaces import MAX_CALLS, ActionSpace, ConversationSpace, read_action
from textgym.tasks.files import Dataset
from textgym.tasks.source import TaskSource
from textgym.tasks.task import Task
from textgym.tools import NOT_RUN, Toolbox

__all__ = ["TextEnv"]


class TextEnv(SavableEnv[StateT]):
    """The base class of text environments.

    The observation is the whole conversation, as a fresh list of messages. An action is one
    assistant message, or a string that is taken as its content. `grade` gives the reward at the end
    of the episode; `add_reward` gives rewards before that.

    Args:
        dataset: A path to a .jsonl, .parquet, .arrow or .csv file, the name of a data set
            (`textgym data list`), a hub id, a list of rows, a `datasets.Dataset`, or a data frame.
            None uses the generator.
        columns: The column of the data set that each field of a row is read from, such as
            `{"question": "prompt", "answer": "extra.label"}`. Other columns keep their names.
        split: `train`, `validation` or `test`, of the generator, a data set with a name, or a hub.
        level: One of the card's levels; None for all of them. 0 is the first rung, where the card
            has one; None does not draw it.
        max_turns: The maximum number of assistant messages. The episode is graded and truncated
            when it is reached. None uses the class's `max_turns`.
        render_mode: `ansi` (`render` returns the transcript), `human` (the transcript is printed as
            it grows), or None. Both use colours if standard output is a terminal.

    Raises:
        UsageError: An argument is not valid.
        DatasetError: The data set is missing, empty or broken.
        RowError: A row cannot be read.

    Attributes:
        card: The environment's metadata.
        blocking: Whether `step`, and `begin` if the class defines it, may wait for something. Such
            calls run in threads. A class with `async` methods is blocking.
        max_turns: The default of the argument: 20 if the class has tools, or defines `respond` or
            `call_offered_tool`, else 1. A class may set its own.
        answers_calls: Whether `respond` also answers messages with tool calls, each call with a
            tool message. By default each call runs a tool, and `respond` is not called.
        max_calls: The maximum number of tool calls in one message. Of the calls beyond this limit,
            the conversation keeps only the first; its result says that it and the rest were
            dropped.
        judge_name: The name of the judge, which `reset` returns as `info["judge"]`; "" if there is
            no judge.
        task: The task of the current episode, including its answer. Do not modify it.
        state: The state of the current episode, as `begin` returned it.
        turn: The number of assistant messages in the current episode.

    Example:
        >>> from textgym.core.card import Card
        >>> from textgym.messages import user
        >>> from textgym.core.episode import Grade
        >>> class Echo(TextEnv[None]):
        ...     card = Card("demo/Echo-v0", "Say it again.")
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
    dataset: Dataset | None
    split: str
    level: int | None
    blocking: bool = False
    max_turns: int = 1
    answers_calls: bool = False
    max_calls: int = MAX_CALLS
    judge_name: str = ""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        check_class(cls, TextEnv)

    def __init__(
        self,
        *,
        dataset: Dataset | None = None,
        columns: Mapping[str, str] | None = None,
        split: str = "train",
        level: int | None = None,
        max_turns: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        if not hasattr(self, "card"):
            name = type(self).__name__
            raise UsageError(
                f"{name} has no card: define card = textgym.Card(id='my/{name}-v0', summary='…')"
            )
        if max_turns is None:
            max_turns = self.max_turns
        if not isinstance(max_turns, int) or max_turns < 1:
            raise UsageError(f"max_turns must be an integer of 1 or more, not {max_turns!r}")
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise UnknownNameError(
                f"render_mode must be 'ansi', 'human' or None, not {render_mode!r}"
            )
        self.dataset, self.split, self.level = dataset, split, level
        self.max_turns, self.render_mode = max_turns, render_mode
        self.observation_space = ConversationSpace()
        self.action_space = ActionSpace()
        self._conversation = Conversation()
        self._shown = 0
        self._running, self._finished = False, ""
        self._outcome: tuple[float, dict[str, Any]] | None = None
        self._tasks = TaskSource(
            id=self.card.id,
            levels=self.card.levels,
            first_rung=self.card.first_rung,
            generate=self.generate,
            canonical=self.canonical,
            read_row=self.read_row,
            owner=type(self),
            arguments=self._arguments,
            dataset=dataset,
            columns=columns,
            split=split,
            level=level,
            at_level=self._tasks_at_level,
        )

    @property
    def blocking_reset(self) -> bool:
        """Whether `reset` may wait: the environment is `blocking` and defines `begin`."""
        return self.blocking and type(self).begin is not TextEnv.begin

    @property
    def replies(self) -> Iterator[Message]:
        """The episode's assistant messages, the last one first. Do not modify them."""
        return self._conversation.replies()

    @property
    def answer_text(self) -> str:
        """The last assistant message without reasoning and surrounding white space; "" if none."""
        return self._conversation.answer_text()

    def finish(self, *, truncated: bool = False) -> None:
        """End the episode after the current tool call or reply, for tools that complete a task.

        Args:
            truncated: Whether a limit ends it. The stop reason is then `max_turns`.
        """
        self._finished = "max_turns" if truncated else "answer"

    def open_with(self, messages: Sequence[Message]) -> None:
        """Add messages after the prompt, before the model's first. For `begin`.

        They are what others do before the model's first turn, such as a player who moves first.
        """
        for message in messages:
            self._conversation.add(copy_message(message))

    def add_reward(self, component: str, amount: float) -> None:
        """Add to the reward of the current step. For tools, `respond` and `grade`.

        The reward of a step is the sum of these amounts; in the last step, the reward of the grade
        is added. `info["reward_components"]` of the step holds the amounts by component. A step or
        a tool call that is undone gives nothing.

        Args:
            component: The name of the component.
            amount: The amount, which may be negative.

        Raises:
            UsageError: There is no current step.
            RewardError: The amount is not a finite number.
        """
        self._payments.add(self.card.id, component, amount)

    def get_task(self, index: int) -> Task:
        """Return the task with an index, counted from 0. Changes to it affect no episode.

        Raises:
            UsageError: No task has this index.
        """
        task = self._tasks.get(index)
        return copy.deepcopy(task) if self._tasks.keeps_tasks else task

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[list[Message], dict[str, Any]]:
        """Begin an episode.

        Args:
            seed: Seeds the choice of this task and of the following ones.
            options: `{"index": i}` selects a task by index, `{"task": row}` plays the given row,
                `{"level": n}` draws the next task of one of the `levels`, or selects one of its
                tasks if `index` is given as well.

        Returns:
            The prompt; and info with `task_id`, `tools`, and `judge` if the environment has one.

        Raises:
            UsageError: An option is unknown, or there is no such task.
            BoundaryFailure: `begin` failed. There is no episode, and the next reset draws the same
                task.
        """
        if options is not None:
            self._tasks.check_options(options)
        if seed is not None:
            self._seed(seed)
        drawn = self._tasks.stream.state
        task = self._tasks.choose(options)
        self._running = False  # until the episode has begun
        try:
            if self._is_open:
                self._close_episode()
            self._conversation = conversation = Conversation(task.messages)
            self.turn, self._finished, self._shown, self._outcome = 0, "", 0, None
            self._payments = Payments()
            self.state = self._begin(task)
        except BaseException:
            self._conversation = Conversation()
            self._tasks.stream.state = drawn
            raise
        self._running = True
        if self.render_mode:
            self._show()
        info: dict[str, Any] = {"task_id": task.id, "tools": self._offered()}
        if self.judge_name:
            info["judge"] = self.judge_name
        return conversation.copy(), info

    def step(
        self, action: Message | str
    ) -> tuple[list[Message], float, bool, bool, dict[str, Any]]:
        """Take the assistant's next message.

        Raises:
            InvalidActionError: The action is neither an assistant message nor a string.
            BoundaryFailure: Something outside the environment failed, such as a judge. The same
                action can be stepped again.
        """
        if not self._running:
            raise UsageError("the episode has ended: call reset before step")
        message = read_action(action, self.turn, self.max_calls)
        length, turn, generator = len(self._conversation.messages), self.turn, self._generator
        drawn: Any = None if generator is None else generator.bit_generator.state
        state: Any = None if self.state is None else copy_of_state(type(self), self.state)
        self._payments.of_step = {}
        try:
            reason = self._take(message, state)
            if self._pay_on_the_way:
                self._pay_on_the_way()
            result = self._result(reason)
        except BaseException:
            self._conversation.cut(length)
            self._running, self.turn = False, turn
            self._payments.of_step = None
            self._generator = generator
            if generator is not None:
                generator.bit_generator.state = drawn
            self._put_back(state)
            self._running = True
            raise
        self._running = not reason
        if self.render_mode:
            if reason:
                self._outcome = result[1], copy_json(result[4])
            self._show()
        return result

    def close(self) -> None:
        """Close what the episode opened. Only `reset` may be called afterwards."""
        self._running = False
        self._close_episode()

    def render(self) -> str | None:
        """Return the transcript (`ansi`), or print the new messages (`human`)."""
        self._show()
        return self._rendered(0) if self.render_mode == "ansi" else None

    @classmethod
    @cache
    def toolbox(cls) -> Toolbox:
        """Return the class's tools."""
        return Toolbox(cls)

    @classmethod
    @cache
    def _declared_state(cls) -> Any:
        """Return the type of the class's states."""
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
        messages = self._conversation.messages[start:]
        return format_episode(messages, tools, self._outcome, colour=wants_colour())

    def _put_back(self, state: Any) -> None:
        """Continue with an earlier state of the episode."""
        self.state, self._finished = state, ""
        result_of(self.on_restore())

    def _undo_call(self, state: Any, paid: dict[str, float]) -> None:
        """Undo what a tool call changed. The state is copied, because the step may need it, too."""
        self._payments.of_step = paid
        self._put_back(copy_of_state(type(self), state))

    def _take(self, message: Message, state: Any) -> str:
        """Add a message and the replies to it; return the stop reason, "" if there is none.

        Args:
            message: The message.
            state: A copy of the state before it.
        """
        self._conversation.add(message)
        self.turn += 1
        calls = message.get("tool_calls")
        if calls and not self.answers_calls:
            self._call_tools(message, state)
        else:
            if calls:
                message = {**message, "tool_calls": calls[: self.max_calls]}
            reply: Any = self.respond(message)
            if reply is not None:
                reply = result_of(reply)
            if reply is None:
                return "answer"
            check_reply(type(self), reply, [call["id"] for call in (calls or ())[: self.max_calls]])
            for answer in reply:
                self._conversation.add(copy_message(answer))
            for call in (calls or ())[self.max_calls :]:
                self._conversation.add(tool_result(_too_many(self.max_calls), str(call["id"])))
        if self._finished:
            return self._finished
        return "max_turns" if self.turn >= self.max_turns else ""

    def _call_tools(self, message: Message, state: Any) -> None:
        cls, offered = type(self), None
        if self.task.tools is not None:
            offered = [schema["function"]["name"] for schema in self.task.tools]
        for place, call in enumerate(message["tool_calls"] or ()):
            if self._finished:
                text = NOT_RUN
            elif place == self.max_calls:
                text = _too_many(self.max_calls)
            else:
                before = state if place == 0 else copy_of_state(cls, self.state)
                function = call["function"]
                text = cls.toolbox().call(
                    self,
                    function["name"],
                    function.get("arguments"),
                    offered,
                    undo=partial(self._undo_call, before, dict(self._payments.of_step or ())),
                )
            self._conversation.add(tool_result(text, str(call["id"])))

    def _result(self, reason: str) -> tuple[list[Message], float, bool, bool, dict[str, Any]]:
        info: dict[str, Any] = {"task_id": self.task.id}
        payments = self._payments
        if not reason:
            reward = 0.0
            if payments.of_step:
                info["reward_components"] = payments.of_step
                reward = payments.end_step()
            payments.of_step = None
            return self._conversation.copy(), reward, False, False, info
        grade: Any = self.grade()
        if grade.__class__ is not Grade:
            grade = result_of(grade)
        info["stop_reason"] = reason
        try:
            bounds = self.reward_range
            info |= grade.entries(self.card.id, bounds, payments)
        except (AttributeError, TypeError, ValueError):
            check_grade(type(self), grade)
            raise
        reward = payments.end_step(float(grade.reward))
        ended, why = reason == "answer", ""
        if payments.total < bounds[1] and not (grade.is_success and bounds[1] == math.inf):
            why = grade.verdict_reason if ended else "cut"
            why = why or verdict_reason(grade, payments.total, bounds, self._conversation)
        info["verdict_reason"] = why
        return self._conversation.copy(), reward, ended, not ended, info


def _too_many(max_calls: int) -> str:
    return (
        f"Error: the call was not run because a message may have at most {max_calls} calls; "
        "all later calls were dropped too"
    )
