"""`textgym/WorkplaceAssistant-v0`: requests to an office assistant, graded by what they leave."""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import count, islice
from typing import Any

from textgym.cards import Card
from textgym.env import TextEnv
from textgym.envs.drawing import choice, randbelow
from textgym.envs.workplace.database import Database, State, new_state, read_database
from textgym.envs.workplace.rows import (
    WORKBENCH_CLOCK,
    Call,
    calls_of,
    clock_in,
    clock_of,
    prompt_of,
    toolbox,
)
from textgym.envs.workplace.templates import LEVELS, draw
from textgym.envs.workplace.toolkits import TOOLKITS, Tools
from textgym.envs.workplace.world import company, world
from textgym.errors import RowError, UnknownNameError, UsageError, did_you_mean
from textgym.messages import Message, ToolSchema, assistant, assistant_calls
from textgym.rewards import Grade
from textgym.tasks import nemo_gym as nemo_rows
from textgym.tasks.task import Task, split_of

__all__ = ["WorkplaceAssistant", "effect_of"]

MAX_DRAWS = 500  # of tasks, until the offered tools suffice for one
NEMO_GYM_REPLY_MARK = "RE: "
MAX_CACHED = 64  # generated databases, besides those of living episodes


@dataclass(frozen=True, slots=True)
class WorkplaceTask(Task):
    """A task whose answer is a list of calls, each a tool's name and arguments.

    Attributes:
        clock: The time at which the request is made.
        reply_mark: What a reply's subject begins with.
        look_ups: Calls that find out what the answer's need to know; graded they are not.
    """

    clock: str = WORKBENCH_CLOCK
    reply_mark: str = ""
    look_ups: tuple[Call, ...] = ()


class _ReferenceRun(Tools):
    """A desk of its own, on which the reference calls are made."""

    def __init__(self, database: Database, clock: str, reply_mark: str = "") -> None:
        self.database, self.state = database, new_state()
        self.clock, self.reply_mark = clock, reply_mark


