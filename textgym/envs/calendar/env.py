"""`textgym/Calendar-v0`: a day's calendar, kept through a dialogue."""

from __future__ import annotations

import json
import random
from dataclasses import asdict, dataclass
from typing import Any

from textgym.cards import Card
from textgym.env import TextEnv
from textgym.envs.calendar.plans import LEVELS, draw_plan
from textgym.envs.calendar.rows import Dialogue, Turn, turns_of, wishes_of
from textgym.envs.calendar.schedule import arrange, clock
from textgym.envs.drawing import between, pick, some
from textgym.errors import OracleError, StateError, UsageError
from textgym.messages import Message, assistant, system, user
from textgym.rewards import Grade
from textgym.tasks import nemo_gym as nemo_rows
from textgym.tasks.task import Task
from textgym.verifiers.calendar import check_calendar, events_of, last_calendar

__all__ = ["Calendar"]

_RULES = """\
You keep the user's calendar for today. It is empty at first. The user asks for changes and \
sometimes talks of other things. To each message, answer in a few words if words are called for, \
and show the whole calendar as it is then: a JSON list with one object for each event, such as
[{{"event_id": 0, "event_name": "Breakfast", "start_time": "08:30", "duration": 30}}]

- "event_id" is the number that the user gives, "start_time" is HH:MM on the 24-hour clock, and \
"duration" is in minutes.
- Every event lies between {min_time} and {max_time}, unless the user says that the day begins or \
ends at another time.
- Events do not overlap. One may begin when another ends.
- What the user wants of an event's time holds until the user wants something else for that event \
or cancels it. "By" and "before" a time mean that it ends then or earlier, "after" a time that it \
starts then or later, "between" two times that it starts and ends between them, "at" a time that \
it starts exactly then. Where nothing is said, any free time will do.
- Move other events where that is needed to keep all of this; it is always possible. Do not ask \
the user anything."""
_MOST_GUESSED = 8
_GUESSED_LENGTHS = (30, 45, 60, 75, 90)


@dataclass(slots=True)
class Progress:
    """What an episode knows.

    Attributes:
        asked: How many turns the user has had.
        right: How many of them were answered with a calendar that was right then.
    """

    asked: int = 1
    right: int = 0


