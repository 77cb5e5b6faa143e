"""`textgym/Contingency-v0`: requests that only the tools' results decide, graded by the state.

Invariants: in half of the tasks of each level no surprise happens; whether one happens is drawn
before the kinds of the steps and independently of them, so that the request does not reveal it.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from textgym.core.card import Card
from textgym.core.episode import Grade
from textgym.core.partial_credit import PartialCreditEnv
from textgym.envs.generation import MONTHS, choice, randint, redrawn, sample
from textgym.envs.office.base import OfficeEnv
from textgym.envs.office.contingency.desk import Desk, DeskDatabase, desk
from textgym.envs.office.contingency.desk_draft import DeskDraft
from textgym.envs.office.contingency.steps import KINDS
from textgym.envs.office.contingency.tools import DeskRun, DeskTools
from textgym.envs.office.databases import State
from textgym.envs.office.reference import (
    Call,
    OfficeTask,
    read_calls,
    read_query,
    read_tools,
    read_world,
)
from textgym.errors import RowError, ToolError
from textgym.messages import Message, assistant, assistant_calls, system, text_of, user
from textgym.tasks.task import Task

__all__ = ["CALLS_FACTOR", "LEVELS", "Contingency", "draw", "read_task"]

LEVELS = (1, 2, 3, 4, 5)
OPENINGS = ("", "", "Good morning! ", "Hello. ", "Here is what is to be done today. ")
JOINTS = ("After that,", "Next,", "When that is done,", "Then", "And then")
JOINTS_BEFORE_NAMES = JOINTS[:3]
_VERBS = ("Book", "Cancel", "Change", "Find", "Look", "Move", "Order", "Place", "Put", "Raise")
SMALL = frozenset((*_VERBS, "Booking", "Please", "Reserve", "We"))
"""The first words of the steps' texts that are not names."""
MOST_PIECES = 9  # of an order of level 0


def draw(rng: random.Random, level: int, desk: Desk) -> dict[str, Any]:
    """Draw a task with as many steps as its level says.

    Args:
        rng: The random generator.
        level: The level.
        desk: The desk.

    Returns:
        A row with `query`, `calls` (the oracle's, in order), `kinds` (of the steps) and
        `surprises` (the places of the steps in which something unexpected happens).
    """
    if level == 0:
        return _first_row(rng, desk)
    surprises = _surprises(rng, level)
    kinds = sample(rng, KINDS, level)
    draft, texts = _steps(rng, desk, kinds, surprises)
    return {
        "query": choice(rng, OPENINGS) + "\n\n".join(texts),
        "calls": [{"name": name, "arguments": arguments} for name, arguments in draft.calls],
        "kinds": kinds,
        "surprises": [place for place, happens in enumerate(surprises) if happens],
    }


def _first_row(rng: random.Random, desk: Desk) -> dict[str, Any]:
    """Draw a row of level 0: an order, with the ids of the customer and of the item."""
    customer = choice(rng, desk.rows("customers"))["customer_id"]
    plenty = [row for row in desk.rows("items") if int(row["in_stock"] or 0) >= MOST_PIECES]
    item, quantity = choice(rng, plenty)["item_id"], randint(rng, 1, MOST_PIECES)
    order = {"customer_id": customer, "item_id": item, "quantity": quantity}
    return {
        "query": f"Place an order for customer {customer}: item {item}, quantity {quantity}.",
        "calls": [{"name": "place_order", "arguments": order}],
        "kinds": [],
        "surprises": [],
        "tools": ["find_customers", "place_order", "search_items"],
    }


def _surprises(rng: random.Random, level: int) -> list[bool]:
    """Draw which steps have a surprise: none in half of the tasks, at least one in the others."""
    if rng.random() < 0.5:
        return [False] * level
    while True:
        surprises = [rng.random() < 0.5 for _ in range(level)]
        if any(surprises):
            return surprises


