"""`textgym/RewardModel-v0`: replies in free form, rewarded by a reward model."""

from __future__ import annotations

import random
from typing import Any, Unpack

from textgym.core.authoring import TextEnvOptions
from textgym.core.card import Card
from textgym.core.episode import Grade
from textgym.core.text_env import TextEnv
from textgym.envs.generation import choice
from textgym.envs.reward_model.generator import LEVELS, draw_row
from textgym.envs.reward_model.reward_model_rows import RewardModelTask, read_preference_row
from textgym.errors import OracleError, UsageError
from textgym.messages import Message, assistant, text_of
from textgym.tasks.task import Task
from textgym.verifiers.preference import nearness
from textgym.verifiers.reward_model import RewardModelLike, RewardModelScore, make_reward_model

__all__ = ["RewardModel"]

_REASONS = {"empty": "empty", "cut": "cut", "forged": "unreadable"}


class RewardModel(TextEnv[None]):
    """A reply in free form, rewarded by a reward model.

    It is for tasks without a right answer that a rule could check: helpfulness, style, or any
    preference that a model has learned from people.

    ## Description
    The model reads a prompt and replies in one message. A reward model scores the conversation. By
    default it is `chosen`, which needs no model: it compares the words of the reply with a chosen
    and a rejected one. The generated tasks are made for it: notes about orders, some of them
    corrected later, and a request for one sentence about one order, in the form of an example.

    ## Observation
    The prompt of the row. Of a generated task: one user message with the notes and the request.

    ## Action
    One assistant message. Its text is scored; its reasoning is never shown to the reward model.

    ## Reward
    From 0 to 1: the score of the reward model, on the scale that `reward_scale` names.

    - `chosen`: how near the reply is to the chosen one, and not to the rejected one
      (`textgym.nearness`, see [verifiers](../verifiers.md)). It has no scale.
    - any other reward model: see [reward models](../reward-models.md). An empty reply gets 0, and
      so does one that is too long for the model, or that contains special tokens of its template.

    A reward model that gives no score raises `RewardModelFailure`, which is never a reward.
    Policies learn to exploit learned reward models. The components and `held_out_model` are for
    seeing that.

    Components:

    - `score`: what the reward model said before the scale; the reward if it was not asked
    - `words`: the number of words of the reply
    - `held_out`: only with `held_out_model`: the reward that it would give

    ## Info
    | key | meaning |
    | --- | --- |
    | `task_id` | the id of the task; in every info |
    | `tools` | after reset, an empty list |
    | `judge` | after reset, the name of the reward model |
    | `stop_reason` | after the step, as all below: `answer` |
    | `is_success` | whether the reward is at least `success_at` |
    | `extracted_answer` | the text that was scored |
    | `reward_components` | the components above |
    | `verdict_reason` | why the reward is below `success_at`, such as `wrong`; else `""` |

    ## Episode end
    The episode terminates at the first message. `max_turns` has no effect.

    ## Levels
    | level | orders | other |
    | --- | --- | --- |
    | 0 | 3 | one of their sentences is to be repeated; only drawn with `level=0` |
    | 1 | 4 | |
    | 2 | 6 | |
    | 3 | 8 | two corrections of the order, and one of another |
    | 4 | 10 | also parts such as "the same day as Anna" |
    | 5 | 12 | a correction is corrected |

    ## Rows
    | field | meaning |
    | --- | --- |
    | `prompt` | the prompt: a text, or a list of messages |
    | `chosen` | the preferred reply: a text, or a list of messages that ends with it |
    | `rejected` | the other reply, likewise; optional |
    | `responses_create_params` | NeMo Gym's prompt, in place of `prompt` |

    Without `prompt`, what comes before the replies in `chosen` and `rejected` is the prompt. These
    are the forms of preference data that TRL describes. With a reward model, `chosen` is optional.

    Args:
        reward_model: `chosen`, `hf-rm:MODEL`, `vllm-rm:MODEL@URL`, `module:attribute`, or a
            callable or coroutine function from messages to a number.
        reward_scale: How its scores become rewards: `sigmoid`, `clip:LOW,HIGH` or
            `standard:MEAN,DEVIATION`. Every reward model but `chosen` needs one.
        too_long: What happens to a conversation that exceeds the model's context: `refuse` (the
            reward is 0) or `cut` (it loses its beginning).
        held_out_model: A second reward model, whose reward is a component only.
        held_out_scale: Its scale.
        success_at: The least reward of a success.
        **kwargs: `dataset`, `split`, `level`, `max_turns` and `render_mode` of `TextEnv`.

    Raises:
        UsageError: An argument is not valid.

    Example:
        >>> import gymnasium, textgym
        >>> env = gymnasium.make("textgym/RewardModel-v0")
        >>> row = {"prompt": "When does Anna arrive? One sentence, please.",
        ...        "chosen": "Anna arrives on Monday.", "rejected": "Anna arrives on Friday."}
        >>> observation, info = env.reset(options={"task": row})
        >>> env.step("Anna arrives on Monday.")[1]
        1.0
        >>> observation, info = env.reset(options={"task": row})
        >>> env.step("Anna arrives on Friday.")[1]
        0.0

        A reward model of your own:

        >>> def brief(messages):
        ...     return -len(messages[-1]["content"].split())
        >>> env = gymnasium.make("textgym/RewardModel-v0", reward_model=brief,
        ...                      reward_scale="clip:-20,0")
        >>> observation, info = env.reset(options={"task": {"prompt": "What is a cat?"}})
        >>> env.step("A small animal that purrs.")[1]
        0.75

    ## Version history
    - v0: first version.
    """

    card = Card(
        id="textgym/RewardModel-v0",
        summary="Replies in free form, scored by a reward model.",
        structure=("single-step",),
        capabilities=("reasoning", "information relevance"),
        domain=("general",),
        task_type="preference",
        verification=("reward model",),
        levels=LEVELS,
        first_rung=True,
        first_rung_chance=0.34,
        chance=0.178,
        data="generated, .jsonl, .parquet, .csv, hub; preference rows",
        accepts=("markdown", "quotes", "full stop", "any case"),
        judge="chosen",
    )

    task: RewardModelTask

    max_turns = 1

    def __init__(
        self,
        *,
        reward_model: RewardModelLike = "chosen",
        reward_scale: str | None = None,
        too_long: str = "refuse",
        held_out_model: RewardModelLike | None = None,
        held_out_scale: str | None = None,
        success_at: float = 0.9,
        **kwargs: Unpack[TextEnvOptions],
    ) -> None:
        number = isinstance(success_at, (int, float)) and not isinstance(success_at, bool)
        if not number or not 0 < success_at <= 1:
            raise UsageError(f"success_at must be above 0 and at most 1, not {success_at!r}")
        self._success_at = success_at
        self._model = _model(reward_model, "reward", reward_scale, too_long)
        self._held_out = None
        self._has_held_out = held_out_model is not None
        if held_out_model is not None:
            self._held_out = _model(held_out_model, "held_out", held_out_scale, too_long)
        self.judge_name = "chosen" if self._model is None else self._model.name
        self.blocking = self._model is not None or self._held_out is not None
        super().__init__(**kwargs)

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        """Draw notes, a request, and two sentences."""
        return draw_row(rng, level)

    def canonical(self, row: dict[str, Any]) -> Any:
        """Return the notes and what is asked, regardless of the wording."""
        return [row["orders"], row["asked"]]

    def read_row(self, row: dict[str, Any]) -> Task:
        """Read a row of preferences, or a prompt."""
        uses_chosen = self._model is None or (self._has_held_out and self._held_out is None)
        return read_preference_row(row, needs_chosen=uses_chosen)

    def grade(self) -> Grade:
        """Score the reply."""
        text = self.answer_text.strip()
        found = self._score(self._model)
        components = {
            "score": found.reward if found.score is None else found.score,
            "words": float(len(text.split())),
        }
        if self._has_held_out:
            components["held_out"] = self._score(self._held_out).reward
        right = found.reward >= self._success_at
        reason = "" if right else _REASONS.get(found.reason, "wrong")
        return Grade(found.reward, right, components, text, verdict_reason=reason)

    def _score(self, model: Any) -> RewardModelScore:
        if model is not None:
            found: RewardModelScore = model.score([*self.task.messages, next(self.replies)])
            return found
        text = self.answer_text.strip()
        near = nearness(text, self.task.answer, self.task.rejected)
        return RewardModelScore(near, near, "" if text else "empty")

    def solve(self) -> Message:
        """Give the chosen reply."""
        if not self.task.answer:
            raise OracleError(f"{self.task.id} has no chosen reply")
        return assistant(self.task.answer)

    def guess(self, rng: random.Random) -> Message:
        """Report the order of anybody; for other rows, repeat a sentence of the prompt."""
        row = self.task.row
        if "orders" not in row:
            sentences = text_of(self.task.messages[-1]).split(".")
            return assistant(f"{choice(rng, sentences).strip()}.")
        return assistant(row["form"].format(**{**choice(rng, row["orders"]), "name": row["asked"]}))


def _model(model: RewardModelLike, prefix: str, scale: str | None, too_long: str) -> Any:
    """Make a reward model; None for `chosen`."""
    if model == "chosen":
        if scale is not None:
            raise UsageError(f"{prefix}_scale is for other reward models than 'chosen'")
        return None
    if scale is None:
        raise UsageError(
            f"{prefix}_scale is missing: 'sigmoid', 'clip:LOW,HIGH' or 'standard:MEAN,DEVIATION'"
        )
    return make_reward_model(model, scale, too_long=too_long)
