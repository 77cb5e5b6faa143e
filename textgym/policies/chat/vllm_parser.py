"""Reading tool calls and reasoning as a model family writes them, with vLLM's own parsers.

They are named as vLLM's server names them (`--tool-call-parser`, `--reasoning-parser`) and run in
this process, on whole replies, whatever engine sampled those. No reply raises: where a parser does,
the reply is the model's text, and what holds no call stays as it was written. A call's id is kept
only if the model wrote it, for parsers draw one at random.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from textgym.errors import ExtraMissingError, UnknownNameError, UsageError, did_you_mean
from textgym.messages import Message, ToolCall, ToolSchema, assistant
from textgym.policies.chat.templates import PROBE_TOOL, ignores_tools
from textgym.policies.json_codec import whole_text

__all__ = ["FamilyParser"]

_HARMONY = ("openai", "openai_gptoss")  # gpt-oss has one parser for both
_MOST_SHOWN = 300


class FamilyParser:
    """vLLM's parsers for the replies of one model.

    Args:
        tokenizer: The model's tokenizer, with its chat template.
        tool_parser: What vLLM calls the parser of tool calls; None for none.
        reasoning_parser: What it calls the parser of the reasoning; None for none.

    Raises:
        ExtraMissingError: The extra `vllm` is not installed.
        UnknownNameError: vLLM has no parser of this name.
        UsageError: A parser does not go with the model.

    Attributes:
        reads_calls: Whether it reads tool calls.
        reads_reasoning: Whether it reads the reasoning.
        wants_special_tokens: Whether it is to be given texts with their special tokens.
    """

    def __init__(
        self, tokenizer: Any, tool_parser: str | None, reasoning_parser: str | None
    ) -> None:
        _check_names(tool_parser, reasoning_parser)
        if tool_parser is not None and ignores_tools(tokenizer):
            raise UsageError(
                f"tool_parser={tool_parser!r} is for chat templates that take tools, and the "
                "model's takes none: textgym's own tool prompt and parser stand in"
            )
        from vllm.tokenizers.hf import get_cached_tokenizer

        self._tokenizer = get_cached_tokenizer(tokenizer)
        is_harmony = tool_parser == _HARMONY[0] or reasoning_parser == _HARMONY[1]
        if is_harmony:
            tool_parser, reasoning_parser = _HARMONY
        self.reads_calls = tool_parser is not None
        self.reads_reasoning = reasoning_parser is not None
        self._whole = self._composed(tool_parser, reasoning_parser)
        self._without_calls = self._whole if is_harmony else self._composed(None, reasoning_parser)
        parser, request = self._prepared(self._whole, [PROBE_TOOL])
        self.wants_special_tokens = not parser.adjust_request(request).skip_special_tokens

    def read(
        self,
        text: str,
        token_ids: Sequence[int],
        prompt_ids: Sequence[int],
        tools: Sequence[ToolSchema],
    ) -> Message:
        """Return the message that a reply is.

        Args:
            text: The reply; if the reasoning is not read, what follows it.
            token_ids: What was sampled.
            prompt_ids: What the model was given.
            tools: The tools that it may call; without any no calls are read.

        Raises:
            UsageError: vLLM's parsers do not take the tools.
        """
        if tools and self.reads_calls:
            message = self._parsed(self._whole, text, token_ids, prompt_ids, tools)
            if message.get("tool_calls"):
                return message  # else the parser may have dropped what nearly was a call
        return self._parsed(self._without_calls, text, token_ids, prompt_ids, ())

    def _parsed(
        self,
        parser_class: Any,
        text: str,
        token_ids: Sequence[int],
        prompt_ids: Sequence[int],
        tools: Sequence[ToolSchema],
    ) -> Message:
        if parser_class is None:
            return assistant(text)
        parser, request = self._prepared(parser_class, tools, prompt_ids)
        try:
            reasoning, content, calls = parser.parse(text, request, bool(tools), token_ids)
            found = [_call(call, text) for call in (calls if tools and calls else ())]
        except Exception:  # whatever a parser raises on what a model wrote
            return assistant(text)
        message = assistant(whole_text(content or ""))
        if reasoning and reasoning.strip():
            message["reasoning_content"] = whole_text(reasoning.strip())
        if found:
            message["content"] = message["content"] or None
            message["tool_calls"] = found
        return message

    def _composed(self, tool_parser: str | None, reasoning_parser: str | None) -> Any:
        """Return the class of vLLM's that parses with both, tried once; None for no parser."""
        from vllm.parser import ParserManager

        try:
            composed = ParserManager.get_parser(
                tool_parser_name=tool_parser,
                reasoning_parser_name=reasoning_parser,
                enable_auto_tools=True,
                is_harmony=tool_parser == _HARMONY[0],
            )
            if composed is not None:
                parser, request = self._prepared(composed, [PROBE_TOOL])
                parser.parse("Hello", request, True, ())
        except Exception as error:  # whatever a parser raises that lacks what it needs
            options = {"tool_parser": tool_parser, "reasoning_parser": reasoning_parser}
            given = ", ".join(f"{name}={value!r}" for name, value in options.items() if value)
            reason = " ".join(str(error).split())[:_MOST_SHOWN]
            raise UsageError(f"{given} does not go with this model: {reason}") from error
        return composed

    def _prepared(
        self, parser_class: Any, tools: Sequence[ToolSchema], prompt_ids: Sequence[int] = ()
    ) -> tuple[Any, Any]:
        """Return a parser, which is for one reply, and the request that it takes."""
        from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionRequest

        try:
            request = ChatCompletionRequest(messages=[], tools=list(tools) or None)
        except ValueError as error:
            reason = " ".join(str(error).split())[:_MOST_SHOWN]
            raise UsageError(f"vLLM's parsers do not take these tools: {reason}") from error
        parser = parser_class(self._tokenizer, request.tools)
        parser.set_prompt_token_ids(prompt_ids)
        return parser, request


def _check_names(tool_parser: str | None, reasoning_parser: str | None) -> None:
    os.environ.setdefault("VLLM_NO_USAGE_STATS", "1")
    try:
        import vllm.parser  # noqa: F401  older ones have no such module
        from vllm.reasoning import ReasoningParserManager
        from vllm.tool_parsers import ToolParserManager
    except ModuleNotFoundError as error:
        raise ExtraMissingError(
            f"tool_parser and reasoning_parser need the extra 'vllm' ({error.name} is missing): "
            "pip install 'textgym[vllm]'"
        ) from error
    for option, name, manager in (
        ("tool_parser", tool_parser, ToolParserManager),
        ("reasoning_parser", reasoning_parser, ReasoningParserManager),
    ):
        known = manager.list_registered()
        if name is not None and name not in known:
            raise UnknownNameError(f"vLLM has no {option} {name!r}{did_you_mean(str(name), known)}")


def _call(call: Any, text: str) -> ToolCall:
    """Return a call of vLLM's; its arguments are JSON, or what the model wrote for it."""
    name, arguments = whole_text(call.name), whole_text(call.arguments)
    made: ToolCall = {"type": "function", "function": {"name": name, "arguments": arguments}}
    if call.id and call.id in text:
        made["id"] = call.id
    return made
