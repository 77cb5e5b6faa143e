"""`textgym/EquivalenceJudge-v0`: one free-form question, one answer, compared by a judge."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Unpack

from textgym.core.authoring import JudgedEnvOptions
from textgym.core.card import Card
from textgym.core.episode import Grade
from textgym.core.text_env import TextEnv
from textgym.envs.equivalence_judge.families import FAMILIES, FIRST_RUNG, LEVELS
from textgym.envs.generation import choice
from textgym.errors import OracleError, RowError, UsageError
from textgym.messages import Message, assistant, text_of, user
from textgym.tasks import nemo_rows
from textgym.tasks.task import Task
from textgym.verifiers.judge import JudgeLike, compare_both_ways, make_judge
from textgym.verifiers.judge.prompt import split_judge_options
from textgym.verifiers.patterns import PatternSearch, compile_pattern

__all__ = ["EquivalenceJudge"]

_RULE = "Reply with the answer alone, in as few words as it takes."
_FLAGS = re.MULTILINE | re.DOTALL
_COMPONENTS = (
    "answered", "equal", "swap_failed", "full_generation_equal", "too_long", "forged_label",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class EquivalenceTask(Task):
    """A task whose answer is a string, with what the judging needs.

    Attributes:
        question: The question that the judge is shown.
        patterns: The row's regular expressions.
    """

    question: str = ""
    patterns: tuple[str, ...] = ()


class EquivalenceJudge(TextEnv[None]):
    r"""A free-form question, answered in one message and graded by a judge.

    It measures whether a model answers short questions correctly in its own words. A judge compares
    the meaning, so it suits answers that cannot be compared exactly.

    ## Description
    The model reads a question and answers in its own words. A judge decides whether the answer
    means the same as the expected one. Questions come from a data set or from a generator. The
    generator has 13 families (capitals, chemical elements, dates, clocks, words, numbers and more),
    each with five levels and several wordings; its answers are short enough for the judge `rule`.
    With `level=0`, the model is asked to repeat two words.
    NeMo Gym's `equivalence_llm_judge` rows are supported.

    ## Observation
    A user message: the question, a blank line, and an instruction how to answer. NeMo Gym rows
    contain their own prompt.

    ## Action
    One assistant message. Its text is judged; its reasoning is never shown to the judge.

    ## Reward
    1 if the judge finds the answers equal, else 0. An empty answer gets 0 without asking the judge.
    Some arguments give other rewards to answers that pass only one of several checks; the declared
    reward range includes them. A judge that gives no verdict raises `JudgeFailure`, which is never
    a reward.

    Components, each 0 or 1:

    - `answered`: there was a text to judge
    - `equal`: the first verdict was "equal"
    - `swap_failed`: the verdict was "equal", but not in swapped order
    - `full_generation_equal`: the extracted answer was not equal, but the whole text was
    - `too_long`: the answer was too long for the judge, and so counts as not equal
    - `forged_label`: the answer contains one of the judge's labels, and so counts as not equal
    - `pattern_timeout`: only with regular expressions; their time ran out

    ## Info
    | key | meaning |
    | --- | --- |
    | `task_id` | the id of the task; in every info |
    | `tools` | after reset, an empty list |
    | `judge` | after reset, the name of the judge |
    | `stop_reason` | after the last step, as all below: `answer`, or `max_turns` if truncated |
    | `is_success` | whether the first verdict is "equal", and the swapped one, if there is one |
    | `extracted_answer` | the text that was judged |
    | `reward_components` | the components above |
    | `verdict_reason` | why the reward is not full, such as `wrong`; `""` if it is |

    ## Episode end
    After the first message.

    ## Judging
    1. A regular expression extracts the answer from the text: the row's
       `template_metadata.output_regex`, or else `response_extract_regex`. The last match counts,
       and in it the first non-empty group. `^` and `$` match at lines, `.` matches any character.
       The last 20,000 characters are searched, for at most one second of CPU time in total; an
       expression that runs out of time matches nothing. Without a match, or if an expression of a
       row is broken, the whole text is judged.
    2. The judge compares the answers. With `check_twice_swap`, an "equal" must hold in swapped
       order as well.
    3. After "not equal", if the row has its own expression, the whole text is judged for a part of
       the reward (`check_full_generation_on_fail`), even if it was judged in step 2.

    If the row has its own expression and its expected answer is longer than
    `extraction_length_threshold`, the whole text is judged once, without the swap and without
    step 3.

    The judge writes a label with a code that no answer can know, so labels that it only quotes do
    not count. An answer that contains a label, in any spelling, is not equal, and the judge is not
    asked, unless the question or the expected answer contains that label too. A judge that gives no
    verdict is asked once more, for only the label. See [verifiers](../verifiers.md) for the kinds
    of judges and how their replies are read. The spec of an environment that was given a callable
    or a policy object cannot be saved; pass its name as `module:attribute` instead.

    ## Rows
    | field | meaning |
    | --- | --- |
    | `question` | the question |
    | `expected_answer` | the correct answer, a string or number, in the row or its `metadata` |
    | `template_metadata.output_regex` | optional, a regular expression or a list to try in order |
    | `responses_create_params.input` | NeMo Gym's prompt, in place of `question` |

    Args:
        judge: `rule` (equal as texts or as numbers, see [verifiers](../verifiers.md)),
            `openai:MODEL@BASE_URL`, `hf:MODEL`, `module:attribute`, a `Policy`, or a callable or
            coroutine function from messages to text.
        question_extract_regex: Extracts the question from the last user message, as in step 1.
        response_extract_regex: Extracts the answer from the text if the row has no expression.
        check_twice_swap: Whether "equal" must also hold in swapped order.
        reward_if_swap_fails: The reward if it does not.
        use_per_record_regex: Whether to use the rows' expressions.
        extraction_length_threshold: The length limit described above, in characters; None for no
            limit.
        check_full_generation_on_fail: Whether to judge the whole text after "not equal".
        reward_if_full_generation_succeeds: The reward if the whole text is equal.
        **kwargs: The judge's options (`JudgeOptions`), and `dataset`, `split`, `level`,
            `max_turns` and `render_mode` of `TextEnv`.

    Raises:
        UsageError: An argument is not valid.

    Example:
        >>> import gymnasium, textgym
        >>> env = gymnasium.make("textgym/EquivalenceJudge-v0")
        >>> row = {"question": "Which tower did Gustave Eiffel build?",
        ...        "expected_answer": "the Eiffel Tower"}
        >>> observation, info = env.reset(options={"task": row})
        >>> info["judge"]
        'rule'
        >>> env.step("Eiffel tower.")[1]
        1.0
        >>> observation, info = env.reset(options={"task": row})
        >>> env.step("A tower in Paris.")[1]
        0.0

    ## Version history
    - v0: first version.
    """

    card = Card(
        id="textgym/EquivalenceJudge-v0",
        summary="Free-form questions with answers that a judge compares.",
        structure=("single-step",),
        capabilities=("reasoning", "knowledge"),
        domain=("general knowledge", "language", "mathematics", "science"),
        task_type="question answering",
        verification=("judge", "exact match"),
        levels=LEVELS,
        first_rung=True,
        chance=0.059,
        data="generated, .jsonl, .parquet, .csv, hub; NeMo Gym equivalence_llm_judge rows",
        accepts=("markdown", "quotes", "full stop", "any case"),
        judge="rule",
    )

    task: EquivalenceTask

    def __init__(
        self,
        *,
        judge: JudgeLike = "rule",
        question_extract_regex: str | None = None,
        response_extract_regex: str | None = None,
        check_twice_swap: bool = False,
        reward_if_swap_fails: float = 0.0,
        use_per_record_regex: bool = True,
        extraction_length_threshold: int | None = 120,
        check_full_generation_on_fail: bool = True,
        reward_if_full_generation_succeeds: float = 0.5,
        **kwargs: Unpack[JudgedEnvOptions],
    ) -> None:
        judge_options, env_options = split_judge_options(kwargs)
        self._judge = make_judge(judge, **judge_options)
        self.judge_name, self.blocking = self._judge.name, self._judge.blocking
        _check_flag("check_twice_swap", check_twice_swap)
        _check_flag("use_per_record_regex", use_per_record_regex)
        _check_flag("check_full_generation_on_fail", check_full_generation_on_fail)
        _check_pattern("question_extract_regex", question_extract_regex)
        _check_pattern("response_extract_regex", response_extract_regex)
        _check_reward("reward_if_swap_fails", reward_if_swap_fails)
        _check_reward("reward_if_full_generation_succeeds", reward_if_full_generation_succeeds)
        longest = extraction_length_threshold
        if longest is not None and (type(longest) is not int or longest < 0):
            raise UsageError(
                "extraction_length_threshold must be an integer of 0 or more, or None, "
                f"not {longest!r}"
            )
        self._question_pattern = question_extract_regex
        self._answer_pattern = response_extract_regex
        self._check_swap, self._swap_reward = check_twice_swap, reward_if_swap_fails
        self._uses_row_patterns = use_per_record_regex
        self._max_extracted = math.inf if longest is None else longest
        self._check_whole = check_full_generation_on_fail
        self._whole_reward = reward_if_full_generation_succeeds
        super().__init__(**env_options)

    @property
    def reward_range(self) -> tuple[float, float]:
        """0 to 1, extended to the rewards for a failed swap and for an equal full text."""
        rewards = [0.0, 1.0]
        rewards += [self._swap_reward] if self._check_swap else []
        rewards += [self._whole_reward] if self._check_whole and self._uses_row_patterns else []
        return float(min(rewards)), float(max(rewards))

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        """Draw a question from a random family."""
        family, drawn = (FAMILIES if level else FIRST_RUNG).draw(rng, level)
        return {
            "question": drawn.question,
            "expected_answer": drawn.answer,
            "category": family,
            "fact": drawn.fact,
        }

    def canonical(self, row: dict[str, Any]) -> Any:
        """Return the fact that the question asks for, regardless of its wording."""
        return [row["category"], row["fact"]]

    def read_row(self, row: dict[str, Any]) -> Task:
        """Read one of textgym's flat rows, or one of NeMo Gym's."""
        answer = _answer_of(row)
        patterns = nemo_rows.patterns_of(row) if self._uses_row_patterns else ()
        if nemo_rows.has_prompt(row):
            prompt, tools = nemo_rows.prompt_of(row), nemo_rows.tools_of(row)
            asked = [text_of(message) for message in prompt if message["role"] == "user"]
            question = asked[-1].strip() if asked else ""
        else:
            question = _question_of(row)
            prompt, tools = [user(f"{question}\n\n{_RULE}")], None
        if self._question_pattern is not None:
            match = PatternSearch().last_match(question, self._question_pattern, _FLAGS)
            question = match or question
        return EquivalenceTask(row["id"], tuple(prompt), answer, tools, row, question, patterns)

    def grade(self) -> Grade:
        """Ask the judge, several times if the arguments require it."""
        task, whole = self.task, self.answer_text.strip()
        components = dict.fromkeys(_COMPONENTS, 0.0)
        if not whole:
            return Grade(0.0, False, components, extracted_answer="")
        long = bool(task.patterns) and len(task.answer) > self._max_extracted
        search = PatternSearch()
        answer = whole if long else self._extracted(whole, search)
        if self._patterns:
            components["pattern_timeout"] = float(search.timed_out)
        texts = task.question, task.answer, answer
        if self._check_swap and not long:
            verdicts = compare_both_ways(self._judge, *texts)
        else:
            verdicts = [self._judge.compare(*texts)]
        reward = components["equal"] = float(verdicts[0].equal)
        components["answered"] = 1.0
        if verdicts[0].equal and not verdicts[-1].equal:
            components["swap_failed"], reward = 1.0, self._swap_reward
        elif self._asks_about_whole_text(verdicts[0].equal) and not long:
            verdicts.append(self._judge.compare(task.question, task.answer, whole, draw=1))
            if verdicts[-1].equal:
                components["full_generation_equal"], reward = 1.0, self._whole_reward
        components["too_long"] = float(any(verdict.too_long for verdict in verdicts))
        components["forged_label"] = float(any(verdict.forged_label for verdict in verdicts))
        right = all(verdict.equal for verdict in verdicts)
        return Grade(reward, right, components, extracted_answer=answer)

    def _asks_about_whole_text(self, equal: bool) -> bool:
        """Return whether the judge is asked about the whole text after the extracted answer failed.

        The rule judge is not: it would extract another answer from the same text.
        """
        if equal or not self.task.patterns or self.judge_name == "rule":
            return False
        return self._check_whole

    def solve(self) -> Message:
        """Give the expected answer."""
        answer = self.task.answer
        if self.task.patterns and self._extracted(answer, PatternSearch()) != answer.strip():
            raise OracleError(f"no answer can be made for the output_regex of {self.task.id}")
        return assistant(answer)

    def guess(self, rng: random.Random) -> Message:
        """Give the answer to another question of the same family."""
        family, level = self.task.row.get("category", ""), self.task.row.get("level")
        known = {**FAMILIES, **FIRST_RUNG}
        draw = known.get(family) or known[choice(rng, FAMILIES.names)]
        drawn = draw(rng, level if level in LEVELS else LEVELS[-1])
        return assistant(drawn.answer)

    @property
    def _patterns(self) -> tuple[str, ...]:
        """The expressions that extract the answer: the row's, or the one for all rows."""
        return self.task.patterns or ((self._answer_pattern,) if self._answer_pattern else ())

    def _extracted(self, text: str, search: PatternSearch) -> str:
        """Return the answer that the expressions extract, or the whole text."""
        matches = (search.last_match(text, pattern, _FLAGS) for pattern in self._patterns)
        return next(filter(None, matches), text)


def _question_of(row: Mapping[str, Any]) -> str:
    question = row.get("question")
    if not isinstance(question, str) or not question.strip():
        raise RowError("question", "is missing or empty")
    return question


def _answer_of(row: Mapping[str, Any]) -> str:
    value = nemo_rows.field_of(row, "expected_answer")
    if isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value):
        return str(value)
    if not isinstance(value, str) or not value.strip():
        raise RowError("expected_answer", "is missing; it is a string or a number")
    return value


def _check_flag(name: str, flag: Any) -> None:
    if not isinstance(flag, bool):
        raise UsageError(f"{name} must be true or false, not {flag!r}")


def _check_pattern(name: str, pattern: Any) -> None:
    if pattern is not None and (not isinstance(pattern, str) or compile_pattern(pattern) is None):
        raise UsageError(f"{name} is not a regular expression, or is too large: {pattern!r}")


def _check_reward(name: str, reward: Any) -> None:
    number = isinstance(reward, (int, float)) and not isinstance(reward, bool)
    if not number or not math.isfinite(reward):
        raise UsageError(f"{name} must be a finite number, not {reward!r}")
