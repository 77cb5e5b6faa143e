"""`textgym/MultiIntent-v0`: several office requests at once, corrected and cancelled on the way."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from textgym.core.card import Card
from textgym.core.grade import Grade
from textgym.core.text_env import TextEnv
from textgym.envs.drawing import choice
from textgym.envs.multi_intent.drawing import LEVELS, draw
from textgym.envs.multi_intent.rows import MultiIntentTask, read_task
from textgym.envs.office_requests import without_quotes
from textgym.envs.reference_calls import Call
from textgym.envs.workplace.companies import database_of
from textgym.envs.workplace.database import State, Table, new_state
from textgym.envs.workplace.reference import effect_of
from textgym.envs.workplace.toolkits import Tools
from textgym.envs.workplace.world import company
from textgym.envs.worlds import check_worlds, draw_world
from textgym.errors import StateError, UserFailure
from textgym.messages import Message, assistant, assistant_calls, text_of, user
from textgym.tasks.hashing import hash_int
from textgym.tasks.task import Task
from textgym.users import Kind, PolicyUser, UserLike, add_usage, understand
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
        turn: The number of the user's turn, from 0.
        in_time: Whether the databases were right at the end of every earlier turn.
        questions: How often the model asked something.
        user_usage: The tokens of the model that speaks as the user.
    """

    changes: State
    turn: int = 0
    in_time: bool = True
    questions: int = 0
    user_usage: dict[str, int] = field(default_factory=dict)


