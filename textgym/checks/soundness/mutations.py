"""Changes of the oracle's episodes that must lose.

What must lose follows from what the verifier itself wants:

- A text matters if the episode loses without it. Then a wrong text must lose, too.
- A call matters if the final state differs without it, or if the episode loses without it. Then
  its loss and wrong arguments must lose, unless the final state is the oracle's. The card can
  name tools whose calls need not be right (`unchecked_calls`).
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from textgym.checks.attackers.prompts import prompt_of
from textgym.checks.soundness.solved import Solved, arguments_in, calls_in
from textgym.messages import Message, text_of
from textgym.tasks.hashing import canonical_json, hash_int

__all__ = [
    "HIDDEN",
    "REPLACEMENTS",
    "TEXT_CHANGES",
    "Mutant",
    "answer_span",
    "asks_for_order",
    "call_mutants",
    "reorder",
    "text_mutants",
]


_DIGITS = "123456789"
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_SIGNED = re.compile(r"-?\d+(\.\d+)?")
_COMMAND = re.compile(r"\\[A-Za-z]+")
_PART = r"[^\s,;\[\](){}]"
_LIST = re.compile(
    rf"(?<!{_PART})(?:{_PART}[^,;\n\[\](){{}}]*(?:[,;] ?[^,;\n\[\](){{}}]+)+"
    rf"|{_PART}+(?: {_PART}+)+)"
)
_SEPARATOR = re.compile(r"[,;] ?| ")
_NAMED = re.compile(r"\s*+[\"']?[\w -]{1,80}+[\"']?\s{0,5}[:=]")
_ORDER = re.compile(
    r"\b(?:sort|sorted|ascending|descending|increasing|decreasing|alphabetical(?:ly)?"
    r"|chronological(?:ly)?|ranked|reversed?|(?:in|by|into) (?:\w+ )?order(?! to)|in that order)\b",
    re.I,
)
_ANY_ORDER = re.compile(r"\bany order\b|\border (?:does not|doesn't|is not)\b", re.I)
_MAX_EXACT = 2  # digits of a number of which any may be changed; a tolerance may ignore later ones


def answer_span(text: str, *answers: Any) -> tuple[int, int]:
    r"""Return where a text has one of the answers, which are tried in order; else the whole text.

    Example:
        >>> answer_span(r"It is \boxed{7}.", "5", 7)
        (13, 14)
        >>> answer_span("seven", ["7"], "")
        (0, 5)
    """
    for answer in answers:
        words = str(answer) if isinstance(answer, (str, int, float)) else ""
        found = text.rfind(words) if words else -1
        if found >= 0:
            return found, found + len(words)
    return 0, len(text)


def change_digit(answer: str, rng: random.Random) -> str:
    """Return an answer with another digit in one of its numbers.

    In a long number the first digit is changed, so that a tolerance does not forgive it.

    Example:
        >>> change_digit("1234 m", random.Random(0))
        '8234 m'
    """
    numbers = list(re.finditer(r"\d+", answer))
    if not numbers:
        return answer
    found = rng.choice(numbers)
    exact = len(found.group()) <= _MAX_EXACT
    place = rng.randrange(found.start(), found.end()) if exact else found.start()
    digit = rng.choice([item for item in _DIGITS if item != answer[place]])
    return answer[:place] + digit + answer[place + 1 :]


def append_digit(answer: str, rng: random.Random) -> str:
    """Return an answer with one more digit at the end of one of its whole numbers.

    Example:
        >>> append_digit("0.5 of 12", random.Random(0))
        '0.5 of 127'
    """
    whole = list(re.finditer(r"(?<![\d.])\d+(?!\.?\d)", answer))
    if not whole:
        return answer
    end = rng.choice(whole).end()
    return answer[:end] + rng.choice(_DIGITS) + answer[end:]


def change_letter(answer: str, rng: random.Random) -> str:
    r"""Return an answer with another letter in place of one, but not in a command of LaTeX.

    Example:
        >>> change_letter(r"\sqrt{x}", random.Random(0))
        '\\sqrt{y}'
    """
    kept = {place for found in _COMMAND.finditer(answer) for place in range(*found.span())}
    places = [
        place
        for place, letter in enumerate(answer)
        if letter.lower() in _LETTERS and place not in kept
    ]
    if not places:
        return answer
    place = rng.choice(places)
    old = answer[place]
    new = _LETTERS[(_LETTERS.index(old.lower()) + 1) % len(_LETTERS)]
    return answer[:place] + (new.upper() if old.isupper() else new) + answer[place + 1 :]


def change_sign(answer: str, rng: random.Random) -> str:
    """Return an answer that is a number with the other sign.

    Example:
        >>> change_sign("-12.5", random.Random(0)), change_sign("3", random.Random(0))
        ('12.5', '-3')
    """
    if not _SIGNED.fullmatch(answer) or not answer.strip("-0."):
        return answer
    return answer[1:] if answer.startswith("-") else f"-{answer}"


def asks_for_order(prompt: str) -> bool:
    """Return whether a prompt asks for the parts of an answer in an order.

    Example:
        >>> asks_for_order("Sort 3, 1 and 2."), asks_for_order("Name them in any order.")
        (True, False)
    """
    return _ORDER.search(prompt) is not None and _ANY_ORDER.search(prompt) is None


def reorder(answer: str) -> str:
    """Return an answer with the parts of its longest list in reverse order.

    Parts that have names, as in an object of JSON, are left as they are.

    Example:
        >>> reorder("['a', 'b']"), reorder("seven")
        ("['b', 'a']", 'seven')
    """
    found = max(_LIST.finditer(answer), key=lambda match: len(match[0]), default=None)
    if found is None:
        return answer
    marks: list[str] = _SEPARATOR.findall(found[0])
    separator = max(marks, key=lambda mark: (mark != " ", marks.count(mark)))
    parts = found[0].split(separator)
    if all(_NAMED.match(part) for part in parts):
        return answer
    return answer[: found.start()] + separator.join(parts[::-1]) + answer[found.end() :]


TEXT_CHANGES: Mapping[str, Callable[[str, random.Random], str]] = {
    "a digit changed": change_digit,
    "a digit appended": append_digit,
    "a letter changed": change_letter,
    "the sign changed": change_sign,
}
"""Changes of an answer, by name. An answer that has nothing to change is returned as it is."""


REPLACEMENTS = ("another task's answer", "the answer, then another task's")
"""The mutations whose answer is that of another task."""

HIDDEN = (
    "the answer in the reasoning alone",
    "the answer in <think> alone",
    "the answer in an open <think>",
)
"""The mutations whose answer is not to be read, however many answers are right."""

_MOST = 3  # mutants of a kind in one episode


class Mutant(NamedTuple):
    """A changed episode.

    Attributes:
        name: The name of the change.
        actions: The messages.
        is_text: Whether a text was changed, and no call.
        without: The messages without the call whose arguments were changed; None for other changes.
    """

    name: str
    actions: list[Message]
    is_text: bool = False
    without: list[Message] | None = None


def text_mutants(
    task: Solved, others: Sequence[Solved], reasoning: bool, free_wording: bool = False
) -> Iterator[Mutant]:
    """Yield episodes with a wrong text in place of one that matters.

    Args:
        task: The task.
        others: Other tasks of the same level.
        reasoning: Whether an answer that is given in the reasoning alone must lose.
        free_wording: Whether only the last text is changed, and only by the text of another task.
    """
    rng = _rng("texts", task)
    for turn in _turns_to_change(task, rng)[-1 if free_wording else 0 :]:
        action = task.actions[turn]
        text = text_of(action)
        if not task.loses(_with(task.actions, turn, {**action, "content": ""})):
            continue

        def mutant(name: str, content: str, turn: int = turn, **more: Any) -> Mutant:
            changed: Any = {**task.actions[turn], "content": content, **more}
            return Mutant(name, _with(task.actions, turn, changed), is_text=True)

        wrong = _text_of_another(task, others, turn)
        if wrong is not None:
            for name, content in zip(REPLACEMENTS, (wrong, f"{text}\n\n{wrong}"), strict=True):
                yield mutant(name, content)
        last = turn == task.text_turns[-1]
        said = (task.answer, task.episode.info.get("extracted_answer")) if last else ()
        start, end = answer_span(text, *said)
        for name, change in () if free_wording else TEXT_CHANGES.items():
            changed = change(text[start:end], rng)
            if changed != text[start:end]:
                yield mutant(name, text[:start] + changed + text[end:])
        if not free_wording and asks_for_order(prompt_of(task.episode.steps[0][0])):
            changed = reorder(text[start:end])
            yield mutant("the parts in another order", text[:start] + changed + text[end:])
        if reasoning:
            yield mutant(HIDDEN[0], "", reasoning_content=text)
            yield mutant(HIDDEN[1], f"<think>{text}</think>")
            yield mutant(HIDDEN[2], f"<think>{text}")


def _turns_to_change(task: Solved, rng: random.Random) -> list[int]:
    """Return the last turn with a text, and another one."""
    earlier, last = task.text_turns[:-1], task.text_turns[-1:]
    return [*([rng.choice(earlier)] if earlier else []), *last]


def _text_of_another(task: Solved, others: Sequence[Solved], turn: int) -> str | None:
    """Return what the oracle says at a turn of another task, whose answer is wrong in this one."""
    for other in others:
        turns = other.text_turns
        if turns and other is not task and task.answers_otherwise(other):
            same = turn if turn in turns and turn != task.text_turns[-1] else turns[-1]
            wrong = text_of(other.actions[same])
            if wrong.strip() != text_of(task.actions[turn]).strip():
                return wrong
    return None


def call_mutants(
    task: Solved, others: Sequence[Solved], unchecked: Sequence[str]
) -> Iterator[Mutant]:
    """Yield episodes in which calls are missing or have wrong arguments.

    Args:
        task: The task.
        others: Other tasks of the same level.
        unchecked: The names of the tools whose calls need not be right.
    """
    rng = _rng("calls", task)
    places = [
        (turn, number)
        for turn, action in enumerate(task.actions)
        for number, call in enumerate(calls_in(action))
        if call["function"]["name"] not in unchecked
    ]
    turns = sorted({turn for turn, _ in places})
    for turn in _some(rng, turns):
        numbers = range(len(calls_in(task.actions[turn])))
        if all((turn, number) in places for number in numbers):
            yield Mutant("a turn dropped", task.actions[:turn] + task.actions[turn + 1 :])
    for turn, number in _some(rng, places):
        yield Mutant("a call left out", _without(task.actions, turn, number))
    if places:
        turn, number = places[-1]
        rest = [action for action in task.actions[turn:] if not calls_in(action)]
        stopped = [*task.actions[:turn], *_stripped(task.actions[turn], number), *rest]
        yield Mutant("stopped before the last call", stopped)
        texts = [action for action in task.actions if not calls_in(action)]
        yield Mutant("all calls left out", texts)
    known = _known_arguments(others)
    for turn, number in _some(rng, places):
        call = calls_in(task.actions[turn])[number]
        given = arguments_in(call)
        without = _without(task.actions, turn, number)
        for name, changed in (
            ("arguments swapped", _swapped(given, rng)),
            ("another task's argument", _replaced(call["function"]["name"], given, known, rng)),
        ):
            if canonical_json(changed) != canonical_json(given):
                function = {**call["function"], "arguments": json.dumps(changed)}
                calls = _with(calls_in(task.actions[turn]), number, {**call, "function": function})
                message: Any = {**task.actions[turn], "tool_calls": calls}
                yield Mutant(name, _with(task.actions, turn, message), without=without)


def _known_arguments(others: Sequence[Solved]) -> dict[tuple[str, str], list[Any]]:
    """Return the values of arguments in the oracle's calls, by tool and argument."""
    known: dict[tuple[str, str], list[Any]] = {}
    for other in others:
        for action in other.actions:
            for call in calls_in(action):
                for name, value in arguments_in(call).items():
                    known.setdefault((call["function"]["name"], name), []).append(value)
    return known


