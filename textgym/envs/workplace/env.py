"""`textgym/WorkplaceAssistant-v0`: office requests, graded by the final state of databases."""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from textgym.core.card import Card
from textgym.core.grade import Grade
from textgym.core.partial_credit import PartialCreditEnv, share_done
from textgym.envs.drawing import choice
from textgym.envs.reference_calls import Call
from textgym.envs.workplace.companies import database_of
from textgym.envs.workplace.database import State, Table, new_state, read_database
from textgym.envs.workplace.reference import ReferenceRun, effect_of
from textgym.envs.workplace.rows import (
    WORKBENCH_CLOCK,
    calls_of,
    clock_in,
    clock_of,
    prompt_of,
    toolbox,
)
from textgym.envs.workplace.templates import LEVELS, draw
from textgym.envs.workplace.toolkits import TOOLKITS, Tools
from textgym.envs.workplace.world import company
from textgym.envs.worlds import check_worlds, draw_world
from textgym.errors import RowError, UnknownNameError, UsageError, did_you_mean
from textgym.messages import Message, ToolSchema, assistant, assistant_calls
from textgym.tasks import nemo_rows
from textgym.tasks.task import Task

__all__ = ["WorkplaceAssistant"]

MAX_DRAWS = 500  # attempts to draw a task that needs only the offered tools
NEMO_GYM_REPLY_MARK = "RE: "


@dataclass(frozen=True, slots=True)
class WorkplaceTask(Task):
    """A task whose answer is a list of calls, each with a tool's name and arguments.

    Attributes:
        clock: The time of the request.
        reply_mark: The prefix of a reply's subject.
        look_ups: Calls that find the information for the answer. They are not graded.
    """

    clock: str = WORKBENCH_CLOCK
    reply_mark: str = ""
    look_ups: tuple[Call, ...] = ()


