"""A conversation as a completions server is asked about it: in token ids, and answered in them.

The prompt is made here, by the recorder, so the server encodes no text. It must tell which ids it
read and which it sampled, with a log probability for each; what tells something else, or nothing,
is no answer. It is vLLM's form of `/completions`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from textgym.policies.chat.codec import Prompt, Recorder
from textgym.policies.openai.replies import Answer, BrokenReplyError, Cause, as_json
from textgym.policies.openai.request_settings import RequestForm

__all__ = ["TokenQuestion"]

_MOST_IDS = 2**31


@dataclass(frozen=True, slots=True)
class TokenQuestion:
    """A prompt's token ids for `/completions`.

    Attributes:
        recorder: What makes an action of the sampled tokens.
        prompt: What the model reads.
    """

    recorder: Recorder
    prompt: Prompt

    kind: ClassVar[str] = "completion"
    path: ClassVar[str] = "completions"

    def fields(self, form: RequestForm) -> dict[str, Any]:
        """Return the fields of a request; a server that is told no limit would cut after 16."""
        fields: dict[str, Any] = {
            "prompt": self.prompt.ids,
            "logprobs": 0,  # of the sampled tokens alone
            "return_token_ids": True,
            form.tokens_key: None,
        }
        if not self.recorder.drops_special_tokens:
            fields["skip_special_tokens"] = False
        return fields

    def read(self, choice: Mapping[str, Any], usage: dict[str, int]) -> Answer:
        """Read the first of a reply's choices.

        Raises:
            BrokenReplyError: It does not tell what was read and sampled.
        """
        read, sampled = choice.get("prompt_token_ids"), choice.get("token_ids")
        if read is None or sampled is None:
            raise BrokenReplyError("it has no token ids, as vLLM gives them", Cause.TOKENS)
        if read != self.prompt.ids:
            raise BrokenReplyError("it is to another prompt than the ids sent", Cause.TOKENS)
        if not isinstance(sampled, list) or not all(map(_is_id, sampled)):
            raise BrokenReplyError(f"its token_ids are no ids: {as_json(sampled)}")
        text, reason = choice.get("text"), choice.get("finish_reason")
        if not isinstance(text, str):
            raise BrokenReplyError("it has no text")
        if reason not in ("stop", "length"):
            raise BrokenReplyError(f"it ended neither by itself nor at a limit: {as_json(reason)}")
        action = self.recorder.action(
            self.prompt, sampled, text, _logprobs(choice, len(sampled)), finished=reason == "stop"
        )
        action.usage = usage | action.usage
        return Answer(action, None)


def _is_id(value: Any) -> bool:
    return type(value) is int and 0 <= value < _MOST_IDS


def _logprobs(choice: Mapping[str, Any], count: int) -> list[float]:
    """Return the log probabilities of so many sampled tokens."""
    given = choice.get("logprobs")
    if given is None:
        raise BrokenReplyError("it has no log probabilities", Cause.TOKENS)
    values = given.get("token_logprobs") if isinstance(given, dict) else None
    if not isinstance(values, list) or len(values) != count or not all(map(_is_number, values)):
        raise BrokenReplyError(f"its log probabilities are not one for each of {count} tokens")
    return [float(value) for value in values]


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
