r"""`textgym/Math-v0`: one mathematical problem, one answer, verified as mathematics."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from typing import Any, Unpack

from textgym.cards import Card
from textgym.env import TextEnv
from textgym.env.options import JudgedEnvOptions
from textgym.envs.math.families import LEVELS, draw
from textgym.envs.math.rows import answer_of, form_of, prompt_of, question_of
from textgym.errors import UsageError
from textgym.messages import Message, assistant
from textgym.rewards import Grade
from textgym.tasks import nemo_gym as nemo_rows
from textgym.tasks.task import Task
from textgym.verifiers.judge import compare_both_ways, make_judge
from textgym.verifiers.judge_options import split_judge_options
from textgym.verifiers.maths import MAX_TIMEOUT, Form, verify

__all__ = ["Math"]

_NUMBER = re.compile(r"\d+")
_IN_ANY_PHRASE = frozenset(("0", "1"))
MIN_GUESS, MAX_GUESS = -5, 20


@dataclass(frozen=True, slots=True)
class MathTask(Task):
    """A task with the question that a judge reads.

    Attributes:
        question: The question, without how to answer it.
        form: How far the answer has to be worked out, see `textgym.verifiers.maths.forms`.
    """

    question: str = ""
    form: Form = "any"


class Math(TextEnv[None]):
    r"""A mathematical problem, answered in one message.

    ## Description
    The model reads a problem and gives its final answer, as a number, formula, set, interval,
    point or matrix. The answer is compared with the right one as mathematics: `0.5`, `1/2` and
    `\frac{2}{4}` are the same. Problems come from a generator (arithmetic, algebra, calculus,
    number theory, combinatorics, probability, geometry, sequences and linear algebra, 43 families
    with five levels each), or from a data set. NeMo Gym's `math_with_judge` rows and DAPO's are
    read as they are; `datasets_scripts/` turns GSM8K and MATH into rows.

    ## Observation
    A user message: the problem, a blank line, and `Put the final answer in \boxed{}.` A NeMo Gym
    or DAPO row brings its own prompt.

    ## Action
    One assistant message. Its text is graded; its reasoning is not.

    ## Reward
    1 for the right answer, else 0. The verifier reads the last box, or the last ones where only
    `and`, `or` or a comma stands between them; without a box, the last formula or number. An answer
    has to be worked out: what the right answer does not have, such as an integral, a determinant, a
    remainder or a power of a number, must not be left in it, and a formula of the question is no
    answer. See [verifiers](../verifiers.md#mathematics). Where the verifier says no and a judge is
    named, the judge compares the whole text with the right answer, and after a yes once more with
    the two in each other's place; only two yeses give 1. An empty answer gets 0 without either.
    Components:

    - `library_reward`: 1 where the verifier says yes, else 0;
    - `library_timeout`: 1 where the answer made it run out of time or memory, else 0. A judge is
      asked then, as after any no;
    - `unevaluated`: 1 where the answer was left to be computed, else 0. No judge is asked then;
    - `judge_reward`: the judge's part, only where the verifier says no and a judge is named;
    - `forged_label`: beside `judge_reward`, 1 where the answer writes one of the judge's labels
      itself, else 0. Then the judge's part is 0, and it is not asked.

    A judge or a worker process that fails is an error, never a reward.

    ## Episode end
    After the first message.

    ## Rows
    | field | meaning |
    | --- | --- |
    | `question` | the problem |
    | `expected_answer` | the right answer in LaTeX, with or without `$…$` |
    | `responses_create_params.input` | NeMo Gym's prompt, in place of `question` |
    | `prompt` | DAPO's prompt, a text or messages, in place of `question` |
    | `reward_model.ground_truth` | DAPO's right answer, in place of `expected_answer` |
    | `answer_form` | how far an answer is worked out: `any`, `evaluated` or `simplified` |

    ## Info
    After reset, `judge` names the judge, where one is used. After the last step `extracted_answer`
    is the answer as it was read.

    Args:
        judge: Who is asked where the verifier says no: None for nobody, `rule`, a policy's spec
            such as `openai:MODEL@BASE_URL`, `module:attribute`, a policy, or a callable from
            messages to text.
        should_use_judge: False: no judge is asked, even where one is named.
        library_verifier_timeout_seconds: How many seconds of computing the verifier gets.
        **kwargs: The judge's options (`JudgeOptions`), and `dataset`, `split`, `level`,
            `max_turns` and `render_mode` of `TextEnv`.

    Raises:
        UsageError: `should_use_judge` is neither true nor false, the time limit is no number over
            0 and up to 3,600, or the judge cannot be made.

    Example:
        >>> import gymnasium, textgym
        >>> env = gymnasium.make("textgym/Math-v0")
        >>> row = {"question": "Solve $4x^2 = 1$ for $x > 0$.", "expected_answer": "\\frac{1}{2}"}
        >>> observation, info = env.reset(options={"task": row})
        >>> print(observation[0]["content"])
        Solve $4x^2 = 1$ for $x > 0$.
        <BLANKLINE>
        Put the final answer in \boxed{}.
        >>> observation, reward, terminated, truncated, info = env.step("So $x = \\boxed{0.5}$.")
        >>> reward, terminated, info["extracted_answer"]
        (1.0, True, '1/2')
        >>> info["reward_components"]
        {'library_reward': 1.0, 'library_timeout': 0.0, 'unevaluated': 0.0}

    ## Version history
    - v0: first version.
    """

    card = Card(
        id="textgym/Math-v0",
        summary="Mathematical problems, generated or from a data set, verified as mathematics.",
        structure=("single-step",),
        capabilities=("reasoning", "calculation"),
        domain=("mathematics",),
        task_type="question answering",
        verification=("symbolic equality", "judge"),
        levels=LEVELS,
        chance=0.01,
        data="generated, .jsonl, .parquet, hub; NeMo Gym math_with_judge and DAPO rows",
        notes="A judge is asked only where one is named; the verifier alone decides by default.",
    )
    blocking = True  # the library runs in another process, and its time-out takes seconds

    task: MathTask

    def __init__(
        self,
        *,
        judge: Any = None,
        should_use_judge: bool = True,
        library_verifier_timeout_seconds: float = 10.0,
        **kwargs: Unpack[JudgedEnvOptions],
    ) -> None:
        if not isinstance(should_use_judge, bool):
            raise UsageError(f"should_use_judge is true or false, not {should_use_judge!r}")
        limit = library_verifier_timeout_seconds
        number = isinstance(limit, (int, float)) and not isinstance(limit, bool)
        if not number or not 0 < limit <= MAX_TIMEOUT:
            raise UsageError(
                "library_verifier_timeout_seconds is a number of seconds over 0 and up to "
                f"{MAX_TIMEOUT:g}, not {limit!r:.40}"
            )
        self._timeout = float(limit)
        self._judge = None
        judge_options, env_options = split_judge_options(kwargs)
        if judge is not None and should_use_judge:
            self._judge = make_judge(judge, **judge_options)
            self.judge_name = self._judge.name
        super().__init__(**env_options)

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        """Draw a problem of one of the families."""
        family, problem = draw(rng, level)
        return {
            "question": problem.question,
            "expected_answer": problem.answer,
            "answer_form": problem.form,
            "category": family,
        }

    def canonical(self, row: dict[str, Any]) -> Any:
        """Return family, numbers and answer, so that one problem in other words is in its split."""
        numbers = {*_NUMBER.findall(row["question"])} - _IN_ANY_PHRASE
        return [row["category"], sorted(numbers), row["expected_answer"]]

    def read_row(self, row: dict[str, Any]) -> Task:
        """Read one of textgym's flat rows, or one of NeMo Gym's or DAPO's."""
        prompt, answer = prompt_of(row), answer_of(row)
        tools = nemo_rows.tools_of(row)
        question = question_of(row, prompt)
        return MathTask(row["id"], tuple(prompt), answer, tools, row, question, form_of(row))

    def grade(self) -> Grade:
        """Let the verifier compare, and the judge where it says no."""
        task, text = self.task, self.answer_text
        components = dict.fromkeys(("library_reward", "library_timeout", "unevaluated"), 0.0)
        if not text.strip():
            return Grade(0.0, False, components)
        verdict = verify(
            task.answer, text, timeout=self._timeout, form=task.form, question=task.question
        )
        right = verdict.equal
        components["library_reward"] = float(verdict.equal)
        components["library_timeout"] = float(verdict.timed_out)
        components["unevaluated"] = float(verdict.unevaluated)
        if self._judge is not None and not right and not verdict.unevaluated:
            verdicts = compare_both_ways(self._judge, task.question, task.answer, text)
            right = verdicts[-1].equal
            components["judge_reward"] = float(right)
            components["forged_label"] = float(verdicts[-1].forged_label)
        return Grade(float(right), right, components, extracted_answer=verdict.extracted)

    def solve(self) -> Message:
        """Give the right answer."""
        return assistant(f"\\boxed{{{self.task.answer}}}")

    def guess(self, rng: random.Random) -> Message:
        """Give a small whole number."""
        return assistant(f"\\boxed{{{rng.randint(MIN_GUESS, MAX_GUESS)}}}")
