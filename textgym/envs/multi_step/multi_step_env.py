"""`textgym/MultiStep-v0`: look up values one by one, then submit them as a list."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from typing_extensions import TypedDict

from textgym.core.card import Card
from textgym.core.episode import Grade
from textgym.core.partial_credit import PartialCreditEnv, share_done
from textgym.envs.generation import randint
from textgym.envs.multi_step.multi_step_tasks import LEVELS, draw_row, value_of
from textgym.errors import RowError, ToolError
from textgym.messages import Message, assistant, assistant_calls, system, user
from textgym.tasks import nemo_rows
from textgym.tasks.task import Task
from textgym.tools import arguments_of, tool
from textgym.verifiers.exact import equal_json

__all__ = ["MultiStep"]

_EXTRACT = "extract_synonym_values"
_INSTRUCTIONS = """\
The user's question uses a word of the list below: a term, or a synonym of one. Find that term. \
Get the value of each synonym that the list has for it, with the tool get_synonym_value. Then give \
all these values to the tool extract_synonym_values, in the order in which the synonyms stand in \
the list. The value of the term itself is not asked for. If the question uses several such words, \
do all of this for all their terms together, with one list of values at the end.

Terms and their synonyms:
"""


@dataclass(frozen=True, slots=True)
class MultiStepTask(Task):
    """A task whose answer is a list of values.

    Attributes:
        minefield: The value of the term itself, a wrong answer; None if the row does not name it.
    """

    minefield: int | None = None


class LookUps(TypedDict):
    """The state of an episode.

    Attributes:
        found: The distinct expected values that the tool returned.
        wrong: How many other values it returned.
    """

    found: list[int]
    wrong: int


class MultiStep(PartialCreditEnv[LookUps]):
    """Find the synonyms that a question asks for, look up their values, and submit them in order.

    It measures whether a model makes several tool calls that depend on each other: it must choose
    the look-ups, keep their results apart, and submit them in the right order.

    ## Description
    The prompt lists terms and their synonyms, and asks a question that uses one of these words. The
    model looks up the value of each synonym of the term, with one call for each, and then submits
    the list of values. The value of the term itself is a distractor. NeMo Gym's
    `example_multi_step` rows are supported.

    ## Observation
    A system message with the list, and a user message with the question. NeMo Gym rows contain
    their own prompt. After a message with tool calls, one tool message for each call.

    ## Action
    Assistant messages. Tool calls are executed. The first message without tool calls ends the
    episode, regardless of its text.

    ## Tools
    - `get_synonym_value(synonym)` returns `{"synonym_value": 711}`, the sum of the code points of
      the string. Every string has a value.
    - `extract_synonym_values(synonym_values)` submits values. It returns `{"success": true}`
      whether or not they are correct.

    ## Reward
    1 if the last call of `extract_synonym_values` has exactly the expected values in the right
    order, else 0. Calls beyond the limit of 64 for one message do not count. The arguments are
    graded as the model wrote them, even if the tool rejected them: the string `"711"` is not the
    number 711, `true` is not 1, but 711.0 equals 711. It does not matter how the model found the
    values. Components:

    - `accuracy`: the same as the reward
    - `set_overlap`: the number of distinct expected values in the list, divided by the number of
      expected values
    - `original_term_minefield_hit`: the list contains the value of the term itself
    - `order_instruction_following_failure`: `set_overlap` is 1, but the list has another order or
      additional values

    ## Info
    | key | meaning |
    | --- | --- |
    | `task_id` | the id of the task; in every info |
    | `tools` | after reset, `get_synonym_value` and `extract_synonym_values` |
    | `stop_reason` | after the last step, as all below: `answer`, or `max_turns` if truncated |
    | `is_success` | whether the submitted list is right |
    | `extracted_answer` | the submitted list as JSON; `""` for none |
    | `reward_components` | the components above |
    | `verdict_reason` | why the reward is not full, such as `wrong`; `""` if it is |

    ## Partial credit
    With `partial_credit=True`, steps also earn rewards for progress, as component `progress`. Their
    sum is always 0.5 times the progress in the present state, rounded to 1/1024, so undoing
    progress costs what it earned. The last step adds the rest of 1 for a success. The verdict is
    the same. Progress is the mean of two shares of the expected values: those that the tool has
    returned, and those in the last submitted list, in any order.
    Each other value lowers its share by as much, down to 0. A repeated look-up of an expected
    value changes nothing; each look-up of another one counts.

    So looking up or submitting the whole list gets nothing. Looking up and submitting one group at
    random gets 0.10 on average, including 0.02 of partial credit. Looking up and submitting only
    the word of the question, which on levels 3 to 5 is one of the expected synonyms, gets 0.07.

    ## Episode end
    The episode terminates at the first message without tool calls. At `max_turns` it is truncated
    and graded by the last submitted list.

    ## Levels
    | level | terms in the list | synonyms of each | the question uses |
    | --- | --- | --- | --- |
    | 0 | 2 | 1, an invented word | the term; only drawn with `level=0` |
    | 1 | 6 | 1 or 2 | the term |
    | 2 | 10 | 2 or 3 | the term |
    | 3 | 15 | 3 or 4 | a synonym of it |
    | 4 | 20 | 4 or 5 | a synonym of it |
    | 5 | 30 | 5 or 6 | synonyms of two terms |

    ## Rows
    | field | meaning |
    | --- | --- |
    | `query` | the question |
    | `synonyms` | the list: pairs of a term and a synonym, in order |
    | `expected_synonyms` | the synonyms that the question asks for, in order |
    | `expected_synonym_values` | their values; by default those that the tool returns |
    | `minefield_label` | optional, the term itself |
    | `minefield_label_value` | its value; by default the one that the tool returns |
    | `responses_create_params.input` | NeMo Gym's prompt, in place of `query` and `synonyms` |

    Args:
        max_turns: The maximum number of assistant messages; 32 by default.
        partial_credit: Whether steps earn rewards for progress; False by default.
        **kwargs: `dataset`, `split`, `level` and `render_mode` of `TextEnv`.

    Example:
        >>> import gymnasium, textgym
        >>> from textgym.messages import assistant_calls
        >>> env = gymnasium.make("textgym/MultiStep-v0")
        >>> row = {"query": "Who likes hot days?", "synonyms": [["Hot", "Warm"], ["Wet", "Damp"]],
        ...        "expected_synonyms": ["Warm"], "minefield_label": "Hot"}
        >>> observation, info = env.reset(options={"task": row})
        >>> look_up = assistant_calls(("get_synonym_value", {"synonym": "Warm"}))
        >>> env.step(look_up)[0][-1]["content"]
        '{"synonym_value": 407}'
        >>> hand_in = assistant_calls(("extract_synonym_values", {"synonym_values": [407]}))
        >>> observation, reward, terminated, truncated, info = env.step(hand_in)
        >>> observation, reward, terminated, truncated, info = env.step("Done.")
        >>> reward, info["extracted_answer"]
        (1.0, '[407]')
        >>> observation, info = env.reset(options={"task": row})
        >>> minefield = assistant_calls(("extract_synonym_values", {"synonym_values": [343]}))
        >>> observation, reward, terminated, truncated, info = env.step(minefield)  # "Hot"
        >>> env.step("Done.")[1]
        0.0

    ## Version history
    - v0: first version.
    """

    card = Card(
        id="textgym/MultiStep-v0",
        summary="Look up the values of the right synonyms, then submit them in order.",
        structure=("multi-step",),
        capabilities=("tool use", "information dependency"),
        domain=("language",),
        task_type="tool use",
        verification=("exact match",),
        levels=LEVELS,
        first_rung=True,
        chance=0.077,
        data="generated, .jsonl, .parquet, .csv, hub; NeMo Gym example_multi_step rows",
        unchecked_calls=("get_synonym_value",),
        notes="Levels 1 to 4 ask for one of 6, 10, 15 and 20 terms: a random one is often right.",
    )

    task: MultiStepTask

    max_turns = 32

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        """Draw a list and a question. The expected values and the term's own value all differ."""
        return draw_row(rng, level)

    def canonical(self, row: dict[str, Any]) -> Any:
        """Return the sorted list, which does not reveal the terms that are asked for."""
        return sorted(row["synonyms"])

    def read_row(self, row: dict[str, Any]) -> Task:
        """Read one of textgym's flat rows, or one of NeMo Gym's."""
        if nemo_rows.has_prompt(row):
            prompt, tools = nemo_rows.prompt_of(row), nemo_rows.tools_of(row)
        else:
            prompt, tools = _prompt(row), None
        values, minefield = _expected_values(row), _minefield_value(row)
        return MultiStepTask(row["id"], tuple(prompt), values, tools, row, minefield)

    def begin(self, task: Task) -> LookUps:
        """Return the state before the first look-up."""
        return {"found": [], "wrong": 0}

    @tool
    def get_synonym_value(self, synonym: str) -> dict[str, int]:
        """Get the value of a synonym.

        Args:
            synonym: The synonym, as written in the list.
        """
        value = value_of(synonym)
        if value not in self.task.answer:
            self.state["wrong"] += 1
        elif value not in self.state["found"]:
            self.state["found"].append(value)
        return {"synonym_value": value}

    @tool
    def extract_synonym_values(self, synonym_values: list[int]) -> dict[str, bool]:
        """Submit the values of all synonyms that the question asks for.

        Args:
            synonym_values: The values, in the order of the synonyms in the list.
        """
        return {"success": True}

    def grade(self) -> Grade:
        """Compare the list that was submitted last with the expected one."""
        values = self._submitted()
        expected = self.task.answer
        right = equal_json(expected, values)
        overlap = len(set(filter(_is_number, values)) & set(expected)) / len(expected)
        minefield = self.task.minefield
        components = {
            "accuracy": right,
            "set_overlap": overlap,
            "original_term_minefield_hit": any(
                _is_number(value) and value == minefield for value in values
            ),
            "order_instruction_following_failure": overlap == 1 and not right,
        }
        grade = Grade(float(right), right, components, extracted_answer=_as_text(values))
        return self.less_paid(grade)

    def progress(self) -> float:
        """Return the mean of the shares of the expected values looked up and submitted."""
        state, expected, values = self.state, Counter(self.task.answer), self._submitted()
        looked_up = share_done(len(state["found"]), state["wrong"], len(expected))
        right = (Counter(filter(_is_number, values)) & expected).total()
        submitted = share_done(right, len(values) - right, expected.total())
        return (looked_up + submitted) / 2

    def solve(self) -> Message:
        """Look up all values at once, submit them, and end."""
        if self.turn == 0 and self.task.row.get("expected_synonyms"):
            synonyms = self.task.row["expected_synonyms"]
            return assistant_calls(*(("get_synonym_value", {"synonym": s}) for s in synonyms))
        if self._submitted() != self.task.answer:
            return assistant_calls((_EXTRACT, {"synonym_values": self.task.answer}))
        return assistant("The values are submitted.")

    def guess(self, rng: random.Random) -> Message:
        """Submit random numbers, then end."""
        if self.turn:
            return assistant("Done.")
        numbers = [randint(rng, 300, 1500) for _ in range(randint(rng, 2, 6))]
        return assistant_calls((_EXTRACT, {"synonym_values": numbers}))

    def _submitted(self) -> list[Any]:
        """Return the list of the last submission as the model wrote it; [] if it is not a list.

        This includes submissions that the tool rejected.
        """
        for message in self.replies:
            calls = (message.get("tool_calls") or ())[: self.max_calls]  # later calls were not run
            for call in reversed(calls):
                if call["function"]["name"] == _EXTRACT:
                    return _list_of(call["function"].get("arguments"))
        return []


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _list_of(arguments: Any) -> list[Any]:
    try:
        values = arguments_of(_EXTRACT, arguments).get("synonym_values")
    except ToolError:
        return []
    return values if isinstance(values, list) else []


