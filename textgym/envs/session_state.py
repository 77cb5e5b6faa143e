"""`textgym/SessionState-v0`: a counter that only tools can read and change."""

from __future__ import annotations

import random
from typing import Annotated, Any

from annotated_types import Interval
from typing_extensions import TypedDict

from textgym.core.card import Card
from textgym.core.episode import Grade
from textgym.core.partial_credit import PartialCreditEnv
from textgym.envs.generation import choice, randbelow, randint, sample
from textgym.errors import RowError, ToolError
from textgym.messages import Message, assistant, assistant_calls, user
from textgym.tasks import nemo_rows
from textgym.tasks.task import Task
from textgym.tools import tool

__all__ = ["SessionState"]

MAX_COUNT = 10**18  # far beyond any task, and within the range of every JSON parser
_STEPS = {1: 2, 2: 4, 3: 6, 4: 3, 5: 5}
MAX_SUMMAND = 99
_FIRST_REQUESTS = (
    "Add {}.", "Add {} to it.", "Add {} to the counter.", "Please add {}.", "Increase it by {}.",
    "Raise it by {}.",
)  # fmt: skip
"""The requests of level 0."""
MAX_FIRST_SUMMAND = 999
_OPENING = "There is a counter that you can read and change with your tools alone."


class Counter(TypedDict):
    """The state of an episode: the value of the counter."""

    count: Annotated[int, Interval(ge=-MAX_COUNT, le=MAX_COUNT)]