class WorkplaceAssistant(Tools, TextEnv[State]):
    """Do what a colleague asks, with the tools of an office.

    ## Description
    A company has five databases: e-mails, a calendar, the analytics of its site, projects and
    customers, and a directory of addresses. A user asks for something to be done, such as to
    move a meeting or to hand over somebody's tasks. The model looks up what it needs, makes the
    changes with tools, and ends with a message. Companies and tasks come from a generator. NeMo
    Gym's `workplace_assistant` rows, and WorkBench's queries as `datasets_scripts/workbench.py`
    writes them, are played on WorkBench's databases, which `database` names.

    ## Observation
    A system message with the date and the time, which stands still, and the user's request. A
    NeMo Gym row brings its own prompt. After each message with tool calls, one tool message for
    each call.

    ## Action
    Assistant messages. Those with tool calls are carried out; the first one without ends the
    episode, whatever it says.

    ## Tools
    27, or those that the row names, in six toolkits:

    - `company_directory`: find_email_address
    - `email`: get_email_information_by_id, search_emails, send_email, delete_email, forward_email,
      reply_email
    - `calendar`: get_event_information_by_id, search_events, create_event, delete_event,
      update_event
    - `analytics`: get_visitor_information_by_id, create_plot, total_visits_count,
      engaged_users_count, traffic_source_count, get_average_session_duration
    - `project_management`: get_task_information_by_id, search_tasks, create_task, delete_task,
      update_task
    - `customer_relationship_manager`: search_customers, update_customer, add_customer,
      delete_customer

    A tool's name is its toolkit's, `_`, and this. What cannot be done, such as to delete an event
    that there is not, is answered with a text that says so, and changes nothing. Searches are plain
    text, in any case; those of e-mails, events and customers give pages of 5 unless asked for
    others.

    ## Reward
    1 where the databases are at the end as the reference calls leave them, else 0. Rows that
    existed are compared by id. New rows are compared without their ids, in any order. Times in
    another format are the same; case counts in `status`, `list_name` and `board` alone. Reading,
    changes that were undone, and what the messages say do not count. Components:

    - `correct`: the same as the reward
    - `emails`, `calendar_events`, `plots`, `project_tasks`, `customers`: this table is as it should
      be
    - `side_effects`: something was changed, and the reward is 0

    The `extracted_answer` in info is the last message's text, empty where it made calls alone.

    ## Episode end
    Terminated by the first message without tool calls; truncated at `max_turns`, graded by what is
    done by then.

    ## Levels
    Generated tasks are set in a company drawn for the purpose, on a morning before work. Whatever
    is needed to solve them can be found with the tools, and no request has two readings. About
    100 templates, in several phrasings each, are about one domain or several.

    1. one call, all of it told in the request
    2. a look-up or two, then a change; or two plots
    3. several look-ups or changes: everybody in a list, the first or the last of something
    4. what is found decides what to do: conditions, counts, the most and the fewest, the first time
       that is free; at times there is nothing to do
    5. up to a dozen changes, often in several domains

    ## Rows
    | field | meaning |
    | --- | --- |
    | `query` | the request |
    | `now` | the date and the time, such as `2023-11-30 23:59:00` |
    | `ground_truth` | the reference calls: `name`, and `arguments` as JSON or as an object |
    | `world` | the seed of a generated company; without it, the row needs `database` |
    | `look_ups` | optional: calls with which the oracle finds out what to do |
    | `no_op` | optional: whether the reference changes nothing |
    | `responses_create_params.input` | NeMo Gym's prompt, in place of `query` and `now` |

    The time of a NeMo Gym row is the one that its prompt tells. There a reply's subject begins with
    `RE: `; in other rows, as in WorkBench, it is that of the e-mail that is replied to.

    Args:
        database: A folder with WorkBench's CSV files, for rows that name no world.
        toolkits: The toolkits whose tools are offered; None for all. Generated tasks are such that
            these suffice; the reference of a row may use others.
        worlds: How many companies the generated tasks of a split are set in; None for another one
            at each index. No company is in two splits.
        max_turns: The most assistant messages.
        **kwargs: `dataset`, `split`, `level` and `render_mode` of `TextEnv`.

    Raises:
        UsageError: `toolkits` is empty, or names one that there is not; `worlds` is less than 1.
            Or, when a task is drawn, the toolkits suffice for none of its level.
        DatasetError: The database is missing or broken.

    Example:
        >>> import gymnasium, textgym
        >>> from textgym.messages import assistant_calls
        >>> env = gymnasium.make("textgym/WorkplaceAssistant-v0")
        >>> mail = {"recipient": "kim@home.org", "subject": "Lunch", "body": "At noon?"}
        >>> row = {"query": "Write to kim@home.org, subject 'Lunch', that says 'At noon?'.",
        ...        "now": "2023-11-30 09:30:00", "world": 7,
        ...        "ground_truth": [{"name": "email_send_email", "arguments": mail}]}
        >>> observation, info = env.reset(options={"task": row})
        >>> len(info["tools"])
        27
        >>> call = assistant_calls(("email_send_email", mail))
        >>> observation, reward, terminated, truncated, info = env.step(call)
        >>> observation[-1]["content"]
        'The e-mail was sent.'
        >>> observation, reward, terminated, truncated, info = env.step("It is on its way.")
        >>> reward, info["reward_components"]["emails"]
        (1.0, 1.0)

    ## Version history
    - v0: first version.
    """

    card = Card(
        id="textgym/WorkplaceAssistant-v0",
        summary="Office requests, done with tools on five databases.",
        structure=("multi-step",),
        capabilities=("tool use", "planning", "instruction following"),
        domain=("office work",),
        task_type="tool use",
        verification=("state",),
        levels=LEVELS,
        chance=0.016,
        data="generated, .jsonl, .parquet, hub; NeMo Gym workplace_assistant, WorkBench's queries",
        notes="Some tasks of level 4 (8 %, tagged no_op) are right where nothing is changed: doing "
        "nothing always gets 0.016.",
    )

    task: WorkplaceTask

    def __init__(
        self,
        *,
        database: str | None = None,
        toolkits: Sequence[str] | None = None,
        worlds: int | None = 16,
        max_turns: int = 30,
        **kwargs: Any,
    ) -> None:
        if database is not None and not isinstance(database, (str, os.PathLike)):
            raise UsageError(f"database is a folder's path, not {database!r}")
        if worlds is not None and (type(worlds) is not int or worlds < 1):
            raise UsageError(f"worlds is a whole number of 1 or more, or None, not {worlds!r}")
        self._offer, self.worlds = _tools_of(toolkits), worlds
        self._folder = "" if database is None else os.fspath(database)
        self._given = read_database(self._folder) if database is not None else None
        super().__init__(max_turns=max_turns, **kwargs)

    @property
    def data_digests(self) -> dict[str, str]:
        """The data set, and the folder of databases; see `TextEnv.data_digests`."""
        if self._given is None:
            return super().data_digests
        return {**super().data_digests, self._folder: self._given.digest}

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        """Draw a company of the split, and a task that the offered tools can solve."""
        seed = self._draw_world(rng)
        made = company(seed)
        desk = _ReferenceRun(_generated(seed), str(made.now))

        def call(name: str, /, **arguments: Any) -> Any:
            return getattr(desk, name)(**arguments)

        for _ in range(MAX_DRAWS):
            row = {**draw(rng, level, made, call), "world": seed}
            named = {item["name"] for item in (*row["look_ups"], *row["ground_truth"])}
            if self._offer is None or named <= self._offer:
                return row
        raise UsageError(f"these toolkits alone solve no generated task of level {level}")

    def canonical(self, row: dict[str, Any]) -> Any:
        """Return the company: all tasks about it belong to one split."""
        return {"world": row["world"]}

    def _draw_world(self, rng: random.Random) -> int:
        if self.worlds is not None:
            return choice(rng, _worlds_of(self.split, self.worlds))
        while split_of({"world": (seed := randbelow(rng, 2**40))}) != self.split:
            pass
        return seed

    def read_row(self, row: dict[str, Any]) -> Task:
        """Read one of textgym's flat rows, or one of NeMo Gym's."""
        if nemo_rows.has_prompt(row):
            prompt, tools = nemo_rows.prompt_of(row), nemo_rows.tools_of(row)
            clock, reply_mark = clock_in(prompt), NEMO_GYM_REPLY_MARK
        else:
            clock, reply_mark = clock_of(row), ""
            prompt, tools = prompt_of(row, clock), None
        seed = row.get("world")
        if seed is None and self._given is None:
            raise RowError("world", "is missing, and no database= is given")
        if seed is not None and type(seed) is not int:
            raise RowError("world", f"must be a whole number, not {seed!r}")
        return WorkplaceTask(
            row["id"],
            tuple(prompt),
            calls_of(row, "ground_truth"),
            self._offered_of(tools),
            row,
            clock,
            reply_mark,
            tuple(calls_of(row, "look_ups")) if "look_ups" in row else (),
        )

    def begin(self, task: Task) -> State:
        """Open the databases; nothing has been changed."""
        seed = task.row.get("world")
        self.database = self._given if seed is None else _generated(seed)  # type: ignore[assignment]
        self.clock, self.reply_mark = task.clock, task.reply_mark  # type: ignore[attr-defined]
        return new_state()

    def check_state(self) -> None:
        """Refuse changes of tables, rows or columns that the company does not have."""
        self.database.check(self.state)

    def grade(self) -> Grade:
        """Compare the databases with what the reference calls leave."""
        expected = effect_of(self.task.answer, self.database, self.clock, self.reply_mark)
        differing = self.database.differing(self.state, expected)
        right = not differing
        changed = bool(self.database.differing(self.state, new_state()))
        components = {
            "correct": float(right),
            **{name: float(name not in differing) for name in expected},
            "side_effects": float(changed and not right),
        }
        return Grade(float(right), right, components, extracted_answer=self.answer_text)

    def solve(self) -> Message:
        """Make the look-ups and the reference calls, or all that are left where turns are few."""
        left: list[Call] = [*self.task.look_ups, *self.task.answer][self.turn :]
        if not left:
            return assistant("It is done.")
        fits = len(left) < self.max_turns - self.turn
        return assistant_calls(*left[:1] if fits else left)

    def guess(self, rng: random.Random) -> Message:
        """Delete some event, then end."""
        if self.turn:
            return assistant("Done.")
        events = list(self.table("calendar_events"))
        id = choice(rng, events)["event_id"] if events else "00000001"
        return assistant_calls(("calendar_delete_event", {"event_id": id}))

    def _offered_of(self, tools: tuple[ToolSchema, ...] | None) -> tuple[ToolSchema, ...] | None:
        """Return the row's tools, or all, without those of toolkits that are not offered."""
        if self._offer is None:
            return tools
        known = self.toolbox().schemas() if tools is None else tools
        return tuple(schema for schema in known if schema["function"]["name"] in self._offer)


