"""`textgym/Haystack-v0`: find what is asked for in a long document."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from typing_extensions import Unpack

from textgym.core.authoring import TextEnvOptions
from textgym.core.card import Card
from textgym.core.episode import Grade
from textgym.core.text_env import TextEnv
from textgym.envs.generation import choice, randint
from textgym.envs.haystack.documents import DOCUMENTS
from textgym.envs.haystack.drafts import DocumentDraft, DocumentKind
from textgym.envs.haystack.first_rung import FACTS, draw_first_row
from textgym.envs.haystack.lc_niah import (
    GRADING_RULES,
    METRIC_RULES,
    GradingRule,
    MetricRule,
    grade_nodes,
    prompt_text,
)
from textgym.envs.haystack.questions import (
    ASK,
    LEVELS,
    answer_line,
    content_of,
    draw_row,
    grade_items,
    normalize_item,
)
from textgym.errors import (
    ExtraMissingError,
    RowError,
    UnknownNameError,
    UsageError,
    did_you_mean,
    install_advice,
)
from textgym.messages import Message, assistant, user
from textgym.tasks import nemo_rows
from textgym.tasks.task import Task

__all__ = ["Haystack", "HaystackTask", "characters_a_token", "read_haystack_row"]


@dataclass(frozen=True, slots=True)
class HaystackTask(Task):
    """A task whose answer is a list of strings.

    Attributes:
        ordered: Whether their order matters.
        is_nemo: Whether the row is one of NeMo Gym's, which is graded by other rules.
    """

    ordered: bool = False
    is_nemo: bool = False


def read_haystack_row(row: dict[str, Any]) -> HaystackTask:
    """Return the task of a row.

    Raises:
        RowError: A field is missing or not valid.
    """
    if nemo_rows.has_prompt(row):
        messages, tools = nemo_rows.prompt_of(row), nemo_rows.tools_of(row)
        return HaystackTask(row["id"], tuple(messages), _items(row), tools, row, is_nemo=True)
    prompt, ordered = row.get("prompt"), row.get("ordered", False)
    if not isinstance(prompt, str) or not prompt.strip():
        raise RowError("prompt", "is missing or empty; it is the document with the question")
    if not isinstance(ordered, bool):
        raise RowError("ordered", f"must be true or false, not {ordered!r:.100}")
    items = _items(row)
    if not items or not all(normalize_item(item) and "," not in item for item in items):
        raise RowError(
            "expected_answer", "must have one item or more, each with a letter or digit, no comma"
        )
    return HaystackTask(row["id"], (user(prompt),), items, None, row, ordered)


def _items(row: Mapping[str, Any]) -> list[str]:
    """Return `expected_answer`: a list, the JSON of one, or items that commas separate."""
    expected = nemo_rows.field_of(row, "expected_answer")
    if isinstance(expected, str):
        try:
            read = json.loads(expected)
        except (ValueError, RecursionError):
            read = [item.strip() for item in expected.strip().strip("[]").split(",")]
        expected = read if isinstance(read, list) else [expected]
    if expected is None or not isinstance(expected, list):
        raise RowError("expected_answer", f"must be a list of strings, not {expected!r:.100}")
    for item in expected:
        if isinstance(item, bool) or not isinstance(item, (str, int)):
            raise RowError("expected_answer", f"must be a list of strings, but has {item!r:.100}")
    return [str(item) for item in expected if item != ""]


_SAMPLE = 20_000  # characters


def characters_a_token(tokenizer: str, kind: DocumentKind) -> float:
    """Return the mean length of the tokens of a kind of document, measured on one document.

    Args:
        tokenizer: A folder or hub id that transformers can load.
        kind: The kind of document.

    Raises:
        ExtraMissingError: The extra `hf` is not installed.
        UnknownNameError: The tokenizer cannot be loaded.
    """
    draft = DocumentDraft(random.Random(0), kind, _SAMPLE)
    text = draft.write(ASK["latest"](draft, 2))
    return len(text) / len(_load(tokenizer)(text, add_special_tokens=False)["input_ids"])


@cache
def _load(tokenizer: str) -> Any:
    try:
        from transformers import AutoTokenizer
    except ModuleNotFoundError as error:
        raise ExtraMissingError(
            f"tokenizer={tokenizer!r} needs the extra 'hf': {install_advice('hf')}"
        ) from error
    try:
        return AutoTokenizer.from_pretrained(tokenizer)
    except (OSError, ValueError, ImportError) as error:
        reason = str(error).strip().splitlines()[0]
        raise UnknownNameError(f"the tokenizer {tokenizer!r} cannot be loaded: {reason}") from error


_MIN_LENGTH, _MAX_LENGTH = 2_000, 2_000_000  # characters
_MAX_SHOWN = 200  # characters of the extracted answer


class Haystack(TextEnv[None]):
    """A question about a long document, answered in one message.

    It measures whether a model finds and combines facts in a long text full of look-alikes. Reading
    only a part of the document, or only the words beside a key, earns next to nothing.

    ## Description
    The model reads a document and finds what is asked for. A document is a ledger of credit limits,
    the mail of a dealer, a log, or notes on who reports to whom. It consists of entries in random
    order. Each states a value of a key, such as an account, in a group, such as a branch, on a day.
    Noise looks like what is asked for: older values, the same key in other groups, keys that differ
    in one character, quotations of older messages. Where the deciding entries stand is uniform.

    A question asks for the present values of several keys, for how many entries there are of each,
    for the entries that meet three conditions, for the keys without an entry in a period, or for
    values that are stated by reference to other keys. The rules that it needs, such as that the
    latest entry counts, are in the prompt.

    NeMo Gym's `lc_niah` rows are supported.

    ## Observation
    A user message: what the document is, the document, and the question with its rules. NeMo Gym
    rows contain their own prompt.

    ## Action
    One assistant message. The last line of its text is the answer, or what follows `Answer:` in it:
    the items, separated by commas, in brackets and quotes or without.

    ## Reward
    1 if the items equal the items of the right answer, else 0. Their order matters where the prompt
    asks for it; otherwise they may be repeated. Items are compared without regard to case and white
    space, and to the last digit.

    Components: `correct`, and `f1`, the F1 score of the items (where the order matters, of those in
    their place). An answer with more than four times as many letters and digits as the right one
    has an `f1` of 0, so pasting candidates or the document earns nothing.

    ## Info
    | key | meaning |
    | --- | --- |
    | `task_id` | the id of the task; in every info |
    | `tools` | after reset, an empty list |
    | `stop_reason` | after the last step, as all below: `answer`, or `max_turns` if truncated |
    | `is_success` | whether all items are right |
    | `extracted_answer` | the answer in the last line, up to 200 characters |
    | `reward_components` | the components above |
    | `verdict_reason` | why the reward is not full, such as `wrong`; `""` if it is |

    ## Episode end
    After the first message.

    ## Levels
    - 0: the only value in one of four short sentences, with any `length`; only drawn with
      `level=0`

    1. the values of two or three keys, each stated once for the group that is asked for
    2. the latest of several values of each key, or how many entries two keys have
    3. the entries of a group and a period with a condition on the value, or the keys without one
    4. two chains of three or four references, where each link has several entries
    5. latest values, counts, conditions or longer chains, with entries that others declare void

    ## What a score means
    Silence, guesses and pasting earn 0. A policy that takes the first value beside a key earns
    0.015, the most of all superficial policies. Taking the value beside a key in its group
    earns 0.2, which is all of level 1 and next to nothing of the others. A score of 1 means that
    all items of all answers were right, to the last digit. One wrong item, one that is missing, or
    words after the answer make a reward 0; the component `f1` shows answers that are partly right.

    ## Rows
    | field | meaning |
    | --- | --- |
    | `prompt` | the document with the question |
    | `expected_answer` | the items of the right answer: a list of strings, or the JSON of one |
    | `ordered` | whether their order matters; false by default |
    | `document`, `asks`, `question` | in generated rows, the kinds and the question |
    | `responses_create_params.input` | NeMo Gym's prompt, in place of `prompt` |

    Rows with NeMo Gym's prompt are graded as `lc_niah` grades them. The answer is the list in
    brackets behind `Final Answer:` on the last line, and may be empty. `answer_score` is its F1
    score as a set. `overlap_seq_match`, `overlap_ngram16` and `overlap_lcs` say how much of
    `reasoning_content` is copied from the prompt: the ratio of Python's `difflib`, the share of
    runs of 16 words that the prompt has, too, and the longest common substring as a share of the
    reasoning. One of them is `reasoning_overlap`, which lowers the reward. There is no limit to the
    length of such an answer. Where textgym differs from the original:

    - With `minus`, no reward is below 0, where the original goes down to -1. A wrong answer with a
      copied reasoning is worth as little as silence, not less.
    - An `expected_answer` that is not JSON is read as items that commas separate, where the
      original takes it for the empty set, so that `[]` wins.
    - Text within `<think>` is never an answer.
    - Of a reasoning, 100,000 characters are compared. Where `difflib` would take too long, the
      share of the characters that both texts have stands in for its ratio, which is never more.

    Args:
        length: The length of generated documents in characters, from 2,000 to 2,000,000, and 6,000
            by default; with `tokenizer`, in its tokens. Documents of 2,000 characters differ from
            it by 1.3 % on average and 5 % at most, longer ones by less.
        tokenizer: A folder or a hub id of a tokenizer, which transformers loads; None to measure
            lengths in characters.
        overlap_metric_rule: The measure that is `reasoning_overlap` in NeMo Gym's rows:
            `seq_match`, `ngram16` or, by default, `lcs`.
        overlap_grading_rule: How it lowers their reward: `base` (not at all), `minus` (the F1
            score minus the overlap) or, by default, `multiply` (the score times 1 minus the
            overlap).
        **kwargs: `dataset`, `split`, `level`, `max_turns` and `render_mode` of `TextEnv`.

    Raises:
        UsageError: The length is not in its range.
        UnknownNameError: A rule does not exist, or the tokenizer cannot be loaded.
        ExtraMissingError: A tokenizer is named, and the extra `hf` is not installed.

    Example:
        >>> import gymnasium, textgym
        >>> env = gymnasium.make("textgym/Haystack-v0")
        >>> prompt = "12 May: the key is blue. 3 May: the key is red. What is the key now?"
        >>> row = {"prompt": prompt, "expected_answer": ["blue"]}
        >>> observation, info = env.reset(options={"task": row})
        >>> observation, reward, terminated, truncated, info = env.step("Answer: blue")
        >>> reward, info["reward_components"]
        (1.0, {'correct': 1.0, 'f1': 1.0})
        >>> observation, info = env.reset(options={"task": row})
        >>> env.step("Answer: blue, red")[1]
        0.0

    ## Version history
    - v0: first version.
    """

    card = Card(
        id="textgym/Haystack-v0",
        summary="Questions about long documents full of look-alikes.",
        structure=("single-step", "long context"),
        capabilities=("information relevance",),
        domain=("general",),
        task_type="question answering",
        verification=("exact match",),
        levels=LEVELS,
        first_rung=True,
        first_rung_chance=0.33,
        chance=0.015,
        data="generated, .jsonl, .parquet, .csv, hub; NeMo Gym lc_niah rows",
        accepts=("markdown", "quotes", "full stop", "any case"),
        notes="Evaluation splits keep their tasks in memory: 500 documents of 2,000,000 characters "
        "take 1 GB, whatever the number of environments.",
    )

    task: HaystackTask

    def __init__(
        self,
        *,
        length: int = 6_000,
        tokenizer: str | None = None,
        overlap_metric_rule: MetricRule = "lcs",
        overlap_grading_rule: GradingRule = "multiply",
        **kwargs: Unpack[TextEnvOptions],
    ) -> None:
        for name, rule, known in (
            ("overlap_metric_rule", overlap_metric_rule, METRIC_RULES),
            ("overlap_grading_rule", overlap_grading_rule, GRADING_RULES),
        ):
            if rule not in known:
                raise UnknownNameError(
                    f"there is no {name} {rule!r}{did_you_mean(str(rule), known)}"
                )
        self.overlap_metric_rule = overlap_metric_rule
        self.overlap_grading_rule = overlap_grading_rule
        self.length, self.tokenizer = length, tokenizer
        self._lengths = {kind.name: self._characters(kind) for kind in DOCUMENTS}
        super().__init__(**kwargs)

    def _characters(self, kind: DocumentKind) -> int:
        """Return the length of documents of a kind in characters."""
        length, unit = self.length, "characters"
        if not isinstance(length, int) or isinstance(length, bool):
            raise UsageError(f"length must be an integer, not {length!r:.100}")
        if self.tokenizer is not None:
            length = round(length * characters_a_token(self.tokenizer, kind))
            unit = f"characters, but {self.length} tokens are about {length}"
        elif not _MIN_LENGTH <= length <= _MAX_LENGTH:
            unit = f"characters, not {length}"
        if not _MIN_LENGTH <= length <= _MAX_LENGTH:
            raise UsageError(f"length must be from {_MIN_LENGTH} to {_MAX_LENGTH} {unit}")
        return length

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        """Draw a question, and a document around it; at level 0, a text of a few lines."""
        if level == 0:
            return draw_first_row(rng, self.split)
        return draw_row(rng, level, self.split, self._lengths)

    def canonical(self, row: dict[str, Any]) -> Any:
        """Return the kind of document and the question, which do not reveal the answer."""
        return content_of(row)

    def read_row(self, row: dict[str, Any]) -> Task:
        """Read one of textgym's flat rows, or one of NeMo Gym's."""
        return read_haystack_row(row)

    def grade(self) -> Grade:
        """Compare the items in the last line with the right ones."""
        if self.task.is_nemo:
            return self._grade_nodes()
        line = answer_line(self.answer_text)
        verdict = grade_items(line, self.task.answer, ordered=self.task.ordered)
        right = float(verdict.is_right)
        components = {"correct": right, "f1": verdict.f1}
        shown = line[:_MAX_SHOWN]
        return Grade(right, verdict.is_right, components, extracted_answer=shown)

    def _grade_nodes(self) -> Grade:
        last = next(self.replies, None)
        return grade_nodes(
            self.answer_text,
            (last and last.get("reasoning_content")) or "",
            prompt_text(self.task.row),
            self.task.answer,
            self.overlap_metric_rule,
            self.overlap_grading_rule,
        )

    def solve(self) -> Message:
        """Give the right items."""
        return self._answer(self.task.answer)

    def guess(self, rng: random.Random) -> Message:
        """Give two random numbers; at level 0, a value such as a city."""
        fact = FACTS.get(str(self.task.row.get("asks")))
        if fact is not None:
            return self._answer([choice(rng, fact.values)])
        return self._answer([str(randint(rng, 1, 9999)) for _ in range(2)])

    def _answer(self, items: Sequence[str]) -> Message:
        listed = ", ".join(items)
        return assistant(f"Final Answer: [{listed}]" if self.task.is_nemo else f"Answer: {listed}")
