"""Requests to `/completions` in token ids, in vLLM's form.

The chat codec makes the prompt here, so the server encodes no text. The reply must hold the ids of
the prompt and of the completion, with a log probability for each sampled id; any other reply is a
failure.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from textgym.policies.chat.token_codec import ChatCodec, EncodedPrompt
from textgym.policies.openai.replies import FailureCause, InvalidReplyError, ParsedReply, as_json
from textgym.policies.openai.request_format import RequestFormat

__all__ = ["CompletionRequest"]

_MAX_TOKEN_ID = 2**31


@dataclass(frozen=True, slots=True)
class CompletionRequest:
    """A request with the token ids of a prompt.

    Attributes:
        codec: Decodes the sampled tokens as an action.
        prompt: The encoded prompt.
    """

    codec: ChatCodec
    prompt: EncodedPrompt

    kind: ClassVar[str] = "completion"
    path: ClassVar[str] = "completions"

    def fields(self, request_format: RequestFormat) -> dict[str, Any]:
        """Return the fields of the request's body, without those of the sampling.

        The token limit is among them as null, because servers without one sample 16 tokens.
        """
        fields: dict[str, Any] = {
            "prompt": self.prompt.ids,
            "logprobs": 0,  # only those of the sampled tokens
            "return_token_ids": True,
            request_format.max_tokens_key: None,
        }
        if not self.codec.skip_special_tokens:
            fields["skip_special_tokens"] = False
        return fields

    def parse_choice(self, choice: Mapping[str, Any], usage: dict[str, int]) -> ParsedReply:
        """Parse the first of a reply's choices.

        Raises:
            InvalidReplyError: It does not hold the tokens that were read and sampled.
        """
        prompt_ids, sampled = choice.get("prompt_token_ids"), choice.get("token_ids")
        if prompt_ids is None or sampled is None:
            raise InvalidReplyError("it has no token ids in vLLM's form", FailureCause.TOKENS)
        if prompt_ids != self.prompt.ids:
            raise InvalidReplyError(
                "its prompt_token_ids are not the ids that were sent", FailureCause.TOKENS
            )
        if not isinstance(sampled, list) or not all(map(_is_id, sampled)):
            raise InvalidReplyError(f"its token_ids are not token ids: {as_json(sampled)}")
        text, reason = choice.get("text"), choice.get("finish_reason")
        if not isinstance(text, str):
            raise InvalidReplyError("it has no text")
        if reason not in ("stop", "length"):
            raise InvalidReplyError(
                f"its finish_reason is neither stop nor length: {as_json(reason)}"
            )
        if not sampled and reason == "length":
            raise InvalidReplyError("it has no tokens, and the message is not finished")
        action = self.codec.decode_action(
            self.prompt, sampled, text, _logprobs(choice, len(sampled)), finished=reason == "stop"
        )
        action.usage = usage | action.usage
        return ParsedReply(action, None)


def _is_id(value: Any) -> bool:
    return type(value) is int and 0 <= value < _MAX_TOKEN_ID


def _logprobs(choice: Mapping[str, Any], count: int) -> list[float]:
    """Return the log probabilities of the sampled tokens, checked to be as many as these."""
    received = choice.get("logprobs")
    if received is None:
        raise InvalidReplyError("it has no log probabilities", FailureCause.TOKENS)
    values = received.get("token_logprobs") if isinstance(received, dict) else None
    if not isinstance(values, list) or len(values) != count or not all(map(_is_number, values)):
        raise InvalidReplyError(f"it does not have one log probability for each of {count} tokens")
    return [float(value) for value in values]


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
