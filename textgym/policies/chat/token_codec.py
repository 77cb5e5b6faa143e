"""The chat codec: encodes a conversation as a prompt, and decodes sampled tokens as an action.

The first prompt of a conversation is rendered and encoded as a whole. For every later prompt, the
ids that the engine read and sampled are kept unchanged, and only the bridge is encoded and
appended: the end of the sampled message if the model did not write it, the messages after it, and
the generation prompt. Sampled text is never encoded again.

The bridge is taken from a short conversation in which a marker stands for the sampled message. The
whole conversation is rendered too, but not encoded, to check that the template leaves earlier turns
unchanged: the text must begin with the earlier prompt, contain the sampled reasoning and text, and
end with the bridge. If it does not, for example because the template drops the reasoning of earlier
turns, the whole conversation is encoded again.

Invariants: a prompt either begins with the recorded ids, all of them unchanged, or is the encoding
of the whole rendered conversation. In the second case the caller must start a new token sequence.
"""

from __future__ import annotations

import itertools
import re
import sys
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from textgym.errors import ContextFullError, UsageError
from textgym.messages import Message, ToolSchema, assistant, split_reasoning, text_of, user
from textgym.policies.base import Action, PictureSpan, Tokens
from textgym.policies.chat.hermes import with_parsed_calls
from textgym.policies.chat.pictures import Picture, PictureReader, count_pictures
from textgym.policies.chat.templates import encode, render, uses_hermes_calls
from textgym.policies.chat.vllm_parser import VLLMOutputParser

__all__ = ["ChatCodec", "EncodedPrompt"]

_MARKER = "c0e6marker7f1a"
_THINK, _END_THINK = "<think>", "</think>"
_THINK_TAGS = re.compile("</?think>")
_INCOMPLETE_TAG = re.compile(r"<[^<>]*\Z")


@dataclass(frozen=True, slots=True)
class EncodedPrompt:
    """The prompt of an engine.

    Attributes:
        ids: The token ids.
        opens_reasoning: Whether the prompt ends with `<think>`, so that the completion begins with
            reasoning.
        tools: The tools whose calls are parsed out of the completion.
        pictures: The conversation's pictures.
        spans: Where they are in the ids.
    """

    ids: list[int]
    opens_reasoning: bool
    tools: Sequence[ToolSchema]
    pictures: Sequence[Picture] = ()
    spans: Sequence[PictureSpan] = ()


