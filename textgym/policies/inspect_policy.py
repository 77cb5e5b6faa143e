"""`inspect:MODEL`: any model that Inspect has a provider for, such as `inspect:anthropic/…`.

Inspect retries, limits rates and counts tokens. Token ids and log probabilities are not recorded.

Invariants: an answer that does not come is a `PolicyFailure`; a prompt that is too long is a
`ContextFullError`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from textgym.errors import (
    ContextFullError,
    ExtraMissingError,
    PolicyFailure,
    UsageError,
    in_one_line,
    install_advice,
)
from textgym.messages import Message, ToolSchema
from textgym.policies.base import Action, Policy, Sampling, Tokens

try:
    from inspect_ai.model import GenerateConfig, get_model

    from textgym.policies.inspect_messages import as_chat, as_message, as_tools
except ImportError as error:
    raise ExtraMissingError(
        f"policies of Inspect need the extra 'inspect': {install_advice('inspect')}"
    ) from error

if TYPE_CHECKING:
    from inspect_ai.model import Model

__all__ = ["InspectPolicy"]

_FINISHED = {"max_tokens": "length", "tool_calls": "tool_calls"}


class InspectPolicy(Policy):
    """A model of Inspect.

    Args:
        model: The name, with its provider, such as `anthropic/MODEL`; or a model of Inspect.
        sampling: How tokens are sampled.
        **model_args: Arguments of `inspect_ai.model.get_model`, such as `base_url`.

    Raises:
        UsageError: Inspect does not know the model, or its provider is not installed.

    Example:
        >>> InspectPolicy("mockllm/model").name
        'inspect:mockllm/model'
    """

    def __init__(
        self, model: str | Model, sampling: Sampling | None = None, **model_args: Any
    ) -> None:
        self.sampling = sampling or Sampling()
        if self.sampling.min_p:
            raise UsageError("inspect: policies have no min_p; sample with top_p or top_k")
        if isinstance(model, str):
            try:
                model = get_model(model, **model_args)
            except Exception as error:  # a provider may raise anything
                raise UsageError(f"inspect:{model} cannot be made: {in_one_line(error)}") from error
        self._model = model
        self.name = f"inspect:{model}"
        self._config = GenerateConfig(
            temperature=self.sampling.temperature,
            top_p=None if self.sampling.top_p == 1 else self.sampling.top_p,
            top_k=self.sampling.top_k or None,
            max_tokens=self.sampling.max_tokens,
            stop_seqs=list(self.sampling.stop) or None,
        )

    async def act(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSchema],
        *,
        prior: Tokens | None = None,
        seed: int | None = None,
    ) -> Action:
        """Answer a conversation."""
        config = self._config.merge(GenerateConfig(seed=None if seed is None else seed % 2**31))
        try:
            output = await self._model.generate(as_chat(messages), as_tools(tools), config=config)
        except Exception as error:  # a provider may raise anything
            raise PolicyFailure(f"{self.name}: {in_one_line(error)}") from error
        if output.choices and output.stop_reason == "model_length":  # which may have an error, too
            raise ContextFullError(f"the prompt is too long for {self.name}")
        if output.error or not output.choices:
            raise PolicyFailure(f"{self.name}: {output.error or 'the output has no choices'}")
        usage = output.usage
        counts = {"prompt_tokens": 0, "completion_tokens": 0}
        if usage is not None:
            counts["prompt_tokens"] = usage.input_tokens
            counts["completion_tokens"] = usage.output_tokens
        finish = _FINISHED.get(output.stop_reason, "stop")
        return Action(as_message(output.message), finish, counts if usage else {})
