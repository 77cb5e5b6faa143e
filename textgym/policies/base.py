"""The policy interface: a policy reads a conversation and returns an action.

A policy knows nothing about environments, except the two scripted policies, which `for_env` binds
to one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, TypedDict

import gymnasium as gym

from textgym.errors import UnknownNameError, UsageError, did_you_mean
from textgym.messages import Message, ToolSchema

__all__ = ["Action", "PictureSpan", "Policy", "Sampling", "Tokens", "one_id_each"]


class PictureSpan(TypedDict):
    """Where a picture is in a token sequence.

    Attributes:
        sha256: The SHA-256 of the picture's file, which is also its name in a run's folder.
        start: The position of its first id.
        length: The number of its ids, which are all the same placeholder.
        grid_thw: The numbers of its patches along time, height and width.
    """

    sha256: str
    start: int
    length: int
    grid_thw: list[int]


def one_id_each(ids: Sequence[int], pictures: Sequence[PictureSpan]) -> list[int]:
    """Return ids with one placeholder for each picture, as engines take them that expand it.

    Args:
        ids: Token ids.
        pictures: Where pictures are in them, in order.

    Example:
        >>> one_id_each([7, 9, 9, 9, 5], [PictureSpan(sha256="", start=1, length=3, grid_thw=[])])
        [7, 9, 5]
    """
    short = list(ids)
    for picture in reversed(pictures):
        del short[picture["start"] + 1 : picture["start"] + picture["length"]]
    return short


@dataclass(frozen=True, slots=True)
class Tokens:
    """A token sequence of an episode, exactly as the engine read and sampled it.

    Attributes:
        ids: All token ids, prompt and sampled.
        loss_mask: 1 for each sampled id, 0 for the others.
        logprobs: The log probability of each sampled id, 0.0 for the others.
        message_count: The number of messages that the tokens cover, including the sampled message
            at the end.
        pictures: Where pictures are, in order.

    Example:
        >>> first = Tokens.of_turn([1, 2], [3], [-0.5], message_count=2)
        >>> both = first.extended([1, 2, 3, 4], [5], [-0.25], message_count=4)
        >>> both.ids, both.loss_mask, both.logprobs
        ([1, 2, 3, 4, 5], [0, 0, 1, 0, 1], [0.0, 0.0, -0.5, 0.0, -0.25])
        >>> first.extended([1, 9, 3, 4], [5], [-0.25], message_count=4) is None
        True
    """

    ids: list[int]
    loss_mask: list[int]
    logprobs: list[float]
    message_count: int
    pictures: tuple[PictureSpan, ...] = ()

    @classmethod
    def of_turn(
        cls,
        prompt_ids: Sequence[int],
        token_ids: Sequence[int],
        logprobs: Sequence[float] | None,
        message_count: int,
        pictures: tuple[PictureSpan, ...] = (),
    ) -> Tokens:
        """Return the tokens of one turn; missing log probabilities become NaN."""
        prompt_length, length = len(prompt_ids), len(token_ids)
        return cls(
            ids=[*prompt_ids, *token_ids],
            loss_mask=[0] * prompt_length + [1] * length,
            logprobs=[0.0] * prompt_length
            + list([math.nan] * length if logprobs is None else logprobs),
            message_count=message_count,
            pictures=pictures,
        )

    def extended(
        self,
        prompt_ids: Sequence[int],
        token_ids: Sequence[int],
        logprobs: Sequence[float] | None,
        message_count: int,
        pictures: tuple[PictureSpan, ...] = (),
    ) -> Tokens | None:
        """Return the tokens with one more turn; None if its prompt does not begin with them."""
        length = len(self.ids)
        if list(prompt_ids[:length]) != self.ids:
            return None
        turn = self.of_turn(prompt_ids[length:], token_ids, logprobs, message_count)
        return Tokens(
            self.ids + turn.ids,
            self.loss_mask + turn.loss_mask,
            self.logprobs + turn.logprobs,
            message_count,
            pictures,
        )


@dataclass(slots=True)
class Action:
    """The answer of a policy.

    Attributes:
        message: The assistant's message.
        finish_reason: `stop`, `length` (the token limit was reached) or `tool_calls`.
        usage: Token counts: `prompt_tokens`, `completion_tokens`.
        prompt_ids: The prompt's token ids; None if the policy has no tokens.
        token_ids: The sampled token ids.
        logprobs: One natural-log probability for each sampled id, of the model's distribution
            before temperature and truncation.
        policy_version: The version of the weights that sampled it.
        pictures: Where pictures are in the prompt; None without pictures.
    """

    message: Message
    finish_reason: str = "stop"
    usage: dict[str, int] = field(default_factory=dict)
    prompt_ids: list[int] | None = None
    token_ids: list[int] | None = None
    logprobs: list[float] | None = None
    policy_version: str | None = None
    pictures: list[PictureSpan] | None = None


@dataclass(frozen=True, slots=True)
class Sampling:
    """How tokens are sampled.

    Attributes:
        temperature: 0 is greedy; 1 samples from the model's own distribution.
        top_p: Sample from the most likely tokens whose probabilities sum to this; 1 keeps all.
        top_k: Sample from this many of the most likely tokens; 0 keeps all.
        min_p: Sample from the tokens whose probability is at least this share of the likeliest
            token's; 0 keeps all.
        max_tokens: The maximum number of sampled tokens in a message.
        stop: Strings that end a message; they are not part of it.

    Example:
        >>> Sampling.read({"temperature": 0, "max_tokens": 64}).max_tokens
        64
    """

    temperature: float = 1.0
    top_p: float = 1.0
    top_k: int = 0
    max_tokens: int = 512
    stop: tuple[str, ...] = ()
    min_p: float = 0.0

    def __post_init__(self) -> None:
        for name, is_valid, rule in (
            ("temperature", _is_number(self.temperature) and self.temperature >= 0, "0 or more"),
            ("top_p", _is_number(self.top_p) and 0 < self.top_p <= 1, "above 0, at most 1"),
            ("top_k", _is_count(self.top_k) and self.top_k >= 0, "an integer, 0 or more"),
            (
                "max_tokens",
                _is_count(self.max_tokens) and self.max_tokens >= 1,
                "an integer above 0",
            ),
            ("stop", all(isinstance(s, str) and s for s in self.stop), "non-empty strings"),
            ("min_p", _is_number(self.min_p) and 0 <= self.min_p <= 1, "from 0 to 1"),
        ):
            if not is_valid:
                raise UsageError(f"{name} must be {rule}, not {getattr(self, name)!r}")

    @classmethod
    def read(cls, settings: Sampling | Mapping[str, Any] | None) -> Sampling:
        """Read settings by name; a `Sampling` is returned unchanged.

        Raises:
            UnknownNameError: There is no such setting.
            UsageError: A value is invalid.
        """
        if isinstance(settings, Sampling):
            return settings
        names = [setting.name for setting in fields(cls)]
        values = dict(settings or {})
        for name in values:
            if name not in names:
                hint = did_you_mean(name, names)
                raise UnknownNameError(f"there is no sampling setting {name!r}{hint}")
        stop = values.get("stop", ())
        if not isinstance(stop, (str, list, tuple)):
            raise UsageError(f"stop must be a string or a list of strings, not {stop!r}")
        values["stop"] = (stop,) if isinstance(stop, str) else tuple(stop)
        return cls(**values)

    def as_dict(self) -> dict[str, Any]:
        """Return the settings by name, `min_p` only if it leaves out tokens."""
        settings = asdict(self)
        if not self.min_p:  # records of older runs, which are compared, do not have it
            del settings["min_p"]
        return settings


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and math.isfinite(value)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


class Policy:
    """Answers conversations. Subclasses define `act`.

    Attributes:
        name: The policy's name in records and errors; usually its spec.
        sampling: How tokens are sampled; None if the policy samples no tokens.

    Example:
        >>> import asyncio
        >>> class Polite(Policy):
        ...     name = "polite"
        ...     async def act(self, messages, tools, *, prior=None, seed=None):
        ...         return Action({"role": "assistant", "content": "Thank you."})
        >>> asyncio.run(Polite().act([], [])).message["content"]
        'Thank you.'
    """

    name: str = "policy"
    sampling: Sampling | None = None

    async def act(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSchema],
        *,
        prior: Tokens | None = None,
        seed: int | None = None,
    ) -> Action:
        """Answer a conversation.

        Args:
            messages: The conversation.
            tools: Schemas of the tools that may be called, in nested form.
            prior: The recorded tokens of the first `prior.message_count` messages, if any.
            seed: Makes the sampling repeatable.

        Raises:
            PolicyFailure: The policy did not answer; the caller may try again.
            ContextFullError: The conversation no longer fits the model.
        """
        raise NotImplementedError(f"{type(self).__name__} must define act")

    def for_env(self, env: gym.Env[Any, Any]) -> Policy:
        """Return the policy for an environment; by default the policy itself."""
        return self

    async def close(self) -> None:
        """Release the policy's resources."""
