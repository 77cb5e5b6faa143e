"""`textgym/AskFirst-v0`: office requests in which something may be missing, and a user to ask."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

from textgym.cards import Card
from textgym.env import TextEnv
from textgym.envs.ask_first.drawing import LEVELS, draw
from textgym.envs.ask_first.rows import AskFirstTask, read_task
from textgym.envs.drawing import choice
from textgym.envs.workplace.companies import database_of
from textgym.envs.workplace.database import State, Table, new_state
from textgym.envs.workplace.reference import ReferenceRun, effect_of
from textgym.envs.workplace.toolkits import Tools
from textgym.envs.workplace.world import company
from textgym.envs.worlds import check_worlds, draw_world
from textgym.messages import Message, assistant, assistant_calls, text_of, user
from textgym.rewards import Grade
from textgym.tasks.task import Task

__all__ = ["AskFirst"]


@dataclass
class AskFirstState:
    """The state of an episode.

    Attributes:
        changes: What the episode changed in the databases.
        memory: What the user remembers of the conversation.
        acted_early: Whether something was changed before the last needed answer.
    """

    changes: State
    memory: Memory
    acted_early: bool = False


class AskFirst(Tools, TextEnv[AskFirstState]):
    """Carry out an office request, and first ask the user for what is missing.

    ## Description
    The companies, databases and tools are those of `textgym/WorkplaceAssistant-v0`. The user
    requests one or two changes. In half of the tasks, one or two details are missing that only the
    user knows, such as the day of a meeting. The model has to ask for them before it changes
    anything, and for nothing else. In 40 % of the tasks the request is complete, and in 10 % it
    cannot be carried out, because something or somebody in it does not exist: then the model has to
    say so and to change nothing.

    The user is scripted by default: `textgym.users.ScriptedUser` answers questions in free wording,
    one or several at a time, with the same words in every process.

    ## Observation
    A system message with the date and time, which does not advance, and with the details that each
    kind of request needs; the user's request; the user's answers; and one tool message for each
    call.

    ## Action
    Assistant messages. Tool calls are executed; a text beside them is not heard by the user. A
    message without calls is a question to the user, or ends the episode.

    ## Tools
    The 27 tools of `textgym/WorkplaceAssistant-v0`.

    ## Reward
    1, less 0.1 for each needless question and at least 0, if the final state is right; else 0. The
    state is right if

    - the databases are the same as after the reference calls, compared as in
      `textgym/WorkplaceAssistant-v0`;
    - every missing detail was asked for, and nothing stood changed when the last of them was told;
    - in a request that cannot be carried out, the last message says so.

    A question is needless if it is about a detail that the request told or that no request needs,
    if it was answered before, or if it is not clear what it is about. "Is there anything else?" is
    no question. Components:

    - `state`: 1 if the state is right
    - `asked_needed`: the share of the missing details that were asked for; 1 if none was missing
    - `asked_needless`: the number of needless questions

    ## Info
    After the last step, `extracted_answer` is the text of the last message, and `answer_sought` is
    False, because the state is graded. {user_usage}

    ## Episode end
    The episode terminates at the first message without calls that asks nothing, and when the user
    loses patience after too many needless questions. At `max_turns` it is truncated and graded by
    the current databases.

    ## Levels
    1. one request, at most one missing detail
    2. one request, at most two missing details
    3. two requests, together with at most two missing details

    A detail that is missing has at least eight values, all equally likely.

    ## What a score means
    ...

    ## Rows
    | field | meaning |
    | --- | --- |
    | `query` | the request |
    | `now` | the date and time, such as `2025-03-04 08:30:00` |
    | `world` | the seed of the generated company |
    | `ground_truth` | the reference calls: `name`, and `arguments` as a JSON string or an object |
    | `facts` | what the user knows, by the names of slots of `textgym.users.SLOTS` |
    | `missing` | the slots that the request leaves out |
    | `possible` | optional, whether the request can be carried out |
    | `look_ups` | optional, calls that the oracle makes first |

    Args:
        user: A model that speaks as the user, instead of the script: a policy or its spec, such as
            `openai:MODEL@BASE_URL`, a function from messages to text, or its place, as
            `module:function`. What is asked is still recognised by the script.
        worlds: The number of different companies in the generated tasks of a split; None for a new
            one at each index. No company is in two splits.
        max_turns: The maximum number of assistant messages; 30 by default.
        **kwargs: `dataset`, `split`, `level` and `render_mode` of `TextEnv`.

    Raises:
        UsageError: `worlds` is less than 1, or `user` is not valid.
        EnvironmentFailure: By `step`: the model that speaks as the user gave no reply.

    Example:
        ...

    ## Version history
    - v0: first version.
    """

    card = Card(
        id="textgym/AskFirst-v0",
        summary="Carry out office requests, and ask the user for what they leave out.",
        structure=("multi-step", "multi-turn"),
        capabilities=("proactive asking", "tool use"),
        domain=("office work",),
        task_type="tool use",
        verification=("state",),
        levels=LEVELS,
        chance=0.1,
        data="generated, .jsonl, .parquet, hub",
        notes="One request in ten cannot be carried out, so always saying so gets 0.1.",
    )

    task: AskFirstTask
    max_turns = 30

    def __init__(
        self, *, user: UserLike | None = None, worlds: int | None = 16, **kwargs: Any
    ) -> None:
        check_worlds(worlds)
        self.worlds = worlds
        self._policy_user = None if user is None else PolicyUser(user, "AskFirst")
        self.blocking = user is not None
        super().__init__(**kwargs)

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        """Draw a company of the split, and requests in it."""
        seed = draw_world(rng, self.split, self.worlds)
        employer = company(seed)
        tools = ReferenceRun(database_of(seed), str(employer.now))

        def call(name: str, /, **arguments: Any) -> Any:
            return getattr(tools, name)(**arguments)

        return {**draw(rng, level, employer, call), "world": seed}

    def canonical(self, row: dict[str, Any]) -> Any:
        """Return the company, because all its tasks belong to one split."""
        return {"world": row["world"]}

    def read_row(self, row: dict[str, Any]) -> Task:
        """Read a row."""
        return read_task(row)

    def begin(self, task: Task) -> AskFirstState:
        """Open the databases, without changes; the user remembers nothing."""
        self.database, self.clock = database_of(task.world), task.clock  # type: ignore[attr-defined]
        ...

    def table(self, name: str) -> Table:
        """Return the current content of a table."""
        return self.database.table(name, self.state.changes)

    def check_state(self) -> None:
        """Check that the changed tables, rows and columns exist."""
        self.database.check(self.state.changes)