class MultiIntent(Tools, TextEnv[MultiIntentState]):
    """Carry out several office requests that arrive together, with corrections and cancellations.

    ## Description
    The companies, databases and tools are those of `textgym/WorkplaceAssistant-v0`. A user makes
    two to six requests, in one message or over up to three turns. Requests are corrected or
    cancelled, in the same message or after they were carried out, and some take a value from
    another one: "to whoever takes over the task", "at the new end of that meeting". The model
    carries out each message before it answers; the user then goes on. Mails are told by their
    subject, place in the thread, day or person, in words that fit one mail alone.

    ## Observation
    A system message with the date and time, which does not advance; the user's messages; one tool
    message for each call.

    ## Action
    Assistant messages. Tool calls are executed. A message without calls ends the user's turn. To a
    question, the user replies that the requests stand as they were made: nothing is missing from
    them. After three questions, the next one ends the episode.

    ## Tools
    The 27 tools of `textgym/WorkplaceAssistant-v0`.

    ## Reward
    1 if the databases are as they should be at the end of every turn, else 0. Databases are
    compared as in `textgym/WorkplaceAssistant-v0`: a change that was undone is none. Each request
    has changes of its own. Components:

    - `intents`: the share of requests whose changes stand at the end; of cancelled ones, none may
    - `crosstalk`: the number of changes at the end that no request asked for
    - `in_time`: 1 if the databases were right at the end of every turn but the last

    ## Info
    After the last step, `extracted_answer` is the text of the last message, and `answer_sought` is
    False, because the state is graded. With a model as the user, `user_usage` has its tokens, which
    are not among those of the policy.

    ## Episode end
    The episode terminates when the model has answered the user's last message. At `max_turns` it is
    truncated and graded by the current databases.

    ## Levels
    | level | requests | turns | corrected or cancelled | take a value from another |
    | --- | --- | --- | --- | --- |
    | 1 | 2 | 1 | 0 | 0 |
    | 2 | 3 | 1 | 0 or 1 | 0 or 1 |
    | 3 | 3 or 4 | 2 | 1 | 0 or 1 |
    | 4 | 4 or 5 | 2 or 3 | 1 or 2 | 1 |
    | 5 | 5 or 6 | 3 | 2 or 3 | 1 or 2 |

    ## What a score means
    A score is the share of conversations in which nothing went wrong. Silence and guesses earn 0,
    and so does waiting for the last message before changing anything, where there are several. The
    share `intents` tells how much was done otherwise, and `crosstalk` how much harm.

    ## Rows
    | field | meaning |
    | --- | --- |
    | `turns` | what the user says: `text`, `calls` (those that it needs, after the earlier ones), \
and optionally `look_ups` (calls that the oracle makes first) |
    | `intents` | the requests as they stand at the end: `calls`, or `undone` for a cancelled one |
    | `now` | the date and time, such as `2025-03-04 08:30:00` |
    | `world` | the seed of the generated company |

    Each call has a `name`, and `arguments` as a JSON string or an object.

    Args:
        user: A model that says the messages after the first one in its own words: a policy or its
            spec, such as `openai:MODEL@BASE_URL`, a function from messages to text, or its place,
            as `module:function`.
        worlds: The number of different companies in the generated tasks of a split; None for a new
            one at each index. No company is in two splits.
        max_turns: The maximum number of assistant messages; 60 by default.
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
        data="generated, .jsonl, .parquet, hub",
    )

    task: MultiIntentTask
    max_turns = 60

    def __init__(
        self, *, user: UserLike | None = None, worlds: int | None = 16, **kwargs: Any
    ) -> None:
        check_worlds(worlds)
        self.worlds = worlds
        self._model: PolicyUser | None = None
        if user is not None:
            self._model = PolicyUser(user, instructions=INSTRUCTIONS, owner="MultiIntent")
        self.blocking = self._model is not None
        super().__init__(**kwargs)

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        """Draw a company of the split, and a conversation in it."""
        seed = draw_world(rng, self.split, self.worlds)
        return {**draw(rng, level, company(seed), database_of(seed)), "world": seed}

    def canonical(self, row: dict[str, Any]) -> Any:
        """Return the company, because all its tasks belong to one split."""
        return {"world": row["world"]}

    def read_row(self, row: dict[str, Any]) -> Task:
        """Read a row."""
        return read_task(row)

    def begin(self, task: Task) -> MultiIntentState:
        """Open the databases, without changes."""
        assert isinstance(task, MultiIntentTask)
        self.database, self.clock = database_of(task.world), task.clock
        return MultiIntentState(new_state())

    def table(self, name: str) -> Table:
        """Return the current content of a table."""
        return self.database.table(name, self.state.changes)

    def check_state(self) -> None:
        """Check that the changed tables, rows and columns exist, and the user's turn."""
        self.database.check(self.state.changes)
        if not 0 <= self.state.turn < len(self.task.turns):
            raise StateError(f"state: turn must be less than {len(self.task.turns)}")

    def respond(self, message: Message) -> list[Message] | None:
        """Go on with the user's next turn; None after the last one."""
        state, turns = self.state, self.task.turns
        said = "\n".join(turn.text for turn in turns[: state.turn + 1])
        if understand(without_quotes(text_of(message), said), ()).kind in _ASKING:
            state.questions += 1
            if state.questions > PATIENCE:
                return None
            return [user(self._worded(say("go_ahead", self.task.id, state.questions)))]
        if state.turn + 1 == len(turns):
            return None
        state.in_time = state.in_time and self._is_right()
        state.turn += 1
        return [user(self._worded(turns[state.turn].text))]

    def grade(self) -> Grade:
        """Compare the databases with the result of the reference calls, and request by request."""
        task, state = self.task, self.state
        made = self.database.changes_in(state.changes)
        wanted: Counter[object] = Counter()
        done = 0
        for intent in task.answer:
            changes = self._changes_of(intent.calls)
            wanted += changes
            done += made >= changes and not made & self._changes_of(intent.undone)
        right = state.in_time and state.turn + 1 == len(task.turns) and self._is_right()
        components = {
            "intents": done / len(task.answer),
            "crosstalk": float((made - wanted).total()),
            "in_time": float(state.in_time),
        }
        info: dict[str, Any] = {"answer_sought": False}
        if self._model is not None:
            info["user_usage"] = add_usage(state.user_usage, {})
        return Grade(float(right), right, components, self.answer_text, info)

    def solve(self) -> Message:
        """Make the next look-up or reference call of the user's turn, then end the turn."""
        turns, current = self.task.turns, self.state.turn
        before = sum(len(turn.look_ups) + len(turn.calls) + 1 for turn in turns[:current])
        calls = [*turns[current].look_ups, *turns[current].calls][self.turn - before :]
        if not calls:
            return assistant("It is done.")
        fits = len(calls) + len(turns) - current <= self.max_turns - self.turn
        return assistant_calls(*calls[:1] if fits else calls)

    def guess(self, rng: random.Random) -> Message:
        """Delete a random event, then end."""
        if self.turn:
            return assistant("Done.")
        event = choice(rng, list(self.table("calendar_events")))
        return assistant_calls(("calendar_delete_event", {"event_id": event["event_id"]}))

    def _worded(self, text: str) -> str:
        """Return a message of the user; in the words of the model, if there is one.

        Raises:
            UserFailure: The model gave no reply, or an empty one.
        """
        if self._model is None:
            return text
        state = self.state
        seed = hash_int("user", self.task.id, state.turn, state.questions)
        reply = self._model.reply(self._conversation.messages, text, seed=seed)
        if reply.text is None:
            raise UserFailure(f"the simulated user {self._model.client.name} said nothing")
        state.user_usage = add_usage(state.user_usage, reply.usage)
        return reply.text

    def _is_right(self) -> bool:
        """Return whether the databases are as they should be at the end of the user's turn."""
        told = self.task.turns[: self.state.turn + 1]
        calls = [call for turn in told for call in turn.calls]
        expected = effect_of(calls, self.database, self.clock)
        return not self.database.differing(self.state.changes, expected)

    def _changes_of(self, calls: Sequence[Call]) -> Counter[object]:
        return self.database.changes_in(effect_of(calls, self.database, self.clock))
