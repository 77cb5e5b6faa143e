"""The format of a request: field names and optional fields, adapted to what a server accepts.

Servers differ in their names for the token limit and for the reasoning of earlier turns, and some
refuse fields even at their default values. A `RequestFormat` starts with what most servers accept;
`adapted_to` reads a server's refusal and returns the format to try next.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from textgym.policies.base import Sampling

__all__ = ["RequestFormat"]

_MAX_SEED = 2**31 - 1  # servers read seeds as 32 or 64 bits, signed or not
_API_DEFAULTS = {"temperature": 1, "top_p": 1}  # and textgym's


@dataclass(frozen=True, slots=True)
class RequestFormat:
    """The request format that a server accepts.

    Attributes:
        max_tokens_key: The field for the maximum number of sampled tokens.
        reasoning_key: The key for the reasoning of earlier turns; None if it must not be sent.
        omitted: Fields that the server refuses even at their default.
    """

    max_tokens_key: str = "max_tokens"
    reasoning_key: str | None = "reasoning_content"
    omitted: frozenset[str] = frozenset()

    def sampling_fields(
        self, model: str, sampling: Sampling, seed: int | None, send_limit: bool = True
    ) -> dict[str, Any]:
        """Return the fields for the model and the sampling.

        Args:
            model: The server's name of the model.
            sampling: How tokens are sampled.
            seed: The seed of the sampling; its lowest 31 bits are sent.
            send_limit: Whether the token limit is sent; without it a message may fill the context.

        Example:
            >>> sent = RequestFormat().sampling_fields("m", Sampling(), seed=2**40 + 5)
            >>> sent["max_tokens"], sent["seed"], "top_k" in sent
            (512, 5, False)
        """
        fields: dict[str, Any] = {
            "model": model,
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
        }
        if send_limit:
            fields[self.max_tokens_key] = sampling.max_tokens
        if sampling.top_k:
            fields["top_k"] = sampling.top_k
        if sampling.stop:
            fields["stop"] = sampling.stop
        if seed is not None:
            fields["seed"] = seed & _MAX_SEED
        for name in self.omitted:
            del fields[name]
        return fields

    def with_reasoning_key(self, reasoning_key: str | None) -> RequestFormat:
        """Return the format with the reasoning key of a reply, which is None without reasoning."""
        if reasoning_key in (None, self.reasoning_key) or self.reasoning_key is None:
            return self
        return replace(self, reasoning_key=reasoning_key)

    def adapted_to(self, refusal: str, sampling: Sampling) -> RequestFormat | None:
        """Return the format to try after a refusal; None if no other format would help.

        Args:
            refusal: The server's error message.
            sampling: The settings that were sent.

        Example:
            >>> initial = RequestFormat()
            >>> initial.adapted_to("use max_completion_tokens instead", Sampling()).max_tokens_key
            'max_completion_tokens'
            >>> initial.adapted_to("the messages are empty", Sampling())
        """
        words = set(re.findall(r"\w+", refusal))
        if self.max_tokens_key == "max_tokens" and "max_completion_tokens" in words:
            return replace(self, max_tokens_key="max_completion_tokens")
        if self.reasoning_key in words and not re.search("missing|must", refusal, re.IGNORECASE):
            return replace(self, reasoning_key=None)
        refused = {
            name
            for name, default in _API_DEFAULTS.items()
            if name in words - self.omitted and getattr(sampling, name) == default
        }
        return replace(self, omitted=self.omitted | refused) if refused else None
