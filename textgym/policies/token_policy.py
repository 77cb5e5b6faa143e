"""`TokenPolicy`: a policy over any function that continues token ids.

It is how the engine of a trainer plays: prompts go to it as token ids, and its sampled ids are
recorded as they are.
"""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, NamedTuple

from textgym.errors import UsageError
from textgym.messages import Message, ToolSchema
from textgym.policies.base import Action, Policy, Sampling, Tokens
from textgym.policies.chat.token_codec import ChatCodec
from textgym.policies.chat.vllm_parser import make_output_parser
from textgym.policies.models import eos_token_ids

__all__ = ["SampleTokens", "SampledTokens", "TokenPolicy"]


class SampledTokens(NamedTuple):
    """What an engine sampled.

    Attributes:
        token_ids: The sampled ids, with the one that ends the message.
        logprobs: One natural-log probability for each id; None if they are not known.
        is_finished: Whether the model ended the message, rather than a limit; None to tell it by
            the last id.
    """

    token_ids: list[int]
    logprobs: list[float] | None
    is_finished: bool | None = None


SampleTokens = Callable[[list[int], Sampling, int | None], Awaitable[SampledTokens]]
"""Called with the prompt's ids, how tokens are sampled, and a seed. `max_tokens` of the sampling is
at most what the context has room for."""


class TokenPolicy(Policy):
    """A policy over a function that continues token ids.

    Args:
        sample: The function; see `SampleTokens`.
        tokenizer: The model's tokenizer, with a chat template.
        sampling: How tokens are sampled, or settings of `Sampling` by name; without `stop`.
        name: The policy's name in records.
        context_length: How many tokens the model can hold; by default there is no limit.
        end_ids: The ids at which the engine ends a message; by default that of the tokenizer.
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
        end_ids: Sequence[int] = (),
        tool_parser: str | None = None,
        reasoning_parser: str | None = None,
    ) -> None:
        if not tokenizer.chat_template:
            raise UsageError("TokenPolicy: the tokenizer has no chat template")
        self.sampling = sampling if isinstance(sampling, Sampling) else Sampling.read(sampling)
        if self.sampling.stop:
            raise UsageError("TokenPolicy: stop is not supported; the engine ends messages")
        self.name, self.tokenizer = name, tokenizer
        self.version: str | None = None
        self._sample = sample
        parser = make_output_parser(lambda: tokenizer, tool_parser, reasoning_parser)
        length = sys.maxsize if context_length is None else context_length
        self.codec = ChatCodec(name, tokenizer, eos_token_ids(end_ids, tokenizer), length, parser)

    async def act(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSchema],
        *,
        prior: Tokens | None = None,
        seed: int | None = None,
    ) -> Action:
        """Answer a conversation; see `Policy.act`."""
        prompt = self.codec.encode_prompt(messages, tools, prior)
        room = self.codec.context_length - len(prompt.ids)
        limits = {**self.sampling.as_dict(), "max_tokens": min(self.sampling.max_tokens, room)}
        version = self.version
        sampled = await self._sample(list(prompt.ids), Sampling(**limits), seed)
        ids = list(sampled.token_ids)
        has_end = bool(ids) and ids[-1] in self.codec.eos_token_ids
        finished = has_end if sampled.is_finished is None else sampled.is_finished
        text = self.tokenizer.decode(
            ids[:-1] if has_end else ids, skip_special_tokens=self.codec.skip_special_tokens
        )
        logprobs = sampled.logprobs
        action = self.codec.decode_action(
            prompt,
            ids,
            text,
            [0.0] * len(ids) if logprobs is None else list(logprobs),
            finished=finished,
            policy_version=version,
        )
        if logprobs is None:
            action.logprobs = None
        return action
