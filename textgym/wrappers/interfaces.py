"""Wrappers for programs without messages: conversations as one text, or as token ids.

They are the outermost wrappers, because rollouts and the other wrappers need messages. The text
describes the tools of the episode unless the chat template does, and calls are parsed out of the
program's text.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.utils import RecordConstructorArgs

from textgym.errors import ContextFullError, InvalidActionError, UsageError
from textgym.json_values import copy_json
from textgym.messages import Message, assistant, text_of
from textgym.names import import_object, is_place
from textgym.policies import Action, Tokens
from textgym.policies.chat.hermes import with_parsed_calls, with_tool_prompt
from textgym.policies.chat.token_codec import ChatCodec, EncodedPrompt
from textgym.spaces import TextSpace
from textgym.wrappers.base import MessageEnv, SavedState, check_count, check_message_spaces
from textgym.wrappers.rewards.costs import cached_tokenizer

__all__ = ["FlattenConversation", "TokenIds"]

Template = Callable[[list[Message]], str]
PADDING = -1


class _Interface(
    SavedState, gym.Wrapper[Any, Any, list[Message], Message | str], RecordConstructorArgs
):
    """The base class of both: shows conversations in a different form."""

    def __init__(self, env: MessageEnv, **arguments: Any) -> None:
        RecordConstructorArgs.__init__(self, **arguments)
        gym.Wrapper.__init__(self, env)
        check_message_spaces(self, env)

    def begin(self) -> dict[str, Any]:
        """Return the state of an episode that has not begun."""
        return {"tools": []}


class FlattenConversation(_Interface):
    """Shows the conversation as one text, and takes the assistant's message as a text.

    Tools, calls and results become text as for models without tools: tools in the system message,
    calls between `<tool_call>` tags, which are parsed out of the action too.

    Args:
        env: The environment.
        template: The text of each message, with `{role}` and `{content}`; or a function from the
            messages to the whole text, or `module:function`. A spec with a function cannot be saved
            as JSON.
        ending: The text after the last message, until the episode ends.

    Raises:
        UsageError: The template has no `{content}`.

    Example:
        >>> import gymnasium, textgym
        >>> from textgym.wrappers import FlattenConversation
        >>> env = FlattenConversation(gymnasium.make("textgym/GuessNumber-v0"))
        >>> observation, info = env.reset(seed=1)
        >>> env.step("1")[0].splitlines()[-5:]
        ['assistant: 1', '', 'user: higher', '', 'assistant: ']
    """

    def __init__(
        self,
        env: MessageEnv,
        *,
        template: str | Template = "{role}: {content}\n\n",
        ending: str = "assistant: ",
    ) -> None:
        super().__init__(env, template=template, ending=ending)
        self._template, self._ending = _template_function(template), ending
        self.observation_space = TextSpace()
        self.action_space = TextSpace()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Reset the environment."""
        observation, info = self.env.reset(seed=seed, options=options)
        self.state = {"tools": copy_json(info.get("tools") or [])}
        return self._text(observation) + self._ending, info

    def step(self, action: str) -> tuple[str, Any, bool, bool, dict[str, Any]]:
        """Step the environment with a text.

        Raises:
            InvalidActionError: The action is not a text.
        """
        if not isinstance(action, str):
            raise InvalidActionError(f"an action of FlattenConversation is a text, not {action!r}")
        message = assistant(action)
        if self.state["tools"]:
            message = with_parsed_calls(Action(message)).message
        observation, reward, terminated, truncated, info = self.env.step(message)
        ending = "" if terminated or truncated else self._ending
        return self._text(observation) + ending, reward, terminated, truncated, info

    def _text(self, messages: list[Message]) -> str:
        return self._template(with_tool_prompt(messages, self.state["tools"]))


def _template_function(template: Any) -> Template:
    if callable(template):
        function: Template = template
        return function
    if isinstance(template, str) and "{content}" in template:
        return functools.partial(_filled_in, template)
    if isinstance(template, str) and is_place(template):
        return _template_function(import_object(template))
    raise UsageError(
        f"FlattenConversation: template must be a text with {{content}} or a function, "
        f"not {template!r:.100}"
    )


def _filled_in(template: str, messages: list[Message]) -> str:
    return "".join(
        template.replace("{role}", message["role"]).replace("{content}", text_of(message))
        for message in messages
    )


