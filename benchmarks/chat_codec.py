"""Milliseconds to make the prompt of a turn after 4,000 tokens, beside encoding all of them."""

from __future__ import annotations

import statistics

from measure import aim, asked_quick, measure, per_call, table

from textgym.messages import Message, assistant, user
from textgym.policies.base import Tokens
from textgym.policies.chat.templates import encode, render
from textgym.policies.chat.token_codec import ChatCodec
from textgym.policies.models import load_tokenizer

TURNS = 23
ASKED = "The hidden number is higher than the one that you named in this turn. " * 6
SAID = "So it may be the number halfway between the last two that I named. " * 6
LIMIT = 0.2


def conversation() -> list[Message]:
    """Return a conversation that ends with a user message."""
    messages: list[Message] = []
    for turn in range(TURNS):
        messages += [user(f"{ASKED}({turn})"), assistant(f"{SAID}({turn})")]
    return [*messages, user("Go on.")]


def main() -> None:
    """Measure both, and print them."""
    quick = asked_quick(__doc__)
    tokenizer = load_tokenizer("")
    codec = ChatCodec("benchmark", tokenizer, {tokenizer.eos_token_id}, 100_000)
    messages = conversation()
    count = len(messages) - 1
    asked = codec.encode_prompt(messages[: count - 1], [], None).ids
    said = [*encode(tokenizer, f"{SAID}({TURNS - 1})"), tokenizer.eos_token_id]
    prior = Tokens.of_turn(asked, said, None, count)
    whole = encode(tokenizer, render(tokenizer, messages, []))
    if codec.encode_prompt(messages, [], prior).ids != whole:
        raise SystemExit("the prompts of the two ways differ")
    calls = 5 if quick else 50
    floor = f"render and encode {len(whole):,} tokens"

    def milliseconds(known: Tokens | None) -> float:
        return 1e3 * per_call(lambda: codec.encode_prompt(messages, [], known), calls)

    cases = {floor: lambda: milliseconds(None), "the chat codec": lambda: milliseconds(prior)}
    figures = measure(cases, 3 if quick else 9)
    print(table("milliseconds per turn", figures, digits=2))
    ratio = statistics.median(figures["the chat codec"]) / statistics.median(figures[floor])
    print(aim("the chat codec, of the floor", ratio, LIMIT, ""))


if __name__ == "__main__":
    main()
