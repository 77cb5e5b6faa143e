"""`textgym/Math-v0`: one mathematical problem, one answer, compared as mathematics.

Rows may have the formats of textgym, NeMo Gym and DAPO.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Unpack

from textgym.core.authoring import JudgedEnvOptions
from textgym.core.card import Card
from textgym.core.episode import Grade
from textgym.core.text_env import TextEnv
from textgym.envs.math.families import FAMILIES, FIRST_RUNG, LEVELS
from textgym.errors import RowError, UsageError
from textgym.messages import Message, assistant, text_of, user
from textgym.tasks import nemo_rows
from textgym.tasks.task import Task
from textgym.verifiers.judge import compare_both_ways, make_judge
from textgym.verifiers.judge.prompt import split_judge_options
from textgym.verifiers.math import FORMS, MAX_TIMEOUT, Form, verify
from textgym.verifiers.stated import named_form

__all__ = ["Math", "answer_of", "form_of", "prompt_of", "question_of"]


_RULE = "Put the final answer in \\boxed{}."


def answer_of(row: Mapping[str, Any]) -> str:
    r"""Return a row's correct answer, from `expected_answer` or `reward_model.ground_truth`.

    Raises:
        RowError: It is missing, or not a string.

    Example:
        >>> answer_of({"expected_answer": "\\sqrt{2}"})
        '\\sqrt{2}'
        >>> answer_of({"reward_model": {"ground_truth": "34", "style": "rule"}})
        '34'
    """
    field, answer = "expected_answer", row.get("expected_answer")
    model = row.get("reward_model")
    if answer is None and isinstance(model, Mapping):
        field, answer = "reward_model.ground_truth", model.get("ground_truth")
    if answer is None:
        raise RowError("expected_answer", "is missing; it is the correct answer in LaTeX")
    if not isinstance(answer, str) or not answer.strip():
        raise RowError(field, f"must be a string such as '32', not {answer!r}")
    return answer


def form_of(row: Mapping[str, Any]) -> Form:
    """Return how far a row requires its answer to be evaluated.

    Raises:
        RowError: `answer_form` is not a known form.

    Example:
        >>> form_of({}), form_of({"answer_form": "simplified"})
        ('any', 'simplified')
    """
    form: Form = row.get("answer_form") or "any"
    if form not in FORMS:
        raise RowError("answer_form", f"must be one of {', '.join(FORMS)}, not {form!r:.40}")
    return form


def prompt_of(row: Mapping[str, Any]) -> list[Message]:
    r"""Return a row's prompt, or make one from its question if it has none.

    Raises:
        RowError: The row has neither a prompt nor a question, or it is not valid.

    Example:
        >>> prompt_of({"question": "What is $2 + 2$?"})[0]["content"]
        'What is $2 + 2$?\n\nPut the final answer in \\boxed{}.'
    """
    if nemo_rows.has_prompt(row):
        return nemo_rows.prompt_of(row)
    if row.get("prompt") is not None:
        return nemo_rows.messages_of(row["prompt"], "prompt")
    if row.get("question") is None:
        raise RowError("question", "is missing")
    return [user(f"{question_of(row, [])}\n\n{_RULE}")]


def question_of(row: Mapping[str, Any], prompt: list[Message]) -> str:
    """Return the question that a judge reads: the row's, or else the prompt's user messages.

    Raises:
        RowError: It is not a string.

    Example:
        >>> question_of({}, [user("What is 2 + 2?")])
        'What is 2 + 2?'
    """
    question = row.get("question")
    if question is None:
        return "\n\n".join(text_of(item) for item in prompt if item["role"] == "user")
    if not isinstance(question, str) or not question.strip():
        raise RowError("question", f"must be a non-blank string, not {question!r}")
    return question


_NUMBER = re.compile(r"\d+")
_COMMON_NUMBERS = frozenset(("0", "1"))  # the wording of a problem may contain them
MIN_GUESS, MAX_GUESS = -5, 20


@dataclass(frozen=True, slots=True)
class MathTask(Task):
    """A task with the question for the judge.

    Attributes:
        question: The question, without the instruction on how to answer.
        form: How far the answer must be evaluated, see `textgym.verifiers.math.verdict`.
    """

    question: str = ""
    form: Form = "any"


class Math(TextEnv[None]):
    r"""A mathematical problem, answered in one message.

    It measures whether a model solves problems exactly. Answers are compared as mathematics, so no
    way of writing them is preferred, and unevaluated formulas earn nothing.

    ## Description
    The model reads a problem and gives a final answer: a number, formula, set, interval, point or
    matrix. The answer is compared with the correct one as mathematics, so `0.5`, `1/2` and
    `\frac{2}{4}` are equal. Problems come from a data set or from a generator, which has 43
    families with five levels each: arithmetic, algebra, calculus, number theory, combinatorics,
    probability, geometry, sequences and linear algebra. With `level=0`, the problem states the
    number that it asks for. NeMo Gym's `math_with_judge` rows and DAPO rows are supported;
    `datasets_scripts/` converts GSM8K and MATH.

    ## Observation
    A user message: the problem, a blank line, and `Put the final answer in \boxed{}.` NeMo Gym and
    DAPO rows contain their own prompt.

    ## Action
    One assistant message. Its text is graded; its reasoning is ignored.

    ## Reward
    1 for a correct answer, else 0. The verifier reads the last box, or the last several boxes if
    only `and`, `or` or a comma separates them. Without a box, it reads what is stated last: behind
    `answer is` or `Answer:`, or else in the last sentence with a value. A word, time
    or date is compared as text. The answer must be evaluated: it must not contain an operation that
    the correct answer does not have, such as an integral, a determinant, a remainder or a power of
    a number, and it must not be a formula of the question or a computation with its numbers. See
    [verifiers](../verifiers.md#mathematics).

    If the verifier rejects the answer and there is a judge, the judge compares the whole text with
    the correct answer. After a positive verdict it compares them once more in swapped order, and
    the reward is 1 only if both verdicts are positive. An empty answer gets 0 without any check.
    Components:

    - `library_reward`: 1 if the verifier accepts the answer, else 0;
    - `library_timeout`: 1 if the answer made the verifier run out of time or memory, else 0. The
      judge is asked then, as after any rejection;
    - `unevaluated`: 1 if the answer was not evaluated, else 0. The judge is not asked then;
    - `judge_reward`: 1 if the judge accepts the answer, else 0. Only present if the verifier
      rejects the answer and there is a judge;
    - `forged_label`: present with `judge_reward`; 1 if the answer contains one of the judge's
      labels, else 0. Such an answer gets no reward from the judge, which is not asked.

    A failure of the judge or of a worker process is an error, never a reward.

    ## Info
    | key | meaning |
    | --- | --- |
    | `task_id` | the id of the task; in every info |
    | `tools` | after reset, an empty list |
    | `judge` | after reset, the name of the judge; only if there is one |
    | `stop_reason` | after the last step, as all below: `answer`, or `max_turns` if truncated |
    | `is_success` | whether the verifier or the judge accepts the answer |
    | `extracted_answer` | the answer as the verifier read it |
    | `reward_components` | the components above |
    | `verdict_reason` | why the reward is not full, such as `incomplete`; `""` if it is |

    ## Episode end
    After the first message.

    ## Rows
    | field | meaning |
    | --- | --- |
    | `question` | the problem |
    | `expected_answer` | the correct answer in LaTeX, with or without `$…$` |
    | `responses_create_params.input` | NeMo Gym's prompt, in place of `question` |
    | `prompt` | DAPO's prompt, a string or messages, in place of `question` |
    | `reward_model.ground_truth` | DAPO's correct answer, in place of `expected_answer` |
    | `answer_form` | how far the answer must be evaluated: `any`, `evaluated` or `simplified` |

    Args:
        judge: The judge that is asked if the verifier rejects an answer: None for no judge, `rule`,
            a policy such as `openai:MODEL@BASE_URL`, `module:attribute`, a `Policy`, or a callable
            from messages to text.
        should_use_judge: False disables the judge.
        library_verifier_timeout_seconds: The verifier's time limit for one answer, in seconds.
        **kwargs: The judge's options (`JudgeOptions`), and `dataset`, `split`, `level`,
            `max_turns` and `render_mode` of `TextEnv`.

    Raises:
        UsageError: `should_use_judge` is not a bool, the time limit is not a number over 0 and up
            to 3,600, or the judge cannot be made.

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
        >>> observation, info = env.reset(options={"task": row})
        >>> observation, reward, terminated, truncated, info = env.step("\\boxed{\\sqrt{1/4}}")
        >>> reward, info["verdict_reason"]
        (0.0, 'incomplete')

    ## Version history
    - v0: first version.
    """

    card = Card(
        id="textgym/Math-v0",
        summary="Mathematical problems, generated or from a data set, compared as mathematics.",
        structure=("single-step",),
        capabilities=("reasoning", "calculation"),
        domain=("mathematics",),
        task_type="question answering",
        verification=("symbolic equality", "judge"),
        levels=LEVELS,
        first_rung=True,
        chance=0.01,
        data="generated, .jsonl, .parquet, .csv, hub; NeMo Gym math_with_judge and DAPO rows",
        accepts=("markdown", "quotes", "sentences", "full stop"),
        notes="By default the verifier alone decides; pass judge= to ask a judge as well.",
    )
    blocking = True  # the verifier runs in another process and can take seconds to time out

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
            raise UsageError(f"should_use_judge must be true or false, not {should_use_judge!r}")
        limit = library_verifier_timeout_seconds
        number = isinstance(limit, (int, float)) and not isinstance(limit, bool)
        if not number or not 0 < limit <= MAX_TIMEOUT:
            raise UsageError(
                "library_verifier_timeout_seconds must be a number over 0 and up to "
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
        """Draw a problem from a random family."""
        family, problem = (FAMILIES if level else FIRST_RUNG).draw(rng, level)
        return {
            "question": problem.question,
            "expected_answer": problem.answer,
            "answer_form": problem.form,
            "category": family,
        }

    def canonical(self, row: dict[str, Any]) -> Any:
        """Return family, numbers and answer, so that rewordings of a problem share a split."""
        numbers = {*_NUMBER.findall(row["question"])} - _COMMON_NUMBERS
        return [row["category"], sorted(numbers), row["expected_answer"]]

    def read_row(self, row: dict[str, Any]) -> Task:
        """Read one of textgym's flat rows, or one of NeMo Gym's or DAPO's."""
        prompt, answer = prompt_of(row), answer_of(row)
        tools = nemo_rows.tools_of(row)
        question = question_of(row, prompt)
        return MathTask(row["id"], tuple(prompt), answer, tools, row, question, form_of(row))

    def grade(self) -> Grade:
        """Ask the verifier, and the judge if the verifier rejects the answer."""
        task, text = self.task, self.answer_text
        components = dict.fromkeys(("library_reward", "library_timeout", "unevaluated"), 0.0)
        if not text.strip():
            return Grade(0.0, False, components, extracted_answer="")
        verdict = verify(
            task.answer,
            text,
            timeout=self._timeout,
            form=task.form,
            question=task.question,
            stated_in=named_form("\n".join(map(text_of, task.messages))),
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
        reason = "incomplete" if verdict.unevaluated else ""
        return Grade(
            float(right),
            right,
            components,
            extracted_answer=verdict.extracted,
            verdict_reason=reason,
        )

    def solve(self) -> Message:
        """Give the correct answer."""
        return assistant(f"\\boxed{{{self.task.answer}}}")

    def guess(self, rng: random.Random) -> Message:
        """Give a small integer."""
        return assistant(f"\\boxed{{{rng.randint(MIN_GUESS, MAX_GUESS)}}}")
