"""`textgym/Aviary-v0`: any environment of Aviary.

Invariants: the state of an episode is the list of actions that the guest has taken, so that an
episode is restored by replaying them; a replay with other replies is an `EnvironmentFailure`; a
call that a tool cannot handle is answered to the model, and the guest is as it was before the call.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import random
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Unpack

from typing_extensions import TypedDict

from textgym.core.authoring import TextEnvOptions
from textgym.core.card import Card
from textgym.core.episode import Grade
from textgym.core.text_env import TextEnv
from textgym.envs.math.families import FAMILIES, LEVELS
from textgym.errors import (
    EnvironmentFailure,
    ExtraMissingError,
    OracleError,
    RowError,
    UnknownNameError,
    UsageError,
    install_advice,
)
from textgym.integrations.aviary.doors import door_to
from textgym.integrations.validation import call_problem
from textgym.json_values import canonical_json
from textgym.messages import Message, assistant_calls, tool_result, user
from textgym.tasks.task import Task, hash_int
from textgym.tools import NOT_RUN

try:
    import aviary.env  # noqa: F401 - the guest's package
except ImportError as error:
    raise ExtraMissingError(
        f"environments of Aviary need the extra 'aviary': {install_advice('aviary')}"
    ) from error

__all__ = ["Aviary"]

CALCULATOR = "calculator"
GRADINGS = ("strict", "original")
_MAX_GUESS = 100
_MAX_DIGITS = 15  # of an answer that a float represents exactly


class Progress(TypedDict):
    """The state of an episode.

    Attributes:
        earned: The rewards so far.
        actions: The assistant messages that the guest has taken, as JSON.
        replies: A hash of its replies.
    """

    earned: float
    actions: list[str]
    replies: int


class _Opened(NamedTuple):
    """An environment of the guest.

    Attributes:
        number: Its number.
        row: The row that it was made from.
        losses: How often the guest had been lost when it was made.
        adds_up: Whether it adds up the rewards of all answers in a message.
    """

    number: int
    row: Mapping[str, Any]
    losses: int
    adds_up: bool


_NUMBERS = itertools.count()


class Aviary(TextEnv[Progress]):
    """Play any environment or task data set of Aviary (the package fhaviary).

    It makes Aviary's environments usable wherever textgym's are: in rollouts, vectors, trainers'
    adapters and audits. By default it plays Aviary's calculator environment on generated problems.

    ## Description
    The guest's messages, tools and rewards are passed on as they are. Its tools and texts are
    the package's, and each task offers the tools of its guest.

    ## Observation
    The guest's first messages; after each action, its replies.

    ## Action
    Assistant messages. A text without tool calls usually does not end an episode: the guest says
    what it expects. A call of an unknown tool, or with arguments that do not fit the tool's schema,
    is answered with an error. So is a call that a tool cannot handle, or that takes more than 10
    seconds of CPU time or 2 GiB of memory; the guest is then as it was before the call.

    ## Reward
    The guest's rewards, as component `aviary` of each step. `is_success` is True if they add up to
    `success_reward`.

    With `grading="strict"`, the calls of one message are steps of their own in Aviary's calculator,
    gsm8k and hotpotqa, and calls after the end are not run. Aviary runs all of them and adds up
    their rewards: a message that submits 64 answers earns the reward of each right one. hotpotqa
    compares the whole answer, where Aviary rewards any text that contains it, such as a page. With
    `grading="original"`, and for all other guests, a message is one step. Calls of unknown tools,
    and arguments that are not JSON, are then passed to the guest, which may have penalties for
    them.

    ## Episode end
    The guest ends the episode, or cuts it. `max_turns` cuts it, too.

    ## Levels
    Levels of the calculator: 1 to 5, as in `textgym/Math-v0`. Data sets have the levels of their
    rows.

    ## Rows
    | field | meaning |
    | --- | --- |
    | the arguments of the class | such as `problem`, `answer` for the calculator |
    | `task_idx` | an index of a task data set, in place of these; as in NeMo Gym's rows |

    An argument that ends in `_id` and is not in the row, such as `problem_id`, is the row's `id`.

    ## Data
    `calculator`, `hotpotqa` and `dummy` are classes: pass their rows as `dataset`. `gsm8k` is a
    task data set, which Aviary loads from a hub when the environment is made. hotpotqa asks
    Wikipedia during an episode.

    ## State
    Saved episodes are restored by replaying their actions, so a guest must be deterministic.

    Args:
        env: A name of Aviary (`calculator`, `hotpotqa`, `gsm8k`, `dummy`), or `module:attribute`: a
            class, a function that returns an environment, an environment or a task data set. They
            run in a worker process. The object itself is accepted, too, and then runs in this
            process, where its time and memory are not limited.
        config: Keyword arguments of the class. Fields of a row take precedence.
        grading: `strict` or `original`, see above.
        success_reward: The return from which an episode is a success.
        **kwargs: `dataset`, `split`, `level`, `max_turns` and `render_mode` of `TextEnv`.

    Example:
        >>> import gymnasium, textgym
        >>> from textgym.messages import assistant_calls
        >>> rows = [{"id": "sum", "problem": "What is 2 + 3?", "answer": 5}]
        >>> env = gymnasium.make("textgym/Aviary-v0", env="calculator", dataset=rows)
        >>> observation, info = env.reset(seed=1)
        >>> [tool["function"]["name"] for tool in info["tools"]]
        ['calculator', 'submit_answer']
        >>> observation, *_ = env.step(assistant_calls(("calculator", {"expr": "2 + 3"})))
        >>> observation[-1]["content"]
        '5'
        >>> env.step(assistant_calls(("submit_answer", {"answer": "5"})))[1:3]
        (1.0, True)

    ## Version history
    - v0: first version.
    """

    card = Card(
        id="textgym/Aviary-v0",
        summary="Any environment or task data set of Aviary, such as its calculator.",
        structure=("multi-step",),
        capabilities=("tool use", "calculation"),
        domain=("general",),
        task_type="tool use",
        verification=("Aviary's own",),
        reward_range=(-1.0, 1.0),
        levels=LEVELS,
        chance=0.01,
        data="generated; rows or task data sets of Aviary",
        licence="MIT; Aviary: Apache-2.0",
        extra="aviary",
        notes="The calculator pays -1 for a call that it cannot compute, and accepts answers that "
        "differ by 1 in 10,000.",
    )
    blocking = True  # the guest is in another process, or waits
    answers_calls = True

    def __init__(
        self,
        *,
        env: Any = CALCULATOR,
        config: Mapping[str, Any] | None = None,
        grading: str = "strict",
        success_reward: float = 1.0,
        **kwargs: Unpack[TextEnvOptions],
    ) -> None:
        if grading not in GRADINGS:
            raise UnknownNameError(f"grading must be 'strict' or 'original', not {grading!r:.100}")
        if not isinstance(success_reward, (int, float)) or isinstance(success_reward, bool):
            raise UsageError(f"success_reward must be a number, not {success_reward!r:.100}")
        self._success_reward = float(success_reward)
        self._is_strict = grading == "strict"
        self._is_calculator = env == CALCULATOR
        self._door = door_to(env, config or {}, self._is_strict)
        self._opened: _Opened | None = None  # what `read_row` opened last, unless it is played
        self._playing: _Opened | None = None
        if kwargs.get("dataset") is None and not self._is_calculator:
            about = self._door.ask("about")
            if about["kind"] == "environment":
                kwargs["dataset"] = [{"id": "task-0"}]
            elif about["kind"] == "tasks":
                kwargs["dataset"] = [{"task_idx": index} for index in range(about["count"])]
        super().__init__(**kwargs)

    @property
    def reward_range(self) -> tuple[float, float]:
        """The range of the calculator with its own rewards; unbounded for other guests."""
        if self._is_calculator and self._is_strict and "config" not in self._arguments:
            return self.card.reward_range
        return float("-inf"), float("inf")

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        """Draw a problem for the calculator; for unlimited task data sets, a number."""
        if not self._is_calculator:
            return {"draw": rng.getrandbits(48)}
        while True:
            family, problem = FAMILIES.draw(rng, level)
            number = problem.answer.removeprefix("-")
            if number.isdecimal() and len(number) <= _MAX_DIGITS:
                return {
                    "problem": problem.question,
                    "answer": int(problem.answer),
                    "category": family,
                }

    def read_row(self, row: dict[str, Any]) -> Task:
        """Open the guest of a row, for its messages and tools. `begin` plays it."""
        if self._opened is not None:
            self._close(self._opened)
        try:
            self._opened, opened = self._open(row)
        except UsageError as error:
            raise RowError("row", str(error)) from None
        if "raised" in opened:
            raise RowError("row", f"cannot be played: {opened['raised']}")
        answer = row.get("answer", row.get("correct_answer"))
        return Task(row["id"], tuple(opened["messages"]), answer, tuple(opened["tools"]), row)

    def _open(self, row: Mapping[str, Any]) -> tuple[_Opened, dict[str, Any]]:
        number = next(_NUMBERS)
        opened = self._door.ask("open", number, dict(row))
        adds_up = bool(opened.get("adds_up"))
        return _Opened(number, row, self._door.losses, adds_up), opened

    def _close(self, opened: _Opened) -> None:
        if opened.losses == self._door.losses:
            with contextlib.suppress(EnvironmentFailure):  # the next one is opened again
                self._door.ask("close", opened.number)

    def begin(self, task: Task) -> Progress:
        """Begin with what `read_row` opened for the task, or open it again when it is needed."""
        self._playing, self._opened = self._opened, None
        if self._playing is not None and self._playing.row is not task.row:
            self.on_close()
        return {"earned": 0.0, "actions": [], "replies": 0}

    def on_close(self) -> None:
        """Close the guest."""
        playing, self._playing = self._playing, None
        if playing is not None:
            self._close(playing)

    def on_restore(self) -> None:
        """Forget the guest; the next step opens it again and replays the actions of the state."""
        self.on_close()

    def _guest(self) -> _Opened:
        """Return the guest, with the actions of the state replayed if it had to be opened again.

        Raises:
            EnvironmentFailure: Its replies differ from the earlier ones.
        """
        if self._playing is not None and self._playing.losses == self._door.losses:
            return self._playing
        guest, opened = self._open(self.task.row)
        if "raised" in opened:
            raise EnvironmentFailure(f"the guest cannot be opened again: {opened['raised']}")
        replies = 0
        for action in self.state["actions"]:
            taken = self._door.ask("step", guest.number, json.loads(action))
            replies = hash_int(replies, canonical_json(taken))
        if opened["messages"] != list(self.task.messages) or replies != self.state["replies"]:
            self._close(guest)
            raise EnvironmentFailure(
                "the guest is not deterministic: its replies changed when its actions were "
                "replayed, so the episode cannot be restored"
            )
        self._playing = guest
        return guest

    def respond(self, message: Message) -> list[Message]:
        """Have the guest take a message, and return its replies."""
        calls: Sequence[Any] = message.get("tool_calls") or ()
        if not calls:
            return self._taken(message, ())
        one_by_one = self._is_strict and self._guest().adds_up
        steps = [[call] for call in calls] if one_by_one else [list(calls)]
        results: list[Message] = []
        others: list[Message] = []
        for step in steps:
            if self._finished:
                replies = [tool_result(NOT_RUN, call["id"]) for call in step]
            else:
                replies = self._called(message, step)
            for reply in replies:
                (results if reply["role"] == "tool" else others).append(reply)
        places = {call["id"]: place for place, call in enumerate(calls)}
        results.sort(key=lambda result: places.get(result.get("tool_call_id"), len(places)))
        return results + others

    def _called(self, message: Message, calls: Sequence[Any]) -> list[Message]:
        """Answer the calls of one step of the guest."""
        tools, lenient = self.task.tools or (), not self._is_strict
        problems = {
            call["id"]: call_problem(call["function"], tools, only_schema=lenient) for call in calls
        }
        fitting = [call for call in calls if not problems[call["id"]]]
        replies: list[Message] = []
        if fitting:
            replies = self._taken({**message, "tool_calls": fitting}, fitting)
        for call in calls:
            if problems[call["id"]]:
                replies.append(tool_result(f"Error: {problems[call['id']]}", call["id"]))
        return replies

    def _taken(self, action: Message, calls: Sequence[Any]) -> list[Message]:
        """Pass an action to the guest, add its reward, and return its replies to all calls."""
        taken = self._door.ask("step", self._guest().number, action)
        if "raised" in taken:
            self.on_restore()
            if not calls:
                return [user(f"Error: the message could not be read: {taken['raised']}"[:300])]
            names = ", ".join(call["function"]["name"] for call in calls)
            text = f"Error: {names} failed: {taken['raised']}"[:300]
            return [tool_result(text, call["id"]) for call in calls]
        state = self.state
        state["earned"] += taken["reward"]
        state["actions"].append(json.dumps(action))
        state["replies"] = hash_int(state["replies"], canonical_json(taken))
        self.add_reward("aviary", taken["reward"])
        if taken["done"] or taken["truncated"]:
            self.finish(truncated=not taken["done"])
        replies: list[Message] = taken["messages"]
        answered = {reply.get("tool_call_id") for reply in replies}
        for call in calls:
            if call["id"] not in answered:
                replies.append(tool_result("", call["id"]))
        return replies

    def grade(self) -> Grade:
        """Say whether the rewards make a success; the guest has given them."""
        success = self.state["earned"] >= self._success_reward
        return Grade(0.0, success, extracted_answer=None, verdict_reason="" if success else "wrong")

    def solve(self) -> Message:
        """Submit the answer to the calculator, or to hotpotqa."""
        offered = {tool["function"]["name"] for tool in self.task.tools or ()}
        if self.task.answer is None or "submit_answer" not in offered:
            raise OracleError(f"the answer of {self.task.id} is not known")
        return assistant_calls(("submit_answer", {"answer": str(self.task.answer)}))

    def guess(self, rng: random.Random) -> Message:
        """Submit a small number."""
        return assistant_calls(("submit_answer", {"answer": str(rng.randint(0, _MAX_GUESS))}))
