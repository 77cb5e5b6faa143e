"""`textgym/MultiIntent-v0`: several office requests at once, corrected and cancelled on the way."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from textgym.core.card import Card
from textgym.core.episode import Grade
from textgym.core.partial_credit import PartialCreditEnv
from textgym.envs.office.base import UserEnv
from textgym.envs.office.company.database import State, database_of
from textgym.envs.office.company.world import company
from textgym.envs.office.multi_intent.multi_intent_tasks import (
    LEVELS,
    MultiIntentTask,
    draw,
    read_task,
)
from textgym.envs.office.reference import Call
from textgym.envs.office.requests import without_quotes
from textgym.errors import StateError, UserFailure
from textgym.messages import Message, text_of, user
from textgym.tasks.task import Task
from textgym.users import Kind, understand
from textgym.users.phrases import say

__all__ = ["MultiIntent"]

PATIENCE = 3  # questions that the user tolerates
INSTRUCTIONS = """\
You are the user of an assistant, and you talk to it in short messages. Say this to it now, in \
your own words, with all names, days, numbers and texts exactly as they are, and nothing else:

<message>
{task}
</message>"""
_ASKING = (Kind.QUESTION, Kind.UNCLEAR, Kind.GO_AHEAD, Kind.WAIT)


@dataclass
class MultiIntentState:
    """The state of an episode.

    Attributes:
        changes: What the episode changed in the databases.
        turn: The index of the user's turn.
        in_time: Whether the databases were right at the end of every earlier turn.
        questions: The number of questions of the model.
        user_usage: The tokens of the model that speaks as the user.
    """

    changes: State
    turn: int = 0
    in_time: bool = True
    questions: int = 0
    user_usage: dict[str, int] = field(default_factory=dict)


class MultiIntent(UserEnv[MultiIntentState], PartialCreditEnv[MultiIntentState]):
    """Carry out several office requests that arrive together, with corrections and cancellations.

    ## Description
    The environment measures whether a model keeps track of several requests at once: what holds
    now, what was taken back, and which request a correction is about. A conversation counts only if
    nothing in it went wrong, because one change too many is as bad as one that is missing.

    The companies, databases and tools are the same as in `textgym/WorkplaceAssistant-v0`. A user
    makes two to six requests, in one message or over up to three turns. Requests are corrected or
    cancelled, in the same message or after they were carried out, and some take a value from
    another one: "to whoever takes over the task", "at the new end of that meeting". The model
    carries out each message before it answers, and then the user says the next one. Mails are
    identified by their subject, place in the thread, day or person, in words that fit only one
    mail.

    ## Observation
    A system message with the date and time, which does not advance; the user's messages; one tool
    message for each call.

    ## Action
    Assistant messages. Tool calls are executed. A message without calls ends the user's turn. To a
    question, the user replies that the requests are complete as they were made. The first three
    questions are answered in this way, and the next one ends the episode.

    ## Tools
    The 27 tools of `textgym/WorkplaceAssistant-v0`.

    ## Reward
    1 if the databases are as they should be at the end of every turn, else 0. Databases are
    compared as in `textgym/WorkplaceAssistant-v0`, so a change that was undone does not count. No
    two requests make the same change. Components:

    - `intents`: the share of requests whose changes are in place at the end. For a cancelled
      request, none of its changes may be
    - `crosstalk`: the number of changes at the end that no request asked for
    - `in_time`: 1 if the databases were right at the end of every turn but the last

    ## Partial credit
    With `partial_credit=True`, steps also earn rewards for progress, as component `progress`. Their
    sum is always 0.5 times the progress in the present state, rounded to 1/1024. The last step adds
    the rest of 1 for a success. The verdict is the same. Progress is the number of turns that were
    carried out, plus the share of the changes for the present turn, divided by the number of turns.
    Turns that need no change are not counted. What has to be undone is a change, too, and each
    change too many cancels a right one, or what earlier turns have earned. After a turn that ended
    with wrong databases, progress stays as it is. So waiting for the last message earns nothing.

    Silence, questions, calls with values from the request, and deleting or updating all rows that
    it may be about get 0, as without partial credit.

    ## Info
    | key | set by | meaning |
    | --- | --- | --- |
    | `task_id` | all | the task, such as `test-2-17` |
    | `tools` | `reset` | the schemas of the offered tools |
    | `reward_components` | the last step | the components above |
    | `is_success` | the last step | the same as the reward |
    | `extracted_answer` | the last step | the text of the last message |
    | `answer_sought` | the last step | False, because the state is graded, not the text |
    | `verdict_reason` | the last step | why the reward is below 1, such as `wrong`; else empty |
    | `stop_reason` | the last step | what ended the episode, such as `answer` or `max_turns` |
    | `user_usage` | the last step | with `user=`: that model's tokens, apart from the policy's |

    ## Episode end
    The episode terminates when the model has answered the user's last message. At `max_turns` it is
    truncated and graded by the current databases.

    ## Levels
    | level | requests | turns | corrected or cancelled | take a value from another |
    | --- | --- | --- | --- | --- |
    | 0 | 1 | 1 | 0 | 0 |
    | 1 | 2 | 1 | 0 | 0 |
    | 2 | 3 | 1 | 0 or 1 | 0 or 1 |
    | 3 | 3 or 4 | 2 | 1 | 0 or 1 |
    | 4 | 4 or 5 | 2 or 3 | 1 or 2 | 1 |
    | 5 | 5 or 6 | 3 | 2 or 3 | 1 or 2 |

    Level 0, which is only drawn with `level=0`, offers three tools and asks to send a short mail
    to an address.

    ## What a score means
    A score is the share of conversations in which nothing went wrong. Silence and guesses earn 0.
    So does waiting for the last message before changing anything, where there are several. In a
    failed conversation, `intents` shows how much was done, and `crosstalk` how much harm.

    ## Rows
    | field | meaning |
    | --- | --- |
    | `turns` | the user's messages: `text`, `calls` (what it needs, after the earlier ones), \
and optionally `look_ups` (calls that the oracle makes first) |
    | `intents` | the requests at the end: `calls`, or `undone` for a cancelled one |
    | `now` | the date and time, such as `2025-03-04 08:30:00` |
    | `world` | the seed of the generated company |
    | `tools` | optional, the names of the tools that are offered; all by default |

    Each call has a `name`, and `arguments` as a JSON string or an object.

    Args:
        user: A model that says the messages after the first one in its own words: a policy or its
            spec, such as `openai:MODEL@BASE_URL`, a function from messages to text, or the
            function's name, as `module:function`.
        worlds: The number of different companies in the generated tasks of a split; None for a new
            one at each index. No company is in two splits.
        max_turns: The maximum number of assistant messages; 60 by default.
        partial_credit: Whether steps earn rewards for progress; False by default.
        **kwargs: `dataset`, `split`, `level` and `render_mode` of `TextEnv`.

    Raises:
        UsageError: `worlds` is less than 1, or `user` is not valid.
        UserFailure: By `step`: the model that speaks as the user gave no reply.

    Example:
        >>> import gymnasium, textgym
        >>> from textgym.messages import assistant_calls
        >>> env = gymnasium.make("textgym/MultiIntent-v0")
        >>> mail = {"recipient": "kim@home.org", "subject": "Lunch", "body": "At noon?"}
        >>> call = {"name": "email_send_email", "arguments": mail}
        >>> undo = {"name": "email_delete_email", "arguments": {"email_id": "364"}}
        >>> row = {"now": "2025-03-04 08:30:00", "world": 7, "intents": [{"undone": [call]}],
        ...        "turns": [{"text": "Ask kim@home.org: 'Lunch', 'At noon?'", "calls": [call]},
        ...                  {"text": "Delete that mail again.", "calls": [undo]}]}
        >>> observation, info = env.reset(options={"task": row})
        >>> for _ in range(2):
        ...     observation, *_ = env.step(env.unwrapped.solve())
        >>> observation[-1]["content"]
        'Delete that mail again.'
        >>> for _ in range(2):
        ...     observation, reward, terminated, truncated, info = env.step(env.unwrapped.solve())
        >>> reward, info["reward_components"]
        (1.0, {'intents': 1.0, 'crosstalk': 0.0, 'in_time': 1.0})
        >>> # Doing nothing loses, although the final databases are the same: the first turn was
        >>> # not carried out.
        >>> observation, info = env.reset(options={"task": row})
        >>> for _ in range(2):
        ...     observation, reward, terminated, truncated, info = env.step("It is done.")
        >>> reward, info["reward_components"]
        (0.0, {'intents': 1.0, 'crosstalk': 0.0, 'in_time': 0.0})

    ## Version history
    - v0: first version.
    """

    card = Card(
        id="textgym/MultiIntent-v0",
        summary="Carry out several office requests at once, with corrections and cancellations.",
        structure=("multi-step", "multi-turn"),
        capabilities=("multiple intent synthesis", "tool use", "planning"),
        domain=("office work",),
        task_type="tool use",
        verification=("state",),
        levels=LEVELS,
        first_rung=True,
        data="generated, .jsonl, .parquet, .csv, hub",
    )

    task: MultiIntentTask
    max_turns = 60
    user_instructions = INSTRUCTIONS

    def draw(self, rng: random.Random, level: int, world: int) -> dict[str, Any]:
        """Draw a conversation in a company."""
        return draw(rng, level, company(world), database_of(world))

    def read_row(self, row: dict[str, Any]) -> Task:
        """Read a row."""
        return read_task(row)

    def begin(self, task: Task) -> MultiIntentState:
        """Open the databases, without changes."""
        assert isinstance(task, MultiIntentTask)
        return MultiIntentState(self.open_company(task))

    def check_state(self) -> None:
        """Check that the changed tables, rows and columns exist, and the user's turn."""
        super().check_state()
        if not 0 <= self.state.turn < len(self.task.turns):
            raise StateError(f"state: turn must be less than {len(self.task.turns)}")

    def respond(self, message: Message) -> list[Message] | None:
        """Return the user's next turn or the reply to a question; None at the end."""
        state, turns = self.state, self.task.turns
        user_text = "\n".join(turn.text for turn in turns[: state.turn + 1])
        if understand(without_quotes(text_of(message), user_text), ()).kind in _ASKING:
            state.questions += 1
            if state.questions > PATIENCE:
                return None
            return [user(self._said(say("go_ahead", self.task.id, state.questions)))]
        if state.turn + 1 == len(turns):
            return None
        state.in_time = state.in_time and self._is_right()
        state.turn += 1
        return [user(self._said(turns[state.turn].text))]

    def grade(self) -> Grade:
        """Compare the databases with the result of the reference calls, and request by request."""
        task, state, changes_in = self.task, self.state, self.database.changes_in
        made = changes_in(state.changes)
        wanted: Counter[object] = Counter()
        done = 0
        for intent in task.answer:
            changes = changes_in(self.effect(intent.calls))
            wanted += changes
            done += made >= changes and not made & changes_in(self.effect(intent.undone))
        right = state.in_time and state.turn + 1 == len(task.turns) and self._is_right()
        components = {
            "intents": done / len(task.answer),
            "crosstalk": float((made - wanted).total()),
            "in_time": float(state.in_time),
        }
        grade = Grade(float(right), right, components, self.answer_text, self.user_info())
        return self.less_paid(grade)

    def progress(self) -> float:
        """Return the share of the turns that were carried out, until one was not."""
        state, changes_in = self.state, self.database.changes_in
        if not state.in_time:
            return self._payments.so_far / self.credit
        calls: list[Call] = []
        states: list[Counter[object]] = [Counter()]
        for turn in self.task.turns:
            calls += turn.calls
            states.append(changes_in(self.effect(calls)))
        asked = [_distance(before, after) for before, after in pairwise(states)]
        left = _distance(changes_in(state.changes), states[state.turn + 1])
        share = (asked[state.turn] - left) / (asked[state.turn] or 1)
        done = sum(map(bool, asked[: state.turn]))
        return max(0.0, done + share) / (sum(map(bool, asked)) or 1)

    def solve(self) -> Message:
        """Make the next look-up or reference call of the user's turn, then end the turn."""
        turns, current = self.task.turns, self.state.turn
        before = sum(len(turn.look_ups) + len(turn.calls) + 1 for turn in turns[:current])
        calls = [*turns[current].look_ups, *turns[current].calls][self.turn - before :]
        return self.follow(calls, texts=len(turns) - current)

    def _said(self, text: str) -> str:
        """Return a message of the user; in the words of the model, if there is one.

        Raises:
            UserFailure: The model gave no reply, or an empty one.
        """
        if self._model is None:
            return text
        words = self.worded(self._model, text, self.state.turn, self.state.questions)
        if words is None:
            raise UserFailure(f"the simulated user {self._model.client.name} said nothing")
        return words

    def _is_right(self) -> bool:
        """Return whether the databases are as they should be at the end of the user's turn."""
        turns = self.task.turns[: self.state.turn + 1]
        return not self.differing([call for turn in turns for call in turn.calls])


def _distance(first: Counter[object], second: Counter[object]) -> int:
    """Return how many changes only one of two states has."""
    return (first - second).total() + (second - first).total()
