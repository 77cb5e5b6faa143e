"""Parsing a model family's own tool calls and reasoning with vLLM's parsers.

The parsers have the names that vLLM's server gives them (`--tool-call-parser`,
`--reasoning-parser`). They run in this process, on whole replies, for any engine.

Invariants: no reply raises an error. If a parser fails on a reply, the reply becomes the message's
text, and text without a call stays unchanged. A call has an id only if the model wrote one, because
parsers make up random ids.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

from textgym.errors import (
    ExtraMissingError,
    UnknownNameError,
    UsageError,
    did_you_mean,
    install_advice,
)
from textgym.json_values import replace_surrogates
from textgym.messages import Message, ToolCall, ToolSchema, assistant
from textgym.policies.chat.templates import PROBE_TOOL, ignores_tools

__all__ = ["VLLMOutputParser", "make_output_parser", "shorten_error"]

_HARMONY = ("openai", "openai_gptoss")  # gpt-oss has one parser for both
_MAX_ERROR_LENGTH = 300


class VLLMOutputParser:
    """Parses the replies of one model with vLLM's parsers.

    Args:
        tokenizer: The model's tokenizer, with its chat template.
        tool_parser: vLLM's name of the tool-call parser; None for no parser.
        reasoning_parser: vLLM's name of the reasoning parser; None for no parser.

    Raises:
        ExtraMissingError: The extra `vllm` is not installed.
        UnknownNameError: vLLM has no parser of this name.
        UsageError: A parser does not work with the model.

    Attributes:
        parses_tool_calls: Whether it parses tool calls.
        parses_reasoning: Whether it parses the reasoning.
        needs_special_tokens: Whether replies must be decoded with their special tokens.
    """

    def __init__(
        self, tokenizer: Any, tool_parser: str | None, reasoning_parser: str | None
    ) -> None:
        _check_names(tool_parser, reasoning_parser)
        if tool_parser is not None and ignores_tools(tokenizer):
            raise UsageError(
                f"tool_parser={tool_parser!r} needs a chat template that takes tools, and the "
                "model's ignores them: textgym's own tool prompt and parser are used instead"
            )
        from vllm.tokenizers.hf import get_cached_tokenizer

        self._tokenizer = get_cached_tokenizer(tokenizer)
        is_harmony = tool_parser == _HARMONY[0] or reasoning_parser == _HARMONY[1]
        if is_harmony:
            tool_parser, reasoning_parser = _HARMONY
        self.parses_tool_calls = tool_parser is not None
        self.parses_reasoning = reasoning_parser is not None
        self._parser_class = self._find_class(tool_parser, reasoning_parser)
        self._without_calls = (
            self._parser_class if is_harmony else self._find_class(None, reasoning_parser)
        )
        parser, request = self._make_parser(self._parser_class, [PROBE_TOOL])
        self.needs_special_tokens = not parser.adjust_request(request).skip_special_tokens

    def parse(
        self,
        text: str,
        token_ids: Sequence[int],
        prompt_ids: Sequence[int],
        tools: Sequence[ToolSchema],
    ) -> Message:
        """Return the message of a reply.

        Args:
            text: The reply, without its reasoning if this object does not parse reasoning.
            token_ids: The sampled ids.
            prompt_ids: The ids of the prompt.
            tools: The tools that the model may call; if empty, no calls are parsed.

        Raises:
            UsageError: vLLM's parsers do not accept the tools.
        """
        if tools and self.parses_tool_calls:
            message = self._parse_with(self._parser_class, text, token_ids, prompt_ids, tools)
            if message.get("tool_calls"):
                return message  # otherwise the parser may have dropped an incomplete call
        return self._parse_with(self._without_calls, text, token_ids, prompt_ids, ())

    def _parse_with(
        self,
        parser_class: Any,
        text: str,
        token_ids: Sequence[int],
        prompt_ids: Sequence[int],
        tools: Sequence[ToolSchema],
    ) -> Message:
        if parser_class is None:
            return assistant(text)
        parser, request = self._make_parser(parser_class, tools, prompt_ids)
        try:
            reasoning, content, calls = parser.parse(text, request, bool(tools), token_ids)
            converted = [_convert_call(call, text) for call in (calls if tools and calls else ())]
        except Exception:  # a parser may raise anything on what a model wrote
            return assistant(text)
        message = assistant(replace_surrogates(content or ""))
        if reasoning and reasoning.strip():
            message["reasoning_content"] = replace_surrogates(reasoning.strip())
        if converted:
            message["content"] = message["content"] or None
            message["tool_calls"] = converted
        return message

    def _find_class(self, tool_parser: str | None, reasoning_parser: str | None) -> Any:
        """Return vLLM's class that parses with both, after one trial; None if it needs no class."""
        from vllm.parser import ParserManager

        try:
            parser_class = ParserManager.get_parser(
                tool_parser_name=tool_parser,
                reasoning_parser_name=reasoning_parser,
                enable_auto_tools=True,
                is_harmony=tool_parser == _HARMONY[0],
            )
            if parser_class is not None:
                parser, request = self._make_parser(parser_class, [PROBE_TOOL])
                parser.parse("Hello", request, True, ())
        except Exception as error:  # a parser may raise anything if the tokenizer does not fit it
            options = {"tool_parser": tool_parser, "reasoning_parser": reasoning_parser}
            named = ", ".join(f"{name}={value!r}" for name, value in options.items() if value)
            raise UsageError(
                f"{named} does not work with this model: {shorten_error(error)}"
            ) from error
        return parser_class

    def _make_parser(
        self, parser_class: Any, tools: Sequence[ToolSchema], prompt_ids: Sequence[int] = ()
    ) -> tuple[Any, Any]:
        """Return a parser, which serves one reply, and the request object that it takes."""
        from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionRequest

        try:
            request = ChatCompletionRequest(messages=[], tools=list(tools) or None)
        except ValueError as error:
            raise UsageError(
                f"vLLM's parsers do not accept these tools: {shorten_error(error)}"
            ) from error
        parser = parser_class(self._tokenizer, request.tools)
        parser.set_prompt_token_ids(prompt_ids)
        return parser, request


