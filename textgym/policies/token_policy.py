"""`TokenPolicy`: a policy over any function that continues token ids.

The engines of trainers play with it: they get prompts as token ids, and their sampled ids are
recorded unchanged.

Invariant: the function's result is either used unchanged, up to the first token that ends a
message, or is a `PolicyFailure`. A result without tokens and without an end is an aborted request,
never an empty message.
"""

from __future__ import annotations

import math
import operator
import sys
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple

from textgym.errors import PolicyFailure, TextgymError, UsageError, in_one_line
from textgym.messages import Message, ToolSchema
from textgym.policies.base import Action, Policy, Sampling, Tokens
from textgym.policies.chat.token_codec import ChatCodec, EncodedPrompt
from textgym.policies.chat.vllm_parser import make_output_parser
from textgym.policies.models import eos_token_ids

__all__ = ["SampleTokens", "SampledTokens", "TokenPolicy"]


class SampledTokens(NamedTuple):
    """The tokens that an engine sampled.

    Attributes:
        token_ids: The sampled ids, up to the id that ends the message; later ids are ignored. A
            list, a tuple, or an array of NumPy or torch.
        logprobs: One natural-log probability for each id, in the same forms; None if they are
            unknown. If one of them is None or NaN, the message has none.
        is_finished: Whether the model ended the message, rather than a limit. A message with an id
            that ends it is always finished. Without tokens it must be True, otherwise the request
            was aborted.
    """

    token_ids: Any
    logprobs: Any
    is_finished: bool | None = None


SampleTokens = Callable[[list[int], Sampling, int | None], Awaitable[SampledTokens]]
"""Called with the prompt's ids, the sampling, and a seed. `max_tokens` of the sampling is at most
the room in the context."""


class TokenPolicy(Policy):
    """A policy over a function that continues token ids.

    Args:
        sample: The function; see `SampleTokens`.
        tokenizer: The model's tokenizer, with a chat template.
        sampling: How tokens are sampled, or settings of `Sampling` by name; without `stop`.
        name: The policy's name in records.
        context_length: The maximum number of tokens in the context; by default there is no limit.
        end_ids: The ids at which the engine ends a message, such as `eos_token_id` of the model's
            generation config; the tokenizer's own is added.
        tool_parser: As in `HFPolicy`.
        reasoning_parser: As in `HFPolicy`.

    Raises:
        UsageError: The tokenizer has no chat template, or an argument is invalid.

    Attributes:
        codec: Encodes prompts and decodes actions.
        version: The version of the weights, which actions carry; None until you set it.

    Example:
        >>> async def sample(prompt_ids, sampling, seed):
        ...     output = await engine.generate(prompt_ids, max_tokens=sampling.max_tokens)
        ...     return SampledTokens(output.token_ids, output.logprobs)
        >>> policy = TokenPolicy(sample, tokenizer)  # doctest: +SKIP
    """

    sampling: Sampling

    def __init__(
        self,
        sample: SampleTokens,
        tokenizer: Any,
        sampling: Sampling | Mapping[str, Any] | None = None,
        *,
        name: str = "tokens",
        context_length: int | None = None,
        end_ids: int | Collection[int] | None = None,
        tool_parser: str | None = None,
        reasoning_parser: str | None = None,
    ) -> None:
        if not tokenizer.chat_template:
            raise UsageError("TokenPolicy: the tokenizer has no chat template")
        self.sampling = Sampling.read(sampling)
        if self.sampling.stop:
            raise UsageError("TokenPolicy: stop is not supported; the engine ends messages")
        self.name, self.tokenizer = name, tokenizer
        self.version: str | None = None
        self._sample = sample
        parser = make_output_parser(lambda: tokenizer, tool_parser, reasoning_parser)
        try:
            ends = {operator.index(id) for id in eos_token_ids(end_ids, tokenizer)}
        except TypeError:
            raise UsageError(f"TokenPolicy: end_ids must be token ids, not {end_ids!r}") from None
        length = sys.maxsize if context_length is None else context_length
        self.codec = ChatCodec(name, tokenizer, ends, length, parser)

    async def act(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSchema],
        *,
        prior: Tokens | None = None,
        seed: int | None = None,
    ) -> Action:
        """Answer a conversation; see `Policy.act`.

        Raises:
            PolicyFailure: The function's result cannot be used.
            ContextFullError: The conversation fills the model's context.
            UsageError: The template refuses the conversation, or the parser refuses the tools.
        """
        prompt = self.codec.encode_prompt(messages, tools, prior)
        room = self.codec.context_length - len(prompt.ids)
        limits = {**self.sampling.as_dict(), "max_tokens": min(self.sampling.max_tokens, room)}
        version = self.version
        sampled = await self._sample(list(prompt.ids), Sampling(**limits), seed)
        try:
            return self._action(prompt, self._read(sampled, limits["max_tokens"]), version)
        except TextgymError:
            raise
        except Exception as error:
            raise PolicyFailure(
                f"{self.name}: the sampled tokens cannot be used: {in_one_line(error)}"
            ) from error

    def _read(self, sampled: Any, max_tokens: int) -> SampledTokens:
        """Return the sampled tokens up to the end of the message, as Python's own numbers.

        Raises:
            PolicyFailure: They are not as `SampledTokens` describes.
        """
        if not isinstance(sampled, SampledTokens):
            raise self._failure(f"must return SampledTokens, not {type(sampled).__name__}")
        ids = [operator.index(id) for id in _listed(sampled.token_ids)]
        logprobs = _numbers(sampled.logprobs)
        if logprobs is not None and len(logprobs) != len(ids):
            raise self._failure(f"gave {len(logprobs)} log probabilities for {len(ids)} tokens")
        ends = (place for place, id in enumerate(ids, 1) if id in self.codec.eos_token_ids)
        length = next(ends, None)
        ids, logprobs = ids[:length], logprobs and logprobs[:length]
        if len(ids) > max_tokens:
            raise self._failure(f"gave {len(ids)} tokens, and max_tokens is {max_tokens}")
        if min(ids, default=0) < 0:  # ids above the tokenizer's last one exist: models are padded
            raise self._failure(f"gave the token id {min(ids)}")
        if logprobs is not None and not all(map(math.isfinite, logprobs)):
            raise self._failure("gave an infinite log probability for a sampled token")
        is_finished = length is not None or bool(sampled.is_finished)
        if not ids and not is_finished:
            raise self._failure("gave no tokens, and the message is not finished")
        return SampledTokens(ids, logprobs, is_finished)

    def _action(self, prompt: EncodedPrompt, sampled: SampledTokens, version: str | None) -> Action:
        ids, logprobs, finished = sampled
        text = self.tokenizer.decode(
            [id for id in ids if id not in self.codec.eos_token_ids],
            skip_special_tokens=self.codec.skip_special_tokens,
        )
        action = self.codec.decode_action(
            prompt,
            ids,
            text,
            [0.0] * len(ids) if logprobs is None else logprobs,
            finished=bool(finished),
            policy_version=version,
        )
        if logprobs is None:
            action.logprobs = None
        return action

    def _failure(self, problem: str) -> PolicyFailure:
        return PolicyFailure(f"{self.name}: the function that samples tokens {problem}")


def _numbers(values: Any) -> list[float] | None:
    """Return log probabilities; None if one of them is unknown."""
    if values is None:
        return None
    listed = _listed(values)
    numbers = [float(value) for value in listed if value is not None]
    is_known = len(numbers) == len(listed) and not any(map(math.isnan, numbers))
    return numbers if is_known else None


def _listed(values: Any) -> list[Any]:
    return list(values.tolist() if hasattr(values, "tolist") else values)
