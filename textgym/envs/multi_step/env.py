"""`textgym/MultiStep-v0`: look values up one by one, then hand them in as one list."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from textgym.cards import Card
from textgym.env import TextEnv
from textgym.envs.drawing import between, pick, some
from textgym.envs.multi_step.thesaurus import GROUPS, QUESTIONS, QUESTIONS_OF_TWO, Group
from textgym.errors import RowError, ToolError
from textgym.messages import Message, assistant, assistant_calls, system, user
from textgym.rewards import Grade
from textgym.tasks import nemo_gym as nemo_rows
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


class _Level(NamedTuple):
    terms: int  # in the list
    synonyms: int  # at most, of each
    asked: int  # terms that the question is about
    named: bool  # whether it uses the term itself


_LEVELS = {
    1: _Level(6, 2, 1, True),
    2: _Level(10, 3, 1, True),
    3: _Level(15, 4, 1, False),
    4: _Level(20, 5, 1, False),
    5: _Level(30, 6, 2, False),
}


@dataclass(frozen=True, slots=True)
class Extraction(Task):
    """A task whose answer is a list of values.

    Attributes:
        minefield: The value that must not be among them; None where there is none.
    """

    minefield: int | None = None


class MultiStep(TextEnv[None]):
    """Find which synonyms a question asks for, look up their values, and hand them in, in order.

    ## Description
    A list gives terms and their synonyms. A question uses one of these words. The model looks up
    each synonym of that term, one call each, and hands in the list of values with a last call. What
    looks like the answer, the value of the term itself, is wrong. NeMo Gym's `example_multi_step`
    rows are read as they are.

    ## Observation
    A system message with the list, and a user message with the question. A NeMo Gym row brings its
    own prompt. After each message with tool calls, one tool message for each call.

    ## Action
    Assistant messages. Those with tool calls are carried out; the first one without ends the
    episode, whatever it says.

    ## Tools
    - `get_synonym_value(synonym)` answers `{"synonym_value": 711}`: the sum of the text's code
      points, so any text has one.
    - `extract_synonym_values(synonym_values)` answers `{"success": true}`, right or wrong.

    ## Reward
    1 where the last call of `extract_synonym_values` has the expected values, all of them and no
    others, in order; else 0. Calls over the limit of a message (64) do not count. Its arguments are
    read as the model wrote them, whether the tool took them or not: the text `"711"` is not the
    number 711, `true` is not 1, and 711.0 is 711. Where the values come from is not graded.
    Components:

    - `accuracy`: the same as the reward
    - `set_overlap`: how many distinct expected values are in the list, divided by how many values
      are expected
    - `original_term_minefield_hit`: the value of the term itself is in the list
    - `order_instruction_following_failure`: `set_overlap` is 1, and the list is yet another one, in
      another order or with more in it

    ## Episode end
    Terminated by the first message without tool calls; truncated at `max_turns`, graded by the last
    list until then.

    ## Levels
    | level | terms in the list | synonyms of each | the question uses |
    | --- | --- | --- | --- |
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
    | `expected_synonyms` | the synonyms that are asked for, in order |
    | `expected_synonym_values` | their values; by default as the tool gives them |
    | `minefield_label` | optional: the term itself |
    | `minefield_label_value` | its value; by default as the tool gives it |
    | `responses_create_params.input` | NeMo Gym's prompt, in place of `query` and `synonyms` |

    Args:
        max_turns: The most assistant messages.
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

    ## Version history
    - v0: first version.
    """

    card = Card(
        id="textgym/MultiStep-v0",
        summary="Look up the values of the right synonyms, then hand them in, in order.",
        structure=("multi-step",),
        capabilities=("tool use", "instruction following", "reading"),
        domain=("language",),
        task_type="tool use",
        verification=("exact match",),
        levels=tuple(_LEVELS),
        chance=0.077,
        data="generated, .jsonl, .parquet, hub; NeMo Gym example_multi_step rows",
        notes="Levels 1 to 4 ask for one of 6, 10, 15 and 20 terms: naming any is right so often.",
    )

    task: Extraction

    def __init__(self, *, max_turns: int = 32, **kwargs: Any) -> None:
        super().__init__(max_turns=max_turns, **kwargs)

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        """Draw a list and a question; the values asked for and the term's own all differ."""
        size = _LEVELS[level]
        while True:
            drawn = some(rng, GROUPS, size.terms)
            groups = [_with_some_synonyms(rng, group, size.synonyms) for group in drawn]
            asked = groups[: size.asked]
            pairs = [[group.term, synonym] for group in groups for synonym in group.synonyms]
            pairs = [[term.capitalize(), word.capitalize()] for term, word in pairs]
            pairs = some(rng, pairs, len(pairs))
            label, *other_labels = [group.term.capitalize() for group in asked]
            expected = [synonym for term, synonym in pairs if term in (label, *other_labels)]
            values = [_value(text) for text in (label, *expected)]
            if len(set(values)) == len(values):
                break
        words = [group.term if size.named else pick(rng, group.synonyms) for group in asked]
        nouns = [pick(rng, group.nouns) for group in asked]
        things = [f"{word} {noun}" for word, noun in zip(words, nouns, strict=True)]
        return {
            "query": pick(rng, QUESTIONS if size.asked == 1 else QUESTIONS_OF_TWO).format(*things),
            "synonyms": pairs,
            "expected_synonyms": expected,
            "minefield_label": label,
        }

    def canonical(self, row: dict[str, Any]) -> Any:
        """Return the synonyms that are asked for: other words around them do not tell."""
        return row["expected_synonyms"]

    def read_row(self, row: dict[str, Any]) -> Task:
        """Read one of textgym's flat rows, or one of NeMo Gym's."""
        if nemo_rows.has_prompt(row):
            prompt, tools = nemo_rows.prompt_of(row), nemo_rows.tools_of(row)
        else:
            prompt, tools = _prompt(row), None
        values, minefield = _expected_values(row), _minefield_value(row)
        return Extraction(row["id"], tuple(prompt), values, tools, row, minefield)

    @tool
    def get_synonym_value(self, synonym: str) -> dict[str, int]:
        """Get the value of a synonym.

        Args:
            synonym: The synonym, as it stands in the list.
        """
        return {"synonym_value": _value(synonym)}

    @tool
    def extract_synonym_values(self, synonym_values: list[int]) -> dict[str, bool]:
        """Hand in the values of all synonyms that are asked for.

        Args:
            synonym_values: The values, in the order of the synonyms in the list.
        """
        return {"success": True}

    def grade(self) -> Grade:
        """Compare the list that was handed in last with the expected one."""
        values = self._handed_in()
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
        return Grade(float(right), right, components, extracted_answer=_shown(values))

    def solve(self) -> Message:
        """Look up all that is asked for at once, hand it in, and end."""
        if self.turn == 0 and self.task.row.get("expected_synonyms"):
            wanted = self.task.row["expected_synonyms"]
            return assistant_calls(*(("get_synonym_value", {"synonym": item}) for item in wanted))
        if self._handed_in() != self.task.answer:
            return assistant_calls((_EXTRACT, {"synonym_values": self.task.answer}))
        return assistant("The values are handed in.")

    def guess(self, rng: random.Random) -> Message:
        """Hand in some numbers, then end."""
        if self.turn:
            return assistant("Done.")
        numbers = [between(rng, 300, 1500) for _ in range(between(rng, 2, 6))]
        return assistant_calls((_EXTRACT, {"synonym_values": numbers}))

    def _handed_in(self) -> list[Any]:
        """Return the list of the last call, as the model wrote it; what is no list is an empty one.

        The call need not have been one that the tool took.
        """
        for message in self.replies:
            calls = (message.get("tool_calls") or ())[: self.max_calls]  # no others were run
            for call in reversed(calls):
                if call["function"]["name"] == _EXTRACT:
                    return _list_of(call["function"].get("arguments"))
        return []


