"""The settings of a request, in the form that a server was found to want.

Servers differ in what they call the token limit and the reasoning of earlier turns, and some
refuse settings at their defaults. A `RequestForm` begins with what most take; `adapted` reads a
refusal and gives the form to ask again with.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from textgym.policies.base import Sampling

__all__ = ["RequestForm"]

_LARGEST_SEED = 2**31 - 1  # servers read seeds as 32 or 64 bits, signed or not
_SAME_IF_LEFT_OUT = {"temperature": 1, "top_p": 1}  # where the API's default is textgym's


@dataclass(frozen=True, slots=True)
class RequestForm:
    """How a server wants to be asked.

    Attributes:
        tokens_key: What it calls the most new tokens.
        reasoning_key: What it calls the reasoning of an earlier turn; None where it wants none.
        left_out: Settings that it refuses at their default.
    """

    tokens_key: str = "max_tokens"
    reasoning_key: str | None = "reasoning_content"
    left_out: frozenset[str] = frozenset()

    def settings(
        self, model: str, sampling: Sampling, seed: int | None, limited: bool = True
    ) -> dict[str, Any]:
        """Return the fields of a request that say who answers and how tokens are drawn.

        Args:
            model: What the server calls the model.
            sampling: How tokens are drawn.
            seed: The seed of the sampling; its lowest 31 bits are sent.
            limited: Whether the token limit is sent; without it a message may fill the context.

        Example:
            >>> settings = RequestForm().settings("m", Sampling(), seed=2**40 + 5)
            >>> settings["max_tokens"], settings["seed"], "top_k" in settings
            (512, 5, False)
        """
        settings: dict[str, Any] = {
            "model": model,
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
        }
        if limited:
            settings[self.tokens_key] = sampling.max_tokens
        if sampling.top_k:
            settings["top_k"] = sampling.top_k
        if sampling.stop:
            settings["stop"] = sampling.stop
        if seed is not None:
            settings["seed"] = seed & _LARGEST_SEED
        for name in self.left_out:
            del settings[name]
        return settings

    def after(self, reasoning_key: str | None) -> RequestForm:
        """Return the form after a reply that named its reasoning so, or had none."""
        if reasoning_key in (None, self.reasoning_key) or self.reasoning_key is None:
            return self
        return replace(self, reasoning_key=reasoning_key)

    def adapted(self, refusal: str, sampling: Sampling) -> RequestForm | None:
        """Return the form to ask again with after a refusal; None if this one was as good.

        Args:
            refusal: What the server said.
            sampling: The settings that were sent.

        Example:
            >>> form = RequestForm()
            >>> form.adapted("use max_completion_tokens instead", Sampling()).tokens_key
            'max_completion_tokens'
            >>> form.adapted("the messages are empty", Sampling())
        """
        words = set(re.findall(r"\w+", refusal))
        if self.tokens_key == "max_tokens" and "max_completion_tokens" in words:
            return replace(self, tokens_key="max_completion_tokens")
        if self.reasoning_key in words and not re.search("missing|must", refusal, re.IGNORECASE):
            return replace(self, reasoning_key=None)
        refused = {
            name
            for name, default in _SAME_IF_LEFT_OUT.items()
            if name in words - self.left_out and getattr(sampling, name) == default
        }
        return replace(self, left_out=self.left_out | refused) if refused else None
