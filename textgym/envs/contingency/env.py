"""`textgym/Contingency-v0`: requests that only the tools' results decide, graded by the state."""

from __future__ import annotations

import random
from typing import Any

from textgym.core.card import Card
from textgym.core.episode import Grade
from textgym.core.text_env import TextEnv
from textgym.envs.contingency.drawing import LEVELS, draw
from textgym.envs.contingency.reference import effect_of
from textgym.envs.contingency.rows import CALLS_FACTOR, ContingencyTask, read_task
from textgym.envs.contingency.tools import DeskTools
from textgym.envs.contingency.world import DeskDatabase, desk
from textgym.envs.databases import State, Table
from textgym.envs.drawing import choice, randint
from textgym.envs.worlds import check_worlds, draw_world
from textgym.messages import Message, assistant, assistant_calls
from textgym.tasks.task import Task

__all__ = ["Contingency"]


class Contingency(DeskTools, TextEnv[State]):
    """Carry out a request at the desk of a coach company, where surprises may happen on the way.

    ## Description
    A coach company has customers, departures, bookings, a shop with items, and orders of them, in
    five linked tables, and policy documents. The request is a chain of one to five steps. Each step
    has a rule for something that may happen, which only shows in what the tools return: a departure
    is sold out, a price has changed, the booking is not as it was last night, its id was replaced,
    an item is out of stock, an order was shipped, a policy allows less, or what is looked for
    stands on a later page of a list. From the second step on, a detail of each step depends on what
    came out of the step before, and orders may be for the trip that the step before booked.

    In half of the tasks of each level no surprise happens, and nothing in the request tells whether
    one does. Desks and tasks come from a generator.

    ## Observation
    A system message with the day and the rules of the desk, and the request. After a message with
    tool calls, one tool message for each call.

    ## Action
    Assistant messages. Tool calls are executed. The first message without tool calls ends the
    episode, whatever its text.

    ## Tools
    Seven tools look things up: find_customers, search_departures, list_bookings, get_booking,
    list_orders, search_items and read_policy. Five change something: book_seats, move_booking,
    cancel_booking, place_order and change_order.

    A call that cannot be carried out returns an error that says why, and changes nothing. Prices of
    departures and lists of bookings are those of last night. A booking or an order can only be
    changed with the version that it has now. Lists have pages of four or five rows.

    ## Reward
    1 if the final tables are the same as after the reference calls, and the model made at most
    three times as many calls as the reference, which includes what the reference looks up; else 0.
    Existing rows are compared by id, new rows without their ids and in any order. Reading, refused
    calls, changes that were undone, and the text of messages do not count otherwise. Components:

    - `correct`: the same as the reward
    - `departures`, `bookings`, `items`, `orders`: this table is correct
    - `side_effects`: something was changed, and not all tables are correct
    - `calls`: the limit on calls was kept

    ## Info
    After the last step, `extracted_answer` is the text of the last message, and `answer_sought` is
    False, because the state is graded.

    ## Episode end
    The episode terminates at the first message without tool calls. At `max_turns` it is truncated
    and graded by the current tables.

    ## Levels
    Level n has n steps, of different kinds. The reference makes 2 to 9 calls on level 1, and 14 to
    29 on level 5.

    ## What a score means
    Ids, versions and prices have to be looked up, so silence and guesses get 0. A model that looks
    up all that it needs, but always takes the usual course, gets at most 0.5; one that takes the
    alternative in every step gets at most 0.5 on level 1 and less on the others. What is above is
    due to the use of what the tools return.

    ## Rows
    | field | meaning |
    | --- | --- |
    | `query` | the request |
    | `world` | the seed of the generated desk |
    | `calls` | the reference calls, look-ups included: `name`, and `arguments` |
    | `kinds` | optional, the kinds of the steps |
    | `surprises` | optional, the places of the steps with a surprise, from 0 |

    Args:
        worlds: The number of different desks in the generated tasks of a split; None for a new one
            at each index. No desk is in two splits.
        max_turns: The maximum number of assistant messages; 120 by default.
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
        data="generated, .jsonl, .parquet, hub",
        notes="Reading all that is needed, and taking the usual course where a surprise happens, "
        "gets 0.5.",
    )

    task: ContingencyTask
    max_turns = 120

    def __init__(self, *, worlds: int | None = 16, **kwargs: Any) -> None:
        check_worlds(worlds)
        self.worlds = worlds
        super().__init__(**kwargs)

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        """Draw a desk of the split, and a request at it."""
        seed = draw_world(rng, self.split, self.worlds)
        return {**draw(rng, level, desk(seed)), "world": seed}

    def canonical(self, row: dict[str, Any]) -> Any:
        """Return the desk, because all its tasks belong to one split."""
        return {"world": row["world"]}

    def read_row(self, row: dict[str, Any]) -> Task:
        """Read a row."""
        return read_task(row)

    def begin(self, task: Task) -> State:
        """Open the desk, without changes."""
        assert isinstance(task, ContingencyTask)
        self.desk = desk(task.world)
        return DeskDatabase.new_state()

    def table(self, name: str) -> Table:
        """Return the current content of a table."""
        return self.desk.database.table(name, self.state)

    def check_state(self) -> None:
        """Check that the changed tables, rows and columns exist."""
        self.desk.database.check(self.state)

    def grade(self) -> Grade:
        """Compare the tables with the result of the reference calls, and count the calls."""
        database = self.desk.database
        differing = database.differing(self.state, effect_of(self.task.answer, self.desk))
        is_changed = bool(database.differing(self.state, DeskDatabase.new_state()))
        fits = self._calls_made() <= CALLS_FACTOR * len(self.task.answer)
        right = not differing and fits
        components = {
            "correct": float(right),
            **{name: float(name not in differing) for name in database.changeable},
            "side_effects": float(is_changed and bool(differing)),
            "calls": float(fits),
        }
        info = {"answer_sought": False}
        return Grade(float(right), right, components, self.answer_text, info)

    def _calls_made(self) -> int:
        """Return how many calls the model made, those that were refused included."""
        return sum(len(reply.get("tool_calls") or ()) for reply in self.replies)

    def solve(self) -> Message:
        """Make the next call of the reference, or all remaining ones if the turns run out."""
        left = self.task.answer[self.turn :]
        if not left:
            return assistant("It is done.")
        fits = len(left) < self.max_turns - self.turn
        return assistant_calls(*left[:1] if fits else left)

    def guess(self, rng: random.Random) -> Message:
        """Order something for somebody without looking anything up, then end."""
        if self.turn:
            return assistant("Done.")
        customer, item = str(randint(rng, 2000, 2999)), str(randint(rng, 200, 599))
        quantity = choice(rng, (2, 3, 4))
        order = {"customer_id": customer, "item_id": item, "quantity": quantity}
        return assistant_calls(("place_order", order))