class WorkplaceAssistant(Tools, PartialCreditEnv[State]):
    """Carry out an office request with tools that read and change databases.

    ## Description
    A company has five databases (e-mails, a calendar, website analytics, projects and customers)
    and a directory of addresses. The user requests a change, such as moving a meeting or handing
    over somebody's tasks. The model looks up what it needs, makes the changes with tools, and ends
    the episode with a message. Companies and tasks come from a generator. NeMo Gym's
    `workplace_assistant` rows, and WorkBench's queries as converted by
    `datasets_scripts/workbench.py`, need WorkBench's databases; pass their folder as `database`.

    ## Observation
    A system message with the date and time, which does not advance, and the user's request. NeMo
    Gym rows contain their own prompt. After a message with tool calls, one tool message for each
    call.

    ## Action
    Assistant messages. Tool calls are executed. The first message without tool calls ends the
    episode, whatever its text.

    ## Tools
    There are 27 tools in six toolkits; a row may offer fewer:

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

    The name of a tool is the toolkit's name, `_`, and the name above. A call that cannot be carried
    out, such as deleting an event that does not exist, returns an error and changes nothing.
    White space around an argument is removed. Dates are read in common forms, such as `May 21,
    2025` and `21.05.2025`; a date without a year or that does not exist, an unknown status or
    board, and a name in place of an address are errors. Searches look for plain text and ignore
    case. Those for e-mails, events and customers return pages of 5 results by default.

    ## Reward
    1 if the final databases are the same as after the reference calls, else 0. Existing rows are
    compared by id. New rows are compared without their ids and in any order. The format of times
    and phone numbers is ignored; case matters only in `status`, `list_name` and `board`. Reading,
    changes that were undone, and the text of messages do not count. Components:

    - `correct`: the same as the reward
    - `emails`, `calendar_events`, `plots`, `project_tasks`, `customers`: this table is correct
    - `side_effects`: something was changed, and the reward is 0

    ## Partial credit
    With `partial_credit=True`, steps also pay for progress, as component `progress`. What has been
    paid is always 0.5 times the progress in the present state, to 1/1024, so a step pays the
    difference, and what is undone is paid back. The last step pays the rest of 1 for a success. The
    verdict is the same. Progress is the number of the reference's changes
    that stand in the databases, less the number of other changes, divided by the number of the
    reference's, and at least 0. A changed cell, a deleted row and a new row are one change each. If
    the reference changes nothing, only the last step pays.

    Calls with values from the request, deleting or updating all rows that it may be about, and
    drawing every plot get at most 0.001 more on average than without partial credit.

    ## Info
    After the last step, `extracted_answer` is the text of the last message, which is empty if that
    message has only tool calls, and `answer_sought` is False, because the state is graded.

    ## Episode end
    The episode terminates at the first message without tool calls. At `max_turns` it is truncated
    and graded by the current databases.

    ## Levels
    A generated task belongs to a generated company and takes place on a morning before work. The
    tools reveal everything that is needed, and every request is unambiguous. There are about 100
    templates for one or several domains, each with several phrasings. Most requests about a mail
    tell its subject and its place in the thread, its day or a person; any mail may be meant.

    1. one call, fully specified in the request
    2. one or two look-ups, then a change; or two plots
    3. several look-ups or changes: all people in a list, the first or last of something
    4. the look-ups decide what to do: conditions, counts, most or fewest, the first free time;
       sometimes nothing has to be done
    5. up to a dozen changes, often in several domains

    [The loop of the workplace](../workplace-loop.md) shows what a model fails at, and which tasks
    to train it on.

    ## Rows
    | field | meaning |
    | --- | --- |
    | `query` | the request |
    | `now` | the date and time, such as `2023-11-30 23:59:00` |
    | `ground_truth` | the reference calls: `name`, and `arguments` as a JSON string or an object |
    | `world` | the seed of a generated company; rows without it need `database` |
    | `look_ups` | optional, calls that the oracle makes first |
    | `no_op` | optional, whether the reference changes nothing |
    | `responses_create_params.input` | NeMo Gym's prompt, in place of `query` and `now` |

    The time of a NeMo Gym row is taken from its prompt. In these rows a reply's subject begins with
    `RE: `. In all others, as in WorkBench, a reply keeps the subject of the e-mail.

    Args:
        database: The folder with WorkBench's CSV files, for rows without `world`.
        toolkits: The toolkits whose tools are offered; None for all. Generated tasks can be solved
            with these; the reference of a row may use others.
        worlds: The number of different companies in the generated tasks of a split; None for a new
            one at each index. No company is in two splits.
        max_turns: The maximum number of assistant messages; 30 by default.
        partial_credit: Whether steps pay for progress; False by default.
        **kwargs: `dataset`, `split`, `level` and `render_mode` of `TextEnv`.

    Raises:
        UsageError: `toolkits` is empty or contains an unknown name, or `worlds` is less than 1.
            Later, when a task is drawn: no task of the level can be solved with the toolkits.
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
        summary="Carry out office requests with tools on five databases.",
        structure=("multi-step",),
        capabilities=("tool use", "planning", "information dependency"),
        domain=("office work",),
        task_type="tool use",
        verification=("state",),
        levels=LEVELS,
        chance=0.016,
        data="generated, .jsonl, .parquet, hub; NeMo Gym workplace_assistant, WorkBench's queries",
        notes="In some tasks of level 4 (8 %, tagged no_op) nothing must be changed, so doing "
        "nothing gets 0.016 on average.",
    )

    task: WorkplaceTask
    max_turns = 30

    def __init__(
        self,
        *,
        database: str | None = None,
        toolkits: Sequence[str] | None = None,
        worlds: int | None = 16,
        **kwargs: Any,
    ) -> None:
        if database is not None and not isinstance(database, (str, os.PathLike)):
            raise UsageError(f"database must be the path of a folder, not {database!r}")
        check_worlds(worlds)
        self._offered_names, self.worlds = _tools_of(toolkits), worlds
        self._folder = "" if database is None else os.fspath(database)
        self._database = read_database(self._folder) if database is not None else None
        super().__init__(**kwargs)

    @property
    def data_digests(self) -> dict[str, str]:
        """The digests of the data set and of the databases, see `TextEnv.data_digests`."""
        if self._database is None:
            return super().data_digests
        return {**super().data_digests, self._folder: self._database.digest}

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        """Draw a company of the split, and a task that can be solved with the offered tools."""
        seed = draw_world(rng, self.split, self.worlds)
        employer = company(seed)
        tools = ReferenceRun(database_of(seed), str(employer.now))

        def call(name: str, /, **arguments: Any) -> Any:
            return getattr(tools, name)(**arguments)

        for _ in range(MAX_DRAWS):
            row = {**draw(rng, level, employer, call), "world": seed}
            named = {item["name"] for item in (*row["look_ups"], *row["ground_truth"])}
            if self._offered_names is None or named <= self._offered_names:
                return row
        raise UsageError(
            f"no generated task of level {level} can be solved with only these toolkits"
        )

    def canonical(self, row: dict[str, Any]) -> Any:
        """Return the company, because all its tasks belong to one split."""
        return {"world": row["world"]}

    def read_row(self, row: dict[str, Any]) -> Task:
        """Read one of textgym's flat rows, or one of NeMo Gym's."""
        if nemo_rows.has_prompt(row):
            prompt, tools = nemo_rows.prompt_of(row), nemo_rows.tools_of(row)
            clock, reply_mark = clock_in(prompt), NEMO_GYM_REPLY_MARK
        else:
            clock, reply_mark = clock_of(row), ""
            prompt, tools = prompt_of(row, clock), None
        seed = row.get("world")
        if seed is None and self._database is None:
            raise RowError("world", "is missing, and there is no database=")
        if seed is not None and type(seed) is not int:
            raise RowError("world", f"must be an integer, not {seed!r}")
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
        """Open the databases, without changes."""
        seed = task.row.get("world")
        self.database = self._database if seed is None else database_of(seed)  # type: ignore[assignment]
        self.clock, self.reply_mark = task.clock, task.reply_mark  # type: ignore[attr-defined]
        return new_state()

    def table(self, name: str) -> Table:
        """Return the current content of a table."""
        return self.database.table(name, self.state)

    def check_state(self) -> None:
        """Check that the changed tables, rows and columns exist."""
        self.database.check(self.state)

    def grade(self) -> Grade:
        """Compare the databases with the result of the reference calls."""
        expected = self._expected()
        differing = self.database.differing(self.state, expected)
        right = not differing
        changed = bool(self.database.differing(self.state, new_state()))
        components = {
            "correct": float(right),
            **{name: float(name not in differing) for name in expected},
            "side_effects": float(changed and not right),
        }
        info = {"answer_sought": False}
        return self.less_paid(Grade(float(right), right, components, self.answer_text, info))

    def progress(self) -> float:
        """Return the share of the reference's changes that stand; 0 if it changes nothing."""
        made, expected = self.changes()
        right = (made & expected).total()
        return share_done(right, (made - expected).total(), expected.total() or 1)

    def changes(self) -> tuple[Counter[object], Counter[object]]:
        """Return the changes that stand in the databases, and those of the reference calls.

        Each is a pair of the table's name and the change. They tell what an episode left out and
        what it changed beside the request.
        """
        changes_in = self.database.changes_in
        return changes_in(self.state), changes_in(self._expected())

    def _expected(self) -> State:
        return effect_of(self.task.answer, self.database, self.clock, self.reply_mark)

    def solve(self) -> Message:
        """Make the next look-up or reference call; all remaining ones if the turns run out."""
        left: list[Call] = [*self.task.look_ups, *self.task.answer][self.turn :]
        if not left:
            return assistant("It is done.")
        fits = len(left) < self.max_turns - self.turn
        return assistant_calls(*left[:1] if fits else left)

    def guess(self, rng: random.Random) -> Message:
        """Delete a random event, then end."""
        if self.turn:
            return assistant("Done.")
        events = list(self.table("calendar_events"))
        id = choice(rng, events)["event_id"] if events else "00000001"
        return assistant_calls(("calendar_delete_event", {"event_id": id}))

    def _offered_of(self, tools: tuple[ToolSchema, ...] | None) -> tuple[ToolSchema, ...] | None:
        """Return the row's tools, or all tools, without those of excluded toolkits."""
        if self._offered_names is None:
            return tools
        known = self.toolbox().schemas() if tools is None else tools
        return tuple(
            schema for schema in known if schema["function"]["name"] in self._offered_names
        )


def _tools_of(toolkits: Sequence[str] | None) -> frozenset[str] | None:
    """Return the names of the tools in the toolkits; None for all."""
    if toolkits is None:
        return None
    if not isinstance(toolkits, (list, tuple)) or not toolkits:
        raise UsageError(f"toolkits must be a list of one or more names, not {toolkits!r}")
    for name in toolkits:
        if name not in TOOLKITS:
            hint = did_you_mean(str(name), TOOLKITS)
            raise UnknownNameError(f"there is no toolkit {name!r}{hint}")
    return frozenset(
        name for name in toolbox().tools if name.startswith(tuple(f"{kit}_" for kit in toolkits))
    )
