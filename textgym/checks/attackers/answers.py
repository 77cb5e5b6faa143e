"""Attackers that answer in the right form without knowing the answer.

They choose by position, copy from the question, give frequent training answers, hedge between all
candidates, or hide an answer in the reasoning. None of them calculates or compares values, because
finding the sum or the largest of some numbers may be the task.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from textgym.checks.attackers.knowledge import Attacker, Knowledge
from textgym.checks.attackers.prompts import (
    capitalised,
    first,
    numbers,
    options,
    question_of,
    quoted,
    values,
)
from textgym.checks.episodes import NotApplicable, Scripted
from textgym.messages import Message

__all__ = ["answers", "candidates"]

Choose = Callable[[Knowledge, str], str]
"""Chooses an answer from the training tasks and the text of the question."""

_LETTERS = "ABCDE"
_FREQUENT = 5


def _letter(letter: str, known: Knowledge, text: str) -> str:
    if letter not in options(text):
        raise NotApplicable
    return letter


def _by_length(rank: int, known: Knowledge, text: str) -> str:
    listed = options(text)
    return sorted(listed, key=lambda letter: len(listed[letter]))[rank]


def _lines(known: Knowledge, text: str) -> str:
    return "\n".join(f"{letter}: {option}" for letter, option in options(text).items())


def _frequent(rank: int, known: Knowledge, text: str) -> str:
    return str(first(known.answers[rank:]))


def _frequent_together(known: Knowledge, text: str) -> str:
    first(known.answers)
    return " or ".join(known.answers[:20])


def candidates(known: Knowledge, text: str) -> list[str]:
    """Return possible answers: letters of options, values of the question, and training answers."""
    try:
        letters = [*options(text)]
    except NotApplicable:
        letters = []
    return [*letters, *values(text)[:40], *known.answers[:20]]


def _constant(constant: str, known: Knowledge, text: str) -> str:
    return constant


def _all(order: Callable[[list[str]], list[str]], known: Knowledge, text: str) -> str:
    return ", ".join(order(candidates(known, text)))


_CHOICES: dict[str, tuple[str, Choose]] = {
    **{
        f"always {letter}": (f"Chooses the option {letter}.", partial(_letter, letter))
        for letter in _LETTERS
    },
    "first option": ("Chooses the first option.", lambda known, text: min(options(text))),
    "last option": ("Chooses the last option.", lambda known, text: max(options(text))),
    "longest option": ("Chooses the longest option.", partial(_by_length, -1)),
    "shortest option": ("Chooses the shortest option.", partial(_by_length, 0)),
    "every option": ("Names all options.", lambda known, text: ", ".join(options(text))),
    "every option with its text": ("Copies all options.", _lines),
    **{
        f"frequent answer {rank + 1}": (
            f"Gives the answer that is number {rank + 1} by frequency in training.",
            partial(_frequent, rank),
        )
        for rank in range(_FREQUENT)
    },
    "frequent answers together": (
        "Gives the twenty most frequent answers of training, joined by `or`.",
        _frequent_together,
    ),
    "every candidate": ("Gives all values of question and training.", partial(_all, list)),
    "every candidate, reversed": (
        "Gives all values of question and training, the last first.",
        partial(_all, lambda listed: listed[::-1]),
    ),
    "every candidate, sorted": (
        "Gives all values of question and training in the order of the alphabet.",
        partial(_all, sorted),
    ),
    **{
        f"constant {text}": (f"Answers {text} to any question.", partial(_constant, text))
        for text in ("0", "1", "-1", "Yes", "No", "True", "False", "None", "[]")
    },
    "numbers from 0 to 1000": (
        "Gives the numbers from 0 to 1000 as one answer.",
        lambda known, text: ", ".join(map(str, range(1001))),
    ),
}

_COPIES: dict[str, tuple[str, Choose]] = {
    "first number": ("Answers the first number.", lambda known, text: first(numbers(text))),
    "last number": ("Answers the last number.", lambda known, text: first(numbers(text)[::-1])),
    "last name": (
        "Answers the last capitalised word that does not begin a sentence.",
        lambda known, text: first(capitalised(text)[::-1]),
    ),
    "first quotation": ("Answers what is quoted first.", lambda known, text: first(quoted(text))),
    "last quotation": (
        "Answers what is quoted last.",
        lambda known, text: first(quoted(text)[::-1]),
    ),
}

_HIDDEN = {
    "unclosed reasoning": "<think>{}",
    "closed reasoning": "<think>{}</think>",
    "reasoning closed twice": "<think></think>{}</think>",
}


def answers(known: Knowledge) -> Iterator[Attacker]:
    """Yield the attackers that answer without knowing the answer."""
    for name, (summary, choose) in _CHOICES.items():
        yield Attacker(name, summary, _choosing(known, choose), "answers")

    def each(view: Scripted) -> str:
        return "\n".join(map(known.form.fill, candidates(known, question_of(view.messages))))

    def two_answers(view: Scripted) -> str:
        usual = known.form.fill(first(known.answers))
        return f"{known.another(view.messages).answer}\n\nOr rather: {usual}"

    def hidden(tags: str, view: Scripted) -> str:
        return tags.replace("{}", each(view))

    def beside(view: Scripted) -> Message:
        return {"role": "assistant", "content": "", "reasoning_content": each(view)}

    scripts: dict[str, tuple[str, Callable[[Scripted], Message | str]]] = {
        "turn number": (
            "Answers the number of the turn.",
            lambda view: known.form.fill(str(view.turn + 1)),
        ),
        "all boxes": ("Gives every candidate in a form of its own.", each),
        "reply of another task": (
            "Replays the oracle's replies in a training task.",
            lambda view: known.another(view.messages).reply(view.turn),
        ),
        "answer and contradiction": (
            "Gives the answer of another task, and then says that it is wrong.",
            lambda view: (
                f"{known.another(view.messages).answer}\n\nNo, that is wrong. It is another one."
            ),
        ),
        "two answers": (
            "Gives the answer of another task, and then a frequent one instead.",
            two_answers,
        ),
        **{
            f"answer in {name}": (
                "Gives every candidate, but only within tags of reasoning.",
                partial(hidden, tags),
            )
            for name, tags in _HIDDEN.items()
        },
        "answer in reasoning_content": (
            "Gives every candidate, but only in the field of the reasoning.",
            beside,
        ),
    }
    for name, (summary, script) in scripts.items():
        yield Attacker(name, summary, Scripted(script), "answers")
    for name, (summary, choose) in _COPIES.items():
        yield Attacker(name, summary, _choosing(known, choose), "copies")


def _choosing(known: Knowledge, choose: Choose) -> Scripted:
    return Scripted(lambda view: known.form.fill(choose(known, question_of(view.messages))))
