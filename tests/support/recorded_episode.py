"""An episode of a scripted model, recorded token by token."""

from __future__ import annotations

from typing import Any

from textgym.messages import Message, copy_messages
from textgym.policies import Action
from textgym.policies.base import Tokens
from textgym.policies.chat.templates import encode
from textgym.policies.chat.token_codec import ChatCodec
from textgym.trajectories.tokens import TokenRecord, token_sequences


class Play:
    """An episode with a model that samples given ids, and an environment that answers."""

    def __init__(self, codec: ChatCodec, messages: list[Message], tools: Any = ()) -> None:
        self.codec, self.messages, self.tools = codec, messages, tools
        self.record = TokenRecord()
        self.steps: list[dict[str, Any]] = []

    def say(self, said: str | list[int], *answers: Message, ends: bool = True) -> Action:
        """Let the model sample a text or ids, then let the environment answer."""
        tokenizer = self.codec.tokenizer
        prior = self.record.prior(self.messages)
        prompt = self.codec.encode_prompt(copy_messages(self.messages), self.tools, prior)
        ids = encode(tokenizer, said) if isinstance(said, str) else list(said)
        ids += [tokenizer.eos_token_id] if ends else []
        text = tokenizer.decode(ids, skip_special_tokens=True)
        logprobs = [-float(n) for n in range(1, len(ids) + 1)]
        action = self.codec.decode_action(prompt, ids, text, logprobs, finished=ends)
        self.record.add(action, self.messages, action.message)
        fields = ("prompt_ids", "token_ids", "logprobs")
        step = {name: getattr(action, name) for name in fields}
        self.steps.append({**step, "message_index": len(self.messages)})
        said_message = copy_messages([action.message])[0]
        for number, call in enumerate(said_message.get("tool_calls") or []):
            call["id"] = f"call_{number}"
        self.messages = [*self.messages, said_message, *answers]
        return action

    def prompt_ids(self) -> list[int]:
        prior = self.record.prior(self.messages)
        return self.codec.encode_prompt(self.messages, self.tools, prior).ids

    def sequences(self) -> list[Tokens]:
        return token_sequences(self.steps)