def effect_of(
    reference: Sequence[Call], database: Database, clock: str, reply_mark: str = ""
) -> State:
    """Return what some calls change in a database.

    Args:
        reference: The calls, each a tool's name and arguments.
        database: The database, which stays as it is.
        clock: The time at which they are made.
        reply_mark: What a reply's subject begins with.
    """
    desk = _ReferenceRun(database, clock, reply_mark)
    for name, arguments in reference:
        toolbox().call(desk, name, arguments)
    return desk.state


@lru_cache(MAX_CACHED)
def _generated(seed: int) -> Database:
    return Database(world(seed))


@cache
def _worlds_of(split: str, n: int) -> tuple[int, ...]:
    """Return the first seeds of companies that belong to a split."""
    own = (seed for seed in count() if split_of({"world": seed}) == split)
    return tuple(islice(own, n))


def _tools_of(toolkits: Sequence[str] | None) -> frozenset[str] | None:
    """Return the names of the tools in some toolkits; None for all."""
    if toolkits is None:
        return None
    if not isinstance(toolkits, (list, tuple)) or not toolkits:
        raise UsageError(f"toolkits is a list of one or more names, not {toolkits!r}")
    for name in toolkits:
        if name not in TOOLKITS:
            hint = did_you_mean(str(name), TOOLKITS)
            raise UnknownNameError(f"there is no toolkit {name!r}{hint}")
    return frozenset(
        name for name in toolbox().tools if name.startswith(tuple(f"{kit}_" for kit in toolkits))
    )