@redrawn
def _steps(
    rng: random.Random, desk: Desk, kinds: list[str], surprises: list[bool]
) -> tuple[DeskDraft, list[str]]:
    """Draw the steps, and return their draft and their texts."""
    draft = DeskDraft(rng, desk)
    texts: list[str] = []
    for kind, surprise in zip(kinds, surprises, strict=True):
        outcome = KINDS[kind](draft, surprise)
        texts.append(_joined(rng, outcome.text) if texts else outcome.text)
        draft.previous = outcome
    return draft, texts


def _joined(rng: random.Random, text: str) -> str:
    """Put a phrase before a text, whose first letter becomes lower-case unless it begins a name."""
    first, _, rest = text.partition(" ")
    if first in SMALL:
        return f"{choice(rng, JOINTS)} {first.lower()} {rest}"
    return f"{choice(rng, JOINTS_BEFORE_NAMES)} {text}"


CALLS_FACTOR = 3  # the maximum number of calls, as a multiple of the oracle's
_READING = ("get_booking", "list_bookings", "list_orders")
"""The tools that take the id of a customer or of a booking, and change nothing."""

_OPENING = """\
You work at the desk of a coach company, which also has a small shop. You have tools for its \
customers, departures, bookings, orders and policy documents; use them to do what you are asked, \
in the order in which it is asked, and then say in a sentence what you did. It is {day}; all \
departures are from here, and prices are in euros. Lists of bookings and the prices of departures \
are those of last night, and may have changed since. Some lists have several pages. What stands in \
brackets, such as "two (or three if ...) seats", depends on what came out of the part before it. \
Change nothing that is not asked for. Do not make more than three times as many calls as are \
needed."""
_SHORT_OPENING = """\
You work at the desk of a coach company, which also has a small shop. Use the tools to do what you \
are asked, and then say in a sentence what you did. It is {day}. Do not make more than three times \
as many calls as are needed."""
"""The system message for rows that offer few tools."""


def read_task(row: Mapping[str, Any]) -> OfficeTask:
    """Read a row.

    Raises:
        RowError: A field is missing or not valid.
    """
    query, world = read_query(row), read_world(row)
    today = desk(world).today
    day = f"{today:%A}, {today.day} {MONTHS[today.month - 1]} {today.year}"
    tools = read_tools(row, DeskRun.toolbox())
    text = _OPENING if tools is None else _SHORT_OPENING
    prompt = (system(text.format(day=day)), user(query))
    calls = read_calls(row.get("calls"), "calls", DeskRun.toolbox())
    if not calls:
        raise RowError("calls", "must be a list of one or more calls")
    return OfficeTask(row["id"], prompt, calls, tools, row, world=world)


