"""`textgym/WorkplaceAssistant-v0`: office requests, graded by the final state of databases.

Rows have textgym's own fields or NeMo Gym's.
"""

from __future__ import annotations

import os
import random
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from textgym.core.card import Card
from textgym.core.episode import Grade
from textgym.core.partial_credit import PartialCreditEnv, share_done
from textgym.envs.office.base import CompanyEnv
from textgym.envs.office.company.database import State, database_of, new_state, read_database
from textgym.envs.office.company.reference import (
    SHORT_OPENING,
    CompanyRun,
    company_calls,
    company_tools,
    opening,
    read_clock,
)
from textgym.envs.office.company.toolkits import TOOLKITS
from textgym.envs.office.company.world import company
from textgym.envs.office.reference import OfficeTask, read_query
from textgym.envs.office.workplace.templates import LEVELS, draw
from textgym.errors import RowError, UnknownNameError, UsageError, did_you_mean
from textgym.messages import Message
from textgym.tasks import nemo_rows
from textgym.tasks.named import is_dataset_name
from textgym.tasks.task import Task
from textgym.verifiers.state import read_instant

__all__ = ["WORKBENCH_CLOCK", "WorkplaceAssistant", "WorkplaceTask", "read_task"]

WORKBENCH_CLOCK = "2023-11-30 23:59:00"
NEMO_GYM_REPLY_MARK = "RE: "
_OPENING = """\
You are an assistant in an office. You have tools for e-mail, the calendar, the analytics of the \
company's site, project management and customers; use them to do what the user asks, and then say \
in a sentence what you did. It is {day}, {clock}. Meetings begin at 9:00 at the earliest and end \
at 18:00 at the latest."""
_CLOCK = re.compile(r"(\d{4}-\d{2}-\d{2})\D{1,40}?(\d{2}:\d{2}(?::\d{2})?)")


@dataclass(frozen=True, slots=True)
class WorkplaceTask(OfficeTask):
    """A task of `WorkplaceAssistant`.

    Attributes:
        reply_mark: The prefix of a reply's subject.
    """

    reply_mark: str = ""


def read_task(row: Mapping[str, Any]) -> WorkplaceTask:
    """Read one of textgym's flat rows, or one of NeMo Gym's.

    Raises:
        RowError: A field is missing or not valid.
    """
    prompt: Sequence[Message]
    if nemo_rows.has_prompt(row):
        prompt, tools = nemo_rows.prompt_of(row), nemo_rows.tools_of(row)
        clock, reply_mark = clock_in(prompt), NEMO_GYM_REPLY_MARK
    else:
        clock, reply_mark, tools = read_clock(row), "", company_tools(row)
        text = _OPENING if tools is None else SHORT_OPENING
        prompt = opening(text, clock, read_query(row))
    world = row.get("world")
    if world is not None and type(world) is not int:
        raise RowError("world", f"must be an integer, not {world!r}")
    return WorkplaceTask(
        row["id"],
        tuple(prompt),
        company_calls(row, "ground_truth"),
        tools,
        row,
        world=world,
        clock=clock,
        look_ups=tuple(company_calls(row, "look_ups", optional=True)),
        reply_mark=reply_mark,
    )


def clock_in(prompt: Sequence[Message]) -> str:
    """Return the time that a prompt states, or WorkBench's time.

    Example:
        >>> clock_in([{"role": "system", "content": "It is 2024-01-08, at 08:30."}])
        '2024-01-08 08:30:00'
    """
    for message in prompt:
        content = message.get("content")
        match = _CLOCK.search(content) if isinstance(content, str) else None
        if match and (instant := read_instant(f"{match[1]} {match[2]}")):
            return instant.isoformat(" ", "seconds")
    return WORKBENCH_CLOCK


MAX_DRAWS = 500  # attempts to draw a task that needs only the offered tools


