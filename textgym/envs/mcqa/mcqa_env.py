"""`textgym/MCQA-v0`: one multiple-choice question, one answer."""

from __future__ import annotations

import itertools
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from textgym.core.card import Card
from textgym.core.episode import Grade
from textgym.core.text_env import TextEnv
from textgym.envs.generation import sample
from textgym.envs.mcqa.families import FAMILIES, FIRST_RUNG, LEVELS
from textgym.envs.mcqa.families.question import content_of
from textgym.envs.mcqa.mcqa_rows import (
    NO_SEARCH_SETTINGS,
    SearchSettings,
    answer_of,
    mode_of,
    options_of,
    search_settings,
)
from textgym.errors import OracleError, RowError, UnknownNameError, UsageError, did_you_mean
from textgym.messages import Message, assistant, text_of, user
from textgym.tasks import nemo_rows
from textgym.tasks.task import Task, draw_rows
from textgym.verifiers.choices import (
    GRADING_MODES,
    GradingMode,
    WhichMatch,
    choice,
    format_choice,
)
from textgym.verifiers.exact import normalize_text
from textgym.verifiers.extract import after_reasoning
from textgym.verifiers.patterns import PatternSearch

__all__ = ["MCQA"]

_LETTERS = "ABCD"
_BOX_RULE = "Put the letter of the right option in \\boxed{}."
_LINE_RULE = 'End with a line that says "Answer: " and the letter of the right option.'


@dataclass(frozen=True, slots=True)
class MCQATask(Task):
    """A task whose answer is a letter, with the data for grading.

    Attributes:
        options: The options, from letter to text.
        mode: The grading mode, from the keyword argument or the row.
        patterns: The row's regular expressions.
        search: Which part of a text they search.
    """

    options: Mapping[str, str] = field(default_factory=dict)
    mode: GradingMode = GRADING_MODES[0]
    patterns: tuple[str, ...] = ()
    search: SearchSettings = NO_SEARCH_SETTINGS