class Calendar(TextEnv[Progress]):
    """A day's calendar, kept through a dialogue and shown as JSON in every answer.

    ## Description
    A user adds events, wants them at, before, after or between times, changes that, makes them
    longer or shorter, cancels them, comes later or leaves earlier, and sometimes chats. After each
    turn there is a calendar that keeps all that was asked for, but often not without moving events
    that were there before. What the user says does not depend on what the model answers. NeMo
    Gym's `calendar` rows, in which all turns but the last answer are given, are read as they are.

    ## Observation
    A system message with the rules, and the user's first turn; after each answer the user's next
    one. A NeMo Gym row brings its own prompt.

    ## Action
    Assistant messages. The last JSON list of objects with an `event_id` in a message's text is its
    calendar; it may stand between words, in a code fence or in another object. It is read strictly:
    JSON that is broken is none. Reasoning does not count.

    ## Reward
    1 where the calendar in the last answer is right, else 0: it has the wanted events, each once,
    with the wanted duration, within the day, as constrained, without overlaps. Events may touch,
    but one of no length may not lie inside another. Ids are compared as text, durations are numbers
    of minutes (`60`, `"60"`, `"60 min"`), times are such as `13:30`, `13:30:00`, `1:30pm` or
    `10 a.m.`. Names and order do not matter, and an entry that stands there twice, to the letter,
    counts once. Where no event is wanted, any text without events is right, and an empty one is
    not.

    With `partial_credit=True` the reward is the component `events`: 1 for the same answers, more
    than 0 for some others.

    Components, the first two 0 or 1, the others shares: `correct`; `answered` (there was a calendar
    to judge); of the wanted events `duration`, `window`, `constraint`, `no_overlap` (each event
    right in that respect); of the wanted and the shown events `ids` (those that are both) and
    `events` (those that are right in all respects); and `turns`, the share of the user's turns
    after which the calendar was right. Only the last calendar makes the reward: a mistake on the
    way that is mended costs nothing.

    ## Episode end
    Terminated by the answer to the user's last turn. `max_turns` truncates, and what the last
    message shows is compared with what is wanted at the end of the dialogue. Generated dialogues
    have 3 to 21 turns, and grow to some 2,000 characters on level 1 and 16,000 on level 5. There
    are no tools: a message with tool calls is told so, spends one of `max_turns`, and the user
    waits.

    ## Levels
    1. two events, a constraint
    2. three events, two constraints, one of the turns small talk
    3. four or five events; constraints are changed, events are resized
    4. five to seven; one is cancelled, lengths are said in words, changes as differences, and the
       day has other hours
    5. eight or nine; also constraints are lifted, the day is cut short, two requests come in a turn

    ## Rows
    | field | meaning |
    | --- | --- |
    | `min_time`, `max_time` | when the day begins and ends |
    | `turns` | what the user says, in order: objects with the fields below |
    | `turns.N.user` | the words |
    | `turns.N.events` | by id, the events that change, as they are from then on; null: cancelled |
    | `turns.N.events.ID` | `event_name`, `duration` and `constraint` |
    | `turns.N.min_time`, `turns.N.max_time` | the day's hours, where they change |
    | `responses_create_params.input` | NeMo Gym's prompt, in place of these |
    | `exp_cal_state` | with it: event ids to `duration`, `constraint`, `min_time`, `max_time` |

    A `constraint` is null, `at 2pm`, `before 2pm` or `by 2pm`, `after 14:00`, or
    `between 2pm and 4pm`.

    Args:
        partial_credit: Whether the reward is the share of events that are right.
        max_turns: The most assistant messages.
        **kwargs: `dataset`, `split`, `level` and `render_mode` of `TextEnv`.

    Raises:
        UsageError: `partial_credit` is neither true nor false.

    Example:
        >>> import gymnasium, textgym
        >>> env = gymnasium.make("textgym/Calendar-v0")
        >>> row = {"min_time": "10:00", "max_time": "16:00", "turns": [
        ...     {"user": "Add tea for half an hour (event id: 0).",
        ...      "events": {"0": {"event_name": "Tea", "duration": 30}}},
        ...     {"user": "I want it after 2pm.",
        ...      "events": {"0": {"duration": 30, "constraint": "after 2pm"}}}]}
        >>> observation, info = env.reset(options={"task": row})
        >>> early = '[{"event_id": 0, "event_name": "Tea", "start_time": "10:00", "duration": 30}]'
        >>> env.step(early)[0][-1]["content"]
        'I want it after 2pm.'
        >>> observation, reward, terminated, truncated, info = env.step(early)
        >>> reward, info["reward_components"]["constraint"], info["reward_components"]["turns"]
        (0.0, 0.0, 0.5)

    ## Version history
    - v0: first version.
    """

    card = Card(
        id="textgym/Calendar-v0",
        summary="Keep a day's calendar through a dialogue, under changing constraints.",
        structure=("multi-turn",),
        capabilities=("planning", "instruction following", "state tracking"),
        domain=("office work",),
        task_type="scheduling",
        verification=("constraints", "state"),
        levels=LEVELS,
        chance=0.0036,
        data="generated, .jsonl, .parquet, hub; NeMo Gym calendar rows",
    )

    task: Dialogue

    def __init__(self, *, partial_credit: bool = False, max_turns: int = 40, **kwargs: Any) -> None:
        if not isinstance(partial_credit, bool):
            raise UsageError(f"partial_credit is true or false, not {partial_credit!r}")
        self.partial_credit = partial_credit
        super().__init__(max_turns=max_turns, **kwargs)

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        """Draw a day, and a user's turns."""
        return draw_plan(rng, level)

    def read_row(self, row: dict[str, Any]) -> Task:
        """Read one of textgym's own rows, or one of NeMo Gym's."""
        if nemo_rows.has_prompt(row):
            prompt, tools = nemo_rows.prompt_of(row), nemo_rows.tools_of(row)
            wishes, names = wishes_of(row)
            turns: tuple[Turn, ...] = (Turn("", wishes),)
        else:
            turns, names = turns_of(row)
            rules = _RULES.format(min_time=row["min_time"], max_time=row["max_time"])
            prompt, tools = [system(rules), user(turns[0].user)], None
        return Dialogue(row["id"], tuple(prompt), turns[-1].wishes, tools, row, turns, names)

    def begin(self, task: Task) -> Progress:
        """Begin with the user's first turn."""
        return Progress()

    def check_state(self) -> None:
        """Refuse a turn that the user does not have, and more right answers than turns."""
        asked, right, turns = self.state.asked, self.state.right, len(self.task.turns)
        if not 1 <= asked <= turns:
            raise StateError(f"state.asked: the user has {turns} turns, and this is none of them")
        if not 0 <= right <= asked:
            raise StateError(f"state.right: of {asked} turns so many cannot have been answered")

    def respond(self, message: Message) -> list[Message] | None:
        """Let the user go on, whatever the answer was; None after the last turn."""
        turns, progress = self.task.turns, self.state
        progress.right += check_calendar(turns[progress.asked - 1].wishes, self.answer_text).correct
        if progress.asked == len(turns):
            return None
        progress.asked += 1
        return [user(turns[progress.asked - 1].user)]

    def grade(self) -> Grade:
        """Compare the last message's calendar with what is wanted at the end."""
        text, turns = self.answer_text, self.task.turns
        verdict = check_calendar(self.task.answer, text)
        components = {**asdict(verdict), "turns": self.state.right / len(turns)}
        calendar = last_calendar(text)
        return Grade(
            verdict.events if self.partial_credit else float(verdict.correct),
            verdict.correct,
            components,
            extracted_answer="" if calendar is None else json.dumps(calendar),
        )

    def solve(self) -> Message:
        """Show a calendar that is right now; events stay where they were shown if they can."""
        wishes = self.task.turns[self.state.asked - 1].wishes
        shown = events_of(last_calendar(self.answer_text) or [])
        before = {event.id: event.start for event in shown if event.start is not None}
        starts = arrange(wishes, before)
        if starts is None:
            raise OracleError(f"no calendar was found for what {self.task.id} wants")
        return _shown([(id, starts[id], wishes[id].duration, self._name(id)) for id in starts])

    def guess(self, rng: random.Random) -> Message:
        """Show some events at some times."""
        ids = some(rng, range(_MOST_GUESSED), between(rng, 1, _MOST_GUESSED))
        events = [(str(id), 15 * between(rng, 36, 63), pick(rng, _GUESSED_LENGTHS)) for id in ids]
        return _shown([(*event, self._name(event[0])) for event in events])

    def _name(self, id: str) -> str:
        return self.task.names.get(id, f"Event {id}")


def _shown(events: list[tuple[str, int, float, str]]) -> Message:
    """Return a message that shows events, each an id, a start, a duration and a name."""
    calendar = [
        {
            "event_id": int(id) if id.isdecimal() and str(int(id)) == id else id,
            "event_name": name,
            "start_time": clock(start),
            "duration": duration,
        }
        for id, start, duration, name in sorted(events, key=lambda event: event[1])
    ]
    lines = [json.dumps(event, ensure_ascii=False) for event in calendar]
    return assistant("[" + ",\n ".join(lines) + "]")