class ChatCodec:
    """Encodes conversations as prompts, and decodes sampled tokens as actions.

    Args:
        name: The policy's name, for errors.
        tokenizer: A transformers tokenizer with a chat template.
        eos_token_ids: The ids at which the engine ends a message.
        context_length: The maximum number of tokens in the context; by default there is no limit.
        parser: Parses the model's own form of tool calls or reasoning; by default both are expected
            between tags.
        pictures: Reads pictures; by default a conversation with a picture is refused.
    """

    def __init__(
        self,
        name: str,
        tokenizer: Any,
        eos_token_ids: Collection[int],
        context_length: int = sys.maxsize,
        parser: VLLMOutputParser | None = None,
        pictures: PictureReader | None = None,
    ) -> None:
        self.name = name
        self.tokenizer = tokenizer
        self.eos_token_ids = frozenset(eos_token_ids)
        self.context_length = context_length
        self.parser = parser
        self.pictures = pictures
        self._parser_reads_calls = parser is not None and parser.parses_tool_calls

    @property
    def skip_special_tokens(self) -> bool:
        """Whether the text given to `decode_action` must be decoded without special tokens.

        The end-of-message token is left out in either case.
        """
        return self.parser is None or not self.parser.needs_special_tokens

    def encode_prompt(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema], prior: Tokens | None
    ) -> EncodedPrompt:
        """Return the prompt of a conversation; it begins with the prior tokens if possible.

        Args:
            messages: The conversation.
            tools: Schemas of the tools that may be called.
            prior: The recorded tokens of the first `prior.message_count` messages.

        Raises:
            ContextFullError: The model has no room for an answer.
            UsageError: The template refuses the conversation, or the model cannot read a part.
        """
        text = self._render(messages, tools)
        pictures = self.pictures.read(messages) if self.pictures else []
        ids = self._continue_prior(prior, messages, tools, text, pictures) if prior else None
        if ids is None:
            ids = self._encode(text, pictures)
        if len(ids) >= self.context_length:
            raise ContextFullError(
                f"the prompt has {len(ids)} tokens, and {self.name} has a context of "
                f"{self.context_length}"
            )
        parses_calls = self._parser_reads_calls or uses_hermes_calls(self.tokenizer)
        opens_reasoning = text.rstrip().endswith(_THINK)
        spans = self.pictures.spans(ids, pictures) if self.pictures else ()
        return EncodedPrompt(ids, opens_reasoning, tools if parses_calls else (), pictures, spans)

    def decode_action(
        self,
        prompt: EncodedPrompt,
        token_ids: list[int],
        text: str,
        logprobs: list[float],
        *,
        finished: bool,
        policy_version: str | None = None,
    ) -> Action:
        """Return the action that a model sampled.

        Args:
            prompt: The prompt.
            token_ids: The sampled ids.
            text: Their text, without the end-of-message token and the stop text; see
                `skip_special_tokens`.
            logprobs: One log probability for each sampled id.
            finished: Whether the model ended the message, rather than the token limit.
            policy_version: Which weights sampled it.
        """
        message = self._parse_message(prompt, token_ids, text, finished)
        finish_reason = "tool_calls" if message.get("tool_calls") else "stop"
        action = Action(
            message=message,
            finish_reason=finish_reason if finished else "length",
            usage={"prompt_tokens": len(prompt.ids), "completion_tokens": len(token_ids)},
            prompt_ids=prompt.ids,
            token_ids=token_ids,
            logprobs=logprobs,
            policy_version=policy_version,
        )
        if prompt.spans:
            action.pictures = list(prompt.spans)
        return (
            with_parsed_calls(action) if prompt.tools and not self._parser_reads_calls else action
        )

    def _parse_message(
        self, prompt: EncodedPrompt, token_ids: list[int], text: str, finished: bool
    ) -> Message:
        """Return the message; Hermes calls, if it may have any, are still part of its text."""
        reasoning, parser = "", self.parser
        if not (parser and parser.parses_reasoning):
            block, answer = split_reasoning(text, leading_only=True, opened=prompt.opens_reasoning)
            if block:
                reasoning = block.strip().removeprefix(_THINK).removesuffix(_END_THINK).strip()
                text = answer.lstrip()
        message = assistant(text)
        if parser:
            # A call that was cut must not run with half its arguments.
            tools = prompt.tools if finished else ()
            message = parser.parse(text, token_ids, prompt.ids, tools)
        if reasoning:
            message["reasoning_content"] = reasoning
        return message

    def _render(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema], **options: bool
    ) -> str:
        return render(self.tokenizer, messages, tools, pictures=self.pictures, **options)

    def _encode(self, text: str, pictures: Sequence[Picture]) -> list[int]:
        ids = encode(self.tokenizer, text)
        return self.pictures.expand(ids, pictures) if self.pictures else ids

    def _continue_prior(
        self,
        prior: Tokens,
        messages: Sequence[Message],
        tools: Sequence[ToolSchema],
        text: str,
        pictures: Sequence[Picture],
    ) -> list[int] | None:
        """Return the prior ids and the bridge; None if the template changes earlier turns."""
        index = prior.message_count - 1
        if not 0 <= index < len(messages) or messages[index]["role"] != "assistant":
            return None
        sampled = messages[index]
        try:
            before = self._render(messages[:index], tools)
            after = self._render_after(messages, index, tools)
        except UsageError:  # the template does not accept a part of this conversation by itself
            return None
        eos = self._sampled_eos(prior)
        eos_start = after.find_eos(eos) if eos else None
        start = after.unwritten if eos_start is None else eos_start
        if start is None:
            return None
        bridge = after.text[start:]
        shown = text.removeprefix(before).removesuffix(bridge)
        if len(before) + len(shown) + len(bridge) != len(text):
            return None
        if not all(part in shown for part in _text_parts(sampled)):
            return None
        new = pictures[count_pictures(messages[:index]) :]
        ids = self._encode(bridge, new)  # with the eos token, which affects what follows
        if eos_start is not None:
            has_same_eos = ids[:1] == prior.ids[-1:]
            ids = ids[1:] if has_same_eos else self._encode(bridge[len(eos) :], new)
        return prior.ids + ids

    def _sampled_eos(self, prior: Tokens) -> str:
        """Return the text of the token with which the model ended its message, or ""."""
        last = prior.ids[-1]
        if not prior.loss_mask[-1] or last not in self.eos_token_ids:
            return ""
        text: str = self.tokenizer.decode([last])
        return text

    def _render_after(
        self, messages: Sequence[Message], index: int, tools: Sequence[ToolSchema]
    ) -> _RenderedAfter:
        """Return what follows the text of the message at an index.

        Raises:
            UsageError: It cannot be found, or the template refuses the short conversation.
        """
        users = (i for i, item in enumerate(messages[:index]) if item["role"] == "user")
        head = messages[: next(users, index - 1) + 1]
        sampled, new = messages[index], messages[index + 1 :]

        def after_marker(*tail: Message, count: int = 1, add_generation_prompt: bool = True) -> str:
            """Render a short conversation, and return what follows the last marker."""
            text = self._render([*head, *tail], tools, add_generation_prompt=add_generation_prompt)
            parts = text.split(_MARKER, count)
            if len(parts) <= count:
                raise UsageError("the template does not show the sampled message")
            return parts[-1]

        plain, marked = assistant(_MARKER), _with_marker(sampled)
        end = after_marker(plain, add_generation_prompt=False)
        close = _common_prefix(end, after_marker(plain, user("Go on.")))
        if not sampled.get("tool_calls"):
            return _RenderedAfter(after_marker(plain, *new), len(close), 0)
        whole = self._render([*head, marked], tools, add_generation_prompt=False)
        count = whole.count(_MARKER)
        if not count:
            raise UsageError("the template does not show the calls")
        text = after_marker(marked, *new, count=count)
        end_of_calls = after_marker(marked, count=count, add_generation_prompt=False)
        close_of_calls = _common_prefix(end_of_calls, text)
        closes_alike = close_of_calls.endswith(close) and bool(close or not end)
        unwritten = len(close_of_calls) - len(close) if closes_alike else None
        return _RenderedAfter(text, len(close_of_calls), unwritten)


