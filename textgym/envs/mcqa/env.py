"""`textgym/MCQA-v0`: one multiple-choice question, one answer."""

from __future__ import annotations

import itertools
import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from textgym.cards import Card
from textgym.env import TextEnv
from textgym.envs.mcqa.families import LEVELS, draw
from textgym.envs.mcqa.families.item import fact_of, some
from textgym.envs.mcqa.rows import answer_of, mode_of, options_of
from textgym.errors import OracleError, RowError, UnknownNameError, UsageError, did_you_mean
from textgym.messages import Message, assistant, text_of, user
from textgym.rewards import Grade
from textgym.tasks import nemo_gym as nemo_rows
from textgym.tasks.task import Task, draw_row
from textgym.verifiers.choices import GRADING_MODES, GradingMode, choice, format_choice
from textgym.verifiers.exact import normalize_text
from textgym.verifiers.patterns import PatternSearch

__all__ = ["MCQA"]

_LETTERS = "ABCD"
_BOX_RULE = "Put the letter of the right option in \\boxed{}."
_LINE_RULE = 'End with a line that says "Answer: " and the letter of the right option.'


@dataclass(frozen=True, slots=True)
class Question(Task):
    """A task whose answer is a letter, with what its grading needs.

    Attributes:
        options: Letter to text.
        mode: The grading mode, the keyword argument's or the row's.
        patterns: The row's own regular expressions.
    """

    options: Mapping[str, str] = field(default_factory=dict)
    mode: GradingMode = GRADING_MODES[0]
    patterns: tuple[str, ...] = ()


