"""Reward models score a reply, as a reward from 0 to 1.

A reward model is a sequence classification model (`hf-rm:`, `vllm-rm:`), or a callable.

Invariants:

- A score that is missing, or not a finite number, is a `RewardModelFailure`, never a reward.
- The scale is stated, never guessed. Rewards lie between 0 and 1.
- The model never sees reasoning. It is not asked about an empty reply, or about one that writes
  the special tokens of a chat template, which could end the reply and praise it as somebody else.
- Equal specs are one object per process, so they share the model and its batches.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from textgym.concurrency import event_loops as background
from textgym.errors import (
    ContextFullError,
    RewardModelFailure,
    UnknownNameError,
    UsageError,
    did_you_mean,
    in_one_line,
)
from textgym.messages import Message, split_reasoning, text_of
from textgym.names import import_object, name_of
from textgym.verifiers.reward_model.scales import make_scale

__all__ = ["RewardModel", "RewardModelLike", "RewardModelScore", "make_reward_model"]

ScoreFunction = Callable[[list[Message]], Any]
RewardModelLike = str | ScoreFunction
"""What `make_reward_model` accepts: a spec, or a callable from messages to a score."""

TOO_LONG = ("refuse", "cut")
_KINDS = ("hf-rm", "vllm-rm")


@dataclass(frozen=True, slots=True)
class RewardModelScore:
    """What a reward model says of a reply.

    Attributes:
        reward: The reward, from 0 to 1.
        score: The score before it was scaled; None if the model was not asked.
        reason: Why the model was not asked: `empty`, `cut` (the conversation is too long), `forged`
            (the reply contains special tokens); else "".
    """

    reward: float
    score: float | None = None
    reason: str = ""


class Scorer(Protocol):
    """Scores conversations that end with a reply."""

    def has_control_token(self, text: str) -> bool:
        """Return whether a text contains a special token of the model."""

    def score(self, messages: list[Message]) -> Any:
        """Return the score, or a coroutine, which is run on the background event loop."""


class RewardModel:
    """Scores replies; see `make_reward_model`.

    Args:
        name: The spec or name.
        make: Makes the scorer. It is called once per process.
        reward_scale: The scale.

    Attributes:
        name: The spec or name, as shown in `info["reward_model"]`.
    """

    def __init__(self, name: str, make: Callable[[], Scorer], reward_scale: str) -> None:
        self.name = name
        self._scale = make_scale(reward_scale)
        self._make = make
        self._made = os.getpid(), make()

    def score(self, messages: Sequence[Message]) -> RewardModelScore:
        """Return the score of a conversation that ends with a reply.

        Args:
            messages: The conversation. It is not changed.

        Raises:
            RewardModelFailure: There is no score, or the prompt is too long for the model.
        """
        *prompt, reply = map(_without_reasoning, messages)
        text = text_of(reply).strip()
        if not text:
            return RewardModelScore(0.0, reason="empty")
        scorer = self._scorer()
        if scorer.has_control_token(text):
            return RewardModelScore(0.0, reason="forged")
        try:
            score = self._ask(scorer, [*prompt, reply])
        except ContextFullError:
            self._check_room(scorer, prompt)
            return RewardModelScore(0.0, reason="cut")
        return RewardModelScore(self._scale(score), score)

    def _check_room(self, scorer: Scorer, prompt: Sequence[Message]) -> None:
        """Raise a `RewardModelFailure` if not even a reply of one word fits."""
        try:
            self._ask(scorer, [*prompt, {"role": "assistant", "content": "x"}])
        except ContextFullError as error:
            raise RewardModelFailure(
                f"the reward model {self.name} cannot hold the prompt: {error}"
            ) from None

    def _ask(self, scorer: Scorer, messages: list[Message]) -> float:
        try:
            score = background.result_of(scorer.score(messages))
        except (ContextFullError, RewardModelFailure):
            raise
        except Exception as error:
            raise RewardModelFailure(
                f"the reward model {self.name} failed: {in_one_line(error)}"
            ) from error
        try:
            number = float("nan" if isinstance(score, bool) else score)
        except (TypeError, ValueError):
            number = math.nan
        if not math.isfinite(number):
            raise RewardModelFailure(
                f"the reward model {self.name} gave {score!r:.100}, not a finite number"
            )
        return number

    def _scorer(self) -> Scorer:
        process = os.getpid()
        if self._made[0] != process:  # after a fork, threads and connections are the parent's
            self._made = process, self._make()
        return self._made[1]


class _FunctionScorer:
    """Scores conversations with a callable."""

    def __init__(self, function: ScoreFunction) -> None:
        self.score = function

    def has_control_token(self, text: str) -> bool:
        """Return False: a callable reads special tokens as it likes."""
        return False


def _without_reasoning(message: Message) -> Message:
    """Return a message as a reward model may see it."""
    if message["role"] != "assistant":
        return message
    shown = message.copy()
    shown.pop("reasoning_content", None)
    shown["content"] = split_reasoning(text_of(message))[1]
    return shown


_of_specs: dict[tuple[Any, ...], RewardModel] = {}


def make_reward_model(
    reward_model: RewardModelLike,
    reward_scale: str,
    *,
    too_long: str = "refuse",
    concurrency: int | None = 64,
    timeout: float = 600.0,
) -> RewardModel:
    """Make a reward model, or return the one that was made with the same arguments.

    Args:
        reward_model: One of

            - `hf-rm:MODEL`: a folder or hub id of a sequence classification model with one label;
            - `vllm-rm:MODEL@URL`: such a model behind a vLLM server, by its route `/classify`; if
              the URL ends with `/score`, a model that reads the prompt and the reply as a pair;
            - `module:attribute`, or a callable (a coroutine function too) from messages to a
              number. The last message is the reply.
        reward_scale: How scores become rewards: `sigmoid`, `clip:LOW,HIGH` or
            `standard:MEAN,DEVIATION`, see `make_scale`.
        too_long: What happens to a conversation that exceeds the model's context: `refuse` (the
            reward is 0, if the prompt would fit) or `cut` (it loses its beginning).
        concurrency: For `vllm-rm:`, the maximum number of concurrent requests; None for no limit.
        timeout: For `vllm-rm:`, the time limit of a request, in seconds.

    Raises:
        UnknownNameError: There is no such reward model.
        UsageError: An argument is wrong.
        ExtraMissingError: The reward model needs an optional package.

    Example:
        >>> model = make_reward_model(lambda messages: len(messages[-1]["content"]), "clip:0,10")
        >>> model.score([{"role": "user", "content": "Hi!"}, {"role": "assistant",
        ...     "content": "<think>Hm.</think>Hello"}])
        RewardModelScore(reward=0.5, score=5.0, reason='')
    """
    if too_long not in TOO_LONG:
        raise UsageError(f"too_long must be 'refuse' or 'cut', not {too_long!r}")

    def make() -> Scorer:
        return _make_scorer(reward_model, too_long == "cut", concurrency, timeout)

    if not isinstance(reward_model, str):
        if not callable(reward_model) or isinstance(reward_model, type):
            raise UsageError(
                "a reward model must be a spec or a callable from messages to a number, "
                f"not {reward_model!r:.100}"
            )
        named = reward_model if hasattr(reward_model, "__qualname__") else type(reward_model)
        return RewardModel(name_of(named), make, reward_scale)
    key = reward_model, reward_scale, too_long, concurrency, timeout
    if key not in _of_specs:
        _of_specs.setdefault(key, RewardModel(reward_model, make, reward_scale))
    return _of_specs[key]


def _make_scorer(
    reward_model: RewardModelLike, cuts: bool, concurrency: int | None, timeout: float
) -> Scorer:
    if not isinstance(reward_model, str):
        return _FunctionScorer(reward_model)
    kind, colon, rest = reward_model.partition(":")
    if not colon or not rest:
        forms = ", ".join(f"{name}:MODEL" for name in _KINDS)
        raise UnknownNameError(
            f"there is no reward model {reward_model!r}{did_you_mean(kind, _KINDS)}; "
            f"use {forms}@URL or module:attribute"
        )
    if kind == "hf-rm":
        from textgym.verifiers.reward_model.hf_scorer import HFScorer

        return HFScorer(rest, cuts=cuts)
    if kind == "vllm-rm":
        from textgym.verifiers.reward_model.vllm_scorer import VLLMScorer

        return VLLMScorer(rest, cuts=cuts, concurrency=concurrency, timeout=timeout)
    try:
        function = import_object(reward_model)
    except UnknownNameError as error:
        raise UnknownNameError(f"there is no reward model {reward_model!r}: {error}") from None
    if not callable(function) or isinstance(function, type):
        raise UsageError(f"the reward model {reward_model!r} is not a callable: {function!r:.100}")
    return _FunctionScorer(function)