class Contingency(OfficeEnv[State], PartialCreditEnv[State], DeskTools):
    """Carry out a request at the desk of a coach company, where surprises may happen on the way.

    ## Description
    The environment measures whether a model acts on what the tools return, or on what usually
    happens. Each step of a request has a rule for a case that may occur, and only the results of
    the tools show whether it does.

    A coach company has customers, departures, bookings, a shop with items, and orders of them, in
    five linked tables, and policy documents. The request is a chain of one to five steps. The rule
    of a step covers one of these surprises: a departure is sold out, a price has changed, the
    booking is not as it was last night, its id was replaced, an item is out of stock, an order was
    shipped, a policy allows less, or the row that the step needs is on a later page of a list. From
    the second step on, a detail of each step depends on the outcome of the step before, and orders
    may be for the trip that the step before booked.

    In half of the tasks of each level no surprise happens, and the request does not reveal whether
    one does. Desks and tasks come from a generator.

    ## Observation
    A system message with the day and the rules of the desk, and the request. After a message with
    tool calls, one tool message for each call.

    ## Action
    Assistant messages. Tool calls are executed. The first message without tool calls ends the
    episode, regardless of its text.

    ## Tools
    Seven tools look things up: find_customers, search_departures, list_bookings, get_booking,
    list_orders, search_items and read_policy. Five change something: book_seats, move_booking,
    cancel_booking, place_order and change_order.

    A call that cannot be carried out returns an error that says why, and changes nothing. Prices of
    departures and lists of bookings are as of last night. A booking or an order can only be changed
    with its present version. Lists have pages of four or five rows.

    ## Reward
    1 if the final tables are the same as after the reference calls, and the model made at most
    three times as many calls as the reference, whose look-ups count; else 0. Existing rows are
    compared by id, new rows without their ids and in any order. Reading, refused calls, changes
    that were undone, and the text of messages do not count otherwise. Components:

    - `correct`: the same as the reward
    - `departures`, `bookings`, `items`, `orders`: this table is correct
    - `side_effects`: something was changed, and not all tables are correct
    - `calls`: the limit on calls was kept

    ## Partial credit
    With `partial_credit=True`, steps also earn rewards for progress, as component `progress`. Their
    sum is always 0.5 times the progress in the present state, rounded to 1/1024. The last step adds
    the rest of 1 for a success. The verdict is the same. Three quarters of progress are for the
    reference's changes that are made, and each other change cancels a right one. A quarter is for
    its look-ups of bookings and orders by an id that the request does not state: for the share of
    them that were made, times the share of needed ones among all such look-ups that were made.
    Progress is at least 0, and 0 after more calls than are allowed. Without such look-ups in the
    reference, all of progress is for changes.

    The best policy that ignores what is requested finds the people that the request names, and
    looks up the bookings of one of them. It gets 0.02. Straight calls with guessed ids get 0.

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

    ## Episode end
    The episode terminates at the first message without tool calls. At `max_turns` it is truncated
    and graded by the current tables.

    ## Levels
    Level n has n steps, of different kinds. The reference makes 2 to 9 calls on level 1, and 14 to
    29 on level 5.

    Level 0, which is only drawn with `level=0`, offers three tools and asks for an order, with the
    ids of the customer and the item.

    ## What a score means
    Ids, versions and prices have to be looked up, so silence and guesses get 0. A model that looks
    up all that it needs, but always takes the usual course, gets at most 0.5. A model that takes
    the alternative in every step gets at most 0.5 on level 1, and less on the others. Anything
    above that comes from using what the tools return.

    ## Rows
    | field | meaning |
    | --- | --- |
    | `query` | the request |
    | `world` | the seed of the generated desk |
    | `calls` | the reference calls, look-ups included: `name`, and `arguments` |
    | `kinds` | optional, the kinds of the steps |
    | `surprises` | optional, the places of the steps with a surprise, from 0 |
    | `tools` | optional, the names of the tools that are offered; all by default |

    Args:
        worlds: The number of different desks in the generated tasks of a split; None for a new one
            at each index. No desk is in two splits.
        max_turns: The maximum number of assistant messages; 120 by default.
        partial_credit: Whether steps earn rewards for progress; False by default.
        **kwargs: `dataset`, `split`, `level` and `render_mode` of `TextEnv`.

    Raises:
        UsageError: `worlds` is less than 1.

    Example:
        >>> import gymnasium, textgym
        >>> from textgym.messages import assistant_calls
        >>> env = gymnasium.make("textgym/Contingency-v0")
        >>> look = {"name": "search_items", "arguments": {"name": "plain flask"}}
        >>> order = {"customer_id": "2011", "item_id": "278", "quantity": 2}
        >>> row = {"query": "Order two plain flasks for Ruth Marsh.", "world": 7,
        ...        "calls": [look, {"name": "place_order", "arguments": order}]}
        >>> observation, info = env.reset(options={"task": row})
        >>> observation, *_ = env.step(assistant_calls(("place_order", order)))
        >>> observation[-1]["content"]
        '{"order_id": "2005035"}'
        >>> observation, reward, terminated, truncated, info = env.step("They are ordered.")
        >>> reward, info["reward_components"]["orders"]
        (1.0, 1.0)
        >>> # An order of three loses.
        >>> observation, info = env.reset(options={"task": row})
        >>> observation, *_ = env.step(assistant_calls(("place_order", {**order, "quantity": 3})))
        >>> observation, reward, terminated, truncated, info = env.step("They are ordered.")
        >>> reward, info["reward_components"]["orders"], info["reward_components"]["side_effects"]
        (0.0, 0.0, 1.0)

    ## Version history
    - v0: first version.
    """

    card = Card(
        id="textgym/Contingency-v0",
        summary="Carry out requests at a coach company's desk whose course the tools' results "
        "decide.",
        structure=("multi-step",),
        capabilities=("information dependency", "tool use", "planning"),
        domain=("travel",),
        task_type="tool use",
        verification=("state",),
        levels=LEVELS,
        first_rung=True,
        data="generated, .jsonl, .parquet, .csv, hub",
        notes="Reading all that is needed, and taking the usual course where a surprise happens, "
        "gets 0.5.",
    )

    max_turns = 120

    def draw(self, rng: random.Random, level: int, world: int) -> dict[str, Any]:
        """Draw a request at a desk."""
        return draw(rng, level, desk(world))

    def read_row(self, row: dict[str, Any]) -> Task:
        """Read a row."""
        return read_task(row)

    def begin(self, task: Task) -> State:
        """Open the desk, without changes."""
        assert isinstance(task, OfficeTask)
        assert task.world is not None
        self.desk = desk(task.world)
        self.database = self.desk.database
        return DeskDatabase.new_state()

    def edits(self) -> State:
        """Return what the episode changed at the desk."""
        return self.state

    def effect(self, calls: Sequence[Call]) -> State:
        """Return what some calls change at the desk."""
        return DeskRun(self.desk).make(calls)

    def grade(self) -> Grade:
        """Compare the tables with the result of the reference calls, and count the calls."""
        differing = self.differing(self.task.answer)
        calls = sum(len(reply.get("tool_calls") or ()) for reply in self.replies)
        fits = calls <= CALLS_FACTOR * len(self.task.answer)
        right = not differing and fits
        components = {
            "correct": float(right),
            **self.table_components(differing),
            "calls": float(fits),
        }
        info = {"answer_sought": False}
        return self.less_paid(Grade(float(right), right, components, self.answer_text, info))

    def progress(self) -> float:
        """Return the share of the changes and look-ups that are done; 0 after too many calls."""
        expected_calls, request = self.task.answer, text_of(self.task.messages[-1])
        calls = [
            (call["function"]["name"], call["function"].get("arguments"))
            for reply in self.replies
            for call in reply.get("tool_calls") or ()
        ]
        if len(calls) > CALLS_FACTOR * len(expected_calls):
            return 0.0
        changes_in = self.database.changes_in
        made, expected = changes_in(self.state), changes_in(self.effect(expected_calls))
        right, wrong = (made & expected).total(), (made - expected).total()
        changed = (right - wrong) / (expected.total() or 1)
        needed, read = _reads(expected_calls, request), _reads(calls, request)
        if not needed:
            return max(0.0, changed)
        hits = len(needed & read)
        looked_up = hits / len(needed) * hits / (len(read) or 1)
        return max(0.0, (3 * changed + looked_up) / 4)

    def guess(self, rng: random.Random) -> Message:
        """Order something for somebody without looking anything up, then end."""
        if self.turn:
            return assistant("Done.")
        customer, item = str(randint(rng, 2000, 2999)), str(randint(rng, 200, 599))
        quantity = choice(rng, (2, 3, 4))
        order = {"customer_id": customer, "item_id": item, "quantity": quantity}
        return assistant_calls(("place_order", order))


def _reads(calls: Iterable[tuple[str, Any]], request: str) -> set[tuple[str, str, int]]:
    """Return the look-ups with an id that the request does not state: tool, id and page."""
    reads = set()
    for name, arguments in calls:
        if name in _READING:
            try:
                values = DeskRun.toolbox().tools[name].read_arguments(arguments)
            except ToolError:
                continue
            id = values.get("booking_id") or values.get("customer_id", "")
            if id not in request:
                reads.add((name, id, values.get("page", 1)))
    return reads
