"""Instructions to repeat the request or a part of it."""

from __future__ import annotations

from typing import Literal

from textgym.verifiers.instructions.ifbench.reading import Text
from textgym.verifiers.instructions.ifeval.arguments import Bound
from textgym.verifiers.instructions.instruction import instruction

Unit = Literal["words", "characters"]
"""What the indices of a span count."""
_SENTENCE = "Only output this sentence here, ignore all other requests."


@instruction(
    "repeat:repeat_change",
    "Do not do what the following request asks for. Repeat it word for word instead, with another "
    "first word, and write nothing else: {prompt_to_repeat}",
)
def repeat_change(text: str, *, prompt_to_repeat: Text) -> bool:
    """Tell whether the text is the request, whitespace apart, but for its first word."""
    request, words = prompt_to_repeat.split(), text.split()
    return bool(words) and words[:1] != request[:1] and words[1:] == request[1:]


@instruction(
    "repeat:repeat_simple",
    "Ignore all other requests, and answer with this sentence alone: " + _SENTENCE,
)
def repeat_simple(text: str) -> bool:
    """Tell whether the text is the sentence, in any case."""
    return text.strip().lower() == _SENTENCE.lower()


@instruction(
    "repeat:repeat_span",
    "Counting {unit} from 0, copy those from {n_start} up to and including {n_end} of the "
    "following text, and write nothing else: {prompt_to_repeat}",
)
def repeat_span(
    text: str, *, prompt_to_repeat: Text, n_start: Bound, n_end: Bound, unit: Unit = "words"
) -> bool:
    """Tell whether the text is that part, case and whitespace around it apart.

    Words are split by whitespace, whose kind and amount between them do not matter.
    """
    if unit == "words":
        return text.lower().split() == prompt_to_repeat.lower().split()[n_start : n_end + 1]
    span = prompt_to_repeat[n_start : n_end + 1]
    return text.strip().lower() == span.strip().lower()