def _value(text: str) -> int:
    return sum(map(ord, text))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _list_of(arguments: Any) -> list[Any]:
    try:
        values = arguments_of(_EXTRACT, arguments).get("synonym_values")
    except ToolError:
        return []
    return values if isinstance(values, list) else []


def _shown(values: list[Any]) -> str:
    try:
        return json.dumps(values) if values else ""
    except (ValueError, RecursionError):  # numbers of thousands of digits, deep nesting
        return ""


def _with_some_synonyms(rng: random.Random, group: Group, most: int) -> Group:
    chosen = some(rng, group.synonyms, between(rng, most - 1, most))
    return group._replace(synonyms=tuple(chosen))


def _prompt(row: Mapping[str, Any]) -> list[Message]:
    query, pairs = row.get("query"), row.get("synonyms")
    if not isinstance(query, str) or not query.strip():
        raise RowError("query", "is missing or empty")
    if not isinstance(pairs, list) or not pairs:
        raise RowError("synonyms", "must be a list of pairs, a term and a synonym")
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
        raise RowError("expected_synonyms", "must be a list of texts")
    if values is None and words:
        return [_value(word) for word in words]
    if not isinstance(values, list) or not values or any(type(item) is not int for item in values):
        raise RowError("expected_synonym_values", "must be a list of one or more whole numbers")
    return list(values)


def _minefield_value(row: Mapping[str, Any]) -> int | None:
    label, value = row.get("minefield_label"), row.get("minefield_label_value")
    if label is not None and not isinstance(label, str):
        raise RowError("minefield_label", f"must be a text, not {label!r}")
    if value is not None and type(value) is not int:
        raise RowError("minefield_label_value", f"must be a whole number, not {value!r}")
    return _value(label) if value is None and label is not None else value
