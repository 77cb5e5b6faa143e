"""`textgym/Calendar-v0`: maintain a calendar of one day during a dialogue."""

from __future__ import annotations

import json
import random
from dataclasses import asdict, dataclass
from typing import Any

from textgym.core.card import Card
from textgym.core.episode import Grade
from textgym.core.text_env import TextEnv
from textgym.envs.calendar.calendar_rows import CalendarTask, Turn, turns_of, wishes_of
from textgym.envs.calendar.plans import LEVELS, draw_plan
from textgym.envs.calendar.schedule import arrange
from textgym.envs.generation import choice, clock, randint, sample
from textgym.errors import OracleError, StateError, UsageError
from textgym.messages import Message, assistant, system, user
from textgym.tasks import nemo_rows
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
MAX_GUESSED_EVENTS = 8
GUESSED_LENGTHS = (30, 45, 60, 75, 90)


@dataclass(slots=True)
class Progress:
    """The state of an episode.

    Attributes:
        asked: The number of user turns so far.
        right: The number of them that were answered with a correct calendar.
    """

    asked: int = 1
    right: int = 0


class Calendar(TextEnv[Progress]):
    """Maintain a user's calendar of one day during a dialogue, and show it as JSON in every answer.

    It measures whether a model keeps track of constraints that accumulate and change in a dialogue,
    where a new request often makes it necessary to move earlier events.

    ## Description
    The user adds events, sets and changes constraints on their times (at, before, after, between),
    makes events longer or shorter, cancels them, changes the hours of the day, and sometimes makes
    small talk. After every turn some calendar satisfies all requests, but it is often necessary to
    move earlier events. The user's messages do not depend on the model's answers. NeMo Gym's
    `calendar` rows are supported; they contain the whole dialogue except the last answer.

    ## Observation
    A system message with the rules, and the user's first message; after each answer, the user's
    next message. NeMo Gym rows contain their own prompt.

    ## Action
    Assistant messages. The calendar of a message is the last JSON list in its text that consists of
    objects with an `event_id`. It may be inside other text, a code fence or another object. Invalid
    JSON is not read. Reasoning is ignored.

    ## Reward
    1 if the calendar in the last answer is correct, else 0. A correct calendar has each requested
    event exactly once, with the requested duration, within the day, as constrained, and without
    overlaps. Events may touch, but an event of length 0 must not be inside another one. Ids are
    compared as strings. Durations are numbers of minutes (`60`, `"60"`, `"60 min"`). Times have
    formats such as `13:30`, `13:30:00`, `1:30pm` and `10 a.m.`. Names and order are ignored, and
    identical entries count as one. If no events are requested, any non-empty text without events is
    correct.

    With `partial_credit=True` the reward is the component `events`, which is 1 for correct
    calendars and can be above 0 for others. A policy that always shows the same three events of an
    hour then gets 0.07 on average over all levels, and one that shows two gets 0.17 at level 1.

    Components. The first two are 0 or 1, the others are fractions:

    - `correct`
    - `answered`: the answer has a calendar
    - `duration`, `window`, `constraint`, `no_overlap`: the requested events that are correct in
      this respect
    - `ids`: of all events that are requested or shown, those that are both
    - `events`: of all events that are requested or shown, those that are correct in all respects
    - `turns`: the user turns after which the calendar was correct

    Only the last calendar decides the reward; corrected mistakes cost nothing.

    ## Info
    | key | meaning |
    | --- | --- |
    | `task_id` | the id of the task; in every info |
    | `tools` | after reset, an empty list |
    | `stop_reason` | after the last step, as all below: `answer`, or `max_turns` if truncated |
    | `is_success` | whether the last calendar is correct |
    | `extracted_answer` | the last calendar as JSON; `""` for none |
    | `reward_components` | the components above |
    | `verdict_reason` | why the reward is not full, such as `wrong`; `""` if it is |

    ## Episode end
    The episode terminates after the answer to the user's last message. At `max_turns` it is
    truncated, and the last calendar is compared with the requests of the whole dialogue. From level
    1 on, generated dialogues have 3 to 21 user turns; they grow to about 2,000 characters on level
    1 and 16,000 on level 5. There are no tools: a message with tool calls gets an error reply and
    counts towards `max_turns`, and the user waits.

    ## Levels
    Level 0, which is only drawn with `level=0`, has one turn: an event with its id, time and
    duration.

    1. two events, one constraint
    2. three events, two constraints, one turn of small talk
    3. four or five events; constraints change, durations change
    4. five to seven events; one is cancelled, durations are in words, changes are relative, and the
       hours of the day vary
    5. eight or nine events; also, constraints are removed, the day becomes shorter, and a turn can
       have two requests

    ## Rows
    | field | meaning |
    | --- | --- |
    | `min_time`, `max_time` | the start and end of the day |
    | `turns` | the user's turns in order, objects with the fields below |
    | `turns.N.user` | the user's message |
    | `turns.N.events` | the new versions of changed events by id; null cancels an event |
    | `turns.N.events.ID` | `event_name`, `duration` and `constraint` |
    | `turns.N.min_time`, `turns.N.max_time` | the new hours of the day, if they change |
    | `responses_create_params.input` | NeMo Gym's prompt, in place of the above |
    | `exp_cal_state` | with it: event ids to `duration`, `constraint`, `min_time`, `max_time` |

    A `constraint` is null, `at 2pm`, `before 2pm` or `by 2pm`, `after 14:00`, or
    `between 2pm and 4pm`.

    Args:
        partial_credit: Whether the reward is the fraction of correct events.
        max_turns: The maximum number of assistant messages; 40 by default.
        **kwargs: `dataset`, `split`, `level` and `render_mode` of `TextEnv`.

    Raises:
        UsageError: `partial_credit` is not a bool.

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
        >>> observation, info = env.reset(options={"task": row})
        >>> observation, reward, terminated, truncated, info = env.step(early)
        >>> env.step(early.replace("10:00", "14:00"))[1]
        1.0

    ## Version history
    - v0: first version.
    """

    card = Card(
        id="textgym/Calendar-v0",
        summary="Maintain a day's calendar during a dialogue with changing constraints.",
        structure=("multi-turn",),
        capabilities=("planning", "multiple intent synthesis"),
        domain=("office work",),
        task_type="scheduling",
        verification=("constraints", "state"),
        levels=LEVELS,
        first_rung=True,
        chance=0.0036,
        data="generated, .jsonl, .parquet, .csv, hub; NeMo Gym calendar rows",
        accepts=("markdown", "quotes", "sentences", "full stop"),
        several_answers=True,
    )

    task: CalendarTask

    max_turns = 40

    def __init__(self, *, partial_credit: bool = False, **kwargs: Any) -> None:
        if not isinstance(partial_credit, bool):
            raise UsageError(f"partial_credit must be true or false, not {partial_credit!r}")
        self.partial_credit = partial_credit
        super().__init__(**kwargs)

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        """Draw a day and the user's turns."""
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
        return CalendarTask(row["id"], tuple(prompt), turns[-1].wishes, tools, row, turns, names)

    def begin(self, task: Task) -> Progress:
        """Return the state at the user's first turn."""
        return Progress()

    def check_state(self) -> None:
        """Check that the turn exists, and that at most all turns were answered correctly."""
        asked, right, turns = self.state.asked, self.state.right, len(self.task.turns)
        if not 1 <= asked <= turns:
            raise StateError(f"state.asked: must be from 1 to {turns}, the number of turns")
        if not 0 <= right <= asked:
            raise StateError(f"state.right: must be from 0 to {asked}, the number of turns so far")

    def respond(self, message: Message) -> list[Message] | None:
        """Return the user's next message, regardless of the answer; None after the last turn."""
        turns, progress = self.task.turns, self.state
        progress.right += check_calendar(turns[progress.asked - 1].wishes, self.answer_text).correct
        if progress.asked == len(turns):
            return None
        progress.asked += 1
        return [user(turns[progress.asked - 1].user)]

    def grade(self) -> Grade:
        """Compare the last calendar with the requests of the whole dialogue."""
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
        """Show a correct calendar for the current turn, moving as few shown events as possible."""
        wishes = self.task.turns[self.state.asked - 1].wishes
        shown = events_of(last_calendar(self.answer_text) or [])
        before = {event.id: event.start for event in shown if event.start is not None}
        starts = arrange(wishes, before)
        if starts is None:
            raise OracleError(f"found no calendar that satisfies {self.task.id}")
        return _calendar_message(
            [(id, starts[id], wishes[id].duration, self._name(id)) for id in starts]
        )

    def guess(self, rng: random.Random) -> Message:
        """Show random events at random times."""
        ids = sample(rng, range(MAX_GUESSED_EVENTS), randint(rng, 1, MAX_GUESSED_EVENTS))
        events = [(str(id), 15 * randint(rng, 36, 63), choice(rng, GUESSED_LENGTHS)) for id in ids]
        return _calendar_message([(*event, self._name(event[0])) for event in events])

    def _name(self, id: str) -> str:
        return self.task.names.get(id, f"Event {id}")


def _calendar_message(events: list[tuple[str, int, float, str]]) -> Message:
    """Return a message that shows events, each given as id, start, duration and name."""
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