class WorkplaceAssistant(CompanyEnv[State], PartialCreditEnv[State]):
    """Carry out an office request with tools that read and change databases.

    ## Description
    The environment measures whether a model gets a routine office job exactly right with many
    tools: it has to look up what the request leaves open, make all the changes and make no others.
    The final state of the databases is graded, because a reply such as "Done" proves nothing.

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
    episode, regardless of its text.

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
    2025` and `21.05.2025`. A date that has no year or does not exist is an error, and so are an
    unknown status or board and a name in place of an address. Searches look for plain text and
    ignore case. Searches for e-mails, events and customers return pages of 5 results by default.

    ## Reward
    1 if the final databases are the same as after the reference calls, else 0. Existing rows are
    compared by id. New rows are compared without their ids and in any order. The format of times
    and phone numbers is ignored; case matters only in `status`, `list_name` and `board`. Reading,
    changes that were undone, and the text of messages do not count. Components:

    - `correct`: the same as the reward
    - `emails`, `calendar_events`, `plots`, `project_tasks`, `customers`: this table is correct
    - `side_effects`: something was changed, and the reward is 0

    ## Partial credit
    With `partial_credit=True`, steps also earn a reward for progress, as component `progress`. The
    sum of these rewards is always 0.5 times the progress in the present state, to 1/1024. So a step
    earns the difference that it makes, and undoing a change costs what it earned. The last step
    earns the rest of 1 for a success. `is_success` does not change. Progress is the number of the
    reference's changes that are in the databases, less the number of other changes, divided by the
    number of the reference's changes, and at least 0. A changed cell, a deleted row and a new row
    are one change each. If the reference changes nothing, only the last step earns a reward.

    Calls with values from the request, deleting or updating all rows that it may be about, and
    drawing every plot get at most 0.001 more on average than without partial credit.

    ## Info
    | key | set by | meaning |
    | --- | --- | --- |
    | `task_id` | all | the task, such as `test-2-17` |
    | `tools` | `reset` | the schemas of the offered tools |
    | `reward_components` | the last step | the components above |
    | `is_success` | the last step | whether the databases are right |
    | `extracted_answer` | the last step | the text of the last message |
    | `answer_sought` | the last step | False, because the state is graded, not the text |
    | `verdict_reason` | the last step | why the reward is below 1, such as `wrong`; else empty |
    | `stop_reason` | the last step | what ended the episode, such as `answer` or `max_turns` |

    `extracted_answer` is empty if the last message has only tool calls. With `partial_credit`,
    `reward_components` is also set by steps that make a difference.

    ## Episode end
    The episode terminates at the first message without tool calls. At `max_turns` it is truncated
    and graded by the current databases.

    ## Levels
    A generated task belongs to a generated company and takes place on a morning before work. The
    tools reveal everything that is needed, and every request is unambiguous. There are about 100
    templates for one or several domains, each with several phrasings. Most requests about a mail
    state its subject and its place in the thread, its day or a person; any mail may be meant.

    Level 0, which is only drawn with `level=0`, offers three tools and asks to send a short mail
    to an address.

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
    | `tools` | optional, the names of the tools that are offered; all by default |
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
        partial_credit: Whether steps earn a reward for progress; False by default.
        **kwargs: `dataset`, `split`, `level` and `render_mode` of `TextEnv`.

    Raises:
        UsageError: `toolkits` is empty or contains an unknown name, `worlds` is less than 1, or a
            data set with a name lacks its `database`. Later, when a task is drawn: no task of the
            level can be solved with the toolkits.
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
        >>> # A mail with another text loses, even if the reply claims success.
        >>> observation, info = env.reset(options={"task": row})
        >>> call = assistant_calls(("email_send_email", {**mail, "body": "Lunch at noon?"}))
        >>> observation, *_ = env.step(call)
        >>> observation, reward, terminated, truncated, info = env.step("It is on its way.")
        >>> reward, info["reward_components"]["emails"], info["reward_components"]["side_effects"]
        (0.0, 0.0, 1.0)

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
        first_rung=True,
        chance=0.016,
        data="generated, .jsonl, .parquet, .csv, hub; NeMo Gym workplace_assistant, "
        "WorkBench's queries",
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
        **kwargs: Any,
    ) -> None:
        if database is not None and not isinstance(database, (str, os.PathLike)):
            raise UsageError(f"database must be the path of a folder, not {database!r}")
        dataset = kwargs.get("dataset")
        if database is None and is_dataset_name(dataset):
            raise UsageError(
                f"data set {dataset!r} needs WorkBench's databases: pass their folder, as in "
                f"textgym eval {dataset} --set database=FOLDER, or database= in Python"
            )
        self._offered_names = _tools_of(toolkits)
        self._folder = "" if database is None else os.fspath(database)
        self._workbench = read_database(self._folder) if database is not None else None
        super().__init__(**kwargs)

    @property
    def data_digests(self) -> dict[str, str]:
        """The digests of the data set and of the databases, see `TextEnv.data_digests`."""
        if self._workbench is None:
            return super().data_digests
        return {**super().data_digests, self._folder: self._workbench.digest}

    def draw(self, rng: random.Random, level: int, world: int) -> dict[str, Any]:
        """Draw a task that can be solved with the offered tools."""
        run = CompanyRun.at(world)
        for _ in range(MAX_DRAWS):
            row = draw(rng, level, company(world), run.call)
            names = {call["name"] for call in (*row["look_ups"], *row["ground_truth"])}
            if self._offered_names is None or names <= self._offered_names:
                return row
        raise UsageError(
            f"no generated task of level {level} can be solved with only these toolkits"
        )

    def read_row(self, row: dict[str, Any]) -> Task:
        """Read one of textgym's flat rows, or one of NeMo Gym's."""
        task = read_task(row)
        if task.world is None and self._workbench is None:
            raise RowError("world", "is missing, and there is no database=FOLDER")
        if self._offered_names is None:
            return task
        schemas = self.toolbox().schemas() if task.tools is None else task.tools
        offered = [s for s in schemas if s["function"]["name"] in self._offered_names]
        return replace(task, tools=tuple(offered))

    def begin(self, task: Task) -> State:
        """Open the databases, without changes."""
        assert isinstance(task, WorkplaceTask)
        database = self._workbench if task.world is None else database_of(task.world)
        assert database is not None
        self.database, self.clock, self.reply_mark = database, task.clock, task.reply_mark
        return new_state()

    def edits(self) -> State:
        """Return what the episode changed in the databases."""
        return self.state

    def grade(self) -> Grade:
        """Compare the databases with the result of the reference calls."""
        differing = self.differing(self.task.answer)
        right = not differing
        components = {"correct": float(right), **self.table_components(differing)}
        info = {"answer_sought": False}
        return self.less_paid(Grade(float(right), right, components, self.answer_text, info))

    def progress(self) -> float:
        """Return the share of the reference's changes that are made; 0 if it changes nothing."""
        made, expected = self.changes()
        right = (made & expected).total()
        return share_done(right, (made - expected).total(), expected.total() or 1)

    def changes(self) -> tuple[Counter[object], Counter[object]]:
        """Return the changes in the databases, and the changes that the reference calls make.

        Each is a pair of the table's name and the change. They show what an episode left out and
        what it changed beyond the request.
        """
        changes_in = self.database.changes_in
        return changes_in(self.state), changes_in(self.effect(self.task.answer))


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
    prefixes = tuple(f"{name}_" for name in toolkits)
    return frozenset(name for name in CompanyRun.toolbox().tools if name.startswith(prefixes))