@dataclass(frozen=True, slots=True)
class _RenderedAfter:
    """The end of a rendered conversation, after the text of a message.

    Attributes:
        text: The end.
        closed: The position in it at which the message has ended.
        unwritten: The position up to which a model that was cut can have written; None if it is
            unknown because the template ends calls differently from text.
    """

    text: str
    closed: int
    unwritten: int | None

    def find_eos(self, eos: str) -> int | None:
        """Return the position of a sampled eos token, in the message's end or right after it."""
        position = self.text.find(eos, 0, self.closed + len(eos))
        return None if position < 0 else position


def _with_marker(message: Message) -> Message:
    """Return a message that ends with the marker: as its text, or as its calls' arguments."""
    calls = message.get("tool_calls")
    if not calls:
        return assistant(_MARKER)
    marked: Message = {
        "role": "assistant",
        "content": "",
        "tool_calls": [
            {**call, "function": {**call["function"], "arguments": {_MARKER: _MARKER}}}
            for call in calls
        ],
    }
    return marked


def _common_prefix(left: str, right: str) -> str:
    """Return the longest common prefix, without an incomplete tag at its end."""
    pairs = zip(left, right, strict=False)
    equal = itertools.takewhile(lambda pair: pair[0] == pair[1], pairs)
    return _INCOMPLETE_TAG.sub("", "".join(character for character, _ in equal))


def _text_parts(message: Message) -> list[str]:
    """Return the texts that a template renders if it shows the whole message."""
    texts = [message.get("reasoning_content") or "", *_THINK_TAGS.split(text_of(message))]
    return [text.strip() for text in texts]
