"""`textgym/EquivalenceJudge-v0`: one free-form question, one answer, compared by a judge."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Unpack

from textgym.cards import Card
from textgym.env import TextEnv
from textgym.env.options import JudgedEnvOptions
from textgym.envs.equivalence_judge.families import FAMILIES, LEVELS, draw
from textgym.errors import OracleError, RowError, UsageError
from textgym.messages import Message, assistant, text_of, user
from textgym.rewards import Grade
from textgym.tasks import nemo_gym as nemo_rows
from textgym.tasks.task import Task
from textgym.verifiers.judge import JudgeLike, compare_both_ways, make_judge
from textgym.verifiers.judge_options import split_judge_options
from textgym.verifiers.patterns import PatternSearch, compile_pattern

__all__ = ["EquivalenceJudge"]

_RULE = "Reply with the answer alone, in as few words as it takes."
_FLAGS = re.MULTILINE | re.DOTALL
_COMPONENTS = (
    "answered", "equal", "swap_failed", "full_generation_equal", "too_long", "forged_label",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class EquivalenceTask(Task):
    """A task whose answer is a text, with what its judging needs.

    Attributes:
        question: What the judge is told was asked.
        patterns: The row's own regular expressions.
    """

    question: str = ""
    patterns: tuple[str, ...] = ()


class EquivalenceJudge(TextEnv[None]):
    r"""A free-form question, answered in one message, which a judge compares with the right answer.

    ## Description
    The model reads a question and answers in its own words. A judge tells whether that means the
    same as the expected answer. Questions come from a generator (13 families: capitals, chemical
    elements, dates, clocks, words, numbers and more, each with five levels and several wordings,
    with answers so short that the judge `rule` can compare them), or from a data set. NeMo Gym's
    `equivalence_llm_judge` rows are read as they are.

    ## Observation
    A user message: the question, a blank line, and how to answer. A NeMo Gym row brings its own
    prompt.

    ## Action
    One assistant message. Its text is judged; its reasoning is not, and no judge sees it.

    ## Reward
    1 where the judge finds the answer equal, else 0; an empty answer gets 0 unseen. Settings below
    add the rewards of a failed swap and of a rescued answer; the declared range follows them.
    A judge that gives no verdict is a failure (`JudgeFailure`), never a reward.

    Components, each 0 or 1: `answered` (there was a text to judge), `equal` (the first verdict),
    `swap_failed` (equal, but not in the other order), `full_generation_equal` (not equal as it was
    extracted, but as a whole), `too_long` (the judge could not read so long an answer: not equal),
    `forged_label` (the answer writes one of the judge's labels itself: not equal), and where there
    are expressions `pattern_timeout` (their time ran out). `is_success` means equal at once, in
    both orders where both are asked.

    ## Episode end
    After the first message.

    ## Judging
    1. A regular expression finds the answer in the text: the row's `template_metadata.output_regex`
       or else `response_extract_regex`. The last match counts, and in it the first group that holds
       text; `^` and `$` are those of lines, `.` is any character. The last 20,000 characters are
       searched, for a second of CPU time at most in all: what runs out finds nothing. Where nothing
       is found, and for a broken expression of a row, the whole text is judged.
    2. The judge compares. With `check_twice_swap`, a yes has to hold in the other order as well.
    3. After a no, where the row has an expression of its own, the whole text is judged, anew where
       it was judged before, for part of the reward (`check_full_generation_on_fail`).

    Where the row has an expression of its own but its expected answer is longer than
    `extraction_length_threshold`, the whole text is judged once, without 2's swap and 3.

    The judge is asked for a label with a code that no answer can know, so that a label which it
    only quotes does not count. An answer that writes a label itself, in any spelling, is not equal,
    and the judge is not asked, unless the question or the expected answer holds that label. A judge
    that gives no verdict is asked once more, for the label alone. See [verifiers](../verifiers.md)
    for what a judge can be and how its replies are read. The spec of an environment that was given
    a callable or a policy cannot be saved; name it as `module:attribute`.

    ## Rows
    | field | meaning |
    | --- | --- |
    | `question` | the question |
    | `expected_answer` | the right answer, a text or a number; in the row or its `metadata` |
    | `template_metadata.output_regex` | optional, one regular expression or a list to try in turn |
    | `responses_create_params.input` | NeMo Gym's prompt, in place of `question` |

    Args:
        judge: `rule` (equal as texts or numbers, see [verifiers](../verifiers.md)),
            `openai:MODEL@BASE_URL`, `hf:MODEL`, `module:attribute`, or a policy, or a callable (a
            coroutine function too) from messages to text.
        question_extract_regex: Finds the question in the last user message, as in 1 above.
        response_extract_regex: Finds the answer in the text where the row has no expression.
        check_twice_swap: Whether a yes has to hold in the other order too.
        reward_if_swap_fails: The reward where it does not.
        use_per_record_regex: Whether the rows' own expressions are used.
        extraction_length_threshold: As above, in characters; None for no such limit.
        check_full_generation_on_fail: Whether to judge the whole text after a no.
        reward_if_full_generation_succeeds: The reward where that is a yes.
        **kwargs: The judge's options (`JudgeOptions`), and `dataset`, `split`, `level`,
            `max_turns` and `render_mode` of `TextEnv`.

    Raises:
        UsageError: An argument is not one of those above.

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

    ## Version history
    - v0: first version.
    """

    card = Card(
        id="textgym/EquivalenceJudge-v0",
        summary="Free-form questions whose answers a judge compares.",
        structure=("single-step",),
        capabilities=("reasoning", "knowledge", "instruction following"),
        domain=("general knowledge", "language", "mathematics", "science"),
        task_type="question answering",
        verification=("judge", "exact match"),
        levels=LEVELS,
        chance=0.059,
        data="generated, .jsonl, .parquet, hub; NeMo Gym equivalence_llm_judge rows",
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
                f"extraction_length_threshold is a number of 0 or more, or None, not {longest!r}"
            )
        self._question_pattern = question_extract_regex
        self._answer_pattern = response_extract_regex
        self._swaps, self._swap_reward = check_twice_swap, reward_if_swap_fails
        self._uses_row_patterns = use_per_record_regex
        self._longest = math.inf if longest is None else longest
        self._rescues = check_full_generation_on_fail
        self._rescue_reward = reward_if_full_generation_succeeds
        super().__init__(**env_options)

    @property
    def reward_range(self) -> tuple[float, float]:
        """0 to 1, and as far as the rewards of a failed swap and of a rescue lie beyond."""
        rewards = [0.0, 1.0]
        rewards += [self._swap_reward] if self._swaps else []
        rewards += [self._rescue_reward] if self._rescues and self._uses_row_patterns else []
        return float(min(rewards)), float(max(rewards))

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        """Draw a question of one of the families."""
        family, item = draw(rng, level)
        return {
            "question": item.question,
            "expected_answer": item.answer,
            "category": family,
            "fact": item.fact,
        }

    def canonical(self, row: dict[str, Any]) -> Any:
        """Return what is asked, however it is put."""
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
            found = PatternSearch().last_match(question, self._question_pattern, _FLAGS)
            question = found or question
        return EquivalenceTask(row["id"], tuple(prompt), answer, tools, row, question, patterns)

    def grade(self) -> Grade:
        """Ask the judge, as often as the settings say."""
        task, whole = self.task, self.answer_text.strip()
        found = dict.fromkeys(_COMPONENTS, 0.0)
        if not whole:
            return Grade(0.0, False, found)
        long = bool(task.patterns) and len(task.answer) > self._longest
        search = PatternSearch()
        answer = whole if long else self._extracted(whole, search)
        if self._patterns:
            found["pattern_timeout"] = float(search.timed_out)
        texts = task.question, task.answer, answer
        if self._swaps and not long:
            verdicts = compare_both_ways(self._judge, *texts)
        else:
            verdicts = [self._judge.compare(*texts)]
        reward = found["equal"] = float(verdicts[0].equal)
        found["answered"] = 1.0
        if verdicts[0].equal and not verdicts[-1].equal:
            found["swap_failed"], reward = 1.0, self._swap_reward
        elif not verdicts[0].equal and self._rescues and task.patterns and not long:
            verdicts.append(self._judge.compare(task.question, task.answer, whole, draw=1))
            if verdicts[-1].equal:
                found["full_generation_equal"], reward = 1.0, self._rescue_reward
        found["too_long"] = float(any(verdict.too_long for verdict in verdicts))
        found["forged_label"] = float(any(verdict.forged_label for verdict in verdicts))
        right = all(verdict.equal for verdict in verdicts)
        return Grade(reward, right, found, extracted_answer=answer)

    def solve(self) -> Message:
        """Say the expected answer."""
        answer = self.task.answer
        if self.task.patterns and self._extracted(answer, PatternSearch()) != answer.strip():
            raise OracleError(f"no answer can be made for the output_regex of {self.task.id}")
        return assistant(answer)

    def guess(self, rng: random.Random) -> Message:
        """Say the answer to another question of the same family."""
        family = self.task.row.get("category")
        level = self.task.row.get("level")
        _, other = draw(
            rng,
            level if level in LEVELS else LEVELS[-1],
            family if family in FAMILIES else "",
        )
        return assistant(other.answer)

    @property
    def _patterns(self) -> tuple[str, ...]:
        """The expressions that find the answer: the row's own, or the one for all rows."""
        return self.task.patterns or ((self._answer_pattern,) if self._answer_pattern else ())

    def _extracted(self, text: str, search: PatternSearch) -> str:
        """Return the answer that the expressions find, or the whole text."""
        found = (search.last_match(text, pattern, _FLAGS) for pattern in self._patterns)
        return next(filter(None, found), text)


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
        raise RowError("expected_answer", "is missing: it is a text or a number")
    return value


def _check_flag(name: str, flag: Any) -> None:
    if not isinstance(flag, bool):
        raise UsageError(f"{name} is true or false, not {flag!r}")


def _check_pattern(name: str, pattern: Any) -> None:
    if pattern is not None and (not isinstance(pattern, str) or compile_pattern(pattern) is None):
        raise UsageError(f"{name} is no regular expression, or too large a one: {pattern!r}")


def _check_reward(name: str, reward: Any) -> None:
    number = isinstance(reward, (int, float)) and not isinstance(reward, bool)
    if not number or not math.isfinite(reward):
        raise UsageError(f"{name} is a finite number, not {reward!r}")