class MCQA(TextEnv[None]):
    r"""A multiple-choice question, answered in one message.

    ## Description
    The model reads a question with lettered options and names one letter, in a form that
    `grading_mode` sets. Questions come from a generator (arithmetic, calendars, chemistry,
    geography, logic, tables and more, each with five levels), or from a data set. Generated
    distractors are the right answers to questions that a typical slip turns this one into, and the
    question that is asked is one of the four, so the options alone do not tell which is right.
    NeMo Gym's `mcqa` rows are read as they are.

    ## Observation
    A user message: the question, a blank line, the options as `A: text`, a blank line, and how to
    answer. With `shots`, solved examples stand before it as earlier turns. A NeMo Gym row brings
    its own prompt.

    ## Action
    One assistant message. Its text is graded; its reasoning is not.

    ## Reward
    1 for the right letter, else 0. Components: `correct`, `answered` (a letter was found), and
    where the row has expressions `pattern_timeout` (their time ran out).

    ## Episode end
    After the first message.

    ## Grading modes
    - `strict_single_letter_boxed`: the last closed `\boxed{}` holds one capital letter, or a letter
      followed by `:`, `)`, `.` or `-` and text, or by its option's text. A box that begins with an
      option's whole text, such as `E. coli`, is no letter.
    - `lenient_boxed`: the same, or else the box is an option's whole text, or the text of exactly
      one option stands in it among other words, and is not denied.
    - `lenient_answer_colon`: behind the first `Answer:` that is not a quotation stands a letter, in
      any case, an option's whole text, or a letter and its option's text, as in `B) zinc`.
    - `lenient_answer_colon_md`: the last `Answer:` from which one letter can be read: the one that
      it begins with, or the only capital one in it.

    LaTeX, Markdown, quotes and brackets around an answer do not matter in any mode. Several letters
    (`A/B`, `A or B`), or one that is denied (`not B`, `B is wrong`), choose nothing. See
    [verifiers](../verifiers.md) for examples of each mode.

    A row's `template_metadata.output_regex` comes before the mode: case-blind, last match, in the
    order of the list; a broken expression is ignored. In what it captures, and after `Answer:` in
    the last mode, Arabic, Bengali and full-width letters count as A to D. The last 20,000
    characters are searched, for a second of CPU time at most in all: what runs out finds nothing.

    ## Rows
    | field | meaning |
    | --- | --- |
    | `question` | the question |
    | `options` | 2 to 26, letter to text, or a list of one-key objects; nulls are left out |
    | `answer` | the letter of the right one (or `expected_answer`, in the row or its `metadata`) |
    | `grading_mode` | optional, as above |
    | `category`, `fact` | in generated rows, the family, and what must be known or worked out |
    | `template_metadata.output_regex` | optional, one regular expression or a list |
    | `responses_create_params.input` | NeMo Gym's prompt, in place of `question` |

    A row without options is legal where it has an `output_regex`.

    Args:
        grading_mode: One of the modes above; None takes the row's, which is strict if it names
            none.
        shots: How many solved examples from the generator's train split stand before the question.
        **kwargs: `dataset`, `split`, `level`, `max_turns` and `render_mode` of `TextEnv`.

    Raises:
        UsageError: There is no such mode, or `shots` is no number of 0 or more.

    Example:
        >>> import gymnasium, textgym
        >>> env = gymnasium.make("textgym/MCQA-v0")
        >>> row = {"question": "Which is a metal?", "options": {"A": "neon", "B": "zinc"},
        ...        "answer": "B"}
        >>> observation, info = env.reset(options={"task": row})
        >>> print(observation[0]["content"])
        Which is a metal?
        <BLANKLINE>
        A: neon
        B: zinc
        <BLANKLINE>
        Put the letter of the right option in \boxed{}.
        >>> observation, reward, terminated, truncated, info = env.step("\\boxed{B}")
        >>> reward, terminated, info["extracted_answer"]
        (1.0, True, 'B')

    ## Version history
    - v0: first version.
    """

    card = Card(
        id="textgym/MCQA-v0",
        summary="Multiple-choice questions, generated or from a data set.",
        structure=("single-step",),
        capabilities=("reasoning", "knowledge", "instruction following"),
        domain=("general knowledge", "mathematics", "science", "logic"),
        task_type="multiple choice",
        verification=("exact match",),
        levels=LEVELS,
        chance=1 / len(_LETTERS),
        data="generated, .jsonl, .parquet, hub; NeMo Gym mcqa rows",
        notes="Capitals, elements and molar masses are too few to share out: all splits ask for "
        "all of them, with other options.",
    )

    task: Question

    def __init__(
        self, *, grading_mode: GradingMode | None = None, shots: int = 0, **kwargs: Any
    ) -> None:
        if grading_mode is not None and grading_mode not in GRADING_MODES:
            hint = did_you_mean(str(grading_mode), GRADING_MODES)
            raise UnknownNameError(f"there is no grading_mode {grading_mode!r}{hint}")
        if not isinstance(shots, int) or shots < 0:
            raise UsageError(f"shots is a whole number of 0 or more, not {shots!r}")
        self.grading_mode = grading_mode
        self.shots = shots
        self._example_rows: list[dict[str, Any]] = []
        super().__init__(**kwargs)

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        """Draw a question of one of the families, its options in random order."""
        family, item = draw(rng, level)
        texts = some(rng, (item.right, *item.wrong), len(_LETTERS))
        return {
            "question": item.question,
            "options": dict(zip(_LETTERS, texts, strict=True)),
            "answer": _LETTERS[texts.index(item.right)],
            "category": family,
            "fact": fact_of(item),
        }

    def canonical(self, row: dict[str, Any]) -> Any:
        """Return what must be known or worked out, however it is put and whatever is offered."""
        return [row["category"], row["fact"]]

    def read_row(self, row: dict[str, Any]) -> Task:
        """Read one of textgym's flat rows, or one of NeMo Gym's."""
        options = options_of(row)
        answer = answer_of(row, options)
        patterns = nemo_rows.patterns_of(row)
        row_mode = mode_of(row)
        mode = self.grading_mode or row_mode
        if not options and not patterns:
            raise RowError("options", "is missing, and there is no template_metadata.output_regex")
        if nemo_rows.has_prompt(row):
            prompt, tools = nemo_rows.prompt_of(row), nemo_rows.tools_of(row)
        else:
            prompt, tools = [user(_prompt(row, options, mode))], None
        if self.shots:
            leading = [item["role"] in ("system", "developer") for item in prompt]
            place = leading.index(False) if False in leading else len(prompt)
            prompt[place:place] = self._examples(prompt, mode)
        return Question(row["id"], tuple(prompt), answer, tools, row, options, mode, patterns)

    def grade(self) -> Grade:
        """Compare the letter that the text chooses with the right one."""
        search = PatternSearch()
        letter = self._choice(self.answer_text, search)
        right = letter == self.task.answer
        components = {"correct": float(right), "answered": float(bool(letter))}
        if self.task.patterns:
            components["pattern_timeout"] = float(search.timed_out)
        return Grade(float(right), right, components, extracted_answer=letter)

    def solve(self) -> Message:
        """Name the right letter."""
        answer = format_choice(self.task.answer, self.task.mode)
        if self.task.patterns and self._choice(answer, PatternSearch()) != self.task.answer:
            raise OracleError(f"no answer can be made for the output_regex of {self.task.id}")
        return assistant(answer)

    def guess(self, rng: random.Random) -> Message:
        """Name one of the letters."""
        letters = list(self.task.options) or list(_LETTERS)
        return assistant(format_choice(rng.choice(letters), self.task.mode))

    def _choice(self, text: str, search: PatternSearch) -> str:
        task = self.task
        return choice(text, task.options, task.mode, task.patterns, search)

    def _examples(self, prompt: list[Message], mode: GradingMode) -> list[Message]:
        """Return solved examples as turns; a question of the prompt itself is none of them."""
        asked = normalize_text("\n".join(map(text_of, prompt)))
        turns: list[Message] = []
        for index in itertools.count():
            if len(turns) == 2 * self.shots:
                break
            row = self._example_row(index)
            if normalize_text(row["question"]) not in asked:
                turns.append(user(_prompt(row, row["options"], mode)))
                turns.append(assistant(format_choice(row["answer"], mode)))
        return turns

    def _example_row(self, index: int) -> dict[str, Any]:
        while len(self._example_rows) <= index:
            self._example_rows.append(
                draw_row(
                    self.generate,
                    self.canonical,
                    id=f"{self.card.id} examples",
                    split="train",
                    level=self.level if self.level in self.card.levels else None,
                    levels=self.card.levels,
                    index=len(self._example_rows),
                )
            )
        return self._example_rows[index]


def _prompt(row: dict[str, Any], options: dict[str, str], mode: GradingMode) -> str:
    question = row.get("question")
    if not isinstance(question, str) or not question.strip():
        raise RowError("question", "is missing or empty")
    listed = "\n".join(f"{letter}: {text}" for letter, text in options.items())
    rule = _BOX_RULE if mode in GRADING_MODES[:2] else _LINE_RULE
    return "\n\n".join(part for part in (question, listed, rule) if part)