def _as_text(values: list[Any]) -> str:
    try:
        return json.dumps(values) if values else ""
    except (ValueError, RecursionError):  # a number with thousands of digits, or deep nesting
        return ""


def _prompt(row: Mapping[str, Any]) -> list[Message]:
    query, pairs = row.get("query"), row.get("synonyms")
    if not isinstance(query, str) or not query.strip():
        raise RowError("query", "is missing or empty")
    if not isinstance(pairs, list) or not pairs:
        raise RowError("synonyms", "must be a list of pairs of a term and a synonym")
    for place, pair in enumerate(pairs):
        if not isinstance(pair, list) or len(pair) != 2 or not all(map(_is_text, pair)):
            raise RowError(f"synonyms.{place}", f"must be a term and a synonym, not {pair!r}")
    lines = [f"- the term {term!r} has the synonym {synonym!r}" for term, synonym in pairs]
    return [system(_INSTRUCTIONS + "\n".join(lines)), user(query)]


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _expected_values(row: Mapping[str, Any]) -> list[int]:
    words, values = row.get("expected_synonyms"), row.get("expected_synonym_values")
    if words is not None and not (isinstance(words, list) and all(map(_is_text, words))):
        raise RowError("expected_synonyms", "must be a list of strings")
    if values is None and words:
        return [value_of(word) for word in words]
    if not isinstance(values, list) or not values or any(type(item) is not int for item in values):
        raise RowError("expected_synonym_values", "must be a list of one or more integers")
    return list(values)


def _minefield_value(row: Mapping[str, Any]) -> int | None:
    label, value = row.get("minefield_label"), row.get("minefield_label_value")
    if label is not None and not isinstance(label, str):
        raise RowError("minefield_label", f"must be a string, not {label!r}")
    if value is not None and type(value) is not int:
        raise RowError("minefield_label_value", f"must be an integer, not {value!r}")
    return value_of(label) if value is None and label is not None else value