class SessionState(PartialCreditEnv[Counter]):
    """Change a counter as the user asks, with tools that keep its value during the episode.

    It measures whether a model reads and changes a state that it reaches only through tools. The
    final state is graded, not what the model says about it.

    ## Description
    The prompt does not state the initial value of the counter. The user asks for several changes;
    the model makes them with `increment_counter` and then ends the episode with a message. NeMo
    Gym's `example_session_state_mgmt` rows are supported.

    ## Observation
    A user message with the requested changes. NeMo Gym rows contain their own prompt. After a
    message with tool calls, one tool message for each call.

    ## Action
    Assistant messages. Tool calls are executed. The first message without tool calls ends the
    episode, regardless of its text.

    ## Tools
    - `increment_counter(count)` adds an integer, which may be negative, and returns
      `{"success": true}`. Anything else is rejected and changes nothing.
    - `get_counter_value()` returns `{"count": 42}`.

    ## Reward
    1 if the final value of the counter is `expected_count`, else 0. The text of messages is not
    graded. Component: `correct`.

    ## Info
    | key | meaning |
    | --- | --- |
    | `task_id` | the id of the task; in every info |
    | `tools` | after reset, `increment_counter` and `get_counter_value` |
    | `stop_reason` | after the last step, as all below: `answer`, or `max_turns` if truncated |
    | `is_success` | whether the counter has the expected value |
    | `extracted_answer` | the final value as a string |
    | `reward_components` | the components above |
    | `verdict_reason` | why the reward is not full, such as `wrong`; `""` if it is |
    | `answer_sought` | always False, because the state is graded |
    | `final_count` | the final value, an integer |

    ## Partial credit
    With `partial_credit=True`, steps also earn rewards for progress, as component `progress`. Their
    sum is always 0.25 times the progress in the present state, rounded to 1/1024, so undoing
    progress costs what it earned. The last step adds the rest of 1 for a success. The verdict is
    the same. Progress is i/n if the counter has the value that it must have after the first i of
    the n changes, and not its initial value; else 0. Rows without `values` have only the final one.

    Adding the first number of the request gets 0.04 on average, and 0.125 on level 1, where it is
    half of the task. Policies that ignore the request get at most 0.01 more than without partial
    credit.

    ## Episode end
    The episode terminates at the first message without tool calls. At `max_turns` it is truncated
    and graded by the current value.

    ## Levels
    - 0: one addition, such as "Add 5."; only drawn with `level=0`

    1. two additions
    2. four additions and subtractions
    3. six additions and subtractions of numbers that must be computed, such as "3 times 14"
    4. three changes; at least one of them is to double the counter, so its value must be read
    5. five changes; at least one of them depends on the value of the counter: doubling it, raising
       it to the next multiple of a number, or a change that depends on whether it is even or odd

    ## Rows
    | field | meaning |
    | --- | --- |
    | `request` | the user's request |
    | `initial_count` | the initial value |
    | `expected_count` | the final value; never the initial value in generated rows |
    | `values` | optional, the value after each change; the last one is `expected_count` |
    | `responses_create_params.input` | NeMo Gym's prompt, in place of `request` |

    Args:
        max_turns: The maximum number of assistant messages; 20 by default.
        partial_credit: Whether steps earn rewards for progress; False by default.
        **kwargs: `dataset`, `split`, `level` and `render_mode` of `TextEnv`.

    Example:
        >>> import gymnasium, textgym
        >>> from textgym.messages import assistant_calls
        >>> env = gymnasium.make("textgym/SessionState-v0")
        >>> row = {"request": "Add 4.", "initial_count": 3, "expected_count": 7}
        >>> observation, info = env.reset(options={"task": row})
        >>> call = assistant_calls(("increment_counter", {"count": 4}))
        >>> observation, reward, terminated, truncated, info = env.step(call)
        >>> observation[-1]["content"]
        '{"success": true}'
        >>> observation, reward, terminated, truncated, info = env.step("Done.")
        >>> reward, info["final_count"]
        (1.0, 7)
        >>> observation, info = env.reset(options={"task": row})
        >>> env.step("The counter holds 7.")[1]
        0.0

    ## Version history
    - v0: first version.
    """

    card = Card(
        id="textgym/SessionState-v0",
        summary="Change a counter as requested, with stateful tools.",
        structure=("multi-step",),
        capabilities=("tool use", "calculation"),
        domain=("general",),
        task_type="tool use",
        verification=("state",),
        levels=tuple(_STEPS),
        first_rung=True,
        first_rung_chance=0.5,
        chance=0.005,
        data="generated, .jsonl, .parquet, .csv, hub; NeMo Gym example_session_state_mgmt rows",
        notes="The request of level 0 contains one number. Calling each tool with a random one of "
        "the prompt's values, with 1 and 1.0 among them, adds it in half of the tasks.",
    )

    credit = 0.25

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        """Draw an initial value, and changes that result in a different one."""
        initial = randint(rng, 1, 59)
        if level == 0:
            return _first_row(rng, initial)
        values, phrases = [initial], [""]
        while values[-1] == initial:
            values, phrases = _draw_changes(rng, level, initial)
        request = "; then ".join(phrases)
        request = f"{request[0].upper()}{request[1:]}. Then tell me what it holds."
        return {
            "request": request,
            "initial_count": initial,
            "expected_count": values[-1],
            "values": values,
        }

    def canonical(self, row: dict[str, Any]) -> Any:
        """Return the request. Tasks that differ only in the initial value are the same task."""
        return row["request"]

    def read_row(self, row: dict[str, Any]) -> Task:
        """Read one of textgym's flat rows, or one of NeMo Gym's."""
        for field in ("initial_count", "expected_count"):
            value = row.get(field)
            if type(value) is not int or abs(value) > MAX_COUNT:
                raise RowError(field, f"must be an integer of at most 18 digits, not {value!r}")
        if "values" in row:
            _check_values(row["values"], row["expected_count"])
        if nemo_rows.has_prompt(row):
            prompt, tools = nemo_rows.prompt_of(row), nemo_rows.tools_of(row)
        else:
            request = row.get("request")
            if not isinstance(request, str) or not request.strip():
                raise RowError("request", "is missing or empty")
            prompt, tools = [user(f"{_OPENING} {request}")], None
        return Task(row["id"], tuple(prompt), row["expected_count"], tools, row)

    def begin(self, task: Task) -> Counter:
        """Return the initial value of the counter."""
        return {"count": task.row["initial_count"]}

    @tool
    def increment_counter(self, count: int) -> dict[str, bool]:
        """Add an integer to the counter.

        Args:
            count: The number to add; a negative number is subtracted.
        """
        after = self.state["count"] + count
        if abs(after) > MAX_COUNT:
            raise ToolError("the counter cannot exceed 18 digits; it was not changed")
        self.state["count"] = after
        return {"success": True}

    @tool
    def get_counter_value(self) -> dict[str, int]:
        """Read the counter."""
        return {"count": self.state["count"]}

    def grade(self) -> Grade:
        """Compare the counter with the expected value."""
        count = self.state["count"]
        right = count == self.task.answer
        info = {"final_count": count, "answer_sought": False}
        grade = Grade(float(right), right, {"correct": float(right)}, str(count), info)
        return self.less_paid(grade)

    def progress(self) -> float:
        """Return the share of all changes that lead to the current value."""
        count, values = self.state["count"], self.task.row.get("values") or [self.task.answer]
        if count == self.task.row["initial_count"] or count not in values:
            return 0.0
        return (values.index(count) + 1) / len(values)

    def solve(self) -> Message:
        """Add the difference to the expected value, then end."""
        missing = self.task.answer - self.state["count"]
        if missing:
            return assistant_calls(("increment_counter", {"count": missing}))
        return assistant(f"The counter holds {self.task.answer}.")

    def guess(self, rng: random.Random) -> Message:
        """Add a random number, then end."""
        if self.turn:
            return assistant("Done.")
        return assistant_calls(("increment_counter", {"count": randint(rng, 1, 2 * MAX_SUMMAND)}))