class TokenIds(_Interface):
    """Shows the conversation as token ids, and takes the assistant's message as token ids.

    Both are arrays of fixed length, padded with -1 at the end. An observation is the prompt of a
    chat model: it begins with the ids of the last observation and the sampled ids, unless the chat
    template changes earlier turns. An action ends at the first -1 or end-of-message token.

    A conversation longer than `max_length` truncates the episode, with the stop reason `context`;
    the observation is then cut at its end.

    Args:
        env: The environment.
        tokenizer: A model's name or folder, or a transformers tokenizer with a chat template. A
            spec with an object cannot be saved as JSON.
        max_length: The length of observations.
        max_tokens: The length of actions.

    Raises:
        UsageError: A length is invalid.
        ContextFullError: By `reset`: the prompt is longer than `max_length`.

    Example:
        >>> import gymnasium, textgym
        >>> from textgym.wrappers import TokenIds
        >>> env = gymnasium.make("textgym/MCQA-v0")
        >>> env = TokenIds(env, tokenizer="SmolLM2-135M-Instruct")  # doctest: +SKIP
        >>> observation, info = env.reset(seed=1)  # doctest: +SKIP
        >>> observation.shape, int((observation >= 0).sum()) == info["length"]  # doctest: +SKIP
        ((4096,), True)
    """

    def __init__(
        self, env: MessageEnv, *, tokenizer: Any, max_length: int = 4096, max_tokens: int = 512
    ) -> None:
        super().__init__(env, tokenizer=tokenizer, max_length=max_length, max_tokens=max_tokens)
        check_count(self, "max_length", max_length)
        check_count(self, "max_tokens", max_tokens)
        from textgym.policies.models import eos_token_ids, load_eos_token_ids

        if isinstance(tokenizer, str):
            model, tokenizer = tokenizer, cached_tokenizer(tokenizer)
            ends = load_eos_token_ids(model, tokenizer)
        else:
            ends = eos_token_ids(None, tokenizer)
        self._codec = ChatCodec("TokenIds", tokenizer, ends, max_length + 1)
        self._max_length, self._last_id = max_length, len(tokenizer) - 1
        self.observation_space = _ids_space(max_length, self._last_id)
        self.action_space = _ids_space(max_tokens, self._last_id)

    def begin(self) -> dict[str, Any]:
        """Return the state of an episode that has not begun."""
        return {**super().begin(), "ids": [], "opens_reasoning": False, "messages": 0}

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray[Any, Any], dict[str, Any]]:
        """Reset the environment."""
        observation, info = self.env.reset(seed=seed, options=options)
        tools = copy_json(info.get("tools") or [])
        prompt = self._codec.encode_prompt(observation, tools, None)
        self.state = {"tools": tools, **_state_of(prompt, len(observation))}
        return self._padded(prompt.ids), {**info, "length": len(prompt.ids)}

    def step(
        self, action: Sequence[int] | np.ndarray[Any, Any]
    ) -> tuple[np.ndarray[Any, Any], Any, bool, bool, dict[str, Any]]:
        """Step the environment with token ids.

        Raises:
            InvalidActionError: The action is not a sequence of token ids.
        """
        sampled = self._sampled(action)
        state, codec = self.state, self._codec
        sampled_from = EncodedPrompt(state["ids"], state["opens_reasoning"], state["tools"])
        ends = bool(sampled) and sampled[-1] in codec.eos_token_ids
        text = codec.tokenizer.decode(
            sampled[:-1] if ends else sampled, skip_special_tokens=codec.skip_special_tokens
        )
        message = codec.decode_action(sampled_from, sampled, text, [], finished=True).message
        observation, reward, terminated, truncated, info = self.env.step(message)
        prior = Tokens.of_turn(state["ids"], sampled, None, state["messages"] + 1)
        try:
            prompt = codec.encode_prompt(observation, state["tools"], prior if sampled else None)
        except ContextFullError:
            prompt = EncodedPrompt([*state["ids"], *sampled][: self._max_length], False, ())
            if not (terminated or truncated):
                truncated, info["stop_reason"] = True, "context"
        self.state = {"tools": state["tools"], **_state_of(prompt, len(observation))}
        info["length"] = len(prompt.ids)
        return self._padded(prompt.ids), reward, terminated, truncated, info

    def _sampled(self, action: Any) -> list[int]:
        ids = np.asarray(action)
        is_valid = ids.ndim == 1 and (ids.size == 0 or np.issubdtype(ids.dtype, np.integer))
        if not is_valid or (ids.size and (ids.min() < PADDING or ids.max() > self._last_id)):
            raise InvalidActionError(
                f"an action of TokenIds is a sequence of ids from 0 to {self._last_id}, padded "
                f"with {PADDING}; not {action!r:.100}"
            )
        sampled: list[int] = []
        for id in ids.tolist():
            if id == PADDING:
                break
            sampled.append(id)
            if id in self._codec.eos_token_ids:
                break
        return sampled

    def _padded(self, ids: Sequence[int]) -> np.ndarray[Any, Any]:
        padded = np.full(self._max_length, PADDING, np.int64)
        padded[: len(ids)] = ids
        return padded


def _state_of(prompt: EncodedPrompt, messages: int) -> dict[str, Any]:
    return {
        "ids": list(prompt.ids),
        "opens_reasoning": prompt.opens_reasoning,
        "messages": messages,
    }


def _ids_space(length: int, last_id: int) -> gym.spaces.Box:
    return gym.spaces.Box(PADDING, last_id, (length,), np.int64)
