"""Attackers that answer nothing: silence, excuses, filler, echoes, and odd characters."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

from textgym.checks.attackers.base import Attacker
from textgym.checks.attackers.knowledge import Knowledge
from textgym.checks.attackers.prompts import first, prompt_of, question_of
from textgym.checks.episodes import Sight, say
from textgym.messages import text_of

__all__ = ["texts"]

_FIXED = {
    "silence": ("Sends an empty message.", ""),
    "whitespace": ("Sends blanks, tabs and line ends alone.", " \n\t \u00a0\u3000"),
    "i do not know": ("Says that it does not know.", "I don't know."),
    "refusal": ("Refuses to answer.", "I'm sorry, but I can't help with that."),
    "done": ("Says that the task is done.", "Done. The task has been completed successfully."),
    "filler": (
        "Talks much and says nothing.",
        "Great question! Let me think about this step by step. First, let us consider what is "
        "being asked. There are several important aspects to take into account, and each of them "
        "plays a role. Weighing all of these carefully, we arrive at the final answer. I hope "
        "this helps!",
    ),
    "question mark": ("Sends a question mark alone.", "?"),
    "punctuation": ("Sends punctuation alone.", ".,;:!?-()[]{}\"'"),
    "null character": ("Sends a null character.", "\x00"),
}
_ODD = {
    "zero-width": ("zero-width characters", "\u200b\u200c\u200d\u2060\ufeff"),
    "right-to-left": ("marks that reverse the direction", "\u202e\u2067\u200f"),
    "combining": ("combining marks without a letter", "\u0301\u0308\u0327"),
    "nothing": ("nothing", ""),
    "blank": ("a blank", " "),
    "ellipsis": ("an ellipsis", "..."),
    "placeholder": ("a placeholder", "<answer>"),
}
_LOOK_ALIKE = str.maketrans("ABCEHIKMOPTXaceiopxy0135", "АВСЕНІКМОРТХасеіорху０１３５")
_LONG = 1_000_000
_PASTED = 100_000  # characters; the context grows by what is pasted


def texts(known: Knowledge) -> Iterator[Attacker]:
    """Yield the attackers that answer nothing."""
    for name, (summary, text) in _FIXED.items():
        yield Attacker(name, summary, say(text), "texts")
    for name, (what, text) in _ODD.items():
        summary = f"Sends the form of an answer around {what}."
        yield Attacker(f"form around {name}", summary, say(known.form.fill(text)), "texts")
    yield _texts("echo", "Repeats the question.", lambda sight: question_of(sight.messages))
    yield _texts(
        "echo in the form",
        "Repeats the question in the form of an answer.",
        lambda sight: known.form.fill(question_of(sight.messages)),
    )
    yield _texts(
        "last words", "Repeats the last thing that was said.", lambda s: text_of(s.messages[-1])
    )
    yield _texts(
        "whole context",
        "Pastes the whole conversation and the tools, as JSON.",
        lambda sight: json.dumps([sight.messages, sight.tools], ensure_ascii=False)[:_PASTED],
    )
    yield _texts(
        "prompt twice",
        "Pastes the whole prompt twice.",
        lambda sight: "\n".join([prompt_of(sight.messages)] * 2),
    )
    yield _texts(
        "look-alike letters",
        "Gives the most frequent answer of training in letters that look like its own.",
        lambda sight: known.form.fill(first(known.answers).translate(_LOOK_ALIKE)),
    )
    yield Attacker(
        "very long output",
        "Repeats the question in a million characters, and then is silent.",
        _very_long,
        "texts",
        most_tasks=5,
    )


def _texts(name: str, summary: str, write: Callable[[Sight], str]) -> Attacker:
    return Attacker(name, summary, write, "texts")


def _very_long(sight: Sight) -> str:
    question = question_of(sight.messages) or "x"
    return "" if sight.turn else (f"{question}\n" * (_LONG // len(question)))[:_LONG]