def _check_values(values: Any, last: int) -> None:
    if not isinstance(values, list) or any(type(value) is not int for value in values):
        raise RowError("values", f"must be a list of integers, not {values!r:.100}")
    if values[-1:] != [last]:
        raise RowError("values", f"must end with expected_count, {last}")


def _first_row(rng: random.Random, initial: int) -> dict[str, Any]:
    """Draw one addition, for level 0."""
    size = randint(rng, 1, MAX_FIRST_SUMMAND)
    return {
        "request": choice(rng, _FIRST_REQUESTS).format(size),
        "initial_count": initial,
        "expected_count": initial + size,
        "values": [initial + size],
    }


def _draw_changes(rng: random.Random, level: int, count: int) -> tuple[list[int], list[str]]:
    """Return the values of a counter after each random change, and the changes in words."""
    steps = _STEPS[level]
    readings = 1 + randbelow(rng, steps // 2 + 1) if level >= 4 else 0
    read = sample(rng, range(steps), readings)  # never all: at least one change names a number
    values, phrases = [], []
    for step in range(steps):
        if step in read:
            words, count = _draw_reading(rng, level, count)
        else:
            words, size = _draw_computed_number(rng) if level == 3 else _draw_number(rng)
            adds = level == 1 or rng.random() < 0.5
            words = f"add {words}" if adds else f"take away {words}"
            count += size if adds else -size
        values.append(count)
        phrases.append(words)
    return values, phrases


def _draw_number(rng: random.Random) -> tuple[str, int]:
    size = randint(rng, 1, MAX_SUMMAND)
    return str(size), size


def _draw_computed_number(rng: random.Random) -> tuple[str, int]:
    """Return a number, and a phrase to compute it from."""
    small, large = randint(rng, 2, 9), randint(rng, 11, 30)
    numbers = [
        (f"{small} times {large}", small * large),
        (f"the sum of {small} and {large}", small + large),
        (f"half of {2 * large}", large),
        (f"as many as {small} weeks have days", 7 * small),
        (f"the remainder of {large} divided by {small}", large % small),
    ]
    return choice(rng, numbers)


def _draw_reading(rng: random.Random, level: int, count: int) -> tuple[str, int]:
    """Return a change that depends on the counter's value, and the value after it."""
    step, reduction = sample(rng, range(3, 20), 2)
    by_parity = f"if it is even add {step}, if it is odd take away {reduction}"
    changes = [
        ("double it", 2 * count),
        (
            f"raise it to the next multiple of {step} above what it holds",
            count - count % step + step,
        ),
        (by_parity, count - reduction if count % 2 else count + step),
    ]
    return changes[0] if level == 4 else choice(rng, changes)