class MCQA(TextEnv[None]):
    r"""A multiple-choice question, answered in one message.

    It measures whether a model knows or works out an answer, and commits to one letter in the form
    that is asked for. With a few options the grading is exact and chance is known, so small
    differences between models show.

    ## Description
    The model reads a question with lettered options and names one letter, in the format that
    `grading_mode` requires. Questions come from a data set or from a generator (arithmetic,
    calendars, chemistry, geography, logic, tables and more, each with five levels). Distractors of
    generated questions are the correct answers to similar questions, which a typical mistake leads
    to. Which of the four questions is asked is random, so the options do not reveal the
    answer. With `level=0`, the question names one of two words, which are the options. NeMo Gym's
    `mcqa` rows are supported.

    ## Observation
    A user message: the question, a blank line, the options as `A: text`, a blank line, and an
    instruction on how to answer. With `shots`, solved examples precede it as earlier turns. NeMo
    Gym rows contain their own prompt.

    ## Action
    One assistant message. Its text is graded; its reasoning is ignored.

    ## Reward
    1 for the correct letter, else 0. Components: `correct`, `answered` (a letter was found), and,
    if the row has regular expressions, `pattern_timeout` (their time ran out).

    ## Info
    | key | meaning |
    | --- | --- |
    | `task_id` | the id of the task; in every info |
    | `tools` | after reset, an empty list |
    | `stop_reason` | after the last step, as all below: `answer`, or `max_turns` if truncated |
    | `is_success` | whether the letter is correct |
    | `extracted_answer` | the letter that was read; `""` for none |
    | `reward_components` | the components above |
    | `verdict_reason` | why the reward is not full, such as `wrong`; `""` if it is |

    ## Episode end
    After the first message.

    ## Grading modes
    - `strict_single_letter_boxed`: the last closed `\boxed{}` contains one capital letter, or a
      letter followed by `:`, `)`, `.` or `-` and text, or a letter followed by its option's text.
      A box that begins with the full text of an option, such as `E. coli`, is not read as a letter.
    - `lenient_boxed`: as above; otherwise the box contains the full text of an option, or the text
      of exactly one option among other words, without a negation.
    - `lenient_answer_colon`: the first `Answer:` outside quotations is followed by a letter in
      either case, by the full text of an option, or by a letter and its option's text (`B) zinc`).
    - `lenient_answer_colon_md`: the last `Answer:` from which one letter can be read, which is the
      letter that the answer begins with or the only capital letter in it.

    All modes ignore LaTeX, Markdown, quotes and brackets around an answer. Several letters (`A/B`,
    `A or B`) and negated ones (`not B`, `B is wrong`) choose nothing. See
    [verifiers](../verifiers.md) for examples of each mode.

    A row's `template_metadata.output_regex` takes precedence over the mode. Its expressions are
    tried in order and ignore case, except within `(?-i:…)`; broken ones are skipped. In the
    captured text, and after `Answer:` in the last mode, Arabic, Bengali and full-width letters
    count as A to D. Searching takes at most one second of CPU time in total; an expression that
    runs out of time matches nothing.

    ## Models that run on
    A base model may continue with another question and answer that, too. Three settings decide
    which answer counts. The environment's arguments of the same names take precedence over the
    row's:

    - `output_regex_match`: `last` (the default, as in NeMo Gym) takes an expression's last match in
      the last 20,000 characters, `first` its first match in the text, as MMLU-Pro and
      lm-evaluation-harness do. In `lenient_answer_colon` it selects the `Answer:`; the first one is
      the default there. The other modes ignore it.
    - `stop`: a string or a list of strings. The answer is cut at the first of them before it is
      searched, in all modes.
    - `output_regex_only`: `true` if a text without a match of the expressions chooses nothing, as
      in many published evaluations. By default, the mode reads it.

    ## Rows
    | field | meaning |
    | --- | --- |
    | `question` | the question |
    | `options` | 2 to 26: letter to text, or a list of one-key objects; nulls are left out |
    | `answer` | the correct letter (or `expected_answer`, in the row or its `metadata`) |
    | `grading_mode` | optional, one of the modes above |
    | `category`, `content` | in generated rows, the family, and what decides the split |
    | `template_metadata.output_regex` | optional, a regular expression or a list |
    | `output_regex_match`, `stop` | optional, see above; also in `template_metadata` |
    | `output_regex_only` | likewise |
    | `responses_create_params.input` | NeMo Gym's prompt, in place of `question` |

    A row with an `output_regex` may have no options.

    Args:
        grading_mode: One of the modes above. None uses the row's mode, and the strict mode if the
            row has none.
        output_regex: An expression, or a list of them. None uses the row's.
        output_regex_match: `first` or `last`. None uses the row's.
        output_regex_only: Whether the mode does not read an answer. None uses the row's.
        stop: A string, or a list of strings. None uses the row's.
        shots: The number of solved examples before the question, from the generator's train split.
        **kwargs: `dataset`, `split`, `level`, `max_turns` and `render_mode` of `TextEnv`.

    Raises:
        UsageError: The mode does not exist, `output_regex`, `output_regex_match`,
            `output_regex_only` or `stop` is not valid, or `shots` is not an integer of 0 or more.

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
        >>> observation, info = env.reset(options={"task": row})
        >>> observation, reward, terminated, truncated, info = env.step("\\boxed{A or B}")
        >>> reward, info["verdict_reason"]
        (0.0, 'several_answers')

    ## Version history
    - v0: first version.
    """

    card = Card(
        id="textgym/MCQA-v0",
        summary="Multiple-choice questions, generated or from a data set.",
        structure=("single-step",),
        capabilities=("reasoning", "knowledge"),
        domain=("general knowledge", "mathematics", "science", "logic"),
        task_type="multiple choice",
        verification=("exact match",),
        levels=LEVELS,
        first_rung=True,
        first_rung_chance=0.5,
        chance=1 / len(_LETTERS),
        data="generated, .jsonl, .parquet, .csv, hub; NeMo Gym mcqa rows",
        accepts=("markdown", "quotes", "sentences", "full stop"),
        notes="The splits differ in the options that are offered together, so that no option of a "
        "test question was ruled out in training. Small families, such as capitals, elements, "
        "Roman numerals and small sums, ask for the same facts in all splits, with other options.",
    )

    task: MCQATask

    def __init__(
        self,
        *,
        grading_mode: GradingMode | None = None,
        output_regex: str | Sequence[str] | None = None,
        output_regex_match: WhichMatch | None = None,
        output_regex_only: bool | None = None,
        stop: str | Sequence[str] | None = None,
        shots: int = 0,
        **kwargs: Any,
    ) -> None:
        if grading_mode is not None and grading_mode not in GRADING_MODES:
            hint = did_you_mean(str(grading_mode), GRADING_MODES)
            raise UnknownNameError(f"there is no grading_mode {grading_mode!r}{hint}")
        if not isinstance(shots, int) or shots < 0:
            raise UsageError(f"shots must be an integer of 0 or more, not {shots!r}")
        try:
            self._patterns = nemo_rows.patterns_of(
                {"template_metadata": {"output_regex": output_regex}}
            )
            self._search = search_settings(
                {
                    "output_regex_match": output_regex_match,
                    "output_regex_only": output_regex_only,
                    "stop": stop,
                }
            )
        except RowError as error:
            raise UsageError(f"{error.field} {error.problem}") from None
        self.grading_mode = grading_mode
        self.shots = shots
        self._example_rows: list[dict[str, Any]] = []
        super().__init__(**kwargs)

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        """Draw a question from a random family, with its options in random order."""
        family, item = (FAMILIES if level else FIRST_RUNG).draw(rng, level)
        texts = sample(rng, (item.right, *item.wrong), 1 + len(item.wrong))
        return {
            "question": item.question,
            "options": dict(zip(_LETTERS, texts, strict=False)),
            "answer": _LETTERS[texts.index(item.right)],
            "category": family,
            "content": content_of(item),
        }

    def canonical(self, row: dict[str, Any]) -> Any:
        """Return the options that are offered, which do not reveal the correct one."""
        return [row["category"], row["content"]]

    def read_row(self, row: dict[str, Any]) -> Task:
        """Read one of textgym's flat rows, or one of NeMo Gym's."""
        options = options_of(row)
        answer = answer_of(row, options)
        patterns = self._patterns or nemo_rows.patterns_of(row)
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
        search = search_settings(row, self._search)
        return MCQATask(
            row["id"], tuple(prompt), answer, tools, row, options, mode, patterns, search
        )

    def grade(self) -> Grade:
        """Compare the chosen letter with the correct one."""
        task = self.task
        search = PatternSearch() if task.patterns else None
        # Stop strings may begin with white space, which `answer_text` has lost.
        has_stop = bool(task.search.stop)
        text = after_reasoning(text_of(next(self.replies))) if has_stop else self.answer_text
        letter = _letter(text, task, search)
        right = letter == task.answer
        reward = 1.0 if right else 0.0
        components = {"correct": reward, "answered": 1.0 if letter else 0.0}
        if search:
            components["pattern_timeout"] = float(search.timed_out)
        reason = "wrong" if letter and not right else ""
        return Grade(reward, right, components, letter, verdict_reason=reason)

    def solve(self) -> Message:
        """Choose the correct option."""
        task = self.task
        if not task.patterns and not task.search.stop:
            return assistant(format_choice(task.answer, task.mode))
        text = self._readable(task.answer)
        if text is None:
            raise OracleError(f"no answer can be made for the output_regex and stop of {task.id}")
        return assistant(text)

    def guess(self, rng: random.Random) -> Message:
        """Choose a random option."""
        task = self.task
        letter = rng.choice(list(task.options) or list(_LETTERS))
        has_settings = task.patterns or task.search.stop
        text = self._readable(letter) if has_settings else None
        return assistant(text or format_choice(letter, task.mode))

    def _readable(self, letter: str) -> str | None:
        """Return a text that the task's settings read as a letter; None if none of a few is."""
        texts = (
            format_choice(letter, self.task.mode),
            f"The answer is ({letter})",
            f"The best answer is {letter}",
        )
        return next((text for text in texts if _letter(text, self.task, None) == letter), None)

    def _examples(self, prompt: list[Message], mode: GradingMode) -> list[Message]:
        """Return solved examples as turns, without any question that is in the prompt itself."""
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
                next(
                    draw_rows(
                        self.generate,
                        self.canonical,
                        id=f"{self.card.id} examples",
                        split="train",
                        level=self.level if self.level in (0, *self.card.levels) else None,
                        levels=self.card.levels,
                        index=len(self._example_rows),
                    )
                )
            )
        return self._example_rows[index]


def _letter(text: str, task: MCQATask, search: PatternSearch | None) -> str:
    """Return the letter that a text chooses in a task; "" for none."""
    which, stop, only = task.search
    mode = None if only and task.patterns else task.mode
    return choice(text, task.options, mode, task.patterns, search, which, stop)


def _prompt(row: dict[str, Any], options: dict[str, str], mode: GradingMode) -> str:
    question = row.get("question")
    if not isinstance(question, str) or not question.strip():
        raise RowError("question", "is missing or empty")
    listed = "\n".join(f"{letter}: {text}" for letter, text in options.items())
    rule = _BOX_RULE if mode in GRADING_MODES[:2] else _LINE_RULE
    return "\n\n".join(part for part in (question, listed, rule) if part)