def _swapped(given: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """Swap two arguments of the same type, or two items of a list."""
    swaps: list[dict[str, Any]] = []
    names = list(given)
    for place, one in enumerate(names):
        for other in names[place + 1 :]:
            if type(given[one]) is type(given[other]) and given[one] != given[other]:
                swaps.append({**given, one: given[other], other: given[one]})
        value = given[one]
        if isinstance(value, list) and len(value) > 1 and value[0] != value[-1]:
            swaps.append({**given, one: [value[-1], *value[1:-1], value[0]]})
    return rng.choice(swaps) if swaps else given


def _replaced(
    tool: str, given: dict[str, Any], known: dict[tuple[str, str], list[Any]], rng: random.Random
) -> dict[str, Any]:
    """Replace an argument by the value that it has in another task."""
    choices = [
        {**given, name: value}
        for name in given
        for value in known.get((tool, name), ())
        if canonical_json(value) != canonical_json(given[name])
    ]
    return rng.choice(choices) if choices else given


def _without(actions: list[Message], turn: int, number: int) -> list[Message]:
    return [*actions[:turn], *_stripped(actions[turn], number), *actions[turn + 1 :]]


def _stripped(action: Message, number: int) -> list[Message]:
    """Return a message without one of its calls; nothing if it has no other one."""
    calls = calls_in(action)
    left: Any = {**action, "tool_calls": calls[:number] + calls[number + 1 :]}
    return [left] if left["tool_calls"] else []


def _with(items: list[Any], place: int, item: Any) -> list[Any]:
    return [*items[:place], item, *items[place + 1 :]]


def _some(rng: random.Random, items: list[Any]) -> list[Any]:
    return rng.sample(items, min(_MOST, len(items)))


def _rng(purpose: str, task: Solved) -> random.Random:
    return random.Random(hash_int(purpose, task.level, task.episode.task_id))
