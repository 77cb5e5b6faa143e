"""The recorder: token ids of prompts, and messages out of sampled ids.

Tokens go in and tokens come out. A conversation's first prompt is rendered and encoded; after that
what an engine saw and sampled is kept id for id, and only what is new is encoded and appended: the
close of the sampled message, as far as the model did not write it, the messages after it, and what
the next answer begins with (the bridge). So text that would be encoded otherwise stays as sampled.

The bridge is read off a short conversation in which a marker stands for what the model said. The
whole conversation is rendered too, without encoding it, to see that the template leaves the past as
it was: that it goes on from the prompt before, still shows the reasoning and the text that were
sampled, and ends with the bridge. Where it does not, as where thinking is dropped from earlier
turns, the whole is encoded anew: such a prompt does not begin with the tokens so far, and whoever
records them begins a new sequence.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from textgym.errors import ContextFullError, UsageError
from textgym.messages import Message, ToolSchema, assistant, text_of, user
from textgym.policies.base import Action, Tokens
from textgym.policies.chat.hermes_parser import with_tool_calls
from textgym.policies.chat.templates import encode, has_tagged_calls, render
from textgym.policies.chat.vllm_parser import FamilyParser

__all__ = ["Prompt", "Recorder", "split_reasoning"]

_MARKER = "c0e6marker7f1a"
_THINK, _THOUGHT = "<think>", "</think>"
_TAGS = re.compile("</?think>")
_HALF_TAG = re.compile(r"<[^<>]*\Z")


@dataclass(frozen=True, slots=True)
class Prompt:
    """What an engine is given.

    Attributes:
        ids: The token ids.
        opens_reasoning: Whether the answer begins within the reasoning.
        tools: The tools whose calls are read out of the answer.
    """

    ids: list[int]
    opens_reasoning: bool
    tools: Sequence[ToolSchema]


class Recorder:
    """Makes prompts of conversations, and actions of sampled tokens.

    Args:
        name: What the policy is called.
        tokenizer: A transformers tokenizer with a chat template.
        ends: The ids at which the engine ends a message.
        context: How many tokens the model holds; by default nobody here knows.
        parser: What reads the model's own form of calls or reasoning; by default both stand
            between tags.
    """

    def __init__(
        self,
        name: str,
        tokenizer: Any,
        ends: Collection[int],
        context: int = sys.maxsize,
        parser: FamilyParser | None = None,
    ) -> None:
        self.name = name
        self.tokenizer = tokenizer
        self.ends = frozenset(ends)
        self.context = context
        self.parser = parser
        self._own_calls = parser is not None and parser.reads_calls

    @property
    def drops_special_tokens(self) -> bool:
        """Whether the text that `action` is given is without special tokens; never an end."""
        return self.parser is None or not self.parser.wants_special_tokens

    def prompt(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema], prior: Tokens | None
    ) -> Prompt:
        """Return the prompt of a conversation, which begins with the prior tokens if it can.

        Raises:
            ContextFullError: The model has no room for an answer.
            UsageError: The template refuses the conversation.
        """
        text = render(self.tokenizer, messages, tools)
        ids = self._continued(prior, messages, tools, text) if prior else None
        if ids is None:
            ids = encode(self.tokenizer, text)
        if len(ids) >= self.context:
            raise ContextFullError(
                f"the prompt has {len(ids)} tokens and {self.name} holds {self.context}"
            )
        reads_calls = self._own_calls or has_tagged_calls(self.tokenizer)
        return Prompt(ids, text.rstrip().endswith(_THINK), tools if reads_calls else ())

    def action(
        self,
        prompt: Prompt,
        token_ids: list[int],
        text: str,
        logprobs: list[float],
        *,
        finished: bool,
        version: str | None = None,
    ) -> Action:
        """Return what a model did.

        Args:
            prompt: What it was given.
            token_ids: What it sampled.
            text: What of that is its message, without end and stop texts; see
                `drops_special_tokens`.
            logprobs: One for each sampled id.
            finished: Whether it ended by itself, not cut by the token limit.
            version: Which weights sampled it.
        """
        message = self._message(prompt, token_ids, text, finished)
        ended = "tool_calls" if message.get("tool_calls") else "stop"
        action = Action(
            message=message,
            finish_reason=ended if finished else "length",
            usage={"prompt_tokens": len(prompt.ids), "completion_tokens": len(token_ids)},
            prompt_ids=prompt.ids,
            token_ids=token_ids,
            logprobs=logprobs,
            policy_version=version,
        )
        return with_tool_calls(action) if prompt.tools and not self._own_calls else action

    def _message(self, prompt: Prompt, token_ids: list[int], text: str, finished: bool) -> Message:
        """Return the message that a text is, but for calls between tags."""
        reasoning, parser = "", self.parser
        if not (parser and parser.reads_reasoning):
            reasoning, text = split_reasoning(text, opened=prompt.opens_reasoning)
        message = assistant(text)
        if parser:
            # A call that was cut must not run with half its arguments.
            tools = prompt.tools if finished else ()
            message = parser.read(text, token_ids, prompt.ids, tools)
        if reasoning:
            message["reasoning_content"] = reasoning
        return message

    def _continued(
        self, prior: Tokens, messages: Sequence[Message], tools: Sequence[ToolSchema], text: str
    ) -> list[int] | None:
        """Return the prior tokens with the bridge; None where the template rewrites the past."""
        place = prior.message_count - 1
        if not 0 <= place < len(messages) or messages[place]["role"] != "assistant":
            return None
        said = messages[place]
        try:
            before = render(self.tokenizer, messages[:place], tools)
            after = self._after(messages, place, tools)
        except UsageError:  # the template takes no part of this conversation alone
            return None
        end = self._written_end(prior)
        start = after.place_of(end) if end else None
        unwritten = after.unwritten if start is None else start
        if unwritten is None:
            return None
        bridge = after.text[unwritten:]
        shown = text.removeprefix(before).removesuffix(bridge)
        if len(before) + len(shown) + len(bridge) != len(text):
            return None
        if not all(part in shown for part in _parts_of(said)):
            return None
        ids = encode(self.tokenizer, bridge)  # with the end, for what it does to the rest
        if start is not None:
            is_one = ids[:1] == prior.ids[-1:]
            ids = ids[1:] if is_one else encode(self.tokenizer, bridge[len(end) :])
        return prior.ids + ids

    def _written_end(self, prior: Tokens) -> str:
        """Return the text of the token with which the model ended its message, or ""."""
        last = prior.ids[-1]
        if not prior.loss_mask[-1] or last not in self.ends:
            return ""
        text: str = self.tokenizer.decode([last])
        return text

    def _after(
        self, messages: Sequence[Message], place: int, tools: Sequence[ToolSchema]
    ) -> _After:
        """Return what follows the last word of the message at a place.

        Raises:
            UsageError: It cannot be told, or the template refuses the short conversation.
        """
        users = (i for i, item in enumerate(messages[:place]) if item["role"] == "user")
        head = messages[: next(users, place - 1) + 1]
        said, new = messages[place], messages[place + 1 :]

        def tail(*after: Message, count: int = 1, asks: bool = True) -> str:
            """Render a short conversation, and return what follows the marker."""
            text = render(self.tokenizer, [*head, *after], tools, asks=asks)
            parts = text.split(_MARKER, count)
            if len(parts) <= count:
                raise UsageError("the template does not show what the model said")
            return parts[-1]

        plain, marked = assistant(_MARKER), _marked(said)
        ends = tail(plain, asks=False)
        close = _shared_start(ends, tail(plain, user("Go on.")))
        if not said.get("tool_calls"):
            return _After(tail(plain, *new), len(close), 0)
        count = render(self.tokenizer, [*head, marked], tools, asks=False).count(_MARKER)
        if not count:
            raise UsageError("the template does not show the calls")
        text = tail(marked, *new, count=count)
        call_end = _shared_start(tail(marked, count=count, asks=False), text)
        closes_alike = call_end.endswith(close) and bool(close or not ends)
        unwritten = len(call_end) - len(close) if closes_alike else None
        return _After(text, len(call_end), unwritten)


@dataclass(frozen=True, slots=True)
class _After:
    """What follows the last word of a message in a rendered conversation.

    Attributes:
        text: All of it.
        closed: Where in it the message has ended.
        unwritten: Where in it begins what a model that was cut did not write; None where that
            cannot be told, as where calls are closed in a way of their own.
    """

    text: str
    closed: int
    unwritten: int | None

    def place_of(self, end: str) -> int | None:
        """Return where an end stands that a model wrote: in the close, or in the place of one."""
        found = self.text.find(end, 0, self.closed + len(end))
        return None if found < 0 else found


def split_reasoning(text: str, *, opened: bool = False) -> tuple[str, str]:
    """Return a model's reasoning, "" where there is none, and what it says after it.

    Args:
        text: What the model wrote.
        opened: Whether the prompt ended with the tag that opens the reasoning.

    Example:
        >>> split_reasoning("<think>A or B?</think>B")
        ('A or B?', 'B')
        >>> split_reasoning("<think>A or"), split_reasoning("A or B", opened=True)
        (('A or', ''), ('A or B', ''))
        >>> split_reasoning("B")
        ('', 'B')
    """
    begun = text.lstrip()
    if begun.startswith(_THINK):
        begun = begun.removeprefix(_THINK)
    elif not opened:
        return "", text
    reasoning, _, content = begun.partition(_THOUGHT)
    return reasoning.strip(), content.lstrip()


def _marked(said: Message) -> Message:
    """Return a message whose last word is the marker: its text, or its calls' arguments."""
    calls = said.get("tool_calls")
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


def _shared_start(one: str, other: str) -> str:
    """Return the longest text that both begin with, without the half of a tag."""
    pairs = enumerate(zip(one, other, strict=False))
    shared = one[: next((i for i, (a, b) in pairs if a != b), min(len(one), len(other)))]
    return _HALF_TAG.sub("", shared)


def _parts_of(message: Message) -> list[str]:
    """Return the texts of a message that a template shows if it shows all of it."""
    texts = [message.get("reasoning_content") or "", *_TAGS.split(text_of(message))]
    return [text.strip() for text in texts]