def make_output_parser(
    load_tokenizer: Callable[[], Any], tool_parser: str | None, reasoning_parser: str | None
) -> VLLMOutputParser | None:
    """Return the parser of a policy's options; None without a parser.

    Args:
        load_tokenizer: Returns the model's tokenizer; called only if a parser is named.
        tool_parser: As in `VLLMOutputParser`.
        reasoning_parser: As in `VLLMOutputParser`.

    Raises:
        ExtraMissingError: The extra `vllm` is not installed.
        UnknownNameError: vLLM has no parser of this name.
        UsageError: A parser does not work with the model.
    """
    if not (tool_parser or reasoning_parser):
        return None
    return VLLMOutputParser(load_tokenizer(), tool_parser, reasoning_parser)


def shorten_error(error: Exception) -> str:
    r"""Return the text of vLLM's error on one line, cut to a length that can be shown.

    Example:
        >>> shorten_error(ValueError("no such\n  model"))
        'no such model'
    """
    return " ".join(str(error).split())[:_MAX_ERROR_LENGTH]


def _check_names(tool_parser: str | None, reasoning_parser: str | None) -> None:
    os.environ.setdefault("VLLM_NO_USAGE_STATS", "1")
    try:
        import vllm.parser  # noqa: F401  missing in older versions
        from vllm.reasoning import ReasoningParserManager
        from vllm.tool_parsers import ToolParserManager
    except ModuleNotFoundError as error:
        raise ExtraMissingError(
            f"tool_parser and reasoning_parser need the extra 'vllm' ({error.name} is missing): "
            f"{install_advice('vllm')}"
        ) from error
    for option, name, manager in (
        ("tool_parser", tool_parser, ToolParserManager),
        ("reasoning_parser", reasoning_parser, ReasoningParserManager),
    ):
        known = manager.list_registered()
        if name is not None and name not in known:
            raise UnknownNameError(f"vLLM has no {option} {name!r}{did_you_mean(str(name), known)}")


def _convert_call(call: Any, text: str) -> ToolCall:
    """Return one of vLLM's calls as a plain dict; its arguments may be invalid JSON."""
    name, arguments = replace_surrogates(call.name), replace_surrogates(call.arguments)
    converted: ToolCall = {"type": "function", "function": {"name": name, "arguments": arguments}}
    if call.id and call.id in text:
        converted["id"] = call.id
    return converted
