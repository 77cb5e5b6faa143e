"""`textgym/RedefinedRules-v0`: tasks in which a rule is not the usual one."""

from __future__ import annotations

import random
import re
from typing import Any

from textgym.core.card import Card
from textgym.core.episode import Grade
from textgym.core.text_env import TextEnv
from textgym.envs.generation import choice, randint
from textgym.envs.redefined_rules.answers import (
    find_answer,
    is_answer,
    read_answer,
    without_unit,
    written,
)
from textgym.envs.redefined_rules.families import FAMILIES, LEVELS, draw_puzzle
from textgym.errors import RowError
from textgym.json_values import canonical_json
from textgym.messages import Message, assistant, text_of, user
from textgym.tasks import nemo_rows
from textgym.tasks.task import Task
from textgym.verifiers.stated import named_form

__all__ = ["RedefinedRules"]

_MAX_LENGTH = 200  # characters of an extracted answer in the info
_RULE = 'End with a line that says "Answer: " and {}.'
_FIRST_FAMILY = "units"  # of level 0
_OPENINGS = (
    "", "", "", "Here some rules are not the usual ones.",
    "Solve this by its own rules, even where you know others.",
    "Read this carefully, because not everything is as usual.",
)  # fmt: skip


class RedefinedRules(TextEnv[None]):
    r"""Answer questions by rules that are not the usual ones.

    It measures whether a model follows the rules that it reads against its habits. The usual answer
    is always wrong, and the rate at which a model gives it is reported.

    ## Description
    A prompt redefines something that everybody knows, and asks a question about it. The answer
    follows from the rules of the prompt, and it always differs from the usual answer.

    Tasks are drawn from sixteen families, with equal probabilities:

    | redefined | families |
    | --- | --- |
    | signs and the order of operations | `operators`, `precedence` |
    | alphabets and sort orders | `alphabets`, `numbers` |
    | units, months and weeks | `units`, `calendars` |
    | rules of games | `pieces`, `gestures`, `noughts`, `tricks`, `dice` |
    | the option or the answer to give | `options`, `verdicts` |
    | words in instructions and questions | `directions`, `lists`, `tables` |

    The games are chess moves on a small board, rock, paper, scissors, noughts and crosses, card
    tricks, and throws of dice.

    A redefinition has many possible values, such as one of a hundred lengths of an hour or any of
    the orders of 26 letters, so that a policy that knows the families must still read it.

    ## Observation
    A user message: the rules, the question, and how to give the answer. NeMo Gym rows contain their
    own prompt.

    ## Action
    One assistant message. Its text is graded; its reasoning is ignored.

    ## Reward
    1 if the answer is exactly right, else 0. Components:

    - `correct`: the same as the reward
    - `followed_convention`: the answer is exactly the one that the usual rules give

    The metrics of a run report the mean of both, so the mean of `followed_convention` is the rate
    at which a model follows its habit. Rows without a `usual_answer` have no such component.

    The answer stands in the form that the prompt names: behind the last `Answer:`, as in all
    generated prompts, in `\boxed{}` or in `<answer>`. Without that form, it is what the text
    states last in one of the others, or in a last sentence such as `So the answer is 7`, or the
    whole text. It is a number, a short text, or a list of these, separated by commas. Case,
    Markdown, quotes, LaTeX, a full stop and brackets around a list are ignored, and so is the unit
    behind a number that the prompt asks for (`80 minutes` for "How many minutes"). Several guesses,
    such as `7 or 9`, additional words and additional items make an answer wrong.

    ## Info
    | key | meaning |
    | --- | --- |
    | `task_id` | the id of the task; in every info |
    | `tools` | after reset, an empty list |
    | `stop_reason` | after the last step, as all below: `answer`, or `max_turns` if truncated |
    | `is_success` | whether the answer is right |
    | `extracted_answer` | the answer that was read |
    | `reward_components` | the components above |
    | `verdict_reason` | why the reward is not full, such as `wrong`; `""` if it is |

    ## Episode end
    After the first message.

    ## Levels
    0. Only with `level=0`: a number that is not the usual one, and a question that asks for it.
    1. One redefinition, applied to a short question.
    2. One redefinition, applied to a longer question.
    3. Two redefinitions.
    4. Two or three redefinitions; one of them holds only in some cases.
    5. As level 4, and a later sentence replaces one of them.

    In a few families, level 2 asks a different question from level 1, such as a sum in two units.
    On levels 3 to 5, no redefinition can be left out: without any one of those that hold, the
    answer is another one.

    ## What a score means
    Silence gets 0, and so does the usual answer. Guesses get less than 0.01. The best policy
    found that does not read the rules knows the families and always applies the same ones: it gets
    0.04 on average, 0.09 on level 1, and less than 0.02 on levels 3 to 5. A score of 1.0 means that
    every rule was applied as it is written. Mistakes in long calculations lower a score, too;
    `followed_convention` distinguishes habit from carelessness.

    ## Rows
    | field | meaning |
    | --- | --- |
    | `question` | the whole prompt |
    | `expected_answer` | the right answer: a number, a text, or a list of these |
    | `usual_answer` | optional, the answer by the usual rules, of the same form |
    | `category`, `content` | in generated rows, the family, and what decides the split |
    | `responses_create_params.input` | NeMo Gym's prompt, in place of `question` |

    Args:
        **kwargs: `dataset`, `split`, `level`, `max_turns` and `render_mode` of `TextEnv`.

    Raises:
        RowError: A row cannot be read.

    Example:
        >>> import gymnasium, textgym
        >>> env = gymnasium.make("textgym/RedefinedRules-v0")
        >>> row = {"question": "Here an hour has 40 minutes. How many minutes are 2 hours?",
        ...        "expected_answer": 80, "usual_answer": 120}
        >>> observation, info = env.reset(options={"task": row})
        >>> observation, reward, terminated, truncated, info = env.step("Answer: 120")
        >>> reward, info["reward_components"]
        (0.0, {'correct': 0.0, 'followed_convention': 1.0})
        >>> observation, info = env.reset(options={"task": row})
        >>> env.step("2 hours have 2 * 40 minutes.\nAnswer: 80")[1]
        1.0

    ## Version history
    - v0: first version.
    """

    card = Card(
        id="textgym/RedefinedRules-v0",
        summary="Tasks in which signs, orders, units, games or words have other rules than usual.",
        structure=("single-step",),
        capabilities=("counterintuitive instruction following", "reasoning"),
        domain=("mathematics", "language", "games"),
        task_type="question answering",
        verification=("exact match",),
        levels=LEVELS,
        first_rung=True,
        first_rung_chance=0.001,
        chance=0.04,
        data="generated, .jsonl, .parquet, .csv, hub",
        accepts=("markdown", "quotes", "sentences", "full stop", "any case"),
        notes="The chance is that of a policy that knows family, level and question, and always "
        "applies the same redefinitions, the best ones for each family and level. It gets 0.09 on "
        "level 1 and less than 0.02 on levels 3 to 5.",
    )

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        """Draw redefinitions and a question to which they give an unusual answer."""
        family = choice(rng, FAMILIES.names) if level else _FIRST_FAMILY
        puzzle, (right, usual) = draw_puzzle(rng, family, level)
        opening = choice(rng, _OPENINGS) if level else ""
        texts = opening, *(rule.text for rule in puzzle.rules)
        rules = " ".join(filter(None, texts))
        contents = [rule.content for rule in puzzle.rules]
        return {
            "question": f"{rules}\n\n{puzzle.question}\n\n{_RULE.format(puzzle.form)}",
            "expected_answer": right,
            "usual_answer": usual,
            "category": family,
            "content": canonical_json([family, contents, puzzle.asked]),
        }

    def canonical(self, row: dict[str, Any]) -> Any:
        """Return what the rules say and what is asked, regardless of the wording."""
        return row["content"]

    def read_row(self, row: dict[str, Any]) -> Task:
        """Read one of textgym's flat rows, or one with NeMo Gym's prompt."""
        answer = read_answer(row, "expected_answer")
        if row.get("usual_answer") is not None:
            read_answer(row, "usual_answer")
        if nemo_rows.has_prompt(row):
            prompt = nemo_rows.prompt_of(row)
            return Task(row["id"], tuple(prompt), answer, nemo_rows.tools_of(row), row)
        question = row.get("question")
        if not isinstance(question, str) or not question.strip():
            raise RowError("question", "must be a string that is not empty")
        return Task(row["id"], (user(question),), answer, None, row)

    def grade(self) -> Grade:
        """Compare the answer with the right one and with the usual one."""
        prompt = "\n".join(map(text_of, self.task.messages))
        answer = find_answer(self.answer_text, named_form(prompt))
        usual = self.task.row.get("usual_answer")
        if not isinstance(self.task.answer, (str, list)):
            answer = without_unit(answer, prompt)
        right = is_answer(self.task.answer, answer)
        components = {"correct": float(right)}
        if usual is not None:
            components["followed_convention"] = float(is_answer(usual, answer))
        return Grade(float(right), right, components, extracted_answer=answer[:_MAX_LENGTH])

    def solve(self) -> Message:
        """Give the right answer."""
        return assistant(f"Answer: {written(self.task.answer)}")

    def guess(self, rng: random.Random) -> Message:
        """Give a random number, or random words of the prompt."""
        answer = self.task.answer
        count = len(answer) if isinstance(answer, list) else 1
        if (isinstance(answer, list) and isinstance(answer[0], str)) or isinstance(answer, str):
            words = re.findall(r"\w+", text_of(self.task.messages[-1])) or ["none"]
            return assistant(f"Answer: {', '.join(choice(rng, words) for _ in range(count))}")
        return assistant(f"Answer: {', '.join(str(randint(rng, 1, 60)) for _ in range(count))}")
